import ArgumentParser
import Diagnostics
import Glibc
import OBDCore
import PIDTables
import TripExport
import TripStore

/// `obdscan db`: care of the database.
struct DatabaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db",
        abstract: "Care of the database: check, recover, compact, merge, redecode.",
        discussion: """
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
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Look for damage and contradictions.",
        discussion: """
            SQLite's own integrity check first; then that every row belongs to something, that \
            sums and counts are those of the readings, and that every record has its raw bytes. \
            Exits with 65 when something is wrong. Nothing is changed.

            EXAMPLES
              obdscan db check
              obdscan db check --db copy.db --format json
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        let result = try mapped { () throws(StoreError) in try store.examine() }
        var writer = TextOutput.standard
        if output.format == .json {
            var object = JSONObject()
            object.add("kind", "databaseCheck")
            object.add("path", store.path)
            object.add("ok", result.faults.isEmpty)
            object.add("version", result.version)
            object.add("trips", result.trips)
            object.add("readings", result.readings)
            object.add("bytes", result.size)
            object.add("freeBytes", result.free)
            object.add("faults", result.faults)
            try writer.append { object.append(to: &$0) }
        } else {
            for fault in result.faults { try writer.writeLine(printable(fault)) }
            if result.faults.isEmpty {
                let free = result.free > 0 ? ", \(byteText(result.free)) of it free" : ""
                try writer.writeLine(
                    "\(printable(store.path)): nothing is wrong. "
                        + "\(result.trips ?? 0) trips, \(result.readings ?? 0) readings, "
                        + "\(byteText(result.size))\(free)")
            }
        }
        try writer.flush()
        guard !result.faults.isEmpty else { return }
        throw Failure(
            "\(store.path) is damaged", hint: "obdscan db recover --to NEW.db saves what is left",
            status: .badData)
    }
}

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
                    hint: "is it the right file? obdscan's own is named by obdscan db check",
                    status: .badData)
            }
        } catch {
            // Nobody wants what is empty, and the next try would take it for another's.
            for file in [to, to + "-wal", to + "-shm"] { unlink(file) }
            throw error
        }
        progress.clear()
        var writer = TextOutput.standard
        if output.format == .json {
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
        } else {
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

/// `obdscan db compact`.
struct DatabaseCompactCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Give the space of deleted trips back to the disk.",
        discussion: """
            Deleted trips cannot be had back afterwards. With --keep, drives that ended longer ago \
            are deleted too, but none that has a name, a tag or a note. While it runs it needs room \
            for a second copy of the file.

            EXAMPLES
              obdscan db compact
              obdscan db compact --keep 365d --yes
            """)

    @Option(help: ArgumentHelp("Delete drives that are older.", valueName: "time"))
    var keep: Lapse?

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
                guard
                    try Confirmation(word: "delete").ask(
                        "Delete drives that are older for good?", interruptedBy: -1)
                else { throw Failure("nothing was deleted", status: .usage) }
            }
            let limit = Clock.utc.microseconds - keep.duration.nanoseconds / 1000
            deleted = try mapped { () throws(StoreError) in
                try store.deleteTrips(endedBefore: UTC(microseconds: limit)).count
            }
        }
        let sizes = try mapped { () throws(StoreError) in
            let before = try store.examine().size
            deleted += try store.purge()
            try store.compact()
            return (before, try store.examine().size)
        }
        var writer = TextOutput.standard
        if output.format == .json {
            var object = JSONObject()
            object.add("kind", "compaction")
            object.add("path", store.path)
            object.add("deletedTrips", deleted)
            object.add("bytesBefore", sizes.0)
            object.add("bytes", sizes.1)
            try writer.append { object.append(to: &$0) }
        } else {
            try writer.writeLine(
                "\(printable(store.path)): \(byteText(sizes.0)) before, \(byteText(sizes.1)) now"
                    + (deleted > 0 ? ", \(deleted) trips deleted" : ""))
        }
        try writer.flush()
    }
}

