import CSystem
public import OBDCore

/// The clocks.
public enum SystemClock {
    /// The time since the boot, by a clock that cannot be set and that counts while the machine sleeps.
    @inline(__always)
    public static func now() -> Instant { Instant(nanoseconds: sys_monotonic_ns()) }

    /// The current time; unit: nanoseconds since 1970-01-01T00:00:00Z.
    public static func utcNanoseconds() -> Int64 { sys_realtime_ns() }

    /// The current wall clock time.
    public static var utc: UTC { UTC(microseconds: sys_realtime_ns() / 1000) }
}
