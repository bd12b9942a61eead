import OBDCore
import TestSupport
import Testing
import VehicleLink

@testable import Adapters

/// Lines after the set-up.
///
/// The form of the first answer is known, and a line of any other form is damaged.
@Suite struct `Lines of a live link` {
    /// A reader after these settings, which has learnt its form from the first answer.
    private func reader(
        _ settings: [AdapterCommand] = [.reset, .echo(false), .spaces(false), .headers(true)],
        _ first: String = "7E8064100BE3EB813", to request: String = "0100",
        responders: VehicleRequest.Responders? = .usual
    ) -> FrameReader {
        var reader = FrameReader()
        for setting in settings { reader.apply(setting) }
        _ = Self.answers(&reader, to: request, first)
        reader.learnFormat()
        if let responders, let format = reader.format {
            reader.filter = SenderFilter(responders, format.header, tester: 0xF1)
        }
        return reader
    }

    private static func answers(
        _ reader: inout FrameReader, to request: String, _ text: String
    ) -> [String] {
        var events: [ReplyEvent] = []
        reader.begin(Array(request.utf8), &events)
        for line in text.split(separator: "|") { reader.read(Array(line.utf8).span, &events) }
        reader.finish(&events)
        return events.map { event in
            switch event {
            case .message(let message):
                (message.ecu?.description ?? "-") + " " + Hex.string(message.payload)
            case .linkError(let error, _): error.reason
            case .status(let status): status.rawValue
            case .voltage(let volts): "\(volts) V"
            case .frame(let id, let data): "frame \(id?.description ?? "-") \(Hex.string(data))"
            case .searching: "searching"
            case .banner: "banner"
            case .word(let status): "word \(status.rawValue)"
            }
        }
    }

    private static let form = LinkError(.lineForm).reason
    private static let sender = LinkError(.header).reason
    private static let words = LinkError(.notAFrame).reason

    /// The text after a request, and its items.
    @Test(arguments: [
        // 11 bits, no blanks.
        ("7E804410C1AF8", ["7E8 410C1AF8"]), ("7E904410C1AF8000000", ["7E9 410C1AF8"]),
        ("7E804410C1AF8|7EB037F0111", ["7E8 410C1AF8", "7EB 7F0111"]),
        ("7E8 04 41 0C 1A F8", [form]), ("7E80 4410C1AF8", [form]), ("7E804410C1AF", [form]),
        ("6E804410C1AF8", [sender]), ("18DAF11004410C1AF8", [form]), ("410C1AF8", [form]),
        ("486B10410C1AF8C4", [form]), ("014", [form]), ("0:410C1AF8", [form]),
        ("7E804410C1A", ["single frame announces 4 bytes, has 3"]),
        // Characters that begin a comment in a recording do not begin one here.
        ("7E8044#0C1AF8", [words]), ("7E804410C1A#8", [words]), ("# 7E804410C1AF8", [words]),
        // Words of the adapter, alone and after data.
        ("NO DATA", ["noData"]), ("SEARCHING...|7E804410C1AF8", ["searching", "7E8 410C1AF8"]),
        ("SEARCHING...7E804410C1AF8", ["7E8 410C1AF8"]), ("BUFFER FULL", ["bufferFull"]),
        ("7E804410C1AF8BUFFER FULL", ["7E8 410C1AF8", "bufferFull"]),
        ("7E804410C1A<RX ERROR", [LinkError(.markedByAdapter).reason]),
        ("<DATA ERROR", ["dataError"]), ("7E804410C", ["single frame announces 4 bytes, has 2"]),
        ("?", ["unknownCommand"]), ("ELM327 v1.5", ["banner"]), ("STOPPED", ["stopped"]),
        ("XYZ", [words]),
    ])
    func `lines of 11-bit CAN without blanks are read`(text: String, expected: [String]) {
        var reader = reader()
        #expect(reader.format == LineFormat(header: .can11, hasSpaces: false))
        #expect(Self.answers(&reader, to: "010C", text) == expected)
    }

