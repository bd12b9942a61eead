import Diagnostics
import FuelFigures
import OBDCore
import TripExport
import TripStore

/// Everything that `trips show` tells of a trip.
public struct TripDetails {
    var readings: TripReadings
    /// Nil where the trip tells nothing about any.
    public var fuel: (use: FuelUse, profile: FuelProfile)?
    var notes: [TripStore.Note]
    var events: [(kind: TripEvent.Kind, count: Int)]

    /// Works out what `profile` tells of the fuel.
    public init(
        _ readings: TripReadings, _ profile: FuelProfile, notes: [TripStore.Note],
        events: [(kind: TripEvent.Kind, count: Int)]
    ) throws {
        self.readings = readings
        fuel = try TripFuel.use(of: readings, profile).map { ($0, profile) }
        self.notes = notes
        self.events = events
    }

    /// Appends the objects of fuel, notes and events.
    public func appendJSON(to output: inout [UInt8]) {
        let trip = Int(readings.trip.id)
        if let fuel {
            TripFuel.object(fuel.use, of: readings.trip, fuel.profile).append(to: &output)
        }
        for note in notes {
            var object = JSONObject()
            object.add("kind", "note")
            object.add("trip", trip)
            object.add("time", note.time)
            object.add("text", note.text)
            object.append(to: &output)
        }
        for event in events {
            var object = JSONObject()
            object.add("kind", "eventCount")
            object.add("trip", trip)
            object.add("event", event.kind.rawValue)
            object.add("count", event.count)
            object.append(to: &output)
        }
    }

    /// The trip's own figures, by their keys in JSON; what is not known is left out.
    fileprivate var figures: [(name: String, value: String, unit: String)] {
        let trip = readings.trip
        let all: [(String, String?, String)] = [
            ("vin", trip.vin, ""), ("start", trip.start.text, ""), ("end", trip.end.text, ""),
            ("seconds", fixed(trip.seconds, 1), "s"),
            ("distanceKm", trip.distance.map { fixed($0, 3) }, "km"),
            ("readings", String(trip.readings), ""),
            ("open", trip.endReason == nil ? "true" : "false", ""), ("name", trip.name, ""),
            ("tags", trip.tags.isEmpty ? nil : trip.tags.joined(separator: " "), ""),
            ("endReason", trip.endReason?.rawValue, ""),
            ("movingSeconds", trip.movingSeconds.map { fixed($0, 1) }, "s"),
            ("idleSeconds", trip.idleSeconds.map { fixed($0, 1) }, "s"),
            ("averageSpeedKmh", trip.averageSpeed.map { fixed($0, 1) }, "km/h"),
            ("hardBrakings", trip.hardBrakings.map { String($0) }, ""),
            ("hardAccelerations", trip.hardAccelerations.map { String($0) }, ""),
            ("speedDistanceKm", trip.driven.map { fixed($0, 3) }, "km"),
            ("odometerStartKm", trip.odometer.map { fixed($0.lowerBound, 1) }, "km"),
            ("odometerEndKm", trip.odometer.map { fixed($0.upperBound, 1) }, "km"),
        ]
        return all.compactMap { name, value, unit in value.map { (name, $0, unit) } }
    }

    /// What burnt, by the keys in JSON.
    fileprivate var fuelFigures: [(name: String, value: String, unit: String)] {
        guard let fuel else { return [] }
        return Self.figures(of: fuel.0, fuel.1)
    }

    private static func figures(
        of use: FuelUse, _ profile: FuelProfile
    ) -> [(name: String, value: String, unit: String)] {
        let unit = use.unit
        var method: String?
        if let chosen = use.chosen { method = chosen.method.rawValue }
        var cost: String?
        if let price = profile.price, let sum = use.cost(at: price) { cost = fixed(sum, 2) }
        let all: [(String, String?, String)] = [
            ("fuel", use.kind.rawValue, ""), ("assumed", "\(use.isAssumed)", ""),
            ("method", method, ""), ("amount", use.amount.map { fixed($0, 3) }, unit),
            ("per100Km", use.per100km.map { fixed($0, 3) }, "\(unit)/100 km"),
            ("cost", cost, profile.currency ?? ""),
            ("co2Kg", use.carbonDioxide.map { fixed($0, 3) }, "kg"),
        ]
        return all.compactMap { name, value, unit in value.map { (name, $0, unit) } }
    }
}

extension TripPrinter {
    /// Appends everything as CSV: a line for each figure, signal, note and kind of event.
    public func append(_ details: TripDetails, to bytes: inout [UInt8]) {
        let readings = details.readings
        let trip = String(readings.trip.id)
        CSVRow.append(
            [
                "trip", "kind", "time", "ecu", "service", "pid", "signal", "name", "value", "unit",
                "readings", "min", "mean", "max",
            ], to: &bytes)
        func add(_ kind: String, time: String = "", _ name: String, _ value: String, _ unit: String)
        {
            CSVRow.append(
                [trip, kind, time, "", "", "", "", name, value, unit, "", "", "", ""], to: &bytes)
        }
        for figure in details.figures { add("trip", figure.name, figure.value, figure.unit) }
        for figure in details.fuelFigures {
            add("tripFuel", figure.name, figure.value, figure.unit)
        }
        for statistics in readings.signals {
            let signal = readings.table[statistics.signal]
            let conversion = output.units.conversion(from: signal.unit)
            let cell = { (value: Double?) in
                value.map { number in exact(conversion.map { $0(number) } ?? number) } ?? ""
            }
            CSVRow.append(
                [
                    trip, "tripSignal", "", statistics.ecu?.description ?? "",
                    statistics.dataID?.service.description ?? "", statistics.dataID?.idText ?? "",
                    signal.id, signal.name, "", conversion?.unit ?? signal.unit,
                    String(statistics.readings), cell(statistics.minimum), cell(statistics.mean),
                    cell(statistics.maximum),
                ], to: &bytes)
        }
        for note in details.notes { add("note", time: note.time?.text ?? "", "", note.text, "") }
        for event in details.events {
            add("eventCount", event.kind.rawValue, String(event.count), "")
        }
    }
}
