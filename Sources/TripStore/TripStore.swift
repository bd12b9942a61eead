import Glibc
import Synchronization
public import SystemIO

/// The database of trips, codes, adapters and vehicles in one file.
///
/// Several processes may open it. Every method blocks until SQLite has finished, so the thread that
/// talks to an adapter must not call any of them; ``TripWriter`` is for that.
public final class TripStore: Sendable {
    /// The kind of access to the database.
    public enum Access: Hashable, Sendable {
        /// Never writes; the file must exist.
        case readOnly
        /// Creates the file and its directories if necessary and migrates it to the newest version.
        case readWrite
    }

    /// Limits of a database.
    public struct Limits: Hashable, Sendable {
        /// The greatest size of the file; unit: bytes, nil = limited by the disk only.
        public var size: Int?
        /// How long to wait for another process that writes.
        public var patience: Duration
        /// Whether a commit may return before it is on the disk.
        ///
        /// A power cut may then lose everything since the last checkpoint, but the file stays
        /// intact.
        public var isFast: Bool
        /// The greatest size of the cache of pages; unit: KiB, nil = SQLite's own limit, 2,000.
        public var cache: Int?
        /// A folder on a file system in memory, for rows that are not committed yet.
        var memory = SafetyCopy.usualMemory

        /// Limits; the defaults suit recordings to a local disk.
        public init(
            size: Int? = nil, patience: Duration = .seconds(3), isFast: Bool = false,
            cache: Int? = nil
        ) {
            self.size = size
            self.patience = patience
            self.isFast = isFast
            self.cache = cache
        }

        /// Limits for a reader that needs no row twice.
        public static let oneWay = Limits(cache: 256)
    }

    /// The path as the user gave it.
    public let path: String
    /// The file with the trips; it differs from ``path`` after that file was replaced.
    public var currentPath: String {
        let current = place.withLock { (path: $0.path, number: $0.number) }
        return current.number == 0 ? path : current.path
    }
    /// All files of the database.
    public var files: [String] { [path, path + "-wal", path + "-shm"] }
    /// The kind of access.
    public let access: Access
    let limits: Limits
    /// Reads the clock of new trips; nil = nothing is known about the clock.
    let clock: (@Sendable () -> ClockReading)?
    let place: Mutex<DatabasePlace>
    let leftCopies = Mutex<[LeftCopy]>([])
    /// Held during a transaction of a trip.
    let commits = Mutex(())
    var queue: Connection { place.withLock { $0.connection } }

    /// Whether a trip's newest rows can be copied to memory, where they outlive the process.
    public var canCopyToMemory: Bool { SafetyCopy.isPossible(in: limits.memory, for: path) }
    /// Copies in memory that could not be taken into the database.
    public var copiesLeft: [LeftCopy] { leftCopies.withLock { $0 } }

    /// Opens the database at `path`.
    ///
    /// Only its owner can read a new file. Trips whose process died are closed at their last
    /// record.
    ///
    /// - Parameter clock: reads this machine's clocks, so that trips of a clock that is not set are marked;
    ///   nil = trips say nothing about their clock.
    public init(
        path: String, access: Access = .readWrite, limits: Limits = Limits(),
        clock: (@Sendable () -> ClockReading)? = nil
    ) throws(StoreError) {
        self.path = path
        self.clock = clock
        self.access = access
        self.limits = limits
        switch access {
        case .readOnly:
            guard Glibc.access(path, F_OK) == 0 else { throw .unseen(path) }
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
    ) throws -> Connection {
        let name = access == .readOnly ? ReadOnlyPlace.name(of: path) : path
        let settings = Connection.Settings(
            isReadOnly: access == .readOnly, patience: limits.patience,
            checksForeignKeys: checksForeignKeys, isName: name != path)
        return try Connection(name, settings) { database in
            // The file may come from an untrusted source: its schema must not call functions with
            // side effects, and no value may be larger than anything that we store.
            try database.execute("PRAGMA trusted_schema = OFF")
            database.setLargestValue(64 << 20)
            if ReadOnlyPlace.isExclusive(name) {
                try database.execute("PRAGMA locking_mode = EXCLUSIVE")
            }
            // Otherwise, a row of a damaged page may look as if it did not exist.
            try database.execute("PRAGMA cell_size_check = ON")
            if let cache = limits.cache {
                try database.execute("PRAGMA cache_size = \(-cache)")
            }
            guard access == .readWrite else { return }
            // By default, a finished commit survives a power cut.
            try database.execute("PRAGMA synchronous = \(limits.isFast ? "NORMAL" : "FULL")")
            if let size = limits.size {
                let page = try database.value(Int.self, "PRAGMA page_size") ?? 4096
                try database.execute("PRAGMA max_page_count = \(max(1, size / page))")
            }
        }
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
        do throws(StoreError) {
            try closeAbandonedTrips()
        } catch {
            guard error.isFullDisk else { throw error }
            try closeOnFullDisk()
        }
    }

    /// Closes abandoned trips on a full disk, or leaves them and their copies in memory for the next start.
    ///
    /// A store that could not be opened could not make room either.
    private func closeOnFullDisk() throws(StoreError) {
        // The log of changes of a killed process may be what fills the disk.
        shortenLog()
        do throws(StoreError) {
            try closeAbandonedTrips()
        } catch {
            guard error.isFullDisk else { throw error }
        }
    }

    private func checkSchema(_ version: Int) throws(StoreError) {
        let fault = try read { try SchemaCheck.fault(in: $0, version: version) }
        if let fault { throw .damaged(path: path, message: fault) }
    }

    /// Selects a write-ahead log if possible.
    ///
    /// The log needs shared memory, which network file systems do not have.
    private func chooseJournal() throws(StoreError) {
        let current = try write { try $0.value(String.self, "PRAGMA journal_mode") }
        let wanted = FileSystem.isOnNetwork(path) ? "delete" : "wal"
        if current == wanted { return }
        do throws(StoreError) {
            // If the mode is not available, SQLite keeps the present one, which is as safe.
            try write { try $0.execute("PRAGMA journal_mode = \(wanted)") }
        } catch .locked {
            // Another process has it open in the present mode.
        }
    }

    /// A warning about the location for users who record there; nil = none.
    public var advice: String? {
        guard FileSystem.isOnNetwork(path) else { return nil }
        return
            "\(path) lies on a network file system: commits are slower there, and other programs "
            + "should not read it while it is written"
    }

    /// Creates the file, readable only by its owner, unless it exists.
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

    /// Like ``read(_:)``, but errors that `body` throws pass unchanged.
    func reading(_ body: (Database) throws -> Void) throws {
        do {
            try queue.read(body)
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        }
    }

    /// Runs `body` without a transaction.
    func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        guard access == .readWrite else { throw .readOnly(path: path) }
        do {
            return try queue.access(body)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Runs `body` in a transaction.
    func transaction<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try write { database in
            try database.transaction { try body(database) }
        }
    }
}
