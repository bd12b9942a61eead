/// Texts whose numbers are replaced by the largest and smallest numbers, and by numbers beyond them.
package enum Extremes {
    /// Numbers at which arithmetic without a check ends the program.
    package static let numbers = [
        "0", "1", "-1", "255", "65536", "4294967295", "4294967296", "9223372036854775800",
        "9223372036854775807", "9223372036854775808", "-9223372036854775807",
        "-9223372036854775808", "18446744073709551615", "4611686018427387904", "8796093022207.9",
        "1e-9223372036854775808", "1e9223372036854775807", "1e308", "-1e308", "1e18", "0.0000001",
        "170141183460469231731687303715884105727", "nan", "inf", "",
    ]

    /// Calls `body` with each number of `text` replaced by every third of ``numbers``, of which the next place
    /// gets the next ones, then with `rounds` texts in which any number of them are replaced and lines are
    /// repeated.
    package static func forEach(
        of text: String, rounds: Int = 200, seed: UInt64 = 1, _ body: (String) throws -> Void
    ) rethrows {
        let bytes = Array(text.utf8)
        let places = places(in: bytes)
        func replaced(_ chosen: [(Range<Int>, String)]) -> String {
            var result = bytes
            for (place, number) in chosen.reversed() {
                result.replaceSubrange(place, with: Array(number.utf8))
            }
            return String(decoding: result, as: UTF8.self)
        }
        for (index, place) in places.enumerated() {
            for number in stride(from: index % 3, to: numbers.count, by: 3) {
                try body(replaced([(place, numbers[number])]))
            }
        }
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<rounds {
            let share = Int.random(in: 1...4, using: &generator)
            let chosen = places.filter { _ in generator.once(in: share) }.map {
                ($0, numbers.randomElement(using: &generator) ?? "0")
            }
            var lines = replaced(chosen).split(separator: "\n", omittingEmptySubsequences: false)
            if let line = lines.indices.randomElement(using: &generator) {
                lines.insert(contentsOf: [lines[line], lines[line]], at: line)
            }
            try body(lines.joined(separator: "\n"))
        }
    }

    /// The positions of digits, with a sign and decimal places.
    private static func places(in bytes: [UInt8]) -> [Range<Int>] {
        func isDigit(_ index: Int) -> Bool {
            index < bytes.count && (0x30...0x39).contains(bytes[index])
        }
        var places: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            guard isDigit(index) else {
                index += 1
                continue
            }
            var end = index
            while isDigit(end) || end < bytes.count && bytes[end] == 0x2E && isDigit(end + 1) {
                end += 1
            }
            let isNegative = index > 0 && bytes[index - 1] == 0x2D
            places.append((isNegative ? index - 1 : index)..<end)
            index = end
        }
        return places
    }
}
