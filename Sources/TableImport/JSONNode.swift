import OBDCore

/// A JSON value with its first line; members keep their order.
struct JSONNode {
    enum Value {
        case null
        case bool(Bool)
        /// A number as the text has it.
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([(key: String, value: JSONNode)])
    }

    var value: Value
    /// The line, from 1.
    var line: Int

    /// A member of an object; if a name occurs twice, the last one counts.
    subscript(key: String) -> JSONNode? {
        guard case .object(let members) = value else { return nil }
        return members.last { $0.key == key }?.value
    }

    var members: [(key: String, value: JSONNode)] {
        if case .object(let members) = value { members } else { [] }
    }
    var elements: [JSONNode] { if case .array(let nodes) = value { nodes } else { [] } }
    var isArray: Bool { if case .array = value { true } else { false } }
    var string: String? { if case .string(let text) = value { text } else { nil } }
    var bool: Bool? { if case .bool(let flag) = value { flag } else { nil } }
    var fraction: Fraction? {
        if case .number(let text) = value { Fraction(decimal: text) } else { nil }
    }
    var int: Int? { fraction?.int }
    /// A text, or a number as it is written.
    var text: String? {
        switch value {
        case .string(let text), .number(let text): text
        case .null, .bool, .array, .object: nil
        }
    }
}

/// Parses a JSON text (RFC 8259) with line numbers.
///
/// The reader ignores a byte order mark and a comma before a closing bracket, because people write these
/// files by hand.
struct JSONDocument {
    /// The line of a syntax error.
    struct Fault: Error {
        var line: Int
    }

    private let bytes: [UInt8]
    private var place = 0
    private var line = 1
    /// The greatest depth of nesting.
    private static let deepest = 24

    static func read(_ bytes: [UInt8]) throws(Fault) -> JSONNode {
        var document = JSONDocument(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { document.place = 3 }
        let node = try document.node(depth: 0)
        document.skipBlanks()
        guard document.place == bytes.count else { throw document.fault }
        return node
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var fault: Fault { Fault(line: line) }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipBlanks() {
        while place < bytes.count {
            switch bytes[place] {
            case 0x0A: line += 1
            case 0x20, 0x09, 0x0D: break
            default: return
            }
            place += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func node(depth: Int) throws(Fault) -> JSONNode {
        skipBlanks()
        guard depth < Self.deepest, let byte = next else { throw fault }
        let start = line
        func made(_ value: JSONNode.Value) -> JSONNode { JSONNode(value: value, line: start) }
        switch byte {
        case 0x22: return made(.string(try string()))
        case 0x5B:
            place += 1
            var nodes: [JSONNode] = []
            while !take(0x5D) {
                nodes.append(try node(depth: depth + 1))
                guard take(0x2C) else {
                    guard take(0x5D) else { throw fault }
                    break
                }
            }
            return made(.array(nodes))
        case 0x7B:
            place += 1
            var members: [(key: String, value: JSONNode)] = []
            while !take(0x7D) {
                skipBlanks()
                let key = try string()
                guard take(0x3A) else { throw fault }
                members.append((key, try node(depth: depth + 1)))
                guard take(0x2C) else {
                    guard take(0x7D) else { throw fault }
                    break
                }
            }
            return made(.object(members))
        case 0x6E: return made(try word("null", .null))
        case 0x74: return made(try word("true", .bool(true)))
        case 0x66: return made(try word("false", .bool(false)))
        default: return made(.number(try number()))
        }
    }

    private mutating func word(
        _ text: StaticString, _ value: JSONNode.Value
    ) throws(Fault) -> JSONNode.Value {
        guard text.withUTF8Buffer({ bytes[place...].starts(with: $0) }) else { throw fault }
        place += text.utf8CodeUnitCount
        return value
    }

    private mutating func digits() -> Bool {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        return place > start
    }

    private mutating func number() throws(Fault) -> String {
        let start = place
        if next == 0x2D { place += 1 }
        guard digits() else { throw fault }
        if next == 0x2E {
            place += 1
            guard digits() else { throw fault }
        }
        if next == 0x45 || next == 0x65 {
            place += 1
            if next == 0x2B || next == 0x2D { place += 1 }
            guard digits() else { throw fault }
        }
        guard place - start <= 40 else { throw fault }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func string() throws(Fault) -> String {
        guard next == 0x22 else { throw fault }
        let start = place + 1
        var end = start
        var isPlain = true
        // Most texts contain no escapes and are copied at once.
        while end < bytes.count, bytes[end] != 0x22 {
            if bytes[end] == 0x5C {
                isPlain = false
                end += 1
            } else if bytes[end] < 0x20 {
                throw fault
            }
            end += 1
        }
        guard end < bytes.count else { throw fault }
        place = end + 1
        if isPlain {
            guard let text = String(validating: bytes[start..<end], as: UTF8.self) else {
                throw fault
            }
            return text
        }
        // Let the other JSON reader handle the escapes.
        let quoted = Array("{\"t\":".utf8) + bytes[start - 1...end] + [0x7D]
        guard let text = JSONReader.object(quoted[...])?["t"]?.string else { throw fault }
        return text
    }
}
