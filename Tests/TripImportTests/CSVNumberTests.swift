import Testing

@testable import TripImport

/// Numbers in the spelling of other programs and countries.
@Suite struct `Numbers in logs` {
    @Test(arguments: [("9e2", 900), ("-1E0", -1), ("12e3", 12_000), ("5e-1", 0.5)])
    func `a number may have an exponent without a fraction where text is not possible`(
        _ cell: String, _ value: Double
    ) throws {
        let file = try ImportedFile("timestamp,X (V),Y\n2024-01-02 08:00:00,\(cell),7E8\n")
        #expect(file.values == [.init("X", value, "V"), .init("Y", .text("7E8"))])
    }

    @Test(arguments: [
        ("12", 12), ("-12.5", -12.5), ("+3", 3), (".5", 0.5), ("5.", 5), ("007", 7),
        ("1726,5", 1726.5), ("1 726,5", 1726.5), ("1\u{A0}726,5", 1726.5),
        ("1\u{202F}726,5", 1726.5), ("1\u{2009}726.5", 1726.5), ("1'726.5", 1726.5),
        ("1’726", 1726), ("2 000", 2000), ("1.726,5", 1726.5), ("1,726.5", 1726.5),
        ("1,234,567", 1_234_567), ("1.234.567", 1_234_567), ("12 345 678", 12_345_678),
        ("−3,5", -3.5), ("1.5E7", 1.5e7), ("1e-05", 1e-5), ("1E+06", 1e6), ("2.00E+06", 2e6),
    ])
    func `numbers are read as written`(_ text: String, _ number: Double) {
        #expect(CSVNumber.decimal(text) == number)
    }

    @Test(arguments: [
        "", "-", ".", ",", "7E8", "7e8", "2E6", "0x10", "inf", "nan", "1 2", "1 72", "12 34,5",
        "1234 567", "1,2,3", "1.2.3", "1 726 5", "08:15", "1e", "1E+", "1.5E", "12a", "1 726'500",
        "0 123", "1e999", "1,726,5", "21\u{0}", "1--2", "4 49%",
    ])
    func `text that is not a number is refused`(_ text: String) {
        #expect(CSVNumber.decimal(text) == nil)
    }

    /// Where commas separate cells, a quoted cell may have a decimal comma or groups.
    @Test(
        arguments: [
            ("4,49", 4.49), ("48,6", 48.6), ("0,123", 0.123), ("1234,567", 1234.567),
            ("1,234,567", 1_234_567), ("1,726.5", 1726.5), ("1,726", nil), ("12,345", nil),
        ] as [(String, Double?)])
    func `a number with a comma is read if the comma has only one meaning`(
        _ text: String, _ number: Double?
    ) {
        #expect(CSVNumber.decimal(text, .commaSeparated) == number)
    }

    @Test(arguments: [
        ("25%", 25, "%"), ("48,60%", 48.6, "%"), ("21 degree_Celsius", 21, "°C"), ("5.0V", 5, "V"),
        ("1 726,5 rpm", 1726.5, "rpm"), ("900 1/min", 900, "rpm"), ("-5°C", -5, "°C"),
        ("50.0 kilometer_per_hour", 50, "km/h"), ("3 bar", 3, "kPa"),
    ])
    func `a unit may follow a number`(_ text: String, _ number: Double, _ unit: String) {
        let found = CSVNumber.measure(text)
        #expect(found.flatMap { CSVNumber.decimal($0.digits) } == number)
        #expect(found?.unit.unit == unit)
    }

    @Test(arguments: [
        "third", "12:30", "3 furlongs", "7E8", "%", "MIL is OFF0 codes", "2 of 3", "",
    ])
    func `a number before an unknown unit is text`(_ text: String) {
        #expect(CSVNumber.measure(text) == nil)
    }
}
