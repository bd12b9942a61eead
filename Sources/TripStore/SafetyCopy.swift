import Glibc
import SystemIO

/// The newest rows of a trip, in a file in memory, until they are committed.
///
/// Each commit writes whole pages to the disk and flushes them, which wears out memory cards. With
/// this file, commits may be rare: it outlives its process, however that ends, but no power cut.
/// The next program that opens the database for writing takes its rows.
///
/// The file is a small database with the tables of the rows. What needs other tables, such as a new
/// channel or a note, cannot be copied and has to be committed.
struct SafetyCopy: Sendable {
    /// Tables whose rows can be copied: their keys are the trip, the time and the order.
    static let tables = lasting + HeldRows.tables
    /// Those whose rows stay when the trip ends.
    static let lasting = [
        "reading", "monitor", "monitor_test", "code_report", "code_list", "message", "event",
        "position",
    ]

    /// The file.
    let path: String
    private let connection: Connection
    private let file: FileIdentity?

    /// Begins a copy of the rows that `trip` will get in the database behind `main`.
    init(of trip: Int64, for main: Connection, in memory: String) throws {
        let tables = try main.access { database in
            try Self.tables.compactMap {
                try database.value(
                    String.self, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?",
                    [$0])
            }
        }
        let source = try main.access { database in
            try database.row("SELECT monotonic, writer FROM trip WHERE id = ?", [trip])
        }
        guard let source else { throw StoreError.unknownTrip(trip, path: main.path) }
        let (monotonic, writer): (Int64, String?) = (try source[0], try source[1])
        let name = Name(inode: Files.inode(main.path), trip: trip, monotonic: monotonic)
        guard let folder = Self.folder(in: memory), name.inode != 0 else {
            throw StoreError.cannotCreate(path: memory, errno: EACCES)
        }
        path = "\(folder)/\(name.text)"
        Self.remove(path)
        try TripStore.createFile(path)
        connection = try Connection(path, .init(checksForeignKeys: false)) { database in
            // No power cut matters here, and no other process reads the file while this one lives.
            try database.execute("PRAGMA synchronous = OFF")
            try database.execute("PRAGMA locking_mode = EXCLUSIVE")
            try database.execute("PRAGMA journal_mode = PERSIST")
        }
        file = FileIdentity(path)
        try connection.access { database in
            try database.transaction {
                for sql in tables { try database.execute(sql) }
                try database.execute("CREATE TABLE source (trip, monotonic, writer)")
                try database.execute(
                    "INSERT INTO source VALUES (?, ?, ?)", [trip, monotonic, writer])
            }
        }
    }

    /// Whether the file still has its name; the end of a login session may remove it.
    var isThere: Bool { FileIdentity(path) == file }

    /// Copies the rows of `batches`, all or none.
    func add(_ batches: [WriteQueue.Batch], by rows: inout RowWriter) throws {
        var next = rows
        try connection.access { database in
            try database.transaction {
                var row = try RowWriter.insertReading(in: database)
                for batch in batches {
                    try next.store(batch.entry, at: batch.instant, &row, in: database)
                }
            }
        }
        rows = next
    }

    /// Removes all rows, because they are committed.
    func clear() throws {
        try connection.access { database in
            try database.transaction {
                for table in Self.tables { try database.executeCached("DELETE FROM \(table)") }
            }
        }
    }

    /// Closes the file, which stays if its rows are not committed.
    func close(keeps: Bool) {
        try? connection.close()
        if !keeps && isThere { Self.remove(path) }
    }
}

extension SafetyCopy {
    /// Where Linux has a file system in memory that outlives processes.
    static let usualMemory = "/dev/shm"

    /// Whether files in `folder` are in memory, and whether files beside `database` have a number
    /// that identifies them.
    static func isPossible(in folder: String, for database: String) -> Bool {
        FileSystem.isInMemory(folder) && !FileSystem.isOnNetwork(database)
    }

