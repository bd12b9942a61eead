public import OBDCore

/// Explanations for trouble codes: families of codes, how to drive so that a monitor completes, and the
/// combined meaning of several codes.
public struct CodeExplanations: Sendable {
    /// The state of a code, as far as it is known.
    public struct State: Hashable, Sendable {
        /// The list that contains it; nil if not known.
        public var kind: CodeReport.Kind?
        /// UDS status byte.
        public var statusByte: UInt8?
        /// Whether it is active now; nil if the vehicle does not report that.
        public var isActive: Bool?
        /// The ECU's advice (UDS report 42); nil if there is none.
        public var advice: CodeSeverity.Advice?
        /// The lamps of the ECU (SAE J1939).
        public var lamps: CodeReport.Lamps?

        /// A code about which nothing else is known.
        public init() {}

        /// The state that an ECU reports.
        public init(_ report: CodeReport) {
            kind = report.kind
            statusByte = report.statusByte
            isActive = report.isActive
            advice = report.severity.flatMap { CodeSeverity($0).advice }
            lamps = report.lamps
        }

        /// The vehicle's own advice on driving on; nil if there is none.
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

        /// Whether the fault was seen only once so far, or no longer exists.
        var isWeak: Bool {
            if kind == .pending || isActive == false { return true }
            guard let statusByte, statusByte != 0 else { return false }
            // ISO 14229-1: bit 0 says that the test fails now, bit 1 that it failed in this cycle.
            return statusByte & 0x03 == 0
        }
    }

    /// Families of codes by their numbers, in the order of the text.
    public internal(set) var families: [CodeFamily] = []
    /// Families of codes by their texts.
    var kinds: [CodeFamily] = []
    /// How to drive so that a monitor completes.
    public internal(set) var drives: [MonitorStatus.Monitor: String] = [:]
    /// The combined meanings of several codes, the most serious first.
    var rules: [CodeSetReading.Rule] = []
    /// Whether texts name commands of obdscan; a page has readers without a command line.
    public var namesCommands = true

    /// Explanations without entries.
    public init() {}

    /// The family of a code, which is the one with the narrowest range; nil if there is none.
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

    /// The families whose repair a monitor of service 06 proves before all others.
    public func families(ofMonitor mid: UInt8) -> [CodeFamily] {
        families.filter { $0.tests.first?.contains(mid) ?? false }
    }

    /// The explanation of `code`; nil if there is none.
    ///
    /// `text` is its text in ``CodeTexts``. A code without a text gets no explanation, because it is not
    /// enough that its neighbours have one. If no family has the code, the kind of fault in the text is
    /// explained.
    public func explanation(
        of code: DTC, text: String?, state: State = State()
    ) -> CodeExplanation? {
        guard let text else { return nil }
        if let family = family(of: code) {
            var explanation = worded(CodeExplanation(family, code))
            if state.kind == .pending, family.clears.isEmpty {
                explanation.clears =
                    "A pending code goes by itself, after the next drive that tests it and finds no "
                    + "fault."
            }
            if state.kind == .permanent { explanation.clears = Self.vehicleClears }
            explanation.certainty = family.isFromStatistics ? .statistics : .general
            if let said = state.drive, said.advice < explanation.drive ?? .note {
                explanation.drive = said.advice
                explanation.driveReason = said.reason
                return explanation
            }
            if state.kind == .permanent, explanation.drive == .soon || explanation.drive == .weeks {
                explanation.drive = .note
                explanation.driveReason =
                    "cleared, but the vehicle has not tested the repair yet"
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

    /// The explanation of a SAE J1939 code, from the lamps and from the kind of fault in its text.
    public func explanation(
        of code: J1939Code, text: String?, state: State = State()
    ) -> CodeExplanation? {
        explanation(
            ofText: text ?? "", state: state,
            clears:
                "[obdscan dtc clear, after|Clear the codes after] the repair; [it|this] also clears "
                + "codes that are not active."
        )
    }

    private func explanation(
        ofText text: String, state: State, clears: String
    ) -> CodeExplanation? {
        let words = text.lowercased()
        // The kinds are in order of significance in the file.
        let kind = kinds.first { kind in kind.says.contains { words.contains($0) } }
        guard kind != nil || state.drive != nil else { return nil }
        var explanation = worded(
            CodeExplanation(
                kind ?? CodeFamily(id: "other", title: "Other fault"), clears: clears))
        if state.kind == .permanent { explanation.clears = Self.vehicleClears }
        // A fault that is there is as grave as the graver of the two says.
        if let said = state.drive,
            state.isActive == false || explanation.drive.map({ said.advice < $0 }) ?? true
        {
            explanation.drive = said.advice
            explanation.driveReason = said.reason
        }
        return explanation
    }

    /// How a permanent code goes (13 CCR 1968.2 and SAE J1979, service 0A).
    private static let vehicleClears =
        "No scan tool clears a permanent code. The vehicle does, when it has tested the repair and found "
        + "no fault."

    /// The explanation with the wanted form of each text.
    private func worded(_ explanation: CodeExplanation) -> CodeExplanation {
        var explanation = explanation
        explanation.notice = words(explanation.notice)
        explanation.notes = explanation.notes.map(words)
        for place in explanation.causes.indices {
            explanation.causes[place].check = words(explanation.causes[place].check)
        }
        explanation.clears = words(explanation.clears)
        return explanation
    }

    /// A text with or without its commands: `[run obdscan dtc clear|clear the codes]` has both forms.
    func words(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let begin = rest.firstIndex(of: "["), let end = rest[begin...].firstIndex(of: "]") {
            let forms = rest[begin..<end].dropFirst()
                .split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
            result += rest[..<begin] + ((namesCommands ? forms.first : forms.last) ?? "")
            rest = rest[end...].dropFirst()
        }
        return result + rest
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

    /// How a code is normally erased (13 CCR 1968.2 and UN R83: three driving cycles, forty warm-ups).
    fileprivate static func usualWay(of code: DTC) -> String {
        switch CodeStructure(code).system {
        case .powertrain:
            "Repair first, then [run obdscan dtc clear|clear the codes]. Without it the light goes out "
                + "after three "
                + "drives without the fault, and the code goes after about 40 warm-ups."
        case .chassis, .body:
            "With a scan tool that reaches the module that set it, after the repair."
        case .network:
            "[obdscan dtc clear, after|Clear the codes after] the repair; other modules need a scan "
                + "tool that reaches them."
        }
    }
}
