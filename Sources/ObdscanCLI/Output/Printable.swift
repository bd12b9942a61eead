/// `text` without anything that could steer a terminal: text of an adapter is a stranger's text.
///
/// Control characters (C0, DEL, C1) and invisible direction marks come out as `\x1B` or `\u{202E}`;
/// everything else stays as it is.
func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: steersTerminal) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        if !steersTerminal(scalar) {
            result.unicodeScalars.append(scalar)
        } else if scalar.value < 0x100 {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            result += "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
        } else {
            result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        }
    }
    return result
}

/// The same for bytes; what is not UTF-8 becomes U+FFFD.
func printable(bytes: some Collection<UInt8>) -> String {
    printable(String(decoding: bytes, as: UTF8.self))
}

/// Whether a character is a control character or reorders what stands beside it.
private func steersTerminal(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
    default: false
    }
}
