import ArgumentParser
import Formats
import OBDCore
import Reports
import Settings
import SystemIO
import TripStore

/// `obdscan trips`: recorded trips.
struct TripsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trips",
        abstract: "List, show, change and compare recorded trips.",
        discussion: """
            EXAMPLES
              obdscan trips
              obdscan trips show 12
              obdscan trips list --latest 5 --format json
              obdscan trips fuel 12
              obdscan trips energy 12
              obdscan trips drift
              obdscan trips report 12 --to trip.html
              obdscan trips logbook --month last
              obdscan trips name 12 "To the sea"
              obdscan trips vehicle 1HGCM82633A004352 "Van 1"
              obdscan trips split 12 --gap 10m
              obdscan trips undo
            """,
        subcommands: [
            TripsListCommand.self, TripsShowCommand.self, TripsReportCommand.self,
            TripsFuelCommand.self, TripsEnergyCommand.self, TripsDriftCommand.self,
            TripsLogbookCommand.self, TripsCompareCommand.self,
            TripsNameCommand.self, TripsVehicleCommand.self, TripsTagCommand.self,
            TripsNoteCommand.self,
            TripsSplitCommand.self, TripsJoinCommand.self, TripsShiftCommand.self,
            TripsDeleteCommand.self, TripsUndoCommand.self,
        ],
        defaultSubcommand: TripsListCommand.self)
}

struct TripsListCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List trips, earliest first.",
        discussion: """
            EXAMPLES
              obdscan trips list --vehicle 1HGCM82633A004352
              obdscan trips list --tag commute --from 2026-11-01
              obdscan trips list --month 2026-11
              obdscan trips list --search sea
              obdscan trips list --all --format json
            """)

    @Option(help: ArgumentHelp("Show only this many of the latest trips.", valueName: "count"))
    var latest: Int?

    @OptionGroup var choice: TripChoice

    @Option(help: ArgumentHelp("Show only trips with this name.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Show only trips with this text in name, tags or notes.", valueName: "text"))
    var search: String?

    @Flag(help: "Show records of code reading and clearing, too.")
    var all = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let latest, latest < 1 { throw ValidationError("--latest takes a number from 1") }
    }

    func run() throws {
        let store = try database.open(.readOnly)
        _ = try (choice.from?.time(), choice.until?.time())
        try store.check(choice)
        var filter = choice.filter(withScans: all)
        (filter.latest, filter.name, filter.search) = (latest, name, search)
        let found = try mapped({ () throws(StoreError) in try store.trips(filter) })
        try Pager.print(output) { writer in
            var printer = TripPrinter(output.form)
            for trip in found { try printer.print(trip, &writer) }
            try printer.finish(&writer, withTotals: true)
        }
        if found.isEmpty {
            let isWhole = filter == TripStore.TripFilter(withScans: all)
            output.note(
                isWhole
                    ? "There are no trips yet: \"obdscan log\" records one."
                    : "No trip fits this choice.")
        }
    }
}

struct TripsShowCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a trip and the statistics of its signals.",
        discussion: """
            Fuel is the result of the method that trips fuel trusts most; fuel.price of the \
            configuration sets its price. JSON and CSV have a row for the trip, its fuel, and each \
            signal, note and type of event.

            EXAMPLES
              obdscan trips show
              obdscan trips show 12 --format json
            """)

    @Argument(
        help: ArgumentHelp("The trip's number or name (default: the latest).", valueName: "trip"))
    var trip: TripReference?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        let id = try trip?.number(in: store) ?? store.latestTrip()
        try Pager.print(output) {
            try TripDetails.print(
                id, store, output.form, { UserSettings.current.fuelProfile(of: $0.vin) }, &$0)
        }
    }
}
