/// An equation as a weighted sum of bits plus a constant.
///
/// For example, `A*256+B` consists of 16 bits, and the weight doubles from one to the next. In this
/// form, position, byte order, sign and factor are visible, however the equation is written.
struct LinearForm: Hashable {
    /// A bit of the data: byte × 8 + bit, with bit 0 as the lowest of its byte.
    typealias Bit = Int

    var weights: [Bit: Fraction] = [:]
    var constant = Fraction.zero

    /// The greatest number of bits; no signal has more.
    private static let mostBits = 512

    init(constant: Fraction = .zero) { self.constant = constant }

    /// A number from whole bytes, the highest first.
    init(bytes first: Int, count: Int, signed: Bool) throws(RowFault) {
        guard (1...8).contains(count), (0..<4096).contains(first) else { throw .place }
        for index in 0..<count {
            for bit in 0..<8 {
                guard let weight = Fraction.power(ofTwo: (count - 1 - index) * 8 + bit) else {
                    throw .tooLarge
                }
                let isSign = signed && index == 0 && bit == 7
                weights[(first + index) * 8 + bit] = isSign ? weight.negated : weight
            }
        }
    }

    /// Converts an equation; throws if it is not such a sum.
    init(_ expression: Expression) throws(RowFault) {
        switch expression {
        case .number(let number): self.init(constant: number)
        case .byte(let place): try self.init(bytes: place, count: 1, signed: false)
        case .bytes(let first, let count, let signed):
            try self.init(bytes: first, count: count, signed: signed)
        case .negated(let inner):
            self = try LinearForm(inner).times(.one.negated)
        case .not(let inner):
            // One minus the bit; for several bits the result is not a sum.
            let form = try LinearForm(inner)
            if form.weights.isEmpty {
                self.init(constant: form.constant.isZero ? .one : .zero)
                return
            }
            guard form.weights.count == 1, form.constant.isZero else { throw .notLinear }
            guard form.weights.values.first == .one else { throw .notLinear }
            self = try form.times(.one.negated).plus(LinearForm(constant: .one))
        case .bit(let inner, let number):
            self = try LinearForm(inner).masked(shiftedBy: number) { $0 == 0 }
        case .signed(let inner, let bits): self = try LinearForm(inner).signed(bits: bits)
        case .roundedDown(let inner): self = try LinearForm(inner).roundedDown()
        case .absolute(let inner):
            let form = try LinearForm(inner)
            // For a number that is never negative, this is the number itself.
            guard !form.constant.isNegative, form.weights.values.allSatisfy({ !$0.isNegative })
            else { throw .notLinear }
            self = form
        case .lookup: throw .notLinear
        case .binary(let sign, let left, let right):
            self = try Self.result(sign, LinearForm(left), LinearForm(right))
        }
    }

    // MARK: Arithmetic

    private static func result(
        _ sign: Expression.Operator, _ left: LinearForm, _ right: LinearForm
    ) throws(RowFault) -> LinearForm {
        switch sign {
        case .plus: return try left.plus(right)
        case .minus: return try left.plus(right.times(.one.negated))
        case .times:
            if right.weights.isEmpty { return try left.times(right.constant) }
            if left.weights.isEmpty { return try right.times(left.constant) }
            throw .notLinear
        case .over:
            guard right.weights.isEmpty, let inverse = Fraction.one.over(right.constant) else {
                throw .notLinear
            }
            return try left.times(inverse)
        case .power:
            guard right.weights.isEmpty, let exponent = right.constant.int,
                (0...32).contains(exponent)
            else { throw .notLinear }
            if exponent == 1 { return left }
            guard left.weights.isEmpty else { throw .notLinear }
            var power = Fraction.one
            for _ in 0..<exponent {
                guard let next = power.times(left.constant) else { throw .tooLarge }
                power = next
            }
            return LinearForm(constant: power)
        case .shiftLeft:
            guard right.weights.isEmpty, let count = right.constant.int, (0...56).contains(count),
                let factor = Fraction.power(ofTwo: count)
            else { throw .notLinear }
            if left.weights.isEmpty {
                throw left.constant.isZero ? .zeroForLetter : .notLinear
            }
            guard left.isWhole else { throw .notLinear }
            return try left.times(factor)
        case .shiftRight:
            guard right.weights.isEmpty, let count = right.constant.int, (0...56).contains(count)
            else { throw .notLinear }
            return try left.masked(shiftedBy: count) { _ in true }
        case .and:
            let (form, mask) = right.weights.isEmpty ? (left, right) : (right, left)
            guard mask.weights.isEmpty, let bits = mask.constant.int, bits >= 0 else {
                throw .notLinear
            }
            return try form.masked(shiftedBy: 0) { $0 < 63 && bits >> $0 & 1 == 1 }
        case .modulo:
            guard right.weights.isEmpty, let exponent = right.constant.exponentOfTwo, exponent >= 0
            else { throw .notLinear }
            return try left.masked(shiftedBy: 0) { $0 < exponent }
        case .or:
            // If the bits do not overlap, OR is the same as addition.
            let (first, second) = (try left.exponents(), try right.exponents())
            guard Set(first.values).isDisjoint(with: second.values) else { throw .notLinear }
            return try left.plus(right)
        case .exclusiveOr, .both, .either, .equal, .different, .less, .greater, .atMost, .atLeast:
            throw .notLinear
        }
    }

