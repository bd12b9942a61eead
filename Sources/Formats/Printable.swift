/// `text` without anything that could steer a terminal: text of an adapter is a stranger's text.
///
/// Control characters (C0, DEL, C1) and invisible direction marks come out as `\x1B` or `\u{202E}`;
/// everything else stays as it is.
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

/// The same for bytes; what is not UTF-8 becomes U+FFFD.
public func printable(bytes: some Collection<UInt8>) -> String {
    printable(String(decoding: bytes, as: UTF8.self))
}
