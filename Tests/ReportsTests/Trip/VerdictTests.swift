import Diagnostics
import Formats
import Foundation
import OBDCore
import PIDTables
import Testing

@testable import Reports

@Suite struct `The verdict of a report` {
    private struct Case: Sendable {
        var codes: [(String, DriveAdvice?)] = []
        var permanent: [String] = []
        var gone: [(String, Bool)] = []
        var isComplete = true
        var cleared: String?
        var incomplete: [MonitorStatus.Monitor] = []
        var failed = 0
        var depending: [String] = []
        var seenOnce: [String] = []
        var text: String
        var grade: ConditionVerdict.Grade
    }

    private static let cases = [
        Case(text: "No trouble codes.", grade: .good),
        Case(
            isComplete: false,
            text: "No trouble codes were read, but not every ECU gave its codes.", grade: .warn),
        Case(
            incomplete: [.catalyst],
            text:
                "No trouble codes, but 1 monitor has not run since codes were cleared, so a fault "
                + "may still be unseen.", grade: .warn),
        Case(
            cleared: "12 km and 3 warm-ups", incomplete: [.catalyst, .misfire],
            text: "No trouble codes, but codes were cleared only 12 km and 3 warm-ups ago and 2 "
                + "monitors have not run since then, so a fault may still be unseen.", grade: .warn),
        Case(
            codes: [("P0301", .soon), ("P0420", .weeks), ("P0301-11", .soon)],
            incomplete: [.catalyst], text: "3 trouble codes: have P0301, P0301-11 repaired soon.",
            grade: .bad),
        Case(
            codes: [("P0217", .stop)], text: "1 trouble code: do not drive on with P0217.",
            grade: .bad),
        Case(
            codes: [("P0420", .weeks)], gone: [("P0301", false)],
            text: "1 trouble code: have P0420 repaired within weeks; no repair of P0301 is "
                + "proven.", grade: .warn),
        Case(
            gone: [("P0301", true)], text: "No trouble codes: the repair of P0301 is proven.",
            grade: .good),
        Case(
            gone: [("P0301", false)],
            text:
                "No trouble codes, but no repair of P0301 is proven, so a fault may still be "
                + "unseen.", grade: .warn),
        Case(
            codes: [("SPN94/FMI18", .note), ("SPN110/FMI0", nil)],
            text: "2 trouble codes: one may drive on with SPN94/FMI18; whether one may drive on "
                + "with SPN110/FMI0 is not known, and a red or flashing light means stop.",
            grade: .warn),
        Case(
            codes: [("P1234", nil), ("P0420", .weeks)],
            text:
                "2 trouble codes: have P0420 repaired within weeks; whether one may drive on with "
                + "P1234 is not known, and a red or flashing light means stop.", grade: .warn),
        Case(
            codes: [("P1234", nil), ("P0217", .stop)],
            text: "2 trouble codes: do not drive on with P0217.", grade: .bad),
        Case(
            codes: [("P0301", .note), ("P0562", .note)], permanent: ["P0301"],
            text: "2 trouble codes: one may drive on with P0562; only the permanent code P0301 is "
                + "left, and the vehicle has not yet found that the fault is gone.", grade: .warn),
        Case(
            codes: [("P0301", nil), ("P0420", nil), ("P0420", nil)],
            permanent: ["P0301", "P0420"],
            text: "3 trouble codes: only the permanent codes P0301 and P0420 are left, and the "
                + "vehicle has not yet found that the fault is gone.", grade: .warn),
        Case(
            codes: [("P0171", .note), ("P0562", .note)], seenOnce: ["P0171"],
            text: "2 trouble codes: P0171 was seen once so far; one may drive on with P0562.",
            grade: .warn),
        Case(
            incomplete: [.catalyst], failed: 1,
            text: "No trouble codes, but 1 test result failed and 1 monitor has not run since "
                + "codes were cleared, so a fault may still be unseen.", grade: .bad),
        Case(
            codes: [("P0700", nil)], depending: ["P0700"],
            text:
                "1 trouble code: whether one may drive on with P0700 is not known until the codes "
                + "of the other controllers are known, and a red or flashing light means stop.",
            grade: .warn),
        Case(
            codes: [("P0700", nil), ("P1234", nil)], depending: ["P0700"],
            text: "2 trouble codes: whether one may drive on with P1234 is not known, and a red or "
                + "flashing light means stop; whether one may drive on with P0700 is not known until "
                + "the codes of the other controllers are known.", grade: .warn),
        Case(
            codes: (0..<8).map { ("P010\($0)", .note) },
            text: "8 trouble codes: one may drive on with P0100, P0101, P0102, P0103, P0104, P0105 "
                + "and 2 more.", grade: .warn),
    ]

    @Test(arguments: cases.indices) func `the most serious code decides the verdict`(index: Int) {
        let one = Self.cases[index]
        let verdict = ConditionVerdict(
            codes: one.codes.map { ($0.0, $0.1, one.permanent.contains($0.0)) },
            gone: one.gone.map { ($0.0, $0.1) }, isComplete: one.isComplete,
            clearedAgo: one.cleared, incomplete: one.incomplete, failed: one.failed,
            depending: one.depending, seenOnce: one.seenOnce)
        #expect(verdict.text == one.text)
        #expect(verdict.grade == one.grade)
    }

