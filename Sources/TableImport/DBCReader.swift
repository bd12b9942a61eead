import Diagnostics
import OBDCore

/// Reads CAN databases: messages that are diagnostic answers, and messages that ECUs send by themselves.
struct DBCReader {
    typealias Message = DBCFile.Message
    typealias Row = DBCFile.Row

    let file: DBCFile
    var source: ImportedSource
    private let options: ImportOptions
    /// The line of the message of each record that ECUs send by themselves.
    var heard: [ImportedRecord.Key: Int] = [:]
    /// The senders of each parameter group in the file; nil is any sender.
    var senders: [UInt32: Set<UInt32?>] = [:]
    /// The receivers of each group of a sender in the file.
    var receivers: [GroupPlace: Set<UInt32>] = [:]

    static func read(
        _ lines: [String], _ name: String, _ options: ImportOptions
    ) -> ImportedSource {
        let file = DBCFile(lines)
        var reader = DBCReader(file: file, source: ImportedSource(name, .dbc), options: options)
        reader.source.rowCount = file.rowCount
        for fault in file.faults { reader.source.leaveOut(fault.name, fault.line, fault.fault) }
        reader.noteGroups()
        // Two messages with the same identifier cannot be told apart.
        var lines: [UInt32: Int] = [:]
        for message in file.messages {
            if let first = lines.updateValue(message.line, forKey: message.number) {
                lines[message.number] = first
                reader.leaveOut(message, .repeatedMessage(line: first))
                continue
            }
            if responder(message.number) != nil, message.signals.contains(where: \.isMultiplexer) {
                var copy = reader
                if copy.takeAnswer(message) {
                    reader = copy
                    continue
                }
            }
            reader.takeBroadcast(message)
        }
        return reader.source
    }

    private init(file: DBCFile, source: ImportedSource, options: ImportOptions) {
        self.file = file
        self.source = source
        self.options = options
    }

