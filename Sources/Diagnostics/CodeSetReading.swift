public import OBDCore

/// The combined meaning of a vehicle's codes: a common cause, or which code to fix first.
public struct CodeSetReading: Hashable, Sendable {
    /// One combined meaning of several codes.
    public struct Finding: Hashable, Sendable {
        /// An identifier for programs: `battery`.
        public var id: String
        /// One sentence for the user.
        public var sentence: String
        /// The codes with this reading, ascending; those of an order in that order.
        public var codes: [DTC]
        /// The voltage, if it is one of the reasons; unit: V.
        public var voltage: Double?
    }

    /// The conditions for a finding.
    struct Rule: Hashable, Sendable {
        /// This many different codes out of the ranges, or a voltage below a limit.
        struct Need: Hashable, Sendable {
            var count: Int
            var codes: [ClosedRange<UInt16>]
            var voltage: Double?
        }

        var id: String
        var sentence: String
        var needs: [Need] = []
        /// The first step of every repair if its condition is true: `the battery`; empty otherwise.
        var first = ""
    }

    /// A place in the order of repairs.
    ///
    /// A step only follows earlier ones of its file, so that no circle is possible.
    struct Step: Hashable, Sendable {
        var id: String
        /// `the misfire`.
        var name: String
        var codes: [ClosedRange<UInt16>] = []
        /// Steps whose faults set these codes, too, each with its sentence.
        var roots: [String: String] = [:]
    }

    /// The findings, the most serious first; the order of repairs comes before all others.
    public var findings: [Finding]

    /// The order of repairs in one statement; nil if no code follows from another.
    public var order: Finding? { findings.first { $0.id == Self.orderID } }

    /// The ``Finding/id`` of the order of repairs.
    static let orderID = "order"
}

extension CodeExplanations {
    /// The combined meaning of `codes` of a vehicle with these parts; `voltage` is measured at the adapter or by an
    /// ECU, in V.
    public func reading(
        of codes: some Sequence<DTC>, voltage: Double? = nil, engine: EngineParts = EngineParts()
    ) -> CodeSetReading {
        // Codes that differ only in the failure type count once.
        let codes = Set(codes.map { DTC($0.code) }).sorted()
        var findings: [CodeSetReading.Finding] = []
        var first: (name: String, codes: [DTC])?
        for rule in rules {
            var used: Set<DTC> = []
            var isLow = false
            let holds = rule.needs.allSatisfy { need in
                let found = codes.filter { code in
                    need.codes.contains { $0.contains(code.code) }
                }
                used.formUnion(found)
                if found.count >= need.count { return true }
                guard let bound = need.voltage, let voltage, voltage < bound else { return false }
                isLow = true
                return true
            }
            let sentence = fitting(words(rule.sentence), engine)
            guard holds, !sentence.isEmpty else { continue }
            if first == nil, !rule.first.isEmpty { first = (rule.first, used.sorted()) }
            findings.append(
                .init(
                    id: rule.id, sentence: sentence, codes: used.sorted(),
                    voltage: isLow ? voltage : nil))
        }
        if let order = order(of: codes, after: first) { findings.insert(order, at: 0) }
        return CodeSetReading(findings: findings)
    }

    /// The steps of `codes` that follow from one another, each root before what follows from it.
    private func order(
        of codes: [DTC], after first: (name: String, codes: [DTC])?
    ) -> CodeSetReading.Finding? {
        let here = steps.compactMap { step in
            let own = codes.filter { code in step.codes.contains { $0.contains(code.code) } }
            return own.isEmpty ? nil : (step: step, codes: own)
        }
        var linked: Set<String> = []
        var reasons: [String] = []
        for (step, _) in here {
            for (root, _) in here {
                guard let reason = step.roots[root.id] else { continue }
                linked.formUnion([root.id, step.id])
                if !reasons.contains(reason) { reasons.append(reason) }
            }
        }
        var chain = here.filter { linked.contains($0.step.id) }.map { ($0.step.name, $0.codes) }
        if chain.isEmpty { return nil }
        if let first { chain.insert((first.name, first.codes), at: 0) }
        let names = chain.enumerated().map { place, one in
            (place == 0 ? "Start with " : "Then ") + one.0 + "."
        }
        return CodeSetReading.Finding(
            id: CodeSetReading.orderID, sentence: (names + reasons).joined(separator: " "),
            codes: chain.flatMap(\.1).reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
    }
}
