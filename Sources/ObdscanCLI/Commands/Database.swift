import ArgumentParser
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import Publishing
import SystemIO
import TripStore

/// `obdscan db`: maintains the database.
struct DatabaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db",
        abstract: "Maintain the database: check, recover, compact, merge, redecode.",
        discussion: """
            To back the database up, also while a trip is recorded, merge it into a second database: each run adds \
            the trips that are new.

            EXAMPLES
              obdscan db check
              obdscan db recover --to saved.db
              obdscan db merge laptop.db
              obdscan db redecode 12 --dry-run
            """,
        subcommands: [
            DatabaseCheckCommand.self, DatabaseRecoverCommand.self, DatabaseCompactCommand.self,
            DatabaseMergeCommand.self, DatabaseRedecodeCommand.self,
        ])
}

/// `obdscan db check`.
struct DatabaseCheckCommand: ParsableCommand, OutputCommand {
    var speaksWhenQuiet: Bool { true }

    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Look for damage and contradictions.",
        discussion: """
            Runs SQLite's integrity check, then checks that every row belongs to a trip or \
            vehicle, that sums and counts match the readings, and that every record has its raw \
            bytes. Exits with 65 if something is wrong. It changes nothing, but readings that a \
            killed program left in memory are taken into the database first.

            EXAMPLES
              obdscan db check
              obdscan db check --db copy.db --format json
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        let result = try store.examine()
        var writer = TextOutput.standard
        try writer.print(
            Row(
                "databaseCheck",
                [
                    "path": .text(store.path), "ok": .flag(result.faults.isEmpty),
                    "version": .integer(result.version), "trips": .integer(result.trips),
                    "scans": .integer(result.scans), "readings": .integer(result.readings),
                    "bytes": .integer(result.size),
                    "freeBytes": .integer(result.free), "faults": .texts(result.faults),
                ]), output.format)
        if output.format == .text {
            for fault in result.faults { try writer.writeLine(printable(fault)) }
            if result.faults.isEmpty {
                let free = result.free > 0 ? ", \(byteText(result.free)) of it free" : ""
                try writer.writeLine(
                    "\(printable(store.path)): nothing is wrong. Trips: \(result.trips ?? 0), "
                        + "scans: \(result.scans ?? 0), "
                        + "readings: \(result.readings ?? 0), size: "
                        + "\(byteText(result.size))\(free)")
            }
        }
        try writer.flush()
        if store.holdsUnwrittenChanges {
            output.note(
                "\(store.path)-wal holds changes that \(store.path) alone does not have: copy both "
                    + "files, or \"obdscan export --all --to COPY.db\" makes a complete copy")
        }
        for copy in store.copiesLeft { output.note(copy.text) }
        guard !result.faults.isEmpty else { return }
        throw Failure(
            "\(store.path) is damaged",
            hint: "\"obdscan db recover --to NEW.db\" saves what is left",
            status: .badData)
    }
}

/// `obdscan db compact`.
struct DatabaseCompactCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Return the space of deleted trips to the disk.",
        discussion: """
            Deleted trips cannot be restored afterwards. With --keep it also deletes older drives, \
            except those with a name, a tag or a note. It needs space for a second copy of the \
            file while it runs.

            EXAMPLES
              obdscan db compact
              obdscan db compact --keep 365d --yes
            """)

    @Option(help: ArgumentHelp("Delete drives that are older than this: 365d.", valueName: "time"))
    var keep: AgeArgument?

    @Flag(help: "Do not ask before old drives are deleted.")
    var yes = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readWrite)
        var deleted = 0
        if let keep {
            let permission = WritePermission(yes: yes, force: true)
            try permission.checkThatSomebodyCanAnswer(for: "deleting old trips")
            if !yes {
                try Confirmation(word: "delete").require(
                    "Delete drives that are older for good?", otherwise: "nothing was deleted")
            }
            let reading = SystemClock.reading()
            if let fault = try store.checkThatDrivesExpire(by: reading) {
                throw Failure(
                    "--keep deletes nothing: \(fault.text)",
                    hint: "without --keep the database is compacted", status: .declined)
            }
            let expiry = try store.deleteTrips(
                endedBefore: keep.limit(reading.utc),
                except: Set(try store.undeliveredTrips().keys), now: reading.utc)
            deleted = expiry.deleted.count
            if let text = expiry.keptText { output.note(text) }
        }
        let sizes = try mapped { () throws(StoreError) in
            let before = try store.examine().size
            deleted += try store.purge()
            try store.compact()
            return (before, try store.examine().size)
        }
        var writer = TextOutput.standard
        try writer.print(
            Row(
                "compaction",
                [
                    "path": .text(store.path), "deletedTrips": .integer(deleted),
                    "bytesBefore": .integer(sizes.0), "bytes": .integer(sizes.1),
                ]), output.format)
        if output.format == .text {
            try writer.writeLine(
                "\(printable(store.path)): \(byteText(sizes.0)) before, \(byteText(sizes.1)) now"
                    + (deleted > 0 ? ", \(counted(deleted, "trip")) deleted" : ""))
        }
        try writer.flush()
    }
}

/// `obdscan db merge`.
struct DatabaseMergeCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Add the trips of other databases.",
        discussion: """
            Use it to collect trips from several laptops. Trips that are already here, complete or \
            as parts of others, are skipped, so merging twice adds nothing. Vehicles, adapters and \
            the history of codes are added, too. The other databases are only read.

            EXAMPLES
              obdscan db merge laptop.db
              obdscan db merge /media/stick/*.db --db all.db
            """)

    @Argument(help: ArgumentHelp("Databases of obdscan.", valueName: "file"), completion: .file())
    var files: [String]

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readWrite)
        var writer = TextOutput.standard
        var rows = RowWriter(output.format, columns: ["path", "trips", "known", "open"])
        for file in files {
            if OutputFile.isOneFile(file, store.path) {
                throw Failure(
                    "\(file) is the database that would receive the trips",
                    hint: "--db FILE names another one to receive them", status: .usage)
            }
            guard access(file, F_OK) == 0 else { throw Failure(inputFile: file, errno: errno) }
            let progress = ProgressLine(output)
            let merged = try store.merge(from: file) { done, all in
                progress.show(Double(done) / Double(max(all, 1)), "merged")
            } isOneName: {
                PublishedName.slug($0) == PublishedName.slug($1)
            }
            progress.clear()
            try writer.print(
                Row(
                    "merge",
                    [
                        "path": .text(file), "trips": .numbers(merged.trips),
                        "known": .integer(merged.known), "open": .integer(merged.open),
                    ]), &rows)
            if output.format == .text {
                let scans = try mapped { () throws(StoreError) in
                    try merged.trips.count { (id) throws(StoreError) in
                        try store.trip(id).purpose == .scan
                    }
                }
                let drives = merged.trips.count - scans
                let open = merged.open > 0 ? ", \(merged.open) still being recorded" : ""
                try writer.writeLine(
                    "\(printable(file)): \(counted(drives, "trip")) added, "
                        + (scans > 0 ? "\(counted(scans, "record")) of codes added, " : "")
                        + "\(merged.known) known already\(open)")
            }
            for (vin, name) in merged.unnamed.sorted(by: { $0.key < $1.key }) {
                output.note(
                    "\(vin) has no name here, because another vehicle is called \"\(printable(name))\": "
                        + "\"obdscan trips vehicle \(vin) NAME\" names it")
            }
            if merged.longer > 0 {
                output.note(
                    "\(merged.longer) of the known trips have more readings in \(file): to keep "
                        + "those, merge this database into it, not the other way round")
            }
            try writer.flush()
        }
    }
}
