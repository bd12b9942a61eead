/// A key as a terminal sends it.
public enum Key: Hashable, Sendable {
    case up, down, pageUp, pageDown, home, end
    case enter, escape, backspace, delete, tab
    /// The end of input, or Ctrl-C where it is not a signal.
    case close
    /// A printable ASCII character.
    case character(Character)

    /// The keys in `bytes`; unknown ones and cut escape sequences are ignored.
    public static func read(_ bytes: some Collection<UInt8>) -> [Key] {
        var keys: [Key] = []
        var rest = Array(bytes)[...]
        while let first = rest.popFirst() {
            switch first {
            case 0x03, 0x04: keys.append(.close)
            case 0x08, 0x7F: keys.append(.backspace)
            case 0x09: keys.append(.tab)
            case 0x0A, 0x0D: keys.append(.enter)
            case 0x20...0x7E: keys.append(.character(Character(UnicodeScalar(first))))
            case 0x1B where rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O"):
                rest.removeFirst()
                let number = rest.prefix { $0 >= 0x30 && $0 <= 0x3B }
                rest.removeFirst(number.count)
                guard let final = rest.popFirst() else { return keys }
                if let key = sequence(final, Array(number)) { keys.append(key) }
            case 0x1B: keys.append(.escape)
            default: continue
            }
        }
        return keys
    }

    private static func sequence(_ final: UInt8, _ number: [UInt8]) -> Key? {
        switch (final, number) {
        case (UInt8(ascii: "A"), []): .up
        case (UInt8(ascii: "B"), []): .down
        case (UInt8(ascii: "H"), []), (0x7E, [UInt8(ascii: "1")]): .home
        case (UInt8(ascii: "F"), []), (0x7E, [UInt8(ascii: "4")]): .end
        case (0x7E, [UInt8(ascii: "3")]): .delete
        case (0x7E, [UInt8(ascii: "5")]): .pageUp
        case (0x7E, [UInt8(ascii: "6")]): .pageDown
        default: nil
        }
    }
}
