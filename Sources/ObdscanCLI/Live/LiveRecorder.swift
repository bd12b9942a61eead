import OBDCore
import Reports
import SystemIO
import TerminalView
import TripRecorder
import VehicleScan

/// Records trips for `live`: the whole session (`--log`), or parts of it by a key.
struct LiveRecorder {
    let trip: LiveTrip
    private let first: WaitingPlan

    /// Opens the database if the session is recorded from its start.
    ///
    /// Create the recorder before any thread exists and after blocking the signals that end the command.
    init(
        _ database: DatabaseOptions, _ output: OutputOptions, every period: Duration?,
        lights: LightChanges?, isOn: Bool
    ) throws {
        let marks = try MarkSignals()
        let notices = try LiveNotices { output.note($0) }
        let open: @Sendable () throws -> TripRecording.Plan = {
            try .opened(database, every: period) { notices.put(.init(text: $0)) }
        }
        let first = WaitingPlan(isOn ? try open() : nil)
        self.first = first
        trip = LiveTrip(
            trips: try TripSwitch(
                isOn: isOn, lights: lights, marks: marks,
                plan: { try first.take() ?? open() },
                tell: { notice in if let news = TripNews(notice) { notices.put(news) } },
                marked: { notices.put(.init(text: TripRecording.Mark.words($0))) }),
            notices: notices)
    }

    /// Closes the database of a session that never began.
    func close() { first.take()?.store.closeFile() }
}
