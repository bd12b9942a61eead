import OBDCore
import TestSupport
import Testing
import VehicleLink

@testable import Adapters

/// One exchange, which the tests play step by step.
final class ExchangeBench {
    var exchange = CANExchange()
    var out: [CANExchange.Output] = []

    /// The outputs since the last call, without timers.
    func news() -> [CANExchange.Output] {
        defer { out = [] }
        return out.filter { output in
            switch output {
            case .tell(.arm), .tell(.disarm), .tell(.disarmAll): false
            default: true
            }
        }
    }

    func ask(
        _ payload: [UInt8], to target: ECUAddress? = nil, expecting frames: Int? = nil,
        on vehicleProtocol: VehicleProtocol = .can11At500
    ) -> Bool {
        exchange.begin(
            VehicleRequest(
                id: RequestID(rawValue: 1), target: target, payload: payload,
                expectedFrames: frames), on: vehicleProtocol, &out)
    }

    func hear(_ id: UInt32, _ bytes: [UInt8], form: ECUAddress.Form = .can11) {
        exchange.receive(CANFrame(ECUAddress(id, form), InlineBytes(bytes)), &out)
    }

    var messages: [ECUMessage] {
        out.compactMap { if case .tell(.message(let message)) = $0 { message } else { nil } }
    }
    var sent: [CANFrame] { out.compactMap { if case .send(let frame) = $0 { frame } else { nil } } }
    var errors: Int { out.count { if case .tell(.linkError) = $0 { true } else { false } } }
    var isEnded: Bool { out.contains(.ended) }
}

private func can11(_ id: UInt32) -> ECUAddress { ECUAddress(id, .can11) }

private func frame(_ id: UInt32, _ bytes: [UInt8], _ form: ECUAddress.Form = .can11) -> CANFrame {
    CANFrame(ECUAddress(id, form), InlineBytes(bytes))
}

@Suite struct `An exchange on CAN` {
    /// The usual example of ISO 15765-4: a VIN in three frames.
    private static let vin: [[UInt8]] = [
        [0x10, 0x14, 0x49, 0x02, 0x01, 0x57, 0x30, 0x4C],
        [0x21, 0x30, 0x30, 0x30, 0x30, 0x34, 0x33, 0x4D],
        [0x22, 0x42, 0x35, 0x34, 0x31, 0x33, 0x32, 0x36],
    ]

    @Test func `a request to all ECUs goes to 7DF or 18DB33F1 in one padded frame`() {
        var bench = ExchangeBench()
        #expect(bench.ask([0x01, 0x0C]))
        #expect(bench.sent == [frame(0x7DF, [0x02, 0x01, 0x0C, 0, 0, 0, 0, 0])])
        bench = ExchangeBench()
        #expect(bench.ask([0x01, 0x00], on: .can29At500))
        #expect(bench.sent == [frame(0x18DB_33F1, [0x02, 0x01, 0x00, 0, 0, 0, 0, 0], .can29)])
    }

