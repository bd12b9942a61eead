import CAccessory
import OBDCore

/// The clocks; pure code is told the time by whoever reads them here.
enum Clock {
    /// The monotonic clock.
    static var now: Instant { Instant(nanoseconds: ca_monotonic_ns()) }

    /// Civil time.
    static var utc: UTC { UTC(microseconds: ca_realtime_ns() / 1000) }
}
