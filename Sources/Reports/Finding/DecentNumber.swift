/// A number as people who design messages choose it.
package struct DecentNumber: Hashable, Sendable {
    package let value: Double
    /// As it is in a table: `0.25`, `1/256`.
    package let text: String
    /// The higher, the less usual.
    package let rank: Int

    /// Positive factors, the usual ones first.
    package static let scales: [DecentNumber] = {
        var found: [DecentNumber] = []
        // Decimal digits with their rank.
        let digits: [(Int, Int)] = [
            (1, 0), (2, 1), (5, 1), (25, 2), (4, 2), (125, 3), (3, 3), (8, 3), (15, 3), (6, 3),
            (75, 3), (625, 3), (16, 4), (12, 4), (35, 4), (45, 4), (375, 4), (5625, 3), (3125, 3),
            (7, 5), (9, 5), (32, 4), (36, 4), (18, 4), (64, 4), (390625, 3), (78125, 3),
            (9765625, 4), (15625, 3), (1953125, 4), (6103515625, 5), (439453125, 5),
        ]
        for (digit, rank) in digits {
            let length = String(digit).count
            for power in -9...4 {
                let text = decimal(digit, power)
                // 0.00001 is hardly a factor.
                let size = abs(power + length - 1)
                guard let value = Double(text), value >= 1e-7, value <= 1e4 else { continue }
                found.append(
                    DecentNumber(value: value, text: text, rank: rank + max(0, size - 3)))
            }
        }
        for power in 1...16 {
            let divisor = 1 << power
            found.append(
                DecentNumber(
                    value: 1 / Double(divisor), text: "1/\(divisor)",
                    rank: power <= 8 ? 1 : 2))
            for factor in [3, 5, 10, 100, 360, 40, 1000] where factor > 3 || power < 6 {
                found.append(
                    DecentNumber(
                        value: Double(factor) / Double(divisor), text: "\(factor)/\(divisor)",
                        rank: factor == 360 ? 5 : 4))
            }
        }
        for divisor in [3, 6, 12, 255, 2.55].map({ $0 }) where divisor > 2.6 {
            for factor in [1.0, 100] {
                found.append(
                    DecentNumber(
                        value: factor / divisor, text: "\(Int(factor))/\(Int(divisor))",
                        rank: divisor == 255 && factor == 100 ? 2 : 5))
            }
        }
        var seen: Set<Double> = []
        return found.sorted { ($0.rank, $0.text.count) < ($1.rank, $1.text.count) }
            .filter { seen.insert($0.value).inserted }
    }()

    /// A decimal number with these digits times a power of ten.
    private static func decimal(_ digits: Int, _ power: Int) -> String {
        var text = String(digits)
        if power >= 0 { return text + String(repeating: "0", count: power) }
        let places = -power
        if text.count <= places {
            text = String(repeating: "0", count: places - text.count + 1) + text
        }
        let point = text.index(text.endIndex, offsetBy: -places)
        return text[..<point] + "." + text[point...]
    }
}
