public import OBDCore

/// Explanations for trouble codes: families of codes, how to drive so that a monitor completes, and the
/// combined meaning of several codes.
public struct CodeExplanations: Sendable {
    /// The state of a code, as far as it is known.
    public struct State: Hashable, Sendable {
        /// The list that contains the code; nil if not known.
        public var kind: CodeReport.Kind?
        /// Whether the list of permanent codes has the code, too.
        public var isPermanentToo = false
        /// UDS status byte.
        public var statusByte: UInt8?
        /// Whether the fault is active now; nil if the vehicle does not report that.
        public var isActive: Bool?
        /// The ECU's advice (UDS report 42); nil if there is none.
        public var advice: CodeSeverity.Advice?
        /// The lamps of the ECU (SAE J1939).
        public var lamps: CodeReport.Lamps?
        /// The parts of the vehicle's drive.
        public var engine = EngineParts()

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
            if isActive == false {
                return (.note, "it is not active now; stop if a red light comes on")
            }
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
            // ISO 14229-1: bit 0 means that the test fails now, bit 1 that it failed in this cycle.
            return statusByte & 0x03 == 0
        }
    }

    /// Families of codes by their numbers, in the order of the text.
    public internal(set) var families: [CodeFamily] = []
    /// Meanings of codes, with the advice for each that applies to any part.
    var meanings: [CodeMeaningText] = []
    /// The dangers for a person who follows advice on a code.
    public internal(set) var hazards: [CodeHazard] = []
    /// The words for parts that not every vehicle has.
    var parts: [PartWords] = []
    /// Answers to "drive on?" for single codes, which precede the answer of the family.
    var answers: [Answer] = []
    /// How to drive so that a monitor completes.
    public internal(set) var drives: [MonitorStatus.Monitor: String] = [:]
    /// The combined meanings of several codes, the most serious first.
    var rules: [CodeSetReading.Rule] = []
    /// The order of repairs: a root comes before its consequences.
    var steps: [CodeSetReading.Step] = []
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
    /// `text` is the code's text in ``CodeTexts``. A code without a text gets no explanation, because it is
    /// not enough that its neighbours have one; only a hazard of its number is named. If no family has the
    /// code, only its meaning is explained.
    public func explanation(
        of code: DTC, text: String?, state: State = State()
    ) -> CodeExplanation? {
        let words = text?.lowercased() ?? ""
        let guardian = hazards.first { $0.family != nil && $0.concerns(code.code, words) }?.family
        guard text != nil || guardian != nil else { return nil }
        let family = guardian.map { id in families.first { $0.id == id } } ?? family(of: code)
        let meaning = meaning(of: code, text: words)
        let answer = answers.first { $0.codes.contains { $0.contains(code.code) } }
        let draft = Draft(
            family: family, meaning: meaning, code: code.code, text: words, answer: answer,
            clears: CodeExplanation.usualWay(of: code))
        return explanation(draft, state)
    }

    /// The explanation of a SAE J1939 code, from its lamps, its parameter and its failure mode.
    public func explanation(
        of code: J1939Code, text: String?, state: State = State()
    ) -> CodeExplanation? {
        let words = text?.lowercased() ?? ""
        let guardian = hazards.first { $0.family != nil && $0.concerns(nil, words) }?.family
        let family = families.first { family in
            guardian.map { $0 == family.id } ?? family.trucks.contains(.init(code))
        }
        let draft = Draft(
            family: family, meaning: meaning(ofFailureMode: code.fmi), text: words,
            answer: answers.first { $0.trucks.contains(.init(code)) },
            clears:
                "[obdscan dtc clear, after|Clear the codes after] the repair; [it|this] also clears "
                + "codes that are not active.")
        return explanation(draft, state)
    }

    /// An answer to "drive on?" for single codes.
    struct Answer: Hashable, Sendable {
        /// The advice; nil if the codes of other controllers decide.
        var drive: DriveAdvice?
        var reason: String
        var codes: [ClosedRange<UInt16>] = []
        var trucks: [TruckCode] = []
    }

    /// A parameter of SAE J1939 with a failure mode.
    struct TruckCode: Hashable, Sendable {
        var spn: UInt32
        var fmi: UInt8

        init(_ code: J1939Code) {
            spn = code.spn
            fmi = code.fmi
        }
    }

    /// The known facts about a code before its state counts.
    private struct Draft {
        var family: CodeFamily?
        var meaning: CodeMeaning
        var code: UInt16?
        var text: String
        var answer: Answer?
        var clears: String
    }

    private func explanation(_ draft: Draft, _ state: State) -> CodeExplanation? {
        let general = meanings.first { $0.meaning == draft.meaning }
        let touched = hazards.contains { $0.concerns(draft.code, draft.text) }
        guard
            draft.family != nil || !draft.text.isEmpty || general?.causes.isEmpty == false
                || draft.answer != nil || state.drive != nil || touched
        else { return nil }
        var said: CodeExplanation
        if let family = draft.family {
            said = CodeExplanation(family, draft.code, draft.meaning, clears: draft.clears)
        } else {
            said = CodeExplanation(
                CodeFamily(
                    id: draft.meaning.rawValue, title: general?.title ?? "Other fault"),
                draft.code, draft.meaning, clears: draft.clears)
            said.causes = general?.causes ?? []
            said.certainty = nil
        }
        if let answer = draft.answer {
            said.drive = answer.drive
            said.driveReason = answer.reason
            said.dependsOnOthers = answer.drive == nil
        }
        apply(state, to: &said, draft)
        // Live values are not the first step if the engine has to be switched off.
        if said.drive == .stop { said.watch = nil }
        // Monitors of OBD test the powertrain and its networks: not SAE J1939, brakes or the body.
        if draft.code.map({ [0, 3].contains($0 >> 14) }) != true {
            said.monitors = []
            said.tests = []
        }
        said.showsInEveryDrive = Self.showsInEveryDrive(said.monitors, draft.meaning, draft.text)
        said = fitting(worded(said), state.engine, text: draft.text)
        let advice = said.advice.lowercased()
        let ownHazards = Set(
            hazards.filter { $0.concerns(draft.code, draft.text) }.map(\.id))
        said.hazards = hazards.filter { hazard in
            if let id = hazard.yieldsTo, ownHazards.contains(id) { return false }
            return ownHazards.contains(hazard.id) || hazard.isTouched(by: advice)
        }.map { warning($0.sentence, state.engine) }.filter { !$0.isEmpty }
        return said
    }

    /// Applies the code's list, its status and the lamps.
    private func apply(_ state: State, to said: inout CodeExplanation, _ draft: Draft) {
        let isKnown = draft.family != nil || draft.answer != nil
        if state.kind == .pending, draft.code != nil, draft.family?.clears.isEmpty ?? true {
            said.clears =
                "A pending code goes by itself, after the next drive that tests it and finds no fault."
        }
        said.adapt(to: state)
        // A present fault is as serious as the more serious of both.
        if let vehicle = state.drive,
            state.isActive == false && (draft.code == nil || !isKnown)
                || said.drive.map({ vehicle.advice < $0 }) ?? true
        {
            said.drive = vehicle.advice
            said.driveReason = vehicle.reason
            said.dependsOnOthers = false
            return
        }
        if state.kind == .permanent, let urgency = said.drive?.urgency {
            said.drive = nil
            let reason = said.driveReason.isEmpty ? "" : ": \(said.driveReason)"
            said.driveReason =
                "only the permanent code is left; if the fault is still there, have it repaired "
                + urgency + reason
        }
        if state.isWeak, said.drive == .weeks {
            said.drive = .note
            said.driveReason =
                state.kind == .pending
                ? "seen once so far; it is stored if it comes again" : "it is not there now"
        }
    }

    /// Whether a fault of components shows in every drive.
    ///
    /// The wire of a sensor is tested all the time. A pressure, a temperature, an actuator or a controller is
    /// tested under conditions that only the maker knows.
    private static func showsInEveryDrive(
        _ monitors: [MonitorStatus.Monitor], _ meaning: CodeMeaning, _ text: String
    ) -> Bool {
        guard monitors.contains(.components) else { return true }
        switch meaning {
        case .open, .shortToGround, .shortToSupply, .circuit, .signalLow, .signalHigh:
            return text.contains("sensor")
        default: return false
        }
    }

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
    /// How a permanent code goes (13 CCR 1968.2 and SAE J1979, service 0A).
    private static let vehicleClears =
        "No scan tool clears a permanent code. The vehicle does, when it has tested the part again and "
        + "found no fault."

    private static let permanentStays =
        "Its permanent code stays until the vehicle has tested the repair and found no fault."

    /// Leaves out advice that does not apply to a code that is only permanent: such a code was
    /// cleared or repaired, so no fault is known now.
    fileprivate mutating func adapt(to state: CodeExplanations.State) {
        guard state.kind == .permanent else {
            if state.isPermanentToo { clears += " " + Self.permanentStays }
            return
        }
        clears = Self.vehicleClears
        causes = []
        watch = nil
        notice = ""
        notes = [
            "Only the permanent code is left: it was cleared, or the fault did not come back. The vehicle "
                + "has not yet found that the fault is gone."
        ]
    }

    /// The explanation of a family, as far as it fits the code and its meaning.
    init(_ family: CodeFamily, _ code: UInt16?, _ meaning: CodeMeaning, clears: String) {
        func isIn(_ ranges: [ClosedRange<UInt16>]) -> Bool {
            code.map { code in ranges.contains { $0.contains(code) } } ?? false
        }
        self.family = family.id
        self.meaning = meaning
        title = family.title
        drive = family.drive
        driveReason = family.driveReason
        notice = family.notice
        notes = family.notes.filter { isIn($0.codes) || $0.codes.isEmpty }.map(\.text)
        causes = family.causes.filter { cause in
            cause.meanings.contains(meaning) || isIn(cause.codes)
                || cause.meanings.isEmpty && cause.codes.isEmpty
        }
        watch =
            family.watches.first { isIn($0.codes) } ?? family.watches.first { $0.codes.isEmpty }
        monitors = family.monitors
        tests = family.tests
        hazards = []
        self.clears = family.clears.isEmpty ? clears : family.clears
        certainty =
            causes.isEmpty ? nil : family.isFromStatistics ? .statistics : .general
    }

    /// The advice to a driver; a workshop knows the hazards.
    var advice: String {
        let own = causes.filter { !$0.check.hasPrefix("A workshop") }
        return (notes + own.flatMap { [$0.what, $0.check] })
            .joined(separator: "\n")
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
