import Formats
import Glibc
import SystemIO

/// The program that shows long lists on a terminal: `PAGER`, else less.
enum Pager {
    /// Prints a list; where a terminal cannot show all of it at once, through the pager.
    static func print(
        _ output: OutputOptions, _ body: (inout TextOutput) throws -> Void
    ) throws {
        guard let program = program(output), let rows = terminalRows() else {
            var writer = TextOutput.standard
            try body(&writer)
            try writer.flush()
            return
        }
        let text = Held()
        var writer = TextOutput(sink: { text.bytes += $0 })
        try body(&writer)
        try writer.flush()
        let isLong = text.bytes.count { $0 == 0x0A } >= rows
        if !isLong || !show(text.bytes, program) { try writeAll(text.bytes, to: STDOUT_FILENO) }
    }

    private final class Held { var bytes: [UInt8] = [] }

    /// The pager; nil where none is wanted: in a pipe, in data, on a terminal that cannot draw.
    private static func program(_ output: OutputOptions) -> String? {
        guard output.format == .text, isatty(STDOUT_FILENO) == 1, isatty(STDIN_FILENO) == 1,
            !LocaleText.isASCII, let kind = environment("TERM"), !["", "dumb"].contains(kind)
        else { return nil }
        let program =
            environment("PAGER") ?? "command -v less >/dev/null || exit 127; exec less"
        return ["", "cat"].contains(program) ? nil : program
    }

    private static func terminalRows() -> Int? {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0 else {
            return nil
        }
        return Int(window.ws_row)
    }

    /// Shows a text in the pager until the user leaves it; false where it cannot be started.
    private static func show(_ text: [UInt8], _ program: String) -> Bool {
        // Colours as they are, and nothing is erased at the end. The user's own choice goes first.
        setenv("LESS", "FRX", 0)
        guard let pipe = popen(program, "w") else { return false }
        // Ctrl-C is for the pager; without this, it would be left alone on the terminal.
        let before = signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, before) }
        // Who leaves the pager early does not want the rest.
        _ = text.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, pipe) }
        // 127: the shell found no such program.
        return pclose(pipe) != 127 << 8
    }
}
