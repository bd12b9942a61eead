import Adapters
import OBDCore
import Testing

@testable import Simulator

@Suite struct `Replaying` {
    private func ask(_ adapter: inout ReplayAdapter, _ line: String) -> String {
        adapter.receive(Array((line + "\r").utf8), at: .zero)
        return Bench.visible(adapter.due(at: .zero))
    }

    private static let recording = Transcript(chunks: [
        .init(time: .zero, direction: .toAdapter, bytes: Array("ATZ\r".utf8)),
        .init(time: .zero, direction: .fromAdapter, bytes: Array("\r\rELM3".utf8)),
        .init(time: .zero, direction: .fromAdapter, bytes: Array("27 v1.5\r\r>".utf8)),
        .init(time: .zero, direction: .toAdapter, bytes: Array("010".utf8)),
        .init(time: .zero, direction: .toAdapter, bytes: Array("C\r".utf8)),
        .init(time: .zero, direction: .fromAdapter, bytes: Array("\0A\r\n\r\n>".utf8)),
        .init(time: .zero, direction: .toAdapter, bytes: Array("01 0c1\r".utf8)),
        .init(time: .zero, direction: .fromAdapter, bytes: Array("B\r\r>".utf8)),
        .init(time: .zero, direction: .toAdapter, bytes: Array("03\r".utf8)),
        .init(time: .zero, direction: .fromAdapter, bytes: Array("C\r\r>".utf8)),
        .init(time: .zero, direction: .toAdapter, bytes: Array("010C\r".utf8)),
        .init(time: .zero, direction: .fromAdapter, bytes: Array("D\r\r>".utf8)),
    ])

    @Test func `answers equal the recording byte for byte, in its order`() {
        var adapter = ReplayAdapter(Self.recording)
        #expect(ask(&adapter, "atz") == "↵↵ELM327 v1.5↵↵>")
        #expect(ask(&adapter, "010C") == "␀A↵⇣↵⇣>")
        #expect(ask(&adapter, "010C1") == "B↵↵>")
        #expect(ask(&adapter, "0 3") == "C↵↵>")
        #expect(ask(&adapter, "010C") == "D↵↵>")
        // No such request follows, so the latest one before it counts.
        #expect(ask(&adapter, "03") == "C↵↵>")
        #expect(ask(&adapter, "010C") == "D↵↵>")
    }

    @Test func `a count digit that was not recorded is ignored`() {
        var adapter = ReplayAdapter(Self.recording)
        #expect(ask(&adapter, "031") == "C↵↵>")
        #expect(ask(&adapter, "010C2") == "D↵↵>")
    }

    @Test func `no answer is invented`() {
        var adapter = ReplayAdapter(Self.recording)
        #expect(ask(&adapter, "ATDPN") == "?↵↵>")
        #expect(ask(&adapter, "STI") == "?↵↵>")
        #expect(ask(&adapter, "0902") == "NO DATA↵↵>")
        #expect(ask(&adapter, "hello") == "?↵↵>")
    }

    @Test func `a lone carriage return repeats the last answer`() {
        var adapter = ReplayAdapter(Self.recording)
        #expect(ask(&adapter, "") == "↵>")
        #expect(ask(&adapter, "010C") == "␀A↵⇣↵⇣>")
        #expect(ask(&adapter, "") == "D↵↵>")
    }

    /// Two deletes get an adapter in step.
    ///
    /// The bytes are not a command.
    @Test func `bytes that are not a command are answered as recorded and repeat nothing`() {
        let recording = Transcript(chunks: [
            .init(time: .zero, direction: .toAdapter, bytes: Array("04\r".utf8)),
            .init(time: .zero, direction: .fromAdapter, bytes: Array("44\r\r>".utf8)),
            .init(time: .zero, direction: .toAdapter, bytes: [0x7F, 0x7F, 0x0D]),
            .init(time: .zero, direction: .fromAdapter, bytes: Array("?\r\r>".utf8)),
        ])
        var adapter = ReplayAdapter(recording)
        #expect(ask(&adapter, "04") == "44↵↵>")
        #expect(ask(&adapter, "\u{7F}\u{7F}") == "?↵↵>")
        #expect(adapter.exchanges.map(\.command) == ["04", "\u{7F}\u{7F}"])
        var other = ReplayAdapter(Self.recording)
        #expect(ask(&other, "03") == "C↵↵>")
        #expect(ask(&other, "\u{7F}\u{7F}") == "?↵↵>")
    }

    @Test func `a conversation as text is replayed with prompts`() {
        let text = """
            # source: somewhere
            ELM327 v1.5
            > ATI
            ELM327 v1.5

            >0902
            014
            0: 49 02 01 31 44 34
            >
            >0100
            """
        var adapter = ReplayAdapter(conversation: text.utf8)
        #expect(ask(&adapter, "ATI") == "ELM327 v1.5↵↵>")
        #expect(ask(&adapter, "0902") == "014↵0: 49 02 01 31 44 34↵↵>")
        #expect(ask(&adapter, "0100") == "↵>")
        #expect(!adapter.lacks([0x09, 0x02]) && !adapter.lacks([0x01, 0x00]))
        #expect(adapter.lacks([0x03]) && adapter.lacks([0x01, 0x0C]))
        #expect(!ReplayAdapter(conversation: ">0100 1\n41 00".utf8).lacks([0x01, 0x00]))
        #expect(ReplayAdapter(conversation: "no commands here".utf8).isEmpty)
        // Data that is asked for beside other data, with the number of messages, is not missing.
        let several = ReplayAdapter(conversation: ">010C0D 1\n41 0C 1A F8 0D 00".utf8)
        #expect(!several.lacks(0x0C, of: .currentData) && !several.lacks(0x0D, of: .currentData))
        #expect(several.lacks(0x1A, of: .currentData) && several.lacks(0x0C, of: .freezeFrame))
    }

