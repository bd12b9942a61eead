import CSQLite

/// A compiled statement; only for whoever has its ``Database`` at present.
final class Statement: Sendable {
    private let address: UInt
    /// The names of the columns of its rows.
    let columns: [String]

    init(_ handle: OpaquePointer) {
        address = UInt(bitPattern: handle)
        columns = (0..<sqlite3_column_count(handle)).map {
            sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? ""
        }
    }

    deinit { sqlite3_finalize(handle) }

    /// SQLite's handle of the statement.
    @inline(__always)
    var handle: OpaquePointer? { OpaquePointer(bitPattern: address) }

    // MARK: Parameters

    /// Prepares the statement for its next use, without values for its parameters.
    func clear() {
        reset()
        sqlite3_clear_bindings(handle)
    }

    private var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    /// Binds one value; `place` counts from 1.
    func bind(_ value: SQLValue, at place: Int32) throws(DatabaseError) {
        let result =
            switch value {
            case .null: sqlite3_bind_null(handle, place)
            case .integer(let number): sqlite3_bind_int64(handle, place, number)
            case .real(let number): sqlite3_bind_double(handle, place, number)
            case .text(let text): bind(text: text, at: place)
            case .blob(let bytes): bind(blob: bytes, at: place)
            }
        if result != SQLITE_OK { throw failure() }
    }

    func bind(text: String, at place: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                // Without an address, SQLite would take an empty text for null.
                $0.baseAddress.map {
                    csqlite_bind_text(handle, place, $0, UInt64(bytes.count))
                } ?? csqlite_bind_text(handle, place, "", 0)
            }
        }
    }

    func bind(blob bytes: [UInt8], at place: Int32) -> Int32 {
        if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, place, 0) }
        return bytes.withUnsafeBytes {
            csqlite_bind_blob(handle, place, $0.baseAddress, UInt64($0.count))
        }
    }

    /// Binds all parameters; takes values without names from the front of `ordered`.
    func bind(
        _ ordered: inout ArraySlice<SQLValue>, _ named: [String: SQLValue]
    ) throws(DatabaseError) {
        let count = parameterCount
        guard count > 0 else { return }
        for place in 1...Int32(count) {
            let name = sqlite3_bind_parameter_name(handle, place).map { String(cString: $0) }
            if let name, let value = named[String(name.dropFirst())] {
                try bind(value, at: place)
            } else if let value = ordered.popFirst() {
                try bind(value, at: place)
            } else {
                throw misuse("no value for parameter \(name ?? String(place))")
            }
        }
    }

    // MARK: Rows

    /// Steps to the next row; returns false after the last one.
    @inline(__always)
    func step() throws(DatabaseError) -> Bool {
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw failure()
    }

    /// Prepares the statement for its next use; a read transaction may end then.
    func reset() { sqlite3_reset(handle) }

    /// The error that just happened; it also resets the statement.
    func failure() -> DatabaseError {
        let connection = sqlite3_db_handle(handle)
        let error = DatabaseError(
            sqlite3_extended_errcode(connection), String(cString: sqlite3_errmsg(connection)),
            sql: sql)
        reset()
        return error
    }

    func misuse(_ message: String) -> DatabaseError {
        DatabaseError(SQLITE_MISUSE, message, sql: sql)
    }

    var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

    /// The row at which the statement stands.
    @inline(__always)
    var current: CurrentRow { CurrentRow(handle: handle) }
}

/// The row at which a statement stands, without copies of its values; columns are counted from 0.
struct CurrentRow {
    // A copy, so that no column has to read it from the statement again.
    fileprivate let handle: OpaquePointer?

    @inline(__always)
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    @inline(__always)
    func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    @inline(__always)
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    @inline(__always)
    func isInteger(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_INTEGER
    }

    @inline(__always)
    func text(_ column: Int32) -> String {
        let bytes = sqlite3_column_text(handle, column)
        return String(
            decoding: UnsafeBufferPointer(
                start: bytes, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
    }

    /// The bytes of a column, which are valid until the next step.
    @inline(__always)
    func blob(_ column: Int32) -> UnsafeRawBufferPointer {
        let bytes = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(
            start: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    }

    func value(_ column: Int32) -> SQLValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(real(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(Array(blob(column)))
        default: .null
        }
    }
}
