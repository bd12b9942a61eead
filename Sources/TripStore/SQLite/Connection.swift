import CSQLite
import Synchronization

/// A connection to a database, which one thread uses at a time.
///
/// Calls must not be nested.
final class Connection: Sendable {
    struct Settings {
        /// Whether it never writes; the file must exist.
        var isReadOnly = false
        /// How long to wait for another process; nil = not at all.
        var patience: Duration?
        /// Whether references between tables are checked.
        var checksForeignKeys = true
        /// Whether the path is one of SQLite's own names, such as `file:/trips.db?mode=ro`.
        var isName = false
    }

    /// The path of the file, or SQLite's name for the database.
    let path: String
    private let database: Database
    private let lock = Mutex(())

    /// Opens the database at `path`, nil = one in memory; a file that is no database is an error.
    ///
    /// `prepare` makes further settings, before the first access to the file.
    init(
        _ path: String? = nil, _ settings: Settings = Settings(),
        prepare: (Database) throws -> Void = { _ in }
    ) throws {
        self.path = path ?? ":memory:"
        database = try Database(
            path.map { settings.isName ? $0 : Self.name(ofFile: $0) } ?? ":memory:",
            flags: settings.isReadOnly
                ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        if let patience = settings.patience { database.setBusyTimeout(patience) }
        database.refuseQuotedStrings()
        if settings.checksForeignKeys { try database.execute("PRAGMA foreign_keys = ON") }
        try prepare(database)
        _ = try database.row("SELECT * FROM sqlite_master LIMIT 1")
    }

    /// SQLite's name for a file: SQLite takes `file:a.db` and `:memory:` for something else than a path.
    static func name(ofFile path: String) -> String {
        path.hasPrefix("file:") || path.hasPrefix(":") ? "./" + path : path
    }

    /// Runs `body`, which only reads, in a transaction.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try access { database in try database.reading { try body(database) } }
    }

    /// Runs `body` without a transaction.
    func access<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var result: Result<Value, any Error>?
        lock.withLock { _ in
            result = Result {
                // SQLite does not check a connection that is closed.
                if database.isClosed { throw DatabaseError(SQLITE_MISUSE, "Connection is closed") }
                return try body(database)
            }
        }
        guard let result else { throw DatabaseError(SQLITE_MISUSE, "the connection was not used") }
        return try result.get()
    }

    /// Copies all pages into another database.
    func backup(to target: Connection) throws {
        try access { source in try target.access { try source.backup(to: $0) } }
    }

    /// Closes the connection, which cannot be used afterwards.
    func close() throws {
        if !database.isClosed { try access { try $0.close() } }
    }
}