    /// The folder of this user's copies, which nobody else can enter; nil if there cannot be one.
    private static func folder(in memory: String) -> String? {
        let folder = "\(memory)/obdscan-\(geteuid())"
        mkdir(folder, 0o700)
        var status = stat()
        // Anybody may create a folder in /dev/shm, also one with this name.
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else { return nil }
        return folder
    }

    /// The name of a copy: it belongs to a trip in one file, whatever that is called.
    ///
    /// Another file system may have the same inode, but no other trip began at the same nanosecond.
    struct Name: Hashable {
        var inode: UInt64
        var trip: Int64
        var monotonic: Int64

        var text: String { "\(inode)_\(trip)_\(monotonic)" }

        init(inode: UInt64, trip: Int64, monotonic: Int64) {
            (self.inode, self.trip, self.monotonic) = (inode, trip, monotonic)
        }

        init?(_ text: String) {
            let parts = text.split(separator: "_", omittingEmptySubsequences: false)
            guard parts.count == 3, let inode = UInt64(parts[0]), let trip = Int64(parts[1]),
                let monotonic = Int64(parts[2])
            else { return nil }
            self.init(inode: inode, trip: trip, monotonic: monotonic)
        }
    }

    static func remove(_ path: String) {
        unlink(path + "-journal")
        unlink(path)
    }

    /// The copies of the trips of `file`, as far as `database` has these trips and no process writes
    /// them, with the numbers of the trips.
    static func waiting(
        for file: String, in memory: String, _ database: Database
    ) throws -> [(trip: Int64, path: String)] {
        let folder = "\(memory)/obdscan-\(geteuid())"
        let inode = Files.inode(file)
        return try Files.names(in: folder).compactMap { text in
            guard let name = Name(text), name.inode == inode,
                let row = try database.row(
                    "SELECT end_reason, writer FROM trip WHERE id = ? AND monotonic = ?",
                    [name.trip, name.monotonic])
            else { return nil }
            let writer: String? = try row[1]
            let isOpen = try row.isNull("end_reason")
            if isOpen, let writer, WriterIdentity(text: writer).isAlive { return nil }
            return (name.trip, folder + "/" + text)
        }
    }
}

extension TripStore {
    /// A copy that was not taken into the database.
    public struct LeftCopy: Hashable, Sendable {
        /// The trip whose newest rows the copy holds.
        public var trip: Int64
        /// The file, which stays.
        public var path: String
        /// Why its rows were not taken.
        public var reason: String

        /// A sentence for the user.
        public var text: String {
            "\(path) holds the newest rows of trip \(TripSummary.text(ofNumber: trip)), which could not "
                + "be taken into the database (\(reason)); the file stays until this machine restarts."
        }
    }

    /// The relation of the rows in a copy to the database.
    private enum Use {
        /// The trip was not closed after its process died.
        case rest
        /// All rows are in the database.
        case done
        /// The copy belongs to another trip, or its process is alive.
        case foreign
        /// The trip was changed since, so that nothing shows which rows it lacks.
        case changed
    }

    /// Whether a killed process left rows in memory that only a store with write access can take.
    public var hasWaitingCopies: Bool {
        let found = try? read { try SafetyCopy.waiting(for: path, in: limits.memory, $0) }
        return found?.isEmpty == false
    }

    /// Takes such rows through a store with write access; without that they stay where they are.
    public func takeWaitingCopies() {
        guard access == .readOnly, hasWaitingCopies,
            let writer = try? TripStore(path: path, limits: limits)
        else { return }
        leftCopies.withLock { $0 = writer.copiesLeft }
        writer.closeFile()
    }

