import Diagnostics

/// Converts an equation to a signal, and checks that both give the same values.
enum RowReading {
    /// A list with more ranges was not written by a person.
    private static let mostRanges = 33

    /// The signal for `expression`, multiplied by `scale`; its id and name are empty.
    static func signal(
        _ expression: Expression, scale: Fraction = .one
    ) throws(RowFault) -> Signal {
        guard (expression.bytes.max() ?? 0) < 4095 else { throw .place }
        let scaled: Expression =
            scale == .one ? expression : .binary(.times, .number(scale), expression)
        let signal = try read(scaled)
        guard agrees(signal, scaled) else { throw .disagrees }
        return signal
    }

    private static func read(_ expression: Expression) throws(RowFault) -> Signal {
        if case .lookup(let key, let other, let entries) = expression {
            return try list(key, other, entries)
        }
        let form: LinearForm
        do {
            form = try LinearForm(expression)
        } catch RowFault.notLinear {
            return try conditions(expression)
        }
        if let text = digits(form) { return text }
        return signal(try BitField(form))
    }

    private static func signal(_ field: BitField) -> Signal {
        let isFlag = field.count == 1 && field.factor == .one && field.constant.isZero
        let (multiplier, divisor) = Decimal.factor(field.factor)
        var signal = Signal(
            id: "", name: "", bitOffset: field.offset, bitLength: field.count,
            kind: isFlag ? .flag : .number, isSigned: field.isSigned, multiplier: multiplier,
            divisor: divisor, offset: field.constant.double)
        signal.isLittleEndian = field.isLittle
        return signal
    }

    // MARK: Digits

    /// Recognises `(A-48)*100+(B-48)*10+(C-48)`: a number that is sent as text.
    private static func digits(_ form: LinearForm) -> Signal? {
        let bytes = Set(form.weights.keys.map { $0 / 8 })
        guard bytes.count >= 2, let first = bytes.min(), let last = bytes.max(),
            last - first == bytes.count - 1, form.weights.count == bytes.count * 8
        else { return nil }
        var (place, constant) = (Fraction.one, Fraction.zero)
        for byte in (first...last).reversed() {
            for bit in 0..<8 {
                guard let power = Fraction.power(ofTwo: bit), let weight = power.times(place),
                    form.weights[byte * 8 + bit] == weight
                else { return nil }
            }
            guard let zeros = place.times(Fraction(-48)), let sum = constant.plus(zeros),
                let next = place.times(Fraction(10))
            else { return nil }
            (place, constant) = (next, sum)
        }
        guard constant == form.constant else { return nil }
        return Signal(
            id: "", name: "", bitOffset: first * 8, bitLength: bytes.count * 8, kind: .text)
    }

    // MARK: Lists

    /// The unsigned raw bits for the coded numbers `low...high`.
    private static func raws(_ low: Int128, _ high: Int128, _ field: BitField) -> [ClosedRange<
        UInt64
    >] {
        let size = Int128(1) << Int128(field.count)
        let (least, most) =
            field.isSigned ? (-size / 2, size / 2 - 1) : (Int128(0), size - 1)
        let (low, high) = (max(low, least), min(high, most))
        guard low <= high else { return [] }
        func raw(_ number: Int128) -> UInt64 {
            UInt64(truncatingIfNeeded: number < 0 ? number + size : number)
        }
        var ranges: [ClosedRange<UInt64>] = []
        if high >= 0 { ranges.append(raw(max(low, 0))...raw(high)) }
        if low < 0 { ranges.append(raw(low)...raw(min(high, -1))) }
        return ranges
    }

    /// The coded numbers with values in `low...high`.
    static func coded(
        _ low: Fraction?, _ high: Fraction?, _ field: BitField
    ) -> [ClosedRange<UInt64>]? {
        let size = Int128(1) << Int128(field.count)
        func place(_ value: Fraction?, _ open: Int128) -> Fraction? {
            guard let value else { return Fraction(decimal: "\(open)") }
            return value.plus(field.constant.negated)?.over(field.factor)
        }
        let (less, more) = field.factor.isNegative ? (high, low) : (low, high)
        guard let first = place(less, -size), let last = place(more, size) else { return nil }
        return raws(first.ceiling, last.floor, field)
    }

