import Diagnostics
import OBDCore

extension TableReader {
    /// The written form of bits; their position depends on the byte order, which may follow later.
    enum Bits {
        /// From a bit of one byte to a bit of another, with bits counted from the least significant.
        case ends((byte: Int, bit: Int?), (byte: Int, bit: Int?))
        /// First bit and number of bits.
        case counted(Int, Int)
    }

    /// `signal ID BITS [options] : Name`.
    mutating func readSignal() throws(TableError) {
        guard isInRecord else { throw fault(.outside("signal")) }
        let id = try checked(try word(at: 1, "the signal's id"))
        let name = try name()
        let place = try word(at: 2, "the signal's bits")
        guard let bits = bits(place) else {
            throw fault(.malformed(string(place), wanted: "bits like A, A..B, A.7 or A.7..A.4"))
        }
        var signal = Signal(id: id, name: name, bitOffset: 0, bitLength: 0, kind: .number)
        try readOptions(&signal, from: 3)
        guard let (offset, count) = Self.place(bits, littleEndian: signal.isLittleEndian) else {
            throw fault(.malformed(string(place), wanted: "bits in the order of the signal"))
        }
        signal.bitOffset = offset
        signal.bitLength = count
        try check(signal, length: record.length)
        record.signals.append(signal)
        record.signalLines.append(line)
    }

    /// Options of the previous signal on a separate line.
    mutating func continueSignal() throws(TableError) {
        guard isInRecord, var signal = record.signals.last else {
            throw fault(.outside(string(words[0])))
        }
        guard prose == nil || Keyword(word(words[0])) == .none else {
            throw fault(.unexpected(":", after: string(words[0])))
        }
        try readOptions(&signal, from: 0)
        record.signals[record.signals.count - 1] = signal
    }

    private mutating func readOptions(
        _ signal: inout Signal, from first: Int
    ) throws(TableError) {
        var position = first
        while position < words.count {
            let option = words[position]
            switch Keyword(word(option)) {
            case .signed where first > 0: signal.isSigned = true
            case .little where first > 0: signal.isLittleEndian = true
            case .kind where first > 0: try readKind(&signal, option)
            case .unverified where first > 0:
                if detail == .everything { record.unverified.insert(record.signals.count) }
            case .shared where first > 0:
                if detail == .everything { record.shared.insert(record.signals.count) }
            case .part where first > 0:
                position += 1
                let number = try word(at: position, "the part's number")
                guard let part = unsigned(number), part > 0 else {
                    throw fault(.malformed(string(number), wanted: "a number from 1"))
                }
                signal.part = part
            case .scale:
                position += 1
                try readScale(&signal, try word(at: position, "the factor"))
            case .offset:
                position += 1
                signal.offset = try number(try word(at: position, "the offset"))
            case .unit:
                position += 1
                signal.unit = try checked(try word(at: position, "the unit"))
            case .none:
                position += 1
                signal.notAvailable.append(try pattern(try word(at: position, "the raw bits")))
            case .if:
                position += 1
                let place = record.signals.count - (first > 0 ? 0 : 1)
                try readReference(of: place, try word(at: position, "the flag"))
            case .times, .over:
                let purpose: Reference.Purpose =
                    Keyword(word(option)) == .over ? .over : .times
                position += 1
                let place = record.signals.count - (first > 0 ? 0 : 1)
                references.append(
                    Reference(
                        purpose: purpose, signal: place,
                        name: try word(at: position, "the other signal"), values: nil, line: line))
            case .alias:
                guard position + 1 < words.count else { throw fault(.missing("the alias")) }
                for alias in words[(position + 1)...] {
                    signal.aliases.append(try checked(alias).lowercased())
                }
                return
            case .signed, .little, .part, .kind, .unverified, .record, .signal, .header, .reply,
                .vehicle, .years, .shared, .display, .value, .label,
                .piece, .point, .example, .range, .source, .note, .title, .other:
                let before = position > 0 ? string(words[position - 1]) : "the line's begin"
                throw fault(.unexpected(string(option), after: before))
            }
            position += 1
        }
    }

    /// `16 : closed loop`, after an enumeration.
    mutating func readLabel(_ code: UInt64) throws(TableError) {
        guard isInRecord, let last = record.signals.indices.last,
            record.signals[last].kind == .enumeration
        else { throw fault(.unknownWord(string(words[0]))) }
        try nothing(after: 0)
        let label = try name()
        record.signals[last].labels.append((code, label))
    }

