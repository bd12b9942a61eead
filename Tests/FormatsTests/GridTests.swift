import Diagnostics
import OBDCore
import Testing

@testable import Formats

@Suite struct GridTests {
    private static let start = UTC(microseconds: Fixtures.time.microseconds / 1_000_000 * 1_000_000)

    /// The grid made from readings at these milliseconds after the start.
    private func grid(
        _ fill: CSVGrid.Fill, every: Duration = .milliseconds(100), units: UnitSystem = .metric,
        isExact: Bool = false, _ readings: [(Int64, Reading)]
    ) -> [String] {
        var csv = CSVGrid(
            table: Fixtures.table,
            columns: [
                .init(SignalIndex(rawValue: Fixtures.Place.rpm.rawValue)),
                .init(SignalIndex(rawValue: Fixtures.Place.coolant.rawValue)),
                .init(SignalIndex(rawValue: Fixtures.Place.fuelType.rawValue)),
            ], units: units, times: .seconds(since: Self.start), start: Self.start, every: every,
            fill: fill, isExact: isExact)
        let text = Fixtures.text { output in
            csv.appendHeader(to: &output)
            for (milliseconds, reading) in readings {
                let time = UTC(microseconds: Self.start.microseconds + milliseconds * 1000)
                csv.append(reading, time: time, to: &output)
            }
            csv.finish(&output)
        }
        #expect(text.hasSuffix("\r\n"))
        return text.split(separator: "\r\n").map(String.init)
    }

    private func rpm(_ value: Double) -> Reading {
        Fixtures.reading(.rpm, DataID(.currentData, 0x0C), .number(value), [0, 0])
    }

    private func coolant(_ value: Double) -> Reading {
        Fixtures.reading(.coolant, DataID(.currentData, 0x05), .number(value), [0])
    }

    private func fuel(_ code: UInt64) -> Reading {
        Fixtures.reading(.fuelType, DataID(.currentData, 0x51), .label(code: code), [0])
    }

    @Test func `each row of a grid has the last value before its time`() {
        let lines = grid(
            .last,
            [(0, rpm(800)), (50, rpm(900)), (130, coolant(20)), (200, fuel(1)), (310, rpm(7))])
        #expect(
            lines == [
                "\"time [every 0.1 s, last value]\",RPM (rpm),ECT (°C),FUEL_TYP", "0,800,,",
                "0.1,900,,", "0.2,900,20,gasoline", "0.3,900,20,gasoline",
            ])
    }

    @Test func `an interpolated row has a value on the line between two readings`() {
        let lines = grid(
            .linear,
            [
                (0, rpm(1000)), (50, fuel(1)), (200, coolant(20)), (400, rpm(1400)),
                (450, coolant(45)),
            ])
        #expect(
            lines.dropFirst() == [
                "0,1000,,", "0.1,1100,,gasoline", "0.2,1200,20,gasoline", "0.3,1300,30,gasoline",
                "0.4,1400,40,gasoline",
            ])
        #expect(lines[0].hasPrefix("\"time [every 0.1 s, linear]\""))
    }

    @Test func `values are not interpolated across a gap`() {
        let lines = grid(
            .linear, every: .seconds(20), [(0, rpm(1000)), (60_000, rpm(1600)), (125_000, rpm(0))])
        #expect(
            lines.dropFirst() == [
                "0,1000,,", "20,1200,,", "40,1400,,", "60,1600,,", "80,,,", "100,,,", "120,,,",
            ])
    }

    @Test func `a row of a grid has only the readings before the next row`() {
        let lines = grid(
            .none, [(10, rpm(800)), (90, rpm(900)), (110, coolant(20)), (350, rpm(7))])
        #expect(
            lines.dropFirst() == ["0,900,,", "0.1,,20,", "0.2,,,", "0.3,7,,"])
    }

    @Test func `units and names match the other layouts`() {
        let lines = grid(.last, units: .us, [(0, coolant(100))])
        #expect(
            lines == [
                "\"time [every 0.1 s, last value]\",RPM (rpm),ECT (°F),FUEL_TYP", "0,,212,",
            ])
    }

    // Engine speed has steps of 1/4 (SAE J1979), which need two decimals; coolant has steps of 1 °C or 1.8 °F.
    @Test func `numbers are rounded to what their steps need, unless the table is exact`() {
        let readings: [(Int64, Reading)] = [
            (0, rpm(1726.257)), (0, coolant(20)), (200, rpm(1726.257)), (200, coolant(21)),
        ]
        let lines = grid(.linear, readings)
        #expect(
            lines.dropFirst() == ["0,1726.26,20,", "0.1,1726.26,21,", "0.2,1726.26,21,"])
        let exact = grid(.linear, isExact: true, readings)
        #expect(
            exact.dropFirst() == ["0,1726.257,20,", "0.1,1726.257,20.5,", "0.2,1726.257,21,"])
        // 21 °C is 69.8 °F.
        #expect(grid(.last, units: .us, [(0, coolant(21)), (0, rpm(-0.004))]).last == "0,0,69.8,")
        // Nothing is lost of a number that is too large for decimals.
        let large = grid(.last, [(0, rpm(1e16)), (0, coolant(-40))])
        #expect(large.last == "0,1e+16,-40,")
    }

    // A stored trip has no bits of its signals: their steps come from elsewhere.
    @Test func `numbers are rounded to given steps`() {
        let column = CSVWide.Column(SignalIndex(rawValue: Fixtures.Place.rpm.rawValue))
        for (step, expected) in [
            (100.0 / 255, "0,16.1"), (0.25, "0,16.08"), (0, "0,16.07843137254902"),
        ] {
            var csv = CSVGrid(
                table: Fixtures.table, columns: [column], times: .seconds(since: Self.start),
                start: Self.start, every: .seconds(1), fill: .last, steps: [step])
            let text = Fixtures.text { output in
                csv.append(rpm(41.0 / 255 * 100), time: Self.start, to: &output)
                csv.finish(&output)
            }
            #expect(text == expected + "\r\n")
        }
    }

    @Test func `without readings a grid has no rows`() {
        for fill in CSVGrid.Fill.allCases { #expect(grid(fill, []).count == 1) }
    }
}