    private static func list(
        _ key: Expression, _ other: Expression.Answer, _ entries: [Expression.Entry]
    ) throws(RowFault) -> Signal {
        let field = try BitField(LinearForm(key))
        guard field.count <= 32 else { throw .tooLarge }
        var signal = signal(field)
        let plain = signal
        var ranges: [(raws: ClosedRange<UInt64>, value: Expression.Answer)] = []
        for entry in entries {
            guard let raws = coded(entry.low, entry.high, field) else { throw .tooLarge }
            // If a number has several entries, the first one counts.
            for range in raws where !ranges.contains(where: { $0.raws.overlaps(range) }) {
                ranges.append((range, entry.value))
            }
            if raws.contains(where: { range in
                ranges.contains { $0.raws != range && $0.raws.overlaps(range) }
            }) {
                throw .notLinear
            }
        }
        guard !ranges.isEmpty else { throw .constant }
        ranges.sort { $0.raws.lowerBound < $1.raws.lowerBound }
        let texts = ranges.contains { if case .text = $0.value { true } else { false } }
        if texts || isText(other) {
            // A signal is a number or has labels; so numbers beside texts become labels, too.
            signal.kind = .enumeration
            (signal.multiplier, signal.divisor, signal.offset) = (1, 1, 0)
            func label(_ answer: Expression.Answer, _ raw: UInt64) -> String? {
                switch answer {
                case .text(let label): label
                case .number(let number): Decimal.text(number)
                case .itself:
                    switch plain.value(raw: raw) {
                    case .number(let number): Decimal.text(number)
                    case .flag(let flag): flag ? "1" : "0"
                    default: nil
                    }
                case .nothing: nil
                }
            }
            for range in ranges {
                guard range.raws.upperBound - range.raws.lowerBound < 64 else { throw .tooLong }
                for raw in range.raws {
                    if let label = label(range.value, raw) { signal.labels.append((raw, label)) }
                }
            }
            if other != .nothing {
                guard field.count <= 8 else { throw .tooLong }
                for raw in 0..<UInt64(1) << UInt64(field.count)
                where !ranges.contains(where: { $0.raws.contains(raw) }) {
                    if let label = label(other, raw) { signal.labels.append((raw, label)) }
                }
                signal.labels.sort { $0.code < $1.code }
            }
            return signal
        }
        signal.kind = .number
        var formula = Signal.Formula()
        for range in ranges {
            switch range.value {
            case .number(let number):
                // A range of zeros with a factor elsewhere is probably a mistake in the source.
                if other == .itself, number.isZero, range.raws.count > 1 { throw .notLinear }
                formula.pieces.append(
                    .init(values: range.raws, multiplier: 0, offset: number.double))
            case .nothing:
                signal.notAvailable.append(
                    .init(pattern: range.raws.lowerBound, through: range.raws.upperBound))
            case .itself: throw .notLinear
            case .text: throw .notLinear
            }
        }
        switch other {
        case .itself: break
        case .nothing: formula.isList = true
        case .text: throw .notLinear
        case .number(let number):
            formula.isList = true
            var free: UInt64 = 0
            var gaps: [Signal.Formula.Piece] = []
            func gap(to end: UInt64) {
                guard free < end else { return }
                gaps.append(.init(values: free...end - 1, multiplier: 0, offset: number.double))
            }
            for range in ranges {
                gap(to: range.raws.lowerBound)
                free = range.raws.upperBound + 1
            }
            gap(to: UInt64(1) << UInt64(field.count))
            formula.pieces = (formula.pieces + gaps).sorted {
                $0.values.lowerBound < $1.values.lowerBound
            }
        }
        if !formula.isList || !formula.pieces.isEmpty { signal.formula = formula }
        guard signal.formula != nil else { throw .constant }
        if formula.isList { (signal.multiplier, signal.divisor, signal.offset) = (1, 1, 0) }
        return signal
    }

