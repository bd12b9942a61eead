public import Diagnostics
public import OBDCore
public import ScanTool

/// How a poll spent its time, and the results of its records.
public struct PollReport: Hashable, Sendable {
    /// How the time was spent.
    public var time: TimeAccount.Parts
    /// Requests that no ECU answered.
    public var silent: Int
    /// The total time of those requests.
    public var silence: Duration
    /// The results of the records.
    public var plan: PollPlan.Report
    /// The capabilities of the link as found during the poll.
    public var capabilities: LinkCapabilities
    /// The rate of the line; unit: bit/s.
    ///
    /// Nil if the line has no rate, or if the rate does not determine the speed.
    public var lineRate: Int?

    /// A poll's report.
    public init(
        time: TimeAccount.Parts, silent: Int, silence: Duration, plan: PollPlan.Report,
        capabilities: LinkCapabilities, lineRate: Int?
    ) {
        self.time = time
        self.silent = silent
        self.silence = silence
        self.plan = plan
        self.capabilities = capabilities
        self.lineRate = lineRate
    }
}
