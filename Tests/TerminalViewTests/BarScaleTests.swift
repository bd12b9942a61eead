import Testing

@testable import TerminalView

@Suite struct `The scale of a bar` {
    /// The unit, the range of the signal, the decimals, the lowest and the highest value so far,
    /// and the end of the scale.
    @Test(arguments: [
        // The ends of usual dials.
        ("rpm", 0.0...16383.75, 1, 800.0, 900.0, "8000"), ("rpm", 0...8031.875, 1, 0, 0, "8000"),
        ("rpm", 0...16383.75, 1, 0, 8001, "10k"), ("%", 0...100, 1, 0, 3, "100"),
        ("%", 0...25700, 1, 0, 130, "200"), ("%", 0...250, 0, 0, 17, "100"),
        ("km/h", 0...255, 0, 0, 0, "100"), ("km/h", 0...255, 0, 0, 101, "200"),
        // The scale ends at the end of the signal's range.
        ("km/h", 0...255, 0, 0, 201, "255"), ("kPa", 0...255, 0, 33, 101, "250"),
        ("V", 0...1.275, 3, 0, 0.09, "1.3"), ("V", 0...65.535, 3, 11, 14.2, "20"),
        ("°C", -40...215, 0, -20, 90, "150"), ("°F", -40...419, 0, -4, 194, "300"),
        ("°C", -40...6513.5, 1, 20, 640, "1000"),
        // Without a usual dial, the end grows in steps of 1, 2, 5.
        ("g/s", 0...655.35, 2, 0, 0, "0.1"), ("g/s", 0...655.35, 2, 2, 4.07, "5"),
        ("g/s", 0...655.35, 2, 2, 5, "5"), ("g/s", 0...655.35, 2, 2, 5.01, "10"),
        ("g/s", 0...655.35, 2, 2, 400, "500"), ("kPa", 0...655350, 0, 0, 35000, "50k"),
        ("ppm", 0...65535, 0, 0, 65535, "66k"), ("Pa", 0...4e9, 0, 0, 3e6, "5M"),
        // If the range has both signs, the scale begins in the middle.
        ("%", -100...99.21875, 1, 0, 0, "±20"), ("%", -100...99.21875, 1, -20.3, 4, "±50"),
        ("%", -100...99.21875, 1, -99, 4, "±100"), ("%", -125...130, 0, 0, 60, "±100"),
        ("°", -64...63.5, 1, -3, 12, "±50"), ("°", -64...63.5, 1, -63, 12, "±64"),
        ("A", -3276.8...3276.7, 1, -140, 12, "±200"),
    ])
    func `a scale ends where the dials of its unit end, or at a round number`(
        _ unit: String, _ bounds: ClosedRange<Double>, _ decimals: Int, _ least: Double,
        _ most: Double, _ end: String
    ) throws {
        let scale = try #require(
            BarScale(unit: unit, bounds: bounds, decimals: decimals, least: least, most: most))
        #expect(scale.label == end)
        #expect(scale.label.count <= 5)
        #expect(scale.part(of: most) <= 1 && scale.part(of: least) >= (scale.isCentred ? -1 : 0))
    }

    @Test(arguments: ["", "s", "min", "h", "km", "mi", "L", "US gal", "UK gal", "kWh"])
    func `counts and totals have no scale`(_ unit: String) {
        #expect(BarScale(unit: unit, bounds: 0...65535, decimals: 0, least: 1, most: 2) == nil)
    }

    @Test func `a scale begins at zero or in the middle`() throws {
        let load = try #require(
            BarScale(unit: "%", bounds: 0...100, decimals: 1, least: 0, most: 50))
        #expect([0, 25, 100, 120, -5, .nan].map(load.part) == [0, 0.25, 1, 1, 0, 0])
        let trim = try #require(
            BarScale(unit: "%", bounds: -100...99.2, decimals: 1, least: -5, most: 5))
        #expect([0, 10, -10, -20, -30, 99].map(trim.part) == [0, 0.5, -0.5, -1, -1, 1])
        // Without a known range, the values determine the scale.
        let free = try #require(
            BarScale(unit: "bar", bounds: nil, decimals: 2, least: -0.3, most: 0.8))
        #expect(free.isCentred && free.end == 1)
    }

    @Test func `a scale never shrinks during readings and changes in few steps`() throws {
        var (least, most) = (0.0, 0.0)
        var ends: [Double] = []
        for step in 0..<4000 {
            let value = 60 + 59 * Double((step * 7919) % 1000) / 1000 * (step % 3 == 0 ? -1 : 1)
            (least, most) = (min(least, value), max(most, value))
            let end = try #require(
                BarScale(unit: "g/s", bounds: 0...655.35, decimals: 2, least: least, most: most)
            ).end
            #expect(end >= (ends.last ?? 0))
            if end != ends.last { ends.append(end) }
        }
        #expect(ends.count <= 3)
    }

    @Test func `infinite and undefined numbers have no scale`() {
        #expect(BarScale(unit: "V", bounds: nil, decimals: 1, least: 0, most: .infinity) == nil)
        #expect(BarScale(unit: "V", bounds: nil, decimals: 1, least: .nan, most: 1) == nil)
    }
}
