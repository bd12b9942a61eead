import Diagnostics
import Formats
import OBDCore

/// A trouble code with all known facts about it.
package struct ExplainedCode {
    /// The vehicle's own facts about the code.
    package struct Occurrence {
        /// The lists that the code is in, after the ECU if several answered:
        /// `Engine (7E8): stored, permanent`.
        package var status: String
        /// The code's state, on which the explanation depends.
        package var state: CodeExplanations.State
        /// The circumstances when the code was stored; nil without a freeze frame.
        package var moment: CodeMoment?
        /// The proof of repair and how much of it exists; empty if the proof is not known.
        package var proof: String

        package init(
            status: String, state: CodeExplanations.State, moment: CodeMoment? = nil, proof: String
        ) {
            self.status = status
            self.state = state
            self.moment = moment
            self.proof = proof
        }
    }

    /// The code with its failure type: `P0301-11`.
    package let name: String
    /// The code without its failure type.
    package let code: String
    package let description: String?
    /// Whether only one public list has the text; nil if the source of the text is unknown.
    package let isFromOneList: Bool?
    /// The subject of the neighbouring codes, for a code without a text.
    package let group: String?
    package let failureType: UInt8?
    /// The meaning of the failure type or failure mode, else of its category.
    package let failureText: String?
    package let system: String
    package let area: String?
    package let definedBy: String
    package let parameter: J1939Code?
    package private(set) var explanation: CodeExplanation?
    /// How to drive so that the monitors that prove a repair complete.
    package let drives: [String]
    package let occurrence: Occurrence?
    /// The device that was read, as an option of the command that watches signals.
    package var deviceOption = ""

    package init(
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
            // SAE J1939-73 reserves the last four thousand numbers for manufacturers.
            definedBy = code.spn >= 520_192 ? "the manufacturer" : "SAE J1939"
            parameter = code
            explanation = explanations.explanation(
                of: code, text: description, state: occurrence?.state ?? .init())
        }
        // Which drive tests a component is not known, unless its fault shows in every drive.
        let isShown = explanation?.showsInEveryDrive ?? true
        drives = (explanation?.monitors ?? []).filter { isShown || $0 != .components }
            .compactMap { explanations.drives[$0] }
    }

    /// The text of the code with its failure type.
    package var meaning: String {
        let said = description ?? unknownMeaning
        guard let failureText, parameter == nil || description == nil else { return said }
        return said + "; " + failureText.startingSmall
    }

    /// Whether the code is more than the filling of an unused place.
    var isCode: Bool { code != Self.filler }

    /// The words for a code without a text.
    private var unknownMeaning: String {
        if let parameter { return "no name for parameter \(parameter.spn) is known" }
        if !isCode { return "not a code: answers fill their unused places with it" }
        return CodeTexts.unknown + (group.map { "; \($0)" } ?? "")
    }

    /// The bytes 00 00, which read as a code.
    private static let filler = DTC(0).text

    package var place: String {
        ([system] + [area.map(\.startingSmall)].compactMap(\.self) + [definedBy])
            .joined(separator: ", ")
    }

    /// The command that shows the relevant signals; nil if there are none.
    package var command: String? {
        explanation?.watch.map {
            "obdscan live " + $0.signals.joined(separator: " ") + deviceOption
        }
    }

    /// Leaves out the signals to watch that the vehicle does not have.
    package mutating func leaveOutSignals(where isMissing: (String) -> Bool) {
        explanation?.watch?.signals.removeAll(where: isMissing)
        if explanation?.watch?.signals.isEmpty == true { explanation?.watch = nil }
    }

    /// The missing facts about the code; empty if its own causes are known.
    package var unknown: String {
        guard description != nil || explanation != nil, explanation?.certainty == nil else {
            return ""
        }
        return explanation?.drive == nil
            ? "General: nothing is known about this very code."
            : "General: no causes of this very code are known."
    }

    /// Monitor ids of service 06: `21 to 22, A1`.
    package var tests: String {
        (explanation?.tests ?? []).map { range in
            let low = Hex.string([range.lowerBound])
            return range.count == 1 ? low : low + " to " + Hex.string([range.upperBound])
        }.joined(separator: ", ")
    }

    package static func shape(_ units: UnitSystem) -> RowShape<ExplainedCode> {
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
                Field("meaning") { .text($0.explanation?.meaning.rawValue) },
                Field("hazards") { .texts($0.explanation?.hazards ?? []) },
                Field("notice") { .filled($0.explanation?.notice ?? "") },
                Field("notes") { .texts($0.explanation?.notes ?? []) },
                Field("causes") { .texts(($0.explanation?.causes ?? []).map(\.what)) },
                Field("checks") { .texts(($0.explanation?.causes ?? []).map(\.check)) },
                Field("watch") { .words($0.explanation?.watch?.signals ?? []) },
                Field("watchMeaning") { .filled($0.explanation?.watch?.meaning ?? "") },
                Field("clears") { .text($0.explanation?.clears) },
                Field("monitors") { .words(($0.explanation?.monitors ?? []).map(\.rawValue)) },
                Field("tests") { .filled($0.tests) },
                Field("unknown") { .filled($0.unknown) },
                Field("certainty") { .text($0.explanation?.certainty?.rawValue) },
                Field("proof") { .filled($0.occurrence?.proof ?? "") },
            ])
    }
}
