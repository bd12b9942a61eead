import CSystem
import Glibc
public import OBDCore
import SystemIO

/// An open session with an adapter: a single descriptor that carries bytes in both directions.
///
/// A read returns whatever has arrived. Bytes that a write cannot send at once are kept and sent when there
/// is space. Neither ever blocks. The descriptor is closed when the session is destroyed.
public struct DescriptorSession: ~Copyable {
    /// The kind of descriptor.
    public enum Kind: Hashable, Sendable {
        /// A serial line whose line rate matters.
        case serialLine
        /// A terminal without a line rate: pty, USB modem class, Bluetooth node.
        case terminal
        /// A socket or any other stream of bytes.
        case stream
        /// A CAN socket, which reads or writes one whole frame of 16 bytes per call.
        case frames
    }

    /// For `poll`.
    ///
    /// The session owns and closes the descriptor.
    public let descriptor: Int32
    /// The kind of the descriptor.
    public let kind: Kind
    /// The adapter's name in messages.
    public let name: String
    /// Whether this session prevents other programs from opening the terminal.
    var isExclusive = false
    /// Whether the user specified the line rate.
    public internal(set) var isRateGiven = false
    /// The longest message that the other end accepts, if it reported that before the session began.
    public internal(set) var longestMessage: Int?
    /// The remedy if the other end closes.
    var remedyWhenClosed = LinkFault.usualRemedy
    /// Becomes readable when the thread that owns the device has disconnected it; nil without such a thread.
    ///
    /// Closing the session waits for this event, because the end of the program also ends the thread.
    var ended: EventDescriptor?
    private static let endingTime = Duration.seconds(2)
    private var acknowledgesAtOnce = false
    /// Whether the last ``receive()`` returned everything that had arrived, so that another call right after
    /// it finds nothing.
    public private(set) var isDrained = false
    private var unwritten: [UInt8] = []
    /// When the queue of a CAN interface became full; nil if it is not full.
    private var fullSince: Instant?
    /// When to retry a write to a queue that was full; nil if it was not.
    ///
    /// A CAN socket always reports that it can be written, so `poll` would not wait.
    public private(set) var retryTime: Instant?
    private var buffer = [UInt8](repeating: 0, count: 4_096)
    /// Whether the kernel gives each frame its time and counts those that it drops.
    var observesFrames = false
    /// The kernel's times of the frames that ``receive()`` returned last; empty if there are none.
    public private(set) var frameTimes: [Instant] = []
    /// The clock of this program minus the kernel's, which can be set; unit: nanoseconds.
    private var clockOffset: Int64 = 0
    private var kernelTimes = [Int64](repeating: 0, count: Int(SYS_CAN_FRAMES))
    private var dropped: UInt32 = 0
    private var reported: UInt32 = 0
    /// The losses of the interface itself, when they were last read; nil = they are not read.
    private var interfaceLosses: (frames: UInt64, time: Instant)?
    /// The error that the kernel reported before the frames that had arrived earlier; nil = none.
    private var pendingError: Int32?

    /// Takes over an open, non-blocking descriptor.
    public init(descriptor: Int32, kind: Kind, name: String) {
        self.descriptor = descriptor
        self.kind = kind
        self.name = name
    }

    deinit {
        // Lets others open the terminal again even if another process keeps it open.
        if isExclusive { _ = sys_tty_exclusive(descriptor, 0) }
        Glibc.close(descriptor)
        if let ended {
            var set = PollSet()
            set.add(ended.descriptor)
            _ = try? set.wait(until: SystemClock.now() + Self.endingTime)
        }
    }

    /// Ends the session.
    public consuming func close() {}

    /// Whether bytes wait to be sent; if so, `poll` for writing and call ``flush()``.
    public var wantsToWrite: Bool { !unwritten.isEmpty && retryTime == nil }

    /// Sets up a TCP socket for short requests and answers; does nothing to any other descriptor.
    ///
    /// Small writes are sent at once (TCP_NODELAY), and a peer that vanished is noticed.
    ///
    /// Each read is acknowledged at once, too (TCP_QUICKACK). An adapter that uses Nagle's algorithm and
    /// sends an answer in several segments waits with each segment until the previous one is acknowledged.
    /// The kernel would delay the acknowledgement by 40 ms to wait for data to send along with it.
    public mutating func tuneTCP() { acknowledgesAtOnce = sys_tcp_tune(descriptor) == 0 }

