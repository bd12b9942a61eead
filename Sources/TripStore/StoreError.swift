import CSQLite
import Glibc

/// Why a database cannot be used; every case names the file.
public enum StoreError: Error, Hashable, Sendable {
    /// The file does not exist.
    case missing(path: String)
    /// The file is empty, because its creation was interrupted.
    case empty(path: String)
    /// The file is not an SQLite database, or another program created it.
    case foreign(path: String)
    /// A newer obdscan created it: its schema version, and the newest version that this program
    /// knows.
    case newer(path: String, version: Int, known: Int)
    /// An older obdscan created it, and it cannot be migrated because it is read-only.
    case older(path: String, version: Int)
    /// The file or its directory cannot be created; `errno` is the reason.
    case cannotCreate(path: String, errno: Int32)
    /// Access to the file is denied.
    case permission(path: String)
    /// The file is read-only, so nothing can be stored.
    case readOnly(path: String)
    /// The file is on a read-only file system, so nothing can be stored.
    case readOnlyDisk(path: String)
    /// The disk is full, or the database reached its size limit.
    case full(path: String)
    /// Another program holds the lock of the database for too long.
    case locked(path: String)
    /// The file is damaged; with SQLite's message.
    case damaged(path: String, message: String)
    /// The trip does not exist.
    case unknownTrip(Int64, path: String)
    /// The trip is still being written by another process.
    case tripIsOpen(Int64, path: String)
    /// The trip ended, but this many entries could not be stored and are lost; with the reason.
    indirect case lost(entries: Int, StoreError)
    /// The trip ended, but this many entries are only in memory, where the next store takes them from, and others are
    /// lost; with the reason.
    indirect case kept(entries: Int, lost: Int, StoreError)
    /// The file was removed or replaced while it was open, and its content cannot be saved; with
    /// the reason.
    indirect case removed(path: String, StoreError)
    /// Any other error of SQLite: its extended result code and message.
    case other(path: String, code: Int32, message: String)
}

extension StoreError {
    /// Whether the reason is a disk without room.
    var isFullDisk: Bool {
        switch self {
        case .full, .cannotCreate(_, ENOSPC): true
        default: false
        }
    }

    /// The error after access(2) failed: the file is missing, or its folder cannot be read.
    public static func unseen(_ path: String) -> StoreError {
        errno == EACCES ? .permission(path: path) : .missing(path: path)
    }

    /// Converts an error of a lower layer.
    init(_ error: any Error, path: String) {
        guard let error = error as? DatabaseError else {
            self = error as? StoreError ?? .other(path: path, code: 0, message: "\(error)")
            return
        }
        // The shared memory is a file of at least 32 KiB next to the database.
        if error.extendedCode == csqlite_ioerr_shmsize {
            self = .full(path: path)
            return
        }
        switch error.code {
        case SQLITE_FULL: self = .full(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: self = .locked(path: path)
        case SQLITE_CORRUPT: self = .damaged(path: path, message: error.message)
        case SQLITE_NOTADB: self = .foreign(path: path)
        case SQLITE_READONLY where ReadOnlyPlace.isReadOnlyDisk(path):
            self = .readOnlyDisk(path: path)
        case SQLITE_READONLY: self = .readOnly(path: path)
        case SQLITE_CANTOPEN where access(path, R_OK) == 0 && !ReadOnlyPlace.isDatabase(path):
            // For example a folder; access is not denied.
            self = .foreign(path: path)
        case SQLITE_IOERR
        where error.extendedCode == csqlite_ioerr_read
            && access(path + "/", F_OK) == 0:
            self = .foreign(path: path)
        case SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN: self = .permission(path: path)
        default:
            self = .other(
                path: path, code: error.extendedCode, message: error.message)
        }
    }
}
