import CSystem
import Glibc
public import OBDCore

/// Runs another program without input and without showing its output.
public enum ChildProcess {
    /// How the program ended.
    public enum End: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        /// The program was killed, because its time was over or the caller cancelled the wait.
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
        let child = try spawn([program] + arguments, isWaitedFor: true)
        let isDone = try hasEnded(child, until: deadline, cancelledBy: cancel)
        if !isDone { kill(-child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        if !isDone { return .killed }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    /// Starts a program of the PATH and does not wait for it.
    ///
    /// The program's output goes to standard error, so that it cannot mix with data.
    ///
    /// - Parameters:
    ///   - words: the program and its arguments.
    ///   - variables: `NAME=value`, in addition to the environment of this process.
    public static func start(
        _ words: [String], variables: [String] = []
    ) throws(SystemError) {
        // The ended program must not remain as a zombie.
        Glibc.signal(SIGCHLD, SIG_IGN)
        _ = try spawn(words, variables: variables, isWaitedFor: false)
    }

    private static func spawn(
        _ words: [String], variables: [String] = [], isWaitedFor: Bool
    ) throws(SystemError) -> pid_t {
        var arguments = words.map { strdup($0) } + [nil]
        var added = variables.map { strdup($0) }
        defer { for text in arguments + added { free(text) } }
        var next = environ
        while let variable = next.pointee {
            added.append(strdup(variable))
            next += 1
        }
        var all = added + [nil]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if isWaitedFor {
            for stream in [STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
            }
        } else {
            posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // These signals are blocked and ignored here, but the program gets them as usual.
        var none = sigset_t()
        sigemptyset(&none)
        var usual = sigset_t()
        sigemptyset(&usual)
        for number in [SIGPIPE, SIGCHLD, SIGUSR1] { sigaddset(&usual, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        if isWaitedFor {
            // A separate process group, so that the program's helpers can be ended with it.
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var child: pid_t = 0
        let fault = posix_spawnp(&child, words[0], &actions, &attributes, &arguments, &all)
        guard fault == 0 else { throw SystemError(call: "posix_spawn", errno: fault) }
        return child
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
