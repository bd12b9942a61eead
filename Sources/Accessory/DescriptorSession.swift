import CSystem
import Glibc
public import OBDCore
import SystemIO

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
        /// A CAN socket, which takes and gives whole frames of 16 bytes, one for each call.
        case frames
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
    /// Since when the queue of a CAN interface has been full; nil = it is not.
    private var fullSince: Instant?
    /// When to try again to write to a queue that was full; nil = it was not.
    ///
    /// Such a socket is always ready for writing, so that waiting for it would not wait.
    public private(set) var retryTime: Instant?
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
    public var wantsToWrite: Bool { !unwritten.isEmpty && retryTime == nil }

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
        if kind == .frames { return try receiveFrames() }
        let count = buffer.withUnsafeMutableBytes { sys_read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            if acknowledgesAtOnce { _ = sys_tcp_acknowledge(descriptor) }
            return Array(buffer[..<count])
        }
        if count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) { return [] }
        throw loss(errno: count == 0 ? 0 : errno)
    }

    /// A frame for each call.
    private mutating func receiveFrames() throws(AccessoryError) -> [UInt8] {
        var filled = 0
        while filled + Self.frameLength <= buffer.count {
            let count = buffer.withUnsafeMutableBytes { bytes in
                sys_read(descriptor, bytes.baseAddress.map { $0 + filled }, Self.frameLength)
            }
            if count == Self.frameLength {
                filled += count
                continue
            }
            if count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) { break }
            // What came before the end is handed on first.
            if filled > 0 { break }
            throw loss(errno: count == 0 ? 0 : errno)
        }
        return Array(buffer[..<filled])
    }

    /// Bytes of `struct can_frame`.
    private static let frameLength = 16

    /// The loss of the link, in the same words whether reading or writing found it.
    ///
    /// A terminal whose other end has gone gives either an end of its bytes or EIO: which one depends
    /// on the moment alone.
    private func loss(errno number: Int32) -> AccessoryError {
        if kind == .frames, let fault = frameFault(number) { return AccessoryError(fault) }
        let isClosed = number == 0 || (number == EIO && (kind == .terminal || kind == .serialLine))
        return .lost(address: name, errno: isClosed ? 0 : number, remedy: remedyWhenClosed)
    }

    /// Writes `bytes`, or keeps what does not fit now.
    public mutating func write(_ bytes: [UInt8]) throws(AccessoryError) {
        if !unwritten.isEmpty {
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

    private func frameFault(_ number: Int32) -> (any AccessoryFault)? {
        switch number {
        case ENETDOWN: CANInterfaceFault.wentDown(interface: interfaceName)
        case ENODEV, ENXIO: CANInterfaceFault.removed(interface: interfaceName)
        default: nil
        }
    }

    private var interfaceName: String {
        name.split(separator: ":").last.map(String.init) ?? name
    }

    /// How long a full queue is waited for, and how often it is tried.
    private static let longestFull = Duration.milliseconds(500)
    private static let retryPause = Duration.milliseconds(10)

    /// Writes frames, one for each call, as many as the interface's queue takes.
    private mutating func putFrames(_ bytes: [UInt8]) throws(AccessoryError) -> Int {
        var put = 0
        while put + Self.frameLength <= bytes.count {
            let count = bytes.withUnsafeBytes { all in
                sys_write(descriptor, all.baseAddress.map { $0 + put }, Self.frameLength)
            }
            if count == Self.frameLength {
                put += count
                continue
            }
            guard count < 0, errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS else {
                throw loss(errno: count < 0 ? errno : EIO)
            }
            let now = SystemClock.now()
            let since = put > 0 ? now : fullSince ?? now
            guard now - since < Self.longestFull else {
                throw .can(.notAcknowledged(interface: interfaceName))
            }
            fullSince = since
            retryTime = now + Self.retryPause
            return put
        }
        fullSince = nil
        retryTime = nil
        return put
    }

    private mutating func put(_ bytes: [UInt8]) throws(AccessoryError) -> Int {
        if kind == .frames { return try putFrames(bytes) }
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
        switch kind {
        case .serialLine, .terminal: _ = sys_tty_flush(descriptor)
        case .stream, .frames: break
        }
    }
}
