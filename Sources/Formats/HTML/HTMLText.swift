/// Escaped text in HTML; only ``raw(_:)`` writes markup.
public struct HTMLText: Sendable {
    /// The document so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// The heading above, by which a table is known to screen readers.
    var heading = "Table"

    /// An empty text.
    public init() {}

    /// Appends markup without escaping.
    public mutating func raw(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

    /// Appends text for an element or a quoted attribute.
    ///
    /// Markup is escaped. Characters that HTML does not allow, or that reorder the text around them, become
    /// U+FFFD.
    public mutating func text(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: raw("&amp;")
            case 0x3C: raw("&lt;")
            case 0x3E: raw("&gt;")
            case 0x22: raw("&quot;")
            case 0x27: raw("&#39;")
            case 0x09, 0x0A: bytes.append(UInt8(scalar.value))
            case 0x00..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF,
                0xFFFE, 0xFFFF:
                raw("\u{FFFD}")
            default: bytes.append(contentsOf: String(scalar).utf8)
            }
        }
    }

    /// Appends an element with text.
    public mutating func element(_ name: String, _ content: String, class style: String? = nil) {
        raw("<\(name)\(style.map { " class=\"\($0)\"" } ?? "")>")
        text(content)
        raw("</\(name)>")
    }

    /// Appends another piece.
    public mutating func append(_ other: HTMLText) { bytes += other.bytes }

    /// Appends a number with at most three decimals.
    mutating func number(_ value: Double) {
        NumberText.append((value * 1000).rounded() / 1000, to: &bytes)
    }

    /// A cell of a table.
    public struct Cell: Sendable {
        var text: String
        var style: String?

        /// A cell; `style` are classes of the page: `n` a number, `brief` a word beside numbers, `line` text
        /// that is not broken, `good`, `bad`, `dim`.
        public init(_ text: String, _ style: String? = nil) {
            self.text = text
            self.style = style
        }
    }

    /// The most columns that fit a phone beside each other.
    private static let narrowColumns = 3

    /// Appends a table that scrolls on its own if it is too wide.
    ///
    /// On a phone each row of a table with more than three columns becomes a block: the first cell is its
    /// heading, and the others have the names of their columns before them.
    public mutating func table(_ heads: [Cell], _ rows: [[Cell]]) {
        let isStacked = heads.count > Self.narrowColumns
        raw("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"")
        text(heading)
        raw("\"><table\(isStacked ? " class=\"many\"" : "")><thead><tr>")
        for head in heads { element("th", head.text, class: head.style) }
        raw("</tr></thead><tbody>\n")
        for row in rows {
            raw("<tr>")
            for (head, cell) in zip(heads, row) {
                raw("<td")
                if isStacked {
                    raw(" data-label=\"")
                    text(head.text)
                    raw("\"")
                }
                raw(cell.style.map { " class=\"\($0)\">" } ?? ">")
                text(cell.text)
                raw("</td>")
            }
            raw("</tr>\n")
        }
        raw("</tbody></table></div>\n")
    }

    /// Appends a list of names and values; an empty value is a line to write on.
    public mutating func facts(_ facts: [(name: String, value: String)]) {
        raw("<dl>")
        for fact in facts {
            raw("<div>")
            element("dt", fact.name)
            element("dd", fact.value, class: fact.value.isEmpty ? "blank" : nil)
            raw("</div>")
        }
        raw("</dl>\n")
    }
}
