import GRDB
import GRDBSQLite

/// A cached statement with parameters that are bound in order.
///
/// Binding through GRDB's arguments takes twice the time, so only the statement, the connection and
/// the errors come from GRDB.
struct RowStatement {
    private let statement: Statement
    private let handle: OpaquePointer
    private var place: Int32 = 0

    /// The cached statement for `sql`.
    init(_ sql: StaticString, in database: Database) throws {
        statement = try database.cachedStatement(sql: sql.description)
        handle = statement.sqliteStatement
    }

    @inline(__always)
    mutating func bind(_ value: Int64) {
        place &+= 1
        sqlite3_bind_int64(handle, place, value)
    }

    @inline(__always)
    mutating func bind(_ value: Int64?) {
        place &+= 1
        if let value {
            sqlite3_bind_int64(handle, place, value)
        } else {
            sqlite3_bind_null(handle, place)
        }
    }

    @inline(__always)
    mutating func bind(_ value: Double?) {
        place &+= 1
        if let value {
            sqlite3_bind_double(handle, place, value)
        } else {
            sqlite3_bind_null(handle, place)
        }
    }

    mutating func bind(_ value: UInt8?) { bind(value.map(Int64.init)) }

    mutating func bind(_ value: Bool?) { bind(value.map { Int64($0 ? 1 : 0) }) }

    mutating func bind(_ value: String?) {
        place &+= 1
        guard var value else {
            sqlite3_bind_null(handle, place)
            return
        }
        value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                // SQLITE_TRANSIENT: SQLite makes its own copy.
                _ = sqlite3_bind_text(handle, place, $0.baseAddress, Int32($0.count), Self.copy)
            }
        }
    }

    mutating func bindNull() {
        place &+= 1
        sqlite3_bind_null(handle, place)
    }

    /// Binds bytes without copying; they must stay valid until the row is stepped.
    @inline(__always)
    mutating func bind(living bytes: UnsafeRawBufferPointer) {
        place &+= 1
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(handle, place, 0)
        } else {
            sqlite3_bind_blob(handle, place, bytes.baseAddress, Int32(bytes.count), nil)
        }
    }

    mutating func bind(blob bytes: some Collection<UInt8>) {
        place &+= 1
        guard !bytes.isEmpty else {
            sqlite3_bind_zeroblob(handle, place, 0)
            return
        }
        Array(bytes).withUnsafeBytes {
            _ = sqlite3_bind_blob(handle, place, $0.baseAddress, Int32($0.count), Self.copy)
        }
    }

    /// Runs the statement and prepares it for the next row.
    @inline(__always)
    mutating func run(in database: Database) throws {
        place = 0
        let result = sqlite3_step(handle)
        guard result == SQLITE_DONE || result == SQLITE_ROW else {
            let code = sqlite3_extended_errcode(database.sqliteConnection)
            let message = database.lastErrorMessage
            sqlite3_reset(handle)
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
        sqlite3_reset(handle)
    }

    /// `SQLITE_TRANSIENT`, a macro that Swift cannot import.
    private static var copy: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}
