/// The messages of a DBC file with their signals, as far as the file can be read.
///
/// Real files have rows with mistakes, notes of people, and blanks anywhere. Every row is read on its own, so a
/// row with a mistake costs no other row.
struct DBCFile {
    /// A message.
    struct Message {
        /// The number in the file; bit 31 marks identifiers of 29 bits.
        var number: UInt32
        var name: String
        var length: Int
        var line: Int
        var signals: [Row] = []
    }

    /// A signal.
    struct Row {
        /// The name; the long name if the file has one.
        var name: String
        /// The name by which other statements mean the signal.
        var key: String
        var line: Int
        /// The value of the multiplexer that selects the signal.
        var value: Int?
        var isMultiplexer = false
        var start = 0
        var length = 0
        var isIntel = false
        var isSigned = false
        var factor = Fraction.one
        var offset = Fraction.zero
        var low: Fraction?
        var high: Fraction?
        var unit = ""
        /// 1 for a floating point number of 32 bits, 2 for one of 64 bits.
        var floatKind = 0
        var labels: [(code: Int, label: String)] = []
        /// The multiplexer and the values that select the signal, if the file defines them separately.
        var selection: Selection?
        /// Whether the mark of a multiplexer without a number means that the row is one.
        var isMarkedWithoutNumber = false

        /// The first bit of a big-endian number, counted from the top of byte 0.
        var top: Int { start / 8 * 8 + 7 - start % 8 }
        /// The number of bytes that hold the signal.
        var end: Int { ((isIntel ? start : top) + length + 7) / 8 }
    }

    /// The values of a multiplexer with which a signal is present.
    struct Selection {
        var multiplexer: String
        var values: [ClosedRange<Int>]
    }

    private struct Place: Hashable {
        var message: UInt32
        var signal: String
    }

    /// The messages, in the order of the file.
    private(set) var messages: [Message] = []
    /// Rows that cannot be read.
    private(set) var faults: [(name: String, line: Int, fault: RowFault)] = []
    /// The number of rows: signals, and messages that cannot be read.
    private(set) var rowCount = 0

    /// The message of the next signals; nil after a message that cannot be read.
    private var current: Int?
    private var isInBin = false
    private var floats: [Place: Int] = [:]
    private var labels: [Place: [(code: Int, label: String)]] = [:]
    private var lists: [String: [(code: Int, label: String)]] = [:]
    private var listNames: [Place: String] = [:]
    private var selections: [Place: Selection] = [:]
    private var longNames: [Place: String] = [:]
    private var frameFormats: [UInt32: String] = [:]
    private var frameFormatNames: [String] = []
    private var usualFrameFormat: String?
    private var protocolName: String?
    private var usualProtocolName: String?
    /// Whether no identifier of 29 bits has a priority or a sender, as some programs write groups.
    private var hasOnlyGroups = false

    /// Signals of no message are in a message with this number or this name.
    private static let bin: UInt32 = 0xC000_0000
    private static let binName = "VECTOR__INDEPENDENT_SIG_MSG"

    /// Whether a text is a DBC file.
    static func isDatabase(_ lines: [String]) -> Bool {
        let words = lines.lazy.map { $0.split { $0 == " " || $0 == "\t" }.first ?? "" }
        return words.contains("BO_")
            && zip(lines, words).contains {
                $1 == "SG_" || $1.hasPrefix("BU_:") || $0.contains(" SG_ ")
            }
    }

    init(_ lines: [String]) {
        var words = DBCWords(lines)
        while !words.isAtEnd { readStatement(&words) }
        finish()
    }

    /// Whether a message is a parameter group of SAE J1939, which senders with any address may send.
    func isParameterGroup(_ message: Message) -> Bool {
        let id = message.number & 0x1FFF_FFFF
        guard message.number > 0x7FF, id >> 24 & 0x3 != 0x3 else { return false }
        if let format = frameFormats[message.number] ?? usualFrameFormat {
            if format == "J1939PG" { return true }
            if frameFormats[message.number] != nil { return false }
        }
        if let name = protocolName ?? usualProtocolName, !name.isEmpty { return name == "J1939" }
        // The null address as the sender, in a group that has no receiver.
        return hasOnlyGroups
            || message.number & 0x8000_0000 != 0 && id & 0xFF == 0xFE && id >> 16 & 0xFF >= 0xF0
    }

