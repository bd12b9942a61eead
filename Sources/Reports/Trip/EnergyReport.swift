import Formats
import OBDCore
import SystemIO
import TripStore

/// The energy of the traction batteries of trips: driving, charging, capacity, cells.
package struct EnergyReport {
    let trips: [TripEnergy]
    let output: OutputForm

    package init(_ trips: [TripEnergy], _ output: OutputForm) {
        self.trips = trips
        self.output = output
    }

    /// The trips of one vehicle.
    struct Vehicle {
        var vin: String?
        /// The owner's name for the vehicle, else its VIN.
        var name: String?
        var trips: [TripEnergy]

        var capacity: BatteryCapacity? {
            BatteryCapacity(trips.flatMap(\.use.sessions).compactMap(\.share))
        }

        /// Why ``capacity`` is nil.
        var noCapacity: String? {
            if capacity != nil { return nil }
            let sessions = trips.flatMap(\.use.sessions)
            if let reason = sessions.compactMap(\.noShare).last { return reason.rawValue }
            return trips.compactMap { $0.use.missing[.capacity] }.last
        }

        /// The sum of a figure of all trips that have it; nil without any.
        func sum(_ figure: (BatteryUse) -> Estimated?) -> Estimated? {
            let known = trips.compactMap { figure($0.use) }
            guard !known.isEmpty else { return nil }
            return Estimated(
                known.reduce(0) { $0 + $1.value },
                // The gain of a sensor is the same in all trips, so the errors add up.
                known.reduce(0) { $0 + $1.deviation })
        }

        /// Energy per distance of the trips that have both; unit: kWh per 100 km.
        var per100km: Estimated? {
            let known = trips.filter { $0.use.per100km != nil }
            let distance = known.reduce(0) { $0 + ($1.use.distance?.value ?? 0) }
            guard distance > 0 else { return nil }
            return Estimated(
                known.reduce(0) { $0 + ($1.use.used?.value ?? 0) } / distance * 100,
                known.reduce(0) {
                    $0 + ($1.use.per100km?.deviation ?? 0) * ($1.use.distance?.value ?? 0)
                } / distance)
        }

        var distance: Double? {
            let known = trips.compactMap { $0.use.distance?.value }
            return known.isEmpty ? nil : known.reduce(0, +)
        }

        static let shape = RowShape<Vehicle>(
            "vehicleEnergy",
            [
                Field("vin") { .text($0.vin) }, Field("vehicle") { .text($0.name) },
                Field("trips") { .integer($0.trips.count) },
                Field("distanceKm") { .number($0.distance, places: 3) },
                Field("usedKWh") { .number($0.sum(\.used)?.value, places: 3) },
                Field("usedError") { .number($0.sum(\.used)?.error, places: 3) },
                Field("kWhPer100Km") { .number($0.per100km?.value, places: 2) },
                Field("kWhPer100KmError") { .number($0.per100km?.error, places: 2) },
                Field("chargedKWh") { .number($0.sum(\.charged)?.value, places: 3) },
                Field("chargedError") { .number($0.sum(\.charged)?.error, places: 3) },
                Field("sessions") { .integer($0.trips.reduce(0) { $0 + $1.use.sessions.count }) },
                Field("capacityAh") { .number($0.capacity?.charge.value, places: 2) },
                Field("capacityAhError") { .number($0.capacity?.charge.error, places: 2) },
                Field("capacityKWh") { .number($0.capacity?.energy?.value, places: 2) },
                Field("capacityKWhError") { .number($0.capacity?.energy?.error, places: 2) },
                Field("capacitySessions") { .integer($0.capacity?.sessions) },
                Field("noCapacity") { .text($0.noCapacity) },
            ])
    }

    var vehicles: [Vehicle] {
        var found: [Vehicle] = []
        for energy in trips {
            let (vin, name) = (energy.trip.vin, energy.trip.vehicle)
            if let place = found.firstIndex(where: { $0.vin == vin && $0.name == name }) {
                found[place].trips.append(energy)
            } else {
                found.append(Vehicle(vin: vin, name: name, trips: [energy]))
            }
        }
        return found
    }

    // MARK: Programs

    /// The keys of a table of all rows.
    package static let columns: [String] = {
        var keys = ["kind"]
        for key in (TripEnergy.keys + [Vehicle.shape.keys]).flatMap(\.self)
        where !keys.contains(key) {
            keys.append(key)
        }
        return keys
    }()

    private var rows: [Row] {
        trips.flatMap(\.rows) + vehicles.map { Vehicle.shape.row($0) }
    }

    package func print(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text { return try writer.write(text) }
        var writerOfRows = RowWriter(output.format, columns: Self.columns)
        for row in rows { try writer.print(row, &writerOfRows) }
        try writer.append { writerOfRows.finish(&$0) }
    }

    /// The rows as CSV.
    package var csv: [UInt8] {
        var writer = RowWriter(.csv, columns: Self.columns)
        var bytes: [UInt8] = []
        for row in rows { writer.append(row, to: &bytes) }
        writer.finish(&bytes)
        return bytes
    }

    /// The rows as a sheet, with the columns of ``csv``.
    package var sheet: Workbook {
        var book = Workbook(title: "energy", columns: Self.columns.map { ($0, 18) })
        for row in rows {
            book.add(
                Self.columns.map { key in
                    key == "kind" ? .text(row.kind) : Workbook.Cell(row[key])
                })
        }
        return book
    }

    // MARK: People

    private var text: String {
        let vehicles = self.vehicles
        var parts: [String] = []
        let table = EnergyTables(output.units, withVehicle: vehicles.count > 1)
        parts.append(table.trips(trips).text(output.palette, columns: output.columns))
        let sessions = trips.flatMap(\.sessions)
        if !sessions.isEmpty {
            parts.append(table.sessions(sessions).text(output.palette, columns: output.columns))
        }
        let curves = table.curves(sessions)
        if sessions.count <= 3, !curves.isEmpty {
            parts.append(curves.text(output.palette, columns: output.columns))
        }
        for vehicle in vehicles {
            var facts = TextTable([("", .left), ("", .left)], flexible: [1])
            for (name, value) in table.facts(vehicle) {
                facts.add([.init(name, .dim), .init(value)])
            }
            let title = vehicles.count > 1 ? (vehicle.name ?? "Unknown vehicle") + "\n" : ""
            if !facts.isEmpty {
                parts.append(
                    (title.isEmpty ? "" : output.palette(.bold, printable(title)))
                        + facts.text(output.palette, columns: output.columns))
            }
        }
        let notes = table.notes(trips).map {
            lines($0, nil, output.palette, output.columns)
        }.joined()
        if !notes.isEmpty { parts.append(notes) }
        return parts.joined(separator: "\n")
    }

    /// A page with tables of trips and sessions.
    package var page: HTMLPage {
        let vehicles = self.vehicles
        let table = EnergyTables(output.units, withVehicle: vehicles.count > 1)
        var page = HTMLPage(
            title: "Energy",
            lead: vehicles.compactMap(\.name).joined(separator: " · "))
        page.section("Trips") { $0.table(table.tripHead, trips.map { table.cells(of: $0) }) }
        let sessions = trips.flatMap(\.sessions)
        if !sessions.isEmpty {
            page.section("Charging") {
                $0.table(table.sessionHead, sessions.map { table.cells(of: $0) })
            }
        }
        for vehicle in vehicles {
            let facts = table.facts(vehicle)
            let title = vehicles.count > 1 ? vehicle.name ?? "Unknown vehicle" : "Battery"
            if !facts.isEmpty { page.section(title) { $0.facts(facts) } }
        }
        let notes = table.notes(trips)
        if !notes.isEmpty {
            page.section("Notes") { page in for note in notes { page.element("p", note) } }
        }
        return page
    }
}
