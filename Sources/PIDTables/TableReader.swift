import Diagnostics
import OBDCore

/// Reads a table's text: one statement a line, its first word says what it is.
///
///     record 01:0C 2 : Engine speed
///       signal RPM A..B scale 1/4 unit rpm : Engine speed
///         alias rpm
///       example 1AF8 RPM=1726 : whoever computed it
///
/// Lines are split in place: a table is read at every start, in about a millisecond.
struct TableReader {
    /// How much is read.
    enum Detail {
        /// What decoding needs; evidence is skipped unread.
        case decoding
        /// All of it.
        case everything
    }

    let file: String
    let text: [UInt8]
    /// Whether all of it is UTF-8: then its words are, and need not be checked one by one.
    private let isUTF8: Bool
    let detail: Detail

    /// The line being read, from 1.
    var line = 0
    /// The words of the line before ` : `, as ranges of `text`.
    var words: [Range<Int>] = []
    /// What stands behind ` : `.
    var prose: Range<Int>?
    /// Finished records.
    var records: [TableRecord] = []
    /// The record being read, while ``isInRecord``.
    var record: TableRecord
    /// Whether a record has begun.
    var isInRecord = false
    /// `if` references of the record being read; flags may stand behind what they decide.
    var references: [Reference] = []
    /// Examples of the record being read, whose values need all its signals.
    var examples: [ExampleText] = []

    struct Reference {
        var signal: Int
        var name: Range<Int>
        var values: ClosedRange<UInt64>?
        var line: Int
    }

    struct ExampleText {
        var words: [Range<Int>]
        var source: String
        var line: Int
    }

    init(_ file: TableFile, detail: Detail) {
        self.file = file.path
        text = file.contents
        isUTF8 = file.isUTF8
        self.detail = detail
        record = TableRecord(
            dataID: PIDTables.adapterVoltageID, name: "", length: 0...0, file: file.path, line: 0)
    }

    /// All records of the file.
    static func records(
        of file: TableFile, detail: Detail
    ) throws(TableError) -> [TableRecord] {
        var reader = TableReader(file, detail: detail)
        try reader.read()
        return reader.records
    }

