import Dashboard
import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import SystemIO
import Testing
import VehicleScan

@testable import ObdscanCLI

/// Requests of browsers besides the readings that come anyway.
@Suite struct `Questions from browsers` {
    private static let answers = [
        "0101": ["7E8 06 41 01 81 07 65 00|7E9 06 41 01 00 04 00 00"],
        "03": ["7E8 04 43 01 03 01|7E9 02 43 00"],
        "07": ["7E8 02 47 00|7E9 02 47 00"], "0A": ["7E8 02 4A 00|7E9 02 4A 00"],
    ]

    private func ask(
        _ questions: VehicleQuestions, _ question: VehicleQuestions.Question
    ) throws -> String {
        String(decoding: try questions.answer(question), as: UTF8.self)
    }

    @Test
    func `clients that ask at the same time share a request and get their own answers`() throws {
        try TableVehicle.run(Self.answers) { first in
            let (vehicle, board) = (CurrentVehicle(), VehicleBoard(version: "0.2"))
            let questions = VehicleQuestions(
                vehicle, board, WebSources(DatabaseOptions(path: nil), units: .metric))
            #expect(throws: WebProblem.self) { try questions.answer(.codes) }
            vehicle.current = first.connection
            // The vehicle is connected but not polled yet, so it is unknown whether it answers.
            #expect(throws: WebProblem.self) { try questions.answer(.codes) }
            board.update { $0.link = .live }
            let codes = try ask(questions, .codes)
            #expect(codes.contains("\"P0301\""))
            #expect(try ask(questions, .codes) == codes)
            #expect(first.adapter.count("03") == 1)
            let readiness = try ask(questions, .readiness)
            #expect(readiness.contains("\"monitor\"") && !readiness.contains("\"kind\":\"code\""))
            // The verdict about the monitors needs the codes.
            #expect(first.adapter.count("03") == 2)
            #expect(try ask(questions, .codes) == codes)
            #expect(first.adapter.count("03") == 2)
            board.update { $0.link = .lost }
            #expect(throws: WebProblem.self) { try questions.answer(.codes) }

            // The next session may be with another vehicle.
            var others = Self.answers
            others["03"] = ["7E8 04 43 01 04 20|7E9 02 43 00"]
            try TableVehicle.run(others) { second in
                vehicle.current = second.connection
                board.update { $0.link = .live }
                let other = try ask(questions, .codes)
                #expect(other.contains("\"P0420\"") && !other.contains("\"P0301\""))
            }
        }
    }

    /// An old figure that does not change would look like a measured one.
    @Test func `figures for Prometheus come only from fresh readings`() throws {
        let table = try PIDTables.standard()
        let board = VehicleBoard(version: "0.2")
        for (name, age) in [("RPM", 61), ("VSS", 1)] {
            let found = try SignalNames(table).find(name)
            let reading = Reading(
                ecu: ECUAddress(0x7E8, .can11), dataID: found.dataID,
                signal: try #require(found.signal), value: .number(42), raw: [], line: 0)
            board.take(
                [reading], at: UTC(microseconds: 0),
                Instant(
                    nanoseconds: SystemClock.now().nanoseconds - Int64(age) * 1_000_000_000),
                isNamed: true)
        }
        let text = String(decoding: LiveMetrics.text(board, table), as: UTF8.self)
        #expect(text.contains("signal=\"VSS\"") && !text.contains("signal=\"RPM\""))
    }

    /// Values that were frozen with a code are not current.
    @Test func `frozen values are not shown as live`() throws {
        let table = try PIDTables.standard()
        let found = try SignalNames(table).find("RPM")
        let live = Reading(
            ecu: ECUAddress(0x7E8, .can11), dataID: found.dataID,
            signal: try #require(found.signal), value: .number(800), raw: [], line: 0)
        var frame = live
        (frame.frame, frame.value) = (0, .number(4000))
        var frozen = live
        (frozen.dtc, frozen.value) = (DTC("P0301"), .number(5000))
        let board = VehicleBoard(version: "0.2")
        board.take([live, frame, frozen], at: UTC(microseconds: 0), .zero, isNamed: true)
        #expect(board.channels().channels.map(\.reading.value) == [.number(800)])
    }
}

/// `doctor --adapter` tests the abilities of an adapter.
@Suite struct `The grade of an adapter` {
    private static let first = "10 14 49 02 01 31 44 34"
    private static let rest = ["21 47 50 30 30 52 35 35", "22 42 31 32 33 34 35 36"]

    private func grade(_ answers: [String: [String]]) throws -> AdapterGrade {
        var grade: AdapterGrade?
        try TableVehicle.run(answers) { vehicle in
            grade = try AdapterGrade.measure(
                vehicle.connection, map: [0x01, 0x00], polling: .milliseconds(1))
        }
        return try #require(grade)
    }

    /// PIDs 04 and 05 of the engine in one request.
    @Test(arguments: [
        ("7E8 05 41 04 80 05 7B", true), ("7E8 03 41 04 80", false), ("NO DATA", false),
        // Another second PID, another ECU, one byte missing.
        ("7E8 05 41 04 80 0C 7B", false), ("7E9 05 41 04 80 05 7B", false),
        ("7E8 04 41 04 80 05", false), ("?", false),
    ])
    func `batches work if an answer has both records`(answer: String, works: Bool) throws {
        let found = try grade(["010405": [answer]])
        #expect(found.abilities.batches == works)
        #expect(found.abilities.headers == true)
        #expect(found.abilities.longMessages == nil)
    }

    @Test func `one damaged message outweighs all complete messages`() throws {
        let whole = ([Self.first] + Self.rest).map { "7E8 " + $0 }.joined(separator: "|")
        let broken = ([Self.first] + Self.rest.dropLast()).map { "7E8 " + $0 }
            .joined(separator: "|")
        for (answers, works) in [
            (["0902": [whole]], true), (["0902": [broken]], false),
            (["0902": [whole], "0904": [broken.replacing("49 02", with: "49 04")]], false),
            (["0902": [broken], "0904": [whole.replacing("49 02", with: "49 04")]], false),
            (["0902": [whole + "|" + broken.replacing("7E8", with: "7E9")]], false),
        ] {
            let found = try grade(answers)
            #expect(found.abilities.longMessages == works, "\(answers)")
            #expect((found.longestAnswer ?? 20) == 20)
        }
    }
}
