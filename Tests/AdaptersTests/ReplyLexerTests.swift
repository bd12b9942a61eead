import Adapters
import Testing

@Suite struct `Reply lexer` {
    static func tokens(_ pieces: [[UInt8]]) -> [ReplyLexer.Token] {
        var lexer = ReplyLexer()
        var tokens: [ReplyLexer.Token] = []
        for piece in pieces { lexer.receive(piece.span, &tokens) }
        return tokens
    }

    /// The text that an adapter sends, and its tokens.
    static let examples: [(String, [String])] = [
        // CR, an empty line, a prompt without line end (ELM327 data sheet).
        ("OK\r\r>", ["OK", ">"]),
        ("ATE0\r\nOK\r\n\r\n>", ["ATE0", "OK", ">"]),
        ("41 0C 1A F8 \r\r>", ["41 0C 1A F8 ", ">"]),
        // NUL bytes are dropped everywhere.
        ("\0O\0K\r\0\r>\0", ["OK", ">"]),
        // A prompt right after data, and two prompts.
        ("41 0C 1A F8>?\r>>", ["41 0C 1A F8", ">", "?", ">", ">"]),
        ("SEARCHING...", []),
        ("", []),
    ]

    static func names(_ tokens: [ReplyLexer.Token]) -> [String] {
        tokens.map { token in
            switch token {
            case .line(let line): String(decoding: line, as: UTF8.self)
            case .prompt: ">"
            case .overlongLine: "overlong"
            }
        }
    }

    @Test(arguments: examples)
    func `lines and prompts are found`(text: String, expected: [String]) {
        #expect(Self.names(Self.tokens([Array(text.utf8)])) == expected)
    }

    @Test(arguments: examples)
    func `the cuts between the bytes do not matter`(text: String, expected: [String]) {
        let bytes = Array(text.utf8)
        // Every way to cut the bytes: one bit of the mask for each place between two bytes.
        let places = max(0, bytes.count - 1)
        guard places <= 18 else {
            Issue.record("too long for every way to cut")
            return
        }
        for mask in 0..<(1 << places) {
            var pieces: [[UInt8]] = [[]]
            for (index, byte) in bytes.enumerated() {
                pieces[pieces.count - 1].append(byte)
                if mask >> index & 1 == 1 { pieces.append([]) }
            }
            if Self.names(Self.tokens(pieces)) != expected {
                Issue.record("cut by \(mask): \(Self.names(Self.tokens(pieces)))")
                return
            }
        }
    }

    @Test func `an unfinished line can be read`() {
        var lexer = ReplyLexer()
        var tokens: [ReplyLexer.Token] = []
        lexer.receive(Array("OK\rSEARCH".utf8).span, &tokens)
        #expect(lexer.partialLine == Array("SEARCH".utf8))
    }

    @Test func `an endless line is reported once and needs limited memory`() {
        let flood = [UInt8](repeating: 0x41, count: 3 * ReplyLexer.longestLine)
        let tokens = Self.tokens([flood, flood, Array("\rOK\r>".utf8)])
        #expect(Self.names(tokens) == ["overlong", "OK", ">"])
    }
}
