import ArgumentParser
import Formats
import OBDCore
import Reports
import SystemIO
import TripStore

struct TripsLogbookCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "logbook",
        abstract: "Write a logbook: odometer, distance and purpose of each trip, with sums.",
        discussion: """
            The purpose of a trip is its tag: business, private or commute (trips tag, log --tag). A trip \
            without such a tag, or with several of them, has no purpose. Sums are for each month and vehicle. \
            If the odometer counted further between two trips, the logbook has the distance without a recorded trip. Times \
            are local times, except in JSON and CSV, which have times in UTC; months are local. A trip whose \
            clock was not set is marked.

            The file of --to is a page (.html, .pdf), a sheet (.xlsx) or a table (.csv). The sums are on the page and \
            on a second sheet; the table has only the trips. --format json and csv have an object or a row \
            for each trip and for each sum.

            \(Self.ruleText)

            EXAMPLES
              obdscan trips logbook --month last
              obdscan trips logbook --month 2026-11 --vehicle "Van 1" --to november.xlsx
              obdscan trips tag 12 business
            """)

    @OptionGroup var choice: TripChoice

    @Option(
        help: ArgumentHelp(
            "Write to this file: .html, .pdf, .xlsx or .csv.",
            discussion: "An earlier logbook is replaced; any other file stays.", valueName: "file"),
        completion: .file())
    var to: String?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--to chooses the format by the file's ending: leave --format and --json out") {
            $0.to != nil && $0.output.explicitFormat != nil
        }
    ]

    func run() throws {
        let store = try database.open(.readOnly)
        try OutputFile.check(to, isNoneOf: store.files)
        let form = try TripTableFile(to, "a logbook", table: .logbook)
        _ = try (choice.from?.time(), choice.until?.time())
        try store.check(choice)
        let (all, chosen) = try mapped { () throws(StoreError) in
            var filter = TripStore.TripFilter()
            filter.vehicle = choice.vehicle
            return (
                try store.trips(filter), Set(try store.trips(choice.filter()).map(\.id))
            )
        }
        let book = Logbook(all, output.units) { chosen.contains($0.id) }
        if book.isEmpty {
            output.note(
                all.isEmpty
                    ? "There are no trips yet: \"obdscan log\" records one."
                    : "No trip fits this choice.")
        }
        guard let form else {
            return try Pager.print(output) { try book.print(output.form, &$0) }
        }
        try form.write(
            page: book.page, sheet: book.sheet, csv: book.csv, counted(chosen.count, "trip"),
            output)
    }
}
