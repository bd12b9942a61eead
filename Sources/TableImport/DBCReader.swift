import Diagnostics
import OBDCore

/// Reads CAN databases whose messages are diagnostic answers; those with broadcasts are left out.
struct DBCReader {
    private struct Message {
        var id: UInt32
        var name: String
        var length: Int
        var line: Int
        var signals: [Line] = []
    }

    /// A signal as it is written in the file.
    private struct Line {
        var name: String
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
    }

    private struct Place: Hashable {
        var message: UInt32
        var signal: String
    }

    private var source: ImportedSource
    private let options: ImportOptions
    private var messages: [Message] = []
    private var floats: [Place: Int] = [:]
    private var labels: [Place: [(code: Int, label: String)]] = [:]
    /// The multiplexer of a signal and the values that select it, if the file defines them
    /// separately.
    private var switches: [Place: (name: String, values: [ClosedRange<Int>])] = [:]

    static func isDatabase(_ lines: [String]) -> Bool {
        lines.contains { $0.hasPrefix("BO_ ") }
            && lines.contains { Text.trimmed($0).hasPrefix("SG_ ") || $0.hasPrefix("BU_:") }
    }

    static func read(
        _ lines: [String], _ file: String, _ options: ImportOptions
    ) -> ImportedSource {
        var reader = DBCReader(source: ImportedSource(file, .dbc), options: options)
        reader.scan(lines)
        for message in reader.messages { reader.take(message) }
        return reader.source
    }

    private init(source: ImportedSource, options: ImportOptions) {
        self.source = source
        self.options = options
    }

    // MARK: Lines

    private mutating func scan(_ lines: [String]) {
        var isComment = false
        for (index, text) in lines.enumerated() {
            let line = Text.trimmed(text)
            if isComment {
                // The text of a comment may span several lines.
                isComment = !Self.endsComment(line)
                continue
            }
            if line.hasPrefix("CM_ ") {
                isComment = !Self.endsComment(line)
                continue
            }
            var words = DBCWords(line)
            switch words.word() {
            case "BO_": readMessage(&words, index + 1)
            case "SG_": readSignal(&words, index + 1)
            case "SIG_VALTYPE_":
                guard let id = words.messageID(), let name = words.word(), words.take(":") || true,
                    let type = words.number()
                else { continue }
                floats[Place(message: id, signal: name)] = type
            case "VAL_":
                guard let id = words.messageID(), let name = words.word() else { continue }
                var found: [(code: Int, label: String)] = []
                while let code = words.number(), let label = words.quoted() {
                    found.append((code, label))
                }
                labels[Place(message: id, signal: name)] = found
            case "SG_MUL_VAL_":
                guard let id = words.messageID(), let name = words.word(), let other = words.word()
                else { continue }
                var values: [ClosedRange<Int>] = []
                while let low = words.unsigned() {
                    guard words.take("-"), let high = words.unsigned(), low <= high else { break }
                    values.append(low...high)
                    _ = words.take(",")
                }
                switches[Place(message: id, signal: name)] = (other, values)
            default: break
            }
        }
    }

    private static func endsComment(_ line: String) -> Bool {
        line.hasSuffix("\";")
    }

    /// The bytes of the longest answer.
    private static let longestMessage = 4095

    private mutating func readMessage(_ words: inout DBCWords, _ line: Int) {
        guard let id = words.messageID(), let name = words.word(), words.take(":"),
            let length = words.unsigned(), length <= Self.longestMessage
        else {
            source.rowCount += 1
            source.leaveOut("BO_", line, .malformed("the message"))
            return
        }
        messages.append(Message(id: id, name: name, length: length, line: line))
    }

    private mutating func readSignal(_ words: inout DBCWords, _ line: Int) {
        source.rowCount += 1
        var signal = Line(name: words.word() ?? "", line: line)
        func failed() { source.leaveOut(signal.name, line, .malformed("the signal")) }
        guard !messages.isEmpty else { return failed() }
        if !words.take(":") {
            guard let mark = words.word(), words.take(":") else { return failed() }
            var rest = mark[...]
            if rest.last == "M" {
                signal.isMultiplexer = true
                rest.removeLast()
            }
            if rest.first == "m" {
                guard let value = Int(rest.dropFirst()) else { return failed() }
                signal.value = value
            } else if !rest.isEmpty {
                return failed()
            }
        }
        guard let start = words.unsigned(), words.take("|"), let length = words.unsigned(),
            words.take("@"), let order = words.order(), words.take("("),
            let factor = words.decimal(), words.take(","), let offset = words.decimal(),
            words.take(")"), start < 32_768, (1...4096).contains(length)
        else { return failed() }
        (signal.start, signal.length) = (start, length)
        (signal.isIntel, signal.isSigned) = order
        (signal.factor, signal.offset) = (factor, offset)
        if words.take("[") {
            signal.low = words.decimal()
            _ = words.take("|")
            signal.high = words.decimal()
            _ = words.take("]")
        }
        signal.unit = words.quoted() ?? ""
        messages[messages.count - 1].signals.append(signal)
    }

