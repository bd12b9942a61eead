import OBDCore

/// Lets fresh fixes through, each once.
///
/// A fix carries the receiver's time, which need not be that of this machine: a Raspberry Pi has no
/// clock, and a receiver that has just been switched on may not know its leap seconds. So ages are
/// differences to the freshest fix of the last half minute to minute.
public struct FreshFixes: Sendable {
    /// What becomes of a fix.
    public enum Verdict: Hashable, Sendable {
        /// It is to be kept.
        case fresh
        /// It is older than ``FreshFixes/limit``.
        case stale
        /// The same one came before.
        case repeated
    }

    /// Older fixes are stale.
    public static let limit = Duration.seconds(5)
    /// After a step of the receiver's clock everything is stale for two of these at most.
    static let window: Int64 = 30_000_000

    private var lastTime: UTC?
    private var windowEnd: Int64?
    /// The smallest difference of arrival and receiver's time, in this window and in the one before.
    private var smallest = Int64.max
    private var smallestBefore = Int64.max

    /// Nothing has come yet.
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
            // After a long pause what was known says nothing any more.
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