    // MARK: GoLink

    /// A host tries text first, then frames.
    ///
    /// The device reports the bus that it has found, and answers 01 0C and 01 0D.
    private static let frames = Transcript(chunks: [
        .init(time: .zero, direction: .toAdapter, bytes: Array("ATD\r".utf8)),
        .init(time: .zero, direction: .toAdapter, bytes: [0x07, 0x00, 0x01]),
        .init(time: .zero, direction: .toAdapter, bytes: [0x01]),
        .init(time: .zero, direction: .fromAdapter, bytes: busType),
        .init(time: .zero, direction: .toAdapter, bytes: [0x07, 0xDF, 0x02, 0x01, 0x0C]),
        .init(time: .zero, direction: .fromAdapter, bytes: [0x00, 0xE8, 0x04, 0x41]),
        .init(time: .zero, direction: .fromAdapter, bytes: [0x0C, 0x1A, 0xF8]),
        .init(time: .zero, direction: .toAdapter, bytes: [0x07, 0xDF, 0x02, 0x01, 0x0D]),
        .init(time: .zero, direction: .fromAdapter, bytes: [0x00, 0xE8, 0x03, 0x41, 0x0D, 0x00]),
        .init(time: .zero, direction: .toAdapter, bytes: [0x07, 0xDF, 0x02, 0x01, 0x0C]),
        .init(time: .zero, direction: .fromAdapter, bytes: [0x00, 0xE8, 0x04, 0x41, 0x0C, 0, 0]),
    ])
    private static let busType: [UInt8] = [0x07, 0x00, 0x04, 0x01, 0x00, 0x00, 0x00]

    private func ask(_ adapter: inout ReplayAdapter, _ frame: [UInt8]) -> [UInt8] {
        adapter.receive(frame, at: .zero)
        return adapter.due(at: .zero)
    }

    @Test func `a GoLink's answers equal the recording byte for byte, in its order`() {
        var adapter = ReplayAdapter(Self.frames)
        let rpm: [UInt8] = [0x07, 0xDF, 0x02, 0x01, 0x0C]
        #expect(adapter.isGoLink)
        #expect(!ReplayAdapter(Self.recording).isGoLink)
        // The recording has no answer to the line of text.
        #expect(ask(&adapter, Array("ATD\r".utf8)).isEmpty)
        #expect(ask(&adapter, [0x07, 0x00, 0x01, 0x01]) == Self.busType)
        #expect(ask(&adapter, rpm) == [0x00, 0xE8, 0x04, 0x41, 0x0C, 0x1A, 0xF8])
        #expect(ask(&adapter, rpm) == [0x00, 0xE8, 0x04, 0x41, 0x0C, 0x00, 0x00])
        #expect(
            ask(&adapter, [0x07, 0xDF, 0x02, 0x01, 0x0D]) == [0x00, 0xE8, 0x03, 0x41, 0x0D, 0x00])
    }

    /// Status 02 of an error frame: no ECU answered.
    ///
    /// The request follows.
    @Test func `a GoLink's request that was not recorded has no answer`() {
        var adapter = ReplayAdapter(Self.frames)
        #expect(
            ask(&adapter, [0x07, 0xDF, 0x02, 0x09, 0x02])
                == [0x01, 0x00, 0x06, 0x02, 0x07, 0xDF, 0x02, 0x09, 0x02])
        // A frame has at least one byte and at most eight, so these two are not frames. The device
        // reads the next one.
        #expect(ask(&adapter, [0x07, 0xDF, 0x09, 0x07, 0xDF, 0x00]).isEmpty)
        #expect(ask(&adapter, [0x07, 0x00, 0x01, 0x01]) == Self.busType)
    }

    @Test func `every split of a GoLink's frames gives the same output`() {
        let frames: [UInt8] = [
            0x07, 0x00, 0x01, 0x01, 0x07, 0xDF, 0x02, 0x01, 0x0D, 0x07, 0xDF, 0x02, 0x09, 0x00,
        ]
        func output(_ pieces: [ArraySlice<UInt8>]) -> [UInt8] {
            var adapter = ReplayAdapter(Self.frames)
            return pieces.flatMap { piece in
                adapter.receive(piece, at: .zero)
                return adapter.due(at: .zero)
            }
        }
        let whole = output([frames[...]])
        #expect(!whole.isEmpty)
        for cut in 0...frames.count {
            #expect(output([frames[..<cut], frames[cut...]]) == whole)
        }
    }

    @Test func `every split of the input gives the same output`() {
        let session = Array("atz\r010C\r\r0902\r03 1\r".utf8)
        func output(_ pieces: [ArraySlice<UInt8>]) -> [UInt8] {
            var adapter = ReplayAdapter(Self.recording)
            return pieces.flatMap { piece in
                adapter.receive(piece, at: .zero)
                return adapter.due(at: .zero)
            }
        }
        let whole = output([session[...]])
        for cut in 0...session.count {
            #expect(output([session[..<cut], session[cut...]]) == whole)
        }
        #expect(output(session.indices.map { session[$0...$0] }) == whole)
    }
}
