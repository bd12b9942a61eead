public import OBDCore

/// What stands beside trouble codes: families of codes, how to drive so that a monitor completes, and
/// what several codes say together.
public struct CodeExplanations: Sendable {
    /// What is known of a code's state when it is explained.
    public struct State: Hashable, Sendable {
        /// In which list it stands; nil = not known.
        public var kind: CodeReport.Kind?
        /// UDS status byte.
        public var statusByte: UInt8?
        /// Whether it is active now; nil where the vehicle does not say.
        public var isActive: Bool?
        /// What the ECU says that is to be done (UDS report 42); nil where it says nothing.
        public var advice: CodeSeverity.Advice?
        /// The lamps of the ECU (SAE J1939).
        public var lamps: CodeReport.Lamps?

        /// A code of which nothing else is known.
        public init() {}

        /// The state that an ECU reports.
        public init(_ report: CodeReport) {
            kind = report.kind
            statusByte = report.statusByte
            isActive = report.isActive
            advice = report.severity.flatMap { CodeSeverity($0).advice }
            lamps = report.lamps
        }

        /// What the vehicle itself says about driving on; nil where it says nothing.
        var drive: (advice: DriveAdvice, reason: String)? {
            if isActive == false { return (.note, "it is not active now") }
            switch advice {
            case .immediately: return (.stop, "the ECU asks for a check immediately")
            case .nextHalt: return (.soon, "the ECU asks for a check at the next halt")
            case .maintenance, nil: break
            }
            if lamps?.redStop == true { return (.stop, "the red stop lamp of this ECU is on") }
            if lamps?.amberWarning == true {
                return (.soon, "the amber warning lamp of this ECU is on")
            }
            if lamps?.protect == true { return (.soon, "the protect lamp of this ECU is on") }
            if lamps?.malfunction == true {
                return (.weeks, "the check engine light of this ECU is on")
            }
            return nil
        }

        /// Whether the fault was seen once so far, or is over.
        var isWeak: Bool {
            if kind == .pending || isActive == false { return true }
            guard let statusByte, statusByte != 0 else { return false }
            return CodeStatus(rawValue: statusByte).isDisjoint(with: [
                .testFailed, .failedThisCycle,
            ])
        }
    }

    /// Families of codes by their numbers, in the order of the text.
    public internal(set) var families: [CodeFamily] = []
    /// Families of codes by their texts.
    var kinds: [CodeFamily] = []
    /// How to drive so that a monitor completes.
    public internal(set) var drives: [MonitorStatus.Monitor: String] = [:]
    /// What several codes say together, the gravest first.
    var rules: [CodeSetReading.Rule] = []

    /// Nothing is said of any code.
    public init() {}

    /// The family that owns a code: the one with the narrowest range; nil where none has it.
    public func family(of code: DTC) -> CodeFamily? {
        var best: (family: CodeFamily, width: UInt16)?
        for family in families {
            for range in family.codes where range.contains(code.code) {
                let width = range.upperBound - range.lowerBound
                if width < best?.width ?? .max { best = (family, width) }
            }
        }
        return best?.family
    }

    /// What can be said of `code`; nil where nothing can.
    ///
    /// `text` is what ``CodeTexts`` has of it. Nothing is said of a code without a text: that it stands
    /// beside others is not enough. The kind of fault that the text names is explained where no family
    /// has the code.
    public func explanation(
        of code: DTC, text: String?, state: State = State()
    ) -> CodeExplanation? {
        guard let text else { return nil }
        if let family = family(of: code) {
            var explanation = CodeExplanation(family, code)
            explanation.certainty = family.isFromStatistics ? .statistics : .general
            if let said = state.drive, said.advice < explanation.drive ?? .note {
                explanation.drive = said.advice
                explanation.driveReason = said.reason
                return explanation
            }
            if state.isWeak, explanation.drive == .weeks {
                explanation.drive = .note
                explanation.driveReason =
                    state.kind == .pending
                    ? "seen once so far; it is stored if it comes again" : "it is not there now"
            }
            return explanation
        }
        return explanation(
            ofText: text, state: state, clears: CodeExplanation.usualWay(of: code))
    }

    /// What can be said of a code of SAE J1939: by the lamps, and by the kind of fault in its text.
    public func explanation(
        of code: J1939Code, text: String?, state: State = State()
    ) -> CodeExplanation? {
        explanation(
            ofText: text ?? "", state: state,
            clears: "obdscan dtc clear, after the repair; it also clears codes that are not active."
        )
    }

    private func explanation(
        ofText text: String, state: State, clears: String
    ) -> CodeExplanation? {
        let words = text.lowercased()
        // What comes first in the file is the more telling.
        let kind = kinds.first { kind in kind.says.contains { words.contains($0) } }
        guard kind != nil || state.drive != nil else { return nil }
        var explanation = CodeExplanation(
            kind ?? CodeFamily(id: "other", title: "Other fault"), clears: clears)
        if let said = state.drive {
            explanation.drive = said.advice
            explanation.driveReason = said.reason
        }
        return explanation
    }
}

extension CodeExplanation {
    init(_ family: CodeFamily, _ code: DTC) {
        self.init(family, clears: Self.usualWay(of: code))
        notes = family.notes.filter { $0.codes.contains { $0.contains(code.code) } }.map(\.text)
        watch = family.watches.first { $0.codes.contains { $0.contains(code.code) } } ?? watch
    }

    init(_ family: CodeFamily, clears: String) {
        self.family = family.id
        title = family.title
        drive = family.drive
        driveReason = family.driveReason
        notice = family.notice
        notes = []
        causes = family.causes
        watch = family.watches.first { $0.codes.isEmpty }
        monitors = family.monitors
        tests = family.tests
        self.clears = family.clears.isEmpty ? clears : family.clears
        certainty = .kind
    }

    /// How a code goes (13 CCR 1968.2 and UN R83: three drives, forty warm-ups).
    fileprivate static func usualWay(of code: DTC) -> String {
        switch CodeStructure(code).system {
        case .powertrain:
            "obdscan dtc clear, after the repair. The light goes out by itself after three drives "
                + "without the fault, and the code after about 40 warm-ups."
        case .chassis, .body:
            "With a scan tool that reaches the module that set it, after the repair."
        case .network:
            "obdscan dtc clear, after the repair; other modules need a scan tool that reaches them."
        }
    }
}
