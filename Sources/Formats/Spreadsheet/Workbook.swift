import OBDCore

/// A sheet for spreadsheet programs (ECMA-376, SpreadsheetML): a heading, then rows of typed cells.
///
/// A text cell is never a formula, whatever its first character is.
public struct Workbook: Sendable {
    /// The content of a cell.
    public enum Cell: Sendable {
        case empty
        case text(String)
        case number(Double)
        case flag(Bool)
        /// A date and a time to the second; the format has no time zones.
        case time(UTC)
        /// The same to the millisecond.
        case moment(UTC)
        /// A number that is shown with so many decimals, at most three, and kept with all its digits.
        case rounded(Double, decimals: Int)
    }

    /// The limit of the format; unit: rows, including the heading.
    public static let mostRows = 1_048_576
    /// The limit of the format; unit: UTF-16 code units.
    private static let longestText = 32_767

    /// The rows of a second sheet, `Summary`; empty = there is none.
    public var summary: [[Cell]] = []
    private let title: String
    private let columns: [(name: String, width: Int)]
    private var sheet: [UInt8] = []
    private var rows = 0
    /// The numbers of the texts, which mostly repeat, and the texts in the order of their numbers.
    private var numbers: [String: Int] = [:]
    private var texts: [UInt8] = []

    /// An empty sheet; widths are in characters.
    public init(title: String, columns: [(name: String, width: Int)]) {
        self.title = title
        self.columns = columns
        append(columns.map { .text($0.name) }, style: Self.heading)
    }

    /// Whether there is room for another row.
    public var hasRoom: Bool { rows < Self.mostRows }

    /// Adds a row; ignores it if there is no room.
    public mutating func add(_ cells: [Cell]) {
        if hasRoom { append(Array(cells.prefix(columns.count)), style: nil) }
    }

    /// The content of the file in pieces.
    public var pieces: [[UInt8]] {
        var zip = ZipArchive()
        func add(_ name: String, _ body: String, _ pieces: [[UInt8]] = []) {
            let start = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
            zip.add(name, [Array((start + body).utf8)] + pieces)
        }
        add("[Content_Types].xml", Self.types(hasSummary: !summary.isEmpty))
        add(
            "_rels/.rels",
            Self.relations([("officeDocument", "officeDocument", "xl/workbook.xml")]))
        add("xl/workbook.xml", workbook)
        var parts = [
            (name: "worksheet", type: "worksheet", target: "worksheets/sheet1.xml"),
            (name: "styles", type: "styles", target: "styles.xml"),
            (name: "sharedStrings", type: "sharedStrings", target: "sharedStrings.xml"),
        ]
        if !summary.isEmpty {
            parts.append((name: "summary", type: "worksheet", target: "worksheets/sheet2.xml"))
        }
        add("xl/_rels/workbook.xml.rels", Self.relations(parts))
        add("xl/styles.xml", Self.styles)
        add("xl/worksheets/sheet1.xml", sheetHead, [sheet, Array(sheetEnd.utf8)])
        // The second sheet's texts are added to those of the first.
        var second = self
        (second.sheet, second.rows) = ([], 0)
        let width = summary.map(\.count).max() ?? 0
        for row in summary {
            second.append(row + Array(repeating: .empty, count: width - row.count), style: nil)
        }
        if !summary.isEmpty {
            let head =
                "<worksheet xmlns=\"\(Self.main)\"><cols><col min=\"1\" max=\"1\" width=\"34\" "
                + "customWidth=\"1\"/><col min=\"2\" max=\"\(max(2, width))\" width=\"22\" "
                + "customWidth=\"1\"/></cols><sheetData>"
            add(
                "xl/worksheets/sheet2.xml", head,
                [second.sheet, Array("</sheetData></worksheet>".utf8)])
        }
        add(
            "xl/sharedStrings.xml", "<sst xmlns=\"\(Self.main)\">",
            [second.texts, Array("</sst>".utf8)])
        return zip.pieces
    }

