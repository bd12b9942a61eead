/// A value received over D-Bus.
indirect enum DBusValue: Hashable, Sendable {
    /// y, n, q, i, u, x, h, t; values of `t` beyond the range of `Int` are truncated.
    case integer(Int)
    case boolean(Bool)
    case double(Double)
    /// s, o, g.
    case text(String)
    case list([DBusValue])
    /// a{…}, with its entries in the order of the message.
    case entries([Entry])

    struct Entry: Hashable, Sendable {
        var key: DBusValue
        var value: DBusValue
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    var boolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }
    var list: [DBusValue] { if case .list(let values) = self { values } else { [] } }
    var entries: [Entry] {
        if case .entries(let entries) = self { entries } else { [] }
    }

    /// The value for a text key.
    subscript(key: String) -> DBusValue? { entries.first { $0.key.text == key }?.value }
}

/// Why bytes are not a D-Bus message.
enum DBusFault: Error, Hashable, Sendable {
    /// Longer than any message that is expected here, or shorter than its own length field says.
    case length
    /// A type that D-Bus does not have, or too deeply nested.
    case signature
    /// Big-endian, or another version of the protocol.
    case form
}

/// A D-Bus message, with the parts that a client needs (D-Bus Specification 0.42, “Message Protocol”).
struct DBusMessage: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case call = 1
        case reply, error, signal
    }

    var kind: Kind
    var serial: UInt32
    /// In a reply: the serial number of the call.
    var replySerial: UInt32?
    var path: String?
    var interface: String?
    var member: String?
    /// The sender's name on the bus.
    var sender: String?
    /// In an error: the name of the error.
    var errorName: String?
    var body: [DBusValue] = []

    /// The longest message to accept; BlueZ's messages are far shorter.
    ///
    /// Unit: bytes.
    static let longest = 4 << 20
    private static let headLength = 16

    /// The length of the message that begins with `bytes`; nil if more bytes are needed.
    static func length(of bytes: [UInt8]) throws(DBusFault) -> Int? {
        guard bytes.count >= headLength else { return nil }
        guard bytes[0] == UInt8(ascii: "l"), bytes[3] == 1 else { throw .form }
        var reader = DBusReader(bytes: bytes, place: 4)
        let body = Int(try reader.word())
        _ = try reader.word()
        let fields = Int(try reader.word())
        guard body <= longest, fields <= longest else { throw .length }
        return headLength + (fields + 7) / 8 * 8 + body
    }

    init(_ bytes: [UInt8]) throws(DBusFault) {
        guard try Self.length(of: bytes) == bytes.count else { throw .length }
        guard let kind = Kind(rawValue: bytes[1]) else { throw .form }
        self.kind = kind
        var reader = DBusReader(bytes: bytes, place: 8)
        serial = try reader.word()
        var signature = ""
        for field in try reader.value(of: "a(yv)").list {
            let parts = field.list
            guard parts.count == 2, let code = parts[0].integer else { throw .form }
            switch code {
            case 1: path = parts[1].text
            case 2: interface = parts[1].text
            case 3: member = parts[1].text
            case 4: errorName = parts[1].text
            case 7: sender = parts[1].text
            case 5: replySerial = parts[1].integer.map { UInt32(truncatingIfNeeded: $0) }
            case 8: signature = parts[1].text ?? ""
            default: break
            }
        }
        try reader.align(to: 8)
        body = try reader.values(of: signature)
    }

    /// The bytes of a method call.
    static func call(
        serial: UInt32, destination: String, path: String, interface: String, member: String,
        arguments: [Argument] = []
    ) -> [UInt8] {
        var body = DBusWriter()
        for argument in arguments { argument.write(to: &body) }
        var fields = DBusWriter()
        for (code, type, text) in [
            (1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination),
        ] {
            fields.field(UInt8(code), type, text)
        }
        let signature = arguments.map(\.signature).joined()
        if !signature.isEmpty { fields.field(8, "g", signature) }
        var message = DBusWriter()
        message.bytes = [UInt8(ascii: "l"), Kind.call.rawValue, 0, 1]
        message.word(UInt32(body.bytes.count))
        message.word(serial)
        message.word(UInt32(fields.bytes.count))
        message.bytes += fields.bytes
        message.align(to: 8)
        return message.bytes + body.bytes
    }

    /// A value that this program passes in calls.
    enum Argument: Hashable, Sendable {
        case text(String)
        case path(String)
        case bytes([UInt8])
        /// a{sv} with text values only.
        case properties([String: String])
        case number(UInt32)
        /// A boolean that is sent together with its type.
        case variant(Bool)
        /// a{sv} in the order given.
        case dictionary([Property])
        /// a{oa{sa{sv}}}: objects of one interface each.
        case objects([ServedObject])
        case noTexts

        var signature: String {
            switch self {
            case .text: "s"
            case .path: "o"
            case .bytes: "ay"
            case .properties: "a{sv}"
            case .number: "u"
            case .variant: "v"
            case .dictionary: "a{sv}"
            case .objects: "a{oa{sa{sv}}}"
            case .noTexts: "as"
            }
        }

        func write(to writer: inout DBusWriter) {
            switch self {
            case .text(let text), .path(let text): writer.text(text)
            case .number(let number): writer.word(number)
            case .bytes(let bytes):
                writer.word(UInt32(truncatingIfNeeded: bytes.count))
                writer.bytes += bytes
            case .variant(let flag):
                writer.signature("b")
                writer.word(flag ? 1 : 0)
            case .properties(let properties):
                var entries = DBusWriter()
                for (key, value) in properties.sorted(by: { $0.key < $1.key }) {
                    entries.align(to: 8)
                    entries.text(key)
                    entries.signature("s")
                    entries.text(value)
                }
                writer.word(UInt32(entries.bytes.count))
                writer.align(to: 8)
                writer.bytes += entries.bytes
            case .dictionary(let properties): writer.dictionary(properties)
            case .noTexts: writer.word(0)
            case .objects(let objects):
                writer.array { writer in
                    for object in objects {
                        writer.align(to: 8)
                        writer.text(object.path)
                        writer.array { writer in
                            writer.text(object.interface)
                            writer.dictionary(object.properties)
                        }
                    }
                }
            }
        }
    }

    /// A name and a value whose type is sent with it.
    struct Property: Hashable, Sendable {
        var name: String
        var value: Value

        init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    enum Value: Hashable, Sendable {
        case text(String)
        case path(String)
        case flag(Bool)
        case texts([String])
        case bytes([UInt8])
    }

    /// An object of this program that others may look at.
    struct ServedObject: Hashable, Sendable {
        var path: String
        var interface: String
        var properties: [Property]
    }

    static func signal(
        serial: UInt32, path: String, interface: String, member: String, arguments: [Argument]
    ) -> [UInt8] {
        var body = DBusWriter()
        for argument in arguments { argument.write(to: &body) }
        var fields = DBusWriter()
        for (code, type, text) in [
            (1, "o", path), (2, "s", interface), (3, "s", member),
            (8, "g", arguments.map(\.signature).joined()),
        ] {
            fields.field(UInt8(code), type, text)
        }
        var message = DBusWriter()
        message.bytes = [UInt8(ascii: "l"), Kind.signal.rawValue, 0, 1]
        message.word(UInt32(body.bytes.count))
        message.word(serial)
        message.word(UInt32(fields.bytes.count))
        message.bytes += fields.bytes
        message.align(to: 8)
        return message.bytes + body.bytes
    }
}

