/// Characters that control a terminal or reorder the text next to them.
///
/// Text from adapters, vehicles and files must not bring such characters to a screen.
public enum ControlCharacters {
    /// Whether a character is a control character (C0, DEL, C1), an invisible direction mark, or a
    /// separator that some readers take for a line end.
    public static func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C: true
        case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Appends the character in visible form: `\x1B` or `\u{202E}`.
    public static func append(_ scalar: Unicode.Scalar, to text: inout String) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        if scalar.value < 0x100 {
            text += "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
        } else {
            text += "\\u{" + digits + "}"
        }
    }
}
