import ArgumentParser
import Formats
import OBDCore
import Reports
import Settings
import SystemIO
import TripStore

struct TripsCompareCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compare two trips signal by signal.",
        discussion: """
            Signals match if ECU, identifier and name are the same. The signal that differs most comes \
            first: the change of its mean, compared with its range in both trips. Totals such as the odometer \
            have no mean. JSON has the objects of both trips first, then one object per signal.

            EXAMPLES
              obdscan trips compare 12 13
              obdscan trips compare 12 latest --format json
            """)

    @Argument(help: ArgumentHelp("The trip to compare with.", valueName: "first"))
    var first: TripReference

    @Argument(help: ArgumentHelp("The other trip.", valueName: "second"))
    var second: TripReference

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        let ids = [try first.number(in: store), try second.number(in: store)]
        if ids[0] == ids[1] {
            output.note("Both are trip \(ids[0]): it is compared with itself.")
        }
        let both = try mapped { () throws(StoreError) in
            (try store.readings(ofTrip: ids[0]), try store.readings(ofTrip: ids[1]))
        }
        var writer = TextOutput.standard
        var printer = TripPrinter(output.form)
        if output.format == .text {
            try printer.print(both.0.trip, &writer)
            try printer.print(both.1.trip, &writer)
            try printer.finish(&writer)
        }
        let comparison = try TripComparison(both.0, both.1, output.form) {
            UserSettings.current.fuelProfile(of: $0.vin)
        }
        try comparison.print(&writer)
    }
}
