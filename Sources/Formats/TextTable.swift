public import Diagnostics
public import OBDCore

/// Aligned columns for people.
///
/// Every cell is passed to ``printable(_:)``. A column is as wide as its widest cell. The last one
/// is not padded, so that lines do not end in blanks.
public struct TextTable: Sendable {
    /// The alignment of a column.
    public enum Alignment: Sendable { case left, right }

    /// A cell: its text, and a style that does not affect the width.
    public struct Cell: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        /// The text.
        public var text: String
        /// The style; nil = plain.
        public var style: Style?
        /// A shorter text for narrow tables and for output without a terminal.
        private(set) var short: String?

        /// A cell; control characters in `text` are escaped.
        public init(_ text: String, _ style: Style? = nil) {
            self.text = printable(text)
            self.style = style
        }

        /// An ECU: `Engine (7E8)`, in short `7E8`.
        public init(_ ecu: ECUAddress?, _ names: ECUNames, none: String = "—") {
            self.init(names.title(of: ecu, none: none))
            short = ecu?.description
        }

        /// A plain cell.
        public init(stringLiteral value: String) {
            self.init(value)
        }
    }

    private var alignments: [Alignment]
    private var rows: [[Cell]] = []
    private var hasHeading = false
    private var flexible: Set<Int>
    private let spare: [Set<Int>]

    /// A table with a heading; without headings if the list is empty.
    ///
    /// `flexible` columns become narrower first on a narrow terminal; without any, the last column does. Sets of
    /// `spare` columns are left out one after the other if the table does not fit otherwise.
    public init(
        _ headings: [(String, Alignment)], flexible: Set<Int> = [], spare: [Set<Int>] = []
    ) {
        self.flexible = flexible
        self.spare = spare
        alignments = headings.map(\.1)
        if headings.contains(where: { !$0.0.isEmpty }) {
            rows.append(headings.map { Cell($0.0, .dim) })
            hasHeading = true
        }
    }

    /// Whether there are no rows.
    public var isEmpty: Bool { rows.count == (hasHeading ? 1 : 0) }

    /// Adds a row.
    public mutating func add(_ cells: [Cell]) {
        rows.append(cells)
    }

    /// The table's lines, each with its line end.
    ///
    /// If the table is wider than `columns` cells, flexible columns are folded within their column, then cells
    /// between their words. Columns without a value are left out, then spare ones. If that does not suffice, a table
    /// with headings becomes one block per row, with a line per cell.
    public func text(_ palette: Palette, indent: Int = 0, columns: Int? = nil) -> String {
        if palette.isASCII {
            // Signs must become words before the layout.
            var table = self
            for row in rows.indices {
                for column in rows[row].indices {
                    table.rows[row][column].text = asciiWords(rows[row][column].text)
                }
            }
            var palette = palette
            palette.isASCII = false
            return table.text(palette, indent: indent, columns: columns)
        }
        let short = shortened
        guard let columns else { return short.lines(short.widths(within: nil), palette, indent) }
        func fits(_ widths: [Int]) -> Bool {
            indent + widths.reduce(2 * (widths.count - 1), +) <= columns
        }
        let whole = widths(within: nil)
        if fits(whole) { return lines(whole, palette, indent) }
        let narrow = short.widths(within: columns - indent)
        if fits(narrow) || !hasHeading || narrow.count < 2 {
            return short.lines(narrow, palette, indent)
        }
        let empty = narrow.indices.filter { column in
            rows.dropFirst().allSatisfy { column >= $0.count || $0[column].text.isEmpty }
        }
        for count in 0...spare.count {
            let table = short.leavingOut(
                spare.prefix(count).reduce(Set(empty)) { $0.union($1) })
            for folds in [false, true] {
                let widths = table.widths(within: columns - indent, folding: folds)
                if widths.count > 1, fits(widths) { return table.lines(widths, palette, indent) }
            }
        }
        return blocks(palette, indent, columns)
    }

    /// The same table without these columns.
    private func leavingOut(_ columns: Set<Int>) -> TextTable {
        func kept<Element>(_ elements: [Element]) -> [Element] {
            elements.indices.filter { !columns.contains($0) }.map { elements[$0] }
        }
        var table = self
        table.rows = rows.map(kept)
        let places = kept(Array(alignments.indices))
        table.alignments = kept(alignments)
        table.flexible = Set(places.indices.filter { flexible.contains(places[$0]) })
        return table
    }

    private func lines(_ widths: [Int], _ palette: Palette, _ indent: Int) -> String {
        var result = ""
        for row in rows {
            let cells = row.enumerated().map { column, cell in
                displayWidth(cell.text) > widths[column]
                    ? Self.folded(cell.text, to: widths[column]) : [cell.text]
            }
            for line in 0..<(cells.map(\.count).max() ?? 1) {
                result += String(repeating: " ", count: indent)
                for (column, cell) in row.enumerated() {
                    let isLast = column == row.count - 1
                    let isRight = column < alignments.count && alignments[column] == .right
                    let text = line < cells[column].count ? cells[column][line] : ""
                    let padding = String(
                        repeating: " ", count: max(0, widths[column] - displayWidth(text)))
                    let styled = cell.style.map { palette($0, text) } ?? text
                    result += isRight ? padding + styled : styled + (isLast ? "" : padding)
                    if !isLast { result += "  " }
                }
                while result.last == " " { result.removeLast() }
                result += "\n"
            }
        }
        return result
    }

    /// The same table with every short text.
    private var shortened: TextTable {
        var table = self
        table.rows = rows.map { $0.map { cell in Cell(cell.short ?? cell.text, cell.style) } }
        return table
    }

    /// One block per row: a line per cell that is not empty, with the column's heading before it.
    private func blocks(_ palette: Palette, _ indent: Int, _ columns: Int) -> String {
        let blocks = rows.dropFirst().map { row in
            var block = TextTable([("", .left), ("", .left)])
            for (heading, cell) in zip(rows[0], row) where !cell.text.isEmpty {
                block.add([heading, cell])
            }
            return block.text(palette, indent: indent, columns: columns)
        }
        return blocks.joined(separator: "\n")
    }

    /// The least useful width of a text column.
    private static let narrowest = 16

    /// The lines of a cell; an error stays with its value, and `kWh/100 km` is one unit.
    private static func folded(_ text: String, to width: Int) -> [String] {
        Formats.folded(glued(text), to: width, hanging: 0).map { line in
            String(line.map { $0 == glue ? " " : $0 })
        }
    }

    private static let glue: Character = "\u{A0}"

    private static func glued(_ text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        var result = ""
        for (place, word) in words.enumerated() {
            let before = place > 0 ? words[place - 1] : ""
            let isOne = word == "±" || before == "±" || before.hasSuffix("/100")
            result += (place == 0 ? "" : isOne ? String(glue) : " ") + word
        }
        return result
    }

    /// The most lines of a cell that is folded between its words.
    private static let mostLines = 2

    /// The least width at which no word of a column is broken, and no cell has more than ``mostLines``, but those
    /// of flexible columns.
    private func leastWidth(of column: Int, from width: Int) -> Int {
        let texts = rows.compactMap { column < $0.count ? $0[column].text : nil }
        let words = texts.flatMap {
            Self.glued($0).split(separator: " ").map { displayWidth(String($0)) }
        }
        var least = words.max() ?? 0
        if isFlexible(column, of: alignments.count) { least = max(least, Self.narrowest) }
        while least < width, !isFlexible(column, of: alignments.count),
            texts.contains(where: { Self.folded($0, to: least).count > Self.mostLines })
        {
            least += 1
        }
        return min(least, width)
    }

    /// The widths of the columns; flexible ones are reduced to fit the room.
    private func widths(within room: Int?, folding: Bool = false) -> [Int] {
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
        guard let room else { return widths }
        if folding { return foldedWidths(widths, room) }
        var excess = widths.reduce(2 * (widths.count - 1), +) - room
        let texts = widths.indices.filter { $0 < alignments.count && alignments[$0] == .left }
        let first = widths.indices.filter { isFlexible($0, of: widths.count) }
        for places in [first, texts] {
            while excess > 0, let widest = places.max(by: { widths[$0] < widths[$1] }),
                widths[widest] > Self.narrowest
            {
                widths[widest] -= 1
                excess -= 1
            }
        }
        return widths
    }

    /// The widths of columns whose cells may have lines of whole words.
    private func foldedWidths(_ whole: [Int], _ room: Int) -> [Int] {
        var widths = whole
        var excess = widths.reduce(2 * (widths.count - 1), +) - room
        let isText = { (column: Int) in column < alignments.count && alignments[column] == .left }
        let first = widths.indices.filter { isFlexible($0, of: widths.count) }
        let texts = widths.indices.filter { isText($0) && !first.contains($0) }
        let others = widths.indices.filter { !isText($0) && !first.contains($0) }
        for column in first + texts + others where excess > 0 {
            let saved = min(excess, widths[column] - leastWidth(of: column, from: widths[column]))
            widths[column] -= saved
            excess -= saved
        }
        return widths
    }

    private func isFlexible(_ column: Int, of count: Int) -> Bool {
        guard flexible.isEmpty else { return flexible.contains(column) }
        return column == count - 1 && column < alignments.count && alignments[column] == .left
    }
}
