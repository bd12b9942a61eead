import Diagnostics
import Formats
import Foundation
import OBDCore
import PIDTables
import Reports
import Testing
import TripRecorder
import TripStore

@testable import ObdscanCLI
@testable import VehicleScan

/// SAE J1979: byte A of PID 01 has the check engine light and the number of stored codes.
///
/// On CAN a list begins with the number of its codes.
@Suite struct `Codes of several ECUs` {
    private static let engine = ECUAddress(0x7E8, .can11)
    private static let gearbox = ECUAddress(0x7E9, .can11)
    /// The engine has P0301 and P0420 and turns the light on.
    ///
    /// The gearbox has P0301.
    private static let both = [
        "0101": ["7E8 06 41 01 82 07 65 00|7E9 06 41 01 01 04 00 00"],
        "03": ["7E8 06 43 02 03 01 04 20|7E9 04 43 01 03 01"],
        "07": ["7E8 04 47 01 03 01|7E9 02 47 00"],
        "0A": ["7E8 02 4A 00|7E9 04 4A 01 03 01"],
    ]

    private static let car = CodeBatch.Car(device: "adapter")

    /// The values of these columns in the table of a batch.
    private func rows(_ vehicle: TableVehicle, _ scan: CodeScan, _ keys: String...) -> [String] {
        CodeBatch.rows(
            scan, of: Self.car, CodeKnowledge(), vehicle.connection.table,
            time: UTC(microseconds: 0)
        ).map { row in keys.map { row[$0].shown ?? "-" }.joined(separator: " ") }
    }

