import Glibc

/// Finds out who has a device open.
enum DeviceHolder {
    /// The program that has `path` open, by a look at every process that may be looked at; this
    /// program itself only where there is no other.
    static func find(_ path: String) -> AccessoryError.Holder? {
        let node = Files.resolve(path) ?? path
        var own: AccessoryError.Holder?
        for entry in Files.names(in: "/proc") {
            guard let pid = Int32(entry), pid > 0 else { continue }
            let folder = "/proc/\(pid)/fd"
            let holds = Files.names(in: folder).contains {
                Files.linkTarget("\(folder)/\($0)") == node
            }
            guard holds else { continue }
            let holder = AccessoryError.Holder(pid: pid, program: program(pid))
            if pid != getpid() { return holder }
            own = holder
        }
        return own
    }

    /// The live process that a UUCP lock file names: minicom and its like set one.
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
