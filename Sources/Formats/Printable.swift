/// `text` without characters that could control a terminal, because an adapter's text is untrusted.
///
/// Control characters (C0, DEL, C1) and invisible direction marks become `\x1B` or `\u{202E}`;
/// everything else stays unchanged.
public func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: ControlCharacters.contains) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        if ControlCharacters.contains(scalar) {
            ControlCharacters.append(scalar, to: &result)
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}
