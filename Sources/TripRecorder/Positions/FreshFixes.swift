import OBDCore

/// Passes fresh fixes, each once.
///
/// A fix contains the receiver's time, which may differ from that of this machine: a Raspberry Pi
/// has no clock, and a receiver that was just switched on may not know its leap seconds. Therefore,
/// the age of a fix is measured relative to the freshest fix of the last half minute to minute.
public struct FreshFixes: Sendable {
    /// The verdict about a fix.
    public enum Verdict: Hashable, Sendable {
        /// Keep the fix.
        case fresh
        /// The fix is older than ``FreshFixes/limit``.
        case stale
        /// The fix was received before.
        case repeated
    }

    /// Fixes that are older are stale.
    public static let limit = Duration.seconds(5)
    /// After a step of the receiver's clock, all fixes are stale for at most two of these windows.
    static let window: Int64 = 30_000_000

    private var lastTime: UTC?
    private var windowEnd: Int64?
    /// The smallest difference between arrival and receiver's time, in this window and the one
    /// before.
    private var smallest = Int64.max
    private var smallestBefore = Int64.max

    /// Without any fix yet.
    public init() {}

    /// Judges a fix; one without a time is fresh.
    public mutating func judge(_ fix: Fix) -> Verdict {
        guard let time = fix.position.fixTime else { return .fresh }
        if time == lastTime { return .repeated }
        lastTime = time
        let arrived = fix.arrived.nanoseconds / 1000
        let difference = arrived.subtractingReportingOverflow(time.microseconds)
        if difference.overflow { return .stale }
        if let end = windowEnd, arrived > end {
            // After a long pause, the previous window is not valid any more.
            smallestBefore = arrived - end > Self.window ? .max : smallest
            smallest = .max
            windowEnd = arrived &+ Self.window
        }
        windowEnd = windowEnd ?? arrived &+ Self.window
        let reference = min(smallest, smallestBefore)
        smallest = min(smallest, difference.partialValue)
        guard reference != .max else { return .fresh }
        let age = difference.partialValue.subtractingReportingOverflow(reference)
        return !age.overflow && age.partialValue > Self.limit.nanoseconds / 1000 ? .stale : .fresh
    }
}
