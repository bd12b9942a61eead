import ArgumentParser
import FuelFigures
import OBDCore
import Settings
import SystemIO
import TripExport
import TripReports
import TripStore

/// `obdscan trips fuel`.
struct TripsFuelCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuel", abstract: "The fuel of trips by every method, and calibration.",
        discussion: """
            Methods, the most trusted first: the fuel rate of the ECU by volume (PID 5E) or by mass \
            (9D); air flow (10 or 66) over lambda; and from manifold pressure (0B), intake \
            temperature (0F) and engine speed (0C) with fuel.displacement of the configuration. What \
            is burnt is fuel.type of the configuration, else what PID 51 says, else gasoline. Lambda \
            is what the ECU commands (44), else 1; a diesel needs a sensor's (24, 34), for it burns \
            with more air than it needs. A method that says 0 all the time, more than 250 L/h, or a \
            consumption that no vehicle has, is passed over; one with data for less than four fifths \
            of the time only helps out.

            After a fill-up, name the trips since the one before (or give --from and --until) and \
            what went in with --filled: what was calculated is compared with it, and --save keeps \
            the factor as fuel.calibration, or as fuel.VIN.calibration where the vehicle is known. \
            Both fill-ups should be full to the same mark.

            EXAMPLES
              obdscan trips fuel 12
              obdscan trips fuel --from 2026-11-01 --until 2026-11-14
              obdscan trips fuel --from 2026-11-01T18:00 --filled 41.3 --save
            """)

    @Argument(
        help: ArgumentHelp("Numbers or names of trips; the latest without.", valueName: "trip"))
    var trips: [TripReference] = []

    @Option(help: ArgumentHelp("All drives that end at or after this point.", valueName: "time"))
    var from: TripMoment?

    @Option(help: ArgumentHelp("All drives that begin before this point.", valueName: "time"))
    var until: TripMoment?

    @Option(
        help: ArgumentHelp(
            "Only drives of the vehicle with this VIN or name.", valueName: "vehicle"))
    var vehicle: String?

    @Option(
        help: ArgumentHelp(
            "What was filled in after these trips, in litres (kg of natural gas, gallons with "
                + "--units us or imperial).", valueName: "amount"))
    var filled: Double?

    @Flag(help: "Keep the factor that --filled gives in the configuration.")
    var save = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if !trips.isEmpty && (from != nil || until != nil || vehicle != nil) {
            throw ValidationError("name trips, or use --from, --until and --vehicle")
        }
        if save && filled == nil { throw ValidationError("--save belongs to --filled") }
        if let filled, !(filled > 0 && filled < 100_000) {
            throw ValidationError("--filled has to be more than 0")
        }
    }

    /// A trip with what is known of its fuel.
    private struct Line {
        var trip: TripSummary
        var use: FuelUse?
        var profile: FuelProfile
    }

    func run() throws {
        let store = try database.open(.readOnly)
        var lines: [Line] = []
        for id in try chosenTrips(store) {
            let readings = try mapped { () throws(StoreError) in try store.readings(ofTrip: id) }
            let profile = TripFuel.profile(of: readings.trip)
            lines.append(
                Line(
                    trip: readings.trip, use: try TripFuel.use(of: readings, profile),
                    profile: profile))
        }
        if !lines.contains(where: { $0.use != nil }) {
            let silence = Failure(
                "\(lines.count == 1 ? "trip \(lines[0].trip.id) tells" : "the trips tell") "
                    + "nothing about fuel",
                hint: "record FUEL_RATE, MAF, or MAP, IAT and RPM with fuel.displacement set",
                status: .noInput)
            // A script asked for what there is, which may be nothing.
            if output.format == .text || filled != nil { throw silence }
            output.note(silence.message)
        }
        var writer = TextOutput.standard
        switch output.format {
        case .json:
            for line in lines {
                guard let use = line.use else { continue }
                try writer.append {
                    TripFuel.object(use, of: line.trip, line.profile).append(to: &$0)
                }
            }
        case .csv: try writer.append { append(lines, to: &$0) }
        case .text: try writer.write(text(lines))
        }
        if let filled { try calibrate(filled, lines, &writer) }
        try writer.flush()
    }

    private func chosenTrips(_ store: TripStore) throws -> [Int64] {
        guard from != nil || until != nil || vehicle != nil else {
            return trips.isEmpty
                ? [try store.latestTrip()] : try trips.map { try $0.number(in: store) }
        }
        var filter = TripStore.TripFilter()
        filter.from = try from?.time()
        filter.to = try until?.time()
        filter.vehicle = vehicle
        let found = try mapped { () throws(StoreError) in try store.trips(filter) }
        guard !found.isEmpty else {
            throw Failure(
                "there are no such trips", hint: "obdscan trips lists them", status: .noInput)
        }
        return found.map(\.id)
    }

    private func text(_ lines: [Line]) -> String {
        var rows = TextTable([
            ("TRIP", .right), ("METHOD", .left), ("AMOUNT", .right), ("CONSUMPTION", .right),
            ("DATA", .right), ("", .left),
        ])
        for line in lines {
            guard let use = line.use else {
                rows.add([.init(String(line.trip.id)), .init("—", .dim)])
                continue
            }
            for estimate in use.estimates {
                let isChosen = estimate == use.chosen
                var own = use
                own.chosen = estimate
                rows.add([
                    .init(String(line.trip.id)),
                    .init(estimate.method.title, isChosen ? .bold : .dim),
                    .init(TripFuel.amount(estimate.amount, use.unit, output.units)),
                    .init(TripFuel.consumptionText(own, output.units) ?? "—"),
                    .init(estimate.coverage.map { fixed($0 * 100, 0) + " %" } ?? "—"),
                    .init(estimate.problems.map(\.title).joined(separator: ", ")),
                ])
            }
        }
        let total = Self.total(lines)
        let parts = [
            total.words(output.units), total.consumption(output.units), total.cost,
            total.carbonDioxide.map { fixed($0, 2) + " kg CO₂" },
        ]
        return rows.text(output.palette())
            + "\n" + parts.compactMap(\.self).joined(separator: ", ") + "\n"
    }

    private func append(_ lines: [Line], to output: inout [UInt8]) {
        CSVRow.append(
            [
                "trip", "fuel", "method", "chosen", "amount", "unit", "per100Km", "coverage",
                "problems", "cost", "currency", "co2Kg",
            ], to: &output)
        for line in lines {
            guard let use = line.use else { continue }
            for estimate in use.estimates {
                var own = use
                own.chosen = estimate
                let price = line.profile.price
                CSVRow.append(
                    [
                        String(line.trip.id), use.kind.rawValue, estimate.method.rawValue,
                        estimate == use.chosen ? "true" : "false", fixed(estimate.amount, 3),
                        use.unit, own.per100km.map { fixed($0, 2) } ?? "",
                        estimate.coverage.map { fixed($0, 3) } ?? "",
                        estimate.problems.map(\.rawValue).joined(separator: " "),
                        price.flatMap { own.cost(at: $0) }.map { fixed($0, 2) } ?? "",
                        price == nil ? "" : line.profile.currency ?? "",
                        own.carbonDioxide.map { fixed($0, 3) } ?? "",
                    ], to: &output)
            }
        }
    }

    // MARK: All of them

    /// What several trips come to: those of them that tell.
    private struct Total {
        /// By unit: litres and kilograms are no sum.
        var amounts: [String: Double] = [:]
        /// Unit: km; nil where one of the trips does not tell it.
        var distance: Double?
        /// Nil where one of the trips has none, or another currency.
        var cost: String?
        var carbonDioxide: Double?

        /// Nil where there is not one unit.
        var single: (amount: Double, unit: String)? {
            amounts.count == 1 ? amounts.first.map { ($0.value, $0.key) } : nil
        }

        func words(_ units: UnitSystem) -> String? {
            let parts = amounts.sorted { $0.key < $1.key }.map {
                TripFuel.amount($0.value, $0.key, units)
            }
            return parts.isEmpty ? nil : parts.joined(separator: " + ")
        }

        func consumption(_ units: UnitSystem) -> String? {
            guard let (amount, unit) = single, let distance, distance >= 0.1 else { return nil }
            let per100km = amount / distance * 100
            guard unit == "L", units != .metric else {
                return "\(fixed(per100km, 1)) \(unit)/100 km"
            }
            let gallons = units.conversion(from: "L").map { $0(amount) } ?? amount
            let mpg = fixed(distance / 1.609344 / gallons, 1)
            return "\(mpg) mpg (\(units == .us ? "US" : "UK"))"
        }
    }

    private static func total(_ lines: [Line]) -> Total {
        var total = Total()
        let known = lines.filter { $0.use?.amount != nil }
        guard !known.isEmpty else { return total }
        for (kind, amount) in known.flatMap({ $0.use?.chosen?.amounts ?? [:] }) {
            total.amounts[kind.unit, default: 0] += amount
        }
        let distances = known.compactMap { $0.use?.distance }
        if distances.count == known.count { total.distance = distances.reduce(0, +) }
        total.carbonDioxide = known.reduce(0) { $0 + ($1.use?.carbonDioxide ?? 0) }
        let costs = known.compactMap { line in
            line.profile.price.flatMap { price in line.use?.cost(at: price) }
        }
        let currencies = Set(known.map(\.profile.currency))
        if costs.count == known.count, currencies.count == 1 {
            let currency = known[0].profile.currency.map { " " + $0 } ?? ""
            total.cost = fixed(costs.reduce(0, +), 2) + currency
        }
        return total
    }

    /// Compares what went in with what was calculated.
    private func calibrate(_ filled: Double, _ lines: [Line], _ writer: inout TextOutput) throws {
        let vehicles = Set(lines.map { $0.trip.vin ?? "" })
        guard vehicles.count == 1, let vin = vehicles.first else {
            throw Failure(
                "these trips are of \(vehicles.count) vehicles",
                hint: "a fill-up is of one: --vehicle VIN", status: .usage)
        }
        let before = lines[0].profile.settings.calibration
        let total = Self.total(lines)
        if total.amounts.count > 1 {
            throw Failure(
                "these trips burnt litres and kilograms, which are no sum",
                hint: "name the trips on one fuel", status: .usage)
        }
        guard let (amount, unit) = total.single, amount > 0 else {
            throw Failure(
                "nothing was calculated that could be compared",
                hint: "name trips in which fuel was burnt: obdscan trips fuel TRIP shows how much",
                status: .noInput)
        }
        if let silent = lines.first(where: { $0.use?.amount == nil }) {
            throw Failure(
                "trip \(silent.trip.id) tells nothing about fuel, so that the sum is too small",
                hint: "leave out trips of which the fuel is not known, and calibrate over others",
                status: .noInput)
        }
        let conversion = output.units.conversion(from: "L")
        let litres = unit == "L" ? filled / (conversion?.factor ?? 1) : filled
        let factor = litres / (amount / before)
        let name = vin.isEmpty ? "fuel.calibration" : "fuel.\(vin).calibration"
        guard (0.2...5).contains(factor) else {
            throw Failure(
                "calculated were \(TripFuel.amount(amount, unit, output.units)): "
                    + "such a difference is no matter of calibration",
                hint: "name exactly the trips between the two fill-ups", status: .usage)
        }
        let value = fixed(factor, 3)
        if save { try SettingsFile.set(name, to: value) }
        if output.format == .json {
            var object = JSONObject()
            object.add("kind", "fuelCalibration")
            object.add("setting", name)
            object.add("calibration", Double(value))
            object.add("filled", litres)
            object.add("calculated", amount / before)
            object.add("saved", save)
            try writer.append { object.append(to: &$0) }
        } else {
            output.note(
                save
                    ? "\(name) is \(value) now."
                    : "obdscan config set \(name) \(value) makes what is calculated fit; --save does it."
            )
        }
    }
}
