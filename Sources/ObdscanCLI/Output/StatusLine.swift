import Formats
import Glibc
import SystemIO

/// One line on the terminal that can be updated and cleared.
enum StatusLine {
    /// Updates the line, cut to the terminal's width, because only its last row could be cleared.
    static func show(_ text: String) {
        guard takesEscapes else { return }
        let columns = terminalColumns(STDERR_FILENO) ?? 80
        writeToStandardError("\r\(line(LocaleText.shown(text), columns))\u{1B}[K")
    }

    /// `text` cut to one row of this many cells; the last cell stays empty.
    static func line(_ text: String, _ columns: Int) -> String {
        guard displayWidth(text) >= columns else { return text }
        let cut = fitted(text, columns - 1)
        return LocaleText.isASCII ? asciiText(cut) : cut
    }

    static func clear() { show("") }

    /// Whether a person can see the line.
    static func isWatched(_ output: OutputOptions) -> Bool {
        !output.quiet && isatty(STDERR_FILENO) == 1 && takesEscapes
    }
}