    mutating func leaveOut(_ message: Message, _ fault: RowFault) {
        for signal in message.signals { source.leaveOut(signal.name, signal.line, fault) }
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

    /// The service whose positive answer ends in `nibble`; the identifier's length distinguishes 21
    /// from 22.
    private static func service(nibble: Int, idBits: Int) -> Int {
        switch (nibble, idBits) {
        case (2, 16): 0x22
        case (1, 8), (9, 8): nibble
        default: -1
        }
    }

    /// Takes a message whose multiplexers are service and identifier; false if it is not an answer.
    private mutating func takeAnswer(_ message: Message) -> Bool {
        let byName = Dictionary(
            message.signals.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        // The service selects the identifier, which selects the values.
        guard let responder = Self.responder(message.number),
            let service = message.signals.first(where: { $0.isMultiplexer && $0.value == nil }),
            !service.isIntel || service.length <= 8
        else { return false }
        let isNibble = service.length == 4 && !service.isIntel && service.start % 8 == 3
        let isByte = service.length == 8 && service.start % 8 == (service.isIntel ? 0 : 7)
        guard isNibble || isByte else { return false }
        let place = service.start / 8
        var selectors = message.signals.filter { $0.isMultiplexer && $0.value != nil }
        if selectors.isEmpty {
            // Some tools do not mark the identifier as a multiplexer if a single one occurs.
            selectors = message.signals.filter {
                $0.value != nil && [8, 16].contains($0.length)
                    && ($0.isIntel ? $0.start / 8 * 8 : $0.top) == (place + 1) * 8
            }
        }
        // A signal without a multiplexer is in every answer of the message.
        var always: [Row] = []
        var found: [DataID: (record: ImportedRecord, begin: Int)] = [:]
        let selectorNames = Set(selectors.map(\.key))
        for signal in message.signals {
            if signal.key == service.key || selectorNames.contains(signal.key)
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
                let name =
                    signal.selection?.multiplexer
                    ?? (selectors.count == 1 ? selectors.first?.key : nil)
                guard let name, let selector = byName[name], let serviceValue = selector.value,
                    selectorNames.contains(name), selector.key != service.key
                else { throw .malformed("the identifier that it belongs to") }
                let byte =
                    isNibble
                    ? Self.service(nibble: serviceValue, idBits: selector.length)
                    : serviceValue >= 0x40 ? serviceValue - 0x40 : serviceValue
                guard (0...0x3F).contains(byte), !selector.isIntel || selector.length == 8,
                    selector.length == 8 || selector.length == 16,
                    (selector.isIntel ? selector.start / 8 * 8 : selector.top)
                        == (place + 1) * 8
                else { throw .malformed("the identifier that it belongs to") }
                guard let value = signal.value.flatMap({ UInt32(exactly: $0) }),
                    signal.selection?.values.contains(where: { $0.contains(Int(value)) }) ?? true
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
        let begin = found.count == 1 ? found.values.first?.begin : nil
        for signal in always {
            let first = signal.isIntel ? signal.start : signal.top
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
        return !found.isEmpty
            || message.signals.contains { signal in
                // The answers are in the built-in table.
                source.findings.contains {
                    $0.line == signal.line && $0.outcome == .leftOut(.builtIn)
                }
            }
    }

    private mutating func add(
        _ line: Row, behind begin: Int, _ message: Message, _ record: ImportedRecord
    ) throws(RowFault) {
        let first = line.isIntel ? line.start : line.top
        guard first >= begin, first + line.length <= message.length * 8, line.length <= 64 else {
            throw .place
        }
        source.add(try row(line, from: begin), to: record)
    }

    // MARK: Signals

    /// The row of a signal in data that begin at the bit `begin` of the message.
    func row(_ line: Row, from begin: Int) throws(RowFault) -> ImportedRow {
        let first = line.isIntel ? line.start : line.top
        guard first >= begin, begin % 8 == 0 else { throw .place }
        var signal = Signal(
            id: line.name, name: Text.line(line.name), bitOffset: first - begin,
            bitLength: line.length, kind: .number, isSigned: line.isSigned)
        signal.isLittleEndian = line.isIntel && (first % 8 + line.length > 8)
        if line.isIntel, !signal.isLittleEndian {
            signal.bitOffset = (first - begin) / 8 * 8 + 8 - first % 8 - line.length
        }
        guard !line.factor.isZero else { throw .zeroFactor }
        let isPlain = line.factor == .one && line.offset.isZero
        (signal.multiplier, signal.divisor) = Decimal.factor(line.factor)
        signal.offset = line.offset.double
        signal.unit = UnitName.normal(line.unit)
        if line.floatKind > 0 {
            guard line.length == (line.floatKind == 1 ? 32 : 64) else { throw .place }
            signal.isSigned = false
            var formula = Signal.Formula()
            formula.encoding = .floatingPoint
            signal.formula = formula
        } else if line.length > 64 || line.length > 53 && isPlain && signal.unit.isEmpty {
            // A number has no more than 53 bits without rounding; whole bytes stay exact.
            if line.length % 8 == 0, first % 8 == 0, !line.isSigned {
                signal.kind = .bytes
            } else if line.length > 64 {
                throw .place
            }
        } else if !line.labels.isEmpty, isPlain, !line.isSigned,
            1 << min(line.length, 62) <= line.labels.count || line.length <= 4
        {
            // A number with names for only a few values stays a number.
            signal.kind = .enumeration
            signal.unit = ""
            signal.labels = Self.labels(line)
        } else if line.length == 1, isPlain, !line.isSigned {
            signal.kind = .flag
            signal.unit = ""
        }
        if signal.kind == .enumeration, signal.labels.isEmpty { signal.kind = .number }
        if signal.kind == .number, line.floatKind == 0, line.length > 1 {
            signal.notAvailable = Self.notAvailable(line)
        }
        if signal.distinguishesRawValues { signal.labels = Self.labels(line) }
        var row = ImportedRow(signal: signal, line: line.line, file: source.file)
        if let low = line.low?.double, let high = line.high?.double, low < high,
            signal.kind == .number
        {
            row.display = low...high
        }
        return row
    }

    private static func labels(_ line: Row) -> [(code: UInt64, label: String)] {
        let size = 1 << min(line.length, 62)
        // The numbers of a signed signal are signed, and all others are mistakes.
        let codes = line.isSigned ? -size / 2..<size / 2 : -size..<size
        var known: Set<Int> = []
        var labels: [(code: UInt64, label: String)] = []
        for (code, label) in line.labels {
            let raw = code < 0 ? code + size : code
            let text = Text.line(label)
            guard codes.contains(code), (0..<size).contains(raw), !text.isEmpty,
                known.insert(raw).inserted
            else {
                continue
            }
            labels.append((UInt64(raw), text))
        }
        return labels.sorted { $0.code < $1.code }
    }

    /// The two highest raw values, if their labels mean "no value".
    private static func notAvailable(_ line: Row) -> [Signal.NotAvailable] {
        guard line.length <= 62, !line.isSigned else { return [] }
        let highest = (1 << line.length) - 1
        var found: Set<Int> = []
        for (code, label) in line.labels
        where (highest - 1...highest).contains(code) && meansNoValue(label) {
            found.insert(code)
        }
        return found.sorted().map { Signal.NotAvailable(pattern: UInt64($0)) }
    }

    static func meansNoValue(_ label: String) -> Bool {
        let words = label.lowercased().split { !$0.isLetter }.map(String.init)
        let joined = words.joined()
        return [
            "notavailable", "unavailable", "notvalid", "invalid", "error", "reserved", "dontcare",
            "noaction",
        ]
        .contains { joined.contains($0) }
            || words.contains { ["sna", "init", "initial", "initialization", "na"].contains($0) }
    }
}