    // MARK: Answers

    private static func responder(_ id: UInt32) -> ECUAddress? {
        if id & 0x8000_0000 == 0 {
            return (0x7E8...0x7EF).contains(id) || (0x700...0x7DF).contains(id)
                ? ECUAddress(id, .can11) : nil
        }
        let address = id & 0x1FFF_FFFF
        return address & 0xFFFF_FF00 == 0x18DA_F100 ? ECUAddress(address, .can29) : nil
    }

    /// The first bit of a big-endian number, counted from the top of byte 0.
    private static func top(_ signal: Line) -> Int { signal.start / 8 * 8 + 7 - signal.start % 8 }

    /// The service whose positive answer ends in `nibble`; the identifier's length distinguishes 21
    /// from 22.
    private static func service(nibble: Int, idBits: Int) -> Int {
        switch (nibble, idBits) {
        case (2, 16): 0x22
        case (1, 8), (9, 8): nibble
        default: -1
        }
    }

    private mutating func take(_ message: Message) {
        func all(_ fault: RowFault) {
            for signal in message.signals { source.leaveOut(signal.name, signal.line, fault) }
        }
        let byName = Dictionary(
            message.signals.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        // The service selects the identifier, which selects the values.
        guard let responder = Self.responder(message.id),
            let service = message.signals.first(where: { $0.isMultiplexer && $0.value == nil }),
            !service.isIntel || service.length <= 8
        else { return all(.broadcast) }
        let isNibble = service.length == 4 && !service.isIntel && service.start % 8 == 3
        let isByte = service.length == 8 && service.start % 8 == (service.isIntel ? 0 : 7)
        guard isNibble || isByte else { return all(.broadcast) }
        let place = service.start / 8
        var selectors = message.signals.filter { $0.isMultiplexer && $0.value != nil }
        if selectors.isEmpty {
            // Some tools do not mark the identifier as a multiplexer if a single one occurs.
            selectors = message.signals.filter {
                $0.value != nil && [8, 16].contains($0.length)
                    && ($0.isIntel ? $0.start / 8 * 8 : Self.top($0)) == (place + 1) * 8
            }
        }
        // A signal without a multiplexer is in every answer of the message.
        var always: [Line] = []
        var found: [DataID: (record: ImportedRecord, begin: Int)] = [:]
        defer {
            let begin = found.count == 1 ? found.values.first?.begin : nil
            for signal in always {
                let first = signal.isIntel ? signal.start : Self.top(signal)
                if let begin, let (record, _) = found.values.first, first >= begin {
                    do throws(RowFault) {
                        try add(signal, behind: begin, message, record)
                    } catch {
                        source.leaveOut(signal.name, signal.line, error)
                    }
                } else if found.count > 1, first >= (place + 2) * 8 {
                    source.leaveOut(
                        signal.name, signal.line, .malformed("the identifier that it belongs to"))
                } else {
                    source.rowCount -= 1
                }
            }
        }
        let selectorNames = Set(selectors.map(\.name))
        for signal in message.signals {
            if signal.name == service.name || selectorNames.contains(signal.name)
                || signal.isMultiplexer
            {
                source.rowCount -= 1
                continue
            }
            if signal.value == nil {
                always.append(signal)
                continue
            }
            do throws(RowFault) {
                let own = switches[Place(message: message.id, signal: signal.name)]
                let name = own?.name ?? (selectors.count == 1 ? selectors.first?.name : nil)
                guard let name, let selector = byName[name], let serviceValue = selector.value,
                    selectorNames.contains(name), selector.name != service.name
                else { throw .malformed("the identifier that it belongs to") }
                let byte =
                    isNibble
                    ? Self.service(nibble: serviceValue, idBits: selector.length)
                    : serviceValue >= 0x40 ? serviceValue - 0x40 : serviceValue
                guard (0...0x3F).contains(byte), !selector.isIntel || selector.length == 8,
                    selector.length == 8 || selector.length == 16,
                    (selector.isIntel ? selector.start / 8 * 8 : Self.top(selector))
                        == (place + 1) * 8
                else { throw .malformed("the identifier that it belongs to") }
                guard let value = signal.value.flatMap({ UInt32(exactly: $0) }),
                    own?.values.contains(where: { $0.contains(Int(value)) }) ?? true
                else { throw .malformed("the value of its multiplexer") }
                let dataID = try ForeignRequest.dataID(
                    service: Hex.string([UInt8(byte)]),
                    id: Hex.string(value, digits: selector.length / 4))
                if options.builtIn.contains(dataID) { throw .builtIn }
                var record = ImportedRecord(dataID: dataID, line: message.line)
                record.responder = responder
                let asked = responder.physicalRequest
                if ForeignRequest.answers(asked) == responder { record.target = asked }
                let begin = (place + 1) * 8 + selector.length
                found[dataID] = (record, begin)
                try add(signal, behind: begin, message, record)
            } catch {
                source.leaveOut(signal.name, signal.line, error)
            }
        }
    }

    private mutating func add(
        _ line: Line, behind begin: Int, _ message: Message, _ record: ImportedRecord
    ) throws(RowFault) {
        let key = Place(message: message.id, signal: line.name)
        let first = line.isIntel ? line.start : Self.top(line)
        guard first >= begin, first + line.length <= message.length * 8, line.length <= 64 else {
            throw .place
        }
        var signal = Signal(
            id: line.name, name: Text.line(line.name), bitOffset: first - begin,
            bitLength: line.length, kind: .number, isSigned: line.isSigned)
        signal.isLittleEndian = line.isIntel && (first % 8 + line.length > 8)
        if line.isIntel, !signal.isLittleEndian {
            signal.bitOffset = (first - begin) / 8 * 8 + 8 - first % 8 - line.length
        }
        guard !line.factor.isZero else { throw .malformed("the factor") }
        (signal.multiplier, signal.divisor) = Decimal.factor(line.factor)
        signal.offset = line.offset.double
        signal.unit = UnitName.normal(line.unit)
        if let type = floats[key], type > 0 {
            guard line.length == (type == 1 ? 32 : 64), !line.isIntel || (first - begin) % 8 == 0
            else { throw .place }
            signal.isSigned = false
            var formula = Signal.Formula()
            formula.encoding = .floatingPoint
            signal.formula = formula
        } else if let labels = labels[key], !labels.isEmpty, line.factor == .one,
            line.offset.isZero, 1 << min(line.length, 62) <= labels.count || line.length <= 4
        {
            // A number with names for only a few values stays a number.
            signal.kind = .enumeration
            signal.unit = ""
            let size = 1 << min(line.length, 62)
            var known: Set<Int> = []
            for (code, label) in labels {
                let raw = code < 0 ? code + size : code
                let text = Text.line(label)
                guard (0..<size).contains(raw), !text.isEmpty, known.insert(raw).inserted else {
                    continue
                }
                signal.labels.append((UInt64(raw), text))
            }
            signal.labels.sort { $0.code < $1.code }
            signal.isSigned = false
        } else if line.length == 1, line.factor == .one, line.offset.isZero, !line.isSigned {
            signal.kind = .flag
            signal.unit = ""
        }
        var row = ImportedRow(signal: signal, line: line.line, file: source.file)
        if let low = line.low?.double, let high = line.high?.double, low < high,
            signal.kind == .number
        {
            row.display = low...high
        }
        source.add(row, to: record)
    }
}

/// Splits a line of a DBC file into words.
private struct DBCWords {
    private let bytes: [UInt8]
    private var place = 0

