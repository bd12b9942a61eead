public import OBDCore

/// One moment on both clocks: turns a session's monotonic instants into times of day.
///
/// There is one a session, so that a step of the wall clock never reorders readings.
public struct TimeAnchor: Hashable, Sendable {
    /// On the monotonic clock.
    public var monotonic: Instant
    /// UTC; unit: nanoseconds since 1970-01-01T00:00:00Z.
    public var utcNanoseconds: Int64

    /// A moment on both clocks.
    public init(monotonic: Instant, utcNanoseconds: Int64) {
        self.monotonic = monotonic
        self.utcNanoseconds = utcNanoseconds
    }

    /// UTC of `instant`; unit: nanoseconds since 1970-01-01T00:00:00Z.
    ///
    /// Saturates.
    public func utcNanoseconds(of instant: Instant) -> Int64 {
        let gap = (instant - monotonic).nanoseconds
        let (sum, overflow) = utcNanoseconds.addingReportingOverflow(gap)
        return overflow ? (gap < 0 ? .min : .max) : sum
    }
}
