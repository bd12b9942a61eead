import Glibc
import SystemIO

/// The terminal as a full-screen view needs it: alternate screen, no cursor, keys as they come.
///
/// Each path that enters has to leave again: ``leave()`` is safe to call twice.
public struct Terminal: ~Copyable {
    private let output: Int32
    private let input: Int32
    private var saved: termios?
    private var isEntered = false
    /// A way to it of our own, which never waits; nil = there is none but the process's.
    private let own: Int32?
    private var text: TextOutput
    /// What brings the screen back that was there before.
    private static let farewell = "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// The terminal of the process; without one on stdin there are no keys.
    public init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
        self.input = input
        self.output = output
        let name = "/proc/self/fd/\(output)"
        let opened = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        own = opened < 0 ? nil : opened
        text = TextOutput(keepingFor: opened < 0 ? output : opened)
    }

    /// The descriptor that keys come from; nil when stdin is not a terminal.
    public var keys: Int32? { isatty(input) == 1 ? input : nil }

    /// Whether the process's terminal can be drawn on: where TERM says nothing, nobody knows how.
    public static var takesScreens: Bool {
        guard isatty(STDOUT_FILENO) == 1, let kind = getenv("TERM") else { return false }
        let name = String(cString: kind)
        return !name.isEmpty && name != "dumb"
    }

    /// Forgets the keys that were not read.
    public func dropKeys() {
        if let keys { tcflush(keys, TCIFLUSH) }
    }

    /// The size in cells; 80 × 24 where the terminal does not tell.
    public var size: LiveView.Size {
        var window = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
        else { return LiveView.Size(columns: 80, rows: 24) }
        return LiveView.Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Switches to the alternate screen and asks for the mouse; Ctrl-C and Ctrl-Z stay signals.
    public mutating func enter() throws(OutputError) {
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

    /// Whether it has taken all that was written; one that is stopped (Ctrl-S) or hangs takes nothing.
    public mutating func isReady() throws(OutputError) -> Bool {
        try text.flushReady()
        return text.kept == 0
    }

    /// Writes to it, without waiting for what it does not take yet.
    public mutating func write(_ more: String) throws(OutputError) {
        try text.write(more)
        try text.flushReady()
    }

    /// Gives the terminal back as it was.
    public mutating func leave() {
        guard isEntered else { return }
        isEntered = false
        try? write(Self.farewell)
        // A hung one is not waited for.
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
