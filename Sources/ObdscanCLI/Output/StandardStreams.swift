import Formats
import Glibc
import SystemIO

extension TextOutput {
    /// The process's standard output; text on it is what the locale's terminals show.
    static var standard: TextOutput {
        TextOutput(descriptor: STDOUT_FILENO, shown: LocaleText.isASCII ? asciiWords : nil)
    }
}

/// Writes text for people to stderr; there is nowhere left to report a failure to.
func writeToStandardError(_ text: String) {
    try? writeAll(Array(LocaleText.shown(text).utf8), to: STDERR_FILENO)
}

/// The same for a message that may be longer than a line: a terminal breaks none of its words.
func tellOnStandardError(_ text: String) {
    let text = LocaleText.shown(text)
    guard let columns = terminalColumns(STDERR_FILENO) else { return writeToStandardError(text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    writeToStandardError(
        lines.map { folded(String($0), to: columns).joined(separator: "\n") }
            .joined(separator: "\n"))
}

/// A write to a closed pipe is reported by write(2), not by death.
func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}

/// A mark (`pkill -USR1 obdscan`) ends no command that records nothing.
func ignoreMarks() {
    signal(SIGUSR1, SIG_IGN)
}

/// Keeps the numbers of closed standard streams from being given to files and accessories, into which
/// messages would then be written.
///
/// They are opened the wrong way round, so that using them fails as on a closed one.
func occupyClosedStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
        _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}
