import OBDCore
import Testing
import TripStore

@testable import Engines

@Suite struct `The state of a sink` {
    private static let noon = UTC(microseconds: 1_795_262_400_000_000)

    /// The sink's data, the waiting data (nil = a broker without history), and the words.
    struct Case: Sendable {
        var hasTaken = true
        var waiting: Int? = 0
        var refused = 0
        var fault: String?
        var isActive = false
        var isKnown = true
        var getsReadings = true
        var target = "influx+http://db"
        var words: [String]
    }

    @Test(arguments: [
        Case(hasTaken: false, words: ["there is nothing to deliver"]),
        Case(hasTaken: false, waiting: 1, words: ["nothing was delivered yet, 1 reading waits"]),
        Case(
            hasTaken: false, waiting: 9, fault: "refused to connect",
            words: ["nothing was delivered yet, 9 readings wait", "error at T: refused to connect"]),
        Case(hasTaken: false, waiting: nil, words: ["nothing was delivered yet"]),
        Case(words: ["everything was delivered"]),
        Case(waiting: 2, words: ["2 readings wait, the oldest from the trip of T"]),
        // A webhook gets events, and Traccar positions.
        Case(waiting: 2, getsReadings: false, words: ["1 trip waits, the oldest began T"]),
        Case(
            hasTaken: false, waiting: 2, getsReadings: false,
            words: ["nothing was delivered yet, 1 trip waits"]),
        Case(waiting: nil, words: ["gets the newest values, no history"]),
        // A refused line was sent, but the sink does not store it.
        Case(refused: 1, words: ["everything was sent", "1 line was refused"]),
        Case(
            waiting: 3, refused: 2,
            words: ["3 readings wait, the oldest from the trip of T", "2 lines were refused"]),
        Case(
            refused: 2, target: "webhook+https://host/x",
            words: ["everything was sent", "2 events were refused"]),
        Case(
            refused: 1, target: "traccar+http://host",
            words: ["everything was sent", "1 position was refused"]),
        Case(isActive: true, words: ["everything was delivered", "publish is running"]),
        Case(
            waiting: 4, isKnown: false,
            words: [
                "4 readings wait, the oldest from the trip of T",
                "the configuration no longer names it",
            ]),
    ])
    func `the parts of the status do not contradict each other`(row: Case) throws {
        var sink = DeliveryStore.Sink(name: "home", target: row.target)
        sink.acknowledged = row.hasTaken ? Self.noon : nil
        sink.refused = row.refused
        sink.fault = row.fault
        sink.faultTime = row.fault.map { _ in Self.noon }
        sink.isActive = row.isActive
        let backlog = row.waiting.map { waiting in
            var backlog = DeliveryBacklog()
            backlog.readings = waiting
            backlog.trips = waiting > 0 ? 1 : 0
            backlog.oldest = waiting > 0 ? Self.noon : nil
            return backlog
        }
        let line = PublishStatus.Line(
            sink: sink, backlog: backlog, getsReadings: row.getsReadings, isKnown: row.isKnown)
        let time = try Regex("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")
        #expect(line.state.replacing(time, with: "T") == row.words.joined(separator: "; "))
    }
}
