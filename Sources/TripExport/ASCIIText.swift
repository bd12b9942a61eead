/// `text` for a terminal that shows nothing but ASCII: pictures and signs of the view become the
/// nearest ASCII character, what has none becomes `?`; every character keeps its cell.
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
        case "↑": result.append("^")
        case "↓": result.append("v")
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
