import Diagnostics
import Formats
import Glibc
import OBDCore
import VehicleReports

/// The program that a user wants to be run when an alarm begins.
struct AlarmCommand: Sendable {
    private let words: [String]

    /// A program and its arguments, separated by blanks; nil where there is none.
    init?(_ text: String) {
        words = text.split(separator: " ").map(String.init)
        if words.isEmpty { return nil }
    }

    /// Starts the program and does not wait for it.
    ///
    /// It reads nothing, and what it prints goes to stderr, so that it cannot mix with data.
    func run(_ news: AlarmNews, _ text: String, _ signal: Signal, _ value: ValueText) {
        // No thread waits for it; it must not remain as a zombie.
        Glibc.signal(SIGCHLD, SIG_IGN)
        let extra = [
            "OBDSCAN_ALARM": news.alarm.text, "OBDSCAN_ECU": news.ecu?.description ?? "",
            "OBDSCAN_SIGNAL": signal.id, "OBDSCAN_VALUE": value.value, "OBDSCAN_UNIT": value.unit,
        ]
        var arguments = Self.cStrings(words + [printable(text)])
        var variables = Self.cStrings(
            Self.inherited + extra.map { "\($0.key)=\(printable($0.value))" })
        defer { for string in arguments + variables { free(string) } }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Blocked and ignored here; the program is to get them as usual.
        var none = sigset_t()
        sigemptyset(&none)
        var usual = sigset_t()
        sigemptyset(&usual)
        for number in [SIGPIPE, SIGCHLD, SIGUSR1] { sigaddset(&usual, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var child: pid_t = 0
        let fault = posix_spawnp(&child, words[0], &actions, &attributes, &arguments, &variables)
        if fault != 0 {
            writeToStandardError(
                "the alarm's program: \(printable(words[0])): \(describe(errno: fault))\n")
        }
    }

    /// The variables of this process that the program gets, too.
    private static var inherited: [String] {
        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            variables.append(String(cString: variable))
            next += 1
        }
        return variables
    }

    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }
}
