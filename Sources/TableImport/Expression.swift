/// A parsed equation of another program.
indirect enum Expression: Hashable, Sendable {
    enum Operator: Hashable, Sendable {
        case plus, minus, times, over, modulo, power
        case and, or, exclusiveOr, shiftLeft, shiftRight
        case both, either, equal, different, less, greater, atMost, atLeast
    }

    /// An entry of a lookup for keys from `low` to `high`.
    struct Entry: Hashable, Sendable {
        var low: Fraction
        var high: Fraction
        var value: Answer
    }

    enum Answer: Hashable, Sendable {
        case number(Fraction)
        case text(String)
        case itself
        case nothing
    }

    case number(Fraction)
    /// A byte; each dialect has its own first byte.
    case byte(Int)
    /// A number from consecutive bytes, the highest first.
    case bytes(first: Int, count: Int, signed: Bool)
    case negated(Expression)
    /// 1 if the operand is 0, else 0.
    case not(Expression)
    case binary(Operator, Expression, Expression)
    case bit(Expression, Int)
    /// Two's complement with this many bits.
    case signed(Expression, bits: Int)
    case roundedDown(Expression)
    case absolute(Expression)
    case lookup(Expression, Answer, [Entry])

    /// The bytes that the equation uses.
    var bytes: Set<Int> {
        switch self {
        case .number: []
        case .byte(let place): [place]
        case .bytes(let first, let count, _): Set(first..<first + count)
        case .negated(let inner), .not(let inner), .bit(let inner, _), .signed(let inner, _),
            .roundedDown(let inner), .absolute(let inner), .lookup(let inner, _, _):
            inner.bytes
        case .binary(_, let left, let right): left.bytes.union(right.bytes)
        }
    }

    /// The same equation with its bytes at other positions; throws if a byte has none.
    func moved(_ place: (Int) throws(RowFault) -> Int) throws(RowFault) -> Expression {
        switch self {
        case .number: return self
        case .byte(let byte): return .byte(try place(byte))
        case .bytes(let first, let count, let signed):
            // Bytes that another program reads as one number must be adjacent in the data, too.
            let start = try place(first)
            for index in 0..<count where try place(first + index) != start + index {
                throw .scattered
            }
            return .bytes(first: start, count: count, signed: signed)
        case .negated(let inner): return .negated(try inner.moved(place))
        case .not(let inner): return .not(try inner.moved(place))
        case .bit(let inner, let number): return .bit(try inner.moved(place), number)
        case .signed(let inner, let bits): return .signed(try inner.moved(place), bits: bits)
        case .roundedDown(let inner): return .roundedDown(try inner.moved(place))
        case .absolute(let inner): return .absolute(try inner.moved(place))
        case .lookup(let inner, let other, let entries):
            return .lookup(try inner.moved(place), other, entries)
        case .binary(let sign, let left, let right):
            return .binary(sign, try left.moved(place), try right.moved(place))
        }
    }
}

// MARK: Value

extension Expression {
    enum Value: Hashable {
        case number(Double)
        case text(String)
        case nothing
    }

    /// The value for these data, calculated like other programs: in floating point, bits in whole
    /// numbers.
    ///
    /// There is no value if the data are too short, or if the arithmetic has no result.
    func value(in data: [UInt8]) -> Value {
        if case .lookup(let key, let other, let entries) = self {
            guard let number = key.number(in: data) else { return .nothing }
            let entry = entries.first { ($0.low.double...$0.high.double).contains(number) }
            switch entry?.value ?? other {
            case .number(let value): return .number(value.double)
            case .text(let text): return .text(text)
            case .itself: return .number(number)
            case .nothing: return .nothing
            }
        }
        return number(in: data).map { .number($0) } ?? .nothing
    }

    private func number(in data: [UInt8]) -> Double? {
        switch self {
        case .number(let number): return number.double
        case .byte(let place): return data.indices.contains(place) ? Double(data[place]) : nil
        case .bytes(let first, let count, let signed):
            guard first >= 0, count > 0, first + count <= data.count else { return nil }
            let number = data[first..<first + count].reduce(0.0) { $0 * 256 + Double($1) }
            let top = data[first] & 0x80 != 0
            return signed && top ? number - Self.power(of: 2, count * 8) : number
        case .negated(let inner): return inner.number(in: data).map { -$0 }
        case .not(let inner): return inner.number(in: data).map { $0 == 0 ? 1 : 0 }
        case .bit(let inner, let bit): return inner.whole(in: data).map { Double($0 >> bit & 1) }
        case .signed(let inner, let bits):
            guard let whole = inner.whole(in: data) else { return nil }
            let modulus = Int64(1) << Int64(bits)
            let low = ((whole % modulus) + modulus) % modulus
            return Double(low >= modulus / 2 ? low - modulus : low)
        case .roundedDown(let inner): return inner.number(in: data)?.rounded(.down)
        case .absolute(let inner): return inner.number(in: data).map { abs($0) }
        case .lookup:
            guard case .number(let number) = value(in: data) else { return nil }
            return number
        case .binary(let sign, let left, let right):
            return Self.result(sign, left, right, data)
        }
    }

    private func whole(in data: [UInt8]) -> Int64? {
        number(in: data).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }

    private static func power(of base: Double, _ exponent: Int) -> Double {
        (0..<max(0, exponent)).reduce(1.0) { power, _ in power * base }
    }

    private static func result(
        _ sign: Operator, _ left: Expression, _ right: Expression, _ data: [UInt8]
    ) -> Double? {
        switch sign {
        case .and, .or, .exclusiveOr, .shiftLeft, .shiftRight:
            guard let first = left.whole(in: data), let second = right.whole(in: data) else {
                return nil
            }
            switch sign {
            case .and: return Double(first & second)
            case .or: return Double(first | second)
            case .exclusiveOr: return Double(first ^ second)
            case .shiftLeft where (0..<63).contains(second):
                return Double(first) * Double(Int64(1) << second)
            case .shiftRight where (0..<63).contains(second): return Double(first >> second)
            default: return nil
            }
        default: break
        }
        guard let first = left.number(in: data), let second = right.number(in: data) else {
            return nil
        }
        switch sign {
        case .plus: return first + second
        case .minus: return first - second
        case .times: return first * second
        case .over: return second == 0 ? nil : first / second
        case .modulo: return second == 0 ? nil : first.truncatingRemainder(dividingBy: second)
        case .power:
            guard let exponent = Int(exactly: second), (0...64).contains(exponent) else {
                return nil
            }
            return power(of: first, exponent)
        case .both: return first != 0 && second != 0 ? 1 : 0
        case .either: return first != 0 || second != 0 ? 1 : 0
        case .equal: return first == second ? 1 : 0
        case .different: return first != second ? 1 : 0
        case .less: return first < second ? 1 : 0
        case .greater: return first > second ? 1 : 0
        case .atMost: return first <= second ? 1 : 0
        case .atLeast: return first >= second ? 1 : 0
        case .and, .or, .exclusiveOr, .shiftLeft, .shiftRight: return nil
        }
    }
}
