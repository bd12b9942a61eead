import CSQLite
import Synchronization

/// A connection to a database, which one thread uses at a time.
///
/// Calls must not be nested.
final class Connection: Sendable {
    /// How a connection is opened.
    struct Settings {
        /// Whether it never writes; the file must exist.
        var isReadOnly = false
        /// How long to wait for another process; nil = not at all.
        var patience: Duration?
        /// Whether references between tables are checked.
        var checksForeignKeys = true
    }

    /// The name of the file as SQLite got it.
    let path: String
    private let database: Database
    private let lock = Mutex(())

    /// Opens the database at `path`, or one in memory; a file that is no database is an error.
    ///
    /// `prepare` makes further settings, before the first access to the file.
    init(
        _ path: String = ":memory:", _ settings: Settings = Settings(),
        prepare: (Database) throws -> Void = { _ in }
    ) throws {
        self.path = path
        database = try Database(
            path,
            flags: settings.isReadOnly
                ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        if let patience = settings.patience { database.setBusyTimeout(patience) }
        database.refuseQuotedStrings()
        if settings.checksForeignKeys { try database.execute("PRAGMA foreign_keys = ON") }
        try prepare(database)
        _ = try database.row("SELECT * FROM sqlite_master LIMIT 1")
    }

    /// Runs `body`, which only reads, in a transaction.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try access { database in try database.reading { try body(database) } }
    }

    /// Runs `body` without a transaction.
    func access<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var result: Result<Value, any Error>?
        lock.withLock { _ in result = Result { try body(database) } }
        guard let result else { throw DatabaseError(SQLITE_MISUSE, "the connection was not used") }
        return try result.get()
    }

    /// Copies all pages into another database.
    func backup(to target: Connection) throws {
        try access { source in try target.access { try source.backup(to: $0) } }
    }

    /// Closes the connection, which cannot be used afterwards.
    func close() throws { try access { try $0.close() } }
}
