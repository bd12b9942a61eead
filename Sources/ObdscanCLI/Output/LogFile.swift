import Glibc

extension OutputOptions {
    /// Opens the file of `--log-file`; nil without that option.
    ///
    /// Lines are appended whole, so that several writers may share it. It stays open until the
    /// process ends.
    func openLogFile() throws(Failure) -> Int32? {
        guard let logFile else { return nil }
        let descriptor = open(logFile, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw Failure(outputFile: logFile, errno: errno) }
        return descriptor
    }

    /// Appends one line with the time to the log file, where there is one.
    func log(_ text: String) throws(Failure) {
        guard let descriptor = try openLogFile() else { return }
        defer { close(descriptor) }
        try? writeAll(Array("\(Clock.utc) \(printable(text))\n".utf8), to: descriptor)
    }
}

/// What a command was called with, without secrets.
func loggable(_ arguments: [String]) -> [String] {
    var isSecret = false
    return arguments.map { argument in
        defer { isSecret = argument == "--token" }
        if isSecret { return "…" }
        return argument.hasPrefix("--token=") ? "--token=…" : argument
    }
}

/// A command with the options that all commands share.
protocol OutputCommand {
    /// Format, colour, units, how much is said.
    var output: OutputOptions { get }
}

extension DecodeCommand: OutputCommand {}
extension SimulateCommand: OutputCommand {}
