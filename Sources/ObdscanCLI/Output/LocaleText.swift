import TripExport

/// What the locale's terminals show: all of Unicode, or ASCII alone.
enum LocaleText {
    /// Whether it is ASCII alone; asked once.
    static let isASCII = isASCIILocale()

    /// `text` as this locale shows it; to be done before a layout, since some signs become words.
    static func shown(_ text: String) -> String { isASCII ? asciiWords(text) : text }
}

/// `text` in ASCII, signs as words where that reads better: `21 °C` is `21 C`, `12 °` is `12 deg`;
/// what has no word becomes `?`.
///
/// Unlike ``asciiText(_:)`` it does not keep the width.
func asciiWords(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var result = ""
    let characters = Array(text)
    for (place, character) in characters.enumerated() {
        let next = place + 1 < characters.count ? characters[place + 1] : " "
        switch character {
        case "°":
            // The letter tells enough.
            if next == "C" || next == "F" || next == "K" { continue }
            let isApart = result.last.map { !$0.isLetter && !$0.isNumber } ?? true
            result += isApart ? "deg" : " deg"
        case "·":
            // In a unit, N·m; elsewhere between the parts of a line.
            let joins = result.last?.isLetter == true && next.isLetter
            result.append(joins ? "." : "-")
        case "×": result.append("x")
        case "…": result += "..."
        case "“", "”", "„", "«", "»": result.append("\"")
        case "‘", "’", "‚": result.append("'")
        case "−", "‐", "‑": result.append("-")
        case "±": result += "+-"
        case "≤": result += "<="
        case "≥": result += ">="
        case "≈": result.append("~")
        case "∞": result += "inf"
        case "→": result += "->"
        case "←": result += "<-"
        case "Ω": result += "Ohm"
        case "λ": result += "lambda"
        case "\u{A0}", "\u{202F}", "\u{2009}": result.append(" ")
        default: result += asciiText(String(character))
        }
    }
    return result
}

/// Whether the locale is one whose terminals do not take UTF-8.
func isASCIILocale() -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment($0) }
        .first { !$0.isEmpty }
    guard let name = name?.lowercased() else { return false }
    return !name.contains("utf-8") && !name.contains("utf8")
}
