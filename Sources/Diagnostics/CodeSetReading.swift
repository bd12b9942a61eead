public import OBDCore

/// The combined meaning of a vehicle's codes: a common cause, or which code to fix first.
public struct CodeSetReading: Hashable, Sendable {
    /// One combined meaning of several codes.
    public struct Finding: Hashable, Sendable {
        /// An identifier for programs: `battery`.
        public var id: String
        /// One sentence for the user.
        public var sentence: String
        /// The codes that led to it, ascending.
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
    }

    /// The findings, the most serious first.
    public var findings: [Finding]
}

extension CodeExplanations {
    /// The combined meaning of `codes`; `voltage` is measured at the adapter or by an ECU, in V.
    public func reading(
        of codes: some Sequence<DTC>, voltage: Double? = nil
    ) -> CodeSetReading {
        // Codes that differ only in the failure type count once.
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
                    id: rule.id, sentence: words(rule.sentence), codes: used.sorted(),
                    voltage: isLow ? voltage : nil))
        }
        return CodeSetReading(findings: findings)
    }
}
