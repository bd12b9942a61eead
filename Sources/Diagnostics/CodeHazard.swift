/// A danger for a person who follows advice on a code.
public struct CodeHazard: Hashable, Sendable {
    /// An identifier for programs: `high-voltage`.
    public var id: String
    /// The warning.
    public var sentence: String
    /// The codes that have the hazard by their numbers.
    var codes: [ClosedRange<UInt16>] = []
    /// Parts of the texts of codes that have it, in small letters.
    var says: [String] = []
    /// Words of advice that touches it, in small letters.
    var touches: [String] = []
    /// Phrases with such a word that are not dangerous.
    var harmless: [String] = []
    /// The only family that explains codes of this hazard; nil if other families may.
    var family: String?
    /// The hazard that displaces this hazard: a code with both has only the other one; nil if no hazard does.
    var yieldsTo: String?

    /// Whether a code has this hazard.
    func concerns(_ code: UInt16?, _ text: String) -> Bool {
        if let code, codes.contains(where: { $0.contains(code) }) { return true }
        return says.contains { text.contains($0) }
    }

    /// Whether an advice, in small letters, has a word of this hazard.
    func isTouched(by advice: String) -> Bool {
        guard touches.contains(where: { advice.contains($0) }) else { return false }
        let rest = harmless.reduce(advice) { $0.replacing($1, with: "") }
        return touches.contains { rest.contains($0) }
    }
}
