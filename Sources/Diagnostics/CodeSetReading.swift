public import OBDCore

/// What the codes of one vehicle say together: one cause for several of them, or which to fix first.
public struct CodeSetReading: Hashable, Sendable {
    /// One thing that several codes say together.
    public struct Finding: Hashable, Sendable {
        /// A word for programs: `battery`.
        public var id: String
        /// One sentence for people.
        public var sentence: String
        /// The codes that say it, ascending.
        public var codes: [DTC]
        /// The voltage, where it is one of the reasons; unit: V.
        public var voltage: Double?
    }

    /// What must be there for a finding.
    struct Rule: Hashable, Sendable {
        /// This many different codes of these, or a voltage below a bound.
        struct Need: Hashable, Sendable {
            var count: Int
            var codes: [ClosedRange<UInt16>]
            var voltage: Double?
        }

        var id: String
        var sentence: String
        var needs: [Need] = []
    }

    /// The findings, the gravest first.
    public var findings: [Finding]
}

extension CodeExplanations {
    /// What `codes` of one vehicle say together; `voltage` is that at the adapter or of an ECU, in V.
    public func reading(
        of codes: some Sequence<DTC>, voltage: Double? = nil
    ) -> CodeSetReading {
        // A failure type makes no other code here.
        let codes = Set(codes.map { DTC($0.code) }).sorted()
        var findings: [CodeSetReading.Finding] = []
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
            guard holds else { continue }
            findings.append(
                .init(
                    id: rule.id, sentence: rule.sentence, codes: used.sorted(),
                    voltage: isLow ? voltage : nil))
        }
        return CodeSetReading(findings: findings)
    }
}
