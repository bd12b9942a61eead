import Diagnostics
import Formats
import Foundation
import OBDCore
import PIDTables
import Testing
import TripStore

@testable import Reports

/// The comparison in `dtc report`, and the rows that it shows.
@Suite struct `The condition of a vehicle` {
    private static let engine = ECUAddress(0x7E8, .can11)
    private static let gearbox = ECUAddress(0x7E9, .can11)

    private static func code(
        _ ecu: ECUAddress?, _ name: String, _ kind: CodeReport.Kind = .stored
    ) throws -> CodeReport {
        CodeReport(ecu: ecu, kind: kind, code: .dtc(try #require(DTC(name))), line: 0)
    }

    private static func monitor(
        _ ecu: ECUAddress?, complete: Bool, scope: MonitorStatus.Scope = .sinceClear,
        supported: Bool = true
    ) -> DiagnosticItem {
        .monitor(
            MonitorStatus(
                ecu: ecu, scope: scope, monitor: .catalyst, supported: supported,
                complete: complete, line: 0))
    }

    private static func result(_ ecu: ECUAddress?, _ value: Double, passed: Bool?) -> DiagnosticItem
    {
        var result = MonitorTestResult(ecu: ecu, tid: 0x01, raw: [], line: 0)
        (result.mid, result.value, result.max, result.passed) = (0x21, value, 10, passed)
        return .monitorTest(result)
    }

    private func report(
        _ change: ConditionChange, since: UTC? = nil, frames: [DiagnosticItem] = []
    ) throws -> ConditionReport {
        ConditionReport(
            vehicle: nil, accessory: nil, vehicleProtocol: nil, time: UTC(microseconds: 0),
            since: since, lamps: [(Self.engine, true), (Self.gearbox, false)], change: change,
            frames: frames, table: try PIDTables.standard(), texts: PIDTables.codeTexts(),
            output: OutputForm(format: .csv))
    }

    /// The rows of one kind, each with the values of these keys.
    private func rows(_ report: ConditionReport, _ kind: String, _ keys: String...) -> [[String]] {
        report.rows.filter { $0.kind == kind }.map { row in keys.map { row[$0].shown ?? "" } }
    }

    @Test func `the report says that the check engine light was on before`() throws {
        let now = VehicleCondition(time: UTC(microseconds: 0), codes: [], items: [])
        var report = try report(ConditionChange(before: now, now: now), since: now.time)
        report.lampsBefore = [(Self.engine, true), (Self.gearbox, true)]
        let lines = report.text.split(separator: "\n").filter { $0.contains("light, ") }
        #expect(
            lines.map { $0.split(separator: "  ").last?.trimmingCharacters(in: .whitespaces) } == [
                "on", "off, was on",
            ])
    }

    @Test func `a code of two ECUs is listed for each ECU`() throws {
        let now = VehicleCondition(
            time: UTC(microseconds: 0),
            codes: [
                try Self.code(Self.engine, "P0301"), try Self.code(Self.gearbox, "P0301"),
                try Self.code(Self.engine, "P0301", .permanent),
            ], items: [])
        #expect(now.codes.map(\.ecu) == [Self.engine, Self.gearbox])
        #expect(now.codes.map(\.kinds) == [[.stored, .permanent], [.stored]])
    }

    /// The database has permanent codes first.
    @Test func `a stored code keeps its urgency if it is permanent, too`() throws {
        for order: [CodeReport.Kind] in [[.permanent, .stored], [.stored, .permanent]] {
            let code = try #require(
                VehicleCondition(
                    time: UTC(microseconds: 0),
                    codes: order.map { try Self.code(Self.engine, "P0301", $0) }, items: []
                ).codes.first)
            #expect(code.kinds == [.stored, .permanent])
            #expect(code.state.kind == .stored)
        }
    }

