import OBDCore

/// Makes a sheet of a CSV table with times and readings, which arrives in pieces.
///
/// A cell becomes a number only if it is exactly what CSV writes for that number: an identification
/// such as `037805` or the ECU `7E8` stays text.
public struct CSVSheet {
    private enum Content {
        case time, number, text
    }

    /// A column's heading for people, and the decimals that its numbers are shown with.
    public struct Heading: Hashable, Sendable {
        let title: String
        /// Nil if the values are not numbers.
        let decimals: Int?

        /// A heading; numbers of the column are shown with so many decimals.
        public init(_ title: String, decimals: Int?) {
            (self.title, self.decimals) = (title, decimals)
        }
    }

    /// The rows of a second sheet; see ``Workbook/summary``.
    public var summary: [[Workbook.Cell]] = []
    /// The headings of a sheet by those of the table; others stay as they are.
    private let headings: [String: Heading]
    private var decimals: [Int?] = []
    private let title: String
    private var room: Int
    private var reader = CSVReader()
    private var contents: [Content] = []
    private var book: Workbook?
    /// Whether the table has more rows than a sheet can hold.
    public private(set) var isTooLong = false

    /// A sheet with this name.
    public init(title: String, headings: [String: Heading] = [:]) {
        self.init(title: title, mostRows: Workbook.mostRows, headings: headings)
    }

    init(title: String, mostRows: Int, headings: [String: Heading] = [:]) {
        self.headings = headings
        self.title = title
        room = mostRows
    }

    /// Takes the next piece of the table.
    public mutating func append(_ piece: [UInt8]) {
        reader.append(piece[...])
        takeRows()
    }

    /// Ends the table and returns the file in pieces; it has only the rows that fit.
    public mutating func finish() -> [[UInt8]] {
        reader.finish()
        takeRows()
        var book = book ?? Workbook(title: title, columns: [("time", Self.timeWidth)])
        book.summary = summary
        return book.pieces
    }

    private mutating func takeRows() {
        while let row = reader.next() {
            guard room > 0 else {
                isTooLong = true
                continue
            }
            room -= 1
            if book == nil {
                begin(row)
            } else {
                book?.add(
                    zip(zip(row, contents), decimals).map { Self.cell($0.0, $0.1, $1) })
            }
        }
    }

    /// The columns of long CSV that hold numbers; in a wide table, each column may.
    private static let numbersOfLong: Set<String> = ["value", "code", "frame", "trip"]
    /// Unit: characters.
    private static let timeWidth = 24

    private mutating func begin(_ heading: [String]) {
        let isLong = heading.contains("signal") && heading.contains("value")
        contents = heading.enumerated().map { index, name in
            if index == 0 { return .time }
            return !isLong || Self.numbersOfLong.contains(name) ? .number : .text
        }
        decimals = heading.map { headings[$0]?.decimals }
        book = Workbook(
            title: title,
            columns: heading.map { headings[$0]?.title ?? $0 }.enumerated().map { index, name in
                (name, index == 0 ? Self.timeWidth : min(40, max(10, name.count + 2)))
            })
    }

    private static func cell(
        _ text: String, _ content: Content, _ decimals: Int?
    ) -> Workbook.Cell {
        if let decimals, case .number(let value)? = number(text) {
            return .rounded(value, decimals: decimals)
        }
        if text.isEmpty { return .empty }
        switch (content, text) {
        case (.time, _):
            if let time = UTC(text.hasSuffix("Z") ? text : clock(of: text) + "Z") {
                return .moment(time)
            }
            return number(text) ?? .text(text)
        case (.number, "true"): return .flag(true)
        case (.number, "false"): return .flag(false)
        case (.number, _): return number(text) ?? .text(CSVReader.undefused(text))
        case (.text, _): return .text(CSVReader.undefused(text))
        }
    }

    /// A local time without its zone, which a sheet cannot hold.
    private static func clock(of text: String) -> Substring {
        let zone = text.dropFirst(11).lastIndex { $0 == "+" || $0 == "-" }
        return text[..<(zone ?? text.endIndex)]
    }

    private static func number(_ text: String) -> Workbook.Cell? {
        guard let number = CSVReader.number(text) else { return nil }
        var written: [UInt8] = []
        NumberText.append(number, to: &written)
        return written.elementsEqual(text.utf8) ? .number(number) : nil
    }
}
