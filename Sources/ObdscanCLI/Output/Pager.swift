import Formats
import Glibc
import SystemIO

/// The program that shows long lists on a terminal: `PAGER`, else less.
enum Pager {
    /// Prints a list, through the pager if it does not fit on the terminal.
    static func print(
        _ output: OutputOptions, _ body: (inout TextOutput) throws -> Void
    ) throws {
        let rows = terminalRows()
        let program = rows == nil ? nil : program(output)
        let text = Held()
        var writer = program == nil ? .standard : TextOutput(sink: { text.bytes += $0 })
        let result = Result { try body(&writer) }
        // Readings from before a failure are a result, too.
        try writer.flush()
        if let program, let rows {
            let isLong = text.bytes.count { $0 == 0x0A } >= rows
            if !isLong || !show(text.bytes, program) { try writeAll(text.bytes, to: STDOUT_FILENO) }
        }
        try result.get()
    }

    private final class Held { var bytes: [UInt8] = [] }

    /// The pager; nil for a pipe, for data, and for a terminal without cursor control.
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

    /// Shows a text in the pager until the user quits it; false if the pager cannot be started.
    private static func show(_ text: [UInt8], _ program: String) -> Bool {
        // Keep colours, and do not clear the screen at the end. The user's own LESS has priority.
        setenv("LESS", "FRX", 0)
        guard let pipe = popen(program, "w") else { return false }
        // Ctrl-C is for the pager; otherwise it would end obdscan and leave the pager on the
        // terminal.
        let before = signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, before) }
        // A user who quits the pager early does not need the rest, so ignore a failed write.
        _ = text.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, pipe) }
        // 127: the shell did not find the program.
        return pclose(pipe) != 127 << 8
    }
}
