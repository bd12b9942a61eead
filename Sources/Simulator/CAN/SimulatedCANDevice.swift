import Adapters
public import OBDCore

/// A simulated vehicle on a CAN bus with an slcan adapter, or as records of SocketCAN.
public struct SimulatedCANDevice: SimulatedDevice {
    /// The format of the device's frames.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Lawicel's firmware: confirms with CR, refuses with BEL.
        case slcan
        /// CANable's firmware: no answer to any command, and a version without a line end.
        case slcanSilent = "slcan-silent"
        /// Firmware that answers each sent frame with `z`.
        case slcanQueued = "slcan-z"
        /// The 16-byte records of SocketCAN.
        case records = "can"

        var title: String {
            switch self {
            case .slcan: "slcan adapter: CAN as text, answers CR or BEL"
            case .slcanSilent: "slcan adapter that does not answer commands, like CANable"
            case .slcanQueued: "slcan adapter that answers z to each frame"
            case .records: "frames as SocketCAN has them, 16 bytes each"
            }
        }
    }

    private enum State: Hashable, Sendable {
        case closed, listening, open
    }

    private let kind: Kind
    private var bus: SimulatedBus
    private var wire: CANWire
    private var input: [UInt8] = []
    private var state: State
    private var rate: Int?
    private var output = OutputQueue()
    /// The number of frames that a tester sent at another rate than that of the bus.
    public private(set) var disturbances = 0

    /// A device that is plugged in at `now`.
    public init(_ kind: Kind, _ options: SimulatorOptions, at now: Instant) throws(SimulatorError) {
        self.kind = kind
        bus = try SimulatedBus(options, at: now)
        if kind == .records {
            wire = .records(CANRecordLexer())
            state = .open
            rate = bus.rate
        } else {
            wire = .slcan(SLCANLexer())
            state = .closed
        }
    }

    /// A description in one line.
    public var summary: String { kind.title + "; " + bus.vehicle.title }
    /// The latest requests that reached the vehicle, oldest first.
    public var requests: [SimulatedAdapter.ReceivedRequest] { bus.requests }
    /// The number of all requests that reached the vehicle.
    public var requestCount: Int { bus.requestCount }

    /// The latest frames of the host, oldest first, whether an ECU takes them or not.
    public var heard: [CANFrame] { bus.heard }

    /// Takes bytes from the host that all arrive at `now`.
    public mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        if kind == .records {
            var events: [CANEvent] = []
            wire.receive(Array(bytes).span, &events)
            for case .frame(let frame) in events { bus.receive(frame, at: now) }
            return
        }
        for byte in bytes {
            guard byte == 0x0D else {
                if input.count < 64 { input.append(byte) }
                continue
            }
            take(input, at: now)
            input = []
        }
    }

    /// The output that is due at `now`.
    public mutating func due(at now: Instant) -> [UInt8] {
        let frames = bus.frames(until: now)
        // If the host does not read, output is lost, as with an adapter's buffer.
        if state != .closed, rate == bus.rate {
            for frame in frames where !output.isFull {
                output.append(wire.bytes(of: frame), at: now)
            }
        }
        var bytes: [UInt8] = []
        output.take(until: now, into: &bytes)
        return bytes
    }

    /// The next time to call ``due(at:)`` if no byte arrives before; nil for never.
    public var nextDeadline: Instant? {
        [output.nextDue, bus.nextDeadline].compactMap(\.self).min()
    }

    /// Handles a line from the host, as slcan adapters do.
    private mutating func take(_ line: [UInt8], at now: Instant) {
        guard let first = line.first else {
            confirm(at: now)
            return
        }
        if let frame = SLCAN.frame(in: line) {
            guard state == .open else {
                refuse(at: now)
                return
            }
            if rate == bus.rate { bus.receive(frame, at: now) } else { disturbances += 1 }
            if kind == .slcanSilent { return }
            say(frame.id.form == .can11 ? "z\r" : "Z\r", at: now)
            return
        }
        switch (first, state) {
        case (UInt8(ascii: "C"), _):
            // Lawicel's firmware refuses to close a bus that is not open.
            let wasClosed = state == .closed
            state = .closed
            if wasClosed && kind == .slcan { refuse(at: now) } else { confirm(at: now) }
        case (UInt8(ascii: "S"), .closed):
            guard line.count == 2, SLCAN.rates.indices.contains(Int(line[1]) - 0x30) else {
                refuse(at: now)
                return
            }
            rate = SLCAN.rates[Int(line[1]) - 0x30]
            confirm(at: now)
        case (UInt8(ascii: "O"), .closed):
            state = .open
            confirm(at: now)
        case (UInt8(ascii: "L"), .closed):
            state = .listening
            confirm(at: now)
        case (UInt8(ascii: "V"), _):
            say(kind == .slcanSilent ? "obdscan simulated CANable" : "V1013\r", at: now)
        case (UInt8(ascii: "N"), _): if kind != .slcanSilent { say("NSIM1\r", at: now) }
        case (UInt8(ascii: "F"), _): if kind != .slcanSilent { say("F00\r", at: now) }
        default: refuse(at: now)
        }
    }

    private mutating func confirm(at now: Instant) {
        if kind != .slcanSilent { say("\r", at: now) }
    }

    private mutating func refuse(at now: Instant) {
        if kind != .slcanSilent { say("\u{7}", at: now) }
    }

    private mutating func say(_ text: String, at now: Instant) {
        if !output.isFull { output.append(Array(text.utf8), at: now) }
    }
}
