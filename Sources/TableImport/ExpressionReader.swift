/// Parses equations of other programs.
///
/// The dialects differ in the names of bytes, in the meaning of `<`, and in the precedence of
/// operators.
struct ExpressionReader {
    /// The program whose equations are read.
    enum Dialect: Hashable, Sendable {
        /// Torque: letters for bytes, `<` shifts, arguments after colons.
        case torque
        /// A Better Routeplanner: letters for bytes, `<` compares.
        case abrp
        /// WiCAN: `B4`, `S4`, `[B4:B5]`, with byte numbers that count all bytes of the frames.
        case wican
    }

    private enum Token: Hashable {
        case number(Fraction)
        case word(String)
        case quoted(String)
        case sign(String)
    }

    private let dialect: Dialect
    private var tokens: [Token] = []
    private var next = 0
    private var depth = 0
    /// Whether a surplus bracket was dropped.
    private(set) var isMended = false

    private static let longest = 2_000
    private static let deepest = 48

    /// Parses `text` and returns whether a surplus bracket was dropped.
    static func read(
        _ text: String, as dialect: Dialect
    ) throws(RowFault) -> (expression: Expression, isMended: Bool) {
        // Check this first, because names of other values may contain any characters.
        if dialect == .torque, text.lowercased().contains("val{") { throw .refersToOthers }
        var reader = ExpressionReader(dialect)
        try reader.split(text)
        reader.dropSurplusBracket()
        let expression = try reader.binary(from: 0)
        guard reader.next == reader.tokens.count else { throw .broken(reader.rest) }
        return (expression, reader.isMended)
    }

    private init(_ dialect: Dialect) { self.dialect = dialect }

    // MARK: Words

