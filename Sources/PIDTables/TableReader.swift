import Diagnostics
import OBDCore

/// Reads a table's text with one statement per line, beginning with a keyword.
///
///     record 01:0C 2 : Engine speed
///       signal RPM A..B scale 1/4 unit rpm : Engine speed
///         alias rpm
///       example 1AF8 RPM=1726 : the source of the value
///
/// Lines are split in place, because a table is read at every start, which takes about a millisecond.
struct TableReader {
    /// The amount of detail to read.
    enum Detail {
        /// The parts for decoding; evidence is skipped without reading.
        case decoding
        case everything
    }

    let file: String
    let text: [UInt8]
    /// Whether the whole text is UTF-8, so that single words need no check.
    let isUTF8: Bool
    let detail: Detail

    /// The number of the current line, from 1.
    var line = 0
    /// The words of the line before ` : `, as ranges of `text`.
    var words: [Range<Int>] = []
    /// The text after ` : `.
    var prose: Range<Int>?
    var records: [TableRecord] = []
    var title: String?
    /// The current record, if ``isInRecord``.
    var record: TableRecord
    /// Whether there is a current record.
    var isInRecord = false
    /// References of the current record to other signals, which may follow later.
    var references: [Reference] = []
    /// Examples of the current record, whose values need all its signals.
    var examples: [ExampleText] = []

    /// The settings before the first record, which apply to all records.
    var defaults = Defaults()

    struct Defaults {
        var target: ECUAddress?
        var responder: ECUAddress?
        var vehicles: [VINPattern] = []
        var years: [ClosedRange<Int>] = []
        var sources: [String] = []
    }

    struct Reference {
        /// The purpose of the other signal.
        enum Purpose {
            case condition, times, over
        }

        var purpose = Purpose.condition
        var signal: Int
        var name: Range<Int>
        var values: [ClosedRange<UInt64>]?
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

    static func records(
        of file: TableFile, detail: Detail
    ) throws(TableError) -> [TableRecord] {
        var reader = TableReader(file, detail: detail)
        try reader.read { _ in true }
        return reader.records
    }

    /// The title of a table; nil if it has none before its first record, or if the text cannot be read.
    static func title(of file: TableFile) -> String? {
        var reader = TableReader(file, detail: .everything)
        try? reader.read { $0.title == nil && !$0.isInRecord }
        return reader.title
    }

    /// Reads lines as long as `isWanted` is true.
    private mutating func read(while isWanted: (Self) -> Bool) throws(TableError) {
        var start = 0
        while start < text.count, isWanted(self) {
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
            case .example, .range, .display, .source, .note, .unverified, .title: return
            default: break
            }
        }
        split(first, end: range.upperBound)
        switch keyword {
        case .record: try readRecord()
        case .signal: try readSignal()
        case .alias, .none, .scale, .offset, .unit, .if, .signed, .little, .part, .times, .over,
            .shared:
            try continueSignal()
        case .piece: try readPiece()
        case .point: try readPoint()
        case .value: try readValue()
        case .header, .reply: try readAddress(keyword)
        case .vehicle: try readVehicles()
        case .years: try readYears()
        case .title: try readTitle()
        case .example, .range, .display, .source, .note, .unverified: try readEvidence(keyword)
        case .label: try readNumberLabel()
        case .kind, .other:
            guard let code = hex(first) else {
                throw fault(.unknownWord(string(first)))
            }
            try readLabel(code)
        }
    }

