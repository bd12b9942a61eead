import OBDCore
import Synchronization
import SystemIO

/// A Raspberry Pi, whose clock continues from the last shutdown and is right once a network has set it.
final class Machine: Sendable {
    private struct State {
        /// The true time; unit: µs since 1970.
        var now: Int64
        var boot = 0
        /// The true time of the boot.
        var booted: Int64
        /// What the wall clock showed at the boot.
        var shown: Int64
        /// How far the wall clock is from the truth after the network has set it; nil = never yet; unit: µs.
        var error: Int64?
        var isSet = false
        /// The error of the clock since the boot; unit: parts of a million.
        let drift: Int64
    }

    private let state: Mutex<State>

    init(at time: Int64, drift: Int64) {
        state = Mutex(State(now: time, booted: time, shown: time, drift: drift))
    }

    /// The true time; unit: µs since 1970.
    var now: Int64 { state.withLock { $0.now } }
    var isSet: Bool { state.withLock { $0.isSet } }
    var boot: String { state.withLock { "boot-\($0.boot)" } }
    /// The wall clock; unit: µs since 1970.
    var wall: Int64 { reading.utc.microseconds }
    var instant: Instant { reading.instant }

    var reading: ClockReading {
        state.withLock { state in
            let run = state.now - state.booted
            let counted = run + run * state.drift / 1_000_000
            let wall = state.error.map { state.now + $0 } ?? (state.shown + counted)
            return ClockReading(
                instant: Instant(nanoseconds: counted * 1000), boot: "boot-\(state.boot)",
                bootTime: UTC(microseconds: wall - counted), isSet: state.isSet)
        }
    }

    func wait(_ time: Int64) { state.withLock { $0.now += time } }

    /// Waits until the clock since the boot shows `instant`.
    func wait(until instant: Instant) {
        let left = (instant.nanoseconds - self.instant.nanoseconds + 999) / 1000
        if left > 0 { wait(left - left / 100_000) }
        // The clock is up to ten millionths fast or slow.
        while self.instant < instant { wait(max(1, (instant - self.instant).nanoseconds / 1000)) }
    }

    /// Starts with a wall clock that shows this.
    func start(showing time: Int64) {
        state.withLock {
            $0.boot += 1
            ($0.booted, $0.shown) = ($0.now, time)
            ($0.error, $0.isSet) = (nil, false)
        }
    }

    /// The network sets the clock, with this error.
    func synchronise(error: Int64) {
        state.withLock { ($0.error, $0.isSet) = ($0.error ?? error, true) }
    }

    /// The kernel no longer counts the clock as synchronised, though it is right.
    func loseNetwork() { state.withLock { $0.isSet = false } }
}
