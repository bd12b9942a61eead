import OBDCore

/// A value as SQLite stores it.
enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// A type that a column can be read as.
protocol ReadableColumn {
    /// The value of a column; nil if it is not of this type.
    static func read(_ value: SQLValue) -> Self?
}

/// A type with a form in the database, which is the same in every table.
protocol ColumnValue: ReadableColumn {
    var sqlValue: SQLValue { get }
    /// Whether a later version may store values that this one does not know; they count as none.
    static var mayBeUnknown: Bool { get }
}

extension ColumnValue {
    static var mayBeUnknown: Bool { false }
}

extension Optional: ReadableColumn where Wrapped: ColumnValue {
    static func read(_ value: SQLValue) -> Wrapped?? {
        if value == .null { return .some(nil) }
        if let found = Wrapped.read(value) { return .some(found) }
        return Wrapped.mayBeUnknown ? .some(nil) : nil
    }
}

extension SQLValue: ColumnValue {
    static func read(_ value: SQLValue) -> SQLValue? { value }
    var sqlValue: SQLValue { self }
}

// MARK: Numbers

extension ColumnValue where Self: FixedWidthInteger {
    static func read(_ value: SQLValue) -> Self? {
        switch value {
        case .integer(let number): Self(exactly: number)
        // As a cast in SQL: without the decimals.
        case .real(let number) where number.magnitude < 0x1p63: Self(exactly: Int64(number))
        case .null, .real, .text, .blob: nil
        }
    }

    var sqlValue: SQLValue { .integer(Int64(clamping: self)) }
}

extension Int: ColumnValue {}
extension Int64: ColumnValue {}
extension Int32: ColumnValue {}
extension UInt32: ColumnValue {}
extension UInt8: ColumnValue {}

extension Bool: ColumnValue {
    // As a condition in SQL: a text without a number is false.
    static func read(_ value: SQLValue) -> Bool? {
        switch value {
        case .null: nil
        case .integer(let number): number != 0
        case .real(let number): number != 0
        case .text(let text): (Double(text) ?? 0) != 0
        case .blob: false
        }
    }
    var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension Double: ColumnValue {
    static func read(_ value: SQLValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text, .blob: nil
        }
    }

    var sqlValue: SQLValue { .real(self) }
}

/// Microseconds since 1970.
extension UTC: ColumnValue {
    static func read(_ value: SQLValue) -> UTC? { Int64.read(value).map(UTC.init(microseconds:)) }
    var sqlValue: SQLValue { .integer(microseconds) }
}

/// Nanoseconds of the monotonic clock.
extension Instant: ColumnValue {
    static func read(_ value: SQLValue) -> Instant? {
        Int64.read(value).map(Instant.init(nanoseconds:))
    }
    var sqlValue: SQLValue { .integer(nanoseconds) }
}

// MARK: Texts

extension String: ColumnValue {
    static func read(_ value: SQLValue) -> String? {
        if case .text(let text) = value { text } else { nil }
    }

    var sqlValue: SQLValue { .text(self) }
}

/// A type whose values are stored as their text.
protocol TextColumn: ColumnValue {
    init?(column text: String)
    var columnText: String { get }
}

extension TextColumn {
    static func read(_ value: SQLValue) -> Self? {
        String.read(value).flatMap(Self.init(column:))
    }
    static var mayBeUnknown: Bool { true }
    var sqlValue: SQLValue { .text(columnText) }
}

extension TextColumn where Self: RawRepresentable, RawValue == String {
    init?(column text: String) { self.init(rawValue: text) }
    var columnText: String { rawValue }
}

extension ECUAddress: TextColumn {
    init?(column text: String) { self.init(text) }
    var columnText: String { description }
}

extension VIN: TextColumn {
    init?(column text: String) { self.init(text) }
    var columnText: String { text }
}

extension DTC: TextColumn {
    init?(column text: String) { self.init(text) }
    var columnText: String { description }
}

// MARK: Bytes

extension [UInt8]: ReadableColumn, ColumnValue {
    static func read(_ value: SQLValue) -> [UInt8]? {
        if case .blob(let bytes) = value { bytes } else { nil }
    }

    var sqlValue: SQLValue { .blob(self) }
}
