import Diagnostics
import OBDCore

/// Reads signal sets of the OBDb project.
struct OBDbReader {
    private var source: ImportedSource
    private let options: ImportOptions
    /// The commands in the order of the file.
    private var commands: [Command] = []

    /// A request with the model years that it is for.
    private struct Command {
        var node: JSONNode
        var record: ImportedRecord
        var years: Years
        var session: String?
    }

    /// Model years in OBDb's form.
    struct Years: Hashable {
        var ranges: [ClosedRange<Int>] = []

        static let first = 1980
        static let last = 2100

        /// `from`, `to` and `years`; if `from` is after `to`, the years between them are excluded.
        init?(_ node: JSONNode?) {
            guard let node else { return }
            let from = node["from"]?.int
            let to = node["to"]?.int
            guard
                [from, to].allSatisfy({ ($0.map { (Self.first...Self.last).contains($0) }) ?? true }
                )
            else { return nil }
            switch (from, to) {
            case (let from?, let to?) where from <= to: ranges.append(from...to)
            case (let from?, let to?):
                ranges.append(Self.first...to)
                ranges.append(from...Self.last)
            case (let from?, nil): ranges.append(from...Self.last)
            case (nil, let to?): ranges.append(Self.first...to)
            case (nil, nil): break
            }
            for year in node["years"]?.elements ?? [] {
                guard let year = year.int, (Self.first...Self.last).contains(year) else {
                    return nil
                }
                ranges.append(year...year)
            }
        }

        func contains(_ year: Int) -> Bool {
            ranges.isEmpty || ranges.contains { $0.contains(year) }
        }

        var text: String {
            ranges.map { range in
                range.lowerBound == range.upperBound
                    ? "\(range.lowerBound)"
                    : (range.lowerBound == Self.first ? "" : "\(range.lowerBound)") + ".."
                        + (range.upperBound == Self.last ? "" : "\(range.upperBound)")
            }.joined(separator: " ")
        }
    }

    static func read(
        _ root: JSONNode, _ file: String, _ options: ImportOptions
    ) -> ImportedSource {
        var reader = OBDbReader(source: ImportedSource(file, .obdb), options: options)
        let session = root["diagnosticLevel"]?.text
        for command in root["commands"]?.elements ?? [] { reader.take(command, session) }
        reader.finish()
        return reader.source
    }

    private init(source: ImportedSource, options: ImportOptions) {
        self.source = source
        self.options = options
    }

    private static func signals(of command: JSONNode) -> [JSONNode] {
        command["signals"]?.elements ?? []
    }

    private mutating func leaveOut(_ command: JSONNode, _ fault: RowFault) {
        for signal in Self.signals(of: command) {
            source.rowCount += 1
            source.leaveOut(signal["id"]?.text ?? "", signal.line, fault)
        }
    }

    private mutating func take(_ node: JSONNode, _ session: String?) {
        do throws(RowFault) {
            guard let years = Years(node["filter"]) else { throw .malformed("the filter") }
            if let year = options.year, !years.contains(year) { throw .otherYear }
            var record = try Self.record(node)
            if options.builtIn.contains(record.dataID) { throw .builtIn }
            if let entered = node["din"]?.text ?? session {
                record.notes.append(
                    "the source asks in diagnostic session \(Text.line(entered)), which is not entered here"
                )
            }
            if options.year == nil { record.years = years.ranges }
            commands.append(
                Command(node: node, record: record, years: years, session: session))
        } catch {
            leaveOut(node, error)
        }
    }

    /// Merges commands with the same request; if their layouts depend on the year, the selected
    /// year decides.
    private mutating func finish() {
        var groups: [ImportedRecord.Key: Group] = [:]
        for command in commands {
            groups[command.record.key, default: Group()].take(command, isDated: options.year == nil)
        }
        for command in commands {
            let signals = Self.signals(of: command.node)
            guard let group = groups[command.record.key], group.years.count > 1 else {
                for signal in signals { take(signal, of: command.record) }
                continue
            }
            // Signals at the same position in all years need no year.
            var record = command.record
            record.years = []
            for signal in signals {
                if let place = Place(signal), group.places[place] == group.count {
                    take(signal, of: record)
                } else {
                    source.rowCount += 1
                    source.leaveOut(signal["id"]?.text ?? "", signal.line, .years(group.text))
                }
            }
        }
    }

    /// The position of a signal in a command, and the meaning of its bits.
    private struct Place: Hashable {
        var id: String?
        var signal: Signal

        init?(_ node: JSONNode) {
            guard let format = node["fmt"], let signal = try? OBDbReader.signal(format) else {
                return nil
            }
            (id, self.signal) = (node["id"]?.text, signal)
        }
    }

