import Adapters
import Testing

@Suite struct `Transcripts` {
    @Test func `every byte value survives writing and reading at every position of a transcript`()
        throws
    {
        var chunks: [Transcript.Chunk] = []
        for byte in UInt8.min...UInt8.max {
            for bytes in [[byte], [byte, 0x41], [0x41, byte], [byte, byte, byte], [0x5C, byte]] {
                chunks.append(
                    .init(
                        time: .microseconds(chunks.count),
                        direction: byte % 2 == 0 ? .toAdapter : .fromAdapter, bytes: bytes))
            }
        }
        chunks.append(.init(time: .nanoseconds(1_000_000_001), direction: .toAdapter, bytes: []))
        let transcript = Transcript(
            headers: [.init("adapter", "ELM327 v2.1"), .init("note", "a: b # c")], chunks: chunks)
        #expect(try Transcript(parsing: transcript.text) == transcript)
    }

    @Test func `a transcript has the documented form`() throws {
        let transcript = Transcript(
            headers: [.init("adapter", "ELM327 v2.1")],
            chunks: [
                .init(time: .zero, direction: .toAdapter, bytes: Array("ATE0\r".utf8)),
                .init(
                    time: .microseconds(4812), direction: .fromAdapter,
                    bytes: Array("ATE0\rOK\r\n\r>\\ \u{0} ".utf8)),
            ])
        let text = #"""
            obdscan-transcript 1
            # adapter: ELM327 v2.1
            0.000000 > ATE0\r
            0.004812 < ATE0\rOK\r\n\r>\\ \x00\x20

            """#
        #expect(String(decoding: transcript.text, as: UTF8.self) == text)
        #expect(try Transcript(parsing: text.utf8) == transcript)
        let withCarriageReturns = text.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\r\n")
        #expect(try Transcript(parsing: withCarriageReturns.utf8) == transcript)
    }

    @Test func `control characters in a header become blanks, read or written`() throws {
        let text = "obdscan-transcript 1\n# adapter: a\u{0}b\u{1B}[2Jc\td\n0 > X\n"
        let transcript = try Transcript(parsing: text.utf8)
        #expect(transcript.headers == [.init("adapter", "a b [2Jc d")])
        #expect(try Transcript(parsing: transcript.text) == transcript)
        let made = Transcript(headers: [.init("note", "a\u{1B}b")], chunks: transcript.chunks)
        #expect(try Transcript(parsing: made.text).headers == [.init("note", "a b")])
    }

    @Test(arguments: [
        ("", TranscriptError(.notATranscript, line: 1)),
        ("candump\n", TranscriptError(.notATranscript, line: 1)),
        ("obdscan-transcript 2\n", TranscriptError(.unknownVersion("2"), line: 1)),
        ("obdscan-transcript 1\n\n0.1\n", TranscriptError(.malformedLine, line: 3)),
        ("obdscan-transcript 1\n-1 > A\n", TranscriptError(.time("-1"), line: 2)),
        ("obdscan-transcript 1\n1e3 > A\n", TranscriptError(.time("1e3"), line: 2)),
        ("obdscan-transcript 1\n1. > A\n", TranscriptError(.time("1."), line: 2)),
        ("obdscan-transcript 1\n2 > A\n1 > B\n", TranscriptError(.timeRunsBackwards, line: 3)),
        ("obdscan-transcript 1\n0 = A\n", TranscriptError(.direction("="), line: 2)),
        (#"obdscan-transcript 1"# + "\n" + #"0 > \q"#, TranscriptError(.escape(#"\q"#), line: 2)),
        (#"obdscan-transcript 1"# + "\n" + #"0 > \x4"#, TranscriptError(.escape(#"\x4"#), line: 2)),
        ("obdscan-transcript 1\n0 > \t\n", TranscriptError(.unescapedByte(0x09), line: 2)),
    ])
    func `an error in a transcript names its line`(text: String, error: TranscriptError) {
        #expect(throws: error) { try Transcript(parsing: text.utf8) }
    }
}
