/// Numbers in the form of our tables.
enum Decimal {
    /// A number as a table reads it: `12`, `0.5`.
    ///
    /// A number without a finite decimal form gets enough digits for the precision of any answer.
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
        // A fraction is useful only while a floating point number holds both parts exactly.
        let limit = Int128(1) << 53
        guard number.denominator < limit, number.numerator.magnitude < limit else {
            return (number.double, 1)
        }
        return (Double(number.numerator), Double(number.denominator))
    }

    /// A factor in the form of `scale`.
    static func scale(_ multiplier: Double, _ divisor: Double) -> String {
        divisor == 1 ? text(multiplier) : text(multiplier) + "/" + text(divisor)
    }
}
