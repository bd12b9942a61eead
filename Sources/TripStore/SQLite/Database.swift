import CSQLite
import Synchronization

/// A connection while one thread has it: ``Connection`` lends it out, to one thread at a time.
final class Database: Sendable {
    private struct State {
        /// Statements by their text; one that somebody holds is in use.
        var cache: [String: Statement] = [:]
        /// Whether statements may only read.
        var isReading = false
        /// Whether a block of statements belongs to one transaction.
        var isInBlock = false
        var isClosed = false
    }

    private let address: UInt
    private let state = Mutex(State())

    init(_ name: String, flags: Int32) throws(DatabaseError) {
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(
            name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE,
            nil)
        guard result == SQLITE_OK, let handle else {
            sqlite3_close(handle)
            throw DatabaseError(result, String(cString: sqlite3_errstr(result)))
        }
        address = UInt(bitPattern: handle)
    }

    deinit {
        state.withLock { $0.cache = [:] }
        sqlite3_close_v2(handle)
    }

    /// Closes the connection; fails while a statement is in use.
    func close() throws(DatabaseError) {
        state.withLock { $0.cache = [:] }
        guard sqlite3_close(handle) == SQLITE_OK else { throw lastError }
        state.withLock { $0.isClosed = true }
    }

    /// SQLite's handle of the connection; nil after it was closed.
    private var handle: OpaquePointer? {
        state.withLock { $0.isClosed } ? nil : OpaquePointer(bitPattern: address)
    }

    var isClosed: Bool { handle == nil }

    private var lastError: DatabaseError {
        DatabaseError(sqlite3_extended_errcode(handle), String(cString: sqlite3_errmsg(handle)))
    }

    /// The row id of the last inserted row.
    var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The number of rows that the last statement changed.
    var changesCount: Int { Int(sqlite3_changes(handle)) }

    var isInsideTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

    // MARK: Settings

    func setBusyTimeout(_ patience: Duration) {
        sqlite3_busy_timeout(handle, Int32(clamping: Int64(min(patience.seconds * 1000, 1e9))))
    }

    func refuseQuotedStrings() { csqlite_refuse_quoted_strings(handle) }