    /// The first file of every archive, without and with a summary, by which a sheet is recognised.
    package static let beginnings: [[UInt8]] = {
        var book = Workbook(title: "", columns: [])
        let plain = Array(book.pieces.prefix(2).joined())
        book.summary = [[.empty]]
        return [plain, Array(book.pieces.prefix(2).joined())]
    }()

    /// The content of the file.
    public var bytes: [UInt8] { Array(pieces.joined()) }

    // MARK: The sheet

    private var sheetHead: String {
        var head = "<worksheet xmlns=\"\(Self.main)\"><sheetViews><sheetView workbookViewId=\"0\">"
        head += "<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/>"
        head += "</sheetView></sheetViews><cols>"
        for (index, column) in columns.enumerated() {
            head += "<col min=\"\(index + 1)\" max=\"\(index + 1)\" width=\"\(column.width)\" "
            head += "customWidth=\"1\"/>"
        }
        return head + "</cols><sheetData>"
    }

    private var sheetEnd: String {
        let last = Self.letters(columns.count - 1) + "\(rows)"
        return "</sheetData><autoFilter ref=\"A1:\(last)\"/></worksheet>"
    }

    private mutating func append(_ cells: [Cell], style: Int?) {
        rows += 1
        sheet += "<row r=\"\(rows)\">".utf8
        for (index, cell) in cells.enumerated() {
            let place = "<c r=\"\(Self.letters(index))\(rows)\""
            let look = style.map { " s=\"\($0)\"" } ?? ""
            switch cell {
            case .empty: continue
            case .number(let number) where !number.isFinite: continue
            case .rounded(let number, _) where !number.isFinite: continue
            case .rounded(let number, let decimals):
                let look = " s=\"\(Self.roundedStyle + max(0, min(3, decimals)))\""
                sheet += "\(place)\(look)><v>\(number)</v></c>".utf8
            case .number(let number): sheet += "\(place)\(look)><v>\(number)</v></c>".utf8
            case .flag(let flag): sheet += "\(place)\(look) t=\"b\"><v>\(flag ? 1 : 0)</v></c>".utf8
            case .time(let time):
                sheet += "\(place) s=\"\(Self.timeStyle)\"><v>\(Self.days(time))</v></c>".utf8
            case .moment(let time):
                let days = Double(time.microseconds) / 86_400_000_000 + Self.firstDay
                sheet += "\(place) s=\"\(Self.momentStyle)\"><v>\(days)</v></c>".utf8
            case .text(let text):
                sheet += "\(place)\(look) t=\"s\"><v>\(number(of: text))</v></c>".utf8
            }
        }
        sheet += "</row>".utf8
    }

    /// The number of a text, which may be a new one.
    private mutating func number(of text: String) -> Int {
        if let number = numbers[text] { return number }
        let number = numbers.count
        numbers[text] = number
        texts += "<si><t xml:space=\"preserve\">\(Self.escaped(text))</t></si>".utf8
        return number
    }

    /// Days since 1899-12-30, to the second.
    private static func days(_ time: UTC) -> Double {
        let seconds = time.microseconds / 1_000_000
        return Double(seconds) / 86_400 + firstDay
    }

    /// 1970-01-01 in days since 1899-12-30.
    private static let firstDay = 25_569.0

    /// The letters of a column, counted from 0: A to Z, then AA.
    static func letters(_ column: Int) -> String {
        var (rest, letters) = (column, "")
        while rest >= 0 {
            letters = String(UnicodeScalar(UInt8(0x41 + rest % 26))) + letters
            rest = rest / 26 - 1
        }
        return letters
    }

