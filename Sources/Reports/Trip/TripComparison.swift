import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripStore

/// A comparison of two trips, signal by signal.
package struct TripComparison {
    let first: TripReadings
    let second: TripReadings
    let output: OutputForm
    private let fuels: [FuelUse?]

    /// Calculates the fuel of each trip with the profile of its vehicle.
    package init(
        _ first: TripReadings, _ second: TripReadings, _ output: OutputForm,
        _ profile: (TripSummary) -> FuelProfile
    ) throws {
        self.first = first
        self.second = second
        self.output = output
        fuels = try [first, second].map { try TripFuel.use(of: $0, profile($0.trip)) }
    }

    /// Prints the differences; the caller prints the trips before.
    package func print(_ writer: inout TextOutput) throws {
        if output.format == .text {
            try writer.write("\n" + figures)
            try writer.write("\n" + text(lines, try states))
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
        /// Whether the signal is a number, and not a state or a text.
        var isNumber: Bool
        /// Whether the number is a total, whose mean says nothing.
        var isTotal: Bool
        var first: TripSignal?
        var second: TripSignal?

        /// The difference of the means, or of the last totals, as a share of the range in both trips; nil if one
        /// of the trips has no number.
        var difference: Double? {
            guard isNumber, let first, let second, let low = first.minimum,
                let high = first.maximum,
                let otherLow = second.minimum, let otherHigh = second.maximum,
                let mean = isTotal ? high : first.mean,
                let otherMean = isTotal ? otherHigh : second.mean
            else { return nil }
            let range = max(high, otherHigh) - min(low, otherLow)
            return range > 0 ? abs(otherMean - mean) / range : 0
        }

        /// Whether both trips have the same least, mean and greatest number.
        var isSame: Bool {
            isNumber && first?.minimum != nil && first?.minimum == second?.minimum
                && first?.mean == second?.mean && first?.maximum == second?.maximum
        }
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
                            unit: signal.unit, step: readings.step(of: found),
                            isNumber: signal.kind == .number, isTotal: signal.isTotal))
                }
                if index == 0 { lines[place].first = found } else { lines[place].second = found }
            }
        }
        return lines
    }

    private var figures: String {
        let trips = [first, second]
        let printer = TripPrinter(output)
        var rows = TextTable(
            [("", .left)] + trips.map { ("TRIP \($0.trip.id)", .right) })
        func add(_ title: String, _ texts: [String?]) {
            guard texts.contains(where: { $0 != nil }) else { return }
            rows.add([.init(title)] + texts.map { .init($0 ?? "—") })
        }
        func add(_ title: String, _ text: (TripSummary) -> String?) {
            add(title, trips.map { text($0.trip) })
        }
        func addGreatest(_ title: String, _ quantity: Quantity) {
            add(
                title,
                trips.map { trip in
                    let found = quantity.signal(of: trip)
                    return found?.maximum.flatMap { maximum in
                        found.map { TripSignals.text(maximum, of: $0, trip, output.units) }
                    }
                })
        }
        add("time") { durationText($0.seconds) }
        add("distance") { $0.distance.map { printer.shown($0, "km", 1) } }
        add("fuel", fuels.map { $0.flatMap { TripFuel.amountText($0, output.units) } })
        add("consumption", fuels.map { $0.flatMap { TripFuel.consumptionText($0, output.units) } })
        addGreatest("top speed", .speed)
        addGreatest("hottest coolant", .coolant)
        addGreatest("hottest oil", .oil)
        add("moving") { $0.movingSeconds.map(durationText) }
        add("idle") { $0.idleSeconds.map(durationText) }
        add("average while moving") { $0.averageSpeed.map { printer.shown($0, "km/h", 1) } }
        add("hard braking") { $0.hardBrakings.map { "\($0)×" } }
        add("hard acceleration") { $0.hardAccelerations.map { "\($0)×" } }
        return rows.text(output.palette, columns: output.columns)
    }

    /// A quantity that both trips are compared by.
    private enum Quantity {
        case speed, coolant, oil

        /// The PID, and the signal of SAE J1939.
        private var ids: (pid: UInt32, name: String) {
            switch self {
            case .speed: (0x0D, "SPN84")
            case .coolant: (0x05, "SPN110")
            case .oil: (0x5C, "SPN175")
            }
        }

        /// The signal of the quantity; of several ECUs, the one with the most readings.
        func signal(of trip: TripReadings) -> TripSignal? {
            let (pid, name) = ids
            return trip.signals.filter { found in
                guard found.frame == nil, found.maximum != nil, let dataID = found.dataID else {
                    return false
                }
                return dataID == DataID(.currentData, pid)
                    || dataID == DataID(.readData, 0xF400 | pid)
                    || trip.table[found.signal].id == name
            }.max { $0.readings < $1.readings }
        }
    }

    /// The shares of the time of each state that was not the same in both trips.
    private var states: TextTable {
        get throws {
            var table = TextTable([
                ("SIGNAL", .left), ("TRIP \(first.trip.id)", .left),
                ("TRIP \(second.trip.id)", .left),
            ])
            let names = ECUNames()
            let before = try TripSignals(first, output.units, names).states
            let after = try TripSignals(second, output.units, names).states
            for state in before {
                guard let other = after.first(where: { $0.name == state.name }),
                    other.share != state.share
                else { continue }
                table.add([.init(state.name), .init(state.share), .init(other.share)])
            }
            return table
        }
    }

    /// The table of numbers with the greatest differences first, and a line for each kind of other signals.
    private func text(_ lines: [Line], _ states: TextTable) -> String {
        let ids = [first.trip.id, second.trip.id]
        var rows = TextTable(
            [
                ("ECU", .left), ("SIGNAL", .left), ("NAME", .left), ("MEAN \(ids[0])", .right),
                ("MEAN \(ids[1])", .right), ("CHANGE", .right), ("MAX \(ids[0])", .right),
                ("MAX \(ids[1])", .right), ("UNIT", .left),
            ], flexible: [2], spare: [[6, 7], [0]])
        var rest = TextTable([("", .left), ("", .left)])
        func add(_ title: String, _ which: (Line) -> Bool) {
            var names: [String] = []
            for line in lines where which(line) {
                // Another ECU may report a signal of the same name.
                let isAlone = lines.count { $0.signal == line.signal } == 1
                names.append(
                    line.signal + (isAlone ? "" : line.ecu.map { " (\($0))" } ?? ""))
            }
            guard !names.isEmpty else { return }
            rest.add([.init(title, .dim), .init(names.joined(separator: ", "))])
        }
        let compared = lines.filter { $0.difference != nil }
        for line in compared.filter({ !$0.isSame })
            .sorted(by: { ($0.difference ?? 0) > ($1.difference ?? 0) })
        {
            let conversion = output.units.conversion(from: line.unit)
            let step = line.step * (conversion?.factor ?? 1)
            let shown = { (value: Double?) -> Double? in
                value.map { number in conversion.map { $0(number) } ?? number }
            }
            let cell = { (value: Double?) in
                TextTable.Cell(shown(value).map { numberText($0, step: step) } ?? "—")
            }
            let (one, two) = (line.first, line.second)
            let means = line.isTotal ? (nil, nil) : (one?.mean, two?.mean)
            let ends = line.isTotal ? (one?.maximum, two?.maximum) : means
            var change = TextTable.Cell("")
            if let before = shown(ends.0), let after = shown(ends.1) {
                let text = numberText(after - before, step: step)
                change = .init(text.hasPrefix("-") || after == before ? text : "+" + text)
            }
            rows.add([
                .init(line.ecu?.description ?? "—"), .init(line.signal, .bold), .init(line.name),
                line.isTotal ? "" : cell(means.0), line.isTotal ? "" : cell(means.1), change,
                cell(one?.maximum), cell(two?.maximum), .init(conversion?.unit ?? line.unit),
            ])
        }
        add("the same in both") { $0.isSame }
        add("only in trip \(ids[0])") { $0.difference == nil && $0.isNumber && $0.second == nil }
        add("only in trip \(ids[1])") { $0.difference == nil && $0.isNumber && $0.first == nil }
        return [rows, states, rest].filter { !$0.isEmpty }
            .map { $0.text(output.palette, columns: output.columns) }.joined(separator: "\n")
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
