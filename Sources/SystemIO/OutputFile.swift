import CSystem
import Glibc

/// A file that appears whole or not at all.
public enum OutputFile {
    /// Writes what `body` writes to `path`.
    ///
    /// Devices and pipes are written directly. A new file has the permissions that the umask leaves;
    /// one that is replaced keeps its own.
    public static func write(
        _ path: String, _ body: (inout TextOutput) throws -> Void
    ) throws {
        do {
            let file = try PendingFile(path, mode: 0o666)
            var writer = TextOutput(descriptor: file.descriptor)
            try body(&writer)
            try writer.flush()
            try file.appear()
        } catch OutputError.failed(let number) {
            throw FileError.unwritable(path, errno: number)
        }
    }

    /// Makes `bytes` the contents of `path`; only its owner may read a new file that `isPrivate`.
    public static func write(
        _ path: String, bytes: [UInt8], isPrivate: Bool = false
    ) throws(FileError) {
        do throws(OutputError) {
            let file = try PendingFile(path, mode: isPrivate ? 0o600 : 0o666)
            try writeAll(bytes, to: file.descriptor)
            try file.appear()
        } catch {
            switch error {
            case .failed(let number): throw .unwritable(path, errno: number)
            case .readerGone: throw .unwritable(path, errno: EPIPE)
            }
        }
    }

    /// Refuses to write over a file that the command reads from; nil and `-` are none.
    public static func check(_ path: String?, isNoneOf sources: [String?]) throws(FileError) {
        guard let path, path != "-" else { return }
        for source in sources.compactMap(\.self) where isOneFile(path, source) {
            throw .isSource(path)
        }
    }

    /// Refuses a path in a folder that is not there.
    public static func checkFolder(of path: String) throws(FileError) {
        guard access(WorkFolder.folder(of: path), F_OK) == 0 else {
            throw .unwritable(path, errno: errno)
        }
    }

    /// How long the file is that was written to `path`; unit: bytes.
    ///
    /// Nil for standard output, however it is named, for devices and for pipes.
    public static func size(of path: String) -> Int? {
        var status = stat()
        guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            !isOneFile(path, "/dev/stdout")
        else { return nil }
        return Int(status.st_size)
    }

    /// Whether two paths lead to one file that exists, no device.
    public static func isOneFile(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        return stat(path, &one) == 0 && one.st_mode & S_IFMT == S_IFREG && stat(other, &two) == 0
            && one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    /// Makes a database at `path`, which appears whole or not at all.
    ///
    /// `body` makes it at the place that it is given. It calls the function that it is given before it
    /// ends the process.
    public static func writeDatabase<Value>(
        _ path: String, _ body: (_ place: String, _ cleanUp: () -> Void) throws -> Value
    ) throws -> Value {
        do {
            let folder = try WorkFolder(beside: path)
            let value = try body(folder.database) { folder.remove() }
            try folder.move(to: path)
            return value
        } catch let fault as WorkFolder.Fault {
            throw FileError.unwritable(path, errno: fault.errno)
        }
    }
}

/// A file without a name until it is complete, so that whatever ends the process leaves nothing behind.
///
/// Where the file system has no such files (FAT, for one) it goes by its own name until then.
private final class PendingFile {
    let descriptor: Int32
    /// Where it shall stand, behind a symbolic link; nil = a device or a pipe.
    private let target: String?
    /// The file that is replaced, for its permissions and its owner.
    private let replaced: stat?
    /// What it is called until then.
    private var name: String?

    init(_ path: String, mode: mode_t) throws(OutputError) {
        var status = stat()
        let exists = stat(path, &status) == 0
        if let number = Self.openDescriptor(path) {
            // Who names an open descriptor wants the file that it refers to, where that is.
            (target, replaced) = (nil, nil)
            descriptor = dup(number)
        } else if exists && status.st_mode & S_IFMT != S_IFREG {
            (target, replaced) = (nil, nil)
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            let target = exists ? Self.resolved(path) : Self.linked(path)
            self.target = target
            replaced = exists ? status : nil
            let folder = WorkFolder.folder(of: target)
            let unnamed =
                access("/proc/self/fd", X_OK) == 0 ? sys_open_unnamed(folder, mode) : -1
            if unnamed >= 0 {
                descriptor = unnamed
            } else {
                WorkFolder.sweep(folder)
                var template = Array("\(folder)/.obdscan-XXXXXX".utf8CString)
                descriptor = mkstemp(&template)
                if descriptor >= 0 {
                    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                    // There is no other way to ask for the umask. What another thread makes meanwhile
                    // is its owner's alone.
                    let mask = umask(0o077)
                    umask(mask)
                    fchmod(descriptor, mode & ~mask)
                    name = String(
                        decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
                }
            }
        }
        if descriptor < 0 { throw .failed(errno: errno) }
        // While it goes by its own name the lock says that it is not one that was left behind.
        if target != nil { _ = sys_lock(descriptor) }
    }

    deinit {
        close(descriptor)
        if let name { unlink(name) }
    }

    /// Gives it its name, and to its bytes a place on the disk before that.
    func appear() throws(OutputError) {
        guard let target else { return }
        if let replaced {
            // Only root may give a file away; anybody else's was his own, or was in his group.
            _ = fchown(descriptor, replaced.st_uid, replaced.st_gid)
            fchmod(descriptor, replaced.st_mode & 0o777)
        }
        guard fsync(descriptor) == 0 else { throw .failed(errno: errno) }
        if name == nil {
            if link(as: target) { return }
            guard errno == EEXIST else { throw .failed(errno: errno) }
            var number = 0
            while name == nil {
                let free = "\(WorkFolder.folder(of: target))/.obdscan-\(getpid())-\(number)"
                if link(as: free) {
                    name = free
                } else if errno != EEXIST {
                    throw .failed(errno: errno)
                }
                number += 1
            }
        }
        guard let name, rename(name, target) == 0 else { throw .failed(errno: errno) }
        self.name = nil
    }

    private func link(as path: String) -> Bool {
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }

    /// The number in `/dev/fd/3` or `/proc/self/fd/3`.
    private static func openDescriptor(_ path: String) -> Int32? {
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            return Int32(path.dropFirst(folder.count))
        }
        return nil
    }

    /// What a symbolic link to a file that is not there yet leads to; any other path as it is.
    private static func linked(_ path: String) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(path, &bytes, bytes.count)
        guard length > 0, length < bytes.count else { return path }
        let found = String(decoding: bytes[..<length], as: UTF8.self)
        return found.hasPrefix("/") ? found : WorkFolder.folder(of: path) + "/" + found
    }

    /// The file that a symbolic link leads to, so that the link stays one.
    private static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }
}
