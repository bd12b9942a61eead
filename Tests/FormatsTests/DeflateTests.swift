import OBDCore
import Testing

@testable import Formats

/// RFC 1951: one block with fixed codes.
@Suite struct `Compressed files` {
    /// Reads a block bit by bit, as section 3.2 says; nil if it is not one with fixed codes.
    private static func inflated(_ file: [UInt8]) -> [UInt8]? {
        var place = 0
        func bit() -> Int {
            defer { place += 1 }
            return place / 8 < file.count ? Int(file[place / 8] >> (place % 8) & 1) : 0
        }
        func number(_ count: Int) -> Int { (0..<count).reduce(0) { $0 | bit() << $1 } }
        func code(_ count: Int) -> Int { (0..<count).reduce(0) { code, _ in code << 1 | bit() } }
        guard number(3) == 0b011 else { return nil }
        var result: [UInt8] = []
        while place / 8 <= file.count {
            var symbol = code(7)
            if symbol <= 0x17 {
                symbol += 256
            } else {
                symbol = symbol << 1 | bit()
                switch symbol {
                case 0x30...0xBF: symbol -= 0x30
                case 0xC0...0xC7: symbol += 280 - 0xC0
                default: symbol = (symbol << 1 | bit()) - 0x190 + 144
                }
            }
            if symbol < 256 {
                result.append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return (place + 7) / 8 == file.count ? result : nil }
            // 3.2.5: the lengths of each code follow those of the code before.
            var length = 3
            for before in 257..<symbol { length += 1 << (before < 265 ? 0 : (before - 261) / 4) }
            length = symbol == 285 ? 258 : length
            if symbol > 264, symbol < 285 { length += number((symbol - 261) / 4) }
            let far = code(5)
            var distance = 1
            for before in 0..<far { distance += 1 << (before < 4 ? 0 : before / 2 - 1) }
            if far > 3 { distance += number(far / 2 - 1) }
            guard distance <= result.count else { return nil }
            for _ in 0..<length { result.append(result[result.count - distance]) }
        }
        return nil
    }

    private static func deflated(_ pieces: [[UInt8]]) -> [UInt8] {
        var file = Deflate()
        for piece in pieces { file.append(piece) }
        file.finish()
        return file.bytes
    }

    /// Written by zlib 1.3 with the strategy Z_FIXED and without a head.
    @Test(arguments: [
        ("", "0300"), ("a", "4B0400"), ("aaaaaaaaaa", "4B4C840100"),
        ("abcdabcdabcd!", "4B4C4A4E4984624500"),
        (String(repeating: "a", count: 259), "4B4C1CF10000"),
        (
            "<c r=\"A1\"><v>1</v></c><c r=\"A2\"><v>2</v></c>",
            "B3495628B255723454B2B329B333B4D12FB3B3D14FB6B381881A81458D60A200"
        ),
    ])
    func `the reader of these tests reads what zlib writes`(text: String, file: String) throws {
        #expect(Self.inflated(try #require(Hex.bytes(file))) == Array(text.utf8))
    }

    /// What leaves no choice is the same as that of zlib.
    @Test(
        arguments: [([], "0300"), ([0x61], "4B0400"), ([0xFF, 0x00], "FBCF0000")]
            as [([UInt8], String)])
    func `literals are those of zlib`(bytes: [UInt8], file: String) {
        #expect(Hex.string(Self.deflated([bytes])) == file)
    }

    @Test func `everything comes back, whatever its pieces and repetitions are`() {
        var numbers = SystemRandomNumberGenerator()
        let noise = (0..<70_000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        let rows = (0..<5_000).flatMap { Array("<c r=\"B\($0)\"><v>\($0 % 97)</v></c>".utf8) }
        let same = [UInt8](repeating: 0x20, count: 100_000)
        // A repetition at the greatest distance, and one beyond it.
        let far = Array(noise.prefix(32_768)) + Array(noise.prefix(300)) + [1]
        let beyond = Array(noise.prefix(32_769)) + Array(noise.prefix(300))
        for bytes in [noise, rows, same, far, beyond] + (0..<300).map({ Array(same.prefix($0)) }) {
            for pieces in [[bytes], [Array(bytes.prefix(3)), [], Array(bytes.dropFirst(3))]] {
                #expect(Self.inflated(Self.deflated(pieces)) == bytes, "\(bytes.count) bytes")
            }
        }
        #expect(Self.deflated([rows]).count * 3 < rows.count)
        #expect(Self.deflated([same]).count < 1000)
    }

    /// Method 8 is Deflate (APPNOTE 4.4.5).
    @Test func `a large file is compressed, with the size and checksum of its content`() {
        let text = Array("obdscan ".utf8)
        let large = [UInt8]([[UInt8]](repeating: text, count: 1000).joined())
        var archive = ZipArchive()
        archive.add("a", [text])
        archive.add("b", [text, Array(large.dropFirst(8))])
        let bytes = Array(archive.pieces.joined())
        // A head has 30 bytes and the name.
        #expect(Array(bytes[8..<10]) == [0, 0] && Array(bytes[31..<39]) == text)
        let head = 39
        #expect(Array(bytes[head + 8..<head + 10]) == [8, 0])
        func number(_ offset: Int) -> Int {
            (0..<4).reduce(0) { $0 | Int(bytes[head + offset + $1]) << ($1 * 8) }
        }
        #expect(number(14) == Int(ZipArchive.checksum([large])) && number(22) == large.count)
        let content = Array(bytes[head + 31..<head + 31 + number(18)])
        #expect(Self.inflated(content) == large && content.count < 200)
    }
}