    /// `label FF : error`: a name for a raw value of a number.
    mutating func readNumberLabel() throws(TableError) {
        guard isInRecord, let last = record.signals.indices.last else {
            throw fault(.outside("label"))
        }
        guard record.signals[last].kind == .number else {
            throw fault(.unexpected("label", after: record.signals[last].id))
        }
        let place = try word(at: 1, "the raw bits")
        guard let code = hex(place) else {
            throw fault(.malformed(string(place), wanted: "hexadecimal raw bits"))
        }
        try nothing(after: 1)
        record.signals[last].labels.append((code, try name()))
    }

    private func readKind(
        _ signal: inout Signal, _ range: Range<Int>
    ) throws(TableError) {
        let word = string(range)
        signal.kind =
            switch word {
            case "enum": .enumeration
            case "flag": .flag
            case "code": .code
            case "map": .supportMap
            case "text": .text
            case "bytes": .bytes
            default: .number
            }
        switch word {
        case "bcd": signal.change { $0.encoding = .decimalDigits }
        case "float": signal.change { $0.encoding = .floatingPoint }
        default: break
        }
    }

    /// `piece 80..FF scale 2 offset -128`: raw values with their own factor.
    mutating func readPiece() throws(TableError) {
        guard isInRecord, var signal = record.signals.last else { throw fault(.outside("piece")) }
        let values = try rawValues(try word(at: 1, "the raw bits"))
        var piece = Signal.Formula.Piece(values: values)
        var position = 2
        while position < words.count {
            let option = words[position]
            position += 1
            switch Keyword(word(option)) {
            case .scale:
                (piece.multiplier, piece.divisor) = try scale(
                    try word(at: position, "the factor"))
            case .offset: piece.offset = try number(try word(at: position, "the offset"))
            default: throw fault(.unexpected(string(option), after: "piece"))
            }
            position += 1
        }
        signal.change { $0.pieces.append(piece) }
        record.signals[record.signals.count - 1] = signal
    }

    /// `point 1F 23.5`: the value of a raw value, with a straight line to the next point.
    mutating func readPoint() throws(TableError) {
        guard isInRecord, var signal = record.signals.last else { throw fault(.outside("point")) }
        let place = try word(at: 1, "the raw bits")
        guard let raw = hex(place) else {
            throw fault(.malformed(string(place), wanted: "hexadecimal raw bits"))
        }
        let value = try number(try word(at: 2, "the value"))
        try nothing(after: 2)
        signal.change { $0.points.append(Signal.Formula.Point(raw: raw, value: value)) }
        record.signals[record.signals.count - 1] = signal
    }

    /// `value 03 12.5`: the number for raw bits or a range of them; other raw bits have no value.
    mutating func readValue() throws(TableError) {
        guard isInRecord, var signal = record.signals.last else { throw fault(.outside("value")) }
        let values = try rawValues(try word(at: 1, "the raw bits"))
        let number = try number(try word(at: 2, "the value"))
        try nothing(after: 2)
        signal.change {
            $0.isList = true
            $0.pieces.append(.init(values: values, multiplier: 0, offset: number))
        }
        record.signals[record.signals.count - 1] = signal
    }

    private func readScale(_ signal: inout Signal, _ range: Range<Int>) throws(TableError) {
        (signal.multiplier, signal.divisor) = try scale(range)
    }

    private func scale(
        _ range: Range<Int>
    ) throws(TableError) -> (multiplier: Double, divisor: Double) {
        guard let slash = range.first(where: { text[$0] == 0x2F }) else {
            return (try number(range), 1)
        }
        let divisor = try number(slash + 1..<range.upperBound)
        guard divisor != 0 else {
            throw fault(.malformed(string(range), wanted: "a factor"))
        }
        return (try number(range.lowerBound..<slash), divisor)
    }

    func number(_ range: Range<Int>) throws(TableError) -> Double {
        guard let (value, _) = decimal(range) else {
            throw fault(.malformed(string(range), wanted: "a decimal number"))
        }
        return value
    }

    private func pattern(_ range: Range<Int>) throws(TableError) -> Signal.NotAvailable {
        let values = try rawValues(range)
        return Signal.NotAvailable(pattern: values.lowerBound, through: values.upperBound)
    }

