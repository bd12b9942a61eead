import CSQLite

/// A cached statement with parameters that are bound in order.
///
/// Binding ``Arguments`` takes twice the time, because each value is converted and copied before.
struct RowStatement {
    private let statement: Statement
    private let handle: OpaquePointer?
    private var place: Int32 = 0

    /// The cached statement for `sql`.
    init(_ sql: StaticString, in database: Database) throws(DatabaseError) {
        statement = try database.cached(sql.description)
        handle = statement.handle
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
        if let value {
            _ = statement.bind(text: value, at: place)
        } else {
            sqlite3_bind_null(handle, place)
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
        _ = statement.bind(blob: Array(bytes), at: place)
    }

    /// Runs the statement and prepares it for the next row.
    @inline(__always)
    mutating func run() throws(DatabaseError) {
        place = 0
        let result = sqlite3_step(handle)
        guard result == SQLITE_DONE || result == SQLITE_ROW else { throw statement.failure() }
        sqlite3_reset(handle)
    }
}
