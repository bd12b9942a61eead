import OBDCore

/// The pieces that JSON objects are made of (RFC 8259), appended as UTF-8.
public enum JSONText {
    /// Appends a string in quotes; quotes, backslashes and what ``SteeringText`` names escaped.
    public static func append(_ text: String, to output: inout [UInt8]) {
        output.append(0x22)
        defer { output.append(0x22) }
        if text.utf8.contains(where: { $0 >= 0x80 }) {
            for scalar in text.unicodeScalars {
                if scalar.value >= 0x80, SteeringText.contains(scalar) {
                    output.append(contentsOf: [0x5C, 0x75])
                    Hex.append(UInt8(truncatingIfNeeded: scalar.value >> 8), to: &output)
                    Hex.append(UInt8(truncatingIfNeeded: scalar.value), to: &output)
                } else {
                    append(bytes: UTF8.encode(scalar), to: &output)
                }
            }
        } else {
            append(bytes: text.utf8, to: &output)
        }
    }

    private static func append(
        bytes: (some Sequence<UInt8>)?, to output: inout [UInt8]
    ) {
        guard let bytes else { return }
        for byte in bytes {
            switch byte {
            case 0x22: append(escape: 0x22, to: &output)
            case 0x5C: append(escape: 0x5C, to: &output)
            case 0x0A: append(escape: 0x6E, to: &output)
            case 0x0D: append(escape: 0x72, to: &output)
            case 0x09: append(escape: 0x74, to: &output)
            case 0x00..<0x20, 0x7F:
                output.append(contentsOf: [0x5C, 0x75, 0x30, 0x30])
                Hex.append(byte, to: &output)
            default: output.append(byte)
            }
        }
    }

    private static func append(escape: UInt8, to output: inout [UInt8]) {
        output.append(0x5C)
        output.append(escape)
    }

    /// Appends a number; one that JSON cannot hold (not finite) becomes null.
    public static func append(_ value: Double, to output: inout [UInt8]) {
        if value.isFinite {
            NumberText.append(value, to: &output)
        } else {
            append(raw: "null", to: &output)
        }
    }

    /// Appends a whole number.
    public static func append(_ value: Int, to output: inout [UInt8]) {
        NumberText.append(Int64(value), to: &output)
    }

    /// Appends true or false.
    public static func append(_ value: Bool, to output: inout [UInt8]) {
        append(raw: value ? "true" : "false", to: &output)
    }

    /// Appends text that is JSON already: `null`, `{"kind":`.
    @inline(__always)
    public static func append(raw text: StaticString, to output: inout [UInt8]) {
        text.withUTF8Buffer { output.append(contentsOf: $0) }
    }
}

/// One JSON object, written key by key in the order of the calls.
///
/// For what the command line prints besides vehicle data: accessories, trips, checks, summaries.
public struct JSONObject: Sendable {
    /// The object so far, without its closing brace.
    private var bytes: [UInt8] = [0x7B]

    /// An object without keys.
    public init() {}

    private mutating func key(_ name: StaticString) {
        if bytes.count > 1 { bytes.append(0x2C) }
        bytes.append(0x22)
        JSONText.append(raw: name, to: &bytes)
        bytes.append(0x22)
        bytes.append(0x3A)
    }

    private mutating func key(named name: String) {
        if bytes.count > 1 { bytes.append(0x2C) }
        JSONText.append(name, to: &bytes)
        bytes.append(0x3A)
    }

    /// Adds a whole number under a key that comes from data.
    public mutating func add(named name: String, _ value: Int) {
        key(named: name)
        JSONText.append(value, to: &bytes)
    }

    /// Adds an object under a key that comes from data.
    public mutating func add(named name: String, _ value: JSONObject) {
        key(named: name)
        bytes.append(contentsOf: value.bytes)
        bytes.append(0x7D)
    }

    private mutating func add<Value>(
        _ name: StaticString, _ value: Value?, _ append: (Value, inout [UInt8]) -> Void
    ) {
        key(name)
        if let value {
            append(value, &bytes)
        } else {
            JSONText.append(raw: "null", to: &bytes)
        }
    }

    /// Adds a string or null.
    public mutating func add(_ name: StaticString, _ value: String?) {
        add(name, value, JSONText.append)
    }

    /// Adds a number or null.
    public mutating func add(_ name: StaticString, _ value: Double?) {
        add(name, value, JSONText.append)
    }

    /// Adds a whole number or null.
    public mutating func add(_ name: StaticString, _ value: Int?) {
        add(name, value, JSONText.append)
    }

    /// Adds true, false or null.
    public mutating func add(_ name: StaticString, _ value: Bool?) {
        add(name, value, JSONText.append)
    }

    /// Adds a point in time or null.
    public mutating func add(_ name: StaticString, _ value: UTC?) {
        add(name, value?.text)
    }

    /// Adds a list of strings.
    public mutating func add(_ name: StaticString, _ values: [String]) {
        key(name)
        bytes.append(0x5B)
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            JSONText.append(value, to: &bytes)
        }
        bytes.append(0x5D)
    }

    /// Adds a list of lists of numbers.
    public mutating func add(_ name: StaticString, _ rows: [[Double]]) {
        key(name)
        bytes.append(0x5B)
        for (index, row) in rows.enumerated() {
            bytes.append(contentsOf: index > 0 ? [0x2C, 0x5B] : [0x5B])
            for (place, value) in row.enumerated() {
                if place > 0 { bytes.append(0x2C) }
                JSONText.append(value, to: &bytes)
            }
            bytes.append(0x5D)
        }
        bytes.append(0x5D)
    }

    /// Adds a list of objects.
    public mutating func add(_ name: StaticString, _ values: [JSONObject]) {
        key(name)
        bytes.append(0x5B)
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            bytes.append(contentsOf: value.bytes)
            bytes.append(0x7D)
        }
        bytes.append(0x5D)
    }

    /// Adds an object.
    public mutating func add(_ name: StaticString, _ value: JSONObject) {
        key(name)
        bytes.append(contentsOf: value.bytes)
        bytes.append(0x7D)
    }

    /// Appends the object and a line end.
    public func append(to output: inout [UInt8]) {
        output.append(contentsOf: bytes)
        output.append(0x7D)
        output.append(0x0A)
    }
}