    /// Takes the rows that killed processes left in memory, and closes their trips.
    func takeCopies() throws(StoreError) {
        for copy in try read({ try SafetyCopy.waiting(for: path, in: limits.memory, $0) }) {
            do throws(StoreError) {
                switch try take(copy.trip, from: copy.path) {
                case .rest, .done: SafetyCopy.remove(copy.path)
                case .foreign: break
                case .changed:
                    leave(copy, because: "the trip was changed since")
                }
            } catch .damaged(_, let message) {
                leave(copy, because: message)
            } catch .foreign {
                leave(copy, because: "the file is not a database")
            } catch .locked {
                // Another process is taking the rows.
            } catch .permission where Glibc.access(copy.path, F_OK) != 0 {
                // Another process was faster.
            }
        }
    }

    /// Takes the rows in memory of another database, of which this one is made; their files stay.
    func takeCopies(of other: String) {
        let found = try? read { try SafetyCopy.waiting(for: other, in: limits.memory, $0) }
        for copy in found ?? [] {
            do {
                if try take(copy.trip, from: copy.path) == .changed {
                    leave(copy, because: "the trip was changed since")
                }
            } catch {
                leave(copy, because: error.explanation.message)
            }
        }
    }

    private func leave(_ copy: (trip: Int64, path: String), because reason: String) {
        let left = LeftCopy(trip: copy.trip, path: copy.path, reason: reason)
        leftCopies.withLock { $0.append(left) }
    }

    private func take(_ trip: Int64, from copy: String) throws(StoreError) -> Use {
        try write { database in
            // Without this mode, SQLite would create a file that another process has just removed.
            try database.execute("ATTACH ? AS copy", ["file:\(copy)?mode=rw"])
            defer { try? database.execute("DETACH copy") }
            return try database.transaction {
                let faults = try database.values(String.self, "PRAGMA copy.quick_check")
                if let fault = faults.first, fault != "ok" {
                    throw StoreError.damaged(path: copy, message: fault)
                }
                let use = try Self.use(of: trip, in: database)
                if case .rest = use { try Self.take(trip, in: database) }
                return use
            }
        }
    }

    private static func use(of trip: Int64, in database: Database) throws -> Use {
        let found = try database.row(
            """
            SELECT end_reason, trip.writer IS source.writer,
                EXISTS (SELECT * FROM trip_edit WHERE trip = trip.id OR other = trip.id)
            FROM trip JOIN copy.source AS source ON source.trip = trip.id
                AND source.monotonic = trip.monotonic
            WHERE trip.id = ?
            """, [trip])
        guard let found else { return .foreign }
        let reason: String? = try found[0]
        if reason == nil { return try found[1] as Bool ? .rest : .foreign }
        let isComplete = try SafetyCopy.lasting.allSatisfy { table in
            try database.value(
                Bool.self,
                """
                SELECT NOT EXISTS (SELECT trip, t, sequence FROM copy.\(table)
                    EXCEPT SELECT trip, t, sequence FROM main.\(table) WHERE trip = ?)
                """, [trip]) ?? false
        }
        if isComplete { return .done }
        // A program that knows no copies closed the trip.
        let isEdited: Bool = try found[2]
        return reason == EndReason.crashed.rawValue && !isEdited ? .rest : .changed
    }

    private static func take(_ trip: Int64, in database: Database) throws {
        let isOpen = try database.value(
            Bool.self, "SELECT end_reason IS NULL FROM trip WHERE id = ?", [trip])
        for table in isOpen == true ? SafetyCopy.tables : SafetyCopy.lasting {
            // Another version of the program may have made the copy.
            let columns = try database.values(
                String.self, "SELECT name FROM pragma_table_info(?, 'copy')", [table]
            ).joined(separator: ", ")
            if columns.isEmpty { continue }
            try database.execute(
                """
                INSERT OR IGNORE INTO main.\(table) (\(columns)) SELECT \(columns) FROM copy.\(table);
                UPDATE trip SET duration = max(duration,
                    coalesce((SELECT max(t) FROM copy.\(table)), 0)) WHERE id = ?;
                """, [trip])
        }
        try TripFigures.addUp(trip, in: database)
        if isOpen == true { try Trips.close(trip, .crashed, in: database) }
    }
}
