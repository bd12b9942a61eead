import Formats
import SystemIO
import TripStore

/// The fuel of trips by every method, with calibration.
package struct FuelReport {
    package struct Line {
        package var trip: TripSummary
        /// The fuel; nil if the trip has no data about it.
        package var use: FuelUse?
        var profile: FuelProfile

        /// A trip; `use` is nil if it has no data about fuel.
        package init(trip: TripSummary, use: FuelUse?, profile: FuelProfile) {
            self.trip = trip
            self.use = use
            self.profile = profile
        }
    }

    let lines: [Line]
    let output: OutputForm

    package init(
        lines: [Line], output: OutputForm
    ) {
        self.lines = lines
        self.output = output
    }

    /// Prints the fuel of the trips.
    package func print(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text { return try writer.write(text) }
        var rows = RowWriter(
            output.format, kinds: [TripFuel.keys, Self.methodKeys, Self.vehicleKeys])
        for line in lines {
            guard let use = line.use else { continue }
            try writer.print(TripFuel.row(use, of: line.trip, line.profile), &rows)
            for estimate in use.estimates {
                try writer.print(Self.row(estimate, use, line), &rows)
            }
        }
        for vehicle in vehicles where !vehicle.total.amounts.isEmpty {
            try writer.print(vehicle.row, &rows)
        }
        try writer.append { rows.finish(&$0) }
    }

    private var text: String {
        let vehicles = self.vehicles
        var rows = TextTable(
            [("TRIP", .right)] + (vehicles.count > 1 ? [("VEHICLE", .left)] : []) + [
                ("METHOD", .left), ("AMOUNT", .right), ("CONSUMPTION", .right), ("DATA", .right),
                ("", .left),
            ])
        for line in lines {
            let head =
                [TextTable.Cell(line.trip.number)]
                + (vehicles.count > 1 ? [.init(line.trip.vehicle ?? "—")] : [])
            guard let use = line.use else {
                rows.add(head + [.init("—", .dim)])
                continue
            }
            for estimate in use.estimates {
                let isChosen = estimate == use.chosen
                var own = use
                own.chosen = estimate
                rows.add(
                    head + [
                        .init(estimate.title, isChosen ? .bold : .dim),
                        .init(TripFuel.amount(estimate.amount, use.unit, output.units)),
                        .init(TripFuel.consumptionText(own, output.units) ?? "—"),
                        .init(estimate.coverage.map { fixed($0 * 100, 0) + " %" } ?? "—"),
                        .init(estimate.problems.map(\.title).joined(separator: ", ")),
                    ])
            }
        }
        return rows.text(output.palette, columns: output.columns) + "\n"
            + (vehicles.count > 1
                ? Self.table(vehicles, output.units).text(output.palette, columns: output.columns)
                : Total(lines).texts(output.units).compactMap(\.self).joined(separator: ", ")
                    + "\n")
            + [distanceNote, assumptionNote, calibrationNote].compactMap { $0.map { $0 + "\n" } }
            .joined()
    }

    /// The note that consumption does not refer to the distance of the trips; nil if the distance is the
    /// same.
    private var distanceNote: String? {
        let trips = lines.compactMap { line -> (counted: Double, whole: Double)? in
            guard let use = line.use, use.amount != nil, let counted = use.distance,
                let whole = line.trip.distance
            else { return nil }
            return (counted, whole)
        }
        func text(_ distances: [Double]) -> String {
            shown(distances.reduce(0, +), "km", 1, output.units)
        }
        let counted = text(trips.map(\.counted))
        let whole = text(trips.map(\.whole))
        if counted == whole { return nil }
        return "Consumption counts the \(counted) in which fuel was read; the odometer shows "
            + "\(whole)."
    }

    /// Names the fuel that is assumed because no source gave one; nil if nothing is assumed.
    private var assumptionNote: String? {
        let assumed = lines.filter { $0.use?.isAssumed ?? false }
        let kinds = Set(assumed.compactMap { $0.use?.kind.rawValue }).sorted()
        if kinds.isEmpty { return nil }
        return "No vehicle said which fuel it uses in \(assumed.count) of the trips, and "
            + "\(kinds.joined(separator: " or ")) is assumed. If that is wrong, set fuel.type: "
            + "obdscan-config(5)."
    }

    /// Names the factors that are in the amounts; nil if they are as calculated.
    private var calibrationNote: String? {
        let factors = Set(
            lines.filter { $0.use?.amount != nil }.map(\.profile.settings.calibration))
        if factors.subtracting([1]).isEmpty { return nil }
        let names = factors.sorted().map { "×" + fixed($0, 3) }
        return "The amounts are calibrated (fuel.calibration): "
            + "\(names.joined(separator: " or "))."
    }

    private static func table(_ vehicles: [Vehicle], _ units: UnitSystem) -> TextTable {
        var rows = TextTable([
            ("VEHICLE", .left), ("TRIPS", .right), ("DISTANCE", .right), ("FUEL", .right),
            ("CONSUMPTION", .right), ("COST", .right), ("", .right),
        ])
        for vehicle in vehicles {
            let total = vehicle.total
            let cells =
                [total.distance.map { shown($0, "km", 1, units) }] + total.texts(units)
            rows.add(
                [.init(vehicle.name ?? "—", .bold), .init(String(total.trips))]
                    + cells.map { .init($0 ?? "—") })
        }
        return rows
    }

    private static let methodKeys = [
        "trip", "vin", "fuel", "method", "chosen", "amount", "unit", "per100Km", "coverage",
        "problems",
        "cost", "currency", "co2Kg",
    ]

    /// The row for the result of one method.
    private static func row(_ estimate: FuelUse.Estimate, _ use: FuelUse, _ line: Line) -> Row {
        var own = use
        own.chosen = estimate
        let price = line.profile.price
        return Row(
            "tripFuelMethod",
            [
                "trip": .integer(line.trip.id), "vin": .text(line.trip.vin),
                "fuel": .text(use.kind.rawValue), "method": .text(estimate.method.rawValue),
                "chosen": .flag(estimate == use.chosen),
                "amount": .number(estimate.amount, places: 3), "unit": .text(use.unit),
                "per100Km": .number(own.per100km, places: 3),
                "coverage": .number(estimate.coverage, places: 3),
                "problems": .words(estimate.problems.map(\.rawValue)),
                "cost": .number(price.flatMap { own.cost(at: $0) }, places: 2),
                "currency": .text(price == nil ? nil : line.profile.currency),
                "co2Kg": .number(own.carbonDioxide, places: 3),
            ])
    }

    // MARK: Totals

    private struct Vehicle {
        var vin: String?
        /// The owner's name for the vehicle, else its VIN.
        var name: String?
        var total: Total

        /// The row of the fuel of all its trips.
        var row: Row {
            Row(
                "vehicleFuel",
                [
                    "vin": .text(vin), "vehicle": .text(name), "trips": .integer(total.trips),
                    "distanceKm": .number(total.distance, places: 3),
                    "amount": .number(total.single?.amount, places: 3),
                    "unit": .text(total.single?.unit),
                    "per100Km": .number(total.per100km, places: 3),
                    "cost": .number(total.cost?.amount, places: 2),
                    "currency": .text(total.cost?.currency),
                    "co2Kg": .number(total.carbonDioxide, places: 3),
                ])
        }
    }

    private static let vehicleKeys = [
        "vin", "vehicle", "trips", "distanceKm", "amount", "unit", "per100Km", "cost", "currency",
        "co2Kg",
    ]

    /// The vehicles in the order of their first trips; trips without a VIN and a name are one.
    private var vehicles: [Vehicle] {
        var names: [String?] = []
        for line in lines where !names.contains(line.trip.vehicle) {
            names.append(line.trip.vehicle)
        }
        return names.map { name in
            let own = lines.filter { $0.trip.vehicle == name }
            return Vehicle(vin: own[0].trip.vin, name: name, total: Total(own))
        }
    }

    /// The total of the trips with data about fuel.
    private struct Total {
        var trips = 0
        /// Amounts by unit, because litres and kilograms cannot be added.
        var amounts: [String: Double] = [:]
        /// Unit: km; nil if the distance of any trip is unknown.
        var distance: Double?
        /// Nil if a trip has no cost, or trips have different currencies.
        var cost: (amount: Double, currency: String?)?
        /// Unit: kg.
        var carbonDioxide: Double?

        init(_ lines: [Line]) {
            let known = lines.filter { $0.use?.amount != nil }
            trips = known.count
            if known.isEmpty { return }
            for (kind, amount) in known.flatMap({ $0.use?.chosen?.amounts ?? [:] }) {
                amounts[kind.unit, default: 0] += amount
            }
            let distances = known.compactMap { $0.use?.distance }
            if distances.count == known.count { distance = distances.reduce(0, +) }
            carbonDioxide = known.reduce(0) { $0 + ($1.use?.carbonDioxide ?? 0) }
            let costs = known.compactMap { line in
                line.profile.price.flatMap { price in line.use?.cost(at: price) }
            }
            if costs.count == known.count, Set(known.map(\.profile.currency)).count == 1 {
                cost = (costs.reduce(0, +), known[0].profile.currency)
            }
        }

        /// Amount and unit; nil if there are several units.
        var single: (amount: Double, unit: String)? {
            amounts.count == 1 ? amounts.first.map { ($0.value, $0.key) } : nil
        }

        /// Amount per 100 km; nil without an amount or a distance that matters.
        var per100km: Double? {
            guard let single, let distance, distance >= 0.1 else { return nil }
            return single.amount / distance * 100
        }

        /// Amount, consumption, cost and CO₂ in the displayed units; nil if one is unknown.
        func texts(_ units: UnitSystem) -> [String?] {
            let parts = amounts.sorted { $0.key < $1.key }.map {
                TripFuel.amount($0.value, $0.key, units)
            }
            return [
                parts.isEmpty ? nil : parts.joined(separator: " + "), consumption(units),
                cost.map { fixed($0.amount, 2) + ($0.currency.map { " " + $0 } ?? "") },
                TripFuel.carbonDioxideText(carbonDioxide).map { $0 + " CO₂" },
            ]
        }

        private func consumption(_ units: UnitSystem) -> String? {
            guard let (amount, unit) = single, let per100km, let distance else { return nil }
            guard unit == "L", units != .metric else {
                return "\(fixed(per100km, 1)) \(unit)/100 km"
            }
            let gallon = units == .us ? 3.785411784 : 4.54609
            let mpg = fixed(distance / 1.609344 * gallon / amount, 1)
            return "\(mpg) mpg (\(units == .us ? "US" : "UK"))"
        }
    }

    // MARK: Calibration

    /// The factor that makes the calculated amounts fit.
    package struct Calibration: Hashable, Sendable {
        /// The vehicle; nil = unknown.
        package var vin: String?
        /// The filled amount, in litres or kilograms.
        package var filled: Double
        /// The calculated amount without a calibration, in the same unit.
        package var calculated: Double
        package var factor: Double { filled / calculated }
        /// The least amount that may be saved, in litres or kilograms.
        ///
        /// A filling to the same mark, by the nozzle that stops itself or by eye, repeats to about a litre: 10 L are
        /// then known to 10 %.
        package static let least = 10.0

        /// The row of the factor, with the setting that keeps it and its value there.
        package func row(_ setting: String, _ value: String, isSaved: Bool) -> Row {
            Row(
                "fuelCalibration",
                [
                    "setting": .text(setting), "calibration": .number(Double(value)),
                    "filled": .number(filled), "calculated": .number(calculated),
                    "saved": .flag(isSaved),
                ])
        }
    }

    /// Compares the filled amount, in the user's unit, with the calculated one.
    ///
    /// - Parameter saves: whether the factor is to be kept, so that the amount has to be large enough.
    package func calibration(
        filled: Double, saves: Bool = false
    ) throws(TripReportError) -> Calibration {
        let vehicles = Set(lines.map { $0.trip.vin ?? "" })
        guard vehicles.count == 1, let vin = vehicles.first else {
            throw .severalVehicles(vehicles.count)
        }
        let before = lines[0].profile.settings.calibration
        let total = Total(lines)
        if total.amounts.count > 1 { throw .noSumOfFuel }
        guard let (amount, unit) = total.single, amount > 0 else {
            throw .noFuel
        }
        if let silent = lines.first(where: { $0.use?.amount == nil }) {
            throw .silentTrip(silent.trip.id)
        }
        let conversion = output.units.conversion(from: "L")
        let litres = unit == "L" ? filled / (conversion?.factor ?? 1) : filled
        if saves, litres < Calibration.least {
            throw .tooLittleFilled(amount: litres, unit: unit, output.units)
        }
        let found = Calibration(
            vin: vin.isEmpty ? nil : vin, filled: litres, calculated: amount / before)
        guard (0.2...5).contains(found.factor) else {
            throw .noMatterOfCalibration(calculated: amount, unit: unit, output.units)
        }
        return found
    }
}
