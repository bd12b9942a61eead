import Formats
import Glibc
import SystemIO

extension TextOutput {
    /// The process's standard output, with text in characters that the locale's terminals can show.
    static var standard: TextOutput {
        TextOutput(descriptor: STDOUT_FILENO, shown: LocaleText.isASCII ? asciiWords : nil)
    }
}

/// Writes text for people to stderr; a failure is ignored, because there is no other stream for it.
func writeToStandardError(_ text: String) {
    try? writeAll(Array(LocaleText.shown(text).utf8), to: STDERR_FILENO)
}

/// Writes a longer message to stderr, folded between words to the width of a terminal.
func tellOnStandardError(_ text: String) {
    let commands = SuggestedCommands(CommandLine.arguments)
    let text = LocaleText.shown(commands?.completed(text) ?? text)
    guard let columns = terminalColumns(STDERR_FILENO) else { return writeToStandardError(text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    writeToStandardError(
        lines.map { folded(String($0), to: columns).joined(separator: "\n") }
            .joined(separator: "\n"))
}

/// A write to a closed pipe returns an error and does not end the process.
func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}

/// A mark (`pkill -USR1 obdscan`) does not end a command that does not record.
func ignoreMarks() {
    signal(SIGUSR1, SIG_IGN)
}

/// Occupies the descriptors of closed standard streams.
///
/// Otherwise, a file or a device could get such a descriptor, and messages would be written to it.
/// The descriptors are opened for the wrong direction, so that using them fails as on a closed
/// stream.
func occupyClosedStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
        _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}