    /// Escapes text for XML, and makes control characters visible, which XML mostly forbids.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in printable(String(decoding: text.utf16.prefix(longestText), as: UTF16.self))
            .unicodeScalars
        {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    // MARK: The other parts of the file

    private static let schemas = "http://schemas.openxmlformats.org/"
    private static let main = schemas + "spreadsheetml/2006/main"
    private static let heading = 1
    private static let timeStyle = 2
    private static let momentStyle = 3
    /// Without a decimal; those with one to three follow.
    private static let roundedStyle = 4

    private var workbook: String {
        "<workbook xmlns=\"\(Self.main)\" xmlns:r=\"\(Self.schemas)officeDocument/2006/relationships\">"
            + "<sheets><sheet name=\"\(Self.escaped(title))\" sheetId=\"1\" r:id=\"worksheet\"/>"
            + (summary.isEmpty ? "" : "<sheet name=\"Summary\" sheetId=\"2\" r:id=\"summary\"/>")
            + "</sheets></workbook>"
    }

    private static func relations(_ parts: [(name: String, type: String, target: String)]) -> String
    {
        let type = schemas + "officeDocument/2006/relationships/"
        return "<Relationships xmlns=\"\(schemas)package/2006/relationships\">"
            + parts.map { part in
                "<Relationship Id=\"\(part.name)\" Type=\"\(type)\(part.type)\" "
                    + "Target=\"\(part.target)\"/>"
            }.joined() + "</Relationships>"
    }

    private static func types(hasSummary: Bool) -> String {
        let part = "application/vnd.openxmlformats-"
        let sheet = part + "officedocument.spreadsheetml."
        var parts = [
            ("xl/workbook.xml", "sheet.main"), ("xl/styles.xml", "styles"),
            ("xl/worksheets/sheet1.xml", "worksheet"),
            ("xl/sharedStrings.xml", "sharedStrings"),
        ]
        if hasSummary { parts.append(("xl/worksheets/sheet2.xml", "worksheet")) }
        return "<Types xmlns=\"\(schemas)package/2006/content-types\">"
            + "<Default Extension=\"rels\" ContentType=\"\(part)package.relationships+xml\"/>"
            + parts.map { "<Override PartName=\"/\($0)\" ContentType=\"\(sheet)\($1)+xml\"/>" }
            .joined()
            + "</Types>"
    }

    /// Plain, a bold heading, a date with a time, the same with milliseconds, and numbers with none to
    /// three decimals.
    private static let styles: String =
        "<styleSheet xmlns=\"\(main)\">"
        + "<numFmts count=\"4\"><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\\ hh:mm:ss\"/>"
        + "<numFmt numFmtId=\"165\" formatCode=\"yyyy\\-mm\\-dd\\ hh:mm:ss.000\"/>"
        + "<numFmt numFmtId=\"166\" formatCode=\"0.0\"/><numFmt numFmtId=\"167\" formatCode=\"0.000\"/></numFmts>"
        + "<fonts count=\"2\"><font/><font><b/></font></fonts>"
        + "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>"
        + "<fill><patternFill patternType=\"gray125\"/></fill></fills>"
        + "<borders count=\"1\"><border/></borders>"
        + "<cellStyleXfs count=\"1\"><xf/></cellStyleXfs><cellXfs count=\"8\"><xf/>"
        + "<xf fontId=\"1\" applyFont=\"1\"/><xf numFmtId=\"164\" applyNumberFormat=\"1\"/>"
        + "<xf numFmtId=\"165\" applyNumberFormat=\"1\"/>"
        // 1 is 0 and 2 is 0.00 in every program.
        + [1, 166, 2, 167].map { "<xf numFmtId=\"\($0)\" applyNumberFormat=\"1\"/>" }.joined()
        + "</cellXfs>"
        + "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles>"
        + "</styleSheet>"
}

extension Workbook.Cell {
    /// The cell of a field; types without an equivalent in a sheet become text, as in CSV.
    public init(_ value: FieldValue) {
        switch value.form {
        case .null: self = .empty
        case .text(let text): self = .text(text)
        case .integer(let number): self = .number(Double(number))
        case .number(let number): self = .number(number)
        case .flag(let flag): self = .flag(flag)
        case .digits, .list, .object, .objects, .points: self = .text(value.shown ?? "")
        }
    }
}
