import GRDB
import GRDBSQLite
import Glibc
import Synchronization
import SystemIO

/// The database of trips, codes, accessories and vehicles; one file.
///
/// Several processes may have it open. Every method blocks until SQLite has answered, so none of
/// them belongs on the thread that talks to an accessory: that is what ``TripWriter`` is for.
public final class TripStore: Sendable {
    /// What the database is opened for.
    public enum Access: Hashable, Sendable {
        /// Never writes; the file must exist.
        case readOnly
        /// Makes the file and its directories where they are missing and brings it up to date.
        case readWrite
    }

    /// How much a database may take.
    public struct Limits: Hashable, Sendable {
        /// How large the file may grow; unit: bytes, nil = as the disk allows.
        public var size: Int?
        /// How long to wait for another process that writes.
        public var patience: Duration
        /// Whether a commit may be reported before it is on the disk: a power cut may then cost
        /// what was stored since the last checkpoint, but leaves the file sound.
        public var isFast: Bool

        /// Limits; the defaults suit people who log on a disk of their own.
        public init(
            size: Int? = nil, patience: Duration = .seconds(3), isFast: Bool = false
        ) {
            self.size = size
            self.patience = patience
            self.isFast = isFast
        }
    }

    /// The file, as it was named.
    public let path: String
    /// The file that holds the trips; another one than ``path`` where that was replaced meanwhile.
    public var currentPath: String {
        let current = place.withLock { (path: $0.path, number: $0.number) }
        return current.number == 0 ? path : current.path
    }
    /// Every file that the database is made of.
    public var files: [String] { [path, path + "-wal", path + "-shm"] }
    /// What it was opened for.
    public let access: Access
    let limits: Limits
    let place: Mutex<DatabasePlace>
    /// Held while a trip's transaction is under way.
    let commits = Mutex(())
    var queue: DatabaseQueue { place.withLock { $0.connection } }

    /// Opens the database at `path`.
    ///
    /// A new file may be read by its owner only. Trips whose process died are closed at their last
    /// record.
    public init(
        path: String, access: Access = .readWrite, limits: Limits = Limits()
    ) throws(StoreError) {
        self.path = path
        self.access = access
        self.limits = limits
        switch access {
        case .readOnly:
            guard Glibc.access(path, F_OK) == 0 else { throw .missing(path: path) }
        case .readWrite:
            try Self.createFile(path)
            if ReadOnlyPlace.isReadOnlyDisk(path) { throw .readOnlyDisk(path: path) }
            WorkFolder.sweep(WorkFolder.folder(of: path))
        }
        guard Glibc.access(path, R_OK) == 0 else { throw .permission(path: path) }
        do {
            let connection = try Self.connect(path, access: access, limits: limits)
            place = Mutex(DatabasePlace(path, connection, number: 0))
        } catch {
            throw StoreError(error, path: path)
        }
        try prepare()
    }

    /// A connection with our settings.
    static func connect(
        _ path: String, access: Access, limits: Limits, checksForeignKeys: Bool = true
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = checksForeignKeys
        configuration.readonly = access == .readOnly
        configuration.busyMode = .timeout(limits.patience.seconds)
        configuration.label = "obdscan"
        let name = access == .readOnly ? ReadOnlyPlace.name(of: path) : path
        configuration.prepareDatabase { database in
            // A file may come from anybody: its schema calls no function that does anything, and no value
            // is larger than anything that is stored.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, 64 << 20)
            if ReadOnlyPlace.isExclusive(name) {
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            }
            // Else a row of a damaged page may pass as one that is not there.
            try database.execute(sql: "PRAGMA cell_size_check = ON")
            guard access == .readWrite else { return }
            // A commit that was reported survives a power cut, unless that is not wanted.
            try database.execute(
                sql: "PRAGMA synchronous = \(limits.isFast ? "NORMAL" : "FULL")")
            if let size = limits.size {
                let page = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
                try database.execute(sql: "PRAGMA max_page_count = \(max(1, size / page))")
            }
        }
        return try DatabaseQueue(path: name, configuration: configuration)
    }

    private func prepare() throws(StoreError) {
        let known = Migrations.newest
        switch try read({ try Migrations.state(of: $0) }) {
        case .foreign: throw .foreign(path: path)
        case .empty:
            guard access == .readWrite else { throw .empty(path: path) }
            try write { try Migrations.run(on: $0, from: 0) }
        case .ours(let version):
            if version > known { throw .newer(path: path, version: version, known: known) }
            if version < known {
                guard access == .readWrite else { throw .older(path: path, version: version) }
                if version > 0 { try checkSchema(version) }
                try write { try Migrations.run(on: $0, from: version) }
            }
            try checkSchema(known)
        }
        guard access == .readWrite else { return }
        try chooseJournal()
        try closeAbandonedTrips()
    }

    private func checkSchema(_ version: Int) throws(StoreError) {
        let fault = try read { try SchemaCheck.fault(in: $0, version: version) }
        if let fault { throw .damaged(path: path, message: fault) }
    }

    /// A log that is written ahead where it can be: it needs memory that all processes share, which
    /// no network file system has.
    private func chooseJournal() throws(StoreError) {
        let current = try read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        let wanted = FileSystem.isOnNetwork(path) ? "delete" : "wal"
        if current == wanted { return }
        do throws(StoreError) {
            // Where it cannot be had SQLite keeps what there is, which is as safe.
            try write { try $0.execute(sql: "PRAGMA journal_mode = \(wanted)") }
        } catch .locked {
            // Somebody else has it open as it is.
        }
    }

    /// What a user who logs here should know about the place; nil = nothing.
    public var advice: String? {
        guard FileSystem.isOnNetwork(path) else { return nil }
        return
            "\(path) lies on a network file system: commits are slower there, and other programs "
            + "should not read it while it is written"
    }

    /// Makes the file, readable by its owner alone, unless there is one.
    static func createFile(_ path: String) throws(StoreError) {
        try createDirectory(above: path)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw .cannotCreate(path: path, errno: errno)
        }
    }

    static func createDirectory(above path: String) throws(StoreError) {
        guard let slash = path.utf8.lastIndex(of: 0x2F), slash > path.startIndex else { return }
        let directory = String(path[..<slash])
        if Glibc.access(directory, F_OK) == 0 { return }
        try createDirectory(above: directory)
        if mkdir(directory, 0o700) != 0 && errno != EEXIST {
            throw .cannotCreate(path: directory, errno: errno)
        }
    }

    // MARK: Access

    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try queue.read(body)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Like ``read(_:)``, but what `body` itself throws passes unchanged.
    func reading(_ body: (Database) throws -> Void) throws {
        do {
            try queue.read(body)
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        }
    }

    /// Without a transaction around it.
    func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        guard access == .readWrite else { throw .readOnly(path: path) }
        do {
            return try queue.writeWithoutTransaction(body)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// All or nothing.
    func transaction<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try write { database in
            try database.beginTransaction(.immediate)
            do {
                let value = try body(database)
                try database.commit()
                return value
            } catch {
                if database.isInsideTransaction { try database.rollback() }
                throw error
            }
        }
    }
}
