/// The statistics of a session since polling began, or since its start.
///
/// A poll that replaces a running one continues its counts.
public struct SessionStatistics: Hashable, Sendable {
    /// Requests to the vehicle that were written.
    public var requests = 0
    /// Decoded readings, including the adapter's voltage; the sinks were offered the same number in this
    /// time.
    public var readings = 0
    /// The largest number of records in one request.
    public var batched = 1
    /// Requests without a complete answer in time.
    public var timeouts = 0
    /// Damaged frames, undecodable records, answers that do not match the request, and failures of the
    /// adapter.
    public var errors = 0
    /// Bytes that arrived without a request, not counting line ends and prompts.
    public var unaskedBytes = 0
    /// Frames of the bus that were lost, because they were not read in time.
    public var lostFrames = 0
    /// How often the link was restored.
    public var reconnects = 0
    /// The time since the first poll or request; unit: seconds.
    public var seconds = 0.0
    /// The median of the round-trip times; nil without round trips.
    ///
    /// Unit: seconds.
    public var roundTripP50: Double?
    /// The 95th percentile of the round-trip times; unit: seconds.
    public var roundTripP95: Double?
    /// The 99th percentile of the round-trip times; unit: seconds.
    public var roundTripP99: Double?

    /// Statistics at the start.
    public init() {}

    /// Readings per second; 0 before any time has passed.
    public var readingsPerSecond: Double { seconds > 0 ? Double(readings) / seconds : 0 }
}
