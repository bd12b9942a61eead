import Glibc

/// A folder for an incomplete database, next to its final path.
///
/// Only the owner may access the folder. The folder is removed together with this value. If the process is
/// killed, the folder stays. The next process that works in the same place finds the folder by its name and
/// removes it, because the lock of the killed process is gone.
public struct WorkFolder: ~Copyable {
    /// Why the folder cannot be created.
    public struct Fault: Error, Hashable, Sendable {
        /// The system's error number.
        public var errno: Int32

        /// An error of a system call.
        public init(errno: Int32) { self.errno = errno }
    }

    /// The path of the database while it is incomplete.
    public var database: String { path + "/" + Self.name }
    private let path: String
    /// The descriptor that holds the lock.
    private let descriptor: Int32

    private static let prefix = ".obdscan-"
    private static let name = "new.db"
    private static let endings = ["", "-wal", "-shm", "-journal"]

    /// Creates a folder next to `file`, and removes those that killed processes left.
    public init(beside file: String) throws(Fault) {
        let folder = Self.folder(of: file)
        Self.sweep(folder)
        while true {
            var template = Array("\(folder)/\(Self.prefix)XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw Fault(errno: errno) }
            let path = String(
                decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            // Until the folder is locked, another process may think that a killed process left it.
            if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0, access(path, F_OK) == 0 {
                self.path = path
                self.descriptor = descriptor
                return
            }
            let number = errno
            if descriptor >= 0 { close(descriptor) }
            guard number == EWOULDBLOCK || number == ENOENT else {
                rmdir(path)
                throw Fault(errno: number)
            }
        }
    }

    deinit {
        Self.remove(path)
        close(descriptor)
    }

    /// Removes the folder now, for a process that is about to end.
    public func remove() { Self.remove(path) }

    /// Removes the work folders and incomplete files that killed processes left in a folder.
    public static func sweep(_ folder: String) {
        guard let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(prefix) { removeStale(folder + "/" + name) }
        }
    }

    private static func removeStale(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: remove(path)
        case S_IFREG: unlink(path)
        default: break
        }
    }

    /// Removes only the known files; a folder with anything else stays.
    private static func remove(_ path: String) {
        for ending in endings { unlink(path + "/" + name + ending) }
        rmdir(path)
    }

    /// The folder of `path`.
    public static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Gives the database its final name, if no file has it, and writes both to the disk.
    ///
    /// - Throws: ``Fault`` with EEXIST if a file already has the name.
    public func move(to target: String) throws(Fault) {
        try Self.synchronize(database)
        if link(database, target) == 0 {
            unlink(database)
        } else {
            // FAT does not support links.
            let number = errno
            guard number != EEXIST, access(target, F_OK) != 0 else { throw Fault(errno: EEXIST) }
            guard rename(database, target) == 0 else { throw Fault(errno: errno) }
        }
        // The file exists; a file system that cannot write the file's folder now can do so later.
        try? Self.synchronize(Self.folder(of: target))
    }

    private static func synchronize(_ path: String) throws(Fault) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Fault(errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Fault(errno: errno) }
    }
}