    /// The commands with the same request.
    private struct Group {
        var count = 0
        /// The commands' model years, each once; empty if the user selected a year.
        var years: Set<Years> = []
        /// The number of commands that have a signal.
        var places: [Place: Int] = [:]
        /// The model years in the order of the file.
        var text = ""
        /// A reason lists no more years than a person reads.
        private static let mostListed = 12

        mutating func take(_ command: Command, isDated: Bool) {
            guard isDated else { return }
            count += 1
            if years.insert(command.years).inserted, years.count <= Self.mostListed + 1 {
                let own = command.years.ranges.isEmpty ? "others" : command.years.text
                text += (text.isEmpty ? "" : ", ") + (years.count > Self.mostListed ? "…" : own)
            }
            for place in Set(OBDbReader.signals(of: command.node).compactMap { Place($0) }) {
                places[place, default: 0] += 1
            }
        }
    }

    // MARK: Requests

    private static func hex(_ text: String?, _ digits: ClosedRange<Int>) throws(RowFault) -> UInt32?
    {
        guard let text else { return nil }
        guard digits.contains(text.utf8.count), let value = UInt32(text, radix: 16) else {
            throw .address(text)
        }
        return value
    }

    private static func byte(_ text: String?) throws(RowFault) -> UInt8? {
        try hex(text, 1...2).map { UInt8(truncatingIfNeeded: $0) }
    }

    static func record(_ node: JSONNode) throws(RowFault) -> ImportedRecord {
        guard let request = node["cmd"]?.members, request.count == 1, let first = request.first,
            let id = first.value.text
        else { throw .malformed("the request") }
        let dataID = try ForeignRequest.dataID(service: first.key, id: id)
        var record = ImportedRecord(dataID: dataID, line: node.line)
        guard let header = node["hdr"]?.text else { throw .malformed("the header") }
        let reply = node["rax"]?.text
        let extended = try byte(node["eax"]?.text)
        let tester = try byte(node["tst"]?.text)
        let priority = try byte(node["pri"]?.text) ?? 0x18
        switch header.utf8.count {
        case 3:
            guard let value = try hex(header, 3...3), value < 0x800 else { throw .address(header) }
            if value != 0x7DF {
                record.target = ECUAddress(value, .can11, extended: extended)
            }
            if let answer = try hex(reply, 3...3), answer < 0x800 {
                let asked = ECUAddress(value, .can11, extended: extended)
                record.responder = ECUAddress(
                    answer, .can11, extended: ForeignRequest.answerByte(asked, tester: tester))
            }
        case 4:
            guard let value = try hex(header, 4...4) else { throw .address(header) }
            let request =
                UInt32(priority) << 24 | value << 8 | UInt32(tester ?? 0xF1)
            guard request < 0x2000_0000 else { throw .address(header) }
            if value != 0xDB33 {
                record.target = ECUAddress(request, .can29, extended: extended)
            }
            // In this case, the address byte of answers is uncertain.
            if let reply, extended == nil {
                switch reply.utf8.count {
                case 2:
                    guard let ecu = try hex(reply, 2...2) else { throw .address(reply) }
                    record.responder = ECUAddress(
                        UInt32(priority) << 24 | 0xDA_F100 | ecu, .can29)
                case 6:
                    guard let rest = try hex(reply, 6...6) else { throw .address(reply) }
                    record.responder = ECUAddress(UInt32(priority) << 24 | rest, .can29)
                case 8:
                    guard let whole = try hex(reply, 8...8), whole < 0x2000_0000 else {
                        throw .address(reply)
                    }
                    record.responder = ECUAddress(whole, .can29)
                default: throw .address(reply)
                }
            }
        default: throw .address(header)
        }
        return record
    }

    // MARK: Signals

    private mutating func take(_ node: JSONNode, of record: ImportedRecord) {
        source.rowCount += 1
        let id = node["id"]?.text ?? ""
        do throws(RowFault) {
            guard !Text.identifier(id).isEmpty else { throw .malformed("the id") }
            guard let format = node["fmt"] else { throw .malformed("fmt") }
            var signal = try Self.signal(format)
            signal.id = id
            signal.name = Text.line(node["name"]?.text ?? id)
            var row = ImportedRow(signal: signal, line: node.line, file: source.file)
            row.role = node["suggestedMetric"]?.text.flatMap { SignalRole(word: $0) }
            row.display = try Self.display(format)
            source.add(row, to: record)
        } catch {
            source.leaveOut(id, node.line, error)
        }
    }

    private static func number(_ node: JSONNode?, _ name: String) throws(RowFault) -> Fraction? {
        guard let node else { return nil }
        guard let number = node.fraction else { throw .malformed(name) }
        return number
    }