    private mutating func read() throws(TableError) {
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: 0x0A) ?? text.count
            line += 1
            try readLine(start..<end)
            start = end + 1
        }
        try finishRecord()
    }

    private mutating func readLine(_ range: Range<Int>) throws(TableError) {
        guard let first = nextWord(from: range.lowerBound, end: range.upperBound),
            text[first.lowerBound] != 0x23
        else { return }
        let keyword = Keyword(word(first))
        if detail == .decoding {
            switch keyword {
            case .example, .source, .note, .unverified: return
            default: break
            }
        }
        split(first, end: range.upperBound)
        switch keyword {
        case .record: try readRecord()
        case .signal: try readSignal()
        case .alias, .none, .scale, .offset, .unit, .if, .signed, .little, .part:
            try continueSignal()
        case .header, .reply: try readAddress(keyword)
        case .example, .source, .note, .unverified: try readEvidence(keyword)
        case .kind, .other:
            guard let code = hex(first) else {
                throw fault(.unknownWord(string(first)))
            }
            try readLabel(code)
        }
    }

    /// The next word at or behind `start`; nil at the end of the line.
    private func nextWord(from start: Int, end: Int) -> Range<Int>? {
        var first = start
        while first < end, isBlank(text[first]) { first += 1 }
        guard first < end else { return nil }
        var last = first
        while last < end, !isBlank(text[last]) { last += 1 }
        return first..<last
    }

    private mutating func split(_ first: Range<Int>, end: Int) {
        words.removeAll(keepingCapacity: true)
        prose = nil
        var next: Range<Int>? = first
        while let word = next {
            if word.count == 1, text[word.lowerBound] == 0x3A {
                prose = trimmed(word.upperBound..<end)
                return
            }
            words.append(word)
            next = nextWord(from: word.upperBound, end: end)
        }
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (first, last) = (range.lowerBound, range.upperBound)
        while first < last, isBlank(text[first]) { first += 1 }
        while first < last, isBlank(text[last - 1]) { last -= 1 }
        return first..<last
    }

    @inline(__always)
    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    // MARK: Records

    private mutating func readRecord() throws(TableError) {
        try finishRecord()
        let id = try word(at: 1, "the identifier")
        guard let dataID = dataID(id) else {
            throw fault(.malformed(string(id), wanted: "an identifier like 01:0C"))
        }
        let length = try word(at: 2, "the length")
        guard let bounds = lengths(length) else {
            throw fault(.malformed(string(length), wanted: "a length in bytes"))
        }
        try nothing(after: 2)
        record = TableRecord(
            dataID: dataID, name: try name(), length: bounds, file: file, line: line)
        isInRecord = true
    }

    mutating func finishRecord() throws(TableError) {
        guard isInRecord else { return }
        isInRecord = false
        guard !record.signals.isEmpty else {
            throw TableError(file: file, line: record.line, .empty(record.dataID))
        }
        for reference in references {
            guard let place = position(of: reference.name, in: record) else {
                throw TableError(
                    file: file, line: reference.line, .unknownSignal(string(reference.name)))
            }
            let index = SignalIndex(rawValue: Int32(truncatingIfNeeded: place))
            if let values = reference.values {
                record.signals[reference.signal].condition =
                    Signal.Condition(signal: index, values: values)
            } else {
                record.signals[reference.signal].supportFlag = index
            }
        }
        references.removeAll(keepingCapacity: true)
        for example in examples {
            let read = try read(example, in: record)
            record.examples.append(read)
        }
        examples.removeAll(keepingCapacity: true)
        if detail == .everything, record.unverified.remove(Self.wholeRecord) != nil {
            record.unverified = Set(record.signals.indices)
        }
        records.append(record)
    }

    /// The signal of `record` whose id `name` spells.
    func position(of name: Range<Int>, in record: TableRecord) -> Int? {
        record.signals.firstIndex { $0.id.utf8.elementsEqual(text[name]) }
    }

    private func lengths(_ range: Range<Int>) -> ClosedRange<Int>? {
        guard let (first, last) = bounds(range) else {
            return unsigned(range).map { $0...$0 }
        }
        guard let low = unsigned(first), let high = unsigned(last), low <= high else { return nil }
        return low...high
    }

    private mutating func readAddress(_ keyword: Keyword) throws(TableError) {
        let address = try word(at: 1, "the address")
        try nothing(after: 1)
        guard isInRecord else { throw fault(.outside(string(words[0]))) }
        guard let ecu = ECUAddress(string(address)) else {
            throw fault(.malformed(string(address), wanted: "an ECU's address like 7E0"))
        }
        if keyword == .header {
            record.target = ecu
        } else {
            record.responder = ecu
        }
    }

    // MARK: Words

    /// The bytes of a word.
    @inline(__always)
    func word(_ range: Range<Int>) -> ArraySlice<UInt8> { text[range] }

    /// The word at a position of the line, or a fault that names what is missing.
    func word(at position: Int, _ what: String) throws(TableError) -> Range<Int> {
        guard words.indices.contains(position) else { throw fault(.missing(what)) }
        return words[position]
    }

    /// Refuses words behind the one at `position`.
    func nothing(after position: Int) throws(TableError) {
        guard words.count > position + 1 else { return }
        throw fault(.unexpected(string(words[position + 1]), after: string(words[position])))
    }

    /// The text behind ` : `, which must be there.
    func name() throws(TableError) -> String {
        guard let prose, !prose.isEmpty else { throw fault(.missing("the text behind ` : `")) }
        return try checked(prose)
    }

    /// A fault at the current line.
    func fault(_ fault: TableError.Fault) -> TableError {
        TableError(file: file, line: line, fault)
    }

    /// A word for a message; what is not UTF-8 is shown as such.
    func string(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }

    /// A text of the table, which must be UTF-8.
    func checked(_ range: Range<Int>) throws(TableError) -> String {
        if isUTF8 { return String(decoding: text[range], as: UTF8.self) }
        guard let string = String(validating: text[range], as: UTF8.self) else {
            throw fault(.notUTF8)
        }
        return string
    }

    // MARK: Numbers

    /// The two ends of `LOW..HIGH`; nil without dots.
    func bounds(_ range: Range<Int>) -> (Range<Int>, Range<Int>)? {
        var index = range.lowerBound
        while index + 1 < range.upperBound {
            if text[index] == 0x2E, text[index + 1] == 0x2E {
                return (range.lowerBound..<index, index + 2..<range.upperBound)
            }
            index += 1
        }
        return nil
    }

    /// A decimal number without sign, at most 9 digits.
    func unsigned(_ range: Range<Int>) -> Int? {
        guard !range.isEmpty, range.count <= 9 else { return nil }
        var value = 0
        for index in range {
            let digit = text[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    /// A decimal number with optional sign and decimals; nil beyond 15 digits.
    ///
    /// Fifteen digits and a power of ten are exact, so the quotient is the nearest number.
    func decimal(_ range: Range<Int>) -> (value: Double, decimals: Int)? {
        var index = range.lowerBound
        var isNegative = false
        if index < range.upperBound, text[index] == 0x2D {
            isNegative = true
            index += 1
        }
        var (digits, decimals, mantissa) = (0, 0, Int64(0))
        var isFraction = false
        while index < range.upperBound {
            let byte = text[index]
            if byte == 0x2E, !isFraction {
                isFraction = true
            } else {
                let digit = byte &- 0x30
                guard digit < 10, digits < 15 else { return nil }
                mantissa = mantissa * 10 + Int64(digit)
                digits += 1
                if isFraction { decimals += 1 }
            }
            index += 1
        }
        guard digits > 0 else { return nil }
        var power = 1.0
        for _ in 0..<decimals { power *= 10 }
        return (Double(isNegative ? -mantissa : mantissa) / power, decimals)
    }

    /// A hexadecimal number of at most 16 digits.
    func hex(_ range: Range<Int>) -> UInt64? {
        guard !range.isEmpty, range.count <= 16 else { return nil }
        var value: UInt64 = 0
        for index in range {
            guard let nibble = Hex.value(text[index]) else { return nil }
            value = value << 4 | UInt64(nibble)
        }
        return value
    }

    /// `01:0C`.
    private func dataID(_ range: Range<Int>) -> DataID? {
        guard let colon = range.first(where: { text[$0] == 0x3A }),
            (1...2).contains(colon - range.lowerBound),
            (1...6).contains(range.upperBound - colon - 1),
            let service = hex(range.lowerBound..<colon),
            let id = hex(colon + 1..<range.upperBound)
        else { return nil }
        return DataID(
            Service(UInt8(truncatingIfNeeded: service)), UInt32(truncatingIfNeeded: id))
    }
}
