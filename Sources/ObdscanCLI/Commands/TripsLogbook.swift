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
            If the odometer counted further between two trips, the logbook says how far no trip was recorded. Times \
            are local times.

            The file of --to is a page (.html, .pdf), a sheet (.xlsx) or a table (.csv). JSON has an object \
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

    /// The kind of the file; nil is standard output.
    private enum Form {
        case page, sheet, table
    }

    private func form() throws(Failure) -> Form? {
        guard let to else { return nil }
        switch OutputFile.ending(of: to) {
        case "html", "htm", "pdf":
            try PagePrinter.check(to)
            return .page
        case "xlsx":
            try OwnFile.trips(.xlsx).check(mayReplace: to)
            return .sheet
        case "csv":
            try OwnFile.logbook.check(mayReplace: to)
            return .table
        default:
            throw Failure(
                "\(to): a logbook ends in .html, .pdf, .xlsx or .csv", status: .usage)
        }
    }

    func run() throws {
        let store = try database.open(.readOnly)
        try OutputFile.check(to, isNoneOf: store.files)
        let form = try form()
        try store.check(vehicle: choice.vehicle)
        let trips = try mapped { () throws(StoreError) in try store.trips(choice.filter()) }
        let book = Logbook(trips, output.units)
        if book.isEmpty { output.note("There are no such trips.") }
        guard let to, let form else {
            return try Pager.print(output) { try book.print(output.form, &$0) }
        }
        switch form {
        case .page: try PagePrinter.write(book.page, to: to)
        case .sheet: try OutputFile.write(to, bytes: book.sheet.bytes)
        case .table: try OutputFile.write(to, bytes: book.csv)
        }
        output.note("\(to): \(counted(trips.count, "trip"))")
    }
}