    func plus(_ other: LinearForm) throws(RowFault) -> LinearForm {
        var sum = self
        guard let constant = constant.plus(other.constant) else { throw .tooLarge }
        sum.constant = constant
        for (bit, weight) in other.weights {
            guard let total = (sum.weights[bit] ?? .zero).plus(weight) else { throw .tooLarge }
            sum.weights[bit] = total.isZero ? nil : total
        }
        guard sum.weights.count <= Self.mostBits else { throw .tooLong }
        return sum
    }

    func times(_ factor: Fraction) throws(RowFault) -> LinearForm {
        var product = LinearForm()
        guard let constant = constant.times(factor) else { throw .tooLarge }
        product.constant = constant
        for (bit, weight) in weights where !factor.isZero {
            guard let scaled = weight.times(factor) else { throw .tooLarge }
            product.weights[bit] = scaled
        }
        return product
    }

    private var isWhole: Bool { constant.isWhole && weights.values.allSatisfy(\.isWhole) }

    // MARK: Bits

    /// The power of two of each bit; throws if the bits are not those of a number.
    private func exponents() throws(RowFault) -> [Bit: Int] {
        guard constant.isZero else { throw .notLinear }
        var found: [Bit: Int] = [:]
        var seen: Set<Int> = []
        for (bit, weight) in weights {
            guard let exponent = weight.exponentOfTwo, seen.insert(exponent).inserted else {
                throw .notLinear
            }
            found[bit] = exponent
        }
        return found
    }

    /// The number shifted right, with only those bits that `isKept` accepts, counted after the
    /// shift.
    private func masked(
        shiftedBy count: Int, _ isKept: (Int) -> Bool
    ) throws(RowFault) -> LinearForm {
        var form = LinearForm()
        for (bit, exponent) in try exponents() {
            // Programs cut off fractions before they select bits.
            let place = exponent - count
            guard exponent >= 0, place >= 0, isKept(place) else { continue }
            guard let weight = Fraction.power(ofTwo: place) else { throw .tooLarge }
            form.weights[bit] = weight
        }
        return form
    }

    private func signed(bits: Int) throws(RowFault) -> LinearForm {
        // A signed byte stays signed.
        if bits == 8, weights.count == 8, constant.isZero,
            weights.values.contains(where: \.isNegative)
        {
            return self
        }
        let exponents = try exponents()
        guard exponents.values.allSatisfy({ $0 >= 0 && $0 < bits }) else { throw .ambiguousSign }
        var form = self
        for (bit, exponent) in exponents where exponent == bits - 1 {
            form.weights[bit] = weights[bit]?.negated
        }
        return form
    }

    private func roundedDown() throws(RowFault) -> LinearForm {
        guard constant.isWhole else { throw .notLinear }
        var form = LinearForm(constant: constant)
        var rest = Fraction.zero
        for (bit, weight) in weights {
            if weight.isWhole {
                form.weights[bit] = weight
                continue
            }
            guard !weight.isNegative, let sum = rest.plus(weight) else { throw .notLinear }
            rest = sum
        }
        // The sum of all fractions must be less than 1.
        guard rest.floor == 0 else { throw .notLinear }
        return form
    }
}

/// A number in the data: adjacent bits with one factor.
struct BitField: Hashable {
    /// The first bit in a signal's numbering: from the top of the first byte or, with `isLittle`,
    /// from its lowest bit.
    var offset: Int
    var count: Int
    var isSigned = false
    var isLittle = false
    var factor: Fraction
    var constant: Fraction

    /// The field that a sum of bits reads; throws if it is not a single number.
    init(_ form: LinearForm) throws(RowFault) {
        guard !form.weights.isEmpty else { throw .constant }
        let bits = form.weights.sorted {
            let (left, right) = ($0.value.magnitude, $1.value.magnitude)
            return left == right ? $0.key < $1.key : Self.isLess(left, right)
        }
        guard let first = bits.first, let last = bits.last, bits.count <= 64 else {
            throw .scattered
        }
        var isNear = false
        var weight = first.value.magnitude
        for bit in bits.dropFirst() {
            guard let double = weight.times(Fraction(2)) else { throw .tooLarge }
            if bit.value.magnitude != double {
                let ratio = bit.value.magnitude.double / double.double
                guard (0.97...1.03).contains(ratio) else {
                    throw isNear ? .nearlyRight : .scattered
                }
                isNear = true
            }
            weight = bit.value.magnitude
        }
        if isNear { throw .nearlyRight }
        count = bits.count
        factor = first.value
        constant = form.constant
        let inner = bits.dropLast()
        guard inner.allSatisfy({ $0.value.isNegative == first.value.isNegative }) else {
            throw .scattered
        }
        isSigned = bits.count > 1 && last.value.isNegative != first.value.isNegative

        let places = bits.map(\.key)
        let steps = zip(places, places.dropFirst())
        let isBig = steps.allSatisfy { low, high in
            low % 8 == 7 ? high == low - 15 : high == low + 1
        }
        let isSmall = steps.allSatisfy { low, high in high == low + 1 }
        if isBig {
            let top = last.key
            offset = top / 8 * 8 + 7 - top % 8
        } else if isSmall {
            isLittle = true
            offset = first.key
        } else {
            throw .scattered
        }
    }

    private static func isLess(_ left: Fraction, _ right: Fraction) -> Bool {
        guard let difference = left.plus(right.negated) else { return left.double < right.double }
        return difference.isNegative
    }
}

extension BitField {
    /// A field with this many bits, a factor and an offset, at position 0.
    init(count: Int, factor: Fraction, constant: Fraction) {
        offset = 0
        self.count = count
        self.factor = factor
        self.constant = constant
    }
}
