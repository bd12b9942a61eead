import Glibc
import SystemIO

/// Finds out about the file system that a file is on.
enum FileSystem {
    /// Types of network file systems; all file systems in user space (`fuse.sshfs`) count as such.
    private static let networks: Set<Substring> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "drvfs", "ceph", "afs", "ncpfs", "lustre",
    ]

    /// Whether the file is on a network file system.
    static func isOnNetwork(_ path: String) -> Bool {
        guard let kind = kind(of: path) else { return false }
        return networks.contains(kind) || kind.hasPrefix("fuse.")
    }

    /// Whether the file is in memory.
    static func isInMemory(_ path: String) -> Bool { kind(of: path) == "tmpfs" }

    /// The type of a file's file system; nil if that is unknown.
    private static func kind(of path: String) -> Substring? {
        var status = stat()
        guard stat(path, &status) == 0,
            let mounts = Files.text("/proc/self/mountinfo", limit: 4 << 20)
        else {
            return nil
        }
        let device = status.st_dev
        // Device numbers as the kernel packs them (gnu_dev_major, gnu_dev_minor).
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
        return kind(ofDevice: "\(major):\(minor)", in: mounts)
    }

    /// The type of a device's file system as in proc_pid_mountinfo(5); nil if it is not listed.
    static func kind(ofDevice device: String, in mounts: String) -> Substring? {
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 2, fields[2] == device,
                let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count
            else { continue }
            return fields[dash + 1]
        }
        return nil
    }
}
