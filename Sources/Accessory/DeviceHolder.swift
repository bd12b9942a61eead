import Glibc
import SystemIO

/// Finds out which program has a device open.
enum DeviceHolder {
    /// The program that uses the device at `path`.
    ///
    /// A program with a lock on the device comes first, then a program that has the device open. A program
    /// that serves the other end of a pty comes last of these. This program itself is returned only if no
    /// other program has the device.
    ///
    /// Looks at every process for which this user has permission.
    static func find(_ path: String) -> AccessoryError.Holder? {
        let node = Files.resolve(path) ?? path
        if let pid = lockOwner(of: node), pid != getpid() {
            return AccessoryError.Holder(pid: pid, program: program(pid))
        }
        var server: AccessoryError.Holder?
        var own: AccessoryError.Holder?
        for entry in Files.names(in: "/proc") {
            guard let pid = Int32(entry), pid > 0 else { continue }
            let descriptors = "/proc/\(pid)/fd"
            let open = Files.names(in: descriptors)
            let holds = open.contains { Files.linkTarget("\(descriptors)/\($0)") == node }
            guard holds else { continue }
            let holder = AccessoryError.Holder(pid: pid, program: program(pid))
            if serves(node, pid, open) {
                server = server ?? holder
            } else if pid == getpid() {
                own = holder
            } else {
                return holder
            }
        }
        return server ?? own
    }

    /// The process with a flock(2) on `node` in the kernel's list; nil if there is none.
    private static func lockOwner(of node: String) -> Int32? {
        var status = stat()
        guard stat(node, &status) == 0, let locks = Files.text("/proc/locks", limit: 4 << 20) else {
            return nil
        }
        let device = UInt64(status.st_dev)
        return owner(
            of: LockedFile(
                major: (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF,
                minor: device & 0xFF | (device >> 12) & ~0xFF, inode: UInt64(status.st_ino)),
            in: locks)
    }

    /// The identity of a file in the kernel's list of locks.
    struct LockedFile: Hashable {
        var major, minor, inode: UInt64
    }

    /// The process with a flock(2) on `file` in the kernel's list (proc(5), /proc/locks).
    ///
    /// A line is `1: FLOCK  ADVISORY  WRITE 708 00:13:11170 0 EOF`, with the device in hexadecimal.
    static func owner(of file: LockedFile, in locks: String) -> Int32? {
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            // A line with an arrow is a process that waits for the lock.
            guard words.count >= 6, words[1] == "FLOCK", let pid = Int32(words[4]), pid > 0
            else { continue }
            let parts = words[5].split(separator: ":")
            guard parts.count == 3, UInt64(parts[0], radix: 16) == file.major,
                UInt64(parts[1], radix: 16) == file.minor, UInt64(parts[2]) == file.inode
            else { continue }
            return pid
        }
        return nil
    }

    /// Whether a process serves the pty `node`: it has the other end open as well.
    private static func serves(_ node: String, _ pid: Int32, _ descriptors: [String]) -> Bool {
        guard node.hasPrefix("/dev/pts/"), let number = Int(node.dropFirst(9)) else { return false }
        return descriptors.contains { descriptor in
            guard
                let target = Files.linkTarget("/proc/\(pid)/fd/\(descriptor)"),
                target == "/dev/ptmx" || target == "/dev/pts/ptmx",
                let facts = Files.text("/proc/\(pid)/fdinfo/\(descriptor)")
            else { return false }
            return facts.split(separator: "\n").contains { line in
                let words = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
                return words.count == 2 && words[0] == "tty-index:" && Int(words[1]) == number
            }
        }
    }

    /// The running process that a UUCP lock file names; minicom and similar programs write one.
    static func byLockFile(
        of path: String, in folder: String = "/run/lock"
    ) -> AccessoryError.Holder? {
        let node = Files.resolve(path) ?? path
        guard let name = node.split(separator: "/").last,
            let text = Files.text("\(folder)/LCK..\(name)"),
            let word = text.split(whereSeparator: { $0 == " " || $0 == "\n" }).first,
            let pid = Int32(word), pid > 0, pid != getpid(),
            kill(pid, 0) == 0 || errno == EPERM
        else { return nil }
        return AccessoryError.Holder(pid: pid, program: program(pid))
    }

    private static func program(_ pid: Int32) -> String {
        let name = Files.text("/proc/\(pid)/comm") ?? ""
        return String(name.prefix { $0 != "\n" })
    }
}
