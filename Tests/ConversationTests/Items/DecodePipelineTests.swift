import Adapters
import Diagnostics
import OBDCore
import PIDTables
import Testing

@testable import Conversation

@Suite struct `Decoding text` {
    private func found(
        _ text: String, pieces size: Int = .max, messagesOnly: Bool = false
    ) throws -> [DecodedLine] {
        var pipeline = try DecodePipeline(
            ConversationReader.Options(), messagesOnly: messagesOnly, ownTables: [])
        let bytes = Array(text.utf8)
        var found: [DecodedLine] = []
        _ = try pipeline.prepare(for: bytes[...])
        var start = 0
        while start < bytes.count {
            let end = start + min(size, bytes.count - start)
            pipeline.read(bytes[start..<end]) { line, _ in found.append(line) }
            start = end
        }
        pipeline.finish { line, _ in found.append(line) }
        return found
    }

    /// SAE J1979: 01 0C is (256 A + B) / 4 rpm.
    @Test(arguments: ["7E8 04 41 0C 1A F8\r\n\r\n>", ">010C\r7E8 04 41 0C 1A F8\r\r>"])
    func `text decodes alike in pieces of any size`(text: String) throws {
        let whole = try found(text)
        #expect(
            whole.contains { line in
                if case .item(.reading(let reading), _) = line {
                    reading.value == .number(1726)
                } else {
                    false
                }
            }, "\(whole)")
        for size in 1...5 { #expect(try found(text, pieces: size) == whole) }
    }

    /// An answer to another request is shown with the current request.
    @Test(arguments: [
        (">010D\r7E8 04 41 0C 1A F8\r\r>", ["010D"]), (">010C\r7E8 02 44 00\r\r>", ["010C"]),
        (">3E00\r7E8 02 7E 00\r\r>", [""]),
    ])
    func `an answer to another request belongs to that request`(text: String, requests: [String])
        throws
    {
        let found = try found(text).compactMap { line in
            if case .item(.message, let request) = line { request } else { nil }
        }
        #expect(found == requests)
    }

    @Test func `with messages only, each ECU's whole message is given`() throws {
        let lines = try found("7E8 04 41 0C 1A F8\r\r>", messagesOnly: true)
        let messages = lines.compactMap { line in
            if case .item(.message(let message), _) = line { message.payload } else { nil }
        }
        #expect(messages == [[0x41, 0x0C, 0x1A, 0xF8]])
    }

    @Test func `a damaged recording is one error with its line`() throws {
        let lines = try found("# obdscan transcript 1\n! what is this\n")
        #expect(lines.count == 1 && lines.allSatisfy(\.isError), "\(lines)")
    }

    @Test func `line ends are CR, LF or both`() {
        var lines = TextLines()
        var found: [String] = []
        for piece in ["a\r", "\nb\rc\n\nd"] {
            lines.receive(Array(piece.utf8)) { line, number in
                found.append("\(number) \(String(decoding: line, as: UTF8.self))")
            }
        }
        lines.finish { line, number in
            found.append("\(number) \(String(decoding: line, as: UTF8.self))")
        }
        #expect(found == ["1 a", "2 b", "3 c", "4 ", "5 d"])
    }

    // There may be any text between two digits, and a byte may begin at each digit.
    @Test(
        arguments: [
            ("410C", [0x41, 0x10, 0x0C]), ("4 1\r\n0C", [0x41, 0x10, 0x0C]), ("x4y1z", [0x41]),
            ("4", []), ("", []),
        ] as [(String, [UInt8])])
    func `two hexadecimal digits are always one byte`(text: String, expected: [UInt8]) {
        var bytes = SpelledBytes()
        bytes.note(text.utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(
                bytes.mayIdentify(DataID(.currentData, UInt32(byte))) == expected.contains(byte))
        }
    }
}