/// Writes D-Bus values in little-endian order; offsets are aligned relative to a multiple of 8.
struct DBusWriter {
    var bytes: [UInt8] = []

    mutating func align(to boundary: Int) {
        while bytes.count % boundary != 0 { bytes.append(0) }
    }

    mutating func word(_ value: UInt32) {
        align(to: 4)
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func text(_ text: String) {
        word(UInt32(text.utf8.count))
        bytes += Array(text.utf8) + [0]
    }

    /// An array whose elements begin at multiples of 8.
    mutating func array(_ write: (inout DBusWriter) -> Void) {
        var content = DBusWriter()
        write(&content)
        word(UInt32(content.bytes.count))
        align(to: 8)
        bytes += content.bytes
    }

    /// a{sv}.
    mutating func dictionary(_ properties: [DBusMessage.Property]) {
        array { writer in
            for property in properties {
                writer.align(to: 8)
                writer.text(property.name)
                writer.variant(property.value)
            }
        }
    }

    private mutating func variant(_ value: DBusMessage.Value) {
        switch value {
        case .text(let text):
            signature("s")
            self.text(text)
        case .path(let path):
            signature("o")
            text(path)
        case .flag(let flag):
            signature("b")
            word(flag ? 1 : 0)
        case .texts(let texts):
            signature("as")
            var content = DBusWriter()
            for text in texts { content.text(text) }
            word(UInt32(content.bytes.count))
            bytes += content.bytes
        case .bytes(let value):
            signature("ay")
            word(UInt32(value.count))
            bytes += value
        }
    }

    mutating func signature(_ text: String) {
        bytes += [UInt8(truncatingIfNeeded: text.utf8.count)] + Array(text.utf8) + [0]
    }

    mutating func field(_ code: UInt8, _ type: String, _ value: String) {
        align(to: 8)
        bytes.append(code)
        signature(type)
        if type == "g" { signature(value) } else { text(value) }
    }
}

/// Reads D-Bus values and checks every length against the available bytes.
struct DBusReader {
    let bytes: [UInt8]
    var place: Int
    private static let deepest = 16

    mutating func align(to boundary: Int) throws(DBusFault) {
        place = (place + boundary - 1) / boundary * boundary
        if place > bytes.count { throw .length }
    }

