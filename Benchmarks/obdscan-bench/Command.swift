import Glibc

/// Runs a program to its end.
enum Command {
    /// Returns the exit status; standard output goes to `output`, or is discarded.
    static func run(_ arguments: [String], output: String?) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(
            &actions, STDOUT_FILENO, output ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var child = pid_t()
        guard posix_spawnp(&child, arguments[0], &actions, nil, &pointers, environ) == 0 else {
            return -1
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return status
    }
}
