import OBDCore
import TestSupport
import Testing
import VehicleLink

@Suite struct `Framing before CAN` {
    /// The family, the frame, the source and the payload.
    static let examples: [(VehicleProtocol.Family, [UInt8], UInt32?, [UInt8])] = [
        // ELM327 data sheet: the answer to 01 05.
        (.iso9141, [0x48, 0x6B, 0x10, 0x41, 0x05, 0x7B, 0x84], 0x10, [0x41, 0x05, 0x7B]),
        // ISO 14230-4: a format byte with the length. The sum was calculated by hand.
        (
            .iso14230, [0x86, 0xF1, 0x10, 0x41, 0x00, 0xBE, 0x1F, 0xB8, 0x10, 0x6D], 0x10,
            [0x41, 0x00, 0xBE, 0x1F, 0xB8, 0x10]
        ),
        // The answer to StartCommunication, ISO 14230-4.
        (.iso14230, [0x83, 0xF1, 0x11, 0xC1, 0xE9, 0x8F, 0xBE], 0x11, [0xC1, 0xE9, 0x8F]),
        // A separate length byte after the addresses, and a frame without addresses.
        (.iso14230, [0x80, 0xF1, 0x10, 0x02, 0x7E, 0x00, 0x01], 0x10, [0x7E, 0x00]),
        (.iso14230, [0x02, 0x7E, 0x00, 0x80], nil, [0x7E, 0x00]),
        (.iso14230, [0x00, 0x02, 0x7E, 0x00, 0x80], nil, [0x7E, 0x00]),
        // A header of ISO 9141-2 on ISO 14230 ("exception mode").
        (.iso14230, [0x48, 0x6B, 0x10, 0x41, 0x05, 0x7B, 0x84], 0x10, [0x41, 0x05, 0x7B]),
        // The CRC was calculated with the catalogue's CRC-8/SAE-J1850.
        (
            .j1850, [0x41, 0x6B, 0x10, 0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11, 0x90], 0x10,
            [0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]
        ),
        // The tester acknowledges in the same frame (PWM).
        (
            .j1850, [0x41, 0x6B, 0x10, 0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11, 0x90, 0xF1], 0x10,
            [0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]
        ),
    ]

