/// `text` for a terminal that shows only ASCII, with the same width.
///
/// Signs of the view become the nearest ASCII character; a character without an equivalent becomes
/// `?`.
public func asciiText(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var result = ""
    for character in text {
        if character.isASCII {
            result.append(character)
            continue
        }
        switch character {
        case "█", "▇", "▉", "▊": result.append("#")
        case "▆", "▅", "▋", "▌", "▐": result.append("=")
        case "▄", "▃", "▍", "▎", "—", "–", "·": result.append("-")
        case "▂", "▁", "▏": result.append("_")
        case "●", "⏺": result.append("*")
        case "‖", "│": result.append("|")
        case "›": result.append(">")
        case "…": result.append("~")
        case "↑", "▲": result.append("^")
        case "↓", "▼": result.append("v")
        case "○": result.append("o")
        case "•": result.append("*")
        case "─", "┄": result.append("-")
        case "├", "└", "┤", "┬", "┴", "┼", "╵": result.append("+")
        case "²", "₂": result.append("2")
        case "³", "₃": result.append("3")
        case "µ", "μ": result.append("u")
        case "λ": result.append("l")
        case "Ω": result.append("O")
        default: result += String(repeating: "?", count: displayWidth(String(character)))
        }
    }
    return result
}

/// `text` in ASCII, with words for signs where that is easier to read.
///
/// `21 °C` becomes `21 C`, `12 °` becomes `12 deg`, and a sign without a word becomes `?`. Unlike
/// ``asciiText(_:)``, this function does not keep the width.
public func asciiWords(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var result = ""
    let characters = Array(text)
    for (place, character) in characters.enumerated() {
        let next = place + 1 < characters.count ? characters[place + 1] : " "
        switch character {
        case "°":
            // The letter without its degree sign is clear.
            if next == "C" || next == "F" || next == "K" { continue }
            let isApart = result.last.map { !$0.isLetter && !$0.isNumber } ?? true
            result += isApart ? "deg" : " deg"
        case "·":
            // In a unit such as N·m, or between parts of a line.
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
