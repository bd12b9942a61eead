import Glibc

/// Buffered text output to a descriptor.
///
/// Every error of write(2) is thrown. Call ``flush()`` after a unit of output (a line of live output, the end
/// of the command).
public struct TextOutput: ~Copyable {
    /// The descriptor; -1 if a function takes the bytes.
    public let descriptor: Int32
    private let sink: (([UInt8]) throws(OutputError) -> Void)?
    private var buffer: [UInt8] = []
    /// How much of the buffer was already written.
    private var done = 0
    /// Whether only ``flushReady()`` writes.
    private let keeps: Bool
    /// Converts text for the user, but not bytes for programs; nil for no conversion.
    private let shown: (@Sendable (String) -> String)?
    private static let capacity = 64 * 1024
    /// The size that a ready pipe accepts at once and in one piece.
    private static let piece = Int(PIPE_BUF)

    /// Output to an open descriptor, which stays open.
    public init(descriptor: Int32, shown: (@Sendable (String) -> String)? = nil) {
        self.descriptor = descriptor
        self.shown = shown
        sink = nil
        keeps = false
    }

    /// Output to an open descriptor, which stays open; the output is buffered until ``flushReady()``.
    public init(keepingFor descriptor: Int32, shown: (@Sendable (String) -> String)? = nil) {
        self.descriptor = descriptor
        self.shown = shown
        sink = nil
        keeps = true
    }

    /// Output to `sink`, one full buffer at a time.
    public init(sink: @escaping ([UInt8]) throws(OutputError) -> Void) {
        descriptor = -1
        shown = nil
        self.sink = sink
        keeps = false
    }

    /// Appends text for the user, as opposed to bytes for programs; writes the buffer when it is full.
    public mutating func write(_ text: String) throws(OutputError) {
        buffer.append(contentsOf: (shown?(text) ?? text).utf8)
        if isFull { try flush() }
    }

    /// Appends bytes; writes the buffer when it is full.
    public mutating func write(bytes: [UInt8]) throws(OutputError) {
        buffer.append(contentsOf: bytes)
        if isFull { try flush() }
    }

    /// Lets `body` append directly to the buffer, without a copy; writes the buffer when it is full.
    public mutating func append(_ body: (inout [UInt8]) -> Void) throws(OutputError) {
        body(&buffer)
        if isFull { try flush() }
    }

    private var isFull: Bool { buffer.count >= Self.capacity && !keeps }

    /// The number of bytes that were not written yet.
    public var kept: Int { buffer.count - done }

    /// Writes as much as possible without waiting for a reader, in whole lines unless they are too long.
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

    /// Discards the unwritten output and returns its number of lines.
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

    /// Writes the buffer.
    public mutating func flush() throws(OutputError) {
        defer { buffer.removeAll(keepingCapacity: true) }
        if let sink {
            if !buffer.isEmpty { try sink(buffer) }
        } else {
            try writeAll(buffer, to: descriptor)
        }
    }
}

/// Writes all bytes with as many calls as needed.
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

/// Whether the descriptor can be written now or within this time; unit: ms.
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
