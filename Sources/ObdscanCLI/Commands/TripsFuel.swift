import ArgumentParser
import Formats
import OBDCore
import PIDTables
import Reports
import Settings
import SystemIO
import TripStore

struct TripsFuelCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuel",
        abstract: "Calculate the fuel of trips by every method, and calibrate it.",
        discussion: """
            Methods, the most trusted first: the fuel rate of the ECU by volume (PID 5E) or by \
            mass (9D); air flow (10 or 66) over lambda; and from manifold pressure (0B), intake \
            temperature (0F) and engine speed (0C) with fuel.displacement of the configuration. \
            The fuel type is fuel.type of the configuration, then that of PID 51, then gasoline. \
            Lambda is the value that the ECU commands (44), or 1; a diesel needs the value of a \
            sensor (24, 34), because it runs with excess air. A method is skipped if it is 0 all \
            the time, above 250 L/h, or gives a consumption that no vehicle has. A method with \
            data for less than 80 % of the time is only used if there is no other.

            After a fill-up, name the trips since the last one (or give --from and --until), and \
            the amount with --filled. The amount is compared with the calculated one, and --save \
            stores the factor as fuel.calibration, or as fuel.VIN.calibration if the vehicle is \
            known. Fill the tank to the same mark both times. --save needs 10 L (or kg) or more, \
            because two fillings to one mark may differ by a litre. Amounts with a factor are marked as calibrated.

            The energy of a traction battery is in obdscan trips energy.

            Trips of several vehicles are added up per vehicle. JSON and CSV have a row for each \
            trip, method and vehicle.

            \(Self.ruleText)

            EXAMPLES
              obdscan trips fuel 12
              obdscan trips fuel --month 2026-11
              obdscan trips fuel --from 2026-11-01 --until 2026-11-14
              obdscan trips fuel --from 2026-11-01T18:00 --filled 41.3 --save
            """)

    @Argument(
        help: ArgumentHelp("Numbers or names of trips (default: the latest).", valueName: "trip"))
    var trips: [TripReference] = []

    @OptionGroup var choice: TripChoice

    @Option(
        help: ArgumentHelp(
            "Set the amount that was filled in after these trips.",
            discussion:
                "The unit is litres, kg of natural gas, or gallons with --units us or imperial.",
            valueName: "amount"))
    var filled: Double?

    @Flag(help: "Save the factor of --filled in the configuration.")
    var save = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("name trips, or choose them with --vehicle, --tag or a time") {
            !$0.trips.isEmpty
                && ($0.choice.choosesTrips || $0.choice.from != nil || $0.choice.until != nil)
        },
        OptionRule("--save belongs to --filled") { $0.save && $0.filled == nil },
    ]

    func validate() throws {
        try checkRules()
        if let filled, !(filled > 0 && filled < 100_000) {
            throw ValidationError("--filled has to be more than 0")
        }
    }

    func run() throws {
        let store = try database.open(.readOnly)
        var lines: [FuelReport.Line] = []
        for id in try choice.numbers(of: trips, in: store) {
            let readings = try store.readings(ofTrip: id)
            let profile = UserSettings.current.fuelProfile(of: readings.trip.vin)
            lines.append(
                FuelReport.Line(
                    trip: readings.trip, use: try TripFuel.use(of: readings, profile),
                    profile: profile))
        }
        if !lines.contains(where: { $0.use != nil }) {
            let electric = try lines.first { try isElectric($0.trip.id, store) }
            let silence = Failure(
                "\(lines.count == 1 ? "trip \(lines[0].trip.id) has" : "the trips have") "
                    + "no fuel data",
                hint: electric.map {
                    "\"obdscan trips energy \($0.trip.id)\" shows the energy of its battery"
                } ?? "record FUEL_RATE, MAF, or MAP, IAT and RPM with fuel.displacement set",
                status: .noInput)
            // A script gets an empty result without an error.
            if output.format == .text || filled != nil { throw silence }
            output.note(silence.message)
        }
        var writer = TextOutput.standard
        let report = FuelReport(lines: lines, output: output.form)
        try report.print(&writer)
        if let filled { try calibrate(filled, report, &writer) }
        try writer.flush()
    }

    private func isElectric(_ trip: Int64, _ store: TripStore) throws -> Bool {
        try TripEnergy(store.readings(ofTrip: trip), PIDTables.signalRoles(TableFile.own()))?
            .isWorthShowing
            ?? false
    }

    /// Compares the filled amount with the calculated one.
    private func calibrate(_ filled: Double, _ report: FuelReport, _ writer: inout TextOutput)
        throws
    {
        let found = try report.calibration(filled: filled, saves: save)
        let name = found.vin.map { "fuel.\($0).calibration" } ?? "fuel.calibration"
        let value = fixed(found.factor, 3)
        if save { try SettingsFile.set(name, to: value) }
        if output.format == .json {
            let row = found.row(name, value, isSaved: save)
            try writer.print(row, output.format)
        } else {
            output.note(
                save
                    ? "\(name) is \(value) now."
                    : "\"obdscan config set \(name) \(value)\" applies the factor; --save does the same."
            )
        }
    }
}
