/// A key or a mouse event from the terminal.
package enum Key: Hashable, Sendable {
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace, delete, tab
    /// The end of input, or Ctrl-C if it does not raise a signal.
    case close
    /// A printable ASCII character.
    case character(Character)
    /// A mouse button was pressed on a cell, counted from 0.
    case press(column: Int, row: Int)
    /// The mouse wheel was turned.
    case wheelUp, wheelDown

    /// The keys in `bytes`; unknown keys and incomplete escape sequences are ignored.
    package static func read(_ bytes: some Collection<UInt8>) -> [Key] {
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
                let number = rest.prefix { $0 >= 0x30 && $0 <= 0x3F }
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
        case (UInt8(ascii: "C"), []): .right
        case (UInt8(ascii: "D"), []): .left
        case (UInt8(ascii: "H"), []), (0x7E, [UInt8(ascii: "1")]): .home
        case (UInt8(ascii: "F"), []), (0x7E, [UInt8(ascii: "4")]): .end
        case (0x7E, [UInt8(ascii: "3")]): .delete
        case (0x7E, [UInt8(ascii: "5")]): .pageUp
        case (0x7E, [UInt8(ascii: "6")]): .pageDown
        case (UInt8(ascii: "M"), _) where number.first == UInt8(ascii: "<"): mouse(number)
        default: nil
        }
    }

    /// Parses `<button;column;row`, counted from 1; releases and other buttons are ignored.
    private static func mouse(_ number: [UInt8]) -> Key? {
        let parts = String(decoding: number.dropFirst(), as: UTF8.self).split(separator: ";")
            .map { Int($0) }
        guard parts.count == 3, let button = parts[0], let column = parts[1], let row = parts[2],
            column > 0, row > 0
        else { return nil }
        return switch button {
        case 0: .press(column: column - 1, row: row - 1)
        case 64: .wheelUp
        case 65: .wheelDown
        default: nil
        }
    }
}
