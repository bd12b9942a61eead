import Diagnostics
import Formats
import OBDCore

/// The meaning of a vehicle's codes, monitors and counters: one verdict, one order of the codes, one count.
///
/// All output uses these findings, so that no two places differ.
package struct VehicleFindings: Sendable {
    /// A code of an ECU; a code with several statuses is one fault.
    package struct Fault: Sendable {
        package let code: VehicleCondition.Code
        /// The explanation of the code; nil for a code that disappeared.
        package let explanation: CodeExplanation?
        /// The proof of the code's repair.
        package let proof: CodeProof
        package var isGone: Bool { proof.state == .proven || proof.state == .unproven }

        /// The code's statuses for people: `stored, permanent`, `stored, not active`.
        package var status: String {
            code.kinds.map(\.rawValue).joined(separator: ", ")
                + (code.isActive == false ? ", not active" : "")
        }

        /// Whether one may drive on, with the reason.
        package var driving: String {
            explanation?.driving ?? DriveAdvice.unknown
        }

        /// The rank among the other codes: an unknown code may be serious.
        fileprivate var rank: Int {
            switch explanation?.drive {
            case .stop: 0
            case .soon: 1
            case .weeks: 2
            case nil: 3
            case .note: 4
            }
        }
    }

    /// A code that was present before, with the last moment at which it was; nil = not known.
    package typealias Gone = (code: VehicleCondition.Code, lastSeen: UTC?)

    package let verdict: ConditionVerdict
    /// The present codes, the most severe first.
    package let faults: [Fault]
    package let gone: [Fault]
    /// The meaning of the codes together.
    package let together: CodeSetReading
    /// The time of clearing and its meaning; nil = not known.
    package let cleared: String?
    package let sinceClear: [SinceClear]
    /// The parts of the vehicle's drive, as far as they are known.
    package let engine: EngineParts
    /// The rule of the inspection; nil if nothing is known about monitors.
    package let inspection: String?

    /// The findings about a condition.
    ///
    /// - Parameters:
    ///   - gone: codes that were present before.
    ///   - isComplete: whether every ECU gave its codes.
    ///   - voltage: at the adapter or of an ECU, in V; nil = not measured.
    ///   - clock: a time in words.
    package init(
        _ condition: VehicleCondition, gone: [Gone] = [], isComplete: Bool = true,
        texts: CodeTexts, explanations: CodeExplanations, voltage: Double? = nil,
        units: UnitSystem, clock: @escaping (UTC) -> String
    ) {
        let facts = CodeProof.Facts(
            monitors: condition.monitors, tests: condition.tests,
            sinceClear: condition.sinceClear, clearings: condition.clearings, units: units,
            clock: clock)
        func fault(_ code: VehicleCondition.Code, isGone: Bool, lastSeen: UTC?) -> Fault {
            let said = explanations.explanation(of: code, texts)
            return Fault(
                code: code, explanation: isGone ? nil : said,
                proof: CodeProof(
                    of: code, text: texts.text(of: code.code), monitors: said?.monitors ?? [],
                    tests: said?.tests ?? [],
                    showsInEveryDrive: said?.showsInEveryDrive ?? true, isGone: isGone,
                    lastSeen: lastSeen, facts))
        }
        faults = condition.codes.map { fault($0, isGone: false, lastSeen: nil) }
            .enumerated().sorted { one, other in
                let ranks = (one.element.rank, one.element.code.rank, one.offset)
                return ranks < (other.element.rank, other.element.code.rank, other.offset)
            }.map(\.element)
        self.gone = gone.map { fault($0.code, isGone: true, lastSeen: $0.lastSeen) }.sorted {
            ($0.code.code.fullText, $0.code.ecu?.value ?? 0)
                < ($1.code.code.fullText, $1.code.ecu?.value ?? 0)
        }
        together = explanations.reading(
            of: condition.codes.compactMap { code in
                if code.kinds != [.permanent], case .dtc(let dtc) = code.code { dtc } else { nil }
            }, voltage: voltage, engine: condition.engine)
        engine = condition.engine
        sinceClear = condition.sinceClear
        let recent = sinceClear.first(where: \.isRecent)?.text(units)
        verdict = ConditionVerdict(
            codes: faults.map {
                (
                    name: $0.code.code.fullText, drive: $0.explanation?.drive,
                    isPermanent: $0.proof.state == .permanent
                )
            }, gone: self.gone.map { ($0.code.code.fullText, $0.proof.state == .proven) },
            isComplete: isComplete, clearedAgo: recent, incomplete: condition.incomplete,
            failed: condition.tests.count { $0.passed == false },
            depending: faults.filter { $0.explanation?.dependsOnOthers == true }
                .map(\.code.code.fullText),
            seenOnce: faults.filter { $0.code.kinds.first == .pending }
                .map(\.code.code.fullText))
        cleared = Self.cleared(condition, units, clock)
        inspection = condition.inspection
    }

    private static func cleared(
        _ condition: VehicleCondition, _ units: UnitSystem, _ clock: (UTC) -> String
    ) -> String? {
        let known = condition.sinceClear
        guard let first = known.first else {
            guard condition.isStored else { return nil }
            if let last = condition.clearings.last {
                return "obdscan cleared codes on \(clock(last.time)). How far the vehicle has been "
                    + "driven since then is not known: the stored reading does not have it."
            }
            return
                "How long ago codes were cleared is not known: the stored reading does not have it."
        }
        let ago = first.text(units)
        let sentences =
            known.allSatisfy({ $0.text(units) == ago })
            ? ["Codes were cleared \(ago) ago"]
            : known.map { counters in
                let ecu = condition.names.title(of: counters.ecu)
                return "\(ecu): codes were cleared \(counters.text(units)) ago"
            }
        guard known.contains(where: \.isRecent) else {
            return sentences.joined(separator: ". ") + "."
        }
        let hasCodes = condition.codes.contains { $0.kinds != [.permanent] }
        return sentences.joined(separator: ". ")
            + (hasCodes
                ? ": the codes came since then, and others may follow."
                : condition.codes.isEmpty
                    ? ": the absence of codes means little yet."
                    : ": the absence of other codes means little yet.")
            + " Monitors count from then on."
    }

    package var count: Int { faults.count }

    /// The fault of a code of an ECU.
    package func fault(_ ecu: ECUAddress?, _ code: CodeReport.Code) -> Fault? {
        faults.first { $0.code.ecu == ecu && $0.code.code.isSame(as: code) }
    }
}

