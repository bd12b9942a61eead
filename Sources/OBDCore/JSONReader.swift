/// A value of a JSON text.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A finite number.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Values by name; the last of several equal names counts.
    case object([String: JSONValue])

    /// The text of a string.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The number.
    public var number: Double? { if case .number(let value) = self { value } else { nil } }
    /// The boolean.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

/// Reads one JSON text (RFC 8259).
public struct JSONReader {
    private let bytes: ArraySlice<UInt8>
    private var place: Int
    /// The deepest nesting that is accepted.
    private static let deepest = 16

    /// The object in `bytes`; nil for anything else.
    public static func object(_ bytes: ArraySlice<UInt8>) -> [String: JSONValue]? {
        var reader = JSONReader(bytes: bytes, place: bytes.startIndex)
        guard case .object(let object)? = reader.value(depth: 0) else { return nil }
        reader.skipBlanks()
        return reader.place == bytes.endIndex ? object : nil
    }

    private var next: UInt8? { place < bytes.endIndex ? bytes[place] : nil }

    private mutating func skipBlanks() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) -> JSONValue? {
        let isHere = text.withUTF8Buffer { bytes[place...].starts(with: $0) }
        guard isHere else { return nil }
        place += text.utf8CodeUnitCount
        return value
    }

    private mutating func value(depth: Int) -> JSONValue? {
        skipBlanks()
        guard depth < Self.deepest, let byte = next else { return nil }
        switch byte {
        case 0x6E: return word("null", .null)
        case 0x74: return word("true", .bool(true))
        case 0x66: return word("false", .bool(false))
        case 0x22: return string().map { .string($0) }
        case 0x5B:
            place += 1
            var values: [JSONValue] = []
            if take(0x5D) { return .array([]) }
            repeat {
                guard let value = value(depth: depth + 1) else { return nil }
                values.append(value)
            } while take(0x2C)
            return take(0x5D) ? .array(values) : nil
        case 0x7B:
            place += 1
            var object: [String: JSONValue] = [:]
            if take(0x7D) { return .object([:]) }
            repeat {
                skipBlanks()
                guard let key = string(), take(0x3A), let value = value(depth: depth + 1) else {
                    return nil
                }
                object[key] = value
            } while take(0x2C)
            return take(0x7D) ? .object(object) : nil
        default: return number()
        }
    }

    private mutating func number() -> JSONValue? {
        let start = place
        if next == 0x2D { place += 1 }
        // No digit may follow a leading zero.
        if next == 0x30 { place += 1 } else if !digits() { return nil }
        if next == 0x2E {
            place += 1
            guard digits() else { return nil }
        }
        if next == 0x45 || next == 0x65 {
            place += 1
            if next == 0x2B || next == 0x2D { place += 1 }
            guard digits() else { return nil }
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
    }

    /// Reads digits; false if there are none.
    private mutating func digits() -> Bool {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        return place > start
    }

    private mutating func string() -> String? {
        guard next == 0x22 else { return nil }
        place += 1
        var text: [UInt8] = []
        while let byte = next {
            place += 1
            if byte == 0x22 { return String(validating: text, as: UTF8.self) }
            if byte < 0x20 { return nil }
            guard byte == 0x5C else {
                text.append(byte)
                continue
            }
            guard let escaped = next else { return nil }
            place += 1
            switch escaped {
            case 0x22, 0x5C, 0x2F: text.append(escaped)
            case 0x62: text.append(0x08)
            case 0x66: text.append(0x0C)
            case 0x6E: text.append(0x0A)
            case 0x72: text.append(0x0D)
            case 0x74: text.append(0x09)
            case 0x75:
                guard let scalar = escapedScalar() else { return nil }
                text.append(contentsOf: String(scalar).utf8)
            default: return nil
            }
        }
        return nil
    }

    private mutating func escapedScalar() -> Unicode.Scalar? {
        func unit() -> UInt32? {
            guard place + 4 <= bytes.endIndex else { return nil }
            var unit: UInt32 = 0
            for byte in bytes[place..<place + 4] {
                guard let digit = Hex.value(byte) else { return nil }
                unit = unit << 4 | UInt32(digit)
            }
            place += 4
            return unit
        }
        guard let first = unit() else { return nil }
        guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
        guard place + 2 <= bytes.endIndex, bytes[place] == 0x5C, bytes[place + 1] == 0x75 else {
            return nil
        }
        place += 2
        guard let second = unit(), (0xDC00..<0xE000).contains(second) else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }
}
