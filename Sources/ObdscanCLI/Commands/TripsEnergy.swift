import ArgumentParser
import Formats
import OBDCore
import PIDTables
import Reports
import SystemIO
import TripStore

struct TripsEnergyCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "energy",
        abstract: "Show the energy of electric driving, charging, and the traction battery.",
        discussion: """
            Energy is the counters of the battery computer, or voltage times current over time if that \
            is more exact. Record the battery's voltage, current and state of charge, and the speed: \
            obdscan log ev-voltage ev-current ev-soc speed. Values more than 10 s apart are not joined; \
            the gaps are listed. obdscan finds out whether a positive current drives or charges: by the name of the signal, by the \
            voltage, which sinks when the battery gives current, or by the state of charge, once it has changed by \
            3 points. If none of the three shows the sign, no energy is given. A current of at most 0.5 A that flows for a minute while the vehicle does not move is taken \
            as the offset of the sensor.

            A session is at least two minutes of charging without motion. Without a speed it \
            is ten minutes of steady current. The capacity comes from sessions that raise the state of \
            charge by 40 points or more. It is what the battery computer believes, because the computer \
            derives the state of charge from the charge that it counts. Name many trips for a smaller \
            error.

            Cells are judged between 20 and 80 % of charge and above 5 °C. The weakest cell is named \
            only if the same one is the lowest in 80 % of the readings.

            The file of --to is a page (.html, .pdf), a sheet (.xlsx) or a table (.csv). JSON and CSV \
            have a row for each trip, charging session and vehicle; Error is two standard deviations.

            \(Self.ruleText)

            EXAMPLES
              obdscan trips energy 12
              obdscan trips energy --month 2026-11
              obdscan trips energy --vehicle "Van 1" --to energy.xlsx
            """)

    @Argument(
        help: ArgumentHelp("Numbers or names of trips (default: the latest).", valueName: "trip"))
    var trips: [TripReference] = []

    @OptionGroup var choice: TripChoice

    @Option(
        help: ArgumentHelp(
            "Write to this file: .html, .pdf, .xlsx or .csv.",
            discussion: "An earlier table is replaced; any other file stays.", valueName: "file"),
        completion: .file())
    var to: String?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("name trips, or choose them with --vehicle, --tag or a time") {
            !$0.trips.isEmpty
                && ($0.choice.choosesTrips || $0.choice.from != nil || $0.choice.until != nil)
        },
        OptionRule("--to chooses the format by the file's ending: leave --format and --json out") {
            $0.to != nil && $0.output.explicitFormat != nil
        },
    ]

    func run() throws {
        let store = try database.open(.readOnly)
        try OutputFile.check(to, isNoneOf: store.files)
        let file = try TripTableFile(to, "a table of energy", table: .energy)
        let ids = try choice.numbers(of: trips, in: store)
        let roles = try PIDTables.signalRoles(TableFile.own())
        let found = try ids.compactMap { try TripEnergy(store.readings(ofTrip: $0), roles) }
        if found.isEmpty {
            let silence = Failure(
                "\(ids.count == 1 ? "trip \(ids[0]) has" : "the trips have") "
                    + "no values of a traction battery",
                hint: "record them: obdscan log ev-voltage ev-current ev-soc speed",
                status: .noInput)
            // A script gets an empty result without an error.
            if output.format == .text || file != nil { throw silence }
            output.note(silence.message)
        }
        let report = EnergyReport(found, output.form)
        if let file {
            return try file.write(
                page: report.page, sheet: report.sheet, csv: report.csv,
                counted(found.count, "trip"), output)
        }
        try Pager.print(output) { try report.print(&$0) }
    }
}