    @Test(arguments: examples)
    func `frames of protocols before CAN give their message and source`(
        family: VehicleProtocol.Family, frame: [UInt8], source: UInt32?, payload: [UInt8]
    ) {
        let result = Assembly(MessageAssembler(family), [.legacy(frame)])
        #expect(result.errors.isEmpty)
        #expect(
            result.messages == [
                ECUMessage(ecu: source.map { ECUAddress($0, .byte) }, payload: payload, line: 1)
            ])
    }

    @Test(arguments: [[0xF1], [0x10, 0x17, 0x18], []] as [[UInt8]])
    func `in-frame responses are separated from the data`(acknowledgements: [UInt8]) throws {
        let frame = try J1850.frame(
            for: [0x01, 0x00], header: [0x61, 0x6A, 0xF1], inFrameResponse: acknowledgements)
        let result = Assembly(MessageAssembler(.j1850), [.legacy(frame)])
        #expect(result.messages.map(\.payload) == [[0x01, 0x00]])
        let strict = Assembly(
            MessageAssembler(.j1850, inFrameResponse: false), [.legacy(frame)])
        #expect(strict.errors.count == (acknowledgements.isEmpty ? 0 : 1))
    }

    @Test(arguments: examples)
    func `a single wrong bit is an error`(
        family: VehicleProtocol.Family, frame: [UInt8], source: UInt32?, payload: [UInt8]
    ) {
        for index in frame.indices {
            // No checksum protects the in-frame response after the CRC, and it has no data.
            if family == .j1850 && index == 10 { continue }
            for bit in 0..<8 {
                var damaged = frame
                damaged[index] ^= 1 << bit
                let result = Assembly(
                    MessageAssembler(family, inFrameResponse: frame.count == 11),
                    [.legacy(frame), .legacy(damaged)])
                if frame.count == 11 {
                    // A CRC of eight bits may fit by chance where an acknowledgement is allowed.
                    // Then the message has a wrong length, which the table shows.
                    #expect(result.messages.dropFirst().allSatisfy { $0.payload.count != 6 })
                } else {
                    #expect(result.messages.count == 1, "bit \(bit) of byte \(index)")
                    #expect(result.errors.count == 1, "bit \(bit) of byte \(index)")
                }
            }
        }
    }

    @Test func `framed messages are read back, and a wrong byte never gives a value`() throws {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<2000 {
            let payload = generator.bytes(Int.random(in: 1...7, using: &generator))
            let source = UInt8.random(in: .min ... .max, using: &generator)
            let frames: [(VehicleProtocol.Family, [UInt8])] = [
                (
                    .iso9141,
                    try ISO9141.frame(for: payload, header: ISO9141.responseHeader(from: source))
                ),
                (
                    .j1850,
                    try J1850.frame(for: payload, header: J1850.responseHeaderVPW(from: source))
                ),
                (
                    .iso14230,
                    try ISO14230.frame(
                        for: payload, addressing: .physical(target: 0xF1, source: source))
                ),
                (
                    .iso14230,
                    try ISO14230.frame(
                        for: payload, addressing: .functional(target: 0x33, source: source),
                        lengthByte: true)
                ),
            ]
            for (family, frame) in frames {
                let assembler = MessageAssembler(family, inFrameResponse: false)
                let result = Assembly(assembler, [.legacy(frame)])
                #expect(result.errors.isEmpty)
                #expect(result.messages.map(\.payload) == [payload])
                #expect(result.messages.first?.ecu == ECUAddress(UInt32(source), .byte))

                var damaged = frame
                let index = Int.random(in: 3..<frame.count, using: &generator)
                damaged[index] &+= UInt8.random(in: 1...255, using: &generator)
                let broken = Assembly(assembler, [.legacy(frame), .legacy(damaged)])
                #expect(broken.messages.count == 1)
                #expect(broken.errors.count == 1)
            }
        }
    }

    @Test func `long messages of ISO 14230 have a length byte`() throws {
        let payload = [UInt8](repeating: 0x5A, count: 64)
        let frame = try ISO14230.frame(for: payload, addressing: .absent)
        #expect(Array(frame.prefix(3)) == [0x00, 64, 0x5A])
        let result = Assembly(MessageAssembler(.iso14230), [.legacy(frame)])
        #expect(result.messages.map(\.payload) == [payload])
    }

    @Test func `a checksum may be missing, but not after one was seen`() {
        let whole: [UInt8] = [0x83, 0xF1, 0x10, 0x41, 0x05, 0x7B, 0x45]
        let bare = Array(whole.dropLast())
        let first = Assembly(MessageAssembler(.iso14230), [.legacy(bare), .legacy(whole)])
        #expect(first.messages.map(\.payload) == [[0x41, 0x05, 0x7B], [0x41, 0x05, 0x7B]])
        let second = Assembly(MessageAssembler(.iso14230), [.legacy(whole), .legacy(bare)])
        #expect(second.messages.count == 1)
        #expect(second.errors.map(\.fault) == [.length(announced: 3, received: 2)])
    }

    @Test(
        arguments: [
            // A length that includes the checksum (seen with Volvo's own services), lost bytes,
            // extra bytes.
            (
                [0x87, 0x13, 0x7A, 0xEE, 0x11, 0x51, 0x0D, 0x14, 0x00, 0x85],
                LinkError.Fault.length(announced: 7, received: 6)
            ),
            ([0x86, 0xF1, 0x10, 0x41, 0x00, 0xBE], .length(announced: 6, received: 2)),
            ([0x83, 0xF1, 0x10, 0x41, 0x05, 0x7B, 0x45, 0x00], .length(announced: 3, received: 4)),
            ([0x83, 0xF1], .header),
            ([0x80, 0xF1, 0x10, 0x00], .header),
            ([], .header),
            (
                [0x83, 0xF1, 0x10, 0x41, 0x05, 0x7B, 0x46],
                .checksum(expected: 0x45, received: 0x46)
            ),
        ] as [([UInt8], LinkError.Fault)])
    func `lengths that contradict an ISO 14230 frame are errors`(
        frame: [UInt8], fault: LinkError.Fault
    ) {
        let result = Assembly(MessageAssembler(.iso14230), [.legacy(frame)])
        #expect(result.messages.isEmpty)
        #expect(result.errors.map(\.fault) == [fault])
    }

    @Test func `payloads that do not fit into a frame are refused`() {
        #expect(throws: FramingError.payloadLength(8, allowed: 1...7)) {
            try ISO9141.frame(for: Array(repeating: 0, count: 8), header: [0x68, 0x6A, 0xF1])
        }
        #expect(throws: FramingError.payloadLength(0, allowed: 1...255)) {
            try ISO14230.frame(for: [], addressing: .absent)
        }
        #expect(throws: FramingError.payloadLength(0, allowed: 1...7)) {
            try J1850.frame(for: [], header: [0x68, 0x6A, 0xF1])
        }
    }

    @Test(arguments: VehicleProtocol.Family.allCases)
    func `random bytes never crash`(family: VehicleProtocol.Family) {
        var generator = SeededGenerator(seed: 7)
        let frames = (0..<3000).map { _ in
            LinkFrame.legacy(generator.bytes(Int.random(in: 0...20, using: &generator)))
        }
        let result = Assembly(MessageAssembler(family), frames)
        #expect(result.messages.count + result.errors.count <= frames.count + 1)
    }
}