    /// A report agrees with `dtc`: the lamps of the ECU decide.
    @Test(arguments: [
        (true, false, DriveAdvice.stop), (false, true, .soon), (false, false, .weeks),
    ])
    func `the lights of a lorry decide the verdict`(
        _ red: Bool, _ amber: Bool, _ advice: DriveAdvice
    ) throws {
        var code = CodeReport(
            ecu: ECUAddress(0x00, .byte), kind: .stored,
            code: .j1939(J1939Code(spn: 110, fmi: 16, occurrenceCount: 1, conversionMethod: false)),
            line: 0)
        code.isActive = true
        code.lamps = .init(malfunction: true, redStop: red, amberWarning: amber, protect: false)
        let now = VehicleCondition(time: UTC(microseconds: 0), codes: [code], items: [])
        let texts = try PIDTables.codeExplanations()
        let known = try #require(now.codes.first)
        let said = texts.explanation(
            of: J1939Code(spn: 110, fmi: 16, occurrenceCount: 1, conversionMethod: false),
            text: "Coolant temperature", state: known.state)
        #expect(said?.drive == advice)
    }

    @Test
    func `the page begins with the head, the verdict, the explanation and failed tests`() throws {
        let ecu = ECUAddress(0x7E8, .can11)
        let code = CodeReport(
            ecu: ecu, kind: .stored, code: .dtc(try #require(DTC("P0301"))), line: 0)
        func test(_ tid: UInt8, _ name: String?, passed: Bool) -> DiagnosticItem {
            var result = MonitorTestResult(ecu: ecu, tid: tid, raw: [], line: 0)
            (result.mid, result.value, result.max, result.passed) = (0x21, 5, 4, passed)
            (result.monitor, result.test) = (name.map { _ in "Catalyst" }, name)
            return .monitorTest(result)
        }
        let now = VehicleCondition(
            time: UTC(microseconds: 0), codes: [code],
            items: [
                test(1, nil, passed: true), test(2, "named", passed: true),
                test(3, "broken", passed: false),
                .monitor(
                    MonitorStatus(
                        ecu: ecu, scope: .sinceClear, monitor: .evaporative, supported: true,
                        complete: false, line: 0)),
            ])
        var report = ConditionReport(
            vehicle: "1HGCM82633A004352", accessory: nil, vehicleProtocol: nil,
            time: UTC(microseconds: 0), since: nil, lamps: [(ecu, true)],
            change: ConditionChange(before: nil, now: now), frames: [],
            table: try PIDTables.standard(), texts: PIDTables.codeTexts(),
            explanations: try PIDTables.codeExplanations(),
            head: ReportHead(
                customer: "A <Driver>", workshop: ["Garage", "Street 1"],
                make: "Honda, model year 2003, United States", odometer: 123_456.7),
            output: OutputForm(format: .text, units: .us))
        report.names = ECUNames(own: [ecu: "ECM-EngineControl"])
        let page = String(decoding: report.page.bytes, as: UTF8.self)
        for text in [
            "Honda, model year 2003", "A &lt;Driver&gt;", "<p>Street 1</p>", "76712 mi",
            "1 trouble code: have P0301 repaired soon.", "1 test result failed.",
            "Engine (7E8)", "<h3>P0301: Misfire</h3>", "Ignition coil.",
            "Proof of the repair: ", "the code is stored", "Evaporative system: Fill the tank",
            "2 of 3 test results are within their limits, 1 is not.",
            "<p class=\"verdict bad\">", " class=\"warn\">P0301</td>",
            "<dt>Plate</dt><dd class=\"blank\"></dd>", "<p>Technician</p>",
            "content: \"1HGCM82633A004352 · 1970-01-01",
        ] {
            #expect(page.contains(text), "\(text)")
        }
        let order = ["broken", "named", "test 01"].compactMap {
            page.range(of: "\">\($0)")?.lowerBound
        }
        #expect(order.count == 3 && order == order.sorted())
        #expect(report.text.hasPrefix("1 trouble code: have P0301 repaired soon."))
        // One ECU is named once, beside its light.
        #expect(page.ranges(of: "7E8").count == 1 && !page.contains("<th>ECU"))
        #expect(!page.contains("Together") && !page.contains("obdscan dtc"))
        #expect(page.contains("Repair first, then clear the codes."))
    }

    /// The report of `codes`, each of an ECU of its own, from 7E8 on.
    private func report(_ codes: [String]) throws -> ConditionReport {
        let ecus = codes.indices.map { ECUAddress(0x7E8 + UInt32($0), .can11) }
        let now = VehicleCondition(
            time: UTC(microseconds: 0),
            codes: try zip(ecus, codes).map { ecu, code in
                CodeReport(
                    ecu: ecu, kind: .stored, code: .dtc(try #require(DTC(code))), line: 0)
            }, items: [])
        return ConditionReport(
            vehicle: nil, accessory: nil, vehicleProtocol: nil, time: UTC(microseconds: 0),
            since: nil, lamps: [], change: ConditionChange(before: nil, now: now), frames: [],
            table: try PIDTables.standard(), texts: PIDTables.codeTexts(),
            explanations: try PIDTables.codeExplanations(), output: OutputForm(format: .text))
    }

    @Test func `codes that belong together are explained on the page and in the text`() throws {
        let report = try report(["P0301", "P0171"])
        let page = String(decoding: report.page.bytes, as: UTF8.self)
        let sentence = "Misfire and a lean mixture usually have one cause"
        #expect(page.contains("Together: \(sentence)"))
        #expect(page.contains("(P0171 P0301)"))
        #expect(page.contains("Together: Start with the lean mixture. Then the misfire."))
        #expect(report.text.contains("Together   Start with the lean mixture."))
        #expect(report.text.contains("           \(sentence)"))
        // Of several ECUs, each row names its own.
        #expect(page.contains("<th>ECU</th>"))
        #expect(["7E8", "7E9"].allSatisfy { page.contains(">\($0)</td>") })
        // Without a terminal, the tables of text have only addresses.
        #expect(report.text.contains("7E9  ") && !report.text.contains("(7E9)"), "\(report.text)")
    }
}
