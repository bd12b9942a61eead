public import OBDCore

/// How a device leaves its host.
public enum LinkEnd: Hashable, Sendable {
    /// Both directions are closed.
    case closed
    /// The device says nothing more; what the host says still arrives.
    case halfClosed
}

/// A device at the end of a bad link: seeded faults in what it says and in what it hears.
///
/// Faults depend on the bytes alone, never on the pieces in which they come, so that a seed can be
/// replayed.
public struct FaultyLink<Device: SimulatedDevice>: SimulatedDevice {
    /// The device itself.
    public private(set) var device: Device
    /// What happened so far.
    public private(set) var counts: [LinkFault: Int] = [:]

    /// How many bytes went wrong on the way from the host.
    public private(set) var heardFaults = 0
    /// The most bytes that went wrong in one line of the adapter since ``forgetWorstLine()``.
    public private(set) var worstLine = 0

    private enum Piece: Sendable {
        case bytes([UInt8], at: Instant)
        case end(LinkEnd, at: Instant)

        var at: Instant {
            switch self {
            case .bytes(_, let at), .end(_, let at): at
            }
        }
    }

    private let faults: LinkFaults
    /// What the device says and what it hears are drawn apart, or their order would matter.
    private var saying: FaultGenerator
    private var hearing: FaultGenerator
    /// Drawn apart, too, so that the others are where they were without it.
    private var resetting: FaultGenerator
    private var queue: [Piece] = []
    private var end: LinkEnd?
    /// Nothing comes before this time.
    private var heldUntil = Instant.zero
    private var isLineStart = true
    private var lineHits = 0
    private var isCutting = false
    /// A line that comes after the next one.
    private var held: [UInt8]?
    /// Whether the line under way is held.
    private var isHolding = false

    /// `device` behind a link with `faults`.
    public init(_ device: Device, faults: LinkFaults, seed: UInt64) {
        self.device = device
        self.faults = faults
        saying = FaultGenerator(seed: seed &* 2 &+ 1)
        hearing = FaultGenerator(seed: ~seed)
        resetting = FaultGenerator(seed: seed &* 3 &+ 0x5EED)
    }

    /// What it is, in one line.
    public var summary: String { device.summary + "; faults on the link" }
    /// The latest requests that reached the vehicle, oldest first.
    public var requests: [SimulatedAdapter.ReceivedRequest] { device.requests }
    /// The number of all requests that reached the vehicle.
    public var requestCount: Int { device.requestCount }

    /// What the device answers to a datagram; faults are on its link alone.
    public func answer(toDatagram bytes: [UInt8]) -> [UInt8]? {
        device.answer(toDatagram: bytes)
    }

    /// A host has connected.
    public mutating func connect(at now: Instant) { device.connect(at: now) }

    /// Takes bytes from the host, with what happens to them on the way.
    public mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        var arriving: [UInt8] = []
        for byte in bytes { damage(byte, \.hearing, into: &arriving) }
        device.receive(arriving, at: now)
    }

    /// What is to be written at `now`; nothing after an end of the link until
    /// ``takeEnd()`` was called.
    public mutating func due(at now: Instant) -> [UInt8] {
        take(device.due(at: now), at: now)
        var output: [UInt8] = []
        var taken = 0
        while end == nil, taken < queue.count, queue[taken].at <= now {
            switch queue[taken] {
            case .bytes(let bytes, _): output += bytes
            case .end(let kind, _): end = kind
            }
            taken += 1
        }
        queue.removeFirst(taken)
        return output
    }

    /// When ``due(at:)`` has to be called again if no byte arrives before; nil = never.
    public var nextDeadline: Instant? {
        [queue.first?.at, device.nextDeadline].compactMap(\.self).min()
    }

    /// Begins to count ``worstLine`` again.
    public mutating func forgetWorstLine() { worstLine = lineHits }

    /// How the link ended, once; what was under way is lost.
    public mutating func takeEnd() -> LinkEnd? {
        guard let end else { return nil }
        self.end = nil
        queue = []
        isLineStart = true
        isCutting = false
        held = nil
        isHolding = false
        return end
    }

    // MARK: What it says

    private mutating func take(_ bytes: [UInt8], at now: Instant) {
        var output: [UInt8] = []
        for byte in bytes {
            let isPrompt = byte == UInt8(ascii: ">")
            if isLineStart {
                lineHits = 0
                if hits(.reset, \.resetting) {
                    device.loseSupply(at: now, noticesVoltage: resetting.fraction() < 0.5)
                    isCutting = false
                    held = nil
                    isHolding = false
                    break
                }
                beginLine(&output, at: now)
            }
            isLineStart = byte == 0x0D || byte == 0x0A || isPrompt
            if isCutting {
                if isPrompt { isCutting = false }
                continue
            }
            var arriving: [UInt8] = []
            damage(byte, \.saying, into: &arriving)
            if isHolding {
                held = (held ?? []) + arriving
                if isLineStart { isHolding = false }
            } else {
                output += arriving
                if isLineStart, let late = held {
                    output += late
                    held = nil
                }
            }
        }
        flush(&output, at: now)
    }

    /// Faults of a whole line.
    private mutating func beginLine(_ output: inout [UInt8], at now: Instant) {
        if hits(.delay) {
            flush(&output, at: now)
            heldUntil = max(heldUntil, now) + .milliseconds(saying.number(20...400))
        }
        if hits(.stall) {
            flush(&output, at: now)
            heldUntil = max(heldUntil, now) + .milliseconds(saying.number(1_000...8_000))
        }
        if hits(.cut) { isCutting = true }
        if hits(.flood) {
            // Digits and letters, as long as no answer is; a prompt is not among them.
            let letters = Array("0123456789ABCDEF \r:ZKU".utf8)
            for _ in 0..<saying.number(1_000...8_000) {
                output.append(letters[saying.number(0...(letters.count - 1))])
            }
        }
        if hits(.reorder), held == nil { isHolding = true }
        for (fault, end) in [(LinkFault.close, LinkEnd.closed), (.halfClose, .halfClosed)]
        where hits(fault) {
            flush(&output, at: now)
            queue.append(.end(end, at: max(now, heldUntil)))
        }
    }

    private mutating func flush(_ output: inout [UInt8], at now: Instant) {
        if !output.isEmpty { queue.append(.bytes(output, at: max(now, heldUntil))) }
        output = []
    }

    // MARK: Bytes

    private mutating func hits(
        _ fault: LinkFault,
        _ generator: WritableKeyPath<FaultyLink, FaultGenerator> = \.saying
    ) -> Bool {
        guard let rate = faults.rates[fault], rate > 0, self[keyPath: generator].fraction() < rate
        else { return false }
        counts[fault, default: 0] += 1
        guard fault.isForBytes else { return true }
        if generator == \.hearing {
            heardFaults += 1
        } else {
            lineHits += 1
            worstLine = max(worstLine, lineHits)
        }
        return true
    }

    private mutating func damage(
        _ byte: UInt8, _ generator: WritableKeyPath<FaultyLink, FaultGenerator>,
        into output: inout [UInt8]
    ) {
        if hits(.drop, generator) { return }
        var byte = byte
        if hits(.flip, generator) {
            byte ^= 1 << UInt8(self[keyPath: generator].number(0...7))
        }
        output.append(byte)
        if hits(.double, generator) { output.append(byte) }
    }
}
