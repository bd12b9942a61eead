public import OBDCore

/// How a device ends its connection to the host.
public enum LinkEnd: Hashable, Sendable {
    /// Both directions are closed.
    case closed
    /// The device sends nothing more but still receives.
    case halfClosed
}

/// A device on a bad link, with seeded faults in both directions.
///
/// The faults only depend on the bytes and not on the pieces in which they arrive, so a seed can be replayed.
public struct FaultyLink<Device: SimulatedDevice>: SimulatedDevice {
    /// The device.
    public private(set) var device: Device
    /// The number of faults so far.
    public private(set) var counts: [LinkFault: Int] = [:]

    /// The number of damaged bytes from the host.
    public private(set) var heardFaults = 0
    /// The most damaged bytes in one line of the adapter since ``forgetWorstLine()``.
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
    /// Each direction has its own generator, because otherwise their order would matter.
    private var saying: FaultGenerator
    private var hearing: FaultGenerator
    /// A separate generator, so that the other faults stay at the same bytes without it.
    private var resetting: FaultGenerator
    private var queue: [Piece] = []
    private var end: LinkEnd?
    /// No output is delivered before this time.
    private var heldUntil = Instant.zero
    private var isLineStart = true
    private var lineHits = 0
    private var isCutting = false
    /// A line that is delivered after the next one.
    private var held: [UInt8]?
    /// Whether the current line is held back.
    private var isHolding = false

    /// `device` with a link that has `faults`.
    public init(_ device: Device, faults: LinkFaults, seed: UInt64) {
        self.device = device
        self.faults = faults
        saying = FaultGenerator(seed: seed &* 2 &+ 1)
        hearing = FaultGenerator(seed: ~seed)
        resetting = FaultGenerator(seed: seed &* 3 &+ 0x5EED)
    }

    /// A description in one line.
    public var summary: String { device.summary + "; faults on the link" }
    /// The latest requests that reached the vehicle, oldest first.
    public var requests: [SimulatedAdapter.ReceivedRequest] { device.requests }
    /// The number of all requests that reached the vehicle.
    public var requestCount: Int { device.requestCount }

    /// The device's answer to a datagram; faults only affect its link.
    public func answer(toDatagram bytes: [UInt8]) -> [UInt8]? {
        device.answer(toDatagram: bytes)
    }

    /// Reports that a host has connected.
    public mutating func connect(at now: Instant) { device.connect(at: now) }

    /// Takes bytes from the host and applies the faults.
    public mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        var arriving: [UInt8] = []
        for byte in bytes { damage(byte, \.hearing, into: &arriving) }
        device.receive(arriving, at: now)
    }

    /// The output that is due at `now`; there is none after an end of the link until ``takeEnd()`` was
    /// called.
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

    /// The next time to call ``due(at:)`` if no byte arrives before; nil for never.
    public var nextDeadline: Instant? {
        [queue.first?.at, device.nextDeadline].compactMap(\.self).min()
    }

    /// Restarts ``worstLine``.
    public mutating func forgetWorstLine() { worstLine = lineHits }

    /// How the link ended, reported once; data on the way are lost.
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

    // MARK: Output

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
            // Digits and letters, longer than any answer, but without a prompt.
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