    private static func isText(_ answer: Expression.Answer) -> Bool {
        if case .text = answer { true } else { false }
    }

    /// Evaluates conditions and lists on one byte for each of its values.
    private static func conditions(_ expression: Expression) throws(RowFault) -> Signal {
        guard expression.bytes.count == 1, let place = expression.bytes.first else {
            throw .notLinear
        }
        var data = [UInt8](repeating: 0, count: place + 1)
        var values: [Double?] = []
        for byte in UInt8.min...UInt8.max {
            data[place] = byte
            switch expression.value(in: data) {
            case .number(let number): values.append(number)
            case .nothing: values.append(nil)
            case .text: throw .notLinear
            }
        }
        let used = (0..<8).filter { bit in
            (0..<256).contains { values[$0] != values[$0 ^ 1 << bit] }
        }
        guard let low = used.first, let high = used.last else { throw .constant }
        let count = high - low + 1
        var pieces: [Signal.Formula.Piece] = []
        for raw in 0..<1 << count {
            guard let value = values[raw << low] else { continue }
            if let last = pieces.last, last.offset == value,
                last.values.upperBound + 1 == UInt64(raw)
            {
                pieces[pieces.count - 1].values = last.values.lowerBound...UInt64(raw)
            } else {
                pieces.append(
                    .init(values: UInt64(raw)...UInt64(raw), multiplier: 0, offset: value))
            }
            guard pieces.count <= mostRanges else { throw .notLinear }
        }
        guard Set(pieces.map(\.offset)).count <= 8 else { throw .notLinear }
        var signal = Signal(
            id: "", name: "", bitOffset: place * 8 + 7 - high, bitLength: count, kind: .number)
        if count == 1, pieces.count == 2 {
            signal.multiplier = pieces[1].offset - pieces[0].offset
            signal.offset = pieces[0].offset
            if signal.multiplier == 1, signal.offset == 0 { signal.kind = .flag }
            return signal
        }
        var formula = Signal.Formula()
        formula.isList = true
        formula.pieces = pieces
        signal.formula = formula
        return signal
    }

    // MARK: Proof

    /// Whether equation and signal give the same values for generated data.
    ///
    /// The data are all bits off and on, the limits of both signs, and many random bytes.
    static func agrees(_ signal: Signal, _ expression: Expression, rounds: Int = 96) -> Bool {
        let count = (expression.bytes.max() ?? 0) + 1
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        let isDigits = signal.kind == .text
        for round in 0..<rounds + 4 {
            var data = [UInt8](repeating: [0x00, 0xFF, 0x80, 0x7F][min(round, 3)], count: count)
            if round >= 4 {
                for index in data.indices {
                    state ^= state << 13
                    state ^= state >> 7
                    state ^= state << 17
                    data[index] = UInt8(truncatingIfNeeded: state >> 24)
                }
            }
            if isDigits { data = data.map { 0x30 + $0 % 10 } }
            guard agrees(signal, expression, on: data) else { return false }
        }
        return true
    }

    private static func agrees(_ signal: Signal, _ expression: Expression, on data: [UInt8]) -> Bool
    {
        switch (expression.value(in: data), signal.value(in: data)) {
        case (.number(let wanted), .number(let value)):
            abs(wanted - value) <= 1e-9 * (1 + abs(wanted) + abs(signal.offset))
        case (.number(let wanted), .flag(let flag)): wanted == (flag ? 1 : 0)
        case (.number(let wanted), .text(let text)): Double(text) == wanted
        case (.text(let wanted), .label(let code)):
            signal.labels.contains { $0.code == code && $0.label == wanted }
        case (.number(let wanted), .label(let code)):
            signal.labels.contains { $0.code == code && Double($0.label) == wanted }
        case (.nothing, .missing): true
        default: false
        }
    }
}
