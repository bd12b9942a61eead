import OBDCore
import Reports
import TerminalView
import TripRecorder
import TripStore
import VehicleScan

/// The needs of `live --log` before its session begins.
struct LiveRecorder {
    let plan: TripRecording.Plan
    /// Receives the answers.
    let sink: TripSink
    private let notices: LiveNotices
    private let marks: MarkSignals

    /// Opens the database.
    ///
    /// Create the recorder before any thread exists and after blocking the signals that end the command.
    init(_ database: DatabaseOptions, _ output: OutputOptions, every: Duration?) throws {
        marks = try MarkSignals()
        let notices = try LiveNotices { output.note($0) }
        self.notices = notices
        sink = try TripSink()
        let receiver = try PositionReceiver.chosen(nil) { notices.put(.init(text: $0)) }
        let store = try database.open(.readWrite)
        if let advice = store.advice { output.note(advice) }
        try store.settleClocks(output.note)
        plan = TripRecording.Plan(
            store: store, every: every, receiver: receiver)
    }

    /// Runs `body` and stores the answers as a trip meanwhile.
    func run(
        on connection: Vehicle, body: (LiveTrip) throws -> PollLoop.End
    ) throws -> (end: PollLoop.End, trip: Int64) {
        try TripRecording.run(plan, on: connection, from: sink) { [notices] notice in
            if let news = TripNews(notice) { notices.put(news) }
        } body: { recording in
            marks.begin(recording) { [notices] mark in
                notices.put(.init(text: TripRecording.Mark.words(mark)))
            }
            defer { marks.end(recording) }
            return try body(LiveTrip(recording: recording, notices: notices, marks: marks))
        }
    }
}
