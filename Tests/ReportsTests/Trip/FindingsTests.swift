import Diagnostics
import Formats
import OBDCore
import PIDTables
import Testing

@testable import Reports

/// One function gives the meaning of codes, monitors and counters; all output prints its words.
@Suite struct `The meaning of a vehicle's codes` {
    private static let engine = ECUAddress(0x7E8, .can11)
    private static let gearbox = ECUAddress(0x7E9, .can11)
    private static let noon = UTC(microseconds: 1_764_244_800_000_000)

    private static func code(
        _ name: String, _ kind: CodeReport.Kind = .stored, of ecu: ECUAddress? = engine
    ) throws -> CodeReport {
        CodeReport(ecu: ecu, kind: kind, code: .dtc(try #require(DTC(name))), line: 0)
    }

    private static func monitor(
        _ monitor: MonitorStatus.Monitor, _ complete: Bool, of ecu: ECUAddress? = engine
    ) -> DiagnosticItem {
        .monitor(
            MonitorStatus(
                ecu: ecu, scope: .sinceClear, monitor: monitor, supported: true, complete: complete,
                line: 0))
    }

    private static func test(
        _ mid: UInt8, _ name: String, passed: Bool, of ecu: ECUAddress? = engine
    ) -> DiagnosticItem {
        var result = MonitorTestResult(ecu: ecu, tid: 0x80, raw: [], line: 0)
        (result.mid, result.monitor, result.passed) = (mid, name, passed)
        (result.value, result.max) = (passed ? 1 : 3, 2)
        return .monitorTest(result)
    }

    /// A reading of a PID, as the table decodes these bytes.
    private static func reading(
        _ pid: UInt8, _ bytes: [UInt8], of ecu: ECUAddress? = engine
    ) throws -> [DiagnosticItem] {
        var decoder = ResponseDecoder(table: try PIDTables.standard(), monitors: MonitorTables())
        var items: [DiagnosticItem] = []
        decoder.decode(
            ECUMessage(ecu: ecu, payload: [0x41, pid] + bytes),
            in: Exchange(request: [0x01, pid], family: .can), &items)
        return items
    }

    private func condition(
        _ codes: [CodeReport], _ items: [DiagnosticItem] = [], light: Bool? = nil,
        vin: String? = nil, onJ1939: Bool = false
    ) throws -> VehicleCondition {
        var condition = VehicleCondition(
            time: Self.noon, codes: codes, items: items, vin: vin.flatMap { VIN($0) },
            onJ1939: onJ1939, table: try PIDTables.standard())
        if let light { condition.lights = [(Self.engine, light)] }
        return condition
    }

    private func findings(
        _ condition: VehicleCondition, gone: [VehicleFindings.Gone] = [], isComplete: Bool = true,
        units: UnitSystem = .metric
    ) throws -> VehicleFindings {
        VehicleFindings(
            condition, gone: gone, isComplete: isComplete, texts: PIDTables.codeTexts(),
            explanations: try PIDTables.codeExplanations(), units: units, clock: { _ in "15:55" })
    }

    // MARK: Count and order

    @Test func `a code of one ECU is listed once, whatever its statuses`() throws {
        let found = try findings(
            condition(
                try [.stored, .pending, .permanent].map { try Self.code("P0301", $0) }
                    + [Self.code("P0301", of: Self.gearbox)]))
        #expect(found.count == 2)
        #expect(found.faults.map(\.status) == ["stored, pending, permanent", "stored"])
        #expect(found.verdict.text.hasPrefix("2 trouble codes: "))
    }

    @Test func `the most severe code comes first, and unknown codes come before harmless ones`()
        throws
    {
        let found = try findings(
            condition([
                Self.code("P0562", .pending), Self.code("P1234"), Self.code("P0420"),
                Self.code("P0217"), Self.code("P0301"),
            ]))
        let order: [DriveAdvice?] = [.stop, .soon, .weeks, nil, .note]
        let ranks = found.faults.compactMap { fault in
            order.firstIndex(of: fault.explanation?.drive)
        }
        #expect(ranks == ranks.sorted() && ranks.count == 5 && ranks.first == 0)
        let names = found.faults.map(\.code.code.fullText)
        #expect(names.first == "P0217" && found.verdict.text.contains("do not drive on with P0217"))
        let row = try #require(found.rows(at: Self.noon).first)
        #expect(row["order"].shown == names.joined(separator: " "))
    }

    @Test func `repairs are ordered from cause to consequence, without a circle`() throws {
        let explanations = try PIDTables.codeExplanations()
        let order = explanations.reading(
            of: ["P0420", "P0301", "P0171"].compactMap { DTC($0) }
        ).order
        #expect(
            order?.sentence.hasPrefix(
                "Start with the lean mixture. Then the misfire. Then the catalyst. ") == true)
        #expect(order?.codes.map(\.text) == ["P0171", "P0301", "P0420"])
        // Codes that have nothing to do with each other have no order.
        #expect(
            explanations.reading(of: [DTC("P0420"), DTC("P0562")].compactMap(\.self)).order == nil)
        // A low voltage comes before everything else.
        let low = explanations.reading(
            of: ["P0301", "P0420", "U0100", "U0121", "U0140"].compactMap { DTC($0) }, voltage: 11.2)
        #expect(
            low.order?.sentence.hasPrefix("Start with the battery. Then the misfire. ") == true)
    }

    // MARK: The kind of vehicle

    /// SAE J1979-DA: fuel 01 is petrol, 04 diesel, 08 electric, 11 a hybrid with petrol, 00 not known.
    @Test(arguments: [
        (UInt8(0x01), "P0301", "spark plug worn", true), (0x11, "P0301", "spark plug worn", true),
        (0x04, "P0301", "spark plug worn", false), (0x04, "P0301", "ignition coil", false),
        (0x00, "P0301", "petrol engine: spark plug worn", true),
        (0x01, "P0562", "alternator or its belt", true),
        (0x08, "P0562", "alternator or its belt", false),
        (0x11, "P0562", "alternator or its belt", false),
        (0x08, "P0562", "DC/DC converter, which charges the 12 V battery", true),
        (0x01, "P0562", "DC/DC converter, which charges the 12 V battery", false),
    ])
    func `causes belong to the fuel of the vehicle`(
        _ fuel: UInt8, _ name: String, _ cause: String, _ isSaid: Bool
    ) throws {
        let found = try findings(condition([Self.code(name)], Self.reading(0x51, [fuel])))
        let said = try #require(found.faults.first?.explanation)
        #expect(said.causes.map(\.what).contains(cause) == isSaid, "\(said.causes)")
        #expect(!said.causes.isEmpty)
    }

    @Test func `monitors of a diesel engine decide if the fuel is not known`() throws {
        let found = try findings(
            condition([Self.code("P0301")], [Self.monitor(.pmFilter, true)]))
        let said = try #require(found.faults.first?.explanation)
        #expect(!said.causes.isEmpty && said.certainty == .general)
        #expect(!said.causes.contains { $0.what.contains("spark plug") })
        #expect(!said.hazards.contains { $0.contains("thousand volts") })
        // A failed test of misfire does not belong to a coil.
        guard case .monitorTest(let result) = Self.test(0xA2, "Misfire cylinder 1", passed: false)
        else { return }
        let failed = FailedTest(
            result, try PIDTables.codeExplanations(), PIDTables.codeTexts(), engine: found.engine)
        let words = failed.text.lowercased()
        #expect(words.contains("misfire") && !words.contains("ignition coil"))
    }

    @Test func `an electric car has no engine and no exhaust`() throws {
        let found = try findings(condition([Self.code("P0562")], Self.reading(0x51, [8])))
        let said = try #require(found.faults.first?.explanation)
        let texts =
            [said.driving, said.notice, said.clears, said.watch?.meaning ?? ""] + said.hazards
            + said.notes + said.causes.flatMap { [$0.what, $0.check] }
        for word in ["engine", "alternator", "exhaust", "warm-up"] {
            #expect(!texts.contains { $0.contains(word) }, "\(word): \(texts)")
        }
        #expect(said.driving == "yes, but have it repaired soon")
    }

    // MARK: Proof

    /// Faults under load, of heat or of a controller do not show in the drive of SAE J1979's general denominator.
    @Test(arguments: [
        ("P0217", false), ("P0524", false), ("P0087", false), ("P0606", false), ("P3456", false),
        ("U3003", false), ("P0128", false), ("P0118", true), ("P0301", true), ("P0171", true),
    ])
    func `a drive proves only a fault that shows in every drive`(
        _ name: String, _ isProof: Bool
    ) throws {
        let monitors = [MonitorStatus.Monitor.components, .misfire, .fuelSystem]
        let found = try findings(
            condition([Self.code(name)], monitors.map { Self.monitor($0, true) }))
        let text = try #require(found.faults.first?.proof.text)
        #expect(text.contains("proven by a drive without the code") == isProof, "\(text)")
        #expect(text.contains("comes back when the ECU tests the part again") != isProof)
        #expect(!text.contains("Components is") && !text.contains("Components has"))
        // The drive for the coolant system is printed beside it.
        let hasDrive = ["P0128", "P0217"].contains(name)
        #expect(text.contains("is not known for this code") == (!isProof && !hasDrive))
    }

    @Test func `a repair that no drive proves stays unproven`() throws {
        let before = try #require(try condition([Self.code("P0524")]).codes.first)
        var now = try condition(
            [],
            [Self.monitor(.components, true)] + Self.reading(0x31, [0, 200])
                + Self.reading(0x4E, [0, 60]) + Self.reading(0x30, [6]))
        now.clearings = [(Self.engine, Self.noon)]
        #expect(try findings(now, gone: [(before, nil)]).gone.first?.proof.state == .unproven)
    }

    @Test func `a code that refers to another controller gets no advice of its own`() throws {
        let found = try findings(condition([Self.code("P0700")], light: true))
        #expect(found.faults.first?.explanation?.drive == nil)
        #expect(
            found.verdict.text.contains(
                "not known until the codes of the other controllers are known"))
        #expect(found.faults.first?.driving.hasPrefix("not known: the code only says") == true)
    }

    @Test func `many minutes are told in hours`() {
        // 2,895 minutes are 48 hours and a quarter.
        let counters = SinceClear(ecu: nil, kilometres: nil, warmUps: nil, minutes: 2895)
        #expect(counters.text(.metric) == "48 hours of running engine")
        let few = SinceClear(ecu: nil, kilometres: nil, warmUps: nil, minutes: 119)
        #expect(few.text(.metric) == "119 minutes of running engine")
    }

    /// A code that was cleared, its monitor, test and drive since then, and the resulting proof.
    @Test(arguments: [
        (true, true, 200.0, "P0420", MonitorStatus.Monitor.catalyst, CodeProof.State.proven),
        (false, true, 200, "P0420", .catalyst, .unproven),
        (true, false, 200, "P0420", .catalyst, .unproven),
        // The flag of a monitor that tests all the time proves nothing; a drive does.
        (true, true, 200, "P0301", .misfire, .proven),
        (true, true, 2, "P0301", .misfire, .unproven),
        // It is not known which monitor tests a maker's code.
        (true, true, 200, "P1234", .catalyst, .unproven),
    ])
    func `a repair needs monitor, test and distance as proof`(
        complete: Bool, passed: Bool, distance: Double, name: String,
        monitor: MonitorStatus.Monitor, state: CodeProof.State
    ) throws {
        let before = try #require(try condition([Self.code(name)]).codes.first)
        let mid: UInt8 = name == "P0301" ? 0xA2 : 0x21
        let title = name == "P0301" ? "Misfire cylinder 1" : "Catalyst B1"
        var now = try condition(
            [],
            [Self.monitor(monitor, complete), Self.test(mid, title, passed: passed)]
                + Self.reading(0x31, [0, UInt8(distance)]) + Self.reading(0x4E, [0, 60])
                + Self.reading(0x30, [6]))
        now.clearings = [(Self.engine, Self.noon)]
        let found = try findings(now, gone: [(before, nil)])
        let fault = try #require(found.gone.first)
        #expect(fault.proof.state == state, "\(fault.proof.text)")
        let begin = state == .proven ? "proven" : "not proven"
        #expect(fault.isGone && fault.proof.text.hasPrefix("\(begin): cleared at 15:55, "))
        #expect(found.verdict.text.contains(state == .proven ? "the repair of" : "no repair of"))
    }

    @Test func `a code that disappeared without clearing proves nothing`() throws {
        let before = try #require(try condition([Self.code("P0420", .pending)]).codes.first)
        let now = try condition(
            [], [Self.monitor(.catalyst, true)] + Self.reading(0x31, [0x10, 0]))
        let proof = try #require(try findings(now, gone: [(before, Self.noon)]).gone.first?.proof)
        #expect(proof.state == .unproven)
        #expect(proof.text.contains("when codes were cleared is not known"))
        // A stored code cannot go by itself in fewer than forty warm-ups: somebody cleared it.
        let stored = try #require(try condition([Self.code("P0420")]).codes.first)
        for (warmUps, state) in [(UInt8(6), CodeProof.State.proven), (41, .unproven)] {
            let now = try condition(
                [], [Self.monitor(.catalyst, true)] + Self.reading(0x30, [warmUps]))
            #expect(
                try findings(now, gone: [(stored, Self.noon)]).gone.first?.proof.state == state)
        }
    }

    @Test func `a complete monitor beside its code, light or failed test proves nothing`() throws {
        let found = try findings(
            condition(
                [Self.code("P0420")],
                [
                    Self.monitor(.catalyst, true), Self.test(0x21, "Catalyst B1", passed: false),
                    // The test of the other bank does not belong to this code.
                    Self.test(0x22, "Catalyst B2", passed: true),
                ], light: true))
        let proof = try #require(found.faults.first?.proof)
        #expect(proof.state == .present && proof.text.hasPrefix("not proven: the code is stored; "))
        #expect(proof.tests == .init(text: "its test result is beyond its limit", isMet: false))
    }

    @Test func `a code that is only permanent has no causes`() throws {
        let only = try findings(condition([Self.code("P0420", .permanent)]))
        let fault = try #require(only.faults.first)
        #expect(fault.explanation?.causes.isEmpty == true && fault.explanation?.watch == nil)
        let note = fault.explanation?.notes.first
        #expect(note?.contains("not yet found that the fault is gone") == true)
        #expect(fault.proof.state == .permanent)
        #expect(only.verdict.text.contains("only the permanent code P0420 is left"))
        let both = try findings(
            condition([Self.code("P0420"), Self.code("P0420", .permanent)]))
        let stored = both.faults.first?.explanation
        #expect(stored?.causes.isEmpty == false)
        #expect(stored?.clears.contains("Its permanent code stays") == true)
        // The advice of the stored code still counts if its fault is there.
        #expect(
            fault.driving.hasPrefix(
                "not known: only the permanent code is left; if the fault is still there, have it "
                    + "repaired within weeks: the exhaust may be dirtier"))
        #expect(only.together.findings.isEmpty)
    }

    // MARK: Clearing

    @Test func `few minutes beside many kilometres do not say when codes were cleared`() throws {
        // 450 km (01C2) may be driven in 119 minutes, 451 km may not.
        let minutes = try Self.reading(0x4E, [0x00, 0x77])
        let may = try findings(condition([], Self.reading(0x31, [0x01, 0xC2]) + minutes))
        let mayNot = try findings(condition([], Self.reading(0x31, [0x01, 0xC3]) + minutes))
        #expect(may.verdict.text.contains("may still be unseen"))
        #expect(!mayNot.verdict.text.contains("may still be unseen"))
    }

    @Test(
        arguments: [
            (
                [0x00, 0x0C], 3,
                "Codes were cleared 12 km and 3 warm-ups ago: the absence of codes"
            ),
            ([0x0C, 0x30], 37, "Codes were cleared 3120 km and 37 warm-ups ago."),
            // Full counters count no further, so they do not give a time.
            ([0xFF, 0xFF], 0xFF, nil), ([0xFF, 0xFF], 1, "Codes were cleared 1 warm-up ago: "),
        ] as [([UInt8], UInt8, String?)])
    func `the counters show when codes were cleared`(
        distance: [UInt8], warmUps: UInt8, words: String?
    ) throws {
        let found = try findings(
            condition([], Self.reading(0x31, distance) + Self.reading(0x30, [warmUps])))
        #expect(found.cleared?.hasPrefix(words ?? "-") ?? (words == nil))
        let isRecent = words?.hasSuffix(".") == false
        #expect((found.verdict.grade == .warn) == isRecent)
        #expect(found.verdict.text.contains("may still be unseen") == isRecent)
    }

    @Test func `each ECU has its own counters, in the user's units`() throws {
        let items =
            try Self.reading(0x31, [0, 100]) + Self.reading(0x31, [0, 200], of: Self.gearbox)
        #expect(
            try findings(condition([], items)).cleared
                == "7E8: codes were cleared 100 km ago. 7E9: codes were cleared "
                + "200 km ago.")
        #expect(
            try findings(condition([], Self.reading(0x31, [0, 161])), units: .us).cleared
                == "Codes were cleared 100 mi ago.")
    }

    @Test func `a missing list is not an empty list`() throws {
        let found = try findings(condition([]), isComplete: false)
        #expect(found.verdict.grade == .warn && found.verdict.text.contains("not every ECU"))
    }

    // MARK: Inspection

    /// 40 CFR 85.2222 (c); the numbers of PID 1C and 51 are those of SAE J1979-DA.
    @Test(
        arguments: [
            (
                "5XXBD1GA8LX000042", [],
                "for model year 2020 it is ready: 1 monitor has not run; at most 1 may be"
            ),
            (
                "1HGEJ6572WL000042", [],
                "for model year 1998 it is ready: 1 monitor has not run; at most 2 may be"
            ),
            (
                nil, [],
                "for model years from 2001 on (that of the vehicle is not known) it is ready"
            ),
            (nil, [0x51, 0x08], "No rule about monitors is known for an electric vehicle"),
            (nil, [0x1C, 0x25], "No rule about monitors is known for a motorcycle"),
            (nil, [0x1C, 0x13], "No rule about monitors is known for a heavy vehicle"),
            (
                nil, [0x1C, 0x06],
                "No rule about monitors is known for a vehicle that is certified to EOBD"
            ),
            (nil, [0x1C, 0x07], "it is ready"),
        ] as [(String?, [UInt8], String)])
    func `the inspection rule is chosen by the vehicle`(vin: String?, pid: [UInt8], words: String)
        throws
    {
        var items = [Self.monitor(.catalyst, false), Self.monitor(.oxygenSensor, true)]
        if let id = pid.first { items += try Self.reading(id, [pid[1]]) }
        let found = try findings(condition([], items, light: false, vin: vin))
        #expect(found.inspection?.contains(words) == true, "\(found.inspection ?? "-")")
        #expect(found.inspection?.filter { $0 == "." }.count ?? 0 < 4)
    }

    @Test(
        arguments: [
            (true, 0, "it does not pass, because the check engine light is on;"),
            (
                true, 2,
                "it does not pass, because the check engine light is on and 2 monitors have not"
            ),
            (false, 2, "it is not ready: 2 monitors have not run; at most 1 may be incomplete;"),
            (false, 0, "it is ready: every monitor has run (1 may be incomplete);"),
            (nil, 0, "enough monitors have run: "),
        ] as [(Bool?, Int, String)])
    func `the inspection rule names the result for light and monitors`(
        light: Bool?, open: Int, words: String
    ) throws {
        let monitors: [MonitorStatus.Monitor] = [.catalyst, .evaporative, .oxygenSensor]
        let items = monitors.enumerated().map { Self.monitor($1, $0 >= open) }
        let found = try findings(condition([], items, light: light))
        #expect(found.inspection?.contains(words) == true, "\(found.inspection ?? "-")")
        let truck = try findings(condition([], items, light: light, onJ1939: true))
        #expect(truck.inspection?.contains("a heavy vehicle") == true)
    }

    // MARK: Surfaces

    /// Before and after a clearing, with the monitor run and not run.
    @Test(
        arguments: [[CodeReport.Kind.stored], [.stored, .permanent], [.permanent], []],
        [true, false])
    func `text, page, rows and monitors give the same findings`(
        kinds: [CodeReport.Kind], complete: Bool
    ) throws {
        let codes = try ["P0171", "P0301", "P0420"].flatMap { name in
            try kinds.map { try Self.code(name, $0) }
        }
        let items =
            try [
                Self.monitor(.catalyst, complete), Self.monitor(.misfire, true),
                Self.monitor(.fuelSystem, true), Self.test(0x21, "Catalyst B1", passed: complete),
            ] + Self.reading(0x31, kinds == [.stored] ? [0x0C, 0x30] : [0, 12])
        let now = try condition(
            codes, items, light: kinds.contains(.stored), vin: "5XXBD1GA8LX000042")
        let before = try condition([Self.code("P0171"), Self.code("P0301"), Self.code("P0420")])
        let past = kinds.isEmpty ? before.codes.map { ($0, UTC?.none) } : []
        var cleared = now
        cleared.clearings = [(nil, Self.noon)]
        var report = ConditionReport(
            vehicle: "5XXBD1GA8LX000042", accessory: nil, vehicleProtocol: nil, time: Self.noon,
            since: nil, lamps: now.lights, change: ConditionChange(before: nil, now: cleared),
            frames: [], table: try PIDTables.standard(), texts: PIDTables.codeTexts(),
            explanations: try PIDTables.codeExplanations(), output: OutputForm(format: .json))
        report.cleared = past
        let found = report.findings
        var monitors = MonitorReport(OutputForm(format: .text))
        for item in items { monitors.add(item) }
        let readiness = Readiness(items, table: try PIDTables.standard())
        let page = String(decoding: report.page.bytes, as: UTF8.self)
            .replacing("&#39;", with: "'").replacing("&quot;", with: "\"")
        let texts = [report.text, page, monitors.text(readiness, found)]
        #expect(report.text.hasPrefix(found.verdict.text + "\n"))
        #expect(monitors.text(readiness, found).hasPrefix(found.verdict.text + "\n"))
        let proofs = (found.faults + found.gone).map(\.proof.text)
        #expect(proofs.count == 3)
        for words in [found.verdict.text, found.cleared, found.inspection].compactMap(\.self)
            + proofs
        {
            for text in texts { #expect(text.contains(words), "\(words)\n\(text)") }
        }
        let rows = report.rows
        #expect(rows.first?["verdict"].shown == found.verdict.text)
        #expect(rows.first { $0.kind == "verdict" }?["text"].shown == found.verdict.text)
        #expect(rows.filter { $0.kind == "proof" }.map { $0["text"].shown } == proofs)
        #expect(
            rows.filter { $0.kind == "codeState" }.map { $0["code"].shown }
                == (found.faults + found.gone).map(\.code.code.text))
        // Only a proven repair is green.
        #expect(
            page.contains("class=\"good\">Proof")
                == found.gone.contains { $0.proof.state == .proven })
    }
}
