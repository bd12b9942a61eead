import Glibc
import SystemIO

/// The terminal in full-screen mode: alternate screen, no cursor, keys without line buffering.
///
/// Every path that calls ``enter()`` must also call ``leave()``, which may be called twice.
package struct Terminal: ~Copyable {
    private let output: Int32
    private let input: Int32
    private var saved: termios?
    private var isEntered = false
    /// A non-blocking descriptor of our own; nil = use the process's descriptor.
    private let own: Int32?
    private var text: TextOutput
    /// The escape sequences that restore the previous screen.
    private static let farewell = "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// The terminal of the process; if stdin is not a terminal, there are no keys.
    package init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
        self.input = input
        self.output = output
        let name = "/proc/self/fd/\(output)"
        let opened = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        own = opened < 0 ? nil : opened
        text = TextOutput(keepingFor: opened < 0 ? output : opened)
    }

    /// The descriptor for keys; nil if stdin is not a terminal.
    package var keys: Int32? { isatty(input) == 1 ? input : nil }

    /// Whether the process's terminal supports full-screen output; without TERM this is unknown.
    package static var takesScreens: Bool {
        guard isatty(STDOUT_FILENO) == 1, let kind = getenv("TERM") else { return false }
        let name = String(cString: kind)
        return !name.isEmpty && name != "dumb"
    }

    /// Discards unread keys.
    package func dropKeys() {
        if let keys { tcflush(keys, TCIFLUSH) }
    }

    /// The size in cells; 80 × 24 if the terminal does not report it.
    package var size: LiveView.Size {
        var window = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
        else { return LiveView.Size(columns: 80, rows: 24) }
        return LiveView.Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Switches to the alternate screen and enables the mouse; Ctrl-C and Ctrl-Z stay signals.
    package mutating func enter() throws(OutputError) {
        guard !isEntered else { return }
        var mode = termios()
        if keys != nil, tcgetattr(input, &mode) == 0 {
            saved = mode
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(input, TCSADRAIN, &mode)
        }
        isEntered = true
        try write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[2J")
    }

    /// Leaves the terminal to other programs at SIGTSTP, and takes it back at SIGCONT.
    package mutating func take(signal number: Int32) throws(OutputError) {
        switch number {
        case SIGTSTP:
            leave()
            kill(getpid(), SIGSTOP)
            try enter()
        case SIGCONT:
            // Another program may have changed the terminal meanwhile.
            leave()
            try enter()
        default: break
        }
    }

    /// Whether the terminal has accepted all output.
    ///
    /// A stopped (Ctrl-S) or hanging terminal accepts nothing.
    package mutating func isReady() throws(OutputError) -> Bool {
        try text.flushReady()
        return text.kept == 0
    }

    /// Writes without blocking; output that the terminal does not accept yet is kept.
    package mutating func write(_ more: String) throws(OutputError) {
        try text.write(more)
        try text.flushReady()
    }

    package mutating func leave() {
        guard isEntered else { return }
        isEntered = false
        try? write(Self.farewell)
        // Do not wait forever for a hanging terminal.
        while text.kept > 0, takesMore(own ?? output, within: 2000) {
            do { try text.flushReady() } catch { break }
        }
        let isWhole = text.kept == 0
        _ = text.giveUp()
        if var mode = saved { tcsetattr(input, isWhole ? TCSADRAIN : TCSANOW, &mode) }
        saved = nil
    }

    deinit {
        if isEntered {
            try? writeAll(Array(Self.farewell.utf8), to: output)
            if var mode = saved { tcsetattr(input, TCSADRAIN, &mode) }
        }
        if let own { close(own) }
    }
}
