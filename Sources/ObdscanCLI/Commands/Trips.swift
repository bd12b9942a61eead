import ArgumentParser
import OBDCore
import TripExport
import TripStore

/// `obdscan trips`: recorded trips.
struct TripsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trips",
        abstract: "Recorded trips.",
        discussion: """
            EXAMPLES
              obdscan trips
              obdscan trips show 12
              obdscan trips list --latest 5 --format json
              obdscan trips fuel 12
              obdscan trips report 12 --to trip.html
              obdscan trips name 12 "To the sea"
              obdscan trips split 12 --gap 10m
              obdscan trips undo
            """,
        subcommands: [
            TripsListCommand.self, TripsShowCommand.self, TripsReportCommand.self,
            TripsFuelCommand.self, TripsCompareCommand.self,
            TripsNameCommand.self, TripsTagCommand.self, TripsNoteCommand.self,
            TripsSplitCommand.self, TripsJoinCommand.self, TripsDeleteCommand.self,
            TripsUndoCommand.self,
        ],
        defaultSubcommand: TripsListCommand.self)
}

/// `obdscan trips list`.
struct TripsListCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List trips, the earliest first.",
        discussion: """
            EXAMPLES
              obdscan trips list --vehicle 1HGCM82633A004352
              obdscan trips list --tag commute --from 2026-11-01
              obdscan trips list --all --format json
            """)

    @Option(help: ArgumentHelp("The latest so many.", valueName: "count"))
    var latest: Int?

    @Option(help: ArgumentHelp("Of the vehicle with this VIN or name.", valueName: "vehicle"))
    var vehicle: String?

    @Option(help: ArgumentHelp("With this tag.", valueName: "word"))
    var tag: String?

    @Option(help: ArgumentHelp("With this name.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("That end at or after this point.", valueName: "time"))
    var from: TripMoment?

    @Option(help: ArgumentHelp("That begin before this point.", valueName: "time"))
    var until: TripMoment?

    @Flag(help: "Not only drives: also what was kept when codes were read or cleared.")
    var all = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        var filter = TripStore.TripFilter(withScans: all)
        filter.latest = latest
        filter.vehicle = vehicle
        filter.tag = tag
        filter.name = name
        filter.from = try from?.time()
        filter.to = try until?.time()
        var writer = TextOutput.standard
        var printer = TripPrinter(output)
        for trip in try mapped({ () throws(StoreError) in try store.trips(filter) }) {
            try printer.print(trip, &writer)
        }
        try printer.finish(&writer)
    }
}

/// `obdscan trips show`.
struct TripsShowCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "A trip and the statistics of its signals.",
        discussion: """
            Fuel is the amount that trips fuel trusts most; its price is fuel.price of the \
            configuration.

            EXAMPLES
              obdscan trips show
              obdscan trips show 12 --format json
            """)

    @Argument(
        help: ArgumentHelp("The trip's number or name; the latest without.", valueName: "trip"))
    var trip: TripReference?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        let id = try trip?.number(in: store) ?? store.latestTrip()
        var writer = TextOutput.standard
        try Self.print(id, store, output, &writer)
        try writer.flush()
    }

    /// Prints a trip and what its signals add up to.
    static func print(
        _ id: Int64, _ store: TripStore, _ output: OutputOptions, _ writer: inout TextOutput
    ) throws {
        let readings = try mapped { () throws(StoreError) in try store.readings(ofTrip: id) }
        var printer = TripPrinter(output)
        try printer.print(readings.trip, &writer)
        try printer.finish(&writer)
        let profile = TripFuel.profile(of: readings.trip)
        let fuel = output.format == .csv ? nil : try TripFuel.use(of: readings, profile)
        switch output.format {
        case .text:
            let rest = try mapped { () throws(StoreError) in
                (try store.notes(ofTrip: id), try store.eventCounts(ofTrip: id))
            }
            try writer.write(
                printer.figures(
                    readings.trip, fuel: fuel.map { ($0, profile) }, notes: rest.0,
                    events: rest.1) + "\n")
        case .json:
            if let fuel {
                try writer.append { bytes in
                    TripFuel.object(fuel, of: readings.trip, profile).append(to: &bytes)
                }
            }
        case .csv: break
        }
        try printer.print(readings, &writer)
    }
}
