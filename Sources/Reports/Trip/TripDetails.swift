import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import TripStore

/// The data of a trip for `trips show`.
package struct TripDetails {
    var readings: TripReadings
    /// Nil if the trip has no data about fuel.
    package var fuel: (use: FuelUse, profile: FuelProfile)?
    /// The energy of the traction battery; nil if the trip has none to show.
    package var energy: TripEnergy?
    /// The trip's values of the vehicle itself, under the same name for every make.
    package var roles: [TripRole]
    /// The number of the trip's positions.
    var positions: Int
    var notes: [TripStore.Note]
    var events: [(kind: TripEvent.Kind, count: Int)]

    /// Calculates the fuel with `profile`.
    package init(
        _ readings: TripReadings, _ profile: FuelProfile,
        roles: SignalRoles = PIDTables.signalRoles(),
        notes: [TripStore.Note], events: [(kind: TripEvent.Kind, count: Int)]
    ) throws {
        self.readings = readings
        fuel = try TripFuel.use(of: readings, profile).map { ($0, profile) }
        positions = try readings.positions()
        self.roles = try TripRole.all(of: readings, roles)
        energy = try TripEnergy(readings, roles).flatMap { $0.isWorthShowing ? $0 : nil }
        self.notes = notes
        self.events = events
    }

    /// The rows of fuel, notes and events.
    package var rows: [Row] {
        let trip = readings.trip.id
        var rows: [Row] = []
        if let fuel { rows.append(TripFuel.row(fuel.use, of: readings.trip, fuel.profile)) }
        if let energy { rows.append(energy.row) }
        rows += roles.map { $0.row(of: trip) }
        for note in notes {
            rows.append(
                Row(
                    "note",
                    [
                        "trip": .integer(trip), "time": .time(note.time), "text": .text(note.text),
                    ]))
        }
        for event in events {
            rows.append(
                Row(
                    "eventCount",
                    [
                        "trip": .integer(trip), "event": .text(event.kind.rawValue),
                        "count": .integer(event.count),
                    ]))
        }
        return rows
    }
}

extension TripPrinter {
    /// Prints all data as JSON Lines or as one table.
    package func print(
        _ details: TripDetails, _ writer: inout TextOutput
    ) throws(OutputError) {
        let trips = TripSummary.shape(output)
        let signals = TripSignal.shape(of: details.readings, output)
        let rest = details.rows
        var rows = RowWriter(
            output.format,
            kinds: [
                trips.keys, signals.keys, TripFuel.keys, TripEnergy.keys[0],
                TripRole.keys, ["trip", "time", "text"],
                ["trip", "event", "count"],
            ])
        try writer.print(trips.row(details.readings.trip), &rows)
        for found in details.readings.signals { try writer.print(signals.row(found), &rows) }
        for row in rest { try writer.print(row, &rows) }
    }
}

extension TripDetails {
    /// Prints a trip and the totals of its signals; `profile` returns the data about its engine.
    package static func print(
        _ id: Int64, _ store: TripStore, _ output: OutputForm,
        _ profile: (TripSummary) -> FuelProfile, _ writer: inout TextOutput
    ) throws {
        let readings = try store.readings(ofTrip: id)
        let details = try TripDetails(
            readings, profile(readings.trip), notes: try store.notes(ofTrip: id),
            events: try store.eventCounts(ofTrip: id))
        var printer = TripPrinter(output)
        if output.format != .text { return try printer.print(details, &writer) }
        try printer.print(readings.trip, &writer)
        try printer.finish(&writer)
        try writer.write(printer.figures(details) + "\n")
        let names = try store.names(
            ofVehicle: readings.trip.vin, onJ1939: readings.isOnJ1939)
        try printer.print(readings, names, &writer)
    }
}
