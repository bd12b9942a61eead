import ArgumentParser
import Diagnostics
import OBDCore
import PIDTables
import SystemIO
import TripExport
import TripReports
import TripStore
import VehicleScan

/// `obdscan trips report`.
struct TripsReportCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "A trip as one page to read, send and print.",
        discussion: """
            The page is one HTML file that loads nothing from anywhere: summary, fuel, the track, \
            plots, what every signal came to, codes and readiness as far as they are known, and what \
            went wrong. Its plots can be zoomed; without a script, and on paper, they show the whole \
            trip. It holds the vehicle's identification number and where it was.

            EXAMPLES
              obdscan trips report --to trip.html
              obdscan trips report 12 --signal RPM --signal ECT --to trip.html
            """)

    @Argument(
        help: ArgumentHelp("The trip's number or name; the latest without.", valueName: "trip"))
    var trip: TripReference?

    @Option(
        help: ArgumentHelp("The file; standard output without.", valueName: "file"),
        completion: .file())
    var to: String?

    @Option(
        name: .customLong("signal"),
        help: ArgumentHelp(
            "Plot this signal; may be repeated. Without, what drivers look at first.",
            valueName: "name"))
    var signals: [String] = []

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        try OutputFile.check(to, isNoneOf: store.files)
        try OutputFile.checkPage(to)
        let id = try trip?.number(in: store) ?? store.latestTrip()
        let readings = try mapped { () throws(StoreError) in try store.readings(ofTrip: id) }
        let report = try TripReport(
            readings, store, output.units, TripFuel.profile(of: readings.trip), plotting: signals,
            signalNamed: SignalNames.standardSignal)
        try OutputFile.write(to) { file in
            try file.write(bytes: report.page.bytes)
        }
        if let to, let size = OutputFile.size(of: to) {
            output.note("\(to): trip \(id), \(byteText(size))")
        }
    }
}
