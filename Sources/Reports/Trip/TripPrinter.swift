import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripStore

/// Prints trips: a table for people, JSON Lines or CSV.
package struct TripPrinter {
    package let output: OutputForm
    private let palette: Palette
    private var rows: RowPrinter<TripSummary>
    private var trips: [TripSummary] = []

    /// A printer without trips.
    package init(_ output: OutputForm) {
        self.output = output
        palette = output.palette
        rows = RowPrinter(TripSummary.shape(output), output)
    }

    package mutating func print(_ trip: TripSummary, _ writer: inout TextOutput) throws(OutputError)
    {
        trips.append(trip)
        try writer.print(trip, &rows)
    }

    /// Prints the table, and as text the totals of each vehicle.
    package mutating func finish(
        _ writer: inout TextOutput, withTotals: Bool = false
    ) throws(OutputError) {
        try writer.finish(&rows)
        if withTotals, output.format == .text { try writer.write(totals) }
        try writer.flush()
    }

    /// The sums of each vehicle's trips; empty for a single trip.
    private var totals: String {
        var vehicles: [String?] = []
        for trip in trips where !vehicles.contains(trip.vehicle) { vehicles.append(trip.vehicle) }
        guard trips.count > 1 else { return "" }
        var rows = TextTable([
            ("VEHICLE", .left), ("TRIPS", .right), ("DURATION", .right), ("DISTANCE", .right),
        ])
        for vehicle in vehicles {
            let own = trips.filter { $0.vehicle == vehicle }
            let distances = own.compactMap(\.distance)
            let sum = distances.isEmpty ? "—" : shown(distances.reduce(0, +), "km", 1)
            let unknown = own.count - distances.count
            rows.add([
                .init(vehicle ?? "—"), .init(String(own.count)),
                .init(durationText(own.reduce(0) { $0 + $1.seconds })),
                .init(unknown == 0 || distances.isEmpty ? sum : "\(sum), \(unknown) unknown"),
            ])
        }
        return "\n" + rows.text(palette, columns: output.columns)
    }

    /// Prints the signals of a trip: numbers with their figures, states by time, and the rest in one line each.
    package func print(
        _ readings: TripReadings, _ names: ECUNames, _ writer: inout TextOutput
    ) throws {
        let signals = try TripSignals(readings, output.units, names)
        var rows = RowPrinter(
            TripSignal.shape(of: readings, output), output, flexible: [2])
        for statistics in signals.numbers { try writer.print(statistics, &rows) }
        try writer.finish(&rows)
        var states = TextTable([("SIGNAL", .left), ("SHARE OF THE TIME", .left)])
        for state in signals.states where state.only == nil {
            states.add([.init(state.name), .init(state.share)])
        }
        if !states.isEmpty {
            try writer.write("\n" + states.text(palette, columns: output.columns))
        }
        var rest = TextTable([("", .left), ("", .left)])
        func add(_ title: String, _ texts: [String]) {
            guard !texts.isEmpty else { return }
            rest.add([.init(title, .dim), .init(texts.joined(separator: "; "))])
        }
        add(
            "did not change",
            signals.constants.map { "\($0.name) \($0.value)" }
                + signals.states.compactMap { state in state.only.map { "\(state.name): \($0)" } })
        add("without a number", signals.others)
        if !rest.isEmpty { try writer.write("\n" + rest.text(palette, columns: output.columns)) }
        try writer.flush()
    }

    /// The figures of a trip that do not fit into the list.
    package func figures(_ details: TripDetails) -> String {
        let trip = details.readings.trip
        var rows = TextTable([("", .left), ("", .left)])
        func add(_ title: String, _ text: String?) {
            if let text { rows.add([.init(title, .dim), .init(text)]) }
        }
        add("ended", trip.endReason?.title)
        add("moving", trip.movingSeconds.map(durationText))
        add("idle", trip.idleSeconds.map(durationText))
        add("average while moving", trip.averageSpeed.map { shown($0, "km/h", 1) })
        add("hard braking", trip.hardBrakings.map { "\($0)×" })
        add("hard acceleration", trip.hardAccelerations.map { "\($0)×" })
        add(
            "distance by speed", trip.odometer == nil ? nil : trip.driven.map { shown($0, "km", 1) }
        )
        add(
            "odometer",
            trip.odometer.map {
                "\(shown($0.lowerBound, "km", 1)) to \(shown($0.upperBound, "km", 1))"
            })
        if let fuel = details.fuel {
            add("fuel", TripFuel.amountText(fuel.use, output.units, fuel.profile))
            add("consumption", TripFuel.consumptionText(fuel.use, output.units))
            add("fuel cost", TripFuel.costText(fuel.use, fuel.profile))
            add("CO₂", TripFuel.carbonDioxideText(fuel.use.carbonDioxide))
            add("fuel by", fuel.use.chosen?.title)
        }
        if let energy = details.energy {
            add("energy", EnergyTables(output.units).line(energy.use))
        }
        for role in TripRole.withEnds(details.roles, hasOdometer: trip.odometer != nil) {
            add(role.role.title, role.text(details.readings, output.units))
        }
        if details.positions > 0 { add("positions", String(details.positions)) }
        for note in details.notes {
            add("note", (note.time.map { localTime($0) + "  " } ?? "") + note.text)
        }
        for event in details.events { add(event.kind.title, String(event.count)) }
        return rows.isEmpty ? "" : rows.text(palette, columns: output.columns)
    }

    /// A metric value in the displayed units.
    package func shown(_ value: Double, _ unit: String, _ places: Int) -> String {
        Reports.shown(value, unit, places, output.units)
    }
}

