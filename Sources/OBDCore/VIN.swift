/// A vehicle identification number (ISO 3779).
public struct VIN: Hashable, Sendable {
    /// The number of characters in a VIN.
    public static let length = 17

    /// Seventeen characters: A–Z without I, O and Q, and 0–9.
    public var text: String

    /// Checks length and characters; nil if either is not valid.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.length, text.utf8.allSatisfy({ Self.value(of: $0) != nil })
        else {
            return nil
        }
        self.text = String(text)
    }

    /// Whether its vehicle must have a check digit, as in North America (49 CFR 565) and China (GB 16735).
    public var needsCheckDigit: Bool {
        guard let first = text.utf8.first else { return false }
        return (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(first) || first == UInt8(ascii: "L")
    }

    /// Whether position 9 is the correct check digit (49 CFR 565).
    public var hasValidCheckDigit: Bool {
        let weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
        var sum = 0
        for (character, weight) in zip(text.utf8, weights) {
            sum += (Self.value(of: character) ?? 0) * weight
        }
        let remainder = sum % 11
        let expected = remainder == 10 ? UInt8(ascii: "X") : UInt8(ascii: "0") + UInt8(remainder)
        return Array(text.utf8)[8] == expected
    }

    /// The transliterated value of a character; nil if it is not allowed in a VIN.
    private static func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "H"): Int(character - UInt8(ascii: "A")) + 1
        case UInt8(ascii: "J")...UInt8(ascii: "N"): Int(character - UInt8(ascii: "J")) + 1
        case UInt8(ascii: "P"): 7
        case UInt8(ascii: "R"): 9
        case UInt8(ascii: "S")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "S")) + 2
        default: nil
        }
    }
}
