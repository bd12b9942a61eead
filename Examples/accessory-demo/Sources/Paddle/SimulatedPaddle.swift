/// A simulated device with the demonstration protocol.
///
/// The simulated paddle swings, its button is pressed at each end, and its lights follow the host's request.
/// Times count from when it was switched on.
public struct SimulatedPaddle: Sendable {
    /// The lights that are on, one bit each.
    public private(set) var lights: UInt16 = 0
    /// Number of undamaged frames from the host.
    public private(set) var framesReceived = 0
    /// When to call ``due(at:)`` again.
    public private(set) var nextDeadline = SimulatedPaddle.period
    private var lexer = PaddleLexer()

    /// The time from one position to the next.
    public static let period = Duration.milliseconds(50)
    /// Positions from one end to the other.
    private static let steps = 64

    /// A device that was just switched on.
    public init() {}

    /// Takes bytes from the host.
    public mutating func receive(_ bytes: some Sequence<UInt8>) {
        for frame in lexer.receive(bytes) {
            framesReceived += 1
            if frame.command == .lights { lights = frame.payload }
        }
    }

    /// The bytes to send at `now`: position and button, once per period.
    public mutating func due(at now: Duration) -> [UInt8] {
        // Positions are absolute, so a host that did not read needs only the newest ones.
        if now - nextDeadline > Self.period * 8 { nextDeadline = now }
        var bytes: [UInt8] = []
        while nextDeadline <= now {
            let step = Int(nextDeadline / Self.period) % (2 * Self.steps)
            let distance = step < Self.steps ? step : 2 * Self.steps - step
            bytes += PaddleFrame(.position, UInt16(clamping: distance * 1_024)).bytes
            bytes += PaddleFrame(.buttons, distance % Self.steps < 4 ? 1 : 0).bytes
            nextDeadline += Self.period
        }
        return bytes
    }
}
