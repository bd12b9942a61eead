import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import Settings
import SystemIO
import TripStore
import VehicleScan

struct TripsReportCommand: RuledCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write a trip as one page to read, send and print.",
        discussion: """
            The page is one HTML file that loads nothing from the network; a file that ends in .pdf is \
            printed by an installed Chromium or Chrome. It has a summary, fuel, \
            the track, plots, statistics of every signal, the known codes and readiness, and \
            problems. Plots can be zoomed; without scripts, and on paper, they show the whole \
            trip. The page contains the VIN and the positions.

            The paper of a .pdf is A4, or US Letter if the country of your locale (LC_PAPER, LANG) \
            uses it. PAPERSIZE=letter or PAPERSIZE=a4 in the environment overrides this.

            \(Self.ruleText)

            EXAMPLES
              obdscan trips report --to trip.html
              obdscan trips report --to trip.pdf
              obdscan trips report 12 --signal RPM --signal ECT --to trip.html
            """)

    @Argument(
        help: ArgumentHelp("The trip's number or name (default: the latest).", valueName: "trip"))
    var trip: TripReference?

    @Option(
        help: ArgumentHelp(
            "Write to this file (default: standard output).",
            discussion: "An earlier report is replaced; any other file stays.", valueName: "file"),
        completion: .file())
    var to: String?

    @Option(
        name: .customLong("signal"),
        help: ArgumentHelp(
            "Plot this signal; may be repeated (default: a selection).",
            valueName: "name"))
    var signals: [String] = []

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("trips report writes a page: leave --format and --json out") {
            $0.output.explicitFormat != nil
        }
    ]

    func run() throws {
        let store = try database.open(.readOnly)
        try OutputFile.check(to, isNoneOf: store.files)
        try PagePrinter.check(to)
        let id = try trip?.number(in: store) ?? store.latestTrip()
        let readings = try store.readings(ofTrip: id)
        let report = try TripReport(
            readings, store, output.units,
            UserSettings.current.fuelProfile(of: readings.trip.vin), plotting: signals,
            signalNamed: SignalNames.standardSignal)
        try PagePrinter.write(report.page, to: to, "trip \(id)", output)
    }
}
