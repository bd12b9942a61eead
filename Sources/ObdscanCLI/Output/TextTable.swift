/// Aligned columns for people.
///
/// Every cell passes ``printable(_:)``. A column is as wide as its widest cell; the last one is not
/// filled up, so that lines do not end in blanks.
struct TextTable {
    /// How a column is set.
    enum Alignment { case left, right }

    /// One cell: its text, and a style that does not count for the width.
    struct Cell: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        var text: String
        var style: Style?

        init(_ text: String, _ style: Style? = nil) {
            self.text = printable(text)
            self.style = style
        }

        init(stringLiteral value: String) {
            self.init(value)
        }
    }

    private var alignments: [Alignment]
    private var rows: [[Cell]] = []
    private var hasHeading = false

    /// A table with a heading; an empty list of headings gives none.
    init(_ headings: [(String, Alignment)]) {
        alignments = headings.map(\.1)
        if headings.contains(where: { !$0.0.isEmpty }) {
            rows.append(headings.map { Cell($0.0, .dim) })
            hasHeading = true
        }
    }

    /// Whether there is nothing to show.
    var isEmpty: Bool { rows.count == (hasHeading ? 1 : 0) }

    /// Adds a row.
    mutating func add(_ cells: [Cell]) {
        rows.append(cells)
    }

    /// The table's lines, each with its line end.
    func text(_ palette: Palette, indent: Int = 0) -> String {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                let width = displayWidth(cell.text)
                if column < widths.count {
                    widths[column] = max(widths[column], width)
                } else {
                    widths.append(width)
                }
            }
        }
        var result = ""
        for row in rows {
            result += String(repeating: " ", count: indent)
            for (column, cell) in row.enumerated() {
                let isLast = column == row.count - 1
                let isRight = column < alignments.count && alignments[column] == .right
                let padding = String(
                    repeating: " ", count: widths[column] - displayWidth(cell.text))
                let styled = cell.style.map { palette($0, cell.text) } ?? cell.text
                result += isRight ? padding + styled : styled + (isLast ? "" : padding)
                if !isLast { result += "  " }
            }
            while result.last == " " { result.removeLast() }
            result += "\n"
        }
        return result
    }
}