extension VehicleCondition.Code {
    /// Active codes come first, then those that are stored.
    fileprivate var rank: Int {
        (isActive == false ? 10 : 0)
            + (kinds.first.flatMap { CodeReport.Kind.allCases.firstIndex(of: $0) } ?? 0)
    }
}

extension CodeExplanations {
    /// The explanation of a code in its state; nil if there is none.
    func explanation(of code: VehicleCondition.Code, _ texts: CodeTexts) -> CodeExplanation? {
        let text = texts.text(of: code.code)
        return switch code.code {
        case .dtc(let dtc): explanation(of: dtc, text: text, state: code.state)
        case .j1939(let spn): explanation(of: spn, text: text, state: code.state)
        }
    }
}

// MARK: For programs

extension VehicleFindings {
    /// The keys of ``rows(at:)``, each kind's in their order.
    package static let keys = [
        ["time", "text", "grade", "codes", "order", "cleared", "inspection"],
        CodeSetReading.keys,
        ["time", "ecu", "distanceKm", "warmUps", "minutes"],
        [
            "ecu", "code", "failureType", "state", "text", "cleared", "monitor", "monitorMet",
            "back",
            "backMet", "tests", "testsMet",
        ],
    ]

    /// The verdict, the meaning of the codes together, the counters since codes were cleared, and the proofs.
    package func rows(at time: UTC?) -> [Row] {
        let first = Row(
            "verdict",
            [
                "time": .time(time), "text": .text(verdict.text),
                "grade": .text(verdict.grade.rawValue), "codes": .integer(count),
                "order": .words(faults.map(\.code.code.fullText)), "cleared": .text(cleared),
                "inspection": .text(inspection),
            ])
        let counters = sinceClear.map { one in
            Row(
                "sinceClear",
                [
                    "time": .time(time), "ecu": .text(one.ecu?.description),
                    "distanceKm": .number(one.kilometres), "warmUps": .number(one.warmUps),
                    "minutes": .number(one.minutes),
                ])
        }
        return [first] + together.rows + counters + (faults + gone).map(\.row)
    }
}

extension VehicleFindings.Fault {
    /// The proof for programs.
    fileprivate var row: Row {
        Row(
            "proof",
            [
                "ecu": .text(code.ecu?.description), "code": .text(code.code.text),
                "failureType": .text(code.code.failureType), "state": .text(proof.state.rawValue),
                "text": .text(proof.text), "cleared": .text(proof.cleared),
                "monitor": .text(proof.monitor.text), "monitorMet": .flag(proof.monitor.isMet),
                "back": .text(proof.code.text), "backMet": .flag(proof.code.isMet),
                "tests": .text(proof.tests?.text), "testsMet": .flag(proof.tests?.isMet),
            ])
    }
}
