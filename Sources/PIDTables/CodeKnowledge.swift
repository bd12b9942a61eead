import Diagnostics
import Synchronization

/// Texts and explanations of trouble codes; the explanations are loaded for the first code that needs them.
public final class CodeKnowledge: Sendable {
    /// The texts of codes.
    public let texts: CodeTexts
    /// Nil until the explanations are loaded.
    private let explanations = Mutex<Result<CodeExplanations, CodeExplanationError>?>(nil)

    /// Knowledge with these texts.
    public init(texts: CodeTexts = PIDTables.codeTexts()) {
        self.texts = texts
    }

    /// The facts of a reported code, if the other lists of its ECU are not known.
    public func facts(of report: CodeReport) -> CodeFacts { facts(of: report, isAlone: false) }

    /// The facts about a reported code; `isAlone` if its ECU has no more important list with the code.
    public func facts(of report: CodeReport, isAlone: Bool) -> CodeFacts {
        let text = texts.text(of: report.code)
        let loaded = explanations.withLock { known in
            if let known { return known }
            let loaded = Result { () throws(CodeExplanationError) in
                try PIDTables.codeExplanations()
            }
            known = loaded
            return loaded
        }
        // A fault in the embedded file is a fault of the build and is found by tests.
        guard case .success(let explanations) = loaded else { return CodeFacts(text: text) }
        var state = CodeExplanations.State(report)
        if state.kind == .permanent, !isAlone { state.kind = .stored }
        let explanation: CodeExplanation? =
            switch report.code {
            case .dtc(let code): explanations.explanation(of: code, text: text, state: state)
            case .j1939(let code): explanations.explanation(of: code, text: text, state: state)
            }
        return CodeFacts(text: text, driveOn: explanation?.drive)
    }
}
