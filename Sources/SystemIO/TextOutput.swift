import Glibc

/// Buffered text to a descriptor.
///
/// Nothing is lost silently: every fault of write(2) is thrown. Call ``flush()`` when something is
/// complete (a line of live output, the end of the command).
public struct TextOutput: ~Copyable {
    /// The descriptor written to; -1 where something else takes the bytes.
    public let descriptor: Int32
    private let sink: (([UInt8]) throws(OutputError) -> Void)?
    private var buffer: [UInt8] = []
    /// How much of the buffer is written already.
    private var done = 0
    /// Whether only ``flushReady()`` writes.
    private let keeps: Bool
    /// How text for people is shown, while bytes stay the same everywhere; nil = as it is.
    private let shown: (@Sendable (String) -> String)?
    private static let capacity = 64 * 1024
    /// What a pipe that is ready takes at once, and in one piece.
    private static let piece = Int(PIPE_BUF)

    /// Output to an open descriptor, which stays open.
    public init(descriptor: Int32, shown: (@Sendable (String) -> String)? = nil) {
        self.descriptor = descriptor
        self.shown = shown
        sink = nil
        keeps = false
    }

    /// Output to an open descriptor, which stays open; all of it is kept until ``flushReady()``.
    public init(keepingFor descriptor: Int32, shown: (@Sendable (String) -> String)? = nil) {
        self.descriptor = descriptor
        self.shown = shown
        sink = nil
        keeps = true
    }

    /// Output that `sink` takes, a full buffer at a time.
    public init(sink: @escaping ([UInt8]) throws(OutputError) -> Void) {
        descriptor = -1
        shown = nil
        self.sink = sink
        keeps = false
    }

    /// Whether a person watches.
    public var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Appends text for people, while data for programs goes as bytes; full buffers are written.
    public mutating func write(_ text: String) throws(OutputError) {
        buffer.append(contentsOf: (shown?(text) ?? text).utf8)
        if isFull { try flush() }
    }

    /// Appends bytes; full buffers are written.
    public mutating func write(bytes: [UInt8]) throws(OutputError) {
        buffer.append(contentsOf: bytes)
        if isFull { try flush() }
    }

    /// Lets `body` append to the buffer itself, without a copy; full buffers are written.
    public mutating func append(_ body: (inout [UInt8]) -> Void) throws(OutputError) {
        body(&buffer)
        if isFull { try flush() }
    }

    private var isFull: Bool { buffer.count >= Self.capacity && !keeps }

    /// How many bytes are not written yet.
    public var kept: Int { buffer.count - done }

    /// Writes what can be written without waiting for a reader; whole lines, where they are not too
    /// long for that.
    public mutating func flushReady() throws(OutputError) {
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

    /// Forgets what is not written; says how many lines that are.
    public mutating func giveUp() -> Int {
        let lines = buffer[done...].count { $0 == 0x0A }
        buffer.removeAll()
        done = 0
        return lines
    }

    /// Writes a line.
    public mutating func writeLine(_ text: String) throws(OutputError) {
        try write(text)
        try write("\n")
    }

    /// Writes out whatever is buffered.
    public mutating func flush() throws(OutputError) {
        defer { buffer.removeAll(keepingCapacity: true) }
        if let sink {
            if !buffer.isEmpty { try sink(buffer) }
        } else {
            try writeAll(buffer, to: descriptor)
        }
    }
}

/// Writes all bytes, however many calls it takes.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
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

/// Whether something can be written without waiting, or can be within this long; unit: ms.
public func takesMore(_ descriptor: Int32, within limit: Int32 = 0) -> Bool {
    var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&room, 1, limit) > 0
}

/// The width of the terminal of `descriptor` in cells, or 80 if it does not report one; nil if there is
/// no terminal.
public func terminalColumns(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else { return 80 }
    return Int(window.ws_col)
}
