import Formats
import Testing

@Suite struct `Numbers for people` {
    @Test(arguments: [
        (1726.0, 1, "1726.0"), (0.05, 1, "0.1"), (-0.05, 1, "-0.1"), (0.004, 2, "0.00"),
        (-40, 0, "-40"), (0, 3, "0.000"), (12.345, 2, "12.35"), (0.5, 0, "1"), (99.95, 1, "100.0"),
        (-0.004, 2, "0.00"),
    ])
    func `a number is printed with the requested number of decimals`(
        _ value: Double, _ decimals: Int, _ expected: String
    ) {
        #expect(fixed(value, decimals) == expected)
    }

    @Test(arguments: [(Double.nan, "—"), (.infinity, "∞"), (-.infinity, "-∞"), (1e300, "1e+300")])
    func `infinite and undefined numbers have a text`(_ value: Double, _ expected: String) {
        #expect(fixed(value, 2) == expected)
    }

    @Test(arguments: [(1.0, 0), (0.25, 1), (100.0 / 255, 1), (0.01, 2), (1.0 / 32768, 3), (10, 0)])
    func `the number of decimals depends on the step`(_ step: Double, _ expected: Int) {
        #expect(decimals(forStep: step) == expected)
    }

    @Test(arguments: [(0.0, "00:00"), (59.9, "00:59"), (1834.2, "30:34"), (3723, "1:02:03")])
    func `times are counted in hours, minutes and seconds`(_ seconds: Double, _ expected: String) {
        #expect(clockText(seconds) == expected)
    }

    @Test(arguments: [
        (0.0, "0 s"), (0.34, "0.3 s"), (8, "8 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"),
        (59.6, "1 min"), (60, "1 min"), (150, "2 min 30 s"), (3599.6, "1 h"), (3723, "1 h 2 min"),
        (86_399, "1 d"), (90_000, "1 d 1 h"), (-1, "—"), (.nan, "—"), (1e10, "—"),
    ])
    func `a time span has its two largest units`(_ seconds: Double, _ expected: String) {
        #expect(durationText(seconds) == expected)
    }

    @Test(arguments: [
        ("187", "min", "3 h 7 min"), ("1834", "s", "30 min 34 s"), ("60", "s", "1 min"),
        ("59.5", "s", "59.5 s"), ("0", "min", "0 min"), ("120", "h", "120 h"),
        ("1726.0", "rpm", "1726.0 rpm"), ("0.98", "", "0.98"), ("—", "min", "— min"),
    ])
    func `a number comes before its unit, and times are spans`(
        _ value: String, _ unit: String, _ expected: String
    ) {
        #expect(quantityText(value, unit) == expected)
    }

    // Width by East Asian Width (UAX #11): W and F take two cells.
    @Test(arguments: [("abc", 3), ("°C", 2), ("日本", 4), ("e\u{301}", 1), ("", 0)])
    func `characters have a width in cells`(_ text: String, _ expected: Int) {
        #expect(displayWidth(text) == expected)
    }

    @Test(arguments: [
        ("abc", 5, "abc  "), ("abcdef", 4, "abc…"), ("日本語", 4, "日… "), ("abc", 3, "abc"),
        ("abc", 0, ""), ("abc", 1, "…"),
    ])
    func `texts are cut and filled to a width`(_ text: String, _ width: Int, _ expected: String) {
        #expect(fitted(text, width) == expected)
    }
}
