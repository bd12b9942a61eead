import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import VehicleScan

/// Codes with their meaning, and readiness, as lines of the live view.
struct CodePage {
    let table: PIDTable
    let texts: CodeTexts
    let explanations: CodeExplanations
    let form: OutputForm
    let units: UnitSystem
    /// Whether the vehicle lacks a signal.
    let isMissing: (String) -> Bool

    /// The verdict, the codes from the most severe on, and each ECU with its light.
    func lines(_ scan: CodeScan, _ findings: VehicleFindings) -> [LiveModel.Line] {
        let style: Style =
            switch findings.verdict.grade {
            case .good: .good
            case .warn: .warning
            case .bad: .bad
            }
        var lines = [LiveModel.Line(findings.verdict.text, style)]
        if let cleared = findings.cleared { lines.append(.init(cleared)) }
        for finding in findings.together.findings {
            lines.append(.init(head: "Together  ", .bold, finding.sentence))
        }
        let isAlone = Set(findings.faults.map(\.code.ecu)).count < 2
        for fault in findings.faults {
            lines.append("")
            lines += self.lines(
                fault, isAlone ? nil : scan.names.title(of: fault.code.ecu))
        }
        for fault in findings.gone {
            let code = fault.code.code
            lines += [
                "",
                .init(
                    head: code.fullText + "  ", .bold,
                    printable(texts.text(of: code) ?? CodeTexts.unknown) + " (gone)"),
                .init(
                    head: "  Proof      ", .accent, fault.proof.text,
                    fault.proof.state == .proven ? .good : nil),
            ]
        }
        lines.append("")
        for ecu in scan.ecus { lines.append(heading(scan, ecu)) }
        return lines
    }

    private func heading(_ scan: CodeScan, _ ecu: ECUAddress?) -> LiveModel.Line {
        let head = scan.names.title(of: ecu)
        let count = scan.count(of: ecu)
        let absence = scan.absence(of: ecu, table)
        let module = scan.modules.first { $0.module.responder == ecu }
        let none =
            "  "
            + (count == 0
                ? CodePrinter.text(absence, of: module)
                : "\(count) \(count == 1 ? "code" : "codes")")
        guard let lights = scan.lights(of: ecu, table) else {
            return .init(head: head, .bold, none)
        }
        return lights.areOn
            ? .init(head: head, .bold, "  ● \(lights.text)" + none, .bad)
            : .init(
                head: head, .bold, "  \(lights.text)" + none,
                count == 0 && absence == .noCodes ? .good : nil)
    }

    private func lines(_ fault: VehicleFindings.Fault, _ place: String?) -> [LiveModel.Line] {
        let status = [fault.status, place].compactMap(\.self).joined(separator: ", ")
        var code = ExplainedCode(
            fault.code.code, texts, explanations,
            occurrence: .init(
                status: status, state: fault.code.state, proof: fault.proof.text))
        code.leaveOutSignals(where: isMissing)
        var lines = [
            LiveModel.Line(
                head: "\(fault.code.code.fullText)  ", .bold,
                "\(printable(code.meaning)) (\(status))")
        ]
        func add(_ head: String, _ text: String, _ style: Style? = nil) {
            if !text.isEmpty { lines.append(.init(head: head, .accent, text, style)) }
        }
        let style: Style? =
            switch fault.explanation?.drive {
            case .stop: .bad
            case .soon: .warning
            case .weeks, .note, nil: nil
            }
        add("  Drive on?  ", fault.driving, style)
        if fault.proof.isKnown { add("  Proof      ", fault.proof.text) }
        guard let explanation = code.explanation else {
            add("  How sure   ", code.unknown)
            return lines
        }
        for hazard in explanation.hazards { add("  Careful    ", hazard, .warning) }
        add("  Noticed    ", explanation.notice)
        for note in explanation.notes { add("  This code  ", note) }
        for (place, cause) in explanation.causes.enumerated() {
            let check = cause.check.isEmpty ? "" : ": \(cause.check)"
            add(
                place == 0 ? "  Causes     " : "             ",
                "\(place + 1). \(cause.what)\(check)")
        }
        if let watch = explanation.watch {
            let meaning = watch.meaning.isEmpty ? "" : ": \(watch.meaning)"
            add("  Watch      ", watch.signals.joined(separator: " ") + meaning)
        }
        add("  How sure   ", code.unknown)
        return lines
    }

    /// The completed and incomplete monitors.
    func lines(
        readiness items: [DiagnosticItem], _ findings: VehicleFindings, _ names: ECUNames
    ) -> [LiveModel.Line] {
        var report = MonitorReport(form, names: names)
        for item in items where MonitorReport.concerns(item) { report.add(item) }
        let text = report.text(Readiness(items, table: table), findings, besideCodes: true)
        return [""]
            + text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                let style: Style? = line.contains("not complete") ? .warning : nil
                return LiveModel.Line(String(line), style)
            }
    }
}
