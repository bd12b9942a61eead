import Diagnostics
import Formats
import OBDCore
import PIDTables
import TerminalView
import TripReports
import VehicleReports
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

    /// Each ECU with its light, and each of its codes once.
    func lines(_ scan: CodeScan) -> [LiveModel.Line] {
        var lines: [LiveModel.Line] = []
        for ecu in scan.ecus {
            if !lines.isEmpty { lines.append("") }
            lines.append(heading(scan, ecu))
            let reports = scan.codes.filter { $0.ecu == ecu }
            var seen: Set<CodeReport.Code> = []
            for report in reports where seen.insert(report.code).inserted {
                let kinds = reports.filter { $0.code == report.code }.map(\.kindText)
                lines += self.lines(report, kinds)
            }
        }
        var codes: [DTC] = []
        for case .dtc(let code) in scan.codes.map(\.code) { codes.append(code) }
        var together = explanations.reading(of: codes).findings.map { finding in
            LiveModel.Line(head: "  Together   ", .bold, finding.sentence)
        }
        if !together.isEmpty {
            together.append(.init(head: "             ", nil, CodeSetReading.precedence))
        }
        return lines + (together.isEmpty ? [] : [""] + together)
    }

    private func heading(_ scan: CodeScan, _ ecu: ECUAddress?) -> LiveModel.Line {
        let head = scan.names.title(of: ecu)
        let count = scan.codes.count { $0.ecu == ecu }
        let none = count == 0 ? "  no codes" : ""
        guard let lights = scan.lights(of: ecu, table) else {
            return .init(head: head, .bold, none)
        }
        return lights.areOn
            ? .init(head: head, .bold, "  ● \(lights.text)" + none, .bad)
            : .init(head: head, .bold, "  \(lights.text)" + none, count == 0 ? .good : nil)
    }

    private func lines(_ report: CodeReport, _ kinds: [String]) -> [LiveModel.Line] {
        var code = ExplainedCode(
            report.code, texts, explanations,
            occurrence: .init(
                status: kinds.joined(separator: ", "), state: .init(report), moment: nil))
        code.leaveOutSignals(where: isMissing)
        var lines = [
            LiveModel.Line(
                head: "  \(report.fullText)  ", .bold,
                "\(printable(code.meaning)) (\(kinds.joined(separator: ", ")))")
        ]
        func add(_ head: String, _ text: String, _ style: Style? = nil) {
            if !text.isEmpty { lines.append(.init(head: head, .accent, text, style)) }
        }
        guard let explanation = code.explanation else {
            add("    How sure   ", code.unknown)
            return lines
        }
        if let drive = explanation.drive {
            let reason = explanation.driveReason.isEmpty ? "" : ": \(explanation.driveReason)"
            let style: Style? =
                switch drive {
                case .stop: .bad
                case .soon: .warning
                case .weeks, .note: nil
                }
            add("    Drive on?  ", drive.words + reason, style)
        }
        for hazard in explanation.hazards { add("    Careful    ", hazard, .warning) }
        add("    Noticed    ", explanation.notice)
        for note in explanation.notes { add("    This code  ", note) }
        for (place, cause) in explanation.causes.enumerated() {
            let check = cause.check.isEmpty ? "" : ": \(cause.check)"
            add(
                place == 0 ? "    Causes     " : "               ",
                "\(place + 1). \(cause.what)\(check)")
        }
        if let watch = explanation.watch {
            let meaning = watch.meaning.isEmpty ? "" : ": \(watch.meaning)"
            add("    Watch      ", watch.signals.joined(separator: " ") + meaning)
        }
        add("    How sure   ", code.unknown)
        return lines
    }

    /// The completed and incomplete monitors.
    func lines(readiness items: [DiagnosticItem], _ names: ECUNames) -> [LiveModel.Line] {
        var report = MonitorReport(form, names: names)
        for item in items where MonitorReport.concerns(item) { report.add(item) }
        let text = report.text(Readiness(items, table: table))
        return [""]
            + text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                let style: Style? = line.contains("not complete") ? .warning : nil
                return LiveModel.Line(String(line), style)
            }
    }
}
