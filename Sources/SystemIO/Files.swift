import CSystem
import Glibc

/// Reads whole files and folders.
public enum Files {
    /// Makes a folder where there is none.
    public static func makeFolder(_ path: String) throws(SystemError) {
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw SystemError.last("mkdir") }
        if !isFolder(path) { throw SystemError(call: "mkdir", errno: ENOTDIR) }
    }

    /// The most bytes that are read into memory at once: a device such as /dev/zero never ends.
    public static let longest = 256 << 20

    /// All bytes of a file; EFBIG if there are more than `most`.
    public static func bytes(
        of path: String, most: Int = longest
    ) throws(SystemError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last("open") }
        defer { close(descriptor) }
        return try bytes(of: descriptor, most: most)
    }

    /// The remaining bytes of an open file; EFBIG if there are more than `most`.
    public static func bytes(
        of descriptor: Int32, most: Int = longest
    ) throws(SystemError) -> [UInt8] {
        let bytes = try beginning(of: descriptor, limit: most + 1)
        if bytes.count > most { throw SystemError(call: "read", errno: EFBIG) }
        return bytes
    }

    /// The name of the user to whom a file belongs; nil if it is the user who runs the program.
    package static func otherOwner(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_uid != geteuid() else { return nil }
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(status.st_uid, &entry, &buffer, buffer.count, &found) == 0, found != nil
        else { return "user \(status.st_uid)" }
        return String(cString: entry.pw_name)
    }

    /// The first bytes of a file, at most `limit` of them.
    package static func beginning(
        of path: String, limit: Int
    ) throws(SystemError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError.last("open") }
        defer { close(descriptor) }
        return try beginning(of: descriptor, limit: limit)
    }

    /// The next bytes of an open file, at most `limit` of them.
    private static func beginning(
        of descriptor: Int32, limit: Int
    ) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 64 * 1024))
        while bytes.count < limit {
            let count = buffer.withUnsafeMutableBytes {
                sys_read(descriptor, $0.baseAddress, min($0.count, limit - bytes.count))
            }
            if count < 0 { throw SystemError.last("read") }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    /// The beginning of a text file, such as a file of proc(5); nil if it cannot be read.
    public static func text(_ path: String, limit: Int = 4_096) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return (try? beginning(of: descriptor, limit: limit)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The first line of a text file without surrounding blanks; nil if there is none.
    public static func line(_ path: String) -> String? {
        guard let text = text(path) else { return nil }
        let line = text.prefix { $0 != "\n" }
        let trimmed = line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// The names in a folder, sorted; empty if it cannot be read.
    public static func names(in folder: String) -> [String] { (try? entries(of: folder)) ?? [] }

    /// The names in a folder, sorted, without `.` and `..`; at most `limit` of them.
    public static func entries(
        of folder: String, limit: Int = .max
    ) throws(SystemError) -> [String] {
        guard let stream = opendir(folder) else { throw SystemError.last("opendir") }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The target of a symbolic link; nil for anything else.
    public static func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The path without symbolic links; nil if it does not exist.
    public static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether the path exists.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether the path is a folder.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether the path is a regular file, not a folder, a device or a pipe.
    public static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// When a file was last changed; nil if it does not exist.
    ///
    /// Unit: seconds since 1970, UTC.
    public static func modified(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_mtim.tv_sec) : nil
    }

    /// The space that this user may still fill on the disk of a file or a folder; nil if it is unknown.
    ///
    /// Unit: bytes.
    public static func freeSpace(at path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int64(clamping: status.f_bavail.multipliedReportingOverflow(by: status.f_frsize).0)
    }

    /// The inode of a path; 0 if it does not exist.
    public static func inode(_ path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : 0
    }

    /// The name of the group whose members may open a node, or its number if it has no name.
    ///
    /// Nil if membership does not help, or if the group is not for users (root).
    public static func groupName(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_gid != 0,
            status.st_mode & (S_IRGRP | S_IWGRP) == S_IRGRP | S_IWGRP
        else { return nil }
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        var text = [CChar](repeating: 0, count: 4_096)
        guard getgrgid_r(status.st_gid, &entry, &text, text.count, &found) == 0, found != nil
        else { return String(status.st_gid) }
        return String(cString: entry.gr_name)
    }
}
