import Paddle
import Testing

@Suite struct `A simulated paddle` {
    /// Positions 50 ms apart go from one end to the other in 64 steps and back.
    ///
    /// The button is pressed only near the ends.
    @Test func `swings from end to end`() {
        var paddle = SimulatedPaddle()
        var lexer = PaddleLexer()
        var positions: [UInt16] = []
        var pressed: Set<UInt16> = []
        for _ in 0..<129 {
            for frame in lexer.receive(paddle.due(at: paddle.nextDeadline)) {
                switch frame.command {
                case .position: positions.append(frame.payload)
                case .buttons:
                    if frame.payload == 1, let last = positions.last { pressed.insert(last) }
                case .lights, .reserved: Issue.record("an accessory does not send \(frame)")
                }
            }
        }
        #expect(paddle.nextDeadline == .milliseconds(130 * 50))
        #expect(positions.count == 129 && lexer.damaged == 0 && lexer.stray == 0)
        #expect(positions[0] == 1024 && positions[62] == 63 * 1024 && positions[63] == .max)
        #expect(positions[64] == 63 * 1024 && positions[127] == 0 && positions[128] == 1024)
        #expect(pressed.contains(0) && pressed.contains(.max) && !pressed.contains(32 * 1024))
    }

    @Test func `switches the lights that an undamaged frame names`() {
        var paddle = SimulatedPaddle()
        paddle.receive(PaddleFrame(.lights, 0xA5).bytes)
        #expect(paddle.lights == 0xA5 && paddle.framesReceived == 1)
        paddle.receive(PaddleFrame(.position, 3).bytes)
        #expect(paddle.lights == 0xA5 && paddle.framesReceived == 2)
        var damaged = PaddleFrame(.lights, 0xFF).bytes
        damaged[3] ^= 1
        paddle.receive(damaged)
        #expect(paddle.lights == 0xA5 && paddle.framesReceived == 2)
    }

    @Test func `positions that the host did not read do not pile up`() {
        var paddle = SimulatedPaddle()
        #expect(paddle.due(at: .seconds(3600)).count == 8)
        #expect(paddle.nextDeadline == .seconds(3600) + .milliseconds(50))
    }
}