    private func rawValues(_ range: Range<Int>) throws(TableError) -> ClosedRange<UInt64> {
        if let (first, last) = bounds(range) {
            if let low = hex(first), let high = hex(last), low <= high { return low...high }
        } else if let value = hex(range) {
            return value...value
        }
        throw fault(.malformed(string(range), wanted: "hexadecimal raw bits like FF or FE..FF"))
    }

    private mutating func readReference(
        of signal: Int, _ range: Range<Int>
    ) throws(TableError) {
        let equals = range.first { text[$0] == 0x3D }
        var values: [ClosedRange<UInt64>]?
        if let equals {
            var start = equals + 1
            var found: [ClosedRange<UInt64>] = []
            while true {
                let comma = text[start..<range.upperBound].firstIndex(of: 0x2C)
                found.append(try rawValues(start..<(comma ?? range.upperBound)))
                guard let comma else { break }
                start = comma + 1
            }
            values = found
        }
        references.append(
            Reference(
                signal: signal, name: range.lowerBound..<(equals ?? range.upperBound),
                values: values, line: line))
    }

    // MARK: Bits

    private func bits(_ range: Range<Int>) -> Bits? {
        if let (first, last) = bounds(range) {
            guard let low = end(first), let high = end(last) else { return nil }
            return .ends(low, high)
        }
        if let plus = range.first(where: { text[$0] == 0x2B }) {
            guard let first = unsigned(range.lowerBound..<plus),
                let count = unsigned(plus + 1..<range.upperBound)
            else { return nil }
            return .counted(first, count)
        }
        return end(range).map { .ends($0, $0) }
    }

    /// `A`, `AB`, `A.7`.
    private func end(_ range: Range<Int>) -> (byte: Int, bit: Int?)? {
        var byte = 0
        var index = range.lowerBound
        // Two letters are enough for all bytes; more letters would not be a valid position.
        while index < range.upperBound, index - range.lowerBound < 3,
            (0x41...0x5A).contains(text[index])
        {
            byte = byte * 26 + Int(text[index] - 0x40)
            index += 1
        }
        guard (1...2).contains(index - range.lowerBound) else { return nil }
        guard index < range.upperBound else { return (byte - 1, nil) }
        guard text[index] == 0x2E, let bit = unsigned(index + 1..<range.upperBound), bit < 8 else {
            return nil
        }
        return (byte - 1, bit)
    }

    private static func place(_ bits: Bits, littleEndian: Bool) -> (offset: Int, count: Int)? {
        switch bits {
        case .counted(let offset, let count):
            return (offset, count)
        case .ends(let first, let last):
            let (from, to): (Int, Int)
            if littleEndian {
                (from, to) = (first.byte * 8 + (first.bit ?? 0), last.byte * 8 + (last.bit ?? 7))
            } else {
                (from, to) =
                    (first.byte * 8 + 7 - (first.bit ?? 7), last.byte * 8 + 7 - (last.bit ?? 0))
            }
            return from <= to ? (from, to - from + 1) : nil
        }
    }

    private func check(_ signal: Signal, length: ClosedRange<Int>) throws(TableError) {
        let isWide = signal.kind == .text || signal.kind == .bytes
        let fits =
            isWide
            ? signal.bitLength > 0 && signal.bitLength % 8 == 0 && signal.bitOffset % 8 == 0
            : (1...64).contains(signal.bitLength)
        let digits = signal.formula?.encoding
        if digits == .floatingPoint && signal.bitLength != 32 && signal.bitLength != 64
            || digits == .decimalDigits && (signal.bitLength % 4 != 0 || signal.isSigned)
        {
            throw fault(.encoding(signal: signal.id))
        }
        guard fits else { throw fault(.width(signal: signal.id, bits: signal.bitLength)) }
        let needed = (signal.bitOffset + signal.bitLength + 7) / 8
        guard needed <= length.upperBound else {
            throw fault(
                .beyondRecord(signal: signal.id, needed: needed, length: length.upperBound))
        }
    }
}

extension Signal {
    /// Changes the formula of a signal.
    mutating func change(_ body: (inout Formula) -> Void) {
        var formula = formula ?? Formula()
        body(&formula)
        self.formula = formula
    }
}
