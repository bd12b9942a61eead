/// Something that can hurt a person who follows advice on a code.
public struct CodeHazard: Hashable, Sendable {
    /// An identifier for programs: `high-voltage`.
    public var id: String
    /// What to keep away from.
    public var sentence: String
    /// The codes that have it by their numbers.
    var codes: [ClosedRange<UInt16>] = []
    /// Parts of the texts of codes that have it, in small letters.
    var says: [String] = []
    /// Words of advice that touches it, in small letters.
    var touches: [String] = []
    /// Phrases with such a word that do not touch it.
    var harmless: [String] = []
    /// The family that alone explains its codes; nil if other families may.
    var family: String?
    /// The hazard whose codes do not have this one; nil without such a hazard.
    var yieldsTo: String?

    /// Whether a code has it.
    func concerns(_ code: UInt16?, _ text: String) -> Bool {
        if let code, codes.contains(where: { $0.contains(code) }) { return true }
        return says.contains { text.contains($0) }
    }

    /// Whether the words of an advice, in small letters, touch it.
    func isTouched(by advice: String) -> Bool {
        guard touches.contains(where: { advice.contains($0) }) else { return false }
        let rest = harmless.reduce(advice) { $0.replacing($1, with: "") }
        return touches.contains { rest.contains($0) }
    }
}
