import CSystem
import Glibc

/// Writes files that appear complete or not at all.
public enum OutputFile {
    /// Writes the output of `body` to `path`.
    ///
    /// Devices and pipes are written directly. A new file gets the permissions that the umask allows; a
    /// replaced file keeps its own.
    public static func write(
        _ path: String, _ body: (inout TextOutput) throws -> Void
    ) throws {
        do {
            let file = try PendingFile(path)
            var writer = TextOutput(descriptor: file.descriptor)
            try body(&writer)
            try writer.flush()
            try file.appear()
        } catch OutputError.failed(let number) {
            throw FileError.unwritable(path, errno: number)
        }
    }

    /// Writes `bytes` to `path`; only the owner may read a new file that `isPrivate`.
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

    /// Whether a path means standard output.
    public static func isStandardOutput(_ path: String) -> Bool {
        path == "-" || path == "/dev/stdout"
    }

    /// The ending of a file's name in lower case, such as `csv`; empty if it has none.
    ///
    /// Nil for standard output, devices and pipes, whose names do not show their content.
    public static func ending(of path: String) -> String? {
        var status = stat()
        if path == "-" || path.hasPrefix("/dev/") || path.hasPrefix("/proc/self/fd/")
            || stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        {
            return nil
        }
        let name = path.split(separator: "/").last ?? ""
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }

    /// Refuses to overwrite a file that the command reads; nil and `-` are not files.
    public static func check(_ path: String?, isNoneOf sources: [String?]) throws(FileError) {
        guard let path, path != "-" else { return }
        for source in sources.compactMap(\.self) where isOneFile(path, source) {
            throw .isSource(path)
        }
    }

    /// Refuses a path whose folder does not exist.
    public static func checkFolder(of path: String) throws(FileError) {
        guard access(WorkFolder.folder(of: path), F_OK) == 0 else {
            throw .unwritable(path, errno: errno)
        }
    }

    /// The length of the file that was written to `path`; unit: bytes.
    ///
    /// Nil for standard output under any name, for devices and for pipes.
    public static func size(of path: String) -> Int? {
        var status = stat()
        guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            !isOneFile(path, "/dev/stdout")
        else { return nil }
        return Int(status.st_size)
    }

    /// Whether two paths lead to the same existing regular file.
    public static func isOneFile(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        return stat(path, &one) == 0 && one.st_mode & S_IFMT == S_IFREG && stat(other, &two) == 0
            && one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    /// Creates a database at `path` that appears complete or not at all.
    ///
    /// `body` creates the database at the path that it gets. Before `body` ends the process, it calls the
    /// function that it gets.
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

/// A file without a name until it is complete, so that it disappears if the process ends early.
///
/// If the file system does not support such files (for example FAT), it has a temporary name. Devices and
/// pipes are written directly.
package final class PendingFile {
    /// Where the content is written.
    package let descriptor: Int32
    /// The final path after symbolic links are resolved; nil for a device or a pipe.
    private let target: String?
    /// The file to replace, for its permissions and its owner.
    private let replaced: stat?
    private var name: String?

    /// Begins a file that will appear at `path`; `mode` is for a new one, less the umask.
    package init(_ path: String, mode: mode_t = 0o666) throws(OutputError) {
        var status = stat()
        let exists = stat(path, &status) == 0
        if let number = Self.openDescriptor(path) {
            // The name of an open descriptor means the file to which it refers.
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
                    // There is no other way to read the umask. A file that another thread creates at this
                    // moment is only accessible to its owner.
                    let mask = umask(0o077)
                    umask(mask)
                    fchmod(descriptor, mode & ~mask)
                    name = String(
                        decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
                }
            }
        }
        if descriptor < 0 { throw .failed(errno: errno) }
        // With a temporary name, the lock shows that the file is in use and not a remnant of a killed
        // process.
        if target != nil { _ = sys_lock(descriptor) }
    }

    deinit {
        close(descriptor)
        if let name { unlink(name) }
    }

    /// Writes the content to the disk and then gives the file its name.
    package func appear() throws(OutputError) {
        guard let target else { return }
        if let replaced {
            // Only root can change the owner; other users own the file already, or share its group.
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

    /// The target of a symbolic link to a file that does not exist yet; any other path unchanged.
    private static func linked(_ path: String) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(path, &bytes, bytes.count)
        guard length > 0, length < bytes.count else { return path }
        let found = String(decoding: bytes[..<length], as: UTF8.self)
        return found.hasPrefix("/") ? found : WorkFolder.folder(of: path) + "/" + found
    }

    /// The target of a symbolic link, so that the link is kept.
    private static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }
}