    private mutating func split(_ text: String) throws(RowFault) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longest else { throw .tooLong }
        var place = 0
        func rest(_ from: Int) -> String {
            String(decoding: bytes[from...].prefix(24), as: UTF8.self)
        }
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case 0x20, 0x09, 0x0D, 0x0A, 0xA0, 0xC2:
                // C2 A0 is a no-break space.
                place += 1
            case 0x30...0x39, 0x2E:
                var end = place
                if byte == 0x30, place + 2 < bytes.count, bytes[place + 1] | 0x20 == 0x78 {
                    end = place + 2
                    while end < bytes.count, Self.isHex(bytes[end]) { end += 1 }
                    let digits = String(decoding: bytes[place + 2..<end], as: UTF8.self)
                    guard let value = Int(digits, radix: 16) else { throw .broken(rest(place)) }
                    tokens.append(.number(Fraction(value)))
                } else {
                    while end < bytes.count,
                        (0x30...0x39).contains(bytes[end]) || bytes[end] == 0x2E
                    {
                        end += 1
                    }
                    let digits = String(decoding: bytes[place..<end], as: UTF8.self)
                    guard let value = Fraction(decimal: digits) else { throw .broken(rest(place)) }
                    tokens.append(.number(value))
                }
                place = end
            case 0x41...0x5A, 0x61...0x7A, 0x5F:
                var end = place
                while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
                let word = String(decoding: bytes[place..<end], as: UTF8.self).uppercased()
                tokens.append(.word(word))
                place = end
            case 0x22, 0x27:
                guard let end = bytes[(place + 1)...].firstIndex(of: byte) else {
                    throw .broken(rest(place))
                }
                tokens.append(.quoted(String(decoding: bytes[place + 1..<end], as: UTF8.self)))
                place = end + 1
            default:
                let pair = place + 1 < bytes.count ? [byte, bytes[place + 1]] : [byte]
                let double = String(decoding: pair, as: UTF8.self)
                if ["<<", ">>", "&&", "||", "==", "!=", "<=", ">="].contains(double) {
                    tokens.append(.sign(double))
                    place += 2
                } else if byte < 0x80 {
                    tokens.append(.sign(String(decoding: [byte], as: UTF8.self)))
                    place += 1
                } else {
                    throw .broken(rest(place))
                }
            }
        }
        if tokens.isEmpty { throw .malformed("the equation") }
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x5F
    }

    /// Drops the first closing bracket without an opening one.
    ///
    /// The programs of such equations accept them as well.
    private mutating func dropSurplusBracket() {
        var open: [String] = []
        let pairs = [")": "(", "}": "{", "]": "["]
        for (index, token) in tokens.enumerated() {
            guard case .sign(let sign) = token else { continue }
            if let opening = pairs[sign] {
                if open.last == opening {
                    open.removeLast()
                } else {
                    tokens.remove(at: index)
                    isMended = true
                    return
                }
            } else if pairs.values.contains(sign) {
                open.append(sign)
            }
        }
    }

    private var rest: String {
        tokens[next...].prefix(6).map { token in
            switch token {
            case .number(let number): "\(number.double)"
            case .word(let word): word
            case .quoted(let text): "\"\(text)\""
            case .sign(let sign): sign
            }
        }.joined()
    }

    private mutating func take(_ sign: String) -> Bool {
        guard next < tokens.count, tokens[next] == .sign(sign) else { return false }
        next += 1
        return true
    }

    private mutating func expect(_ sign: String) throws(RowFault) {
        guard take(sign) else { throw .broken(rest) }
    }

    // MARK: Operators

    /// Infix operators, from the lowest precedence to the highest.
    private var levels: [[String: Expression.Operator]] {
        let sums: [[String: Expression.Operator]] = [
            ["+": .plus, "-": .minus], ["*": .times, "/": .over, "%": .modulo],
        ]
        switch dialect {
        case .torque:
            return [
                ["||": .either], ["&&": .both], ["|": .or], ["&": .and],
                ["==": .equal, "!=": .different],
                ["<": .shiftLeft, ">": .shiftRight, "<<": .shiftLeft, ">>": .shiftRight],
            ] + sums + [["^": .power]]
        case .abrp:
            return [
                ["||": .either], ["&&": .both], ["|": .or], ["&": .and],
                ["==": .equal, "!=": .different],
                ["<": .less, ">": .greater, "<=": .atMost, ">=": .atLeast],
                ["<<": .shiftLeft, ">>": .shiftRight],
            ] + sums
        case .wican:
            return [
                ["|": .or, "^": .exclusiveOr], ["&": .and],
                ["<<": .shiftLeft, ">>": .shiftRight],
            ] + sums
        }
    }

    private mutating func binary(from level: Int) throws(RowFault) -> Expression {
        let levels = levels
        guard level < levels.count else { return try operand() }
        if level == levels.count - 1, dialect == .torque {
            // A sign has a lower precedence than a power.
            if take("-") {
                return .negated(
                    try nested { reader throws(RowFault) in try reader.binary(from: level) })
            }
            if take("+") {
                return try nested { reader throws(RowFault) in try reader.binary(from: level) }
            }
        }
        var left = try binary(from: level + 1)
        while next < tokens.count, case .sign(let sign) = tokens[next],
            let found = levels[level][sign]
        {
            next += 1
            left = .binary(found, left, try binary(from: level + 1))
        }
        return left
    }

    private mutating func nested<T>(
        _ body: (inout ExpressionReader) throws(RowFault) -> T
    ) throws(RowFault) -> T {
        guard depth < Self.deepest else { throw .tooLong }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    private mutating func operand() throws(RowFault) -> Expression {
        if take("-") {
            return .negated(try nested { reader throws(RowFault) in try reader.operand() })
        }
        if take("+") { return try nested { reader throws(RowFault) in try reader.operand() } }
        if take("!") { return .not(try nested { reader throws(RowFault) in try reader.operand() }) }
        if take("(") {
            let inner = try nested { reader throws(RowFault) in try reader.binary(from: 0) }
            try expect(")")
            return inner
        }
        guard next < tokens.count else { throw .broken("its end") }
        if take("{") {
            let inner = try nested { reader throws(RowFault) in try reader.binary(from: 0) }
            try expect(":")
            let bit = try constant(0...63)
            try expect("}")
            return .bit(inner, bit)
        }
        if dialect == .wican, take("[") { return try frameBytes() }
        switch tokens[next] {
        case .number(let number):
            next += 1
            return .number(number)
        case .word(let word):
            next += 1
            return dialect == .wican ? try frameByte(word) : try letters(word)
        case .sign("["): throw .refersToOthers
        case .sign, .quoted: throw .broken(rest)
        }
    }

    private mutating func constant(_ range: ClosedRange<Int>) throws(RowFault) -> Int {
        guard next < tokens.count, case .number(let number) = tokens[next], let value = number.int,
            range.contains(value)
        else { throw .broken(rest) }
        next += 1
        return value
    }

    // MARK: WiCAN

    /// Parses a byte `B12`, or a signed one `S12`.
    private func framePlace(_ word: String) throws(RowFault) -> (place: Int, signed: Bool) {
        guard let first = word.first, first == "B" || first == "S",
            let place = Int(word.dropFirst()),
            (0...4095).contains(place)
        else { throw word == "V" ? .refersToOthers : .broken(word) }
        return (place, first == "S")
    }

    private mutating func frameByte(_ word: String) throws(RowFault) -> Expression {
        let (place, signed) = try framePlace(word)
        if take(":") { return .bit(.byte(place), try constant(0...7)) }
        return signed ? .bytes(first: place, count: 1, signed: true) : .byte(place)
    }

    /// Parses `[B5:B6]`: several bytes, the highest first.
    private mutating func frameBytes() throws(RowFault) -> Expression {
        guard next + 3 < tokens.count, case .word(let first) = tokens[next],
            tokens[next + 1] == .sign(":"), case .word(let last) = tokens[next + 2]
        else { throw .broken(rest) }
        next += 3
        try expect("]")
        let (from, signed) = try framePlace(first)
        let (to, also) = try framePlace(last)
        guard from <= to, to - from < 8, signed == also else { throw .broken("[\(first):\(last)]") }
        let count = to - from + 1
        // WiCAN's firmware never treats three signed bytes as negative.
        if signed, ![1, 2, 4, 8].contains(count) { throw .ambiguousSign }
        return .bytes(first: from, count: count, signed: signed)
    }

    // MARK: Torque and ABRP

    private mutating func letters(_ word: String) throws(RowFault) -> Expression {
        if take("(") {
            return try nested { reader throws(RowFault) in try reader.call(word) }
        }
        guard let place = Self.place(word) else { throw .broken(word) }
        return .byte(place)
    }

    /// The byte number: `A` is 0, `Z` 25, `AA` 26; one program writes `A1` for `AA`.
    static func place(_ word: String) -> Int? {
        var letters = Array(word.utf8)
        if letters.count == 2, letters[1] == 0x31 { letters = [0x41, letters[0]] }
        guard (1...3).contains(letters.count),
            letters.allSatisfy({ (0x41...0x5A).contains($0) })
        else { return nil }
        let number = letters.reduce(0) { $0 * 26 + Int($1 - 0x40) }
        return number <= 4095 ? number - 1 : nil
    }

    private mutating func call(_ name: String) throws(RowFault) -> Expression {
        switch name {
        case "LOOKUP": return try lookup()
        case "EWMAF", "TAVG", "RAVG", "AVG", "TDLY", "RDLY", "TOT": throw .hasMemory(name)
        default: break
        }
        var arguments = [try binary(from: 0)]
        while take(":") || take(",") { arguments.append(try binary(from: 0)) }
        try expect(")")
        func only() throws(RowFault) -> Expression {
            guard arguments.count == 1, let first = arguments.first else { throw .broken(name) }
            return first
        }
        switch name {
        case "BIT":
            guard arguments.count == 2, case .number(let number) = arguments[1],
                let bit = number.int, (0...63).contains(bit)
            else { throw .broken(name) }
            return .bit(arguments[0], bit)
        case "SIGNED", "SIGNED8":
            // For a sum, some sources mean its whole width, but the manual means one byte.
            let inner = try only()
            guard case .byte(let place) = inner else { throw .ambiguousSign }
            return .bytes(first: place, count: 1, signed: true)
        case "SIGNED16": return .signed(try only(), bits: 16)
        case "SIGNED24": return .signed(try only(), bits: 24)
        case "SIGNED32": return .signed(try only(), bits: 32)
        case "INT16", "INT24", "INT32":
            let count = name == "INT16" ? 2 : name == "INT24" ? 3 : 4
            guard arguments.count == count else { throw .broken(name) }
            return arguments.dropFirst().reduce(arguments[0]) { sum, argument in
                .binary(.plus, .binary(.times, sum, .number(Fraction(256))), argument)
            }
        case "INT": return .roundedDown(try only())
        case "ABS": return .absolute(try only())
        default: throw .function(name)
        }
    }

    /// Parses `LOOKUP(x:default:1=a:2~4=b)`.
    private mutating func lookup() throws(RowFault) -> Expression {
        let key = try binary(from: 0)
        try expect(":")
        let other = try answer(until: [":", ")"], of: key)
        var entries: [Expression.Entry] = []
        while take(":") {
            let low = try entryKey()
            var high = low
            if take("~") { high = try entryKey() }
            try expect("=")
            let value = try answer(until: [":", ")"], of: key)
            guard let difference = high.plus(low.negated), !difference.isNegative else {
                throw .broken(rest)
            }
            guard entries.count < 1024 else { throw .tooLong }
            entries.append(.init(low: low, high: high, value: value))
        }
        try expect(")")
        guard !entries.isEmpty else { throw .broken("LOOKUP") }
        return .lookup(key, other, entries)
    }

    private mutating func entryKey() throws(RowFault) -> Fraction {
        let isNegative = take("-")
        guard next < tokens.count, case .number(let number) = tokens[next] else {
            throw .broken(rest)
        }
        next += 1
        return isNegative ? number.negated : number
    }

    /// Parses a number, a quoted text, bare words, or the key itself.
    private mutating func answer(
        until ends: Set<String>, of key: Expression
    ) throws(RowFault) -> Expression.Answer {
        var words: [Token] = []
        while next < tokens.count {
            if case .sign(let sign) = tokens[next], ends.contains(sign) { break }
            words.append(tokens[next])
            next += 1
        }
        switch words.count {
        case 0: return .nothing
        case 1:
            switch words[0] {
            case .number(let number): return .number(number)
            case .quoted(let text): return text.isEmpty ? .nothing : .text(text)
            case .word("VALUE"): return .itself
            case .word(let word):
                if case .byte(let place) = key, Self.place(word) == place { return .itself }
                return .text(word)
            case .sign: throw .broken(rest)
            }
        case 2:
            if words[0] == .sign("-"), case .number(let number) = words[1] {
                return .number(number.negated)
            }
            fallthrough
        default:
            var text: [String] = []
            for word in words {
                switch word {
                case .word(let word): text.append(word)
                case .number(let number): text.append(Decimal.text(number))
                case .quoted, .sign: throw .broken(rest)
                }
            }
            return .text(text.joined(separator: " "))
        }
    }
}
