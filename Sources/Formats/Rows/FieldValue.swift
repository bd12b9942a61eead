import OBDCore

/// The value of a field, which has the same digits in JSON and in CSV.
public struct FieldValue: Sendable {
    indirect enum Form: Sendable {
        case null
        case text(String)
        case integer(Int)
        /// A whole number that is too large for Int.
        case digits(String)
        case number(Double)
        case flag(Bool)
        case list([String], separator: String)
        case object([Row.Entry])
        case objects([[Row.Entry]])
        case points([[Double]])
    }

    let form: Form

    /// A value that does not apply or is unknown.
    public static let null = FieldValue(form: .null)

    /// A text.
    public static func text(_ value: String?) -> FieldValue {
        FieldValue(form: value.map { .text($0) } ?? .null)
    }

    /// A text; an empty one is null.
    public static func filled(_ value: String) -> FieldValue {
        value.isEmpty ? .null : .text(value)
    }

    /// A whole number.
    public static func integer(_ value: (some BinaryInteger & Sendable)?) -> FieldValue {
        guard let value else { return .null }
        return FieldValue(form: Int(exactly: value).map { .integer($0) } ?? .digits("\(value)"))
    }

    /// A number; null if it is not finite.
    ///
    /// `places` is the number of useful decimals.
    public static func number(_ value: Double?, places: Int? = nil) -> FieldValue {
        guard var value, value.isFinite else { return .null }
        if let places {
            let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
            let rounded = (value * scale).rounded() / scale
            if rounded.isFinite { value = rounded }
        }
        return FieldValue(form: .number(value))
    }

    /// True or false.
    public static func flag(_ value: Bool?) -> FieldValue {
        FieldValue(form: value.map { .flag($0) } ?? .null)
    }

    /// A point in time.
    public static func time(_ value: UTC?) -> FieldValue { .text(value?.text) }

    /// A byte as two hexadecimal digits.
    public static func hex(_ value: UInt8?) -> FieldValue { .text(value.map { Hex.string([$0]) }) }

    /// A list of words without blanks; a blank separates them in CSV.
    public static func words(_ values: [String]) -> FieldValue {
        FieldValue(form: .list(values, separator: " "))
    }

    /// A list of texts; a semicolon separates them in CSV.
    public static func texts(_ values: [String]) -> FieldValue {
        FieldValue(form: .list(values, separator: "; "))
    }

    /// A list of numbers, for example of trips.
    public static func numbers(_ values: [Int64]) -> FieldValue { .words(values.map { "\($0)" }) }

    /// A list of points, each a list of numbers.
    public static func points(_ values: [[Double]]) -> FieldValue {
        FieldValue(form: .points(values))
    }

    /// An object within the object.
    public static func object(_ entries: KeyValuePairs<String, FieldValue>) -> FieldValue {
        FieldValue(form: .object(entries.map { Row.Entry(key: $0.key, value: $0.value) }))
    }

    /// An object whose keys come from data.
    public static func object(_ entries: [(String, FieldValue)]) -> FieldValue {
        FieldValue(form: .object(entries.map { Row.Entry(key: $0.0, value: $0.1) }))
    }

    /// A list of objects.
    public static func objects(_ rows: [KeyValuePairs<String, FieldValue>]) -> FieldValue {
        FieldValue(
            form: .objects(rows.map { $0.map { Row.Entry(key: $0.key, value: $0.value) } }))
    }

    /// Whether the value is null.
    public var isNull: Bool { if case .null = form { true } else { false } }

    /// The text of a cell for people; nil if the value is null.
    public var shown: String? {
        if isNull { return nil }
        var bytes: [UInt8] = []
        appendPlain(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: JSON

    func appendJSON(to output: inout [UInt8]) {
        switch form {
        case .null: JSONText.append(raw: "null", to: &output)
        case .text(let text): JSONText.append(text, to: &output)
        case .integer(let number): JSONText.append(number, to: &output)
        case .digits(let digits): output.append(contentsOf: digits.utf8)
        case .number(let number): JSONText.append(number, to: &output)
        case .flag(let flag): JSONText.append(flag, to: &output)
        case .list(let texts, _):
            Self.append(list: texts, to: &output) { JSONText.append($0, to: &$1) }
        case .object(let entries): Row.append(entries, to: &output)
        case .objects(let rows): Self.append(list: rows, to: &output) { Row.append($0, to: &$1) }
        case .points(let points):
            Self.append(list: points, to: &output) { point, output in
                Self.append(list: point, to: &output) { JSONText.append($0, to: &$1) }
            }
        }
    }

    private static func append<Item>(
        list: [Item], to output: inout [UInt8], _ append: (Item, inout [UInt8]) -> Void
    ) {
        output.append(0x5B)
        for (index, item) in list.enumerated() {
            if index > 0 { output.append(0x2C) }
            append(item, &output)
        }
        output.append(0x5D)
    }

    // MARK: CSV

    /// Appends a cell; objects are written as JSON.
    public func appendCSV(to output: inout [UInt8], separator: UInt8 = UInt8(ascii: ",")) {
        switch form {
        case .null: return
        case .integer, .digits, .number, .flag: appendPlain(to: &output)
        case .text(let text): CSVText.append(text, to: &output, separator: separator)
        case .list, .object, .objects, .points:
            var plain: [UInt8] = []
            appendPlain(to: &plain)
            CSVText.append(
                String(decoding: plain, as: UTF8.self), to: &output, separator: separator)
        }
    }

    private func appendPlain(to output: inout [UInt8]) {
        switch form {
        case .text(let text): output.append(contentsOf: text.utf8)
        case .list(let texts, let separator):
            output.append(contentsOf: texts.joined(separator: separator).utf8)
        case .null, .integer, .digits, .number, .flag, .object, .objects, .points:
            appendJSON(to: &output)
        }
    }
}
