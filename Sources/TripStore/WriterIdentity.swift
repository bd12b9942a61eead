import Glibc
import SystemIO

/// Identifies a process by boot, pid and start time, so that a reused pid is not mistaken for it.
struct WriterIdentity: Hashable, Sendable {
    /// `BOOT:PID:START`, as stored in the database.
    var text: String

    /// This process; nil if /proc is not available.
    static func current() -> WriterIdentity? { of(getpid()) }

    /// Whether the process still runs, as far as this machine and this boot can know.
    var isAlive: Bool {
        let parts = text.split(separator: ":")
        guard parts.count == 3, let number = pid_t(parts[1]) else { return false }
        return Self.of(number) == self
    }

    private static func of(_ number: pid_t) -> WriterIdentity? {
        guard let boot = SystemClock.boot,
            let status = Files.text("/proc/\(number)/stat"),
            // The name in parentheses may itself contain blanks and parentheses.
            let name = status.lastIndex(of: ")")
        else { return nil }
        // Field 22 is the start time; the first after the name is field 3.
        let fields = status[name...].split(separator: " ")
        guard fields.count > 20 else { return nil }
        return WriterIdentity(text: "\(boot):\(number):\(fields[20])")
    }
}
