extension CodeExplanations {
    /// Contradictions in the text, which would let a dangerous or a useless sentence through.
    package var faults: [String] {
        var faults: [String] = []
        let ids = Set(families.map(\.id))
        for hazard in hazards {
            guard let id = hazard.family else { continue }
            if !ids.contains(id) { faults.append("hazard \(hazard.id): no family `\(id)`") }
            for family in families where family.id == id {
                // Only trained people with the maker's manual can work there.
                if !family.causes.isEmpty || !family.watches.isEmpty {
                    faults.append("family \(id): hazard \(hazard.id) allows no causes")
                }
            }
        }
        for hazard in hazards {
            if let id = hazard.yieldsTo, !hazards.contains(where: { $0.id == id }) {
                faults.append("hazard \(hazard.id): no hazard `\(id)`")
            }
            let words = hazard.touches
            for phrase in hazard.harmless where !words.contains(where: { phrase.contains($0) }) {
                faults.append("hazard \(hazard.id): `\(phrase)` is harmless anyway")
            }
        }
        var phrases: Set<String> = []
        for phrase in meanings.flatMap(\.says) where !phrases.insert(phrase).inserted {
            faults.append("`\(phrase)` has two meanings")
        }
        for byte in UInt8.min...UInt8.max
        where meanings.count(where: { $0.failureTypes.contains(byte) }) > 1 {
            faults.append("failure type \(byte) has two meanings")
        }
        for mode in UInt8(0)..<32
        where meanings.count(where: { $0.failureModes.contains(mode) }) > 1 {
            faults.append("failure mode \(mode) has two meanings")
        }
        return faults
    }
}
