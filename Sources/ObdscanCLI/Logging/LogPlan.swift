import Diagnostics
import OBDCore
import ScanSession
import TripRecorder
import TripStore
import VehicleReports
import VehicleScan

/// What is the same for every accessory of one `obdscan log`.
struct LogPlan: Sendable {
    let table: PIDTable
    /// The signals that were named; empty = everything current.
    let chosen: [SelectedSignal]
    /// What the tables add to that.
    let packs: PackChoice
    /// What the trips are to be.
    var trip: TripRecording.Plan
    let output: OutputOptions
    /// How long to record; nil = until somebody ends it.
    let duration: Duration?
    /// When the vehicle counts as off; nil = that does not matter.
    let endLimits: TripEndRule.Limits?
    /// When to leave the vehicle alone; nil = it is asked whatever happens.
    let battery: BatteryGuard.Limits?
    /// Whether the summary shows everything about where the time went.
    let explains: Bool
    let printer = LinePrinter()
    /// Marks moments.
    let marks: MarkSignals
    /// What to watch for.
    var alarms = AlarmPlan()
}

/// What became of one accessory's recording.
struct LogOutcome: Sendable {
    /// Figures and trip; all 0 where none began.
    var summary = PollSummary(statistics: SessionStatistics())
    /// Why it failed; nil = it ended in order.
    var failure: Failure?
    /// How long to wait for a reader that takes nothing; nil = as long as it likes.
    var patience: Duration?
}