    @Test func `flow control is sent in the same call that received the first frame`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x09, 0x02]))
        _ = bench.news()
        bench.hear(0x7E8, Self.vin[0])
        #expect(bench.news() == [.send(frame(0x7E0, [0x30, 0, 0, 0, 0, 0, 0, 0]))])
        bench.hear(0x7E8, Self.vin[1])
        #expect(bench.news().isEmpty)
        bench.hear(0x7E8, Self.vin[2])
        let whole = Self.vin[0][2...] + Self.vin[1][1...] + Self.vin[2][1...]
        #expect(
            bench.news() == [
                .tell(.message(ECUMessage(ecu: can11(0x7E8), payload: Array(whole), frames: 3)))
            ])
        // Another ECU may still begin to answer.
        #expect(bench.exchange.isUnderWay)
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.news() == [.ended])
    }

    @Test func `on 29 bits flow control goes to the answering ECU with both addresses swapped`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x09, 0x02], on: .can29At500))
        _ = bench.news()
        bench.hear(0x18DA_F110, Self.vin[0], form: .can29)
        #expect(bench.news() == [.send(frame(0x18DA_10F1, [0x30, 0, 0, 0, 0, 0, 0, 0], .can29))])
    }

    @Test func `a request that no ECU answers ends with NO DATA`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x01, 0x0C]))
        _ = bench.news()
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.news() == [.tell(.status(.noData)), .ended])
    }

    @Test func `the known number of answers ends a request at once`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x01, 0x0C], expecting: 2))
        bench.hear(0x7E8, [0x04, 0x41, 0x0C, 0x1A, 0xF8, 0, 0, 0])
        #expect(!bench.isEnded)
        bench.hear(0x7E9, [0x04, 0x41, 0x0C, 0x1A, 0xF8, 0, 0, 0])
        #expect(bench.isEnded)
        #expect(bench.messages.map(\.ecu) == [can11(0x7E8), can11(0x7E9)])
    }

    @Test func `a request to one ECU ends with its answer and ignores other ECUs`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x22, 0xF1, 0x90], to: can11(0x7E1)))
        bench.hear(0x7E8, [0x04, 0x62, 0xF1, 0x90, 0x31, 0, 0, 0])
        #expect(bench.messages.isEmpty)
        bench.hear(0x7E9, [0x04, 0x62, 0xF1, 0x90, 0x32, 0, 0, 0])
        #expect(bench.messages.map(\.payload) == [[0x62, 0xF1, 0x90, 0x32]])
        #expect(bench.isEnded)
    }

    @Test func `response pending gives the ECU P2*, and the answer ends the request`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x22, 0xF1, 0x90], to: can11(0x7E0)))
        bench.hear(0x7E8, [0x03, 0x7F, 0x22, 0x78, 0, 0, 0, 0])
        #expect(!bench.isEnded)
        #expect(bench.out.contains(.tell(.arm(.reply, after: .milliseconds(5_500)))))
        bench.hear(0x7E8, [0x04, 0x62, 0xF1, 0x90, 0x31, 0, 0, 0])
        #expect(bench.isEnded)
        #expect(bench.messages.count == 2)
    }

    @Test func `after response pending without an answer the exchange ends`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x22, 0xF1, 0x90], to: can11(0x7E0)))
        bench.hear(0x7E8, [0x03, 0x7F, 0x22, 0x78, 0, 0, 0, 0])
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.isEnded)
        #expect(!bench.out.contains(.tell(.status(.noData))))
    }

    @Test func `an answer to another tester is ignored and gets no flow control from us`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x01, 0x0C]))
        _ = bench.news()
        bench.hear(0x7E8, Self.vin[0])
        bench.hear(0x7E8, [0x04, 0x62, 0xF1, 0x90, 0x31, 0, 0, 0])
        bench.hear(0x7E8, Self.vin[1])
        bench.hear(0x123, [0x04, 0x41, 0x0C, 0x1A, 0xF8, 0, 0, 0])
        bench.hear(0x18DA_F110, [0x04, 0x41, 0x0C, 0x1A, 0xF8, 0, 0, 0], form: .can29)
        // The frame with a 29-bit identifier of OBD counts. An ELM327 that is set to 11 bits would
        // drop it.
        #expect(bench.news().count { $0 != .ended } == 1)
    }

    // MARK: Long requests

    private static let long: [UInt8] = [0x22] + (0..<12).map { 0xF0 + UInt8($0 / 6) }

    @Test func `a long request waits for flow control and respects block size and pause`() {
        let bench = ExchangeBench()
        let request = [0x22] + [UInt8](repeating: 0x01, count: 20)
        #expect(bench.ask(request, to: can11(0x7E0)))
        #expect(bench.news() == [.send(frame(0x7E0, [0x10, 21, 0x22, 1, 1, 1, 1, 1]))])
        bench.hear(0x7E8, [0x30, 0x02, 0x05])
        #expect(bench.news() == [.send(frame(0x7E0, [0x21, 1, 1, 1, 1, 1, 1, 1]))])
        bench.exchange.expired(.pacing, &bench.out)
        #expect(bench.out.contains(.tell(.arm(.flowControl, after: .seconds(1)))))
        #expect(bench.news() == [.send(frame(0x7E0, [0x22, 1, 1, 1, 1, 1, 1, 1]))])
        // The next frames wait for the next flow control.
        bench.exchange.expired(.pacing, &bench.out)
        #expect(bench.news().isEmpty)
        bench.hear(0x7E8, [0x31, 0x00, 0x00])
        #expect(bench.news().isEmpty)
        bench.hear(0x7E8, [0x30, 0x00, 0x00])
        #expect(bench.news() == [.send(frame(0x7E0, [0x23, 1, 0, 0, 0, 0, 0, 0]))])
        bench.hear(0x7E8, [0x04, 0x62, 0x01, 0x01, 0x55, 0, 0, 0])
        #expect(bench.isEnded)
    }

    @Test(arguments: [
        ("no flow control", nil as [UInt8]?), ("an overflow", [0x32, 0, 0]),
        ("a word that there is not", [0x3F, 0, 0]),
    ])
    func `a long request needs flow control`(_ what: String, _ answer: [UInt8]?) {
        let bench = ExchangeBench()
        #expect(bench.ask([0x22] + [UInt8](repeating: 1, count: 20), to: can11(0x7E0)))
        _ = bench.news()
        if let answer {
            bench.hear(0x7E8, answer)
        } else {
            bench.exchange.expired(.flowControl, &bench.out)
        }
        #expect(bench.news() == [.tell(.status(.flowControlTimeout)), .ended])
    }

    @Test func `an ECU that sends "wait" without end is given up`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x22] + [UInt8](repeating: 1, count: 20), to: can11(0x7E0)))
        for _ in 0...CANExchange.mostWaits { bench.hear(0x7E8, [0x31, 0, 0]) }
        #expect(bench.isEnded)
    }

    @Test func `a long request to several ECUs is refused`() {
        let bench = ExchangeBench()
        #expect(!bench.ask([UInt8](repeating: 1, count: 8)))
        #expect(bench.out.isEmpty && !bench.exchange.isUnderWay)
    }

    @Test(arguments: [
        (UInt8(0x00), Duration.zero), (0x01, .milliseconds(1)), (0x7F, .milliseconds(127)),
        (0xF1, .microseconds(100)), (0xF9, .microseconds(900)), (0x80, .milliseconds(127)),
        (0xF0, .milliseconds(127)), (0xFA, .milliseconds(127)),
    ])
    func `the pause between frames is that of ISO 15765-2`(_ byte: UInt8, _ pause: Duration) {
        #expect(CANExchange.separation(byte) == pause)
    }

    // MARK: Addresses in the data

    @Test func `under extended addressing flow control begins with the ECU's address`() {
        let bench = ExchangeBench()
        let target = ECUAddress(0x6F1, .can11, extended: 0x12)
        var request = VehicleRequest(
            id: RequestID(rawValue: 1), target: target, payload: [0x22, 0xF1, 0x90])
        request.responders = .one(ECUAddress(0x612, .can11, extended: 0xF1))
        let isSent = bench.exchange.begin(request, on: .can11At500, &bench.out)
        #expect(isSent)
        #expect(bench.news() == [.send(frame(0x6F1, [0x12, 0x03, 0x22, 0xF1, 0x90, 0, 0, 0]))])
        // This frame is for another tester.
        bench.hear(0x612, [0xF2, 0x10, 0x0A, 0x62, 0xF1, 0x90, 1, 2])
        #expect(bench.news().isEmpty)
        bench.hear(0x612, [0xF1, 0x10, 0x0A, 0x62, 0xF1, 0x90, 1, 2])
        #expect(bench.news() == [.send(frame(0x6F1, [0x12, 0x30, 0, 0, 0, 0, 0, 0]))])
        bench.hear(0x612, [0xF1, 0x21, 3, 4, 5, 6, 7])
        #expect(bench.messages.map(\.payload) == [[0x62, 0xF1, 0x90, 1, 2, 3, 4, 5, 6, 7]])
        #expect(bench.isEnded)
    }

    // MARK: Damage

    @Test func `a lost frame is an error, and the rest of the answer belongs to the same exchange`()
    {
        let bench = ExchangeBench()
        #expect(bench.ask([0x09, 0x02], to: can11(0x7E0)))
        bench.hear(0x7E8, Self.vin[0])
        bench.hear(0x7E8, Self.vin[2])
        #expect(bench.errors == 1)
        #expect(!bench.isEnded)
        bench.exchange.expired(.pause, &bench.out)
        #expect(bench.isEnded)
        #expect(!bench.out.contains(.tell(.status(.noData))))
    }

    @Test func `an answer that stops in the middle is unfinished`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x09, 0x02], to: can11(0x7E0)))
        bench.hear(0x7E8, Self.vin[0])
        bench.exchange.expired(.nextFrame, &bench.out)
        #expect(
            bench.out.contains(
                .tell(
                    .linkError(
                        LinkError(.incomplete(expected: 20, received: 6), ecu: can11(0x7E8))))))
        #expect(bench.isEnded)
    }

    @Test func `a late frame of a finished answer changes nothing`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x01, 0x0C], expecting: 1))
        bench.hear(0x7E8, Self.vin[2])
        #expect(bench.errors == 0)
        bench.hear(0x7E8, [0x04, 0x41, 0x0C, 0x1A, 0xF8, 0, 0, 0])
        #expect(bench.isEnded)
    }

    @Test func `without an acknowledgement the request ends with the controller's error`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x01, 0x0C]))
        _ = bench.news()
        bench.exchange.fail(.notAcknowledged, &bench.out)
        #expect(bench.news() == [.tell(.status(.notAcknowledged)), .ended])
    }

    // MARK: SAE J1939

    @Test func `a parameter group in packets to all is assembled for each sender`() throws {
        let bench = ExchangeBench()
        #expect(bench.ask([0x00, 0xFE, 0xEC], on: .j1939))
        #expect(bench.news() == [.send(frame(0x18EA_FFF9, [0xEC, 0xFE, 0x00], .can29))])
        let number = Array("1HTMKAAN45H123456*".utf8)
        for frame in try J1939.frames(for: number, parameterGroup: 0xFEEC, source: 0x00) {
            bench.exchange.receive(
                CANFrame(try #require(frame.header), frame.bytes), &bench.out)
        }
        // A different group comes meanwhile.
        bench.hear(0x18FE_CA00, [0, 0, 0, 0, 0, 0, 0, 0], form: .can29)
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.messages.map(\.payload) == [number])
        #expect(bench.sent.isEmpty)
        #expect(bench.isEnded)
    }

    @Test func `a parameter group in packets to obdscan is allowed and confirmed`() throws {
        let bench = ExchangeBench()
        let engine = ECUAddress(0x00, .byte)
        #expect(bench.ask([0x00, 0xFE, 0xEC], to: engine, on: .j1939))
        #expect(bench.news() == [.send(frame(0x18EA_00F9, [0xEC, 0xFE, 0x00], .can29))])
        let number = Array("1HTMKAAN45H123456*".utf8)
        let frames = try J1939.frames(
            for: number, parameterGroup: 0xFEEC, source: 0x00, destination: 0xF9)
        bench.exchange.receive(
            CANFrame(try #require(frames[0].header), frames[0].bytes), &bench.out)
        #expect(
            bench.news() == [
                .send(frame(0x1CEC_00F9, [0x11, 3, 1, 0xFF, 0xFF, 0xEC, 0xFE, 0x00], .can29))
            ])
        for frame in frames.dropFirst() {
            bench.exchange.receive(
                CANFrame(try #require(frame.header), frame.bytes), &bench.out)
        }
        #expect(bench.sent == [frame(0x1CEC_00F9, [0x13, 18, 0, 3, 0xFF, 0xEC, 0xFE, 0], .can29)])
        #expect(bench.messages.map(\.payload) == [number])
        #expect(bench.isEnded)
    }
}

/// Many ECUs answer at once.
///
/// The frames of these ECUs interleave, get lost, come twice, or swap places.
@Suite struct `Many answers on CAN` {
    private static func answer(_ ecu: UInt32, _ length: Int) -> [UInt8] {
        [0x62, 0xF1, 0x90] + (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(ecu)) }
    }

    @Test(arguments: 0..<200) func `eight ECUs interleave their frames in any order`(seed: Int)
        throws
    {
        var random = SeededGenerator(seed: UInt64(seed))
        let bench = ExchangeBench()
        #expect(bench.ask([0x22, 0xF1, 0x90]))
        bench.out = []
        var queues: [(ecu: UInt32, rest: [[UInt8]])] = []
        var wanted: [UInt32: [UInt8]] = [:]
        for ecu in UInt32(0x7E8)...0x7EF {
            let payload = Self.answer(ecu, Int.random(in: 0...300, using: &random))
            wanted[ecu] = payload
            queues.append(
                (ecu, try ISO15765.frames(for: payload, padding: seed % 2 == 0 ? 0xAA : nil)))
        }
        var flowControls: Set<UInt32> = []
        while let place = queues.indices.filter({ !queues[$0].rest.isEmpty })
            .randomElement(using: &random)
        {
            let ecu = queues[place].ecu
            let frame = queues[place].rest.removeFirst()
            let before = bench.sent.count
            bench.hear(ecu, frame)
            if frame[0] >> 4 == 1 {
                #expect(bench.sent.count == before + 1)
                #expect(bench.sent.last?.id == ECUAddress(ecu - 8, .can11))
                flowControls.insert(ecu)
            }
        }
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.isEnded)
        #expect(bench.errors == 0)
        #expect(
            Dictionary(
                uniqueKeysWithValues: bench.messages.map { ($0.ecu?.value ?? 0, $0.payload) })
                == wanted)
        #expect(flowControls.count == wanted.values.count { $0.count > 7 })
    }

    /// With any damage to the frames, a message is either right or missing, and the exchange ends.
    @Test(arguments: 0..<300) func `lost, doubled and swapped frames never make a message`(
        seed: Int
    ) throws {
        var random = SeededGenerator(seed: UInt64(seed) + 77)
        let bench = ExchangeBench()
        #expect(bench.ask([0x22, 0xF1, 0x90]))
        bench.out = []
        var frames: [(UInt32, [UInt8])] = []
        var wanted: [UInt32: [UInt8]] = [:]
        for ecu in UInt32(0x7E8)...0x7EB {
            let payload = Self.answer(ecu, Int.random(in: 0...90, using: &random))
            wanted[ecu] = payload
            for frame in try ISO15765.frames(for: payload) {
                switch Int.random(in: 0..<12, using: &random) {
                case 0: break
                case 1: frames += [(ecu, frame), (ecu, frame)]
                case 2: frames.insert((ecu, frame), at: max(0, frames.count - 1))
                default: frames.append((ecu, frame))
                }
            }
        }
        for (ecu, frame) in frames { bench.hear(ecu, frame) }
        // Let all timers expire.
        for timer in [DialectTimer.reply, .nextFrame, .pause, .reply, .pause] {
            bench.exchange.expired(timer, &bench.out)
        }
        #expect(bench.isEnded && !bench.exchange.isUnderWay)
        #expect(Set(bench.messages.map(\.ecu)).count == bench.messages.count)
        for message in bench.messages {
            let ecu = try #require(message.ecu?.value)
            #expect(message.payload == wanted[ecu])
        }
    }
}