    /// Returns the bytes that have arrived; empty if there are none yet.
    ///
    /// - Throws: ``LinkFault/lost(address:errno:hint:)`` once the adapter has disconnected.
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

    /// Notes that time passes, in which more may arrive.
    public mutating func noteWait() { isDrained = false }

    /// Reads all frames that have arrived, up to a limit, with a single system call.
    private mutating func receiveFrames() throws(AccessoryError) -> [UInt8] {
        var seen = dropped
        let count = buffer.withUnsafeMutableBytes { bytes in
            kernelTimes.withUnsafeMutableBufferPointer { times in
                sys_can_receive(descriptor, bytes.baseAddress, times.baseAddress, &seen)
            }
        }
        let error = errno
        isDrained = count < SYS_CAN_FRAMES
        // No later frame may ever come with the number of frames that were dropped last.
        if observesFrames, isDrained { _ = sys_can_dropped(descriptor, &seen) }
        // The socket's counter may be ahead of that beside a frame.
        if Int32(bitPattern: seen &- dropped) > 0 { dropped = seen }
        noteTimes(of: Int(count))
        if count > 0 { return Array(buffer[..<(Int(count) * Self.frameLength)]) }
        if count < 0, error == EAGAIN || error == EWOULDBLOCK {
            guard let pendingError else { return [] }
            throw loss(errno: pendingError)
        }
        // The kernel reports the loss of an interface once, before the frames that it had received.
        if count < 0, observesFrames, pendingError == nil {
            pendingError = error
            return try receiveFrames()
        }
        throw loss(errno: count == 0 ? 0 : error)
    }

    /// Whether another call of ``receive()`` is due although nothing may have arrived: the link is lost, but some
    /// frames from before the loss were not read yet.
    public var isEnding: Bool { pendingError != nil }

    /// The bytes that wait in a stream, which has no time for each; unit: bytes, 0 for frames.
    public var waitingBytes: Int {
        kind == .frames ? 0 : max(0, Int(sys_waiting_bytes(descriptor)))
    }

    /// A clock that differs by more from the other one than at the last reading was set meanwhile.
    private static let largestStep: Int64 = 1_000_000_000

    /// The difference of the clock of this program and UTC; unit: nanoseconds.
    ///
    /// The processor may be taken away between two readings, so that the closest of a few readings counts.
    private static func difference() -> Int64 {
        var best: (gap: Int64, difference: Int64) = (.max, 0)
        for _ in 0..<4 {
            let before = SystemClock.now().nanoseconds
            let utc = SystemClock.utcNanoseconds()
            let gap = SystemClock.now().nanoseconds - before
            if gap < best.gap { best = (gap, before + gap / 2 - utc) }
            if gap < 50_000 { break }
        }
        return best.difference
    }

    /// Turns the kernel's times into those of the clock of this program.
    private mutating func noteTimes(of count: Int) {
        frameTimes.removeAll(keepingCapacity: true)
        guard observesFrames else { return }
        let offset = Self.difference()
        let now = SystemClock.now()
        let wasSet = (offset &- clockOffset).magnitude > Self.largestStep.magnitude
        clockOffset = offset
        guard count > 0 else { return }
        // Frames may have waited for as long as this program was stopped.
        for time in kernelTimes[..<count] {
            let instant = Instant(nanoseconds: time &+ offset)
            frameTimes.append(time > 0 && instant <= now && !wasSet ? instant : now)
        }
        // A frame without a time of the kernel has the time of reading, but arrived before the next frame.
        for place in frameTimes.indices.dropLast().reversed() {
            frameTimes[place] = min(frameTimes[place], frameTimes[place + 1])
        }
    }

    /// The time between two readings of the interface's own losses.
    private static let lossInterval = Duration.seconds(1)

    /// The number of frames that were lost since the last call, because they were not read in time.
    ///
    /// The kernel drops frames if the socket has no room. Before that, the controller and its driver lose frames if the
    /// machine is too busy; they count each loss, of one frame or of a few. The session reads that counter
    /// once per second, and now if `isEnd` is true.
    public mutating func takeDropped(isEnd: Bool = false) -> Int {
        guard observesFrames else { return 0 }
        var lost = Int(dropped &- reported)
        reported = dropped
        let now = SystemClock.now()
        if let last = interfaceLosses, isEnd || now - last.time >= Self.lossInterval {
            let frames = CANInterface.named(interfaceName)?.lostFrames ?? last.frames
            // An interface that was made again begins at 0.
            if frames > last.frames { lost += Int(clamping: frames - last.frames) }
            interfaceLosses = (frames, now)
        }
        return lost
    }