/// `obdscan db merge`.
struct DatabaseMergeCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Take the trips of other databases over.",
        discussion: """
            Of several laptops, say. Trips that are here already, whole or as parts of others, are \
            left out, so that merging twice adds nothing. Vehicles, adapters and the history of \
            codes are taken over too. The other databases are only read.

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
        for file in files {
            if OutputFile.isOneFile(file, store.path) {
                throw Failure(
                    "\(file) is the database that trips are to be taken into",
                    hint: "--db FILE names the one that takes them", status: .usage)
            }
            let progress = ProgressLine(output)
            let merged = try mapped { () throws(StoreError) in
                try store.merge(from: file) { done, all in
                    progress.show(Double(done) / Double(max(all, 1)), "merged")
                }
            }
            progress.clear()
            if output.format == .json {
                var object = JSONObject()
                object.add("kind", "merge")
                object.add("path", file)
                object.add("trips", merged.trips.map { String($0) })
                object.add("known", merged.known)
                object.add("open", merged.open)
                try writer.append { object.append(to: &$0) }
            } else {
                let open = merged.open > 0 ? ", \(merged.open) still being recorded" : ""
                try writer.writeLine(
                    "\(printable(file)): \(merged.trips.count) trips taken over, "
                        + "\(merged.known) known already\(open)")
            }
            try writer.flush()
        }
    }
}

/// `obdscan db redecode`.
struct DatabaseRedecodeCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "redecode",
        abstract: "Decode the raw bytes of trips again with today's table.",
        discussion: """
            For trips that an older PID table decoded, or none: raw bytes, times and everything but \
            the values stay as they are. Says which signals have other values now. --dry-run only \
            says it.

            EXAMPLES
              obdscan db redecode 12 --dry-run
              obdscan db redecode --pids own.pids
            """)

    @Argument(help: ArgumentHelp("Numbers or names; all without.", valueName: "trip"))
    var trips: [TripReference] = []

    @Flag(help: "Change nothing, only say what would change.")
    var dryRun = false

    @OptionGroup var tables: TableOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadTable(tables)
        let monitors = try PIDTables.monitorTables()
        let store = try database.open(.readWrite)
        var ids: [Int64] = []
        for trip in trips { ids.append(try trip.number(in: store)) }
        if trips.isEmpty {
            ids = try mapped { () throws(StoreError) in
                try store.trips(TripStore.TripFilter(withScans: true))
            }.filter { $0.endReason != nil }.map(\.id)
        }
        let progress = ProgressLine(output)
        var writer = TextOutput.standard
        var rows = TextTable([
            ("TRIP", .right), ("SIGNAL", .left), ("CHANGED", .right), ("NEW", .right),
            ("GONE", .right), ("FOR EXAMPLE", .left),
        ])
        for (index, id) in ids.enumerated() {
            progress.show(Double(index) / Double(ids.count), "decoded")
            let result = try mapped { () throws(StoreError) in
                try store.redecode(trip: id, table: table, monitors: monitors, keeps: !dryRun)
            }
            for (signal, change) in result.changes.sorted(by: { $0.key < $1.key }) {
                let example = change.example.map { "\($0.before) → \($0.after)" }
                rows.add([
                    .init(String(id)), .init(signal, .bold), .init(String(change.changed)),
                    .init(String(change.added)), .init(String(change.removed)),
                    .init(example ?? ""),
                ])
            }
            if output.format == .json {
                progress.clear()
                try writer.append { object(id, result).append(to: &$0) }
                try writer.flush()
            }
        }
        progress.clear()
        guard output.format != .json else { return }
        if rows.isEmpty {
            try writer.writeLine("\(ids.count) trips: no value changes")
        } else {
            try writer.write(rows.text(Palette(isOn: output.colours(1))))
            if dryRun { output.note("Nothing was changed.") }
        }
        try writer.flush()
    }

    private func object(_ trip: Int64, _ result: Redecoded) -> JSONObject {
        var changes = JSONObject()
        for (signal, change) in result.changes.sorted(by: { $0.key < $1.key }) {
            var object = JSONObject()
            object.add("changed", change.changed)
            object.add("added", change.added)
            object.add("removed", change.removed)
            object.add("before", change.example?.before)
            object.add("after", change.example?.after)
            changes.add(named: signal, object)
        }
        var object = JSONObject()
        object.add("kind", "redecoded")
        object.add("trip", Int(trip))
        object.add("decoded", result.decoded)
        object.add("found", result.found)
        object.add("kept", result.kept)
        object.add("dryRun", dryRun)
        object.add("changes", changes)
        return object
    }
}