extension EndReason {
    package var title: String {
        switch self {
        case .stopped: "by hand"
        case .duration: "its time ran out"
        case .vehicleOff: "the vehicle was off"
        case .linkLost: "the link was lost"
        case .failed: "something failed"
        case .crashed: "the recording was killed"
        case .imported: "imported"
        }
    }
}

extension TripEvent.Kind {
    package var title: String {
        switch self {
        case .timeout: "timeouts"
        case .negativeResponse: "refusals"
        case .adapterStatus: "adapter messages"
        case .linkError: "damaged frames"
        case .decodeError: "damaged answers"
        case .linkLost: "links lost"
        case .reconnected: "reconnects"
        case .gap: "gaps"
        case .codesCleared: "codes cleared"
        case .clockSet: "clock set"
        }
    }
}

extension TripSummary {
    /// The texts in a list for a trip that did not end normally, or whose times may be wrong.
    var states: [String] {
        let ending: String? =
            switch endReason {
            case nil: "being recorded"
            case .crashed: "broke off"
            case .stopped, .duration, .vehicleOff, .linkLost, .failed, .imported: nil
            }
        return [ending, isClockSet == false ? "clock not set" : nil].compactMap(\.self)
    }
}

extension TripSignal {
    /// The fields of a trip's signal, in the units of `form`.
    static func shape(of readings: TripReadings, _ form: OutputForm) -> RowShape<TripSignal> {
        let units = form.units
        let table = readings.table
        let conversion = { @Sendable (found: TripSignal) in
            units.conversion(from: table[found.signal].unit)
        }
        let value = { @Sendable (value: Double?, found: TripSignal) in
            FieldValue.number(value.map { conversion(found)?($0) ?? $0 })
        }
        let steps = Dictionary(
            readings.signals.map { ($0, readings.step(of: $0)) },
            uniquingKeysWith: { first, _ in first })
        // The mean of two codes has no meaning.
        let mean = { @Sendable (found: TripSignal) in
            [.number, .flag].contains(table[found.signal].kind) ? found.mean : nil
        }
        let cell = { @Sendable (value: Double?, found: TripSignal) in
            let conversion = conversion(found)
            let step = (steps[found] ?? 1) * (conversion?.factor ?? 1)
            return TextTable.Cell(
                value.map { numberText(conversion?($0) ?? $0, step: step) } ?? "")
        }
        return RowShape(
            "tripSignal",
            [
                Field("trip") { [id = readings.trip.id] _ in .integer(id) },
                Field("ecu", "ECU") { .text($0.ecu?.description) },
                Field("service") { .text($0.dataID?.service.description) },
                Field("pid") { .text($0.dataID?.idText) },
                Field("signal", "SIGNAL", style: .bold) { .text(table[$0.signal].id) },
                Field("name", "NAME") { .text(table[$0.signal].name) },
                Field("readings", "READINGS", .right) { .integer($0.readings) },
                Field("min", "MIN", .right, cell: { cell($0.minimum, $0) }) {
                    value($0.minimum, $0)
                },
                Field(
                    "mean", "MEAN", .right,
                    cell: { cell(table[$0.signal].isTotal ? nil : mean($0), $0) }
                ) { value(mean($0), $0) },
                Field("max", "MAX", .right, cell: { cell($0.maximum, $0) }) {
                    value($0.maximum, $0)
                },
                Field("unit", "UNIT", missing: "") {
                    .filled(conversion($0)?.unit ?? table[$0.signal].unit)
                },
            ])
    }
}
