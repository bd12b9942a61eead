/// Hexadecimal digits in upper case, as usual in this field.
public enum Hex {
    /// The ASCII code of the digit for the low four bits of `nibble`.
    @inline(__always)
    public static func digit(_ nibble: UInt8) -> UInt8 {
        let low = nibble & 0x0F
        return low < 10 ? 0x30 + low : 0x37 + low
    }

    /// The value of one ASCII hexadecimal digit, either case; nil for anything else.
    @inline(__always)
    public static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x41...0x46: character - 0x37
        case 0x61...0x66: character - 0x57
        default: nil
        }
    }

    /// Appends the two digits of `byte`.
    @inline(__always)
    public static func append(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(digit(byte >> 4))
        output.append(digit(byte))
    }

    /// Two digits per byte without separators.
    public static func string(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes { append(byte, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Two digits per byte without separators.
    public static func string(_ bytes: InlineBytes) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for index in 0..<bytes.count { append(bytes[index], to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// `value` with at least `digits` digits, padded with zeros at the start.
    public static func string(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The bytes in `text`; blanks between digits are skipped.
    ///
    /// Nil if a character is neither a digit nor a blank, or if the number of digits is odd.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var result: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 where character != 0x20 && character != 0x09 {
            guard let nibble = value(character) else { return nil }
            if let first = high {
                result.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
        }
        return high == nil ? result : nil
    }
}