    @Test(arguments: [
        ("18 DA F1 10 04 41 0C 1A F8", ["18DAF110 410C1AF8"]), ("18DAF11004410C1AF8", [form]),
        ("18 DA F1 1 00 44 10 C1 AF 8", [form]), ("18 DA F1 10 0441 0C 1A F8", [form]),
        ("18 DA 33 10 04 41 0C 1A F8", [sender]), ("7E8 04 41 0C 1A F8", [form]),
    ])
    func `lines of 29-bit CAN with blanks are read`(text: String, expected: [String]) {
        var reader = reader(
            [.reset, .echo(false), .headers(true)], "18 DA F1 10 06 41 00 BE 3E B8 13 ")
        #expect(reader.format == LineFormat(header: .can29, hasSpaces: true))
        #expect(Self.answers(&reader, to: "010C", text) == expected)
    }

    @Test(
        arguments: [
            ("48 6B 10 41 0C 1A F8 22", .iso9141, "486B10410C1AF822", ["10 410C1AF8"]),
            ("48 6B 10 41 0C 1A F8 22", .iso9141, "486B10410C1AF823", ["checksum 23, expected 22"]),
            ("84 F1 10 41 0C 1A F8 E4", .iso14230, "84F110410C1AF8E4", ["10 410C1AF8"]),
            ("84 F1 10 41 0C 1A F8 E4", .iso14230, "7E804410C1AF8", [form]),
        ] as [(String, LineFormat.Header, String, [String])])
    func `lines of protocols before CAN are read`(
        first: String, header: LineFormat.Header, text: String, expected: [String]
    ) {
        var reader = reader(to: "010C")
        reader = self.reader(
            [.reset, .echo(false), .spaces(false), .headers(true)],
            first.filter { $0 != " " }, to: "010C")
        #expect(reader.format?.header == header)
        #expect(Self.answers(&reader, to: "010C", text) == expected)
    }

