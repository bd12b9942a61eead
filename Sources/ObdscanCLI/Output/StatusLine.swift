import Glibc

/// One line on the terminal that is written anew and goes away again.
enum StatusLine {
    /// Writes it anew.
    static func show(_ text: String) { writeToStandardError("\r\(text)\u{1B}[K") }

    /// Takes it away.
    static func clear() { show("") }

    /// Whether anybody watches.
    static func isWatched(_ output: OutputOptions) -> Bool {
        !output.quiet && isatty(STDERR_FILENO) == 1
    }
}
