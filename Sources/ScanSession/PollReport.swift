public import Diagnostics
public import OBDCore
public import ScanTool

/// Where the time of a poll went and how its records fared.
public struct PollReport: Hashable, Sendable {
    /// Where the time went.
    public var time: TimeAccount.Parts
    /// Requests that no ECU answered.
    public var silent: Int
    /// What those took.
    public var silence: Duration
    /// How the records fared.
    public var plan: PollPlan.Report
    /// What the link turned out to be able to do.
    public var capabilities: LinkCapabilities
    /// The rate of a line whose bytes take time; unit: bit/s, nil where there is none or it says
    /// nothing.
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
