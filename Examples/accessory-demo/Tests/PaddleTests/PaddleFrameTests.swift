import Testing

@testable import Paddle

@Suite struct `The four-byte demonstration protocol` {
    /// The examples of the same CRC-7 in the SD card specification (part 1, section 4.5).
    @Test(arguments: [
        (UInt64(0x40_0000_0000), UInt8(0b100_1010)), (0x51_0000_0000, 0b010_1010),
        (0x11_0000_0900, 0b011_0011),
    ])
    func `the checksum is the one of SD cards`(bits: UInt64, sum: UInt8) {
        #expect(PaddleFrame.checksum(bits, count: 40) == sum)
    }

    @Test func `every command and payload survives the wire`() {
        for code in UInt8(0)...31 {
            for payload in [UInt16(0), 1, 0x7F, 0x80, 0x3FFF, 0x4000, 0x8000, 0xFFFF] {
                let frame = PaddleFrame(.init(code), payload)
                #expect(frame.command.code == code)
                #expect(frame.bytes.count == 4)
                #expect(frame.bytes[0] >= 0x80)
                #expect(frame.bytes[1...].allSatisfy { $0 < 0x80 })
                #expect(PaddleFrame(frame.bytes) == frame)
            }
        }
    }

    /// The fields by hand: lights 2 = 00010, payload 8001 = 10 0000000 0000001.
    @Test func `bits stand where the form says`() {
        let bytes = PaddleFrame(.lights, 0x8001).bytes
        #expect(bytes.prefix(3) == [0b1_00010_10, 0b0_0000000, 0b0_0000001])
    }

    @Test func `every single flipped bit is noticed`() {
        let frame = PaddleFrame(.position, 0x1234).bytes
        for index in 0..<32 {
            var flipped = frame
            flipped[index / 8] ^= 1 << (index % 8)
            #expect(PaddleFrame(flipped) == nil)
        }
    }

    @Test func `any split of the bytes gives the same frames`() {
        let frames = [PaddleFrame(.position, 7), PaddleFrame(.buttons, 3), PaddleFrame(.lights, 9)]
        let bytes = frames.flatMap(\.bytes)
        for split in 0...bytes.count {
            var lexer = PaddleLexer()
            let found = lexer.receive(bytes[..<split]) + lexer.receive(bytes[split...])
            #expect(found == frames)
            #expect(lexer.damaged == 0)
        }
    }

    /// After damage to one byte of one frame, the next frames are found and no frame is invented.
    @Test func `after a lost, doubled or flipped byte the next frame is found`() {
        let frames = (0..<6).map { PaddleFrame(.position, UInt16($0) * 4_097) }
        let bytes = frames.flatMap(\.bytes)
        for index in 4..<8 {
            var lost = bytes
            lost.remove(at: index)
            var doubled = bytes
            doubled.insert(bytes[index], at: index)
            for broken in [lost, doubled] {
                var lexer = PaddleLexer()
                let found = lexer.receive(broken)
                #expect(found.starts(with: [frames[0]]))
                #expect(found.suffix(4) == frames.suffix(4))
                #expect(found.allSatisfy(frames.contains))
            }
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                var lexer = PaddleLexer()
                let found = lexer.receive(flipped)
                #expect(found == [frames[0]] + frames.suffix(4))
                #expect(lexer.damaged + lexer.stray > 0)
            }
        }
    }

    @Test func `reserved commands are no error`() {
        var lexer = PaddleLexer()
        #expect(lexer.receive(PaddleFrame(.reserved(17), 5).bytes).map(\.command.code) == [17])
        #expect(lexer.damaged == 0)
    }

    /// Every byte belongs to a frame, to a damaged frame, or is stray, however the bytes are split.
    @Test func `random bytes give only frames that are in them`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            // Mostly whole frames, so that some are found; then change a few bytes.
            var bytes = (0..<8).flatMap { _ in
                PaddleFrame(.init(.random(in: 0...31)), .random(in: 0...UInt16.max)).bytes
            }
            for _ in 0..<Int.random(in: 0...6) {
                bytes[.random(in: bytes.indices)] = .random(in: 0...255, using: &generator)
            }
            let cut = Int.random(in: 0...bytes.count)
            var whole = PaddleLexer()
            let frames = whole.receive(bytes)
            var pieces = PaddleLexer()
            #expect(pieces.receive(bytes[..<cut]) + pieces.receive(bytes[cut...]) == frames)
            #expect(pieces == whole)
            #expect(frames.count * 4 + whole.damaged + whole.stray <= bytes.count, "\(bytes)")
            for frame in frames {
                let isThere = (0...bytes.count - 4).contains {
                    Array(bytes[$0..<$0 + 4]) == frame.bytes
                }
                #expect(isThere, "\(frame) in \(bytes)")
            }
        }
    }
}
