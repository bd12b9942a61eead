import OBDCore
import TestSupport
import Testing
import VehicleLink

@Suite struct `SAE J1939` {
    /// The identifier, the priority, the group, the destination and the source.
    ///
    /// The fields of J1939-21 were calculated by hand.
    static let identifiers: [(UInt32, UInt8, UInt32, UInt8?, UInt8)] = [
        (0x18FE_CA00, 6, 0xFECA, nil, 0x00),
        (0x18EA_FFF9, 6, 0xEA00, 0xFF, 0xF9),
        (0x0CF0_0400, 3, 0xF004, nil, 0x00),
        (0x1CEC_FF21, 7, 0xEC00, 0xFF, 0x21),
        (0x1DFF_1234, 7, 0x1FF12, nil, 0x34),
    ]

    @Test(arguments: identifiers)
    func `identifiers are split and joined`(
        value: UInt32, priority: UInt8, group: UInt32, destination: UInt8?, source: UInt8
    ) {
        let id = J1939.Identifier(value)
        #expect(id.priority == priority)
        #expect(id.parameterGroup == group)
        #expect(id.destination == destination)
        #expect(id.source == source)
        #expect(id.value == value)
        let again = J1939.Identifier(
            priority: priority, parameterGroup: group, destination: destination, source: source)
        #expect(again == id)
    }

