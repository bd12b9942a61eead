import Formats
import OBDCore
import SystemIO
import TripStore

/// A comparison of two trips, signal by signal.
package struct TripComparison {
    let first: TripReadings
    let second: TripReadings
    let output: OutputForm

    package init(_ first: TripReadings, _ second: TripReadings, _ output: OutputForm) {
        self.first = first
        self.second = second
        self.output = output
    }

    /// Prints the differences; the caller prints the trips before.
    package func print(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text {
            try writer.write("\n" + figures)
            try writer.write("\n" + text(lines))
        } else {
            let trips = TripSummary.shape(output)
            let shape = Self.shape(output.units)
            var rows = RowWriter(output.format, kinds: [trips.keys, shape.keys])
            for trip in [first.trip, second.trip] { try writer.print(trips.row(trip), &rows) }
            for line in lines { try writer.print(shape.row(line), &rows) }
        }
        try writer.flush()
    }

    /// A signal in one trip or in both.
    private struct Line {
        var ecu: ECUAddress?
        var signal: String
        var name: String
        var unit: String
        var step: Double
        var first: TripSignal?
        var second: TripSignal?
    }

    private var lines: [Line] {
        var lines: [Line] = []
        for (index, readings) in [first, second].enumerated() {
            for found in readings.signals where found.frame == nil {
                let signal = readings.table[found.signal]
                let known = lines.firstIndex {
                    $0.ecu == found.ecu && $0.signal == signal.id && $0.unit == signal.unit
                        && ($0.first ?? $0.second)?.dataID == found.dataID
                }
                let place = known ?? lines.count
                if known == nil {
                    lines.append(
                        Line(
                            ecu: found.ecu, signal: signal.id, name: signal.name,
                            unit: signal.unit, step: readings.step(of: found)))
                }
                if index == 0 { lines[place].first = found } else { lines[place].second = found }
            }
        }
        return lines
    }

    private var figures: String {
        let (first, second) = (first.trip, second.trip)
        let printer = TripPrinter(output)
        var rows = TextTable([
            ("", .left), ("TRIP \(first.id)", .right), ("TRIP \(second.id)", .right),
        ])
        func add(_ title: String, _ text: (TripSummary) -> String?) {
            let cells = [text(first), text(second)]
            guard cells.contains(where: { $0 != nil }) else { return }
            rows.add([.init(title)] + cells.map { .init($0 ?? "—") })
        }
        add("time") { durationText($0.seconds) }
        add("distance") { $0.distance.map { printer.shown($0, "km", 1) } }
        add("moving") { $0.movingSeconds.map(durationText) }
        add("idle") { $0.idleSeconds.map(durationText) }
        add("average while moving") { $0.averageSpeed.map { printer.shown($0, "km/h", 1) } }
        add("hard braking") { $0.hardBrakings.map { "\($0)×" } }
        add("hard acceleration") { $0.hardAccelerations.map { "\($0)×" } }
        return rows.text(output.palette)
    }

    private func text(_ lines: [Line]) -> String {
        let ids = [first.trip.id, second.trip.id]
        var rows = TextTable([
            ("ECU", .left), ("SIGNAL", .left), ("MEAN \(ids[0])", .right),
            ("MEAN \(ids[1])", .right), ("CHANGE", .right), ("MAX \(ids[0])", .right),
            ("MAX \(ids[1])", .right), ("UNIT", .left),
        ])
        for line in lines {
            let conversion = output.units.conversion(from: line.unit)
            let places = decimals(forStep: line.step * (conversion?.factor ?? 1))
            let shown = { (value: Double?) -> Double? in
                value.map { number in conversion.map { $0(number) } ?? number }
            }
            let cell = { (value: Double?) in
                TextTable.Cell(shown(value).map { fixed($0, places) } ?? "—")
            }
            var change = TextTable.Cell("")
            if let before = shown(line.first?.mean), let after = shown(line.second?.mean) {
                let text = fixed(after - before, places)
                change = .init(text.hasPrefix("-") || after == before ? text : "+" + text)
            }
            rows.add([
                .init(line.ecu?.description ?? "—"), .init(line.signal, .bold),
                cell(line.first?.mean), cell(line.second?.mean), change,
                cell(line.first?.maximum), cell(line.second?.maximum),
                .init(conversion?.unit ?? line.unit),
            ])
        }
        return rows.isEmpty ? "" : rows.text(output.palette)
    }

    private static func shape(_ units: UnitSystem) -> RowShape<Line> {
        let shown = { @Sendable (value: Double?, line: Line) in
            FieldValue.number(
                value.map { number in
                    units.conversion(from: line.unit).map { $0(number) } ?? number
                })
        }
        return RowShape(
            "tripComparison",
            [
                Field("ecu") { .text($0.ecu?.description) }, Field("signal") { .text($0.signal) },
                Field("name") { .text($0.name) },
                Field("unit") { .filled(units.conversion(from: $0.unit)?.unit ?? $0.unit) },
                Field("firstReadings") { .integer($0.first?.readings ?? 0) },
                Field("firstMin") { shown($0.first?.minimum, $0) },
                Field("firstMean") { shown($0.first?.mean, $0) },
                Field("firstMax") { shown($0.first?.maximum, $0) },
                Field("secondReadings") { .integer($0.second?.readings ?? 0) },
                Field("secondMin") { shown($0.second?.minimum, $0) },
                Field("secondMean") { shown($0.second?.mean, $0) },
                Field("secondMax") { shown($0.second?.maximum, $0) },
            ])
    }
}
