import OBDCore
import TestSupport
import Testing
import VehicleLink

/// For every protocol, messages come back from their frames with any order of senders.
///
/// A frame that is lost, doubled or swapped is an error, never a different message.
@Suite struct `Frames of every protocol` {
    /// How to make frames from the message of one sender, and the expected result.
    struct Form: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var family: VehicleProtocol.Family
        /// The possible numbers of bytes of a message.
        var lengths: ClosedRange<Int>
        /// Whether frames show a loss.
        ///
        /// A frame that is a whole message does not.
        var spansFrames: Bool
        var extendedAddressing = false
        var inFrameResponse = true
        var sender: @Sendable (UInt8) -> ECUAddress?
        var frames: @Sendable ([UInt8], UInt8) throws -> [LinkFrame]

        var assembler: MessageAssembler {
            MessageAssembler(
                family, extendedAddressing: extendedAddressing, inFrameResponse: inFrameResponse)
        }
    }

    private static func can(
        _ name: String, _ id: @escaping @Sendable (UInt8) -> ECUAddress, extended: Bool,
        padding: UInt8?
    ) -> Form {
        Form(
            testDescription: name, family: .can, lengths: 8...200, spansFrames: true,
            extendedAddressing: extended,
            sender: { number in
                var address = id(extended ? 0 : number)
                if extended { address.extended = 0xF0 + number }
                return address
            },
            frames: { payload, number in
                try ISO15765.frames(
                    for: payload, extendedAddress: extended ? 0xF0 + number : nil,
                    padding: padding
                ).map {
                    LinkFrame(header: id(extended ? 0 : number), bytes: InlineBytes($0))
                }
            })
    }

    private static func legacy(
        _ name: String, _ family: VehicleProtocol.Family, _ lengths: ClosedRange<Int> = 1...7,
        hasSource: Bool = true, inFrameResponse: Bool = false,
        _ frame: @escaping @Sendable ([UInt8], UInt8) throws -> [UInt8]
    ) -> Form {
        Form(
            testDescription: name, family: family, lengths: lengths, spansFrames: false,
            inFrameResponse: inFrameResponse,
            sender: { hasSource ? ECUAddress(UInt32(0x10 + $0), .byte) : nil },
            frames: { [.legacy(try frame($0, 0x10 + $1))] })
    }

    static let forms: [Form] = [
        can(
            "11 bit, normal", { ECUAddress(0x7E8 + UInt32($0), .can11) }, extended: false,
            padding: 0xAA),
        can("11 bit, extended", { _ in ECUAddress(0x612, .can11) }, extended: true, padding: 0xFF),
        can(
            "11 bit, not padded", { ECUAddress(0x7E8 + UInt32($0), .can11) }, extended: false,
            padding: nil),
        can(
            "29 bit, normal", { ECUAddress(0x18DA_F110 + UInt32($0), .can29) }, extended: false,
            padding: 0x00),
        can(
            "29 bit, extended", { _ in ECUAddress(0x18DA_F110, .can29) }, extended: true,
            padding: 0x55),
        legacy("ISO 9141-2", .iso9141) {
            try ISO9141.frame(for: $0, header: ISO9141.responseHeader(from: $1))
        },
        legacy("J1850 VPW", .j1850) {
            try J1850.frame(for: $0, header: J1850.responseHeaderVPW(from: $1))
        },
        legacy("J1850 PWM", .j1850, inFrameResponse: false) {
            try J1850.frame(for: $0, header: J1850.responseHeaderPWM(from: $1))
        },
        legacy("KWP, physical", .iso14230, 1...63) {
            try ISO14230.frame(for: $0, addressing: .physical(target: 0xF1, source: $1))
        },
        legacy("KWP, physical, length byte", .iso14230, 1...255) {
            try ISO14230.frame(
                for: $0, addressing: .physical(target: 0xF1, source: $1), lengthByte: true)
        },
        legacy("KWP, functional", .iso14230, 1...63) {
            try ISO14230.frame(for: $0, addressing: .functional(target: 0x33, source: $1))
        },
        legacy("KWP, functional, length byte", .iso14230, 1...255) {
            try ISO14230.frame(
                for: $0, addressing: .functional(target: 0x33, source: $1), lengthByte: true)
        },
        legacy("KWP, no addresses", .iso14230, 1...63, hasSource: false) { payload, _ in
            try ISO14230.frame(for: payload, addressing: .absent)
        },
        legacy("KWP, no addresses, length byte", .iso14230, 1...255, hasSource: false) {
            payload, _ in
            try ISO14230.frame(for: payload, addressing: .absent, lengthByte: true)
        },
        legacy("KWP, header of ISO 9141-2", .iso14230) {
            try ISO9141.frame(for: $0, header: ISO9141.responseHeader(from: $1))
        },
        Form(
            testDescription: "J1939, broadcast", family: .j1939, lengths: 9...300,
            spansFrames: true, sender: { ECUAddress(UInt32($0), .byte) },
            frames: { try J1939.frames(for: $0, parameterGroup: 0xFECA, source: $1) }),
        Form(
            testDescription: "J1939, to one, with the receiver's frames", family: .j1939,
            lengths: 9...300, spansFrames: true, sender: { ECUAddress(UInt32($0), .byte) },
            frames: { payload, source in
                var frames = try J1939.frames(
                    for: payload, parameterGroup: 0xFECB, source: source, destination: 0xF9)
                // J1939-21: clear to send comes after the request, the acknowledgement at the end
                // comes last.
                let id = ECUAddress(0x1CEC_00F9 | UInt32(source) << 8, .can29)
                let group: [UInt8] = [0xCB, 0xFE, 0x00]
                let packets = UInt8(frames.count - 1)
                frames.insert(
                    LinkFrame(
                        header: id, bytes: InlineBytes([0x11, packets, 1, 0xFF, 0xFF] + group)),
                    at: 1)
                let total = [UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)]
                frames.append(
                    LinkFrame(
                        header: id, bytes: InlineBytes([0x13] + total + [packets, 0xFF] + group)))
                return frames
            }),
    ]

    @Test(arguments: forms)
    func `messages are assembled in any order of senders`(form: Form) throws {
        var generator = SeededGenerator(seed: 21)
        for _ in 0..<200 {
            var sequences: [[LinkFrame]] = []
            var expected: [ECUAddress?: [UInt8]] = [:]
            let senders: UInt8 = form.sender(0) == nil ? 1 : 4
            for number in 0..<UInt8.random(in: 1...senders, using: &generator) {
                let payload = generator.bytes(Int.random(in: form.lengths, using: &generator))
                expected[form.sender(number)] = payload
                sequences.append(try form.frames(payload, number))
            }
            let result = Assembly(form.assembler, interleaved(sequences, using: &generator))
            #expect(result.errors.isEmpty)
            let found = result.messages.map { ($0.ecu, $0.payload) }
            #expect(found.count == expected.count)
            for (ecu, payload) in found { #expect(expected[ecu] == payload) }
        }
    }

    @Test(arguments: forms.filter(\.spansFrames))
    func `a lost, doubled or swapped frame is an error and never another message`(
        form: Form
    ) throws {
        var generator = SeededGenerator(seed: 22)
        for _ in 0..<300 {
            let payload = generator.bytes(Int.random(in: form.lengths, using: &generator))
            let other = generator.bytes(Int.random(in: form.lengths, using: &generator))
            let good = try form.frames(payload, 1)
            // The receiver's frames have no data, so only the sender's own frames are damaged.
            let own = good.indices.filter { isSender(good[$0], like: good[0]) }
            let place = own[Int.random(in: own.indices, using: &generator)]
            let next = own[(own.firstIndex(of: place).map { $0 + 1 } ?? 0) % own.count]
            var lost = good
            lost.remove(at: place)
            var doubled = good
            doubled.insert(good[place], at: place)
            var swapped = good
            swapped.swapAt(place, next)
            for damaged in [lost, doubled, swapped] where damaged != good {
                let sequences = [damaged, try form.frames(other, 2)]
                let result = Assembly(form.assembler, interleaved(sequences, using: &generator))
                #expect(!result.errors.isEmpty)
                #expect(result.errors.allSatisfy { $0.ecu == form.sender(1) })
                let mine = result.messages.filter { $0.ecu == form.sender(1) }
                #expect(mine.allSatisfy { $0.payload == payload })
                #expect(damaged == doubled || mine.isEmpty)
                let others = result.messages.filter { $0.ecu != form.sender(1) }
                #expect(others.map(\.payload) == [other])
            }
        }
    }

    @Test(arguments: forms.filter { !$0.spansFrames })
    func `a frame with a lost or doubled byte is an error`(form: Form) throws {
        var generator = SeededGenerator(seed: 23)
        var checked = 0
        for _ in 0..<500 {
            let payload = generator.bytes(Int.random(in: form.lengths, using: &generator))
            let good = try form.frames(payload, 1)
            let bytes = Array(good[0].bytes)
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            var lost = bytes
            lost.remove(at: place)
            var doubled = bytes
            doubled.insert(bytes[place], at: place)
            for damaged in [lost, doubled] {
                // Sums cannot notice a missing or doubled 00, and one wrong checksum in 256 fits by
                // chance. Then only the length in the table shows the error.
                let check =
                    form.family == .j1850
                    ? Checksum.crc8(damaged.dropLast()) : Checksum.sum(damaged.dropLast())
                if check == damaged.last { continue }
                checked += 1
                // A complete frame comes first: it shows whether checksums are printed.
                let result = Assembly(form.assembler, good + [.legacy(damaged)])
                #expect(result.messages.map(\.payload) == [payload])
                #expect(result.errors.count == 1)
            }
        }
        #expect(checked > 900)
    }

    private func isSender(_ frame: LinkFrame, like first: LinkFrame) -> Bool {
        guard let id = frame.header, let own = first.header else { return true }
        return id == own || id.form == .can29 && id.value & 0xFF == own.value & 0xFF
    }
}