    // MARK: Statements

    private mutating func readStatement(_ words: inout DBCWords) {
        guard let keyword = words.wordInLine() else { return words.skipLine() }
        switch keyword {
        case "BO_": readMessage(&words)
        case "SG_": readSignal(&words)
        case "CM_":
            // The object, which some files leave out, and the text.
            while words.word() != nil {}
            _ = words.quoted()
            words.skipStatement()
        case "VAL_": readLabels(&words)
        case "VAL_TABLE_":
            if let name = words.word() { lists[name] = words.labels() }
            words.skipStatement()
        case "SIG_VALTYPE_":
            if let id = words.messageNumber(), let name = words.word() {
                _ = words.take(":")
                if let kind = words.integer() { floats[Place(message: id, signal: name)] = kind }
            }
            words.skipStatement()
        case "SG_MUL_VAL_": readSelection(&words)
        case "BA_": readAttribute(&words)
        case "BA_DEF_":
            if words.word() == "BO_", words.quoted() == "VFrameFormat", words.word() == "ENUM" {
                frameFormatNames = []
                while let name = words.quoted() {
                    frameFormatNames.append(name)
                    _ = words.take(",")
                }
            }
            words.skipStatement()
        case "BA_DEF_DEF_":
            switch words.quoted() {
            case "VFrameFormat":
                usualFrameFormat = words.quoted() ?? words.integer().map(frameFormat)
            case "ProtocolType": usualProtocolName = words.quoted()
            default: break
            }
            words.skipStatement()
        // Another statement may follow in the line.
        case "NS_", "BS_", "BU_": words.skipRow()
        case "VERSION", "EV_", "SIG_GROUP_", "BO_TX_BU_", "FILTER", "CAT_DEF_", "CAT_",
            "ENVVAR_DATA_", "BA_DEF_REL_", "BA_REL_", "BA_DEF_DEF_REL_", "SGTYPE_",
            "SIGTYPE_VALTYPE_":
            words.skipStatement()
        default: words.skipLine()
        }
    }

    /// The bytes of the longest answer.
    private static let longestMessage = 4095

    private mutating func readMessage(_ words: inout DBCWords) {
        let line = words.line
        current = nil
        isInBin = false
        defer { words.skipRow() }
        guard let number = words.messageNumber(), let name = words.word(), words.take(":"),
            let length = words.unsigned(), length <= Self.longestMessage
        else {
            rowCount += 1
            faults.append(("BO_", line, .malformed("the message")))
            return
        }
        if number == Self.bin || name == Self.binName {
            isInBin = true
            return
        }
        current = messages.count
        messages.append(Message(number: number, name: name, length: length, line: line))
    }

    private mutating func readSignal(_ words: inout DBCWords) {
        guard !isInBin else { return words.skipRow() }
        rowCount += 1
        let name = words.word() ?? ""
        var row = Row(name: name, key: name, line: words.line)
        var fault: RowFault?
        do throws(RowFault) {
            try Self.read(&row, &words)
        } catch {
            fault = error
        }
        words.skipRow()
        if current == nil { fault = .malformed("its message") }
        if let fault {
            faults.append((name, row.line, fault))
        } else if let current {
            messages[current].signals.append(row)
        }
    }

    /// The value of a part of a row, which must be there.
    private static func part<Value>(_ value: Value?, _ what: String) throws(RowFault) -> Value {
        guard let value else { throw .malformed(what) }
        return value
    }