    private static func display(_ format: JSONNode) throws(RowFault) -> ClosedRange<Double>? {
        guard let max = try number(format["max"], "max")?.double else { return nil }
        let min = try number(format["min"], "min")?.double ?? 0
        return min < max ? min...max : nil
    }

    /// The bits of the longest answer.
    private static let mostBits = 4095 * 8

    /// Parses the position of a signal and the meaning of its bits.
    static func signal(_ format: JSONNode) throws(RowFault) -> Signal {
        guard let length = format["len"]?.int, length > 0 else { throw .malformed("len") }
        let first = format["bix"]?.int ?? 0
        guard format["bix"] == nil || format["bix"]?.int != nil, first >= 0,
            length <= Self.mostBits, first <= Self.mostBits - length
        else { throw .place }
        let unit = format["unit"]?.text ?? ""
        let isSigned = format["sign"]?.bool ?? false
        var signal = Signal(id: "", name: "", bitOffset: first, bitLength: length, kind: .number)
        if unit == "ascii" || unit == "hex", format["map"] == nil {
            guard first % 8 == 0, length % 8 == 0, format["blsb"]?.bool != true else {
                throw .place
            }
            signal.kind = unit == "ascii" ? .text : .bytes
            return signal
        }
        guard length <= 64 else { throw .place }
        signal.isSigned = isSigned
        if format["blsb"]?.bool == true {
            let bytes = (length + 7) / 8
            // OBDb reverses the bytes first and counts the bits afterwards.
            guard first % 8 + length <= bytes * 8 else { throw .place }
            if bytes > 1 {
                signal.isLittleEndian = true
                signal.bitOffset = first / 8 * 8 + bytes * 8 - first % 8 - length
            }
        }
        if let map = format["map"] {
            try readMap(map, &signal)
            return signal
        }
        let factor = try number(format["mul"], "mul") ?? .one
        let divisor = try number(format["div"], "div") ?? .one
        let offset = try number(format["add"], "add") ?? .zero
        guard !factor.isZero, let scale = factor.over(divisor) else { throw .malformed("div") }
        (signal.multiplier, signal.divisor) = Decimal.factor(scale)
        signal.offset = offset.double
        signal.unit = UnitName.normal(unit)
        try readNone(format, scale, offset, &signal)
        if length == 1, scale == .one, offset.isZero, signal.notAvailable.isEmpty {
            if unit == "yesno" {
                signal.kind = .enumeration
                signal.labels = [(0, "yes"), (1, "no")]
            } else if ["offon", "onoff", "noyes", ""].contains(unit) || signal.unit.isEmpty {
                signal.kind = unit == "onoff" ? .enumeration : .flag
                if unit == "onoff" { signal.labels = [(0, "on"), (1, "off")] }
            }
        }
        return signal
    }

    private static func readMap(_ map: JSONNode, _ signal: inout Signal) throws(RowFault) {
        signal.kind = .enumeration
        let size = UInt64(1) << UInt64(min(signal.bitLength, 63))
        var known: Set<UInt64> = []
        for (key, value) in map.members {
            guard let number = Int64(key),
                let label = value["value"]?.text ?? value["description"]?.text
            else { throw .malformed("map") }
            let raw =
                number < 0 ? UInt64(bitPattern: number) & (size - 1) : UInt64(number)
            guard raw < size, number >= 0 || signal.isSigned, known.insert(raw).inserted else {
                throw .malformed("map")
            }
            let text = Text.line(label)
            signal.labels.append((raw, text.isEmpty ? "\(number)" : text))
        }
        guard !signal.labels.isEmpty else { throw .malformed("map") }
        signal.isSigned = false
        signal.labels.sort { $0.code < $1.code }
    }

    /// Scaled values at these bounds or beyond them mean that there is no value.
    private static func readNone(
        _ format: JSONNode, _ scale: Fraction, _ offset: Fraction, _ signal: inout Signal
    ) throws(RowFault) {
        let low = try number(format["nullmin"], "nullmin")
        let high = try number(format["nullmax"], "nullmax")
        var field = BitField(count: signal.bitLength, factor: scale, constant: offset)
        field.isSigned = signal.isSigned
        var ranges: [ClosedRange<UInt64>] = []
        if let low {
            guard let found = RowReading.coded(nil, low, field) else { throw .tooLarge }
            ranges += found
        }
        if let high {
            guard let found = RowReading.coded(high, nil, field) else { throw .tooLarge }
            ranges += found
        }
        let all = UInt64(1) << UInt64(min(signal.bitLength, 63)) - 1
        guard !ranges.contains(0...all) else { throw .malformed("nullmin or nullmax") }
        signal.notAvailable = ranges.sorted { $0.lowerBound < $1.lowerBound }.map {
            .init(pattern: $0.lowerBound, through: $0.upperBound)
        }
    }
}
