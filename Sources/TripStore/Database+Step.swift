import GRDB
import GRDBSQLite

extension Database {
    /// Steps to the next row; returns false after the last one.
    @inline(__always)
    func step(_ statement: OpaquePointer) throws -> Bool {
        let result = sqlite3_step(statement)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqliteConnection)),
            message: lastErrorMessage)
    }
}
