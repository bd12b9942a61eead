import Glibc
import SystemIO

/// A process by its boot, number and start time, so that a number used again is not mistaken.
struct WriterIdentity: Hashable, Sendable {
    /// `BOOT:PID:START`, as it is in the database.
    var text: String

    /// This process; nil where /proc says nothing.
    static func current() -> WriterIdentity? { of(getpid()) }

    /// Whether the process still runs, as far as this machine and this boot can tell.
    var isAlive: Bool {
        let parts = text.split(separator: ":")
        guard parts.count == 3, let number = pid_t(parts[1]) else { return false }
        return Self.of(number) == self
    }

    private static func of(_ number: pid_t) -> WriterIdentity? {
        guard let boot = Files.text("/proc/sys/kernel/random/boot_id"),
            let status = Files.text("/proc/\(number)/stat"),
            // The name in parentheses may hold blanks and parentheses of its own.
            let name = status.lastIndex(of: ")")
        else { return nil }
        // Field 22 is the start time; the first after the name is field 3.
        let fields = status[name...].split(separator: " ")
        guard fields.count > 20 else { return nil }
        let bootID = boot.prefix { !$0.isWhitespace }
        return WriterIdentity(text: "\(bootID):\(number):\(fields[20])")
    }
}