    @Test func `a broadcast is announced and numbered as in SAE J1939-21`() throws {
        let payload = (1...14).map { UInt8($0) }
        let frames = try J1939.frames(for: payload, parameterGroup: 0xFECA, source: 0)
        #expect(frames.map { $0.header?.description } == ["1CECFF00", "1CEBFF00", "1CEBFF00"])
        #expect(
            frames.map { Array($0.bytes) } == [
                [0x20, 0x0E, 0x00, 0x02, 0xFF, 0xCA, 0xFE, 0x00], [1, 1, 2, 3, 4, 5, 6, 7],
                [2, 8, 9, 10, 11, 12, 13, 14],
            ])
    }

    @Test func `messages of every length are assembled, also with mixed senders`() throws {
        var generator = SeededGenerator(seed: 8)
        for round in 0..<300 {
            var sequences: [[LinkFrame]] = []
            var expected: [ECUMessage] = []
            for source in UInt8(0)..<4 {
                let length =
                    round < 10 ? 1776 + round : Int.random(in: 1...120, using: &generator)
                let payload = generator.bytes(length)
                let frames = try J1939.frames(
                    for: payload, parameterGroup: 0xFECA + UInt32(source), source: source,
                    destination: source == 3 ? 0xF9 : nil)
                sequences.append(frames)
                expected.append(
                    ECUMessage(
                        ecu: ECUAddress(UInt32(source), .byte), payload: payload,
                        frames: frames.count, parameterGroup: 0xFECA + UInt32(source)))
            }
            let result = Assembly(
                MessageAssembler(.j1939), interleaved(sequences, using: &generator))
            #expect(result.errors.isEmpty)
            let found = result.messages.map { message in
                var message = message
                message.line = 0
                return message
            }
            #expect(Set(found) == Set(expected))
        }
    }

    @Test func `a lost, doubled or swapped packet is an error and never another value`() throws {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<1000 {
            let payload = generator.bytes(Int.random(in: 9...120, using: &generator))
            let good = try J1939.frames(for: payload, parameterGroup: 0xFECB, source: 0x21)
            let order = DamagedOrder(good, using: &generator)
            for damaged in order.all {
                let result = Assembly(MessageAssembler(.j1939), damaged)
                #expect(!result.errors.isEmpty)
                #expect(result.messages.allSatisfy { $0.payload == payload })
                if damaged != order.doubled { #expect(result.messages.isEmpty) }
            }
        }
    }

    @Test func `the sender and the receiver may abort a connection`() throws {
        let frames = try J1939.frames(
            for: Array(repeating: 1, count: 20), parameterGroup: 0xFECA, source: 0x21,
            destination: 0xF9)
        let clear = LinkFrame(
            header: ECUAddress(0x1CEC_21F9, .can29),
            bytes: [0x11, 0x03, 0x01, 0xFF, 0xFF, 0xCA, 0xFE, 0x00])
        for header: UInt32 in [0x1CEC_21F9, 0x1CEC_F921] {
            let abort = LinkFrame(
                header: ECUAddress(header, .can29),
                bytes: [0xFF, 0x03, 0xFF, 0xFF, 0xFF, 0xCA, 0xFE, 0x00])
            let result = Assembly(MessageAssembler(.j1939), [frames[0], clear, frames[1], abort])
            #expect(result.messages.isEmpty)
            #expect(result.errors.map(\.fault) == [.aborted(reason: 3)])
            // The message that is lost is that of its sender.
            #expect(result.errors.map(\.ecu) == [ECUAddress(0x21, .byte)])
        }
    }

    /// The frames of a message of 14 bytes at these times, and what becomes of it.
    private func assemble(
        to destination: UInt8?, control: [[UInt8]], at times: [Int64]
    ) throws -> (messages: [[UInt8]], faults: [LinkError.Fault]) {
        var frames = try J1939.frames(
            for: Array(1...14), parameterGroup: 0xFECA, source: 0x21, destination: destination)
        let answers = control.map {
            LinkFrame(
                header: ECUAddress(0x1CEC_21F9, .can29),
                bytes: InlineBytes($0 + [0xFF, 0xFF, 0xCA, 0xFE, 0x00]))
        }
        frames.insert(contentsOf: answers, at: 1)
        var assembler = J1939Assembler()
        var (messages, faults): ([[UInt8]], [LinkError.Fault]) = ([], [])
        for (frame, time) in zip(frames, times) {
            do throws(LinkError) {
                let message = try assembler.receive(frame, at: time * 1_000)
                if let message { messages.append(message.payload) }
            } catch {
                faults.append(error.fault)
            }
            faults += assembler.takeErrors().map(\.fault)
        }
        return (messages, faults + assembler.finish().map(\.fault))
    }

    private static let clear: [UInt8] = [0x11, 2, 1]
    private static let hold: [UInt8] = [0x11, 0, 0xFF]

    /// The times of the frames in ms, and the limits of SAE J1939-21: T1 750, T2 1,250, T3 1,250, T4 1,050 ms.
    @Test(
        arguments: [
            (nil, [], [0, 750, 1_500], nil), (nil, [], [0, 751, 800], 0),
            (nil, [], [0, 50, 801], 7),
            (0xF9, [clear], [0, 1_250, 2_500, 3_750], nil),
            (0xF9, [clear], [0, 1_251, 1_300, 1_350], 0),
            (0xF9, [clear], [0, 10, 1_261, 1_300], 0), (0xF9, [clear], [0, 10, 20, 1_271], 7),
            (0xF9, [hold, clear], [0, 10, 1_060, 1_070, 1_080], nil),
            (0xF9, [hold, clear], [0, 10, 1_061, 1_070, 1_080], 0),
            // The clock was set back in the middle.
            (nil, [], [9_000, 9_050, 100], nil),
        ] as [(UInt8?, [[UInt8]], [Int64], Int?)])
    func `a message whose next frame is late is a fault with the number of bytes`(
        destination: UInt8?, control: [[UInt8]], times: [Int64], received: Int?
    ) throws {
        let result = try assemble(to: destination, control: control, at: times)
        if let received {
            #expect(result.messages.isEmpty)
            #expect(result.faults == [.timedOut(expected: 14, received: received)])
        } else {
            #expect(result.messages == [Array(1...14)])
            #expect(result.faults.isEmpty)
        }
    }

    /// The announcement and the first packet of the second message were lost.
    @Test func `packets of two messages are never joined`() throws {
        let first = try J1939.frames(
            for: Array(1...14), parameterGroup: 0xFECA, source: 0x21)
        let second = try J1939.frames(
            for: Array(101...114), parameterGroup: 0xFECA, source: 0x21)
        var assembler = J1939Assembler()
        #expect(try assembler.receive(first[0], at: 0) == nil)
        #expect(try assembler.receive(first[1], at: 50_000) == nil)
        #expect(try assembler.receive(second[2], at: 1_000_000) == nil)
        #expect(
            assembler.takeErrors().map(\.fault) == [.timedOut(expected: 14, received: 7)])
    }

    // SAE J1939-21: a packet has eight bytes. One that lost a byte in the middle has seven.
    @Test func `a packet of seven bytes counts as damaged`() throws {
        let frames = try J1939.frames(
            for: Array(1...10), parameterGroup: 0xFECA, source: 0x21, destination: 0xFF)
        var cut = frames
        cut[2] = LinkFrame(
            header: cut[2].header, bytes: [0x02, 0x08, 0x0A, 0xFF, 0xFF, 0xFF, 0xFF])
        let damaged = Assembly(MessageAssembler(.j1939), cut)
        #expect(damaged.messages.isEmpty)
        #expect(damaged.errors.map(\.fault) == [.tooShort(expected: 8, received: 7)])
        // Some senders do not fill the last packet.
        cut[2] = LinkFrame(header: cut[2].header, bytes: [0x02, 0x08, 0x09, 0x0A])
        #expect(Assembly(MessageAssembler(.j1939), cut).messages.map(\.payload) == [Array(1...10)])
    }

    /// A lost packet is an error, but the receiver may ask for it again: CTS with its number.
    @Test func `a receiver asks for packets again`() throws {
        let payload = (1...20).map { UInt8($0) }
        let frames = try J1939.frames(
            for: payload, parameterGroup: 0xFECA, source: 0x21, destination: 0xF9)
        func clear(_ count: UInt8, from number: UInt8) -> LinkFrame {
            LinkFrame(
                header: ECUAddress(0x1CEC_21F9, .can29),
                bytes: [0x11, count, number, 0xFF, 0xFF, 0xCA, 0xFE, 0x00])
        }
        let lost = Assembly(
            MessageAssembler(.j1939),
            [frames[0], clear(3, from: 1), frames[1], frames[3], clear(2, from: 2)] + frames[2...])
        #expect(lost.messages.map(\.payload) == [payload])
        #expect(lost.errors.map(\.fault) == [.sequence(expected: 2, received: 3)])
        let again = Assembly(
            MessageAssembler(.j1939),
            [frames[0], clear(2, from: 1), frames[1], frames[2], clear(2, from: 2)] + frames[2...])
        #expect(again.messages.map(\.payload) == [payload])
        #expect(again.errors.isEmpty)
    }

    @Test func `an announcement with contradictory numbers is ignored`() {
        let announcement = LinkFrame(
            header: ECUAddress(0x1CEC_FF00, .can29), bytes: [0x20, 0x0E, 0, 3, 0xFF, 0xCA, 0xFE, 0])
        let packet = LinkFrame(
            header: ECUAddress(0x1CEB_FF00, .can29), bytes: [1, 1, 2, 3, 4, 5, 6, 7])
        let result = Assembly(MessageAssembler(.j1939), [announcement, packet])
        #expect(result.messages.isEmpty)
        #expect(result.errors.map(\.fault) == [.length(announced: 14, received: 21)])
    }

    @Test func `random frames never crash`() {
        var generator = SeededGenerator(seed: 10)
        let groups: [UInt32] = [0x1CEC_FF00, 0x1CEB_FF00, 0x18FE_CA00, 0x18EC_F921]
        let frames = (0..<5000).map { _ in
            LinkFrame(
                header: ECUAddress(
                    groups.randomElement(using: &generator) ?? 0, .can29),
                bytes: InlineBytes(generator.bytes(Int.random(in: 0...9, using: &generator))))
        }
        let result = Assembly(MessageAssembler(.j1939), frames)
        #expect(!result.errors.isEmpty)
    }
}