    private static func read(_ row: inout Row, _ words: inout DBCWords) throws(RowFault) {
        func sign(_ sign: Character, _ place: String) throws(RowFault) {
            guard words.take(sign) else { throw .malformed("the \"\(sign)\" \(place)") }
        }
        guard !row.name.isEmpty else { throw .malformed("the name") }
        if !words.take(":") {
            let mark = try part(words.word(), "the \":\" after the name")
            try sign(":", "after the name and the mark of a multiplexer")
            var rest = mark[...]
            if rest.last == "M" {
                row.isMultiplexer = true
                rest.removeLast()
            }
            if rest == "m" {
                row.isMarkedWithoutNumber = true
            } else if rest.first == "m" {
                row.value = Int(rest.dropFirst())
                guard let value = row.value, value >= 0 else {
                    throw .malformed("the value of its multiplexer")
                }
            } else if !rest.isEmpty {
                throw .malformed("the mark of a multiplexer")
            }
        }
        let start = try part(words.unsigned(), "the first bit")
        try sign("|", "after the first bit")
        let length = try part(words.unsigned(), "the number of bits")
        try sign("@", "after the number of bits")
        let order = try part(words.order(), "the byte order and sign after \"@\"")
        try sign("(", "before the factor")
        let factor = try part(words.decimal(), "the factor")
        try sign(",", "between factor and offset")
        let offset = try part(words.decimal(), "the offset")
        try sign(")", "after the offset")
        guard start < 32_768, (1...4096 * 8).contains(length) else { throw .place }
        (row.start, row.length) = (start, length)
        (row.isIntel, row.isSigned) = order
        (row.factor, row.offset) = (factor, offset)
        if words.take("[") {
            row.low = words.decimal()
            _ = words.take("|")
            row.high = words.decimal()
            _ = words.take("]")
        }
        row.unit = words.quotedInLine() ?? ""
    }

    private mutating func readLabels(_ words: inout DBCWords) {
        defer { words.skipStatement() }
        guard let id = words.messageNumber(), let name = words.word() else { return }
        let place = Place(message: id, signal: name)
        let found = words.labels()
        if found.isEmpty {
            listNames[place] = words.word()
        } else {
            labels[place] = found
        }
    }

    private mutating func readSelection(_ words: inout DBCWords) {
        defer { words.skipStatement() }
        guard let id = words.messageNumber(), let name = words.word(), let other = words.word()
        else { return }
        var values: [ClosedRange<Int>] = []
        while let low = words.unsigned() {
            // Some programs write a single value for a range.
            guard let high = words.take("-") ? words.unsigned() : low else { break }
            if low <= high { values.append(low...high) }
            _ = words.take(",")
        }
        selections[Place(message: id, signal: name)] = Selection(
            multiplexer: other, values: values)
    }

    /// The name of a frame format with this number.
    private func frameFormat(_ number: Int) -> String {
        let known = ["StandardCAN", "ExtendedCAN", "reserved", "J1939PG"]
        let names = frameFormatNames.isEmpty ? known : frameFormatNames
        return names.indices.contains(number) ? names[number] : ""
    }

    private mutating func readAttribute(_ words: inout DBCWords) {
        defer { words.skipStatement() }
        switch words.quoted() {
        case "ProtocolType": protocolName = words.quoted()
        case "VFrameFormat":
            guard words.word() == "BO_", let id = words.messageNumber() else { return }
            if let name = words.quoted() {
                frameFormats[id] = name
            } else if let number = words.integer() {
                frameFormats[id] = frameFormat(number)
            }
        case "SystemMessageLongSymbol":
            guard words.word() == "BO_", let id = words.messageNumber() else { return }
            longNames[Place(message: id, signal: "")] = words.quoted()
        case "SystemSignalLongSymbol":
            guard words.word() == "SG_", let id = words.messageNumber(), let name = words.word()
            else { return }
            longNames[Place(message: id, signal: name)] = words.quoted()
        default: break
        }
    }

