import Diagnostics
import Formats
import OBDCore
import PIDTables

extension ExplainedCode {
    /// The explanation for people, in the order of their questions: the meaning first.
    package func text(_ palette: Palette, _ output: OutputForm) -> String {
        var result = ""
        let width = output.columns ?? .max
        for (number, line) in folded(printable("\(name)  \(meaning)"), to: width).enumerated() {
            let isName = number == 0 && line.hasPrefix(name)
            result +=
                isName ? palette(.bold, name) + line.dropFirst(name.count) : line
            result += "\n"
        }
        var rows = TextTable([("", .left), ("", .left)], flexible: [1])
        func add(_ heading: String, _ text: String, _ style: Style? = nil) {
            if !text.isEmpty { rows.add([.init(heading, .dim), .init(text, style)]) }
        }
        if let occurrence { add("Status", occurrence.status) }
        add("Drive on?", driving, style)
        for hazard in explanation?.hazards ?? [] { add("Careful", hazard, .warning) }
        add("Happened", occurrence?.moment?.sentence(output.units.whole) ?? "")
        add("Noticed", explanation?.notice ?? "")
        for note in explanation?.notes ?? [] { add("This code", note) }
        for (number, cause) in (explanation?.causes ?? []).enumerated() {
            add(
                number == 0 ? "Causes" : "",
                "\(number + 1). \(cause.sentence)")
        }
        if let watch = explanation?.watch, let command {
            add("Watch", command, .accent)
            if occurrence == nil { add("", "As far as the vehicle has these signals.") }
            add("", watch.meaning)
        }
        add("Clears", explanation?.clears ?? "")
        add("Proof", occurrence?.proof ?? proof)
        for drive in drives.prefix(1) { add("", drive) }
        add("Where", place)
        if description == nil, isCode, parameter == nil {
            add("Own text", "A table of your own can name this code: man obdscan-dtc.")
        }
        add("How sure", sureness)
        return result + rows.text(palette, indent: 2, columns: output.columns)
    }

    private var driving: String {
        explanation?.driving ?? (isCode ? DriveAdvice.unknown : "")
    }

    private var style: Style? {
        switch explanation?.drive {
        case .stop: .bad
        case .soon: .warning
        case .weeks, .note, nil: nil
        }
    }

    private var proof: String {
        guard let explanation, !explanation.monitors.isEmpty else { return "" }
        let names = explanation.monitors.map(\.title).joined(separator: ", ")
        return "obdscan monitors: \(names)"
            + (explanation.tests.isEmpty ? "" : ", with test results")
    }

    private var sureness: String {
        var parts: [String] = []
        switch isFromOneList {
        case true: parts.append("The text is from one public list and fits its neighbours.")
        case false, nil: break
        }
        let hasCauses = explanation?.causes.isEmpty == false
        switch explanation?.certainty {
        case _? where !hasCauses: break
        case .statistics: parts.append("Repair statistics name the first causes.")
        case .general: parts.append("The causes are general knowledge of workshops.")
        case nil: if !unknown.isEmpty { parts.append(unknown) }
        }
        return parts.joined(separator: " ")
    }
}

extension CodeFamily.Cause {
    /// The cause, and how to check it.
    fileprivate var sentence: String {
        what.prefix(1).uppercased() + what.dropFirst() + "." + (check.isEmpty ? "" : " \(check)")
    }
}
