import GRDB
import Glibc

/// Why a database cannot be used; every case names the file.
public enum StoreError: Error, Hashable, Sendable {
    /// There is no such file.
    case missing(path: String)
    /// There is nothing in the file: making it a database was not completed.
    case empty(path: String)
    /// The file is no SQLite database, or one that another program made.
    case foreign(path: String)
    /// A newer obdscan made it: its schema version, and the newest that this program knows.
    case newer(path: String, version: Int, known: Int)
    /// An older obdscan made it and it may not be written to, so it cannot be brought up to date.
    case older(path: String, version: Int)
    /// The file or its directory cannot be made; `errno` says why.
    case cannotCreate(path: String, errno: Int32)
    /// The file may not be read or written.
    case permission(path: String)
    /// The file may be read only, so nothing can be stored.
    case readOnly(path: String)
    /// The file is on a file system that may be read only, so nothing can be stored.
    case readOnlyDisk(path: String)
    /// The disk, or the space allowed to the database, is full.
    case full(path: String)
    /// Another program holds the database for longer than one waits.
    case locked(path: String)
    /// The file is damaged; SQLite's own words.
    case damaged(path: String, message: String)
    /// There is no such trip.
    case unknownTrip(Int64, path: String)
    /// The trip is still being written by another process.
    case tripIsOpen(Int64, path: String)
    /// The trip ended, but this many entries could not be stored and are lost; the reason.
    indirect case lost(entries: Int, StoreError)
    /// The file was removed or replaced while it was written to, and what it held cannot be saved; why.
    indirect case removed(path: String, StoreError)
    /// Anything else that SQLite reports: its extended result code and words.
    case other(path: String, code: Int32, message: String)
}

extension StoreError {
    /// What `error` from below is in our words.
    init(_ error: any Error, path: String) {
        guard let error = error as? DatabaseError else {
            self = error as? StoreError ?? .other(path: path, code: 0, message: "\(error)")
            return
        }
        // The memory that connections share is a file beside the database: 32 KiB from the start.
        if error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
            self = .full(path: path)
            return
        }
        let message = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: self = .full(path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path)
        case .SQLITE_CORRUPT: self = .damaged(path: path, message: message)
        case .SQLITE_NOTADB: self = .foreign(path: path)
        case .SQLITE_READONLY where ReadOnlyPlace.isReadOnlyDisk(path):
            self = .readOnlyDisk(path: path)
        case .SQLITE_READONLY: self = .readOnly(path: path)
        case .SQLITE_CANTOPEN where access(path, R_OK) == 0 && !ReadOnlyPlace.isDatabase(path):
            // A folder, say: nobody is forbidden anything.
            self = .foreign(path: path)
        case .SQLITE_IOERR
        where error.extendedResultCode == .SQLITE_IOERR_READ
            && access(path + "/", F_OK) == 0:
            self = .foreign(path: path)
        case .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: self = .permission(path: path)
        default:
            self = .other(
                path: path, code: error.extendedResultCode.rawValue, message: message)
        }
    }
}