    @Test func `a code that two ECUs report is listed for each`() throws {
        try TableVehicle.run(Self.both) { vehicle in
            let scan = try vehicle.codes()
            let expected = [
                "7E8 P0301 stored", "7E8 P0420 stored", "7E9 P0301 stored", "7E8 P0301 pending",
                "7E9 P0301 permanent",
            ]
            #expect(
                scan.codes.map {
                    "\($0.ecu?.description ?? "-") \($0.code.text) \($0.kind.rawValue)"
                } == expected)
            let text = try vehicle.printer().text(scan)
            let shown = text.split(separator: "\n").map {
                $0.split(separator: " ", omittingEmptySubsequences: true).prefix(2)
                    .joined(separator: " ")
            }
            #expect(
                shown == [
                    "P0301 stored,", "P0420 stored", "P0301 stored,", "7E8 check", "7E9 light",
                ], "\(text)")
            let json = try TableVehicle.printed {
                try vehicle.printer(.json).print(
                    scan, of: Self.car, at: UTC(microseconds: 0), to: &$0)
            }
            #expect(json.split(separator: "\n").count { $0.contains("\"P0301\"") } == 4, "\(json)")
            #expect(
                rows(vehicle, scan, "ecu", "code", "status")
                    == [
                        "7E8 P0301 stored", "7E8 P0420 stored", "7E8 P0301 pending",
                        "7E9 P0301 stored", "7E9 P0301 permanent",
                    ])
            #expect(scan.clearable.count == 4)
            // The count in PID 01 and the list agree for each ECU.
            #expect(scan.difference(of: Self.engine, vehicle.connection.table) == nil)
            #expect(scan.difference(of: Self.gearbox, vehicle.connection.table) == nil)
        }
    }

    /// PID 01 of the engine counts seven codes, and its list holds two: five are not known.
    @Test func `a list with fewer codes than the ECU's count is incomplete`() throws {
        var answers = Self.both
        answers["0101"] = ["7E8 06 41 01 87 07 65 00|7E9 06 41 01 01 04 00 00"]
        try TableVehicle.run(answers) { vehicle in
            let scan = try vehicle.codes()
            #expect(
                scan.problem(vehicle.connection)
                    == .codesMissing(counted: 7, listed: 2, of: Self.engine))
        }
        try TableVehicle.run(Self.both) { vehicle in
            let scan = try vehicle.codes()
            #expect(scan.problem(vehicle.connection) == nil)
        }
    }

    /// An ECU lists a code twice, or two services report it.
    ///
    /// The result has it once.
    @Test func `a code that its ECU repeats is listed once`() throws {
        var answers = Self.both
        answers["03"] = ["7E8 06 43 02 03 01 03 01|7E9 04 43 01 03 01"]
        try TableVehicle.run(answers) { vehicle in
            let stored = try vehicle.codes().codes.filter { $0.kind == .stored }
            #expect(stored.map(\.ecu) == [Self.engine, Self.gearbox])
        }
    }

    /// A code has one advice in every list; where only the permanent one is left, none is known.
    @Test func `a code has the same advice in each of its rows`() throws {
        var answers = Self.both
        answers["03"] = ["7E8 04 43 01 03 01|7E9 02 43 00"]
        try TableVehicle.run(answers) { vehicle in
            let scan = try vehicle.codes()
            #expect(
                rows(vehicle, scan, "ecu", "status", "code", "driveOn") == [
                    "7E8 stored P0301 soon", "7E8 pending P0301 soon",
                    "7E9 permanent P0301 -",
                ])
        }
    }

    /// 7E8 announces info type 0A and is a battery; 7E9 has no name, and no standard fixes one.
    @Test func `an ECU has the name that it reports, and is asked once`() throws {
        var answers = Self.both
        answers["0900"] = ["7E8 06 49 00 54 40 00 00|7E9 06 49 00 40 00 00 00"]
        answers["090A"] = [
            "7E8 10 17 49 0A 01 42 45 43|7E8 21 4D 2D 42 61 74 74 65"
                + "|7E8 22 72 79 20 45 6E 65 72|7E8 23 67 79 00"
        ]
        try TableVehicle.run(answers) { vehicle in
            let scan = try vehicle.codes()
            let lines = try vehicle.printer().text(scan).split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("Battery (7E8)  ") })
            #expect(lines.contains { $0.hasPrefix("7E9  ") })
            let json = try TableVehicle.printed {
                try vehicle.printer(.json).print(
                    scan, of: Self.car, at: UTC(microseconds: 0), to: &$0)
            }
            #expect(json.contains("\"ecu\":\"7E8\",\"name\":\"Battery\""), "\(json)")
            #expect(json.contains("\"ecu\":\"7E9\",\"name\":null"), "\(json)")
            #expect(rows(vehicle, scan, "ecu", "ecuName").first == "7E8 Battery")
            _ = try vehicle.codes()
            #expect(vehicle.adapter.count("090A") == 1)
        }
    }

    @Test(arguments: [(true, false), (false, true), (true, true), (false, false)])
    func `each ECU has its own check engine light`(engine: Bool, gearbox: Bool) throws {
        var answers = Self.both
        answers["0101"] = [
            "7E8 06 41 01 \(engine ? "82" : "02") 07 65 00"
                + "|7E9 06 41 01 \(gearbox ? "81" : "01") 04 00 00"
        ]
        try TableVehicle.run(answers) { vehicle in
            let scan = try vehicle.codes()
            let table = vehicle.connection.table
            #expect(scan.lampIsOn(Self.engine, table) == engine)
            #expect(scan.lampIsOn(Self.gearbox, table) == gearbox)
            let headings = try vehicle.printer().text(scan).split(separator: "\n").filter {
                $0.hasPrefix("7E")
            }
            let light = ["light off", "check engine light on"]
            #expect(
                headings == [
                    "7E8  \(light[engine ? 1 : 0])  2 codes",
                    "7E9  \(light[gearbox ? 1 : 0])  1 code",
                ])
        }
    }

    private func words(_ absence: CodeScan.Absence) -> String {
        switch absence {
        case .noCodes: "no codes"
        case .noStoredCodes: "no stored codes"
        case .announced(let count, let isEmpty): "counts \(count)" + (isEmpty ? ", lists none" : "")
        case .refused(let refusal): "refused \(refusal.map { Hex.string([$0.nrc.rawValue]) } ?? "")"
        case .notSettled: "not settled"
        case .broken: "broken"
        case .unanswered: "unanswered"
        }
    }

    /// The gearbox's answer to 03, its count in PID 01, and the reason that is shown for the
    /// missing list.
    @Test(
        arguments: [
            ("7E9 02 43 00", "00", "no codes"), ("7E9 02 43 00", nil, "no codes"),
            ("7E9 03 7F 03 11", nil, "refused 11"), ("7E9 03 7F 03 78", nil, "refused 78"),
            // A first frame without the rest of its message, and a frame that lost bytes.
            ("7E9 10 0A 43 04 03 01 04 20", nil, "broken"), ("7E9 04 43 01 03", nil, "broken"),
            // The frames are complete, but the message is too short: it announces one code.
            ("7E9 03 43 01 03", nil, "broken"), ("7E9 02 43 01", nil, "broken"),
            // An empty list with a damaged message after it, and no list at all.
            ("7E9 02 43 00|7E9 10 0A 43 04 03 01 04 20", nil, "broken"),
            (nil, nil, "unanswered"), (nil, "02", "counts 2"),
            ("7E9 02 43 00", "02", "counts 2, lists none"), ("7E9 03 7F 03 11", "02", "counts 2"),
        ] as [(String?, String?, String)])
    func `an ECU has no codes only if its list is complete`(
        list: String?, count: String?, absence: String
    ) throws {
        var answers = Self.both
        answers["03"] = [
            ["7E8 06 43 02 03 01 04 20", list].compactMap(\.self).joined(separator: "|")
        ]
        answers["0101"] = [
            ["7E8 06 41 01 82 07 65 00", count.map { "7E9 06 41 01 \($0) 04 00 00" }]
                .compactMap(\.self).joined(separator: "|")
        ]
        answers["0A"] = ["7E8 02 4A 00|7E9 02 4A 00"]
        try TableVehicle.run(answers) { vehicle in
            let scan = try vehicle.codes()
            let table = vehicle.connection.table
            #expect(words(scan.absence(of: Self.gearbox, table)) == absence)
            // The engine's codes stay as they were.
            #expect(scan.codes.filter { $0.ecu == Self.engine }.count == 3)
            let text = try vehicle.printer().text(scan)
            let heading = text.split(separator: "\n").first { $0.hasPrefix("7E9  ") }
            #expect(heading?.contains("no codes") == (absence == "no codes"), "\(text)")
            #expect(rows(vehicle, scan, "ecu", "code").last == "7E9 -")
            let error = rows(vehicle, scan, "error").last
            #expect((error == "-") == (absence == "no codes"))
        }
    }

    /// Codes count as found if an ECU counts some, even if its list is missing or empty.
    @Test(
        arguments: [
            ("81", "7E8 02 43 00", true), ("00", "7E8 02 43 00", false), ("81", "NO DATA", true),
        ])
    func `counted codes that are not listed count as codes`(
        count: String, list: String, hasCodes: Bool
    ) throws {
        let answers = [
            "0100": ["7E8 06 41 00 98 08 00 00"], "0101": ["7E8 06 41 01 \(count) 07 65 00"],
            "03": [list], "07": ["7E8 02 47 00"], "0A": ["7E8 02 4A 00"],
        ]
        try TableVehicle.run(answers) { vehicle in
            let scan = try vehicle.codes()
            #expect(scan.hasCodes(vehicle.connection.table) == hasCodes)
        }
    }

    @Test func `if one ECU is asked, answers of others do not count`() throws {
        var answers = Self.both
        for (request, answer) in answers { answers[request] = answer }
        try TableVehicle.run(answers, ecu: 0x7E9) { vehicle in
            let scan = try vehicle.codes()
            #expect(scan.ecus == [Self.gearbox])
            #expect(Set(scan.codes.map(\.ecu)) == [Self.gearbox])
            #expect(scan.lampIsOn(Self.engine, vehicle.connection.table) == nil)
        }
    }

    /// After a second scan the database must keep a code if the list did not come completely.
    @Test(
        arguments: [
            ("7E9 02 43 00", false), ("7E9 03 7F 03 11", true),
            ("7E9 10 0A 43 04 03 01 04 20", true), ("7E9 03 43 01 03", true), (nil, true),
            // The list came, but with another code.
            ("7E9 04 43 01 04 20", false),
        ] as [(String?, Bool)])
    func `a code is gone if the list of its ECU no longer has the code`(
        second: String?, isThere: Bool
    ) throws {
        let program = try Program()
        defer { program.remove() }
        let store = try TripStore(path: program.home.appendingPathComponent("h.db").path)
        var answers = Self.both
        answers["03"] = [
            "7E8 06 43 02 03 01 04 20|7E9 04 43 01 03 01",
            // The engine's list is complete both times.
            ["7E8 06 43 02 03 01 04 20", second].compactMap(\.self).joined(separator: "|"),
        ]
        try TableVehicle.run(answers) { vehicle in
            for _ in 0..<2 {
                let scan = try vehicle.codes()
                let time = vehicle.connection.utc(scan.time)
                let writer = try store.startTrip(
                    TripStart(
                        purpose: .scan, anchor: TimeAnchor(monotonic: scan.time, utc: time)),
                    table: vehicle.connection.table)
                writer.offer(scan.asked, lists: scan.lists)
                try writer.end(.stopped, at: scan.time)
            }
        }
        let stored = try store.codeHistory().filter { $0.kind == .stored }
        let gearbox = try #require(
            stored.first { $0.ecu == Self.gearbox && $0.code.text == "P0301" })
        #expect(gearbox.isPresent == isThere)
        let engine = stored.filter { $0.ecu == Self.engine }
        #expect(engine.count == 2 && engine.allSatisfy(\.isPresent))
        // Each list is stored with the number of codes of its own ECU.
        var lists: [String] = []
        try store.readings(ofTrip: -1).forEachRecord { _, record in
            guard case .codeList(let ecu, let kind, let codes) = record else { return }
            lists.append("\(ecu?.description ?? "-") \(kind.rawValue) \(codes)")
        }
        #expect(
            lists.sorted() == [
                "7E8 pending 1", "7E8 permanent 0", "7E8 stored 2", "7E9 pending 0",
                "7E9 permanent 1", "7E9 stored 1",
            ])
    }

    /// The code of a module must not hide the same code of another ECU, or of another list of the
    /// same ECU.
    @Test func `a module's code is added unless the ECU's own list has the code`() throws {
        var answers = Self.both
        // Status 09 = test failed and confirmed: a stored code by ISO 14229-1.
        answers["1902FF"] = ["7E9 10 0B 59 02 FF 03 01 00|7E9 21 09 04 20 00 09 00 00"]
        answers["07"] = ["7E8 04 47 01 04 20|7E9 04 47 01 04 20"]
        try TableVehicle.run(answers) { vehicle in
            var scan = try vehicle.codes()
            let asked = try vehicle.connection.ask([0x19, 0x02, 0xFF])
            let gearbox = ModuleScan.Module(
                module: .init(
                    request: ECUAddress(0x7E1, .can11), responder: ECUAddress(0x7E9, .can11)),
                asked: [asked])
            #expect(gearbox.codes.map(\.code.fullText) == ["P0301-00", "P0420-00"])
            scan.modules = [gearbox]
            // P0301 is in the gearbox's stored list. P0420 is only in the engine's list, and in the
            // gearbox's pending one.
            #expect(scan.newCodes(of: gearbox).map(\.code.fullText) == ["P0420-00"])
            #expect(scan.codes.count { $0.ecu == Self.gearbox } == 4)
        }
    }

    /// SAE J1979-2 keeps frames for each code of each ECU.
    @Test func `freeze frames are requested for each ECU's codes`() throws {
        try TableVehicle.run([:]) { vehicle in
            func report(_ ecu: ECUAddress?, _ kind: CodeReport.Kind) throws -> CodeReport {
                CodeReport(ecu: ecu, kind: kind, code: .dtc(try #require(DTC("P0301"))), line: 0)
            }
            let codes = [
                try report(Self.engine, .stored), try report(Self.gearbox, .stored),
                // The first code again as a pending one, and a permanent code, which has no frames.
                try report(Self.engine, .pending), try report(Self.gearbox, .permanent),
            ]
            let scan = try SnapshotScan(codes, vehicle.connection, record: 0)
            #expect(scan.codes == 2)
            #expect(vehicle.adapter.requests.count { $0.hasPrefix("1904") } == 2)
        }
    }

    @Test(
        arguments: [
            ("NO DATA", .timedOut), ("CAN ERROR", .unavailable), ("7E8 03 7F 03 11", nil),
            ("7E8 02 43 00", nil),
        ] as [(String, ObdscanCLI.ExitStatus?)])
    func `a silent vehicle is a failure`(
        answer: String, status: ObdscanCLI.ExitStatus?
    ) throws {
        try TableVehicle.run(["0101": ["NO DATA"], "03": [answer]]) { vehicle in
            let asked = try vehicle.connection.ask([0x03])
            #expect(vehicle.connection.failure(of: [asked])?.status == status)
        }
    }

    @Test func `a damaged answer is not an answer`() {
        let error = DecodeError(.empty, ecu: Self.engine, line: 0)
        let refusal = NegativeResponse(service: Service(0x03), nrc: NRC(0x11))
        #expect(!DiagnosticItem.error(error).isAnswer)
        #expect(DiagnosticItem.negativeResponse(refusal, ecu: Self.engine, line: 0).isAnswer)
    }
}

/// Clearing codes: the requests, and the reports.
@Suite struct `Clearing codes` {
    private static let one = [
        "0100": ["7E8 06 41 00 98 08 00 00"], "0101": ["7E8 06 41 01 81 07 65 00"],
        "07": ["7E8 02 47 00"], "0A": ["7E8 04 4A 01 03 01"],
    ]

    private func clear(
        _ answer: String, then lists: [String],
        _ body: (TableVehicle, CodeScan, CodeClearing) throws -> Void
    ) throws {
        var answers = Self.one
        answers["03"] = ["7E8 04 43 01 03 01"] + lists
        answers["04"] = [answer]
        try TableVehicle.run(answers) { vehicle in
            let before = try vehicle.codes()
            try body(
                vehicle, before,
                try CodeClearing(
                    before, vehicle.connection, in: vehicle.services, OBDCore.Consent()))
        }
    }

    /// No answer, no word of the adapter and no silence makes the program send the request again.
    @Test(arguments: [
        "7E8 01 44", "7E8 03 7F 04 22", "7E8 03 7F 04 78", "NO DATA", "?", "STOPPED", "BUS BUSY",
        "DATA ERROR", "<RX ERROR", "CAN ERROR", "BUFFER FULL", "7E8 01 4", "7E8 02 43 00", "",
    ])
    func `the request to clear is sent once`(answer: String) throws {
        try clear(answer, then: ["7E8 02 43 00"]) { vehicle, _, clearing in
            #expect(vehicle.adapter.count("04") == 1)
            #expect(clearing.isConfirmed == (answer == "7E8 01 44"))
            #expect(
                clearing.refusals.map(\.reason)
                    == (answer.hasSuffix("22")
                        ? ["conditions not correct"] : []))
            #expect(clearing.after.clearable.isEmpty)
        }
    }

    /// An ECU may need longer than the adapter waits.
    ///
    /// Only the request for the list is repeated.
    @Test func `the request is not sent again while the codes are read`() throws {
        try clear("NO DATA", then: ["7E8 04 43 01 03 01", "7E8 02 43 00"]) { vehicle, _, clearing in
            #expect(vehicle.adapter.count("04") == 1)
            // Before the clearing, right after it, and once more.
            #expect(vehicle.adapter.count("03") == 3)
            #expect(!clearing.isConfirmed && clearing.after.clearable.isEmpty)
        }
    }

    /// The ECU itself erases permanent codes later.
    ///
    /// Erased permanent codes do not count as codes that returned.
    @Test func `clearing does not erase permanent codes`() throws {
        try clear("7E8 01 44", then: ["7E8 02 43 00"]) { vehicle, _, clearing in
            #expect(clearing.after.codes.map(\.kind) == [.permanent])
            #expect(clearing.after.clearable.isEmpty)
        }
    }

    /// Codes are gone if their ECU sent a list without them, but not if it refused the list.
    @Test(arguments: [
        ("7E8 03 7F 03 22", CodeClearing.Change.unknown), ("NO DATA", .unknown),
        ("7E8 02 43 00", .gone), ("7E8 04 43 01 03 01", .none),
    ])
    func `only the lists prove that codes are gone`(list: String, change: CodeClearing.Change)
        throws
    {
        try clear("7E8 03 7F 04 22", then: [list]) { _, before, clearing in
            #expect(clearing.change(since: before) == change)
        }
    }
}