    @Test func `each ECU's codes are new, unchanged or gone`() throws {
        let before = VehicleCondition(
            time: UTC(microseconds: 0),
            codes: [
                try Self.code(Self.engine, "P0301"), try Self.code(Self.engine, "P0420"),
                try Self.code(Self.gearbox, "P0700"),
            ], items: [])
        let now = VehicleCondition(
            time: UTC(microseconds: 1),
            codes: [
                try Self.code(Self.engine, "P0420"), try Self.code(Self.gearbox, "P0301"),
            ], items: [])
        let change = ConditionChange(before: before, now: now)
        #expect(
            change.codes.map {
                "\($0.code.ecu?.description ?? "-") \($0.code.code.fullText) "
                    + ($0.fate?.rawValue ?? "-")
            } == ["7E8 P0420 stayed", "7E9 P0301 came", "7E8 P0301 gone", "7E9 P0700 gone"])
        #expect(
            ConditionChange(before: nil, now: now).codes.map(\.fate) == [nil, nil])
        let found = try report(change, since: UTC(microseconds: 0))
        #expect(
            rows(found, "codeState", "change") == [["stayed"], ["came"], ["gone"], ["gone"]])
        // Each ECU has one row, with its light and its current number of codes.
        #expect(
            rows(found, "ecu", "ecu", "light", "codes")
                == [["7E8", "true", "1"], ["7E9", "false", "1"]])
    }

    @Test func `monitors count since clearing and are compared within their ECU`() {
        let before = VehicleCondition(
            time: UTC(microseconds: 0), codes: [],
            items: [
                Self.monitor(Self.engine, complete: true),
                Self.monitor(Self.gearbox, complete: false),
            ])
        let now = VehicleCondition(
            time: UTC(microseconds: 1), codes: [],
            items: [
                Self.monitor(Self.engine, complete: false),
                Self.monitor(Self.gearbox, complete: true),
                Self.monitor(Self.engine, complete: true, scope: .thisCycle),
                Self.monitor(nil, complete: true, supported: false),
            ])
        let change = ConditionChange(before: before, now: now)
        #expect(change.monitors.map(\.ecu) == [Self.engine, Self.gearbox])
        #expect(change.monitors.map(\.before) == [true, false])
        #expect(change.monitors.map(\.now) == [false, true])
    }

    @Test
    func `test results are compared within their ECU, and tests that did not run are left out`() {
        let before = VehicleCondition(
            time: UTC(microseconds: 0), codes: [],
            items: [
                Self.result(Self.engine, 1, passed: true),
                Self.result(Self.gearbox, 2, passed: true),
            ])
        let now = VehicleCondition(
            time: UTC(microseconds: 1), codes: [],
            items: [
                Self.result(Self.gearbox, 12, passed: false),
                Self.result(Self.engine, 3, passed: true),
                Self.result(nil, 0, passed: nil),
            ])
        let change = ConditionChange(before: before, now: now)
        #expect(change.tests.map(\.result.value) == [12, 3])
        #expect(change.tests.map(\.before) == [2, 1])
    }

    /// The report for a past moment has neither codes that came later nor codes that were gone by
    /// then.
    @Test func `an earlier moment shows the codes of that time`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try TripStore(path: folder.appending(path: "c.db").path)
        let table = try PIDTables.standard()
        let vin = "5XXBD1GA8LX000042"
        func look(hour: Int64, _ names: [String], value: Double) throws {
            let utc = UTC(microseconds: hour * 3_600_000_000)
            let writer = try store.startTrip(
                TripStart(
                    purpose: .scan, anchor: TimeAnchor(monotonic: .zero, utc: utc), vin: VIN(vin)),
                table: table)
            let codes = try names.map { DiagnosticItem.code(try Self.code(Self.engine, $0)) }
            #expect(
                writer.offer(codes + [Self.result(Self.engine, value, passed: true)], at: .zero))
            #expect(writer.offer(.codeList(Self.engine, .stored, codes: codes.count), at: .zero))
            try writer.end(.stopped, at: .zero + .seconds(1))
        }
        try look(hour: 1, ["P0301"], value: 1)
        try look(hour: 3, ["P0420"], value: 2)
        try look(hour: 5, [], value: 3)
        for (hour, codes, values) in [
            (0, [], []), (2, ["P0301"], [1]), (4, ["P0420"], [2]), (6, [], [3]),
        ] as [(Int64, [String], [Double])] {
            let then = try VehicleCondition(
                of: vin, at: UTC(microseconds: hour * 3_600_000_000), in: store)
            #expect(then.codes.map(\.code.fullText) == codes, "\(hour)")
            #expect(then.tests.compactMap(\.value) == values, "\(hour)")
        }
    }

    /// A frame belongs to its ECU.
    ///
    /// If the ECU did not answer 02 02, its values have no code.
    @Test func `frozen values appear under their own ECU's code`() throws {
        let table = try PIDTables.standard()
        var decoder = ResponseDecoder(table: table, monitors: MonitorTables())
        var frames: [DiagnosticItem] = []
        for (request, ecu, answer) in [
            ("020200", 0x7E8, "4202000301"), ("020200", 0x7E9, "4202000420"),
            ("020C00", 0x7E9, "420C001AF8"), ("020C00", 0x7E8, "420C000C80"),
            ("020C00", 0x7EA, "420C000C80"),
        ] as [(String, UInt32, String)] {
            decoder.decode(
                ECUMessage(
                    ecu: ECUAddress(ecu, .can11), payload: try #require(Hex.bytes(answer))),
                in: Exchange(request: Hex.bytes(request), family: .can), &frames)
        }
        let now = VehicleCondition(time: UTC(microseconds: 0), codes: [], items: [])
        // The ECUs may answer in any order.
        for items in [frames, Array(frames.reversed())] {
            let report = try report(ConditionChange(before: nil, now: now), frames: items)
            let shown = report.frameReadings.map { reading, value in
                "\(reading.ecu?.description ?? "-") \(reading.dtc?.text ?? "-") \(value.value)"
            }
            #expect(shown.sorted() == ["7E8 P0301 800.0", "7E9 P0420 1726.0"])
        }
    }

    @Test func `the lights of SAE J1939 are listed with their ECUs`() throws {
        var report = MonitorReport(OutputForm(format: .text), names: ECUNames(onJ1939: true))
        let table = try PIDTables.standard()
        #expect(report.text(Readiness([], table: table)).isEmpty)
        let off = CodeReport.Lamps(
            malfunction: false, redStop: false, amberWarning: false, protect: false)
        report.add(off, of: ECUAddress(0x03, .byte))
        #expect(report.text(Readiness([], table: table)) == "No ECU reports a lamp that is on.\n")
        var lit = off
        (lit.malfunction, lit.amberWarning) = (true, true)
        report.add(lit, of: ECUAddress(0x00, .byte))
        lit.malfunction = false
        report.add(lit, of: ECUAddress(0x0B, .byte))
        #expect(
            report.text(Readiness([], table: table)) == """
                The check engine light is on: Engine (00).
                The amber warning lamp is on: Engine (00), Brakes (0B).

                """)
    }

    @Test func `each ECU has its own monitors`() throws {
        var report = MonitorReport(OutputForm(format: .text))
        let items = [
            Self.monitor(Self.engine, complete: true), Self.monitor(Self.gearbox, complete: false),
            Self.monitor(Self.gearbox, complete: true, scope: .thisCycle),
            Self.monitor(Self.engine, complete: false, scope: .thisCycle),
            // The same monitor comes again. The later report counts, unless it says that the
            // monitor is not supported.
            Self.monitor(Self.engine, complete: true),
            Self.monitor(Self.engine, complete: false, supported: false),
        ]
        for item in items { report.add(item) }
        let readiness = Readiness(items, table: try PIDTables.standard())
        let rows = report.text(readiness).split(separator: "\n").filter { $0.hasPrefix("7E") }.map {
            $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        }
        let (ran, not) = (Readiness.text(true), Readiness.text(false))
        #expect(
            rows.map { $0.joined(separator: " ") } == [
                "7E8 Catalyst \(ran) \(not)", "7E9 Catalyst \(not) \(ran)",
            ])
        #expect(readiness.incomplete == [.catalyst])
    }
}
