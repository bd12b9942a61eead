/// A point on the monotonic clock; unit: nanoseconds since an arbitrary start.
///
/// Pure code never reads a clock; its caller passes the time.
public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's start.
    public var nanoseconds: Int64

    /// Makes an instant; unit: nanoseconds.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The clock's start.
    public static let zero = Instant(nanoseconds: 0)

    /// Whether the left instant is the earlier one.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant that is `duration` later; saturates at the ends of the clock.
    public static func + (left: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = left.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        if overflow { return Instant(nanoseconds: duration < .zero ? .min : .max) }
        return Instant(nanoseconds: sum)
    }

    /// The time from `right` to `left`; saturates.
    public static func - (left: Instant, right: Instant) -> Duration {
        let (gap, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        if overflow { return .nanoseconds(left < right ? Int64.min : Int64.max) }
        return .nanoseconds(gap)
    }
}

extension Duration {
    /// The whole duration in nanoseconds, truncated towards zero; saturates at about ±292 years.
    public var nanoseconds: Int64 {
        // Nearly all durations are below 18 s and need one division instead of several with 128 bits.
        if let short = UInt64(exactly: attoseconds) { return Int64(short / 1_000_000_000) }
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carried) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        if carried { return seconds < 0 ? .min : .max }
        return sum
    }

    /// The whole duration; unit: seconds.
    public var seconds: Double {
        Double(nanoseconds) / 1e9
    }
}