    /// Gives the signals what other statements say about them.
    private mutating func finish() {
        let extended = messages.filter { $0.number & 0x8000_0000 != 0 }
        hasOnlyGroups =
            extended.count > 1
            && extended.allSatisfy {
                $0.number & 0x1F00_00FF == 0 && $0.number >> 16 & 0xFF >= 0xF0
            }
        for index in messages.indices {
            let number = messages[index].number
            if let name = longNames[Place(message: number, signal: "")], !name.isEmpty {
                messages[index].name = name
            }
            var seen: Set<String> = []
            var numbers: [String: Int] = [:]
            let keys = Set(messages[index].signals.map(\.key))
            for row in messages[index].signals.indices {
                let key = messages[index].signals[row].key
                let place = Place(message: number, signal: key)
                if let name = longNames[place], !name.isEmpty {
                    messages[index].signals[row].name = name
                }
                messages[index].signals[row].floatKind = floats[place] ?? 0
                messages[index].signals[row].selection = selections[place]
                messages[index].signals[row].labels =
                    labels[place] ?? listNames[place].flatMap { lists[$0] } ?? []
                guard !seen.insert(key).inserted else { continue }
                // The same name again gets a number that no other signal has.
                var number = numbers[key] ?? 2
                while keys.contains("\(key)_\(number)")
                    || !seen.insert("\(key)_\(number)").inserted
                {
                    number += 1
                }
                numbers[key] = number + 1
                messages[index].signals[row].name += "_\(number)"
            }
        }
    }
}

/// Splits the text of a DBC file into words; texts in quotes may hold line ends.
struct DBCWords {
    private let bytes: [UInt8]
    private var place = 0
    /// The number of the current line, from 1.
    private(set) var line = 1
    /// The place after the last quote, so that texts without an end are not searched again and again.
    private let quotesEnd: Int

    init(_ lines: [String]) {
        var bytes: [UInt8] = []
        for line in lines {
            bytes += line.utf8
            bytes.append(0x0A)
        }
        quotesEnd = (bytes.lastIndex(of: 0x22) ?? -1) + 1
        self.bytes = bytes
    }

    var isAtEnd: Bool { place >= bytes.count }

    /// The place of the next byte that is not a blank.
    private func afterBlanks(_ start: Int) -> Int {
        var place = start
        while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 { place += 1 }
        return place
    }

    /// Skips blanks, and the ends of lines after which the statement goes on.
    private mutating func skipBlanks() {
        place = afterBlanks(place)
        guard place < bytes.count, bytes[place] == 0x0A else { return }
        let (before, line) = (place, line)
        skipSpace()
        if isAtEnd || isStatement(place) { (place, self.line) = (before, line) }
    }

    /// Whether a keyword or a remark begins here: words of capitals that end with `_`.
    private func isStatement(_ start: Int) -> Bool {
        if bytes[start...].starts(with: "//".utf8) || bytes[start...].starts(with: "VERSION".utf8) {
            return true
        }
        var end = start
        while end < bytes.count, (0x41...0x5A).contains(bytes[end]) || bytes[end] == 0x5F {
            end += 1
        }
        guard end > start, bytes[end - 1] == 0x5F else { return false }
        return end == bytes.count || [0x20, 0x09, 0x0A, 0x3A].contains(bytes[end])
    }

    /// Skips blanks and line ends.
    private mutating func skipSpace() {
        while place < bytes.count {
            switch bytes[place] {
            case 0x0A: line += 1
            case 0x20, 0x09, 0x0D: break
            default: return
            }
            place += 1
        }
    }

    /// Skips the rest of the line.
    mutating func skipLine() {
        while place < bytes.count, bytes[place] != 0x0A { place += 1 }
        guard place < bytes.count else { return }
        place += 1
        line += 1
    }

    /// Skips to the end of the line, or to another statement in it.
    mutating func skipRow() {
        while place < bytes.count, bytes[place] != 0x0A {
            let isBlank = bytes[place] == 0x20 || bytes[place] == 0x09 || bytes[place] == 0x3A
            place += 1
            guard isBlank, place < bytes.count, bytes[place] != 0x0A, isStatement(place) else {
                continue
            }
            return bytes[place] == 0x2F ? skipLine() : ()
        }
        skipLine()
    }

    /// Skips to the next semicolon, or to the end of the line if the line has no semicolon.
    mutating func skipStatement() {
        while place < bytes.count {
            switch bytes[place] {
            case 0x3B:
                place += 1
                return
            case 0x0A:
                place += 1
                line += 1
                return
            case 0x22:
                if quoted() == nil { return skipLine() }
            default: place += 1
            }
        }
    }

    /// The text up to a blank, a quote, a colon or a semicolon; nil at the end of the statement.
    mutating func word() -> String? {
        skipBlanks()
        return wordInLine()
    }