    private mutating func take(_ count: Int) throws(DBusFault) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - place else { throw .length }
        defer { place += count }
        return bytes[place..<place + count]
    }

    private mutating func number(_ size: Int) throws(DBusFault) -> UInt64 {
        try align(to: size)
        return try take(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func word() throws(DBusFault) -> UInt32 {
        UInt32(truncatingIfNeeded: try number(4))
    }

    private mutating func text(_ count: Int) throws(DBusFault) -> String {
        let text = String(decoding: try take(count), as: UTF8.self)
        guard try take(1).first == 0 else { throw .form }
        return text
    }

    mutating func values(of signature: String) throws(DBusFault) -> [DBusValue] {
        var types = Array(signature.utf8)[...]
        var values: [DBusValue] = []
        while !types.isEmpty { values.append(try value(&types, depth: 0)) }
        return values
    }

    mutating func value(of signature: String) throws(DBusFault) -> DBusValue {
        var types = Array(signature.utf8)[...]
        return try value(&types, depth: 0)
    }

    private mutating func value(
        _ types: inout ArraySlice<UInt8>, depth: Int
    ) throws(DBusFault) -> DBusValue {
        guard let type = types.popFirst(), depth < Self.deepest else { throw .signature }
        switch type {
        case UInt8(ascii: "y"): return .integer(Int(try number(1)))
        case UInt8(ascii: "b"): return .boolean(try number(4) != 0)
        case UInt8(ascii: "n"): return .integer(Int(Int16(truncatingIfNeeded: try number(2))))
        case UInt8(ascii: "q"): return .integer(Int(try number(2)))
        case UInt8(ascii: "i"): return .integer(Int(Int32(truncatingIfNeeded: try number(4))))
        case UInt8(ascii: "u"), UInt8(ascii: "h"): return .integer(Int(try number(4)))
        case UInt8(ascii: "x"), UInt8(ascii: "t"):
            return .integer(Int(truncatingIfNeeded: try number(8)))
        case UInt8(ascii: "d"): return .double(Double(bitPattern: try number(8)))
        case UInt8(ascii: "s"), UInt8(ascii: "o"): return .text(try text(Int(try word())))
        case UInt8(ascii: "g"): return .text(try text(Int(try number(1))))
        case UInt8(ascii: "v"):
            var inner = Array(try text(Int(try number(1))).utf8)[...]
            let value = try value(&inner, depth: depth + 1)
            guard inner.isEmpty else { throw .signature }
            return value
        case UInt8(ascii: "a"): return try array(&types, depth: depth + 1)
        case UInt8(ascii: "("): return .list(try members(&types, UInt8(ascii: ")"), depth + 1))
        default: throw .signature
        }
    }

    /// The members of a structure or of a dictionary entry, up to the closing bracket.
    private mutating func members(
        _ types: inout ArraySlice<UInt8>, _ end: UInt8, _ depth: Int
    ) throws(DBusFault) -> [DBusValue] {
        try align(to: 8)
        var values: [DBusValue] = []
        while let type = types.first, type != end {
            values.append(try value(&types, depth: depth))
        }
        guard types.popFirst() == end, !values.isEmpty else { throw .signature }
        return values
    }

    private mutating func array(
        _ types: inout ArraySlice<UInt8>, depth: Int
    ) throws(DBusFault) -> DBusValue {
        let count = Int(try word())
        guard let kind = types.first else { throw .signature }
        try align(to: Self.alignment(of: kind))
        guard count <= bytes.count - place else { throw .length }
        let end = place + count
        let element = try Self.single(types)
        types = types.dropFirst(element.count)
        let isDictionary = kind == UInt8(ascii: "{")
        var values: [DBusValue] = []
        var entries: [DBusValue.Entry] = []
        while place < end {
            var inner = element
            if isDictionary {
                inner = inner.dropFirst()
                let pair = try members(&inner, UInt8(ascii: "}"), depth)
                guard pair.count == 2 else { throw .signature }
                entries.append(DBusValue.Entry(key: pair[0], value: pair[1]))
            } else {
                values.append(try value(&inner, depth: depth))
            }
        }
        guard place == end else { throw .length }
        return isDictionary ? .entries(entries) : .list(values)
    }

    private static func alignment(of type: UInt8) -> Int {
        switch type {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("),
            UInt8(ascii: "{"):
            8
        default: 4
        }
    }

    /// The single complete type at the start of `types`.
    private static func single(_ types: ArraySlice<UInt8>) throws(DBusFault) -> ArraySlice<UInt8> {
        var open = 0
        for (index, type) in zip(types.indices, types) {
            switch type {
            case UInt8(ascii: "a"): continue
            case UInt8(ascii: "("), UInt8(ascii: "{"): open += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): open -= 1
            default: break
            }
            if open == 0 { return types[types.startIndex...index] }
        }
        throw .signature
    }
}
