/// The natural logarithm and its inverse, without a library of the system.
enum Logarithm {
    private static let ln2 = 0.693147180559945309

    /// The logarithm of a positive finite number, within 2e-15.
    static func log(_ value: Double) -> Double {
        // value = m 2^e with m from 0.707 to 1.414, and log m = 2 atanh((m - 1) / (m + 1)).
        var (m, e) = (value.significand, Double(value.exponent))
        if m > 1.414_213_562_373_095 { (m, e) = (m / 2, e + 1) }
        let x = (m - 1) / (m + 1)
        let square = x * x
        var (term, sum) = (x, 0.0)
        for odd in stride(from: 1.0, to: 30, by: 2) {
            sum += term / odd
            term *= square
        }
        return 2 * sum + e * ln2
    }

    /// e to a power; 0 below about -745.
    static func exp(_ power: Double) -> Double {
        guard power > -745 else { return 0 }
        guard power < 709 else { return .infinity }
        let whole = (power / ln2).rounded()
        let rest = power - whole * ln2
        var (term, sum) = (1.0, 1.0)
        for n in 1...18 {
            term *= rest / Double(n)
            sum += term
        }
        return Double(sign: .plus, exponent: Int(whole), significand: sum)
    }

    /// The logarithm of the sum of what these are logarithms of.
    static func sum(_ logs: [Double]) -> Double {
        guard let highest = logs.max(), highest > -.infinity else { return -.infinity }
        return highest + log(logs.reduce(0) { $0 + exp($1 - highest) })
    }
}
