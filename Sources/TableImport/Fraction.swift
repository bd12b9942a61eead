/// An exact number, as factors need it: with `0.01` as 1/100, 256 times that is exactly 2.56.
struct Fraction: Hashable, Sendable {
    let numerator: Int128
    /// The denominator, greater than 0.
    let denominator: Int128

    static let zero = Fraction(0)
    static let one = Fraction(1)

    init(_ whole: Int) {
        numerator = Int128(whole)
        denominator = 1
    }

    private init?(_ numerator: Int128, _ denominator: Int128) {
        guard denominator != 0 else { return nil }
        let divisor = Self.commonDivisor(numerator.magnitude, denominator.magnitude)
        guard let top = Int128(exactly: numerator.magnitude / divisor),
            let bottom = Int128(exactly: denominator.magnitude / divisor)
        else { return nil }
        self.numerator = (numerator < 0) == (denominator < 0) ? top : -top
        self.denominator = bottom
    }

    /// Parses a decimal number such as `-0.25` or `1e-3`; nil for anything else and for very long
    /// ones.
    init?(decimal text: some StringProtocol) {
        var (mantissa, scale, digits) = (Int128(0), 0, 0)
        var (isNegative, isFraction) = (false, false)
        var rest = text.utf8[...]
        if rest.first == 0x2D || rest.first == 0x2B { isNegative = rest.removeFirst() == 0x2D }
        while let byte = rest.first {
            if byte == 0x2E, !isFraction {
                isFraction = true
            } else if (0x30...0x39).contains(byte) {
                digits += 1
                guard digits <= 24 else { return nil }
                mantissa = mantissa * 10 + Int128(byte - 0x30)
                if isFraction { scale -= 1 }
            } else {
                break
            }
            rest.removeFirst()
        }
        guard digits > 0 else { return nil }
        if let mark = rest.first {
            guard mark | 0x20 == 0x65,
                let exponent = Int(String(decoding: rest.dropFirst(), as: UTF8.self)),
                (-60...60).contains(exponent)
            else { return nil }
            scale += exponent
        }
        var power = Int128(1)
        for _ in 0..<abs(scale) {
            let (product, overflow) = power.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            power = product
        }
        let signed = isNegative ? -mantissa : mantissa
        if scale < 0 {
            self.init(signed, power)
        } else {
            let (product, overflow) = signed.multipliedReportingOverflow(by: power)
            if overflow { return nil }
            self.init(product, 1)
        }
    }

    private static func commonDivisor(_ first: UInt128, _ second: UInt128) -> UInt128 {
        var (first, second) = (first, second)
        while second != 0 { (first, second) = (second, first % second) }
        return first == 0 ? 1 : first
    }

    /// 2 to the power of `exponent`.
    static func power(ofTwo exponent: Int) -> Fraction? {
        guard (-120...120).contains(exponent) else { return nil }
        let power = Int128(1) << Int128(abs(exponent))
        return exponent < 0 ? Fraction(1, power) : Fraction(power, 1)
    }

    // MARK: Arithmetic: nil where the result does not fit.

    func plus(_ other: Fraction) -> Fraction? {
        if denominator == other.denominator {
            let (sum, overflow) = numerator.addingReportingOverflow(other.numerator)
            return overflow ? nil : Fraction(sum, denominator)
        }
        let (left, first) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (right, second) = other.numerator.multipliedReportingOverflow(by: denominator)
        let (sum, third) = left.addingReportingOverflow(right)
        let (bottom, fourth) = denominator.multipliedReportingOverflow(by: other.denominator)
        return first || second || third || fourth ? nil : Fraction(sum, bottom)
    }

    func times(_ other: Fraction) -> Fraction? {
        // Cancel common factors first, so that they cannot cause an overflow.
        guard let left = Fraction(numerator, other.denominator),
            let right = Fraction(other.numerator, denominator)
        else { return nil }
        let (top, first) = left.numerator.multipliedReportingOverflow(by: right.numerator)
        let (bottom, second) = left.denominator.multipliedReportingOverflow(by: right.denominator)
        return first || second ? nil : Fraction(top, bottom)
    }

    func over(_ other: Fraction) -> Fraction? {
        guard other.numerator != 0, let inverse = Fraction(other.denominator, other.numerator)
        else { return nil }
        return times(inverse)
    }

    var negated: Fraction { Fraction(-numerator, denominator) ?? .zero }
    var magnitude: Fraction { numerator < 0 ? negated : self }
    var isZero: Bool { numerator == 0 }
    var isNegative: Bool { numerator < 0 }
    var isWhole: Bool { denominator == 1 }
    /// The nearest floating point number.
    var double: Double { Double(numerator) / Double(denominator) }

    /// The exponent, if the number is a power of two.
    var exponentOfTwo: Int? {
        guard numerator > 0, numerator & (numerator - 1) == 0,
            denominator & (denominator - 1) == 0
        else { return nil }
        return numerator.trailingZeroBitCount - denominator.trailingZeroBitCount
    }

    /// The whole number as an `Int`.
    var int: Int? { isWhole ? Int(exactly: numerator) : nil }

    /// The largest whole number not above it.
    var floor: Int128 {
        let quotient = numerator / denominator
        return numerator < 0 && quotient * denominator != numerator ? quotient - 1 : quotient
    }
    /// The smallest whole number not below it.
    var ceiling: Int128 { -negated.floor }
}
