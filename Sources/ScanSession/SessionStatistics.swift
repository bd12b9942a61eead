/// What a session did since polling began, or since its start, for its summary; a poll that replaces
/// a running one goes on counting.
public struct SessionStatistics: Hashable, Sendable {
    /// Requests to the vehicle that were written.
    public var requests = 0
    /// Readings that were decoded, the adapter's voltage among them: as many as the sinks were
    /// offered in the same time.
    public var readings = 0
    /// Records that one request asked for at most.
    public var batched = 1
    /// Requests without a complete answer in time.
    public var timeouts = 0
    /// Damaged frames, undecodable records, answers to what was not asked and failures of the
    /// adapter.
    public var errors = 0
    /// Bytes that came while nothing was asked, line ends and prompts aside: they answer no request.
    public var unaskedBytes = 0
    /// Times that the link was restored.
    public var reconnects = 0
    /// Since the first poll or request; unit: seconds.
    public var seconds = 0.0
    /// Half of all round trips took no longer; nil before the first.
    ///
    /// Unit: seconds.
    public var roundTripP50: Double?
    /// 95 % of all round trips took no longer; unit: seconds.
    public var roundTripP95: Double?
    /// 99 % of all round trips took no longer; unit: seconds.
    public var roundTripP99: Double?

    /// Nothing done yet.
    public init() {}

    /// Readings a second; 0 before any time has passed.
    public var readingsPerSecond: Double { seconds > 0 ? Double(readings) / seconds : 0 }
}