    /// The text up to a blank, a quote, a colon or a semicolon; nil at the end of the line.
    mutating func wordInLine() -> String? {
        place = afterBlanks(place)
        let start = place
        while place < bytes.count,
            ![0x20, 0x09, 0x0A, 0x0D, 0x22, 0x3A, 0x3B].contains(bytes[place])
        {
            place += 1
        }
        return place > start ? String(decoding: bytes[start..<place], as: UTF8.self) : nil
    }

    mutating func take(_ sign: Character) -> Bool {
        skipBlanks()
        guard place < bytes.count, bytes[place] == sign.asciiValue else { return false }
        place += 1
        return true
    }

    private mutating func digits(_ isWanted: (UInt8) -> Bool) -> String {
        skipBlanks()
        let start = place
        while place < bytes.count, isWanted(bytes[place]) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    /// A number without a sign; a greater number gives the greatest `Int`.
    mutating func unsigned() -> Int? {
        let text = digits { (0x30...0x39).contains($0) }
        return text.isEmpty ? nil : Int(text) ?? .max
    }

    /// A whole number, which may have decimals of 0.
    mutating func integer() -> Int? {
        let (before, line) = (place, line)
        let text = digits { (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }
        if let number = Int(text) ?? Fraction(decimal: text)?.int { return number }
        (place, self.line) = (before, line)
        return nil
    }

    /// The number of a message, with bit 31 for identifiers of 29 bits.
    mutating func messageNumber() -> UInt32? { integer().flatMap { UInt32(exactly: $0) } }

    mutating func decimal() -> Fraction? {
        let text = digits {
            (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
        }
        // A number with more digits than a fraction holds is rounded.
        return Fraction(decimal: text) ?? Double(text).flatMap { Fraction(decimal: "\($0)") }
    }

    /// A text in quotes, which may have several lines; nil if no quote follows.
    mutating func quoted() -> String? {
        let (before, line) = (place, line)
        skipSpace()
        guard place < bytes.count, bytes[place] == 0x22, place + 1 < quotesEnd else {
            (place, self.line) = (before, line)
            return nil
        }
        place += 1
        let start = place
        while place < bytes.count, bytes[place] != 0x22 {
            if bytes[place] == 0x0A { self.line += 1 }
            let isEscaped =
                bytes[place] == 0x5C && place + 1 < bytes.count && bytes[place + 1] == 0x22
                && !endsStatement(place + 2)
            place += isEscaped ? 2 : 1
        }
        defer { place = min(place + 1, bytes.count) }
        let text = bytes[start..<min(place, bytes.count)]
        return String(decoding: text, as: UTF8.self).replacing("\\\"", with: "\"")
    }

    /// Whether a semicolon and another statement follow, so that a quote before them ends its text even after
    /// a backslash, as in `"C:\\"`.
    private func endsStatement(_ start: Int) -> Bool {
        var place = afterBlanks(start)
        guard place < bytes.count, bytes[place] == 0x3B else { return false }
        place = afterBlanks(place + 1)
        guard place < bytes.count, bytes[place] == 0x0A else { return false }
        while place < bytes.count, [0x0A, 0x20, 0x09].contains(bytes[place]) { place += 1 }
        return place == bytes.count || isStatement(place)
    }

    /// A text in quotes that ends in this line.
    mutating func quotedInLine() -> String? {
        guard take("\"") else { return nil }
        let start = place
        while place < bytes.count, bytes[place] != 0x22, bytes[place] != 0x0A { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    /// Numbers with their texts.
    mutating func labels() -> [(code: Int, label: String)] {
        var found: [(code: Int, label: String)] = []
        while true {
            let (before, line) = (place, line)
            skipSpace()
            guard let code = decimal(), let label = quoted() else {
                (place, self.line) = (before, line)
                return found
            }
            if let code = code.int { found.append((code, label)) }
            _ = take(",")
        }
    }

    /// Parses `1+`, `0-`: byte order and sign.
    mutating func order() -> (isIntel: Bool, isSigned: Bool)? {
        let isIntel = take("1")
        guard isIntel || take("0") else { return nil }
        if take("-") { return (isIntel, true) }
        return take("+") ? (isIntel, false) : nil
    }
}
