struct TOMLReader {
    /// How a key was used: no key may be set twice, and no table may be opened twice.
    private enum Use {
        case value, heading, dotted, implied
    }

    private(set) var entries: [TOMLText.Entry] = []
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private var uses: [[String]: Use] = [:]

    /// The greatest depth of nested lists and of keys, so that a file cannot exhaust the stack.
    private static let deepest = 32

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    mutating func read() throws(TOMLText.Fault) {
        var table: [String] = []
        while true {
            try skip(lines: true)
            guard let byte = next else { return }
            let (start, first, count) = (lineStart, line, entries.count)
            if byte == UInt8(ascii: "[") {
                take()
                if next == byte { throw fault("a list of tables is not a setting") }
                table = try readKey()
                try expect("]")
                try define(table, as: .heading, below: 0)
                entries.append(
                    .init(
                        key: table, value: .table, line: first, lines: 0..<0,
                        place: index..<index, depth: table.count))
            } else {
                try readEntry(in: table, table.count)
            }
            try skip(lines: false)
            if next == UInt8(ascii: "\n") {
                take()
            } else if next != nil {
                throw fault("\"\(token())\" comes after the end of the value")
            }
            entries[count].lines = start..<index
        }
    }

    /// Parses a key, an equals sign and a value, including the entries of braces.
    private mutating func readEntry(in table: [String], _ depth: Int) throws(TOMLText.Fault) {
        let (first, count) = (line, entries.count)
        let key = table + (try readKey())
        try expect("=")
        try define(key, as: .value, below: table.count)
        skipBlanks()
        let start = index
        entries.append(
            .init(key: key, value: .table, line: first, lines: 0..<0, place: 0..<0, depth: depth))
        if next == UInt8(ascii: "{") {
            take()
            skipBlanks()
            while next != UInt8(ascii: "}") {
                if entries.count > count + 1 {
                    try expect(",")
                    skipBlanks()
                }
                if key.count > Self.deepest { throw fault("too deep") }
                try readEntry(in: key, depth)
                skipBlanks()
            }
            take()
        } else {
            entries[count].value = try readValue(0)
        }
        entries[count].place = start..<index
    }

    private mutating func define(
        _ key: [String], as use: Use, below depth: Int
    ) throws(TOMLText.Fault) {
        for count in depth + 1..<max(key.count, depth + 1) {
            let table = Array(key[..<count])
            switch (uses[table], use) {
            case (nil, .heading): uses[table] = .implied
            case (nil, _), (.implied, .value): uses[table] = .dotted
            case (.value, _), (.heading, .value):
                throw fault("\"\(table.joined(separator: "."))\" is set twice")
            case (.heading, _), (.dotted, _), (.implied, _): continue
            }
        }
        guard uses[key] == nil || (use == .heading && uses[key] == .implied) else {
            throw fault("\"\(key.joined(separator: "."))\" is set twice")
        }
        uses[key] = use
    }

