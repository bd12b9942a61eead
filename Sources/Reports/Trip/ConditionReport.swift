import Diagnostics
import Formats
import OBDCore
import SystemIO

/// The report of `dtc report`, as text, JSON Lines, CSV or a page.
package struct ConditionReport {
    let vehicle: String?
    let accessory: String?
    let vehicleProtocol: String?
    /// When the vehicle was read.
    package let time: UTC
    /// The time of the condition that it is compared with; nil = no comparison.
    package let since: UTC?
    let lamps: [(ecu: ECUAddress?, isOn: Bool)]
    /// The check engine lights at the time of the comparison.
    package var lampsBefore: [(ecu: ECUAddress?, isOn: Bool)] = []
    package var names = ECUNames()
    /// The lamps of SAE J1939.
    package var allLamps: [(ecu: ECUAddress?, lamps: CodeReport.Lamps)] = []
    let change: ConditionChange
    /// Items that include the readings of freeze frames.
    package let frames: [DiagnosticItem]
    let table: PIDTable
    let texts: CodeTexts
    var explanations: CodeExplanations
    package var head: ReportHead
    /// Whether every ECU sent its codes.
    package var isComplete = true
    /// The voltage at the adapter, in V; nil = not measured.
    package var voltage: Double?
    /// Codes that obdscan cleared, for a report without a comparison.
    package var cleared: [VehicleFindings.Gone] = []
    let output: OutputForm
    /// Whether only one ECU answered; its name is then left out of the tables of the page.
    private let isAlone: Bool

    /// A report of `change`; `since` is the time of the condition before.
    package init(
        vehicle: String?, accessory: String?, vehicleProtocol: String?, time: UTC, since: UTC?,
        lamps: [(ecu: ECUAddress?, isOn: Bool)], change: ConditionChange, frames: [DiagnosticItem],
        table: PIDTable, texts: CodeTexts, explanations: CodeExplanations = CodeExplanations(),
        head: ReportHead = ReportHead(), output: OutputForm
    ) {
        self.explanations = explanations
        self.head = head
        self.vehicle = vehicle
        self.accessory = accessory
        self.vehicleProtocol = vehicleProtocol
        self.time = time
        self.since = since
        self.lamps = lamps
        self.change = change
        self.frames = frames
        self.table = table
        self.texts = texts
        self.output = output
        let framed = frames.map { item -> ECUAddress? in
            guard case .reading(let reading) = item else { return nil }
            return reading.ecu
        }
        let ecus =
            lamps.map(\.ecu) + change.codes.map(\.code.ecu) + change.monitors.map(\.ecu)
            + change.tests.map(\.result.ecu) + framed
        isAlone = Set(ecus.compactMap(\.self)).count < 2
    }

    package func print(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text {
            try writer.write(text)
        } else {
            let rows = self.rows
            var table = RowWriter(output.format, kinds: Self.keys)
            for row in rows { try writer.print(row, &table) }
        }
        try writer.flush()
    }

    // MARK: Content

    private var facts: [(name: String, value: String)] {
        var facts: [(name: String, value: String)] = []
        if let vehicle { facts.append(("Vehicle", vehicle)) }
        if let make = head.make { facts.append(("VIN says", make)) }
        return facts + factsBesidesVehicle
    }

    private var factsBesidesVehicle: [(name: String, value: String)] {
        var facts: [(name: String, value: String)] = []
        for (name, value) in [
            ("Customer", head.customer), ("Plate", head.plate), ("Order", head.order),
            ("Technician", head.technician),
        ] {
            if let value { facts.append((name, value)) }
        }
        if let label = head.label { facts.append(("Label", label)) }
        if let odometer = head.odometer {
            let conversion = output.units.conversion(from: "km")
            let shown = (conversion?(odometer) ?? odometer).rounded()
            facts.append(("Odometer", "\(fixed(shown, 0)) \(conversion?.unit ?? "km")"))
        }
        facts.append((since == nil || accessory == nil ? "Read" : "Now", localTime(time)))
        if let since { facts.append(("Compared with", localTime(since))) }
        if let accessory { facts.append(("Adapter", accessory)) }
        if let vehicleProtocol { facts.append(("Protocol", vehicleProtocol)) }
        for lamp in lamps {
            let before = lampsBefore.first { $0.ecu == lamp.ecu && $0.isOn != lamp.isOn }
            facts.append(
                (
                    "Check engine light, " + title(of: lamp.ecu),
                    (lamp.isOn ? "on" : "off")
                        + (before.map { $0.isOn ? ", was on" : ", was off" } ?? "")
                ))
        }
        for (ecu, lamps) in allLamps {
            for name in lamps.lit where name != CodeReport.Lamps.checkEngineLight {
                facts.append(("\(name.capitalised), \(title(of: ecu))", "on"))
            }
        }
        return facts
    }

    /// The meaning of the condition; the same as in all other output.
    package var findings: VehicleFindings {
        VehicleFindings(
            change.now,
            gone: isComparison
                ? change.codes.filter { $0.fate == .gone }.map { ($0.code, since) } : cleared,
            isComplete: isComplete, texts: texts, explanations: explanations, voltage: voltage,
            units: output.units, clock: localTime)
    }

    /// The codes in the order of the findings, each with its change.
    func changes(
        _ findings: VehicleFindings
    ) -> [(fault: VehicleFindings.Fault, fate: ConditionChange.Fate?)] {
        (findings.faults + findings.gone).map { fault in
            let own = change.codes.first {
                $0.code.ecu == fault.code.ecu && $0.code.code.isSame(as: fault.code.code)
            }
            return (fault, own?.fate ?? (fault.isGone ? .gone : nil))
        }
    }

    /// The number of failed tests in one sentence; nil if none failed, or the verdict has it.
    private var failures: String? {
        if change.now.codes.isEmpty { return nil }
        let failed = change.tests.count { $0.result.passed == false }
        return failed == 0 ? nil : "\(counted(Double(failed), "test result")) failed."
    }

    /// The circumstances when a code was stored, from its freeze frame.
    private func moment(of code: VehicleCondition.Code) -> String? {
        guard case .dtc(let dtc) = code.code else { return nil }
        let own = frameReadings.map(\.reading).filter {
            $0.ecu == code.ecu && $0.dtc?.code == dtc.code
        }
        return CodeMoment(own, in: table).sentence { value, unit in
            let conversion = output.units.conversion(from: unit)
            return
                "\(fixed((conversion?(value) ?? value).rounded(), 0)) \(conversion?.unit ?? unit)"
        }
    }

    /// The tests, failed ones first and those without a name last.
    private var sortedTests: [ConditionChange.Test] {
        change.tests.enumerated().sorted {
            ($0.element.result.rank, $0.offset) < ($1.element.result.rank, $1.offset)
        }.map(\.element)
    }

    var frameReadings: [(reading: Reading, value: ValueText)] {
        let codes = frames.compactMap { item -> (ECUAddress?, DTC)? in
            guard case .reading(let reading) = item, reading.dataID?.id == 0x02,
                case .text(let text) = reading.value, let code = DTC(text)
            else { return nil }
            return (reading.ecu, code)
        }
        return frames.compactMap { item in
            guard case .reading(var reading) = item, reading.frame != nil,
                reading.dataID?.id != 0x02
            else { return nil }
            if case .supportMap = reading.value { return nil }
            if case .missing = reading.value { return nil }
            reading.dtc = reading.dtc ?? codes.first { $0.0 == reading.ecu }?.1
            guard reading.dtc != nil else { return nil }
            return (reading, ValueText(reading, table[reading.signal], output.units))
        }
    }

    /// The names, with those of SAE J1939 if the codes are of that standard.
    private var known: ECUNames {
        var names = names
        names.isOnJ1939 = isOnJ1939
        return names
    }

    private func title(of ecu: ECUAddress?, none: String = "ECU") -> String {
        known.title(of: ecu, none: none)
    }

    /// Whether the vehicle uses SAE J1939, for which there are no rules of inspections.
    private var isOnJ1939: Bool {
        names.isOnJ1939 || change.now.isOnJ1939
            || vehicleProtocol == VehicleProtocol.j1939.title
            || change.codes.contains { if case .j1939 = $0.code.code { true } else { false } }
    }

    private var isComparison: Bool { since != nil }

    private func state(_ complete: Bool?) -> String {
        complete == nil ? "—" : Readiness.text(complete)
    }

    /// The number of monitors that any ECU supports.
    private var knownMonitors: Int {
        Set(change.monitors.filter { $0.now != nil }.map(\.monitor)).count
    }

    // MARK: Page

    package var page: HTMLPage {
        var report = self
        report.explanations.namesCommands = false
        return report.plainPage
    }

    private var plainPage: HTMLPage {
        let lead = [vehicle, head.make].compactMap(\.self).joined(separator: " · ")
        var page = HTMLPage(
            title: isComparison ? "Vehicle report, before and after" : "Vehicle report",
            lead: lead)
        let findings = findings
        (page.letterhead, page.logo) = (head.workshop, head.logo)
        page.foot = [vehicle ?? head.label, localTime(time)].compactMap(\.self)
            .joined(separator: " · ")
        page.section("Result") { page in
            page.element(
                "p", findings.verdict.text, class: "verdict " + findings.verdict.grade.rawValue)
            if let failures { page.element("p", failures, class: "bad") }
            if let cleared = findings.cleared { page.element("p", cleared) }
            // The title already contains VIN and make.
            page.facts(pageFacts)
        }
        page.section("Trouble codes") { appendCodes(findings, to: &$0) }
        let frame = frameReadings
        if !frame.isEmpty {
            page.section("Freeze frames") { append(frame, to: &$0) }
        }
        if !change.monitors.isEmpty {
            page.section("Readiness") { appendMonitors(findings, to: &$0) }
        }
        if !change.tests.isEmpty {
            page.section("Test results") { page in
                page.element("p", testSentence)
                appendFailures(to: &page)
                appendTests(to: &page)
            }
        }
        if head.isOfWorkshop { page.signs(["Date", "Technician", "Customer"]) }
        return page
    }

    /// The facts of the page; a workshop fills in by hand what is not known.
    private var pageFacts: [(name: String, value: String)] {
        guard head.isOfWorkshop else { return factsBesidesVehicle }
        let known = factsBesidesVehicle
        let fields = ["Customer", "Plate", "Order", "Odometer", "Technician"]
        return fields.map { name in known.first { $0.name == name } ?? (name, "") }
            + known.filter { !fields.contains($0.name) }
    }

    /// The result of all tests in one sentence.
    private var testSentence: String {
        let results = change.tests.map(\.result)
        let judged = results.count { $0.judgement != nil }
        let passed = results.count { $0.judgement == true }
        let rest = results.count { $0.verdict == "no limits" }
        let others =
            rest == 0
            ? "" : " \(counted(Double(rest), "value")) \(rest == 1 ? "has" : "have") no limits."
        if judged == 0 { return others.trimmed }
        return passed == judged
            ? "\(judged == 1 ? "The only test result is" : "All \(judged) test results are") within "
                + "\(judged == 1 ? "its" : "their") limits.\(others)"
            : "\(passed) of \(counted(Double(judged), "test result")) \(passed == 1 ? "is" : "are") within "
                + "\(passed == 1 ? "its" : "their") limits, \(judged - passed) "
                + "\(judged - passed == 1 ? "is" : "are") not.\(others)"
    }

    private func appendCodes(_ findings: VehicleFindings, to page: inout HTMLText) {
        let codes = changes(findings)
        if codes.isEmpty {
            page.element("p", findings.verdict.text, class: findings.verdict.grade.rawValue)
            return
        }
        for finding in findings.together.findings {
            page.element("p", "Together: " + finding.text, class: "keep")
        }
        if !findings.together.findings.isEmpty,
            findings.faults.contains(where: { $0.explanation?.causes.isEmpty == false })
        {
            page.element("p", CodeSetReading.precedence)
        }
        page.table(
            [.init("Code")] + ifComparing(.init("Change"))
                + [.init("Status")] + ifSeveral(.init("ECU"))
                + [.init("Meaning"), .init("Drive on?")],
            codes.map { fault, fate in
                let style = style(of: fault, fate)
                let drive: String? =
                    switch fault.explanation?.drive {
                    case .stop: "bad"
                    case .soon: "warn"
                    case .weeks, .note, nil: nil
                    }
                return [.init(fault.code.code.fullText, style ?? (fault.isGone ? nil : drive))]
                    + ifComparing(.init(fate?.rawValue ?? "", style))
                    + [.init(status(of: fault))] + ifSeveral(fault.code.ecu)
                    + [
                        .init(texts.text(of: fault.code.code) ?? CodeTexts.unknown),
                        .init(fault.isGone ? "" : fault.driving, drive),
                    ]
            })
        for (fault, _) in codes { appendExplanation(of: fault, to: &page) }
    }

    /// The lists of the code; a comparison has another column for codes that disappeared.
    private func status(of fault: VehicleFindings.Fault) -> String {
        fault.isGone ? (isComparison ? "" : "gone") : fault.status
    }

    /// Only a proven repair is good news.
    private func style(of fault: VehicleFindings.Fault, _ fate: ConditionChange.Fate?) -> String? {
        switch fate {
        case .gone: fault.proof.state == .proven ? "good" : "warn"
        case .came: "bad"
        case .stayed, nil: fault.explanation?.drive == .stop ? "bad" : nil
        }
    }

    private func appendExplanation(of fault: VehicleFindings.Fault, to page: inout HTMLText) {
        // Only the rule for erasing a code is known, which is the same for all codes.
        if !fault.isGone, !fault.proof.isKnown, moment(of: fault.code) == nil,
            fault.explanation.map({
                $0.notice.isEmpty && $0.notes.isEmpty && $0.causes.isEmpty && $0.hazards.isEmpty
            }) ?? true
        {
            return
        }
        let name = fault.code.code.fullText
        page.raw("<div class=\"keep\">")
        page.element("h3", name + (fault.explanation.map { ": \($0.title)" } ?? ""))
        if !fault.isGone, let moment = moment(of: fault.code) {
            page.element("p", "What was happening: \(moment)")
        }
        if let said = fault.explanation {
            for hazard in said.hazards { page.element("p", "Careful: \(hazard)", class: "bad") }
            let notes = ([said.notice] + said.notes).filter { !$0.isEmpty }
            if !notes.isEmpty { page.element("p", notes.joined(separator: " ")) }
            if !said.causes.isEmpty {
                page.raw("<ol>")
                for cause in said.causes {
                    page.element("li", cause.what.capitalised + ". " + cause.check)
                }
                page.raw("</ol>\n")
            }
            if said.certainty == nil {
                page.element("p", "General: no causes of this very code are known.", class: "dim")
            }
            page.element("p", said.clears, class: "dim")
        }
        if fault.proof.isKnown || fault.isGone {
            page.element(
                "p", "Proof of the repair: \(fault.proof.text).",
                class: fault.proof.state == .proven ? "good" : "dim")
        }
        page.raw("</div>\n")
    }

    private func append(
        _ frame: [(reading: Reading, value: ValueText)], to page: inout HTMLText
    ) {
        var sets: [(title: String, facts: [(name: String, value: String)])] = []
        for (reading, value) in frame {
            let ecu = reading.ecu == nil || isAlone ? "" : ", " + title(of: reading.ecu)
            let title = (reading.dtc?.description ?? "") + ecu
            if sets.last?.title != title { sets.append((title, [])) }
            sets[sets.count - 1].facts.append(
                (
                    table[reading.signal].name, quantityText(value.value, value.unit)
                ))
        }
        for (title, facts) in sets {
            page.element("h3", title)
            page.facts(facts)
        }
    }

    private func appendMonitors(_ findings: VehicleFindings, to page: inout HTMLText) {
        let incomplete = change.now.incomplete
        if knownMonitors > 0 {
            page.element(
                "p",
                Readiness.sentence(
                    incomplete: incomplete, of: knownMonitors,
                    title: change.now.monitors.title(names)),
                class: incomplete.isEmpty ? nil : "warn")
        }
        if let inspection = findings.inspection { page.element("p", inspection) }
        if !incomplete.isEmpty {
            for drive in MonitorGuide.drives(incomplete) {
                page.element("p", "\(drive.monitor.title): \(drive.text)")
            }
        }
        guard isComparison else {
            // What is not complete is in the sentences above.
            page.facts(
                change.monitors.map { monitor in
                    (
                        [isAlone ? nil : title(of: monitor.ecu), monitor.monitor.title]
                            .compactMap(\.self).joined(separator: ": "), state(monitor.now)
                    )
                })
            return
        }
        page.table(
            ifSeveral(.init("ECU")) + [.init("Monitor"), .init("Before"), .init("Now")],
            change.monitors.map { monitor in
                // "Complete" means that the monitor has run, which proves nothing by itself.
                let style = monitor.now == true ? nil : monitor.now == false ? "warn" : "dim"
                return ifSeveral(monitor.ecu)
                    + [
                        .init(monitor.monitor.title), .init(state(monitor.before), "dim"),
                        .init(state(monitor.now), style),
                    ]
            })
    }

    private func appendTests(to page: inout HTMLText) {
        // Values without limits prove nothing: a sentence is enough.
        let tests = sortedTests.filter { isComparison || $0.result.judgement != nil }
        appendTable(of: tests, to: &page)
        if isComparison { return }
        for (verdict, title) in [("no limits", "Without limits"), ("not run", "Not run")] {
            appendList(
                title, of: sortedTests.map(\.result).filter { $0.verdict == verdict }, to: &page)
        }
    }

    /// A sentence for each ECU with tests that have no result; monitors with the same test stand together.
    private func appendList(
        _ title: String, of results: [MonitorTestResult], to page: inout HTMLText
    ) {
        for ecu in Set(results.map(\.ecu)).sorted(by: { $0?.printed ?? "" < $1?.printed ?? "" }) {
            var tests: [(name: String, monitors: [String])] = []
            for result in results where result.ecu == ecu {
                let value =
                    result.verdict == "not run"
                    ? "" : " " + quantityText(result.text(result.value), result.unit ?? "")
                let name = result.test ?? result.monitorTitle
                let monitor = (result.test == nil ? result.testTitle : result.monitorTitle) + value
                if let place = tests.firstIndex(where: { $0.name == name }) {
                    tests[place].monitors.append(monitor)
                } else {
                    tests.append((name, [monitor]))
                }
            }
            let list = tests.map { "\($0.name): \($0.monitors.joined(separator: ", "))" }
            page.element(
                "p",
                title + (isAlone ? "" : ", " + self.title(of: ecu)) + ": "
                    + list.joined(separator: "; ") + ".")
        }
    }

    private func appendTable(of tests: [ConditionChange.Test], to page: inout HTMLText) {
        if tests.isEmpty { return }
        page.table(
            ifSeveral(.init("ECU")) + [.init("Monitor"), .init("Test")]
                + ifComparing(.init("Before", "n"))
                + [
                    .init("Value", "n"), .init("Min", "n"), .init("Max", "n"), .init("Unit"),
                    .init("Result"),
                ],
            tests.map { test in
                let result = test.result
                return ifSeveral(result.ecu)
                    + [.init(result.monitorTitle), .init(result.testTitle)]
                    + ifComparing(.init(result.text(test.before), "n"))
                    + [
                        .init(result.text(result.value), "n"), .init(result.minText, "n"),
                        .init(result.maxText, "n"), .init(result.unit ?? ""),
                        .init(result.verdict, result.judgement.map { $0 ? "good" : "bad" }),
                    ]
            })
    }

    /// The meaning of failed tests.
    private func appendFailures(to page: inout HTMLText) {
        for test in sortedTests where test.result.passed == false {
            let result = test.result
            page.element(
                "p", "\(result.monitorTitle): \(FailedTest(result, explanations, texts).text)",
                class: "keep")
        }
    }

    /// The cell of an ECU, if several answered.
    private func ifSeveral(_ ecu: ECUAddress?) -> [HTMLText.Cell] {
        ifSeveral(.init(title(of: ecu, none: "—"), "line"))
    }

    /// A cell for reports about several ECUs only.
    private func ifSeveral(_ cell: HTMLText.Cell) -> [HTMLText.Cell] { isAlone ? [] : [cell] }

    /// A cell for comparisons only.
    private func ifComparing(_ cell: HTMLText.Cell) -> [HTMLText.Cell] {
        isComparison ? [cell] : []
    }

    // MARK: Text

    var text: String {
        let palette = output.palette
        var rows = TextTable([("", .left), ("", .left)])
        for fact in facts { rows.add([.init(fact.name, .dim), .init(fact.value)]) }
        let findings = findings
        let columns = output.columns
        let codes = changes(findings)
        var parts = [
            findings.head(palette, columns: columns, failures: failures) + rows.text(palette)
        ]
        if !codes.isEmpty {
            parts.append(
                codeTable(codes).text(palette, columns: output.columns))
            let proofs = findings.proofs(palette, columns: output.columns)
            if !proofs.isEmpty { parts.append(proofs) }
        }
        if !change.monitors.isEmpty {
            parts.append(
                monitorTable.text(palette, columns: columns)
                    + (findings.inspection.map { lines($0, nil, palette, columns) } ?? ""))
        }
        let tests = isComparison ? sortedTests : sortedTests.filter { $0.result.passed == false }
        if !tests.isEmpty { parts.append(testTable(tests).text(palette, columns: output.columns)) }
        return parts.joined(separator: "\n")
    }

    private func codeTable(
        _ shown: [(fault: VehicleFindings.Fault, fate: ConditionChange.Fate?)]
    ) -> TextTable {
        var codes = TextTable([
            ("CODE", .left), (isComparison ? "CHANGE" : "", .left), ("STATUS", .left),
            ("ECU", .left), ("MEANING", .left),
        ])
        for (fault, fate) in shown {
            codes.add([
                .init(fault.code.code.fullText, fault.isGone ? .dim : .bold),
                .init(
                    isComparison ? fate?.rawValue ?? "" : "",
                    fault.proof.state == .proven ? .good : fate == .gone ? .warning : nil),
                .init(status(of: fault)),
                .init(fault.code.ecu, known),
                .init(texts.text(of: fault.code.code) ?? CodeTexts.unknown),
            ])
        }
        return codes
    }

    private var monitorTable: TextTable {
        var monitors = TextTable([
            ("ECU", .left), ("MONITOR", .left), (isComparison ? "BEFORE" : "", .left),
            ("NOW", .left),
        ])
        for monitor in change.monitors {
            monitors.add([
                .init(monitor.ecu, known), .init(monitor.monitor.title),
                .init(isComparison ? state(monitor.before) : ""), .init(state(monitor.now)),
            ])
        }
        return monitors
    }

    private func testTable(_ shown: [ConditionChange.Test]) -> TextTable {
        var tests = TextTable(
            [
                ("ECU", .left), ("MONITOR", .left), ("TEST", .left),
                (isComparison ? "BEFORE" : "", .right), ("VALUE", .right), ("LIMITS", .left),
                ("UNIT", .left), ("RESULT", .left),
            ], flexible: [1, 2])
        for test in shown {
            let result = test.result
            tests.add([
                .init(result.ecu, known), .init(result.monitorTitle),
                .init(result.testTitle), .init(result.text(test.before)),
                .init(result.text(result.value)), .init(result.limitsText),
                .init(result.unit ?? ""), .init(result.verdict),
            ])
        }
        return tests
    }
}

extension String {
    /// The text with a capital first letter.
    fileprivate var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
