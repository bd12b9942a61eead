import Diagnostics
import Formats
import Glibc
import OBDCore
import VehicleReports

/// The user's program that runs when an alarm begins.
struct AlarmCommand: Sendable {
    private let words: [String]

    /// A program and its arguments, separated by blanks; nil for an empty text.
    init?(_ text: String) {
        words = text.split(separator: " ").map(String.init)
        if words.isEmpty { return nil }
    }

    /// Starts the program without waiting for it.
    ///
    /// Its standard input is empty and its output goes to stderr, so that it cannot mix with data.
    func run(_ news: AlarmNews, _ text: String, _ signal: Signal, _ value: ValueText) {
        // This process does not wait for the program, so the system must reap it.
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
        // These signals are blocked and ignored in this process; the program gets the defaults.
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

    /// The environment variables that the program inherits.
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
