import Glibc
import SystemIO

/// Opens databases in places without write access: a read-only file system or another user's
/// folder.
///
/// SQLite reads a database with a write-ahead log through shared memory, a file next to the
/// database that it cannot create there. If that file is missing, no process has the database open
/// for writing.
enum ReadOnlyPlace {
    /// The name for SQLite; `path` itself if it works without special options.
    static func name(of path: String) -> String {
        guard isWithoutHelp(path), usesLog(path) else { return path }
        return nameWithoutHelp(path)
    }

    /// The name for SQLite of a database whose shared memory cannot be created.
    static func nameWithoutHelp(_ path: String) -> String {
        let uri = "file:" + escaped(path)
        // If the log has content, private memory is used to read it, which SQLite does only without
        // file locks. Otherwise the database file is complete.
        return uri + (holdsLog(path) ? "?mode=ro&vfs=unix-none" : "?mode=ro&immutable=1")
    }

    /// Whether a connection with this name must use private instead of shared memory.
    static func isExclusive(_ name: String) -> Bool { name.hasSuffix("vfs=unix-none") }

    /// Whether the database is on a read-only file system.
    static func isReadOnlyDisk(_ path: String) -> Bool {
        access(path, W_OK) != 0 && errno == EROFS
    }

    private static func isWithoutHelp(_ path: String) -> Bool {
        access(WorkFolder.folder(of: resolved(path)), W_OK) != 0
            && access(resolved(path) + "-shm", F_OK) != 0
    }

    private static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static func holdsLog(_ path: String) -> Bool {
        var status = stat()
        return stat(resolved(path) + "-wal", &status) == 0 && status.st_size > 0
    }

    /// Whether the header says that the file uses a write-ahead log.
    ///
    /// See https://sqlite.org/fileformat.html, offset 18.
    private static func usesLog(_ path: String) -> Bool {
        guard let header = header(of: path) else { return false }
        return header[18] == 2
    }

    /// Whether the file has the header of a database.
    static func isDatabase(_ path: String) -> Bool {
        header(of: path)?.starts(with: "SQLite format 3\0".utf8) ?? false
    }

    private static func header(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // Closing a file releases the process's locks on it. That is safe here: SQLite has no lock
        // on this file in this process yet, or the file is read-only.
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 20)
        return Glibc.read(descriptor, &bytes, bytes.count) == bytes.count ? bytes : nil
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte -> String in
            switch byte {
            case 0x25, 0x3F, 0x23, 0...0x20, 0x7F...:
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (digits.count < 2 ? "0" : "") + digits
            default: return String(UnicodeScalar(byte))
            }
        }.joined()
    }
}
