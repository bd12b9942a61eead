import Diagnostics
import FuelFigures
import OBDCore
import SystemIO
import TripExport
import TripStore

/// Prints trips: a table for people, JSON Lines or CSV.
public struct TripPrinter {
    /// How it prints.
    public let output: OutputForm
    private let palette: Palette
    private var rows = TextTable([
        ("TRIP", .right), ("START", .left), ("DURATION", .right), ("DISTANCE", .right),
        ("READINGS", .right), ("VEHICLE", .left), ("", .left),
    ])
    private var hasHeading = false

    /// A printer of no trip yet.
    public init(_ output: OutputForm) {
        self.output = output
        palette = output.palette
    }

    /// Prints a trip.
    public mutating func print(_ trip: TripSummary, _ writer: inout TextOutput) throws(OutputError)
    {
        switch output.format {
        case .json: try writer.append { TripRecordJSON.object(of: trip).append(to: &$0) }
        case .csv:
            try writer.append { bytes in
                if !hasHeading {
                    CSVRow.append(
                        [
                            "id", "vin", "start", "end", "seconds", "distanceKm", "readings",
                            "open", "name", "tags", "movingSeconds", "idleSeconds",
                            "averageSpeedKmh", "hardBrakings", "hardAccelerations", "endReason",
                            "speedDistanceKm", "odometerStartKm", "odometerEndKm",
                        ], to: &bytes)
                }
                CSVRow.append(
                    [
                        String(trip.id), trip.vin ?? "", trip.start.text, trip.end.text,
                        fixed(trip.seconds, 1), trip.distance.map { fixed($0, 3) } ?? "",
                        String(trip.readings), trip.endReason == nil ? "true" : "false",
                        trip.name ?? "", trip.tags.joined(separator: " "),
                        trip.movingSeconds.map { fixed($0, 1) } ?? "",
                        trip.idleSeconds.map { fixed($0, 1) } ?? "",
                        trip.averageSpeed.map { fixed($0, 1) } ?? "",
                        trip.hardBrakings.map { String($0) } ?? "",
                        trip.hardAccelerations.map { String($0) } ?? "",
                        trip.endReason?.rawValue ?? "", trip.driven.map { fixed($0, 3) } ?? "",
                        trip.odometer.map { fixed($0.lowerBound, 1) } ?? "",
                        trip.odometer.map { fixed($0.upperBound, 1) } ?? "",
                    ], to: &bytes)
            }
            hasHeading = true
        case .text:
            let distance = trip.distance.map { shown($0, "km", 1) }
            let words = [trip.name].compactMap { $0 } + trip.tags.map { "#\($0)" }
            rows.add([
                .init(String(trip.id), .bold), .init(localTime(trip.start)),
                .init(clockText(trip.seconds)), .init(distance ?? "—"),
                .init(String(trip.readings)), .init(trip.vehicleName ?? trip.vin ?? "—"),
                .init(
                    (words + [trip.state].compactMap(\.self)).joined(separator: " ")),
            ])
        }
    }

    /// Prints the table.
    public mutating func finish(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text && !rows.isEmpty { try writer.write(rows.text(palette)) }
        try writer.flush()
    }

    /// Prints what the signals of a trip add up to; in CSV ``append(_:to:)`` does.
    public func print(_ readings: TripReadings, _ writer: inout TextOutput) throws(OutputError) {
        if output.format == .csv { return }
        var rows = TextTable(
            [
                ("ECU", .left), ("SIGNAL", .left), ("NAME", .left), ("READINGS", .right),
                ("MIN", .right), ("MEAN", .right), ("MAX", .right), ("UNIT", .left),
            ], flexible: [2])
        for statistics in readings.signals {
            let signal = readings.table[statistics.signal]
            let conversion = output.units.conversion(from: signal.unit)
            let shown = { (value: Double?) in
                value.map { number in conversion.map { $0(number) } ?? number }
            }
            let unit = conversion?.unit ?? signal.unit
            if output.format == .json {
                var object = JSONObject()
                object.add("kind", "tripSignal")
                object.add("trip", Int(readings.trip.id))
                object.add("ecu", statistics.ecu?.description)
                object.add("service", statistics.dataID?.service.description)
                object.add("pid", statistics.dataID?.idText)
                object.add("signal", signal.id)
                object.add("name", signal.name)
                object.add("unit", unit.isEmpty ? nil : unit)
                object.add("readings", statistics.readings)
                object.add("min", shown(statistics.minimum))
                object.add("mean", shown(statistics.mean))
                object.add("max", shown(statistics.maximum))
                try writer.append { object.append(to: &$0) }
                continue
            }
            let places = decimals(
                forStep: readings.step(of: statistics) * (conversion?.factor ?? 1))
            let cell = { (value: Double?) in
                TextTable.Cell(shown(value).map { fixed($0, places) } ?? "")
            }
            rows.add([
                .init(statistics.ecu?.description ?? "—"), .init(signal.id, .bold),
                .init(signal.name), .init(String(statistics.readings)), cell(statistics.minimum),
                cell(statistics.mean), cell(statistics.maximum), .init(unit),
            ])
        }
        if output.format == .text && !rows.isEmpty {
            try writer.write(rows.text(palette, columns: output.columns))
        }
    }

    /// A trip's figures that fit no line of the list.
    public func figures(_ details: TripDetails) -> String {
        let trip = details.readings.trip
        var rows = TextTable([("", .left), ("", .left)])
        func add(_ title: String, _ text: String?) {
            if let text { rows.add([.init(title, .dim), .init(text)]) }
        }
        add("ended", trip.endReason?.title)
        add("moving", trip.movingSeconds.map(clockText))
        add("idle", trip.idleSeconds.map(clockText))
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
            add("fuel", TripFuel.amountText(fuel.use, output.units))
            add("consumption", TripFuel.consumptionText(fuel.use, output.units))
            add("fuel cost", TripFuel.costText(fuel.use, fuel.profile))
            add("CO₂", fuel.use.carbonDioxide.map { fixed($0, 2) + " kg" })
            add("fuel by", fuel.use.chosen?.method.title)
        }
        for note in details.notes {
            add("note", (note.time.map { localTime($0) + "  " } ?? "") + note.text)
        }
        for event in details.events { add(event.kind.title, String(event.count)) }
        return rows.isEmpty ? "" : rows.text(palette, columns: output.columns)
    }

    /// A metric value in the units that are shown.
    public func shown(_ value: Double, _ unit: String, _ places: Int) -> String {
        let conversion = output.units.conversion(from: unit)
        return fixed(conversion.map { $0(value) } ?? value, places) + " "
            + (conversion?.unit ?? unit)
    }
}

extension EndReason {
    /// For people.
    public var title: String {
        switch self {
        case .stopped: "by hand"
        case .duration: "its time was up"
        case .vehicleOff: "the vehicle was off"
        case .linkLost: "the link was lost"
        case .failed: "something failed"
        case .crashed: "the recording was killed"
        case .imported: "imported"
        }
    }
}

extension TripEvent.Kind {
    /// For people.
    public var title: String {
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
        }
    }
}

extension TripSummary {
    /// What a list says of a trip that did not end as usual.
    fileprivate var state: String? {
        switch endReason {
        case nil: "being recorded"
        case .crashed: "broke off"
        case .stopped, .duration, .vehicleOff, .linkLost, .failed, .imported: nil
        }
    }
}
