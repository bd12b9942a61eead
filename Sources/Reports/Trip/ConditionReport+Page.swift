import Diagnostics
import Formats
import OBDCore
import SystemIO

/// The report as a page that a workshop gives to its customer.
extension ConditionReport {
    package var page: HTMLPage {
        var report = self
        report.explanations.namesCommands = false
        return report.plainPage
    }

    private var plainPage: HTMLPage {
        let lead = [vehicle, ownName, head.make].compactMap(\.self).joined(separator: " · ")
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
            // Monitors that are not complete are in the sentences above.
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
            [.init("Monitor")] + ifSeveral(.init("ECU")) + [.init("Before"), .init("Now")],
            change.monitors.map { monitor in
                // "Complete" means that the monitor has run, which proves nothing by itself.
                let style = monitor.now == true ? nil : monitor.now == false ? "warn" : "dim"
                return [.init(monitor.monitor.title)] + ifSeveral(monitor.ecu)
                    + [.init(state(monitor.before), "dim"), .init(state(monitor.now), style)]
            })
    }

    private func appendTests(to page: inout HTMLText) {
        // Values without limits prove nothing: a sentence is enough, unless they changed.
        let isShown = { (test: ConditionChange.Test) in
            test.result.judgement != nil || isComparison && test.before != test.result.value
        }
        appendTable(of: sortedTests.filter(isShown), to: &page)
        let rest = sortedTests.filter { !isShown($0) }.map(\.result)
        let unchanged = isComparison ? ", unchanged" : ""
        for (verdict, title) in [("no limits", "Without limits"), ("not run", "Not run")] {
            appendList(
                title + unchanged, of: rest.filter { $0.verdict == verdict }, to: &page)
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
            [.init("Monitor"), .init("Test")] + ifSeveral(.init("ECU"))
                + ifComparing(.init("Before", "n"))
                + [
                    .init("Value", "n"), .init("Min", "n"), .init("Max", "n"),
                    .init("Unit", "brief"), .init("Result"),
                ],
            tests.map { test in
                let result = test.result
                return [.init(result.monitorTitle), .init(result.testTitle)]
                    + ifSeveral(result.ecu)
                    + ifComparing(.init(result.text(test.before), "n"))
                    + [
                        .init(result.text(result.value), "n"), .init(result.minText, "n"),
                        .init(result.maxText, "n"), .init(result.unit ?? "", "brief"),
                        .init(
                            result.verdict,
                            result.judgement.map { $0 ? "line good" : "line bad" } ?? "line"),
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
}