    /// The size of `struct can_frame`; unit: bytes.
    private static let frameLength = Int(SYS_CAN_FRAME)

    /// For about 10,000 frames, two seconds of the busiest bus; unit: bytes.
    private static let roomForFrames: Int32 = 4 << 20

    /// Asks the kernel for the times of frames and the number of dropped ones, and for more room.
    ///
    /// The usual room holds 300 frames, 80 ms of a busy bus. Without CAP_NET_ADMIN, net.core.rmem_max limits the room.
    ///
    /// Does nothing to other descriptors.
    public mutating func observeFrames() {
        guard kind == .frames, !observesFrames else { return }
        clockOffset = Self.difference()
        observesFrames = sys_can_observe(descriptor, Self.roomForFrames) == 0
        if let state = CANInterface.named(interfaceName) {
            interfaceLosses = (state.lostFrames, SystemClock.now())
        }
    }

    /// Lets only frames pass that match one of these pairs of identifier and mask.
    ///
    /// Does nothing to other descriptors.
    public func setFilter(_ pairs: [UInt32]) throws(AccessoryError) {
        guard kind == .frames else { return }
        if sys_can_filter(descriptor, pairs, UInt32(pairs.count / 2)) < 0 {
            throw .system(call: "setsockopt", address: name, errno: errno)
        }
    }

    /// The error for a lost link, the same for reads and writes.
    ///
    /// A terminal whose other end has closed returns either the end of the file or EIO, depending only on
    /// timing.
    private func loss(errno number: Int32) -> AccessoryError {
        if kind == .frames, let fault = frameFault(number) { return AccessoryError(fault) }
        let isClosed = number == 0 || (number == EIO && (kind == .terminal || kind == .serialLine))
        return .lost(address: name, errno: isClosed ? 0 : number, hint: remedyWhenClosed)
    }

    /// Writes `bytes` and keeps those that do not fit now.
    public mutating func write(_ bytes: [UInt8]) throws(AccessoryError) {
        if !unwritten.isEmpty {
            unwritten.append(contentsOf: bytes)
            return
        }
        let count = try put(bytes)
        if count < bytes.count { unwritten.append(contentsOf: bytes[count...]) }
    }

    /// Writes as many of the kept bytes as fit.
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

    /// The reason why the queue stays full: bus-off, or no node acknowledges frames.
    private var reasonOfFullQueue: CANInterfaceFault {
        let state = CANInterface.named(interfaceName)
        if state?.state == .busOff, let fault = state?.fault { return fault }
        return .notAcknowledged(interface: interfaceName)
    }

    /// How long to wait for a full queue, and the interval between attempts.
    private static let longestFull = Duration.milliseconds(500)
    private static let retryPause = Duration.milliseconds(10)

    /// Writes one frame per call of `write`, as many as the interface's queue accepts.
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
                throw .can(reasonOfFullQueue)
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

    /// Sets the line rate after all written bytes are sent; does nothing without a line rate.
    public func setLineRate(_ rate: Int) throws(AccessoryError) {
        guard kind == .serialLine, let number = UInt32(exactly: rate) else { return }
        _ = sys_tty_drain(descriptor)
        let taken = sys_tty_set_rate(descriptor, number)
        if taken < 0 {
            let error = errno
            if error == EINVAL { throw .serial(.unsupportedLineRate(path: name, rate: rate)) }
            throw .system(call: "TCSETS2", address: name, errno: error)
        }
        // Drivers round the rate; with a deviation of more than 3 % characters no longer arrive intact.
        if abs(Int(taken) - rate) * 100 > rate * 3 {
            throw .serial(.unsupportedLineRate(path: name, rate: rate))
        }
    }

    /// The current line rate; unit: bit/s, nil if there is none.
    public var lineRate: Int? {
        guard kind == .serialLine else { return nil }
        let rate = sys_tty_rate(descriptor)
        return rate > 0 ? Int(rate) : nil
    }

    /// Discards bytes that have arrived but were not read.
    public mutating func discardInput() {
        switch kind {
        case .serialLine, .terminal: _ = sys_tty_flush(descriptor)
        case .stream, .frames: break
        }
    }
}
