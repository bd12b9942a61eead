import Glibc
import SystemIO
import TripExport

/// Buffered text to a descriptor.
///
/// Nothing is lost silently: every fault of write(2) is thrown. Call ``flush()`` when something is
/// complete (a line of live output, the end of the command).
struct TextOutput: ~Copyable {
    /// The descriptor written to; -1 where something else takes the bytes.
    let descriptor: Int32
    private let sink: (([UInt8]) throws(OutputError) -> Void)?
    private var buffer: [UInt8] = []
    /// How much of the buffer is written already.
    private var done = 0
    /// Whether only ``flushReady()`` writes.
    private let keeps: Bool
    /// Whether text, other than bytes, becomes ASCII: data is the same everywhere.
    private let isASCII: Bool
    private static let capacity = 64 * 1024
    /// What a pipe that is ready takes at once, and in one piece.
    private static let piece = Int(PIPE_BUF)

    /// Output to an open descriptor, which stays open.
    init(descriptor: Int32, isASCII: Bool = false) {
        self.descriptor = descriptor
        self.isASCII = isASCII
        sink = nil
        keeps = false
    }

    /// Output to an open descriptor, which stays open; all of it is kept until ``flushReady()``.
    init(keepingFor descriptor: Int32, isASCII: Bool = false) {
        self.descriptor = descriptor
        self.isASCII = isASCII
        sink = nil
        keeps = true
    }

    /// Output that `sink` takes, a full buffer at a time.
    init(sink: @escaping ([UInt8]) throws(OutputError) -> Void) {
        descriptor = -1
        isASCII = false
        self.sink = sink
        keeps = false
    }

    /// The process's standard output; text on it is what the locale's terminals show.
    static var standard: TextOutput {
        TextOutput(descriptor: STDOUT_FILENO, isASCII: LocaleText.isASCII)
    }

    /// Whether a person watches.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Appends text for people, while data for programs goes as bytes; full buffers are written.
    mutating func write(_ text: String) throws(OutputError) {
        buffer.append(contentsOf: (isASCII ? asciiWords(text) : text).utf8)
        if isFull { try flush() }
    }

    /// Appends bytes; full buffers are written.
    mutating func write(bytes: [UInt8]) throws(OutputError) {
        buffer.append(contentsOf: bytes)
        if isFull { try flush() }
    }

    /// Lets `body` append to the buffer itself, without a copy; full buffers are written.
    mutating func append(_ body: (inout [UInt8]) -> Void) throws(OutputError) {
        body(&buffer)
        if isFull { try flush() }
    }

    private var isFull: Bool { buffer.count >= Self.capacity && !keeps }

    /// How many bytes are not written yet.
    var kept: Int { buffer.count - done }

    /// Writes what can be written without waiting for a reader; whole lines, where they are not too
    /// long for that.
    mutating func flushReady() throws(OutputError) {
        while kept > 0 {
            guard takesMore(descriptor) else { break }
            let all = buffer[done...].prefix(Self.piece)
            let end = all.count < kept ? all.lastIndex(of: 0x0A).map { $0 + 1 } : nil
            let piece = end.map { all[..<$0] } ?? all
            let count = piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                done += count
            } else if errno == EPIPE {
                throw .readerGone
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                throw .failed(errno: errno)
            }
        }
        if kept == 0 {
            buffer.removeAll(keepingCapacity: true)
            done = 0
        } else if done > Self.capacity {
            buffer.removeFirst(done)
            done = 0
        }
    }

    /// Forgets what is not written; tells how many lines that are.
    mutating func giveUp() -> Int {
        let lines = buffer[done...].count { $0 == 0x0A }
        buffer.removeAll()
        done = 0
        return lines
    }

    /// Writes a line.
    mutating func writeLine(_ text: String) throws(OutputError) {
        try write(text)
        try write("\n")
    }

    /// Writes out whatever is buffered.
    mutating func flush() throws(OutputError) {
        defer { buffer.removeAll(keepingCapacity: true) }
        if let sink {
            if !buffer.isEmpty { try sink(buffer) }
        } else {
            try writeAll(buffer, to: descriptor)
        }
    }
}

/// Writes all bytes, however many calls it takes.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
    var done = 0
    while done < bytes.count {
        let start = done
        let count = bytes.withUnsafeBytes { all in
            Glibc.write(descriptor, all.baseAddress.map { $0 + start }, all.count - start)
        }
        if count > 0 {
            done += count
        } else if errno == EPIPE {
            throw .readerGone
        } else if errno == EAGAIN {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&waiting, 1, -1)
        } else if errno != EINTR {
            throw .failed(errno: errno)
        }
    }
}

/// Whether something can be written without waiting, or can be within so long; unit: ms.
func takesMore(_ descriptor: Int32, within limit: Int32 = 0) -> Bool {
    var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&room, 1, limit) > 0
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

/// The width of the terminal behind `descriptor` in cells, 80 where it does not tell; nil where there
/// is none.
func terminalColumns(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else { return 80 }
    return Int(window.ws_col)
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
