import ArgumentParser
import Glibc
import OBDCore
import TripExport
import TripStore

/// `obdscan db recover`.
struct DatabaseRecoverCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Save what is left of a damaged database into a new one.",
        discussion: """
            The damaged file is only read, page by page, its write-ahead log included; rows are \
            taken from every page that can still be read, also from those that the rest of the file \
            has lost. Trips whose own row is gone begin in 1970.

            EXAMPLES
              obdscan db recover --to saved.db
              obdscan db recover --db damaged.db --to saved.db --format json
            """)

    @Option(help: ArgumentHelp("The new database.", valueName: "file"), completion: .file())
    var to: String

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        guard let damaged = database.file else {
            throw Failure("there is no database", hint: "--db FILE names it", status: .noInput)
        }
        guard access(damaged, F_OK) == 0 else { throw Failure(StoreError.missing(path: damaged)) }
        guard access(to, F_OK) != 0 else {
            throw Failure(
                "\(to) exists already", hint: "name a file that does not", status: .cannotCreate)
        }
        let progress = ProgressLine(output)
        let saved: Salvaged
        do {
            saved = try mapped { () throws(StoreError) in
                try TripStore(path: to).salvage(from: damaged) { progress.show($0, "recovered") }
            }
            guard !saved.rows.isEmpty else {
                throw Failure(
                    "\(damaged) holds nothing that could be saved",
                    hint: "is it the right file? obdscan db check names obdscan's own",
                    status: .badData)
            }
        } catch {
            // Nobody wants what is empty, and the next try would take it for another's.
            for file in [to, to + "-wal", to + "-shm"] { unlink(file) }
            throw error
        }
        progress.clear()
        var writer = TextOutput.standard
        switch output.format {
        case .json:
            var rows = JSONObject()
            for (table, count) in saved.rows.sorted(by: { $0.key < $1.key }) {
                rows.add(named: table, count)
            }
            var object = JSONObject()
            object.add("kind", "recovery")
            object.add("path", to)
            object.add("pages", saved.pages)
            object.add("damagedPages", saved.damagedPages)
            object.add("orphanPages", saved.orphanPages)
            object.add("rejected", saved.rejected)
            object.add("tripsWithoutTime", saved.tripsWithoutTime.map { String($0) })
            object.add("unknownChannels", saved.unknownChannels)
            object.add("rows", rows)
            try writer.append { object.append(to: &$0) }
        case .csv:
            try writer.append { bytes in
                CSVRow.append(
                    [
                        "path", "trips", "readings", "pages", "damagedPages", "orphanPages",
                        "rejected", "tripsWithoutTime", "unknownChannels",
                    ], to: &bytes)
                CSVRow.append(
                    [
                        to, String(saved.rows["trip"] ?? 0), String(saved.rows["reading"] ?? 0),
                        String(saved.pages), String(saved.damagedPages),
                        String(saved.orphanPages), String(saved.rejected),
                        saved.tripsWithoutTime.map { String($0) }.joined(separator: " "),
                        String(saved.unknownChannels),
                    ], to: &bytes)
            }
        case .text:
            try writer.writeLine(
                "\(printable(to)): \(saved.rows["trip"] ?? 0) trips, "
                    + "\(saved.rows["reading"] ?? 0) readings from \(saved.pages) pages, "
                    + "\(saved.damagedPages) of them damaged")
            if saved.orphanPages > 0 {
                try writer.writeLine(
                    "\(saved.orphanPages) pages had lost their place; their rows were taken too")
            }
            if !saved.tripsWithoutTime.isEmpty {
                let trips = saved.tripsWithoutTime.map(String.init).joined(separator: ", ")
                try writer.writeLine("of these trips the date is lost: \(trips)")
            }
        }
        try writer.flush()
    }
}