    /// One clone refuses `AT H1`, another one confirms it and shows no headers.
    ///
    /// Both have lines without headers.
    @Test(arguments: [
        [AdapterCommand.reset, .echo(false)], [.reset, .echo(false), .headers(true)], [],
    ])
    func `lines without headers are read where the adapter shows no headers`(
        settings: [AdapterCommand]
    ) {
        var reader = reader(settings, "41 00 BE 3E B8 13 ")
        #expect(reader.format == LineFormat(header: .absent, hasSpaces: true))
        #expect(Self.answers(&reader, to: "010C", "41 0C 1A F8 ") == ["- 410C1AF8"])
        #expect(
            Self.answers(
                &reader, to: "0902",
                "014 |0: 49 02 01 31 44 34 |1: 47 50 30 30 52 35 35 |2: 42 31 32 33 34 35 36 ")
                == ["- 4902013144344750303052353542313233343536"])
        #expect(Self.answers(&reader, to: "0902", "014|0: 49 02 01 31 44 34") != [])
        #expect(Self.answers(&reader, to: "010C", "7E8 04 41 0C 1A F8") == [Self.form])
        #expect(Self.answers(&reader, to: "010C", "410C 1A F8") == [Self.form])
    }

    @Test func `an echo that could not be switched off is removed, even glued to the answer`() {
        var reader = reader([.reset, .spaces(false), .headers(true)])
        #expect(Self.answers(&reader, to: "010C", "010C|7E804410C1AF8") == ["7E8 410C1AF8"])
        #expect(Self.answers(&reader, to: "010C", "010C7E804410C1AF8") == ["7E8 410C1AF8"])
        #expect(Self.answers(&reader, to: "010C", "010CNO DATA") == ["noData"])
        #expect(Self.answers(&reader, to: "010C", "010D7E804410C1AF8") == [Self.sender])
        var silent = self.reader()
        #expect(Self.answers(&silent, to: "010C", "010C7E804410C1AF8") == [Self.sender])
    }

    @Test func `a user's setting fixes the form from then on`() {
        var reader = reader(responders: nil)
        reader.apply(.spaces(true))
        #expect(reader.format == nil)
        #expect(Self.answers(&reader, to: "010C", "7E8 04 41 0C 1A F8") == ["7E8 410C1AF8"])
        reader.apply(.showLength(true))
        #expect(Self.answers(&reader, to: "010C", "7E8 5 04 41 0C 1A F8") == ["7E8 410C1AF8"])
        reader.apply(.headers(false))
        #expect(Self.answers(&reader, to: "010C", "41 0C 1A F8") == ["- 410C1AF8"])
        reader.apply(.automaticFormatting(false))
        #expect(
            Self.answers(&reader, to: "02010C0000000000", "04 41 0C 1A F8 00 00 00")
                == ["- 410C1AF8"])
    }

    /// A flipped bit turns a digit into another character: `#` of a comment, a blank, a colon, a
    /// prompt.
    @Test func `every character that a flipped bit destroys is reported`() {
        let line = Array("7E8034105B3".utf8)
        for place in line.indices {
            for bit in 0..<8 {
                var damaged = line
                damaged[place] ^= 1 << UInt8(bit)
                if Hex.value(damaged[place]) != nil { continue }
                var reader = reader()
                var events: [ReplyEvent] = []
                reader.begin(Array("0105".utf8), &events)
                var lexer = ReplyLexer()
                var tokens: [ReplyLexer.Token] = []
                lexer.receive((damaged + [0x0D]).span, &tokens)
                for case .line(let piece) in tokens { reader.read(piece.span, &events) }
                reader.finish(&events)
                let isTold = events.contains { $0.isDamage }
                #expect(isTold, "\(damaged)")
                let messages = events.filter { if case .message = $0 { true } else { false } }
                #expect(messages.isEmpty)
            }
        }
    }

    @Test func `random lines never crash the reader and never give more bytes than a line has`() {
        var generator = SeededGenerator(seed: 27)
        let pieces = [
            "7E8", "18DAF110", "486B10", "410C1AF8", "014", "0:490201", "1:", "SEARCHING...",
            "BUS INIT: ", "NO DATA", "?", "OK", "#", "BUFFER FULL", "<DATA ERROR",
            "1014490201314434",
            "2147503030523535", "12.4V", "FC:300000", " ", "ERR94", "LV RESET", "DATA", "RTR", "é",
        ]
        let commands = [
            "010C", "0902", "ATMA", "ATDM1", "ATRV", "STPXH:7E0,D:0902", "00FECA", "3000", "ATZ",
        ]
        var reader = reader()
        var events: [ReplyEvent] = []
        for _ in 0..<20_000 {
            if generator.once(in: 5) {
                reader.begin(Array((commands.randomElement(using: &generator) ?? "").utf8), &events)
            }
            if generator.once(in: 50) {
                for command: AdapterCommand in [
                    .headers(Bool.random(using: &generator)),
                    .spaces(Bool.random(using: &generator)),
                    .automaticFormatting(Bool.random(using: &generator)),
                    .extendedAddressing(Bool.random(using: &generator)),
                    .joinFrames(Bool.random(using: &generator)), .choose(.automatic(first: nil)),
                ] where generator.once(in: 3) {
                    reader.apply(command)
                }
            }
            var line: [UInt8] = []
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                line +=
                    generator.once(in: 6)
                    ? generator.bytes(Int.random(in: 0...12, using: &generator))
                    : Array((pieces.randomElement(using: &generator) ?? "").utf8)
            }
            reader.read(line.span, &events)
            if generator.once(in: 3) { reader.learnFormat() }
            #expect(events.count < 200)
            events.removeAll(keepingCapacity: true)
        }
    }
}
