/// Numbers as tables write them.
enum Decimal {
    /// A number that a table reads back: `12`, `0.5`; of numbers without an end so many digits that
    /// no answer tells the difference.
    static func text(_ number: Fraction) -> String {
        if number.isWhole { return "\(number.numerator)" }
        return text(number.double)
    }

    /// The shortest decimal form.
    static func text(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// A factor as numerator and denominator.
    static func factor(_ number: Fraction) -> (multiplier: Double, divisor: Double) {
        // Beyond what a floating point number holds exactly, a fraction has no advantage.
        let limit = Int128(1) << 53
        guard number.denominator < limit, number.numerator.magnitude < limit else {
            return (number.double, 1)
        }
        return (Double(number.numerator), Double(number.denominator))
    }

    /// A factor as `scale` takes it.
    static func scale(_ multiplier: Double, _ divisor: Double) -> String {
        divisor == 1 ? text(multiplier) : text(multiplier) + "/" + text(divisor)
    }
}
