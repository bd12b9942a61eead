import Diagnostics
import OBDCore
import ScanSession
import TripStore

/// What is the same for every accessory of one `obdscan log`.
struct LogPlan: Sendable {
    let table: PIDTable
    /// The signals that were named; empty = everything current.
    let chosen: [SelectedSignal]
    /// What the tables add to that.
    let packRecords: [PIDTable.Record]
    let store: TripStore
    let output: OutputOptions
    let tags: [String]
    let name: String?
    /// How often each signal is asked for; nil = as often as the link allows.
    let every: Duration?
    /// How long to record; nil = until somebody ends it.
    let duration: Duration?
    /// When the vehicle counts as off; nil = that does not matter.
    let endLimits: TripEndRule.Limits?
    let writerLimits: TripWriter.Limits
    /// When to leave the vehicle alone; nil = it is asked whatever happens.
    let battery: BatteryGuard.Limits?
    /// Whether the summary tells everything about where the time went.
    let explains: Bool
    let printer = LogPrinter()
    /// Tells where the vehicle is; nil where nobody does, or there are several vehicles.
    var receiver: PositionReceiver?
    /// What to watch for.
    var alarms = AlarmPlan()
}

/// What became of one accessory's recording.
struct LogOutcome: Sendable {
    /// Figures and trip; all 0 where none began.
    var summary = Summary(statistics: SessionStatistics())
    /// Why it failed; nil = it ended in order.
    var failure: Failure?
}
