import OBDCore
import Testing

@Suite struct `Bytes, hexadecimal and time` {
    @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 41, 300])
    func `inline bytes keep every byte`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 5) }
        let inline = InlineBytes(bytes)
        #expect(Array(inline) == bytes)
        #expect(inline.count == count)
        #expect(inline == InlineBytes(bytes))
        #expect(inline == InlineBytes([0xFE] + bytes + [0xFF], 1..<count + 1))
        // The first byte is in the lowest bits.
        var word: UInt64 = 0
        for (place, byte) in bytes.prefix(8).enumerated() { word |= UInt64(byte) << (8 * place) }
        #expect(inline.word == word)
        #expect(InlineBytes(word: .max, count: min(count, 8)).allSatisfy { $0 == 0xFF })
        #expect(InlineBytes(word: word, count: min(count, 8)) == InlineBytes(bytes.prefix(8)))
    }

    @Test func `malformed hexadecimal text is refused`() {
        #expect(Hex.bytes("41 0c1AF8") == [0x41, 0x0C, 0x1A, 0xF8])
        #expect(Hex.bytes("410") == nil)
        #expect(Hex.bytes("41G0") == nil)
        #expect(Hex.string([0x00, 0xAF]) == "00AF")
    }

    @Test func `instants beyond the limits become the limit`() {
        let last = Instant(nanoseconds: .max)
        #expect(last + .seconds(1) == last)
        #expect(Instant(nanoseconds: .min) - last == .nanoseconds(Int64.min))
        #expect(Instant.zero + .milliseconds(3) == Instant(nanoseconds: 3_000_000))
    }

    @Test(arguments: ["7E8", "18DAF110", "10", "7E8/F1"])
    func `addresses are written as on the wire`(text: String) throws {
        #expect(try #require(ECUAddress(text)).description == text)
    }

    @Test func `physical request addresses follow ISO 15765-4`() {
        #expect(ECUAddress(0x7E8, .can11).physicalRequest == ECUAddress(0x7E0, .can11))
        #expect(
            ECUAddress(0x18DA_F110, .can29).physicalRequest == ECUAddress(0x18DA_10F1, .can29))
    }

    @Test func `only requests known as harmless count as reading`() {
        #expect(VehicleRequest.isReadOnly([0x01, 0x0C]))
        #expect(VehicleRequest.isReadOnly([0x10, 0x01]))
        for writing: [UInt8] in [
            [0x04], [0x08, 0x01], [0x10, 0x02], [0x10, 0x03], [0x14, 0xFF], [0x2E], [0x2F], [0x31],
            [0x11], [], [0x27], [0x85],
        ] {
            #expect(!VehicleRequest.isReadOnly(writing))
        }
    }
}