    /// Sets the greatest size of a value; unit: bytes.
    func setLargestValue(_ size: Int32) { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, size) }

    /// Keeps the write-ahead log when the last connection closes.
    func keepLog() {
        var on: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on)
    }

    // MARK: Statements

    /// The cached statement for `sql`, without values for its parameters.
    ///
    /// Whoever holds it has it alone: another caller gets one of its own.
    func cached(_ sql: String) throws(DatabaseError) -> Statement {
        let known = state.withLock { state in
            isKnownUniquelyReferenced(&state.cache[sql]) ? state.cache[sql] : nil
        }
        if let known {
            try check(known, sql)
            known.clear()
            return known
        }
        let statement = try single(sql, SQLITE_PREPARE_PERSISTENT)
        state.withLock { state in
            if state.cache[sql] == nil { state.cache[sql] = statement }
        }
        return statement
    }

    private func single(_ sql: String, _ flags: Int32 = 0) throws(DatabaseError) -> Statement {
        var rest = Script(sql)
        guard let statement = try next(&rest, flags) else {
            throw DatabaseError(SQLITE_MISUSE, "empty statement", sql: sql)
        }
        guard try next(&rest, 0) == nil else {
            throw DatabaseError(SQLITE_MISUSE, "more than one statement", sql: sql)
        }
        return statement
    }

    /// Statements as text, and how far they were compiled.
    private struct Script {
        let text: ContiguousArray<CChar>
        var place = 0

        init(_ sql: String) { text = sql.utf8CString }

        var rest: String {
            String(decoding: text[place...].dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// Compiles the next statement of a text; nil at its end.
    private func next(_ script: inout Script, _ flags: Int32) throws(DatabaseError) -> Statement? {
        guard let handle else { throw DatabaseError(SQLITE_MISUSE, "Connection is closed") }
        var statement: OpaquePointer?
        let (result, end) = script.text.withUnsafeBufferPointer { text in
            let start = text.baseAddress.map { $0 + script.place }
            var tail: UnsafePointer<CChar>?
            let result = sqlite3_prepare_v3(handle, start, -1, UInt32(flags), &statement, &tail)
            return (result, start.flatMap { start in tail.map { $0 - start } } ?? 0)
        }
        guard result == SQLITE_OK else {
            throw DatabaseError(
                sqlite3_extended_errcode(handle), String(cString: sqlite3_errmsg(handle)),
                sql: script.rest)
        }
        defer { script.place += end }
        guard let statement else { return nil }
        let found = Statement(statement)
        try check(found, script.rest)
        return found
    }

    /// Checks that a statement may run now.
    private func check(
        _ statement: Statement, _ sql: @autoclosure () -> String
    ) throws(DatabaseError) {
        let (isReading, isInBlock) = state.withLock { ($0.isReading, $0.isInBlock) }
        // SQLite ends a transaction when the disk is full, and would commit what follows.
        if isInBlock && !isInsideTransaction {
            throw DatabaseError(SQLITE_ABORT, "Transaction was aborted", sql: sql())
        }
        if isReading && sqlite3_stmt_readonly(statement.handle) == 0 {
            throw DatabaseError(
                SQLITE_READONLY, "attempt to write a readonly database", sql: sql())
        }
    }

    /// Runs one or several statements.
    func execute(_ sql: String, _ arguments: Arguments = []) throws(DatabaseError) {
        // Their values are taken from the front, in the order of the statements.
        var script = Script(sql)
        var ordered = arguments.ordered[...]
        while let statement = try next(&script, 0) {
            try statement.bind(&ordered, arguments.named)
            while try statement.step() {}
        }
        if !ordered.isEmpty { throw Self.tooMany(sql) }
    }

    /// Runs one statement, and keeps it for the next time.
    func executeCached(_ sql: String, _ arguments: Arguments = []) throws(DatabaseError) {
        let statement = try self.statement(sql, arguments, isCached: true)
        while try statement.step() {}
        statement.reset()
    }

    /// A statement with values for its parameters, for one that steps through it by itself.
    func statement(
        _ sql: String, _ arguments: Arguments, isCached: Bool = false
    ) throws(DatabaseError) -> Statement {
        let statement = try isCached ? cached(sql) : single(sql)
        var ordered = arguments.ordered[...]
        try statement.bind(&ordered, arguments.named)
        if !ordered.isEmpty { throw Self.tooMany(sql) }
        return statement
    }

    private static func tooMany(_ sql: String) -> DatabaseError {
        DatabaseError(SQLITE_MISUSE, "more values than parameters", sql: sql)
    }

    /// Runs a query row by row.
    func cursor(_ sql: String, _ arguments: Arguments = []) throws(DatabaseError) -> Rows {
        Rows(try self.statement(sql, arguments))
    }

    func rows(_ sql: String, _ arguments: Arguments = []) throws(DatabaseError) -> [Row] {
        let statement = try self.statement(sql, arguments)
        var rows: [Row] = []
        while try statement.step() { rows.append(Row(copying: statement)) }
        return rows
    }

    /// The first row of a query; nil if there is none.
    func row(
        _ sql: String, _ arguments: Arguments = [], isCached: Bool = false
    ) throws(DatabaseError) -> Row? {
        let statement = try self.statement(sql, arguments, isCached: isCached)
        defer { statement.reset() }
        return try statement.step() ? Row(copying: statement) : nil
    }

    /// The first column of all rows.
    func values<Value: ReadableColumn>(
        _ type: Value.Type, _ sql: String, _ arguments: Arguments = []
    ) throws(DatabaseError) -> [Value] {
        let rows = try cursor(sql, arguments)
        var values: [Value] = []
        while let row = try rows.next() { values.append(try row[0]) }
        return values
    }

    /// The first column of the first row; nil without a row, and for null.
    func value<Value: ColumnValue>(
        _ type: Value.Type, _ sql: String, _ arguments: Arguments = [], isCached: Bool = false
    ) throws(DatabaseError) -> Value? {
        guard let row = try row(sql, arguments, isCached: isCached) else { return nil }
        return try row[0]
    }

    // MARK: Tables

    /// The names of a table's columns; empty if there is no such table.
    func columns(of table: String) throws(DatabaseError) -> [String] {
        try values(
            String.self, "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1", [table])
    }

    /// Whether there is a table of this name, ignoring case.
    func hasTable(_ name: String) throws(DatabaseError) -> Bool {
        try value(
            Bool.self,
            """
            SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table'
                AND name = ? COLLATE NOCASE)
            """, [name]) ?? false
    }

    // MARK: Transactions

    /// Runs `body` in a transaction that may write; an error undoes everything.
    ///
    /// - Parameter keeps: false undoes everything after `body`, too.
    func transaction<Value>(keeps: Bool = true, _ body: () throws -> Value) throws -> Value {
        try block(
            begin: "BEGIN IMMEDIATE TRANSACTION",
            end: keeps ? "COMMIT TRANSACTION" : "ROLLBACK TRANSACTION",
            undo: ["ROLLBACK TRANSACTION"], body)
    }

    /// Runs `body`, which only reads, in a transaction: it sees one state of the database.
    func reading<Value>(_ body: () throws -> Value) throws -> Value {
        state.withLock { $0.isReading = true }
        defer { state.withLock { $0.isReading = false } }
        return try block(
            begin: "BEGIN DEFERRED TRANSACTION", end: "COMMIT TRANSACTION",
            undo: ["ROLLBACK TRANSACTION"], body)
    }

    /// Runs `body` within a transaction; an error undoes what `body` did.
    func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        try block(
            begin: "SAVEPOINT inner", end: "RELEASE SAVEPOINT inner",
            undo: ["ROLLBACK TRANSACTION TO SAVEPOINT inner", "RELEASE SAVEPOINT inner"], body)
    }

    private func block<Value>(
        begin: String, end: String, undo: [String], _ body: () throws -> Value
    ) throws -> Value {
        try executeCached(begin)
        let wasInBlock = state.withLock { state in
            defer { state.isInBlock = true }
            return state.isInBlock
        }
        defer { state.withLock { $0.isInBlock = wasInBlock } }
        do {
            let value = try body()
            // SQLite may have undone the transaction already: a full disk does that.
            try executeCached(end)
            return value
        } catch {
            // The first error says what happened.
            state.withLock { $0.isInBlock = wasInBlock }
            if isInsideTransaction { for step in undo { try? executeCached(step) } }
            throw error
        }
    }

    /// Copies all pages into another database.
    func backup(to target: Database) throws(DatabaseError) {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.lastError
        }
        let result = sqlite3_backup_step(backup, -1)
        let finished = sqlite3_backup_finish(backup)
        guard result == SQLITE_DONE, finished == SQLITE_OK else {
            throw DatabaseError(
                result == SQLITE_DONE ? finished : result,
                String(cString: sqlite3_errmsg(target.handle)))
        }
    }
}
