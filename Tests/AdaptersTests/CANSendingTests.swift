import OBDCore
import TestSupport
import Testing
import VehicleLink

@testable import Adapters

/// Long requests against an ECU that takes them as it likes, and parameter groups from many senders.
@Suite struct `Long transfers on CAN` {
    private static let ecu = ECUAddress(0x7E0, .can11)

    /// The ECU's answers to the frames that it has received.
    private struct Receiver {
        var random: SeededGenerator
        var assembler = ISO15765Assembler()
        /// Frames until the next flow control; nil = no further flow control follows.
        var block: Int?
        var message: ECUMessage?
        var errors = 0
        var overflows = false
        var waits = 0

        /// Takes a frame; returns the flow control frames that it sends.
        mutating func take(_ frame: CANFrame) -> [[UInt8]] {
            do {
                if let done = try assembler.receive(
                    LinkFrame(header: frame.id, bytes: frame.data))
                {
                    message = done
                    return []
                }
            } catch {
                errors += 1
                return []
            }
            if frame.data[0] >> 4 == 2, let left = block {
                block = left - 1
                if left > 1 { return [] }
            } else if frame.data[0] >> 4 == 2 {
                return []
            }
            return flowControls()
        }

        private mutating func flowControls() -> [[UInt8]] {
            if Int.random(in: 0..<12, using: &random) == 0 {
                overflows = true
                return [[0x32, 0, 0]]
            }
            let count = Int.random(in: 0...6, using: &random) / 3
            waits = max(waits, count)
            let size = UInt8.random(in: 0...4, using: &random)
            block = size == 0 ? nil : Int(size)
            let separation: UInt8 =
                [0x00, 0x0A, 0x7F, 0x80, 0xF1, 0xF9, 0xFF].randomElement(using: &random) ?? 0
            return Array(repeating: [0x31, 0, 0], count: count) + [[0x30, size, separation]]
        }
    }

    /// With any block sizes, pauses, waits and an overflow, the ECU gets the whole request or the exchange
    /// reports that the ECU refuses it.
    @Test(arguments: 0..<300)
    func `an ECU receives a long request whole or refuses the request`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) + 900)
        let length = Int.random(in: 8...300, using: &random)
        let payload = [0x2E] + (1..<length).map { UInt8(truncatingIfNeeded: $0) }
        let bench = ExchangeBench()
        #expect(bench.ask(payload, to: Self.ecu))
        var receiver = Receiver(random: random)
        var queue = bench.sent
        var steps = 0
        while receiver.message == nil, !bench.isEnded, steps < 1_000 {
            steps += 1
            bench.out = []
            if queue.isEmpty {
                // Nothing was sent because of the pause between two frames.
                bench.exchange.expired(.pacing, &bench.out)
                queue = bench.sent
                if queue.isEmpty, !bench.isEnded { break }
                continue
            }
            for answer in receiver.take(queue.removeFirst()) {
                bench.hear(0x7E8, answer)
                queue += bench.sent
                if bench.isEnded { break }
                bench.out = bench.out.filter { if case .send = $0 { false } else { true } }
            }
        }
        if receiver.overflows {
            #expect(bench.out.contains(.tell(.status(.flowControlTimeout))) && bench.isEnded)
            return
        }
        #expect(receiver.errors == 0)
        #expect(receiver.message?.payload == payload)
        // The answer ends it.
        bench.hear(0x7E8, [0x03, 0x6E, payload[1], payload[2]])
        #expect(bench.isEnded && bench.messages.count == 1)
    }

    /// A flow control frame is lost: after N_Bs the exchange ends with the reason.
    @Test func `a lost flow control frame ends the request`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x2E] + [UInt8](repeating: 1, count: 40), to: Self.ecu))
        bench.hear(0x7E8, [0x30, 0x02, 0x00])
        bench.out = []
        bench.exchange.expired(.flowControl, &bench.out)
        #expect(bench.news() == [.tell(.status(.flowControlTimeout)), .ended])
    }

    /// Three ECUs broadcast the same group in packets, which are lost, doubled or exchanged.
    @Test(arguments: 0..<300) func `a parameter group from several senders is correct or missing`(
        seed: Int
    )
        throws
    {
        var random = SeededGenerator(seed: UInt64(seed) + 5_000)
        let bench = ExchangeBench()
        #expect(bench.ask([0x00, 0xFE, 0xCA], on: .j1939))
        bench.out = []
        var wanted: [UInt32: [UInt8]] = [:]
        var queues: [[CANFrame]] = []
        for source: UInt8 in [0x00, 0x03, 0x21] {
            let payload = (0..<Int.random(in: 6...60, using: &random)).map {
                UInt8(truncatingIfNeeded: $0 &* 5 &+ Int(source))
            }
            wanted[UInt32(source)] = payload
            var frames: [CANFrame] = []
            // Each sender repeats its group, as many do once a second.
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                for frame in try J1939.frames(
                    for: payload, parameterGroup: 0xFECA, source: source)
                {
                    let sent = CANFrame(try #require(frame.header), frame.bytes)
                    switch seed % 2 == 0 ? 3 : Int.random(in: 0..<14, using: &random) {
                    case 0: break
                    case 1: frames += [sent, sent]
                    case 2: frames.insert(sent, at: max(0, frames.count - 1))
                    default: frames.append(sent)
                    }
                }
            }
            queues.append(frames)
        }
        while let place = queues.indices.filter({ !queues[$0].isEmpty })
            .randomElement(using: &random)
        {
            bench.exchange.receive(queues[place].removeFirst(), &bench.out)
        }
        for timer in [DialectTimer.reply, .nextFrame, .pause, .reply, .pause] {
            bench.exchange.expired(timer, &bench.out)
        }
        #expect(bench.isEnded && !bench.exchange.isUnderWay)
        #expect(Set(bench.messages.map(\.ecu)).count == bench.messages.count)
        for message in bench.messages {
            let source = try #require(message.ecu?.value)
            #expect(message.payload == wanted[source & 0xFF], "\(source)")
        }
        if seed % 2 == 0 { #expect(bench.messages.count == 3) }
    }
}
