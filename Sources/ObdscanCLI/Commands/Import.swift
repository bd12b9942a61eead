import Adapters
import ArgumentParser
import Formats
import OBDCore
import SystemIO
import TripImport
import TripIntake
import TripStore

/// `obdscan import`: other programs' logs and our own exports.
struct ImportCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Read logs and exports of obdscan and other programs.",
        discussion: """
            Reads obdscan's JSON Lines and CSV (long and wide), Torque's CSV logs, and CSV with a \
            time and one column per signal, as scripts that use python-OBD write it. The name of \
            a column decides which signal it is. An unknown column is kept under its own name. A \
            valid VIN in a column called VIN sets the trip's vehicle. Units are converted to \
            metric ones (--units us or imperial says which gallons a file has). Times without a \
            zone are local (the variable TZ).

            A file is stored completely or not at all: if a line cannot be read, obdscan names it \
            and stores nothing of the file (exit code 65). Importing a file again adds nothing. To \
            add another obdscan database, use obdscan db merge.

            EXAMPLES
              obdscan import trip.jsonl
              obdscan import trackLog.csv --name "To the sea"
              obdscan trips list
            """)

    @Argument(help: ArgumentHelp("Files to read.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(help: ArgumentHelp("Name the trip.", valueName: "text"))
    var name: String?

    @OptionGroup var tables: TableOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let name { try TripReference.check(name: name) }
    }

    func run() throws {
        let table = try loadTable(tables)
        var writer = TextOutput.standard
        var store: TripStore?
        var rows = RowWriter(
            output.format, columns: ["path", "trips", "known", "deleted", "readings"])
        for file in files {
            let input = try InputFile(path: file)
            let beginning = try input.beginning()
            guard let format = ImportFormat(beginning) else {
                throw Self.failure(of: file, beginning)
            }
            let progress = ProgressLine(output)
            let result: ImportRun.Result
            do {
                let run = try ImportRun(input, format, standard: table, units: output.units)
                let open = try store ?? database.open(.readWrite)
                store = open
                result = try run.store(in: open) { done, all in
                    progress.show(Double(done) / Double(max(all, done, 1)), "imported")
                }
                if let name {
                    for trip in result.trips {
                        try mapped { () throws(StoreError) in
                            try open.setName(name, ofTrip: trip)
                        }
                    }
                }
            } catch let fault as ImportFault {
                throw Failure(
                    "\(file):\(fault.line): \(fault.reason)",
                    hint: "nothing of the file was stored; correct or remove the line",
                    status: .badData)
            } catch let error as StoreError {
                throw Failure(error)
            }
            progress.clear()
            try print(file, result, &rows, &writer)
        }
    }

    /// Why a file that begins so is none to import, and who takes it.
    private static func failure(of file: String, _ beginning: [UInt8]) -> Failure {
        if beginning.isEmpty {
            return Failure("\(file) is empty", hint: "nothing was stored", status: .badData)
        }
        if beginning.starts(with: "SQLite format 3".utf8) {
            return Failure(
                "\(file) is a database",
                hint: "\"obdscan db merge \(file)\" adds its trips", status: .badData)
        }
        if Transcript.isTranscript(beginning) {
            return Failure(
                "\(file) is a recorded conversation",
                hint:
                    "\"obdscan decode\" reads it; \"obdscan log -d replay:\(file)\" makes a trip of it",
                status: .badData)
        }
        return Failure(
            "\(file): neither JSON Lines nor CSV with a time",
            hint: "\"obdscan import --help\" names the forms that are read", status: .badData)
    }

    private func print(
        _ file: String, _ result: ImportRun.Result, _ rows: inout RowWriter,
        _ writer: inout TextOutput
    ) throws {
        try writer.print(
            Row(
                "import",
                [
                    "path": .text(file), "trips": .numbers(result.trips),
                    "known": .integer(result.known), "deleted": .numbers(result.deleted),
                    "readings": .integer(result.readings),
                ]), &rows)
        if output.format == .text {
            let trips = result.trips.map(String.init).joined(separator: ", ")
            let what =
                result.trips.isEmpty
                ? "nothing new" : "trip \(trips), \(result.readings) readings"
            let known = result.known > 0 ? ", \(result.known) known already" : ""
            try writer.writeLine("\(printable(file)): \(what)\(known)")
        }
        for trip in result.deleted {
            output.note(
                "\(file): trip \(trip) came from it and was deleted; \"obdscan trips undo\" brings back "
                    + "the last deletion, and db compact allows a new import")
        }
        try writer.flush()
    }
}