    private mutating func readKey() throws(TOMLText.Fault) -> [String] {
        var parts: [String] = []
        repeat {
            if !parts.isEmpty { take() }
            if parts.count == Self.deepest { throw fault("too deep") }
            skipBlanks()
            if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") {
                parts.append(try readText(isKey: true))
            } else {
                let start = index
                while let byte = next, Self.isBare(byte) { take() }
                if index == start { throw fault("a name is missing") }
                parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
            }
            skipBlanks()
        } while next == UInt8(ascii: ".")
        return parts
    }

    private mutating func readValue(_ depth: Int) throws(TOMLText.Fault) -> TOMLText.Value {
        switch next {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try readText(isKey: false))
        case UInt8(ascii: "["):
            if depth == Self.deepest { throw fault("too deep") }
            take()
            var list: [TOMLText.Value] = []
            try skip(lines: true)
            while next != UInt8(ascii: "]") {
                if !list.isEmpty {
                    try expect(",")
                    try skip(lines: true)
                    if next == UInt8(ascii: "]") { break }
                }
                list.append(try readValue(depth + 1))
                try skip(lines: true)
            }
            take()
            return .list(list)
        default:
            let text = token()
            if text.isEmpty { throw fault("a value is missing") }
            if text == "true" || text == "false" {
                index += text.utf8.count
                return .flag(text == "true")
            }
            guard let number = Self.number(text) else {
                throw fault("\"\(text)\" is not a value: texts need quotes")
            }
            index += text.utf8.count
            return number
        }
    }

    /// The text up to the next blank or separator.
    private func token() -> String {
        let end = bytes[index...].firstIndex { " \t\r\n,]}#".utf8.contains($0) }
        return String(decoding: bytes[index..<(end ?? bytes.count)], as: UTF8.self)
    }

    /// A number; `_` between its digits is removed.
    private static func number(_ text: String) -> TOMLText.Value? {
        let parts = text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        let plain = String(decoding: parts.joined(), as: UTF8.self)
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where text.hasPrefix(prefix) {
            guard parts.allSatisfy({ !$0.isEmpty }), !text.hasPrefix(prefix + "_"),
                plain.dropFirst(2).utf8.allSatisfy({ $0 >= 0x30 })
            else { return nil }
            return Int(plain.dropFirst(2), radix: radix).map(TOMLText.Value.integer)
        }
        let isDigit = { (byte: UInt8?) in byte.map { (0x30...0x39).contains($0) } == true }
        guard parts.count == 1 || parts.dropLast().allSatisfy({ isDigit($0.last) }),
            parts.dropFirst().allSatisfy({ isDigit($0.first) })
        else { return nil }
        var rest = plain.utf8[...]
        func digits() -> Int {
            let count = rest.prefix(while: isDigit).count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let beginsWithZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole == 1 || (whole > 1 && !beginsWithZero) else { return nil }
        if rest.isEmpty { return Int(plain).map(TOMLText.Value.integer) }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard digits() > 0 else { return nil }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
                rest.removeFirst()
            }
            guard digits() > 0 else { return nil }
        }
        return rest.isEmpty ? Double(plain).map(TOMLText.Value.number) : nil
    }

    /// Parses a quoted text; three quotes allow several lines.
    private mutating func readText(isKey: Bool) throws(TOMLText.Fault) -> String {
        let begin = line
        let quote = bytes[index]
        let isLong = bytes[index...].starts(with: [quote, quote, quote]) && !isKey
        index += isLong ? 3 : 1
        if isLong {
            if isAtLineEnd, next != 0x0A { take() }
            if next == 0x0A { take() }
        }
        var text: [UInt8] = []
        while let byte = next, isLong || byte != 0x0A {
            if byte == quote {
                // A long text may end with up to two quotes before the closing three.
                let count = isLong ? bytes[index...].prefix(5).prefix { $0 == quote }.count : 1
                index += count
                if !isLong || count >= 3 {
                    text += [UInt8](repeating: quote, count: isLong ? count - 3 : 0)
                    return String(decoding: text, as: UTF8.self)
                }
                text += [UInt8](repeating: quote, count: count)
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                take()
                text += try readEscape(isLong)
            } else {
                guard (byte >= 0x20 && byte != 0x7F) || byte == 0x09 || (isLong && isAtLineEnd)
                else {
                    throw fault("a control character in a text")
                }
                text.append(byte)
                take()
            }
        }
        throw TOMLText.Fault(line: begin, reason: "the text has no closing quote")
    }

    /// The text for an escape sequence after its backslash, which was read already.
    private mutating func readEscape(_ isLong: Bool) throws(TOMLText.Fault) -> [UInt8] {
        let start = index
        while isLong, next == 0x20 || next == 0x09 || isAtLineEnd { take() }
        if bytes[start..<index].contains(0x0A) { return [] }
        index = start
        let sign = next ?? 0
        let signs: [(UInt8, UInt8)] = [
            (UInt8(ascii: "b"), 0x08), (UInt8(ascii: "t"), 0x09), (UInt8(ascii: "n"), 0x0A),
            (UInt8(ascii: "f"), 0x0C), (UInt8(ascii: "r"), 0x0D), (UInt8(ascii: "\""), 0x22),
            (UInt8(ascii: "\\"), 0x5C),
        ]
        if let meant = signs.first(where: { $0.0 == sign })?.1 {
            take()
            return [meant]
        }
        let count = sign == UInt8(ascii: "u") ? 4 : sign == UInt8(ascii: "U") ? 8 : 0
        let digits = bytes[index...].dropFirst().prefix(count)
        guard count > 0, digits.count == count, digits.allSatisfy({ $0 >= 0x30 }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
            let scalar = UnicodeScalar(value)
        else { throw fault("a backslash comes before a character that it cannot escape") }
        index += count + 1
        return Array(String(scalar).utf8)
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Whether the line ends here, with LF or CR LF.
    private var isAtLineEnd: Bool {
        next == 0x0A || bytes[index...].starts(with: [0x0D, 0x0A])
    }

    private mutating func take() {
        guard index < bytes.count else { return }
        index += 1
        if bytes[index - 1] == 0x0A {
            line += 1
            lineStart = index
        }
    }

    private mutating func expect(_ sign: UnicodeScalar) throws(TOMLText.Fault) {
        skipBlanks()
        guard next == UInt8(ascii: sign) else { throw fault("\"\(sign)\" is missing") }
        take()
    }

    /// Whether a key may contain this byte without quotes.
    static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 { take() }
    }

    /// Skips blanks and a comment, with `lines` also line ends.
    private mutating func skip(lines: Bool) throws(TOMLText.Fault) {
        while let byte = next {
            if byte == UInt8(ascii: "#") {
                while let byte = next, byte != 0x0A {
                    if (byte < 0x20 && byte != 0x09 && !isAtLineEnd) || byte == 0x7F {
                        throw fault("a control character in a comment")
                    }
                    take()
                }
            } else if byte == 0x20 || byte == 0x09 || (isAtLineEnd && (lines || byte != 0x0A)) {
                take()
            } else {
                return
            }
        }
    }

    private func fault(_ reason: String) -> TOMLText.Fault { .init(line: line, reason: reason) }
}
