import OBDCore
import TestSupport
import Testing
import VehicleLink

@Suite struct `ISO 15765-2` {
    /// The VIN example of ISO 15765-4 in the ELM327 data sheet's form: 20 bytes in three frames.
    static let vin: [[UInt8]] = [
        [0x10, 0x14, 0x49, 0x02, 0x01, 0x31, 0x44, 0x34],
        [0x21, 0x47, 0x50, 0x30, 0x30, 0x52, 0x35, 0x35],
        [0x22, 0x42, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36],
    ]
    static let vinPayload: [UInt8] = [0x49, 0x02, 0x01] + Array("1D4GP00R55B123456".utf8)

    static func frames(_ id: UInt32, _ fields: [[UInt8]]) -> [LinkFrame] {
        fields.map { .can(id, $0) }
    }

    static let normal = MessageAssembler(.can)

    @Test func `the data sheet's VIN is assembled and has its first line`() {
        let result = Assembly(Self.normal, Self.frames(0x7E8, Self.vin))
        #expect(result.errors.isEmpty)
        #expect(
            result.messages == [
                ECUMessage(
                    ecu: ECUAddress(0x7E8, .can11), payload: Self.vinPayload, line: 1, frames: 3)
            ])
    }

    /// ISO 15765-2:2016: `10 00` and four bytes with a length above 4095; not below.
    @Test func `with CAN FD a first frame may have a length of four bytes`() throws {
        let payload = (0..<4096).map { UInt8(truncatingIfNeeded: $0 / 7) }
        var fields = [[0x10, 0x00, 0x00, 0x00, 0x10, 0x00] + Array(payload[..<2])]
        for (number, start) in stride(from: 2, to: payload.count, by: 7).enumerated() {
            let data = Array(payload[start..<min(start + 7, payload.count)])
            fields.append([0x20 | UInt8((number + 1) & 0x0F)] + data)
        }
        var assembler = ISO15765Assembler()
        assembler.acceptsFD = true
        var messages: [[UInt8]] = []
        for frame in Self.frames(0x7E8, fields) {
            if let message = try assembler.receive(frame) { messages.append(message.payload) }
        }
        #expect(messages == [payload])
        fields[0][4] = 0x0F
        #expect(throws: LinkError.self) {
            try assembler.receive(.can(0x7E8, fields[0]))
        }
    }

    @Test(
        arguments: [
            // 0102 01 0C with the padding that OBD requires, calculated by hand.
            ([0x01, 0x0C], nil, [[0x02, 0x01, 0x0C, 0, 0, 0, 0, 0]]),
            ([1, 2, 3, 4, 5, 6, 7], nil, [[7, 1, 2, 3, 4, 5, 6, 7]]),
            (
                [1, 2, 3, 4, 5, 6, 7, 8], nil,
                [[0x10, 8, 1, 2, 3, 4, 5, 6], [0x21, 7, 8, 0, 0, 0, 0, 0]]
            ),
            // Extended addressing takes one byte, so seven bytes need two frames.
            (
                [1, 2, 3, 4, 5, 6, 7], 0xF1,
                [[0xF1, 0x10, 7, 1, 2, 3, 4, 5], [0xF1, 0x21, 6, 7, 0, 0, 0, 0]]
            ),
        ] as [([UInt8], UInt8?, [[UInt8]])])
    func `messages are divided as in the standard's figures`(
        payload: [UInt8], address: UInt8?, frames: [[UInt8]]
    ) throws {
        #expect(try ISO15765.frames(for: payload, extendedAddress: address) == frames)
    }

    @Test(arguments: [0, 4096])
    func `lengths that no first frame can have are refused`(count: Int) {
        #expect(throws: FramingError.payloadLength(count, allowed: 1...4095)) {
            try ISO15765.frames(for: Array(repeating: 0, count: count))
        }
    }

    @Test func `every length works, padded or not, with and without extended addressing`() throws {
        var generator = SeededGenerator(seed: 1)
        let lengths = Array(1...70) + [111, 112, 113, 255, 256, 257, 1000, 4094, 4095]
        for length in lengths {
            for address in [nil, UInt8(0xF1)] {
                for padding in [nil, UInt8(0x00), 0x55, 0xAA, 0xCC, 0xFF] {
                    let payload = generator.bytes(length)
                    let fields = try ISO15765.frames(
                        for: payload, extendedAddress: address, padding: padding)
                    let result = Assembly(
                        MessageAssembler(.can, extendedAddressing: address != nil),
                        Self.frames(0x7E8, fields))
                    #expect(result.errors.isEmpty)
                    #expect(
                        result.messages == [
                            ECUMessage(
                                ecu: ECUAddress(0x7E8, .can11, extended: address),
                                payload: payload, line: 1, frames: fields.count)
                        ])
                }
            }
        }
    }

    @Test func `frames of several ECUs may come in any order of ECUs`() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            var expected: [ECUAddress: [UInt8]] = [:]
            var sequences: [[LinkFrame]] = []
            for number in 0..<UInt32.random(in: 1...8, using: &generator) {
                let id = ECUAddress(0x7E8 + number, .can11)
                let payload = generator.bytes(Int.random(in: 1...60, using: &generator))
                expected[id] = payload
                var frames = Self.frames(0x7E8 + number, try ISO15765.frames(for: payload))
                // Flow control is not data, at any point.
                let place = Int.random(in: 0...frames.count, using: &generator)
                frames.insert(.can(0x7E0 + number, ISO15765.flowControl), at: place)
                sequences.append(frames)
            }
            let result = Assembly(Self.normal, interleaved(sequences, using: &generator))
            #expect(result.errors.isEmpty)
            #expect(result.messages.count == expected.count)
            for message in result.messages {
                #expect(message.ecu.flatMap { expected[$0] } == message.payload)
            }
        }
    }

    @Test func `a lost, doubled or swapped frame is an error and never another value`() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let payload = generator.bytes(Int.random(in: 8...150, using: &generator))
            let good = Self.frames(0x7E8, try ISO15765.frames(for: payload))
            let order = DamagedOrder(good, using: &generator)
            for damaged in order.all {
                let result = Assembly(Self.normal, damaged)
                #expect(!result.errors.isEmpty)
                // If the first or the last frame comes twice, the message is still right.
                #expect(result.messages.allSatisfy { $0.payload == payload })
                if damaged != order.doubled { #expect(result.messages.isEmpty) }
            }
        }
    }

    @Test func `a shortened frame is an error and never another value`() throws {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<2000 {
            let payload = generator.bytes(Int.random(in: 1...60, using: &generator))
            var fields = try ISO15765.frames(for: payload, padding: nil)
            let place = Int.random(in: fields.indices, using: &generator)
            fields[place].removeLast(Int.random(in: 1...fields[place].count, using: &generator))
            let result = Assembly(Self.normal, Self.frames(0x7E8, fields))
            #expect(!result.errors.isEmpty)
            #expect(result.messages.isEmpty)
        }
    }

    /// The last frame has only the missing bytes, or padding up to eight bytes.
    ///
    /// With any length in between, a byte was lost, and it is unknown which one.
    @Test(arguments: [false, true])
    func `a last frame is complete without padding or with full padding`(isExtended: Bool) throws {
        let room = isExtended ? 6 : 7
        for length in (isExtended ? 7 : 8)...40 {
            let payload = (1...length).map(UInt8.init)
            let fields = try ISO15765.frames(
                for: payload, extendedAddress: isExtended ? 0xF1 : nil, padding: 0x55)
            let last = try #require(fields.last)
            let head = last.count - room
            let missing = (length - (isExtended ? 5 : 6) - 1) % room + 1
            for carried in 0...room {
                let cut = Array(last[..<(head + carried)])
                let result = Assembly(
                    MessageAssembler(.can, extendedAddressing: isExtended),
                    Self.frames(0x7E8, fields.dropLast() + [cut]))
                let isWhole = carried == missing || carried == room
                #expect(result.messages.map(\.payload) == (isWhole ? [payload] : []))
                #expect(result.errors.isEmpty == isWhole, "\(length) bytes, \(carried) in the last")
            }
        }
    }

    /// The frames, the faults that they must give, and the number of messages that may still come.
    static let faults: [([[UInt8]], [LinkError.Fault], Int)] = [
        ([[0x04, 0x41, 0x0C, 0x1A]], [.singleFrameLength(announced: 4, available: 3)], 0),
        ([[0x00, 0x41, 0x0C, 0x1A]], [.singleFrameLength(announced: 0, available: 3)], 0),
        ([[0x08, 1, 2, 3, 4, 5, 6, 7]], [.singleFrameLength(announced: 8, available: 7)], 0),
        ([[]], [.tooShort(expected: 1, received: 0)], 0),
        ([[0x03, 1, 2, 3, 4, 5, 6, 7, 8]], [.length(announced: 8, received: 9)], 0),
        ([[0x40, 1, 2]], [.protocolControl(0x40)], 0),
        ([[0x10, 0x07, 1, 2, 3, 4, 5, 6]], [.firstFrameLength(announced: 7, available: 6)], 0),
        ([[0x10, 0x14, 1, 2, 3, 4, 5]], [.firstFrameLength(announced: 20, available: 5)], 0),
        // OBD does not use the long form with a 32-bit length.
        ([[0x10, 0x00, 0, 0, 0x10, 0, 1, 2]], [.firstFrameLength(announced: 0, available: 6)], 0),
        ([vin[1]], [.orphanConsecutiveFrame(number: 1)], 0),
        // One error per message: the rest of a broken message is dropped.
        ([vin[1], vin[2]], [.orphanConsecutiveFrame(number: 1)], 0),
        ([vin[0], vin[2]], [.sequence(expected: 1, received: 2)], 0),
        ([vin[0], vin[1], vin[1], vin[2]], [.sequence(expected: 2, received: 1)], 0),
        ([vin[0], vin[1]], [.incomplete(expected: 20, received: 13)], 0),
        ([vin[0], vin[0], vin[1], vin[2]], [.interrupted(expected: 20, received: 6)], 1),
        ([vin[0], [0x03, 0x7F, 0x09, 0x12]], [.interrupted(expected: 20, received: 6)], 1),
        ([vin[0], [0x21, 1, 2]], [.tooShort(expected: 8, received: 3)], 0),
    ]

    @Test(arguments: faults)
    func `each fault of a transfer has its own error`(
        fields: [[UInt8]], faults: [LinkError.Fault], messages: Int
    ) {
        let result = Assembly(Self.normal, Self.frames(0x7E8, fields))
        #expect(result.errors.map(\.fault) == faults)
        #expect(result.messages.count == messages)
        #expect(result.errors.allSatisfy { $0.ecu == ECUAddress(0x7E8, .can11) })
    }

    @Test func `a consecutive frame without a first frame belongs to no message`() {
        var frames = Self.frames(0x7E8, Self.vin)
        frames.insert(.can(0x7E9, Self.vin[1]), at: 1)
        let result = Assembly(Self.normal, frames)
        #expect(result.messages.map(\.payload) == [Self.vinPayload])
        #expect(
            result.errors == [
                LinkError(
                    .orphanConsecutiveFrame(number: 1), ecu: ECUAddress(0x7E9, .can11), line: 2)
            ])
    }

    @Test func `endless first frames need limited memory`() {
        var assembler = ISO15765Assembler()
        var errors = 0
        for id in UInt32(0)..<1000 {
            do throws(LinkError) {
                #expect(try assembler.receive(.can(id, Self.vin[0])) == nil)
            } catch {
                Issue.record("a first frame is not a fault: \(error)")
            }
            errors += assembler.takeErrors().count
        }
        #expect(errors == 1000 - ISO15765Assembler.openMessages)
        #expect(assembler.finish().count == ISO15765Assembler.openMessages)
    }

    @Test func `random frames never crash`() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            let isExtended = Bool.random(using: &generator)
            let frames = (0..<40).map { _ in
                LinkFrame.can(
                    UInt32.random(in: 0x7E8...0x7EA, using: &generator),
                    generator.bytes(Int.random(in: 0...10, using: &generator)))
            }
            let result = Assembly(
                MessageAssembler(.can, extendedAddressing: isExtended), frames)
            #expect(result.messages.count <= frames.count)
        }
    }
}
