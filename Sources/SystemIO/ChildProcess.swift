import CSystem
import Glibc
public import OBDCore

/// Runs another program without input and without showing its output.
public enum ChildProcess {
    /// How the program ended.
    public enum End: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        /// It was killed, because its time was over or the caller cancelled the wait.
        case killed
    }

    /// The first of `names` that is a program on the PATH.
    public static func program(of names: [String]) -> String? {
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        for name in names {
            for folder in folders.split(separator: ":") where folder.hasPrefix("/") {
                let path = "\(folder)/\(name)"
                if access(path, X_OK) == 0 { return path }
            }
        }
        return nil
    }

    /// Runs a program until it ends.
    ///
    /// - Parameter cancel: a descriptor that ends it when it becomes readable.
    public static func run(
        _ program: String, _ arguments: [String], until deadline: Instant,
        cancelledBy cancel: Int32?
    ) throws(SystemError) -> End {
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // These are blocked and ignored here, but the program gets them as usual.
        var none = sigset_t()
        sigemptyset(&none)
        var usual = sigset_t()
        sigemptyset(&usual)
        for number in [SIGPIPE, SIGCHLD, SIGUSR1] { sigaddset(&usual, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        // A separate process group, so that the program's own children can be ended, too.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var child: pid_t = 0
        let fault = posix_spawn(&child, program, &actions, &attributes, &words, environ)
        guard fault == 0 else { throw SystemError(call: "posix_spawn", errno: fault) }
        let isDone = try hasEnded(child, until: deadline, cancelledBy: cancel)
        if !isDone { kill(-child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        if !isDone { return .killed }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    /// Whether the program ended by itself.
    private static func hasEnded(
        _ child: pid_t, until deadline: Instant, cancelledBy cancel: Int32?
    ) throws(SystemError) -> Bool {
        let descriptor = sys_open_process(child)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var set = PollSet()
        let end = set.add(descriptor)
        let flag = set.add(cancel ?? -1)
        if try set.wait(until: deadline) == 0 { return false }
        return set.isReadable(end) || !set.isReadable(flag)
    }
}
