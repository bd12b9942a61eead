import Formats
import Glibc
import SystemIO

/// The file of `--log-file`, open for the lifetime of this object.
final class LogFile: Sendable {
    private let descriptor: Int32

    init(path: String) throws(Failure) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw Failure(outputFile: path, errno: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Appends a line in one write, so that several writers may share the file.
    ///
    /// A failure is ignored, because it must not end a command.
    func append(_ line: [UInt8]) {
        try? writeAll(line, to: descriptor)
    }
}

extension OutputOptions {
    /// Appends one line with the time to the log file, if there is one.
    func log(_ text: String) throws(Failure) {
        guard let logFile else { return }
        try LogFile(path: logFile).append(Array("\(SystemClock.utc) \(printable(text))\n".utf8))
    }
}
