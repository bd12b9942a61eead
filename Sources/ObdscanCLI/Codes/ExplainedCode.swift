import Diagnostics
import Formats
import OBDCore

/// A code and all that can be said of it.
struct ExplainedCode {
    /// What a vehicle says beside the code.
    struct Occurrence {
        /// The ECU and the lists that the code is in: `7E8: stored, permanent`.
        var status: String
        /// The state that counts when it is explained.
        var state: CodeExplanations.State
        /// What was happening when it was stored; nil where no freeze frame shows.
        var moment: CodeMoment?
    }

    /// With its failure type: `P0301-11`.
    let name: String
    /// Without it.
    let code: String
    let description: String?
    /// Whether one public list alone has the text; nil where nothing is known of its source.
    let isFromOneList: Bool?
    /// What the codes beside an unknown one are about.
    let group: String?
    let failureType: UInt8?
    /// What the failure type or failure mode says, else what its category does.
    let failureText: String?
    let system: String
    let area: String?
    let definedBy: String
    let parameter: J1939Code?
    let explanation: CodeExplanation?
    /// How to drive so that the monitors complete that prove a repair.
    let drives: [String]
    let occurrence: Occurrence?

    init(
        _ code: CodeReport.Code, _ texts: CodeTexts, _ explanations: CodeExplanations,
        occurrence: Occurrence? = nil
    ) {
        self.occurrence = occurrence
        description = texts.text(of: code)
        switch code {
        case .dtc(let code):
            let structure = CodeStructure(code)
            name = code.description
            self.code = code.text
            isFromOneList = description.map { _ in texts.isFromOneList(code) }
            group = texts.neighbours(of: code)?.sentence
            failureType = code.failureType
            failureText = code.failureType.flatMap {
                texts.text(ofFailureType: $0) ?? texts.text(ofFailureCategory: $0)
            }
            system = structure.system.name.lowercased()
            area = structure.area
            switch structure.owner {
            case .standard: definedBy = "SAE J2012"
            case .manufacturer: definedBy = "the manufacturer"
            case .reserved: definedBy = "not yet defined"
            }
            parameter = nil
            explanation = explanations.explanation(
                of: code, text: description, state: occurrence?.state ?? .init())
        case .j1939(let code):
            name = code.text
            self.code = code.text
            isFromOneList = nil
            group = nil
            failureType = nil
            failureText = texts.text(ofFailureMode: code.fmi)
            system = "commercial vehicle"
            area = nil
            // SAE J1939-73 leaves the last four thousand to the makers.
            definedBy = code.spn >= 520_192 ? "the manufacturer" : "SAE J1939"
            parameter = code
            explanation = explanations.explanation(
                of: code, text: description, state: occurrence?.state ?? .init())
        }
        drives = (explanation?.monitors ?? []).compactMap { explanations.drives[$0] }
    }

    /// The text, and how it failed.
    var meaning: String {
        let unknown =
            parameter.map { "no name for parameter \($0.spn) is known" }
            ?? "no text for this code is known" + (group.map { "; \($0)" } ?? "")
        let said = description ?? unknown
        guard let failureText, parameter == nil || description == nil else { return said }
        return said + "; " + failureText.startingSmall
    }

    var place: String {
        ([system] + [area.map(\.startingSmall)].compactMap(\.self) + [definedBy])
            .joined(separator: ", ")
    }

    /// What to type to see the signals; nil where there are none.
    var command: String? {
        explanation?.watch.map { "obdscan live " + $0.signals.joined(separator: " ") }
    }

    /// Monitor ids of service 06: `21 to 22, A1`.
    var tests: String {
        (explanation?.tests ?? []).map { range in
            let low = Hex.string([range.lowerBound])
            return range.count == 1 ? low : low + " to " + Hex.string([range.upperBound])
        }.joined(separator: ", ")
    }

    /// All that is known of it, for programs.
    static func shape(_ units: UnitSystem) -> RowShape<ExplainedCode> {
        RowShape(
            "explanation",
            [
                Field("code") { .text($0.code) }, Field("description") { .text($0.description) },
                Field("fromOneList") { .flag($0.isFromOneList) },
                Field("group") { .text($0.group) },
                Field("failureType") { .hex($0.failureType) },
                Field("failureText") { .text($0.failureText) },
                Field("spn") { .integer($0.parameter?.spn) },
                Field("fmi") { .integer($0.parameter?.fmi) }, Field("system") { .text($0.system) },
                Field("area") { .text($0.area) }, Field("definedBy") { .text($0.definedBy) },
                Field("status") { .text($0.occurrence?.status) },
                Field("happened") { .text($0.occurrence?.moment?.sentence(units.whole)) },
                Field("family") { .text($0.explanation?.family) },
                Field("driveOn") { .text($0.explanation?.drive?.rawValue) },
                Field("driveReason") { .filled($0.explanation?.driveReason ?? "") },
                Field("notice") { .filled($0.explanation?.notice ?? "") },
                Field("notes") { .texts($0.explanation?.notes ?? []) },
                Field("causes") { .texts(($0.explanation?.causes ?? []).map(\.what)) },
                Field("checks") { .texts(($0.explanation?.causes ?? []).map(\.check)) },
                Field("watch") { .words($0.explanation?.watch?.signals ?? []) },
                Field("watchMeaning") { .filled($0.explanation?.watch?.meaning ?? "") },
                Field("clears") { .text($0.explanation?.clears) },
                Field("monitors") { .words(($0.explanation?.monitors ?? []).map(\.rawValue)) },
                Field("tests") { .filled($0.tests) },
                Field("certainty") { .text($0.explanation?.certainty.rawValue) },
            ])
    }
}

extension UnitSystem {
    /// A whole number of a metric unit, in these units.
    func whole(_ value: Double, _ unit: String) -> String {
        let conversion = conversion(from: unit)
        let shown = (conversion.map { $0(value) } ?? value).rounded()
        return "\(Int(shown)) \(conversion?.unit ?? unit)"
    }
}

extension String {
    /// Without a capital at the beginning, unless it is an abbreviation.
    fileprivate var startingSmall: String {
        guard let second = dropFirst().first, !second.isUppercase else { return self }
        return prefix(1).lowercased() + dropFirst()
    }
}
