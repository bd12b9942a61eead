import OBDCore

/// Appends the parts of JSON objects (RFC 8259) as UTF-8.
public enum JSONText {
    /// Appends a quoted string; escapes quotes, backslashes and ``ControlCharacters``.
    public static func append(_ text: String, to output: inout [UInt8]) {
        output.append(0x22)
        defer { output.append(0x22) }
        if text.utf8.contains(where: { $0 >= 0x80 }) {
            for scalar in text.unicodeScalars {
                if scalar.value >= 0x80, ControlCharacters.contains(scalar) {
                    output.append(contentsOf: [0x5C, 0x75])
                    Hex.append(UInt8(truncatingIfNeeded: scalar.value >> 8), to: &output)
                    Hex.append(UInt8(truncatingIfNeeded: scalar.value), to: &output)
                } else {
                    append(bytes: UTF8.encode(scalar), to: &output)
                }
            }
        } else {
            append(bytes: text.utf8, to: &output)
        }
    }

    private static func append(
        bytes: (some Sequence<UInt8>)?, to output: inout [UInt8]
    ) {
        guard let bytes else { return }
        for byte in bytes {
            switch byte {
            case 0x22: append(escape: 0x22, to: &output)
            case 0x5C: append(escape: 0x5C, to: &output)
            case 0x0A: append(escape: 0x6E, to: &output)
            case 0x0D: append(escape: 0x72, to: &output)
            case 0x09: append(escape: 0x74, to: &output)
            case 0x00..<0x20, 0x7F:
                output.append(contentsOf: [0x5C, 0x75, 0x30, 0x30])
                Hex.append(byte, to: &output)
            default: output.append(byte)
            }
        }
    }

    private static func append(escape: UInt8, to output: inout [UInt8]) {
        output.append(0x5C)
        output.append(escape)
    }

    /// Appends a number; null if it is not finite.
    public static func append(_ value: Double, to output: inout [UInt8]) {
        if value.isFinite {
            NumberText.append(value, to: &output)
        } else {
            append(raw: "null", to: &output)
        }
    }

    /// Appends a whole number.
    public static func append(_ value: Int, to output: inout [UInt8]) {
        NumberText.append(Int64(value), to: &output)
    }

    /// Appends true or false.
    public static func append(_ value: Bool, to output: inout [UInt8]) {
        append(raw: value ? "true" : "false", to: &output)
    }

    /// Appends text that is JSON already, such as `null`, `{"kind":`.
    @inline(__always)
    public static func append(raw text: StaticString, to output: inout [UInt8]) {
        text.withUTF8Buffer { output.append(contentsOf: $0) }
    }
}
