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

    @Test func `either end may abort a connection`() throws {
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

    // SAE J1939-21: a packet has eight bytes. One that lost a byte in the middle has seven.
    @Test func `a packet of seven bytes is damaged`() throws {
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