    /// The next word at or after `start`; nil at the end of the line.
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
        // Before the other words, because a name without its colon would look like one of them.
        let name = try name()
        guard let bounds = lengths(length) else {
            throw fault(.malformed(string(length), wanted: "a length in bytes"))
        }
        try nothing(after: 2)
        // A table's requests must never change anything in a vehicle. Records that are not requested do not.
        guard dataID.isRequestable || dataID.isHeard, dataID.service != .sessionControl else {
            throw fault(.writes(dataID))
        }
        record = TableRecord(
            dataID: dataID, name: name, length: bounds, file: file, line: line)
        record.target = defaults.target
        record.responder = defaults.responder
        record.vehicles = defaults.vehicles
        record.years = defaults.years
        record.sources = defaults.sources
        isInRecord = true
    }

    mutating func finishRecord() throws(TableError) {
        guard isInRecord else { return }
        isInRecord = false
        guard !record.signals.isEmpty else {
            throw TableError(file: file, line: record.line, .empty(record.dataID))
        }
        if let target = record.target, !target.takes(record.dataID.requestPayload) {
            throw TableError(file: file, line: record.line, .address(record.dataID, target))
        }
        // Then requests go to all ECUs, but flow control for a long answer goes to the one that answers.
        if record.dataID.isRequestable, record.target == nil, let responder = record.responder,
            !responder.isAskedForDiagnostics
        {
            throw TableError(file: file, line: record.line, .reply(record.dataID, responder))
        }
        for reference in references {
            guard let place = position(of: reference.name, in: record) else {
                throw TableError(
                    file: file, line: reference.line, .unknownSignal(string(reference.name)))
            }
            resolve(reference, SignalIndex(rawValue: Int32(truncatingIfNeeded: place)))
        }
        references.removeAll(keepingCapacity: true)
        try checkConditions()
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

    /// Refuses conditions that depend on themselves.
    private func checkConditions() throws(TableError) {
        for signal in record.signals where signal.condition != nil {
            var next = signal.condition
            var depth = 0
            while let condition = next {
                depth += 1
                guard depth <= PIDTable.deepestCondition else {
                    throw TableError(file: file, line: record.line, .circle(signal: signal.id))
                }
                next = record.signals[Int(condition.signal.rawValue)].condition
            }
        }
    }

    private mutating func resolve(_ reference: Reference, _ index: SignalIndex) {
        switch reference.purpose {
        case .condition:
            if let values = reference.values {
                record.signals[reference.signal].condition =
                    Signal.Condition(signal: index, ranges: values)
            } else {
                record.signals[reference.signal].supportFlag = index
            }
        case .times, .over:
            record.signals[reference.signal].change {
                $0.operand = Signal.Formula.Operand(
                    signal: index, divides: reference.purpose == .over)
            }
        }
    }

    /// The signal of `record` with the ID `name`.
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
        guard let ecu = ECUAddress(string(address)) else {
            throw fault(.malformed(string(address), wanted: "an ECU's address like 7E0"))
        }
        switch (keyword, isInRecord) {
        case (.header, true): record.target = ecu
        case (.header, false): defaults.target = ecu
        case (_, true): record.responder = ecu
        case (_, false): defaults.responder = ecu
        }
    }

    private mutating func readVehicles() throws(TableError) {
        _ = try word(at: 1, "the vehicle's number")
        var patterns: [VINPattern] = []
        for range in words.dropFirst() {
            guard let pattern = VINPattern(string(range)) else {
                throw fault(.malformed(string(range), wanted: "a VIN or its beginning and *"))
            }
            patterns.append(pattern)
        }
        if isInRecord {
            record.vehicles = patterns
        } else {
            defaults.vehicles = patterns
        }
    }

    /// `years 2018..2022 2025`.
    private mutating func readYears() throws(TableError) {
        _ = try word(at: 1, "the model years")
        var years: [ClosedRange<Int>] = []
        for range in words.dropFirst() {
            guard let span = lengths(range), (1900...2200).contains(span.lowerBound),
                span.upperBound <= 2200
            else {
                throw fault(.malformed(string(range), wanted: "model years like 2018..2022"))
            }
            years.append(span)
        }
        if isInRecord {
            record.years = years
        } else {
            defaults.years = years
        }
    }

    private mutating func readTitle() throws(TableError) {
        try nothing(after: 0)
        guard !isInRecord else { throw fault(.unexpected("title", after: "record")) }
        title = try name()
    }
}
