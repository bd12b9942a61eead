import Formats
import Glibc
import SystemIO

/// One line on the terminal that is written again and goes away again.
enum StatusLine {
    /// Writes it again, cut to the terminal's width: of a longer line only the last row would go away.
    static func show(_ text: String) {
        guard takesEscapes else { return }
        let columns = terminalColumns(STDERR_FILENO) ?? 80
        writeToStandardError("\r\(line(LocaleText.shown(text), columns))\u{1B}[K")
    }

    /// `text` as one row of this many cells shows it, the last of them empty.
    static func line(_ text: String, _ columns: Int) -> String {
        guard displayWidth(text) >= columns else { return text }
        let cut = fitted(text, columns - 1)
        return LocaleText.isASCII ? asciiText(cut) : cut
    }

    /// Takes it away.
    static func clear() { show("") }

    /// Whether anybody watches.
    static func isWatched(_ output: OutputOptions) -> Bool {
        !output.quiet && isatty(STDERR_FILENO) == 1 && takesEscapes
    }
}
