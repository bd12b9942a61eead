import Diagnostics
import OBDCore
import Reports
import ScanSession
import TripRecorder
import TripStore
import VehicleScan

/// The settings that all devices of one `obdscan log` share.
struct LogPlan: Sendable {
    let table: PIDTable
    /// The named signals; empty = all current data.
    let chosen: [SelectedSignal]
    /// The packs that the tables add.
    let packs: PackChoice
    /// The kind of trips to record.
    var trip: TripRecording.Plan
    let output: OutputOptions
    /// How long to record; nil = until the user stops it.
    var duration: Duration?
    /// When the vehicle counts as off; nil = never.
    let endLimits: TripEndRule.Limits?
    /// Whether each drive is a trip of its own.
    let splitsDrives: Bool
    /// When to pause polling to protect the battery; nil = never.
    let battery: BatteryGuard.Limits?
    /// Whether trouble codes are read.
    let readsCodes: Bool
    /// Whether the summary lists each part of the time.
    let explains: Bool
    let printer = LinePrinter()
    /// The marks that the user sets.
    let marks: MarkSignals
    var alarms = AlarmPlan()
    /// The signals that are recorded of frames that ECUs send by themselves; nil = none.
    var heard: HeardSignals?

    /// Whether nothing is sent.
    var onlyListens: Bool { heard?.isAlone ?? false }
    /// Whether signals are recorded that are heard and never requested.
    var hearsSignals: Bool { heard?.hasOwn ?? false }
}

/// The outcome of one device's recording.
struct LogOutcome: Sendable {
    /// Figures and trip; all 0 if no trip began.
    var summary = PollSummary(statistics: SessionStatistics())
    /// The reason why the recording failed; nil = the recording ended normally.
    var failure: Failure?
    /// Whether the recording ended because the adapter is in another vehicle now.
    var meetsAnother = false
    /// How long to wait for a reader that accepts no output; nil = forever.
    var patience: Duration?
}
