/// The number of terminal cells for `text`.
///
/// Combining marks use no cell, East Asian wide characters and emoji use two, all others one.
public func displayWidth(_ text: String) -> Int {
    // Nearly all text here is ASCII.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + cells($1) }
}

/// `text` cut or padded to exactly `width` cells; a cut is marked with `…`.
public func fitted(_ text: String, _ width: Int, right: Bool = false) -> String {
    guard width > 0 else { return "" }
    let length = displayWidth(text)
    if length <= width {
        let padding = String(repeating: " ", count: width - length)
        return right ? padding + text : text + padding
    }
    var result = ""
    var used = 0
    for scalar in text.unicodeScalars {
        let next = cells(scalar)
        if used + next > width - 1 { break }
        result.unicodeScalars.append(scalar)
        used += next
    }
    return result + "…" + String(repeating: " ", count: width - 1 - used)
}

/// `text` in lines of at most `width` cells, broken at blanks; a longer word gets its own line.
///
/// Further lines are indented by `hanging` more cells.
public func folded(_ text: String, to width: Int, hanging: Int = 2) -> [String] {
    guard displayWidth(text) > width else { return [text] }
    let indent = String(repeating: " ", count: text.prefix { $0 == " " }.count + hanging)
    var lines: [String] = []
    var line = ""
    for (place, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
        let longer = place == 0 ? String(word) : line + " " + word
        if displayWidth(longer) > width, !line.trimmed.isEmpty, !word.isEmpty {
            lines.append(line)
            line = indent + word
        } else {
            line = longer
        }
    }
    return lines + [line]
}

private func cells(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x20D0...0x20FF, 0xFE00...0xFE0F: 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
        2
    default: 1
    }
}
