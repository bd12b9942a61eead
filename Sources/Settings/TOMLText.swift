/// A text in TOML with its entries and their positions.
///
/// The same reader serves three purposes: settings use the values, messages use the line numbers,
/// and a change replaces only the bytes of its value, so that comments and order stay. The reader supports
/// TOML 1.0 (https://toml.io/en/v1.0.0) except dates, lists of tables, inf and nan. No setting has such
/// values, and they are faults.
struct TOMLText: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int)
        case number(Double)
        case flag(Bool)
        case list([Value])
        /// A heading, or braces; their content has its own entries.
        case table
    }

    /// A key with its value, or a heading.
    struct Entry: Hashable, Sendable {
        /// The parts of the key, from the root.
        var key: [String]
        var value: Value
        /// The line of the key, counted from 1.
        var line: Int
        /// The bytes of the entry's lines; empty in braces.
        var lines: Range<Int>
        /// The bytes of the entry's value; empty for a heading.
        var place: Range<Int>
        /// The number of the key's parts that belong to its heading.
        var depth: Int
    }

    /// A syntax error with its line.
    struct Fault: Error, Hashable {
        var line: Int
        var reason: String
    }

    /// The text, UTF-8.
    private(set) var bytes: [UInt8]
    /// All keys and headings in their order.
    private(set) var entries: [Entry]

    /// Parses a text, which must be UTF-8.
    init(_ bytes: [UInt8]) throws(Fault) {
        var reader = TOMLReader(bytes)
        try reader.read()
        self.bytes = bytes
        entries = reader.entries
    }

    /// Sets a key to texts or to a list of texts, or removes it (nil); a table is removed with
    /// everything in it.
    ///
    /// A key within braces cannot be removed.
    mutating func set(_ name: String, to value: [String]?, isList: Bool) throws(Fault) {
        let key = name.split(separator: ".").map(String.init)
        guard let value else {
            for entry in entries.reversed() where entry.key.starts(with: key) {
                bytes.removeSubrange(entry.lines)
            }
            self = try TOMLText(bytes)
            return
        }
        let entry = entries.first { $0.key == key && $0.value != .table }
        let texts = value.map(Self.quoted).joined(separator: ", ")
        let text = isList ? "[\(texts)]" : texts
        if let entry { return try replace(entry.place, with: text) }
        // A new line under a heading of `depth` parts.
        func line(_ depth: Int) -> String {
            let bare = key[depth...].map { SettingsKey.isBareName($0) ? $0 : Self.quoted($0) }
            return bare.joined(separator: ".") + " = \(text)\n"
        }
        let table = Array(key.dropLast())
        let siblings = entries.filter { $0.key.starts(with: table) && !$0.lines.isEmpty }
        // Insert the entry after the last entry of the same table, else as the first one under its heading.
        let before = siblings.last { $0.key.count == key.count && $0.value != .table }
        if let before = before ?? siblings.first(where: { $0.key == table && $0.depth > 0 }) {
            try insert(line(before.depth), at: before.lines.upperBound)
        } else if table.isEmpty {
            // Insert the entry after the comments at the top.
            let end = entries.first { $0.depth > 0 }?.lines.lowerBound ?? bytes.count
            let last = bytes[..<end].lastIndex { !" \t\r\n".utf8.contains($0) }
            let place = last.flatMap { bytes[$0...].firstIndex(of: 0x0A) }.map { $0 + 1 }
            try insert(line(0), at: place ?? (last == nil ? 0 : bytes.count))
        } else {
            let heading = "[\(table.joined(separator: "."))]\n" + line(table.count)
            try insert(bytes.isEmpty ? heading : "\n" + heading, at: bytes.count)
        }
    }

    /// Whether a key, or a table with this name, has an entry.
    func has(_ name: String) -> Bool {
        let key = name.split(separator: ".").map(String.init)
        return entries.contains { $0.key.starts(with: key) }
    }

    private mutating func insert(_ lines: String, at place: Int) throws(Fault) {
        let isOpen = place > 0 && bytes[place - 1] != 0x0A
        try replace(place..<place, with: isOpen ? "\n" + lines : lines)
    }

    private mutating func replace(_ place: Range<Int>, with text: String) throws(Fault) {
        var changed = bytes
        changed.replaceSubrange(place, with: Array(text.utf8))
        self = try TOMLText(changed)
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}
