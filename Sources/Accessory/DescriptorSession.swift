import CSystem
import Glibc

/// An open session with an accessory: one descriptor, bytes in and bytes out.
///
/// Reads give whatever is there; what a write cannot take at once is kept and written when there is
/// space. Neither ever blocks. The descriptor is closed at the end of the session's life.
public struct DescriptorSession: ~Copyable {
    /// What the descriptor is.
    public enum Kind: Hashable, Sendable {
        /// A serial line whose rate matters.
        case serialLine
        /// A terminal without a line rate: pty, USB modem class, Bluetooth node.
        case terminal
        /// A socket, or whatever else bytes come from.
        case stream
    }

    /// For `poll`.
    ///
    /// Belongs to the session.
    public let descriptor: Int32
    /// What it is.
    public let kind: Kind
    /// The accessory as messages name it.
    public let name: String
    /// Whether it is this session that keeps others from opening the terminal.
    var isExclusive = false
    /// Whether the user has said at which rate the line runs.
    public internal(set) var isRateGiven = false
    /// What to do when the other end closes.
    var remedyWhenClosed = LinkFault.usualRemedy
    private var acknowledgesAtOnce = false
    private var unwritten: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 4_096)

    /// Takes over an open, non-blocking descriptor.
    public init(descriptor: Int32, kind: Kind, name: String) {
        self.descriptor = descriptor
        self.kind = kind
        self.name = name
    }

    deinit {
        // Others may open it again, also while someone else keeps it open.
        if isExclusive { _ = sys_tty_exclusive(descriptor, 0) }
        Glibc.close(descriptor)
    }

    /// Ends the session.
    public consuming func close() {}

    /// Whether bytes wait for space; then `poll` for writing and call ``flush()``.
    public var wantsToWrite: Bool { !unwritten.isEmpty }

    /// Sets a TCP socket up for short requests and answers; does nothing to any other descriptor.
    ///
    /// Small writes leave at once (TCP_NODELAY), and a peer that vanished is noticed.
    ///
    /// Each read is acknowledged at once too (TCP_QUICKACK). An adapter that sends an answer in several
    /// segments with Nagle's algorithm on keeps each segment until the last one is acknowledged, and
    /// the kernel delays that by 40 ms while it waits for data that could carry it.
    public mutating func tuneTCP() { acknowledgesAtOnce = sys_tcp_tune(descriptor) == 0 }

    /// Takes what has come; empty = nothing now.
    ///
    /// - Throws: ``LinkFault/lost(address:errno:remedy:)`` once the accessory has gone.
    public mutating func receive() throws(AccessoryError) -> [UInt8] {
        let count = buffer.withUnsafeMutableBytes { sys_read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            if acknowledgesAtOnce { _ = sys_tcp_acknowledge(descriptor) }
            return Array(buffer[..<count])
        }
        if count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) { return [] }
        throw loss(errno: count == 0 ? 0 : errno)
    }

    /// The loss of the link, in the same words whether reading or writing found it.
    ///
    /// A terminal whose other end has gone gives either an end of its bytes or EIO: which one depends
    /// on the moment alone.
    private func loss(errno number: Int32) -> AccessoryError {
        let isClosed = number == 0 || (number == EIO && kind != .stream)
        return .lost(address: name, errno: isClosed ? 0 : number, remedy: remedyWhenClosed)
    }

    /// Writes `bytes`, or keeps what does not fit now.
    public mutating func write(_ bytes: [UInt8]) throws(AccessoryError) {
        if wantsToWrite {
            unwritten.append(contentsOf: bytes)
            return
        }
        let count = try put(bytes)
        if count < bytes.count { unwritten.append(contentsOf: bytes[count...]) }
    }

    /// Writes what was kept, as much as fits.
    public mutating func flush() throws(AccessoryError) {
        let count = try put(unwritten)
        unwritten.removeFirst(count)
    }

    private func put(_ bytes: [UInt8]) throws(AccessoryError) -> Int {
        let count = bytes.withUnsafeBytes { sys_write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 { return count }
        if errno == EAGAIN || errno == EWOULDBLOCK { return 0 }
        throw loss(errno: errno)
    }

    /// Sets the line rate once everything written is sent; does nothing where there is none.
    public func setLineRate(_ rate: Int) throws(AccessoryError) {
        guard kind == .serialLine, let number = UInt32(exactly: rate) else { return }
        _ = sys_tty_drain(descriptor)
        let taken = sys_tty_set_rate(descriptor, number)
        if taken < 0 {
            let error = errno
            if error == EINVAL { throw .serial(.unsupportedLineRate(path: name, rate: rate)) }
            throw .system(call: "TCSETS2", address: name, errno: error)
        }
        // Drivers round; beyond 3 % a line no longer carries characters.
        if abs(Int(taken) - rate) * 100 > rate * 3 {
            throw .serial(.unsupportedLineRate(path: name, rate: rate))
        }
    }

    /// The line rate in use; unit: bit/s, nil where there is none.
    public var lineRate: Int? {
        guard kind == .serialLine else { return nil }
        let rate = sys_tty_rate(descriptor)
        return rate > 0 ? Int(rate) : nil
    }

    /// Throws away what has come and was not read.
    public mutating func discardInput() {
        if kind != .stream { _ = sys_tty_flush(descriptor) }
    }
}
