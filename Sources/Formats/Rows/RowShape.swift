/// The fields of one kind of result, defined once for text, JSON and CSV.
public struct RowShape<Result>: Sendable {
    /// The kind of the rows: `trip`.
    public let kind: String
    /// The fields in the order of output.
    public let fields: [Field<Result>]

    /// A shape with these fields.
    public init(_ kind: String, _ fields: [Field<Result>]) {
        self.kind = kind
        self.fields = fields
    }

    /// The keys, without `kind`.
    public var keys: [String] { fields.compactMap(\.key) }

    /// The row of a result.
    public func row(_ result: Result) -> Row {
        Row(
            kind,
            entries: fields.compactMap { field in
                field.key.map { Row.Entry(key: $0, value: field.value(result)) }
            })
    }
}

/// One field of a result: its key and value for programs, its heading and cell for people.
public struct Field<Result>: Sendable {
    let key: String?
    let value: @Sendable (Result) -> FieldValue
    /// Nil if text output does not show the field.
    let heading: String?
    let alignment: TextTable.Alignment
    let cell: @Sendable (Result) -> TextTable.Cell

    /// A field for programs only.
    public init(_ key: String, _ value: @escaping @Sendable (Result) -> FieldValue) {
        self.key = key
        self.value = value
        heading = nil
        alignment = .left
        cell = { _ in "" }
    }

    /// A field that text output shows under `heading`; a dash if there is no value.
    public init(
        _ key: String, _ heading: String, _ alignment: TextTable.Alignment = .left,
        style: Style? = nil, missing: String = "—",
        _ value: @escaping @Sendable (Result) -> FieldValue
    ) {
        self.key = key
        self.value = value
        self.heading = heading
        self.alignment = alignment
        cell = { .init(value($0).shown ?? missing, style) }
    }

    /// A field with different values for people and for programs.
    public init(
        _ key: String, _ heading: String, _ alignment: TextTable.Alignment = .left,
        cell: @escaping @Sendable (Result) -> TextTable.Cell,
        _ value: @escaping @Sendable (Result) -> FieldValue
    ) {
        self.key = key
        self.value = value
        self.heading = heading
        self.alignment = alignment
        self.cell = cell
    }

    /// A column for people only.
    public init(
        heading: String, _ alignment: TextTable.Alignment = .left,
        cell: @escaping @Sendable (Result) -> TextTable.Cell
    ) {
        key = nil
        value = { _ in .null }
        self.heading = heading
        self.alignment = alignment
        self.cell = cell
    }
}

/// Prints results of one kind: a table for people, JSON Lines or CSV.
public struct RowPrinter<Result>: Sendable {
    private let shape: RowShape<Result>
    private let form: OutputForm
    private var writer: RowWriter
    private var table: TextTable
    /// The number of printed results.
    public private(set) var count = 0

    /// A printer; `flexible` columns of text become narrower on a narrow terminal.
    public init(_ shape: RowShape<Result>, _ form: OutputForm, flexible: Set<Int> = []) {
        self.shape = shape
        self.form = form
        writer = RowWriter(form.format, columns: shape.keys)
        table = TextTable(
            shape.fields.compactMap { field in field.heading.map { ($0, field.alignment) } },
            flexible: flexible)
    }

    /// Appends a result; text is kept until ``finish(_:)``.
    public mutating func append(_ result: Result, to output: inout [UInt8]) {
        count += 1
        if form.format == .text {
            table.add(shape.fields.filter { $0.heading != nil }.map { $0.cell(result) })
        } else {
            writer.append(shape.row(result), to: &output)
        }
    }

    /// Appends the text table, or the heading of a CSV table without results.
    public mutating func finish(_ output: inout [UInt8]) {
        if form.format == .text {
            guard count > 0 else { return }
            output.append(contentsOf: table.text(form.palette, columns: form.columns).utf8)
        } else {
            writer.finish(&output)
        }
    }
}
