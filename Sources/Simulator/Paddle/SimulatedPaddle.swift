import Adapters
public import OBDCore

/// A simulated accessory of the demonstration protocol: its paddle swings, its button is pressed at
/// every turn, its lamps are what the host says.
public struct SimulatedPaddle: ServedDevice {
    /// The lamps that are lit, a bit each.
    public private(set) var lamps: UInt16 = 0
    /// Frames from the host that were whole.
    public private(set) var framesReceived = 0
    private var lexer = PaddleLexer()
    private let begin: Instant
    private var next: Instant

    /// The time from one position to the next.
    static let period = Duration.milliseconds(50)
    /// Positions from one end to the other.
    private static let steps = 64

    /// A device that is switched on at `now`.
    public init(at now: Instant) {
        begin = now
        next = now + Self.period
    }

    /// The name under which it serves.
    public var title: String { "demonstration accessory (\(PaddleFrame.protocolString))" }

    /// Takes bytes from the host.
    public mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        for frame in lexer.receive(bytes) {
            framesReceived += 1
            if frame.command == .lamps { lamps = frame.payload }
        }
    }

    /// What is to be written at `now`: the position, and at each end the button.
    public mutating func due(at now: Instant) -> [UInt8] {
        var bytes: [UInt8] = []
        // While nobody looked nothing piled up: positions are absolute.
        if now - next > Self.period * 8 { next = now }
        while next <= now {
            let tick = Int((next - begin) / Self.period)
            let place = tick % (2 * Self.steps)
            let position = place < Self.steps ? place : 2 * Self.steps - place
            bytes += PaddleFrame(.position, UInt16(clamping: position * 1_024)).bytes
            let isTurn = place % Self.steps < 4
            bytes += PaddleFrame(.buttons, isTurn ? 1 : 0).bytes
            next = next + Self.period
        }
        return bytes
    }

    /// When ``due(at:)`` has to be called again.
    public var nextDeadline: Instant? { next }
}
