/// Large digits that can be read from the passenger seat: three dots wide and five high.
enum BigDigits {
    /// The glyphs from top to bottom, three bits per row; the highest bit is the left dot.
    private static let glyphs: [Character: [UInt8]] = [
        "0": [7, 5, 5, 5, 7], "1": [2, 6, 2, 2, 7], "2": [7, 1, 7, 4, 7], "3": [7, 1, 7, 1, 7],
        "4": [5, 5, 7, 1, 1], "5": [7, 4, 7, 1, 7], "6": [7, 4, 7, 5, 7], "7": [7, 1, 2, 2, 2],
        "8": [7, 5, 7, 5, 7], "9": [7, 5, 7, 1, 7], "-": [0, 0, 7, 0, 0], "—": [0, 0, 7, 0, 0],
    ]

    /// The rows of dots of `text` from the top; characters without a glyph are left out.
    private static func dots(_ text: String) -> [[Bool]] {
        var rows = Array(repeating: [Bool](), count: 5)
        for character in text {
            if !(rows[0].isEmpty) { for row in rows.indices { rows[row].append(false) } }
            if character == "." {
                for row in rows.indices { rows[row].append(row == 4) }
                continue
            }
            guard let glyph = glyphs[character] else { continue }
            for row in rows.indices {
                rows[row] += [4, 2, 1].map { glyph[row] & $0 != 0 }
            }
        }
        return rows
    }

    /// `text` in five rows, a dot two cells wide.
    static func large(_ text: String) -> [String] {
        dots(text).map { row in row.map { $0 ? "██" : "  " }.joined() }
    }

    /// `text` in five rows, one cell per dot, for terminals without half blocks.
    static func thin(_ text: String) -> [String] {
        dots(text).map { row in row.map { $0 ? "█" : " " }.joined() }
    }

    /// `text` in three rows, a dot one cell wide and half a cell high.
    static func small(_ text: String) -> [String] {
        var dots = dots(text)
        dots.append(Array(repeating: false, count: dots[0].count))
        return stride(from: 0, to: 6, by: 2).map { top in
            zip(dots[top], dots[top + 1]).map { upper, lower in
                upper ? (lower ? "█" : "▀") : lower ? "▄" : " "
            }.joined()
        }
    }
}
