import Diagnostics
import Formats
import OBDCore
import SystemIO

/// The report of `dtc report`, as text, JSON Lines, CSV or a page.
public struct ConditionReport {
    let vehicle: String?
    let accessory: String?
    let vehicleProtocol: String?
    /// When the vehicle was read.
    public let time: UTC
    /// The time of the condition that it is compared with; nil = no comparison.
    public let since: UTC?
    let lamps: [(ecu: ECUAddress?, isOn: Bool)]
    /// The check engine lights at the time of the comparison.
    public var lampsBefore: [(ecu: ECUAddress?, isOn: Bool)] = []
    /// What the ECUs are called.
    package var names = ECUNames()
    /// The lamps of SAE J1939.
    package var allLamps: [(ecu: ECUAddress?, lamps: CodeReport.Lamps)] = []
    let change: ConditionChange
    /// Items that include the readings of freeze frames.
    public let frames: [DiagnosticItem]
    let table: PIDTable
    let texts: CodeTexts
    var explanations: CodeExplanations
    package var head: ReportHead
    let output: OutputForm
    /// Whether only one ECU answered; its name is then left out of the tables of the page.
    private let isAlone: Bool

    /// A report of `change`; `since` is the time of the condition before.
    public init(
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

    /// Prints it.
    public func print(_ writer: inout TextOutput) throws(OutputError) {
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
        if let label = head.label { facts.append(("Label", label)) }
        if let odometer = head.odometer {
            let conversion = output.units.conversion(from: "km")
            let shown = (conversion?(odometer) ?? odometer).rounded()
            facts.append(("Odometer", "\(fixed(shown, 0)) \(conversion?.unit ?? "km")"))
        }
        facts.append((since == nil ? "Read" : "Now", localTime(time)))
        if let since { facts.append(("Compared with", localTime(since))) }
        if let customer = head.customer { facts.append(("Customer", customer)) }
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

    /// The explanation of a code that is present.
    private func explanation(of code: ConditionChange.Code) -> CodeExplanation? {
        guard code.fate != .gone else { return nil }
        let state = code.code.state
        let text = texts.text(of: code.code.code)
        switch code.code.code {
        case .dtc(let dtc): return explanations.explanation(of: dtc, text: text, state: state)
        case .j1939(let spn): return explanations.explanation(of: spn, text: text, state: state)
        }
    }

    /// What the codes that are present mean together.
    private var together: CodeSetReading {
        explanations.reading(
            of: change.codes.compactMap { code in
                guard code.fate != .gone, case .dtc(let dtc) = code.code.code else { return nil }
                return dtc
            })
    }

    /// Whether one may drive on, with the reason where that cannot wait.
    private func driving(_ said: CodeExplanation?) -> String {
        guard let said, let drive = said.drive else { return DriveAdvice.unknown }
        return drive.words + (said.driveReason.isEmpty ? "" : ": \(said.driveReason)")
    }

    /// The verdict of the report.
    public var verdict: ConditionVerdict {
        let now = change.codes.filter { $0.fate != .gone }
        return ConditionVerdict(
            codes: now.map { ($0.code.code.fullText, explanation(of: $0)?.drive) },
            untested: now.filter { $0.code.kinds == [.permanent] }.map(\.code.code.fullText),
            gone: isComparison
                ? change.codes.filter { $0.fate == .gone }.map(\.code.code.fullText) : nil,
            incomplete: monitors.incomplete,
            failedTests: change.tests.count { $0.result.passed == false })
    }

    /// The model year, for the rules of inspections.
    private var modelYear: Int? { vehicle.flatMap { VIN($0) }?.northAmericanModelYear }

    /// The circumstances when a code was stored, from its freeze frame.
    private func moment(of code: ConditionChange.Code) -> String? {
        guard case .dtc(let dtc) = code.code.code else { return nil }
        let own = frameReadings.map(\.reading).filter {
            $0.ecu == code.code.ecu && $0.dtc?.code == dtc.code
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

    /// The names, with those of SAE J1939 where the codes are of that standard.
    private var known: ECUNames {
        var names = names
        names.isOnJ1939 = isOnJ1939
        return names
    }

    private func title(of ecu: ECUAddress?, none: String = "ECU") -> String {
        known.title(of: ecu, none: none)
    }

    /// Whether the vehicle speaks SAE J1939, for which the rules of inspections are not.
    private var isOnJ1939: Bool {
        names.isOnJ1939 || vehicleProtocol == VehicleProtocol.j1939.title
            || change.codes.contains { if case .j1939 = $0.code.code { true } else { false } }
    }

    private var isComparison: Bool { since != nil }

    func lists(_ code: ConditionChange.Code) -> String {
        code.fate == .gone ? "" : code.code.kinds.map(\.rawValue).joined(separator: ", ")
    }

    /// The statuses of a code for people.
    private func listText(_ code: ConditionChange.Code) -> String {
        lists(code) + (code.fate != .gone && code.code.isActive == false ? ", not active" : "")
    }

    private func state(_ complete: Bool?) -> String {
        complete == nil ? "—" : Readiness.text(complete)
    }

    /// The number of monitors that any ECU supports, and those that any ECU has not completed.
    private var monitors: (known: Int, incomplete: [MonitorStatus.Monitor]) {
        let known = Set(change.monitors.filter { $0.now != nil }.map(\.monitor))
        let open = Set(change.monitors.filter { $0.now == false }.map(\.monitor))
        return (known.count, MonitorStatus.Monitor.allCases.filter(open.contains))
    }

    // MARK: Page

    /// The report as one page.
    public var page: HTMLPage {
        var report = self
        report.explanations.namesCommands = false
        return report.plainPage
    }

    private var plainPage: HTMLPage {
        let lead = [vehicle, head.make].compactMap(\.self).joined(separator: " · ")
        var page = HTMLPage(
            title: isComparison ? "Vehicle report, before and after" : "Vehicle report",
            lead: lead)
        page.section("Result") { page in
            page.element("p", verdict.text, class: verdict.grade.rawValue)
            // The title already contains VIN and make.
            page.facts(factsBesidesVehicle)
        }
        page.section("Trouble codes") { appendCodes(to: &$0) }
        let frame = frameReadings
        if !frame.isEmpty {
            page.section("Freeze frames") { append(frame, to: &$0) }
        }
        if !change.monitors.isEmpty {
            page.section("Readiness") { appendMonitors(to: &$0) }
        }
        if !change.tests.isEmpty {
            page.section("Test results") { page in
                appendFailures(to: &page)
                appendTests(to: &page)
            }
        }
        if !head.workshop.isEmpty {
            page.section("Workshop") { page in
                for line in head.workshop { page.element("p", line) }
            }
        }
        return page
    }

    private func appendCodes(to page: inout HTMLText) {
        if change.codes.isEmpty {
            page.element("p", "No trouble codes.", class: "good")
            return
        }
        page.table(
            [.init("Code")] + ifComparing(.init("Change"))
                + [.init("Status")] + ifSeveral(.init("ECU"))
                + [.init("Meaning"), .init("Drive on?")],
            change.codes.map { code in
                let style: String? =
                    switch code.fate {
                    case .gone: "good"
                    case .came: "bad"
                    case .stayed, nil: nil
                    }
                return [.init(code.code.code.fullText, style)]
                    + ifComparing(.init(code.fate?.rawValue ?? "", style))
                    + [.init(listText(code))] + ifSeveral(code.code.ecu)
                    + [
                        .init(texts.text(of: code.code.code) ?? ""),
                        .init(code.fate == .gone ? "" : driving(explanation(of: code))),
                    ]
            })
        for finding in together.findings {
            page.element("p", "Together: " + finding.text, class: "keep")
        }
        if !together.findings.isEmpty { page.element("p", CodeSetReading.precedence) }
        for code in change.codes { appendExplanation(of: code, to: &page) }
    }

    private func appendExplanation(of code: ConditionChange.Code, to page: inout HTMLText) {
        guard let said = explanation(of: code) else { return }
        let moment = moment(of: code)
        let notes = ([said.notice] + said.notes).filter { !$0.isEmpty }
        // Nothing is known but how a code goes, which is the same for all codes.
        if moment == nil, notes.isEmpty, said.causes.isEmpty, said.monitors.isEmpty,
            said.hazards.isEmpty
        {
            return
        }
        page.raw("<div class=\"keep\">")
        page.element("h3", "\(code.code.code.fullText): \(said.title)")
        if let moment { page.element("p", "What was happening: \(moment)") }
        for hazard in said.hazards { page.element("p", "Careful: \(hazard)", class: "bad") }
        if !notes.isEmpty { page.element("p", notes.joined(separator: " ")) }
        if !said.causes.isEmpty {
            page.raw("<ol>")
            for cause in said.causes {
                page.element("li", cause.what.capitalised + ". " + cause.check)
            }
            page.raw("</ol>\n")
        }
        var proof = said.monitors.map(\.title).joined(separator: ", ")
        if said.certainty == nil {
            page.element("p", "General: no causes of this very code are known.", class: "dim")
        }
        if !proof.isEmpty { proof = "These monitors prove the repair: \(proof). " }
        page.element("p", proof + said.clears, class: "dim")
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

    private func appendMonitors(to page: inout HTMLText) {
        let (known, incomplete) = monitors
        if known > 0 {
            page.element(
                "p", Readiness.sentence(incomplete: incomplete, of: known),
                class: incomplete.isEmpty ? "good" : "warn")
        }
        if !incomplete.isEmpty, !isOnJ1939 {
            page.element(
                "p",
                MonitorGuide.verdicts(incomplete, modelYear: modelYear).joined(separator: " "),
                class: "dim")
        }
        if !isOnJ1939, lamps.contains(where: \.isOn) {
            page.element("p", MonitorGuide.lampOn, class: "bad")
        }
        if !incomplete.isEmpty {
            for drive in MonitorGuide.drives(incomplete) {
                page.element("p", "\(drive.monitor.title): \(drive.text)")
            }
        }
        page.table(
            ifSeveral(.init("ECU")) + [.init("Monitor")] + ifComparing(.init("Before"))
                + [.init("Now")],
            change.monitors.map { monitor in
                let style = monitor.now.map { $0 ? "good" : "warn" } ?? "dim"
                return ifSeveral(monitor.ecu) + [.init(monitor.monitor.title)]
                    + ifComparing(.init(state(monitor.before), "dim"))
                    + [.init(state(monitor.now), style)]
            })
    }

    private func appendTests(to page: inout HTMLText) {
        page.table(
            ifSeveral(.init("ECU")) + [.init("Monitor"), .init("Test")]
                + ifComparing(.init("Before", "n"))
                + [
                    .init("Value", "n"), .init("Min", "n"), .init("Max", "n"), .init("Unit"),
                    .init("Result"),
                ],
            sortedTests.map { test in
                let result = test.result
                return ifSeveral(result.ecu)
                    + [.init(result.monitorTitle), .init(result.testTitle)]
                    + ifComparing(.init(result.text(test.before), "n"))
                    + [
                        .init(result.text(result.value), "n"), .init(result.minText, "n"),
                        .init(result.maxText, "n"), .init(result.unit ?? ""),
                        .init(result.verdict, result.passed.map { $0 ? "good" : "bad" }),
                    ]
            })
    }

    /// What failed tests mean.
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
        let codes =
            change.codes.isEmpty
            ? palette(.good, "No trouble codes.") + "\n"
            : codeTable.text(palette, columns: output.columns)
                + together.text(palette, columns: output.columns)
        let style: Style =
            switch verdict.grade {
            case .good: .good
            case .warn: .warning
            case .bad: .bad
            }
        let sentence = folded(verdict.text, to: output.columns ?? .max)
            .map { palette(style, $0) + "\n" }.joined()
        var parts = [sentence + rows.text(palette), codes]
        if !change.monitors.isEmpty {
            parts.append(monitorTable.text(palette, columns: output.columns))
        }
        let tests = isComparison ? sortedTests : sortedTests.filter { $0.result.passed == false }
        if !tests.isEmpty { parts.append(testTable(tests).text(palette, columns: output.columns)) }
        return parts.joined(separator: "\n")
    }

    private var codeTable: TextTable {
        var codes = TextTable([
            ("CODE", .left), (isComparison ? "CHANGE" : "", .left), ("STATUS", .left),
            ("ECU", .left), ("MEANING", .left),
        ])
        for code in change.codes {
            codes.add([
                .init(code.code.code.fullText, code.fate == .gone ? .dim : .bold),
                .init(code.fate?.rawValue ?? ""), .init(listText(code)),
                .init(code.code.ecu, known),
                .init(texts.text(of: code.code.code) ?? ""),
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
