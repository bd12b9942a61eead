/// A result: its kind and its values under documented keys.
///
/// A row is one line of JSON Lines, or one line of CSV with the keys as columns. A value that does
/// not apply is null and never missing.
public struct Row: Sendable {
    /// A value and its key.
    public struct Entry: Sendable {
        var key: String
        var value: FieldValue
    }

    /// The kind of result: `trip`.
    public let kind: String
    private(set) var entries: [Entry]

    /// A row with these values, in this order.
    public init(_ kind: String, _ entries: KeyValuePairs<String, FieldValue>) {
        self.init(kind, entries: entries.map { Entry(key: $0.key, value: $0.value) })
    }

    init(_ kind: String, entries: [Entry]) {
        self.kind = kind
        self.entries = entries
    }

    /// The keys, without `kind`.
    public var keys: [String] { entries.map(\.key) }

    /// The value of a key; null for a key that the row does not have.
    public subscript(key: String) -> FieldValue {
        entries.first { $0.key == key }?.value ?? .null
    }

    /// Adds a value at the end.
    public mutating func add(_ key: String, _ value: FieldValue) {
        entries.append(Entry(key: key, value: value))
    }

    /// Replaces the value of a key that the row has.
    public mutating func set(_ key: String, _ value: FieldValue) {
        for index in entries.indices where entries[index].key == key {
            entries[index].value = value
        }
    }

    /// Appends the row as one line of JSON Lines.
    public func appendJSON(to output: inout [UInt8]) {
        Self.append(
            [Entry(key: "kind", value: .text(kind))] + entries, to: &output)
        output.append(0x0A)
    }

    /// Appends the row as JSON, or as a separate table.
    public func append(_ format: OutputFormat, to output: inout [UInt8]) {
        var writer = RowWriter(format, columns: keys)
        writer.append(self, to: &output)
    }

    static func append(_ entries: [Entry], to output: inout [UInt8]) {
        output.append(0x7B)
        for (index, entry) in entries.enumerated() {
            if index > 0 { output.append(0x2C) }
            JSONText.append(entry.key, to: &output)
            output.append(0x3A)
            entry.value.appendJSON(to: &output)
        }
        output.append(0x7D)
    }
}

/// Writes rows as JSON Lines, or as one CSV table.
public struct RowWriter: Sendable {
    private let format: OutputFormat
    private let columns: [String]
    private var hasHeading: Bool
    private let separator: UInt8
    /// The cells of the last row, which most of the next rows share.
    private var layout = Layout()

    /// The position of each cell for rows with the same keys.
    private struct Layout: Sendable {
        enum Cell: Sendable {
            case kind
            case value(Int)
            case empty
        }

        var keys: [String] = []
        var cells: [Cell] = []

        init() {}

        init(of row: Row, in columns: [String]) {
            keys = row.keys
            cells = columns.map { column in
                if column == "kind" { return .kind }
                return row.entries.firstIndex { $0.key == column }.map { .value($0) } ?? .empty
            }
        }

        /// Whether a row has the keys of this layout, in the same order.
        func fits(_ row: Row) -> Bool {
            !cells.isEmpty && keys.count == row.entries.count
                && row.entries.indices.allSatisfy { row.entries[$0].key == keys[$0] }
        }
    }

    /// A writer for rows with these keys.
    ///
    /// `columns` are the keys of a table in their order, with `kind` if there are rows of several
    /// kinds. `hasHeading` means that the table has its heading already; `separator` separates its
    /// cells.
    public init(
        _ format: OutputFormat, columns: [String], hasHeading: Bool = false,
        separator: Unicode.Scalar = ","
    ) {
        self.format = format
        self.columns = columns
        self.hasHeading = hasHeading
        self.separator = UInt8(ascii: separator)
    }

    /// A writer for rows of several kinds: `kind`, then the keys of all kinds.
    public init(_ format: OutputFormat, kinds: [[String]]) {
        var columns = ["kind"]
        for key in kinds.joined() where !columns.contains(key) { columns.append(key) }
        self.init(format, columns: columns)
    }

    /// Appends a row; does nothing for text.
    public mutating func append(_ row: Row, to output: inout [UInt8]) {
        switch format {
        case .text: return
        case .json: row.appendJSON(to: &output)
        case .csv:
            appendHeading(to: &output)
            // Searching the key of every cell needs more time than writing the row.
            if !layout.fits(row) { layout = Layout(of: row, in: columns) }
            for index in layout.cells.indices {
                if index > 0 { output.append(separator) }
                switch layout.cells[index] {
                case .kind: CSVText.append(row.kind, to: &output, separator: separator)
                case .value(let place):
                    row.entries[place].value.appendCSV(to: &output, separator: separator)
                case .empty: break
                }
            }
            CSVText.endLine(&output)
        }
    }

    /// Appends the heading of a table without rows.
    public mutating func finish(_ output: inout [UInt8]) {
        if format == .csv { appendHeading(to: &output) }
    }

    private mutating func appendHeading(to output: inout [UInt8]) {
        if hasHeading { return }
        hasHeading = true
        for (index, column) in columns.enumerated() {
            if index > 0 { output.append(separator) }
            output.append(contentsOf: column.utf8)
        }
        CSVText.endLine(&output)
    }
}