    init(_ line: String) { bytes = Array(line.utf8) }

    private mutating func skipBlanks() {
        while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 { place += 1 }
    }

    /// The text up to a blank or a colon.
    mutating func word() -> String? {
        skipBlanks()
        let start = place
        while place < bytes.count, ![0x20, 0x09, 0x3A, 0x3B].contains(bytes[place]) { place += 1 }
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

    mutating func unsigned() -> Int? { Int(digits { (0x30...0x39).contains($0) }) }

    mutating func number() -> Int? {
        let before = place
        let text = digits { (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }
        if let number = Int(text) ?? Fraction(decimal: text)?.int { return number }
        place = before
        return nil
    }

    /// The number of a message, with bit 31 for 29-bit identifiers.
    mutating func messageID() -> UInt32? { number().flatMap { UInt32(exactly: $0) } }

    mutating func decimal() -> Fraction? {
        Fraction(
            decimal: digits {
                (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
            })
    }

    mutating func quoted() -> String? {
        guard take("\"") else { return nil }
        let start = place
        while place < bytes.count, bytes[place] != 0x22 { place += bytes[place] == 0x5C ? 2 : 1 }
        let end = min(place, bytes.count)
        place = min(place + 1, bytes.count)
        return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
    }

    /// Parses `1+`, `0-`: byte order and sign.
    mutating func order() -> (isIntel: Bool, isSigned: Bool)? {
        guard place + 1 < bytes.count, [0x30, 0x31].contains(bytes[place]),
            [0x2B, 0x2D].contains(bytes[place + 1])
        else { return nil }
        defer { place += 2 }
        return (bytes[place] == 0x31, bytes[place + 1] == 0x2D)
    }
}
