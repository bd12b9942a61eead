import CSystem
import Glibc

/// Opens serial lines and ptys.
enum SerialLine {
    // Device numbers of terminals that have no line rate (Linux, admin-guide/devices.txt).
    private static let ptyMajors: ClosedRange<Int32> = 136...143
    private static let usbModemMajor: Int32 = 166
    private static let rfcommMajor: Int32 = 216

    /// Opens `path` for this program alone, raw, its modem lines raised and left raised.
    static func open(_ path: String, rate: Int?) throws(AccessoryError) -> DescriptorSession {
        if let holder = DeviceHolder.byLockFile(of: path) {
            throw .inUse(path: path, holder: holder)
        }
        let descriptor = sys_open_tty(path)
        if descriptor < 0 { throw error(errno, opening: path) }
        // From here on the session closes the descriptor, on every path.
        var session = DescriptorSession(
            descriptor: descriptor, kind: kind(of: descriptor), name: path)
        if isatty(descriptor) == 0 { throw .notATerminal(path: path) }
        if sys_lock(descriptor) < 0 {
            if errno == EWOULDBLOCK {
                throw .inUse(path: path, holder: DeviceHolder.find(path))
            }
            throw .system(call: "flock", address: path, errno: errno)
        }
        // A pty whose other end is a program of ours has no use for it; that it may fail is fine.
        _ = sys_tty_exclusive(descriptor, 1)
        session.isExclusive = true
        if sys_tty_make_raw(descriptor) < 0 {
            throw .system(call: "TCSETS2", address: path, errno: errno)
        }
        if let rate { try session.setLineRate(rate) }
        // Few drivers have it, and fewer allow it to everyone; the rest is as fast as it is.
        _ = sys_tty_low_latency(descriptor)
        _ = sys_tty_flush(descriptor)
        return session
    }

    private static func kind(of descriptor: Int32) -> DescriptorSession.Kind {
        let major = sys_device_major(descriptor)
        return ptyMajors.contains(major) || major == usbModemMajor || major == rfcommMajor
            ? .terminal : .serialLine
    }

    private static func error(_ number: Int32, opening path: String) -> AccessoryError {
        switch number {
        case ENOENT, ENODEV, ENXIO, ENOTDIR: .notFound(path: path)
        case EACCES, EPERM: .permissionDenied(path: path, group: groupName(of: path))
        case EBUSY: .inUse(path: path, holder: DeviceHolder.find(path))
        case EISDIR: .notATerminal(path: path)
        default: .system(call: "open", address: path, errno: number)
        }
    }

    /// The name of the group whose members may open a node, or its number where it has none; nil = to be
    /// a member does not help, or is nothing for people (root).
    static func groupName(of path: String) -> String? {
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
