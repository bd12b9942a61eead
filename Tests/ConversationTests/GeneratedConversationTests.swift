import Adapters
import Conversation
import OBDCore
import TestSupport
import Testing

@Suite struct `Generated conversations` {
    static let rounds = 8

    @Test
    func `every form of every protocol is read, with the right, no or a wrong protocol given`()
        throws
    {
        var generator = SeededGenerator(seed: 11)
        for form in GeneratedConversation.forms {
            for _ in 0..<Self.rounds {
                let conversation = try GeneratedConversation(form: form, using: &generator)
                let items = read(conversation.text)
                let found = Set(items.messages.map { Expected($0) })
                let wanted = Set(
                    conversation.expected.map {
                        Expected(
                            sender: form.headers ? $0.sender : nil, payload: $0.payload)
                    })
                #expect(found == wanted, "\(form)\n\(conversation.text)\n\(items.summary)")
                #expect(!items.hasErrors, "\(form)\n\(conversation.text)\n\(items.summary)")
                #expect(items.messages.count == conversation.expected.count)
            }
        }
    }

    @Test func `a lost, doubled or swapped line never becomes another message`() throws {
        var generator = SeededGenerator(seed: 12)
        for form in GeneratedConversation.forms {
            // Lines with a length digit and without blanks, although the settings have no header. Only an
            // answer could show the digit, and that answer may be the lost one.
            if form.showsLength, !form.spaces, form.knowledge == .contradicted { continue }
            for _ in 0..<Self.rounds * 2 {
                let conversation = try GeneratedConversation(form: form, using: &generator)
                let lines = conversation.lines
                let order = DamagedOrder(lines, using: &generator)
                for damaged in order.all {
                    let items = read(conversation.text(with: damaged))
                    let wanted = Set(conversation.expected.map(\.payload))
                    #expect(
                        items.messages.allSatisfy { wanted.contains($0.payload) },
                        "\(form)\n\(conversation.text(with: damaged))\n\(items.summary)")
                    let isWhole = Set(items.messages.map(\.payload)) == wanted
                    let isUndetectable =
                        damaged == order.lost
                        && conversation.wholeMessages.contains(lines[order.place])
                    #expect(
                        isWhole || isUndetectable || items.hasErrors,
                        "\(form)\n\(conversation.text(with: damaged))\n\(items.summary)")
                }
            }
        }
    }

    @Test func `a wrong digit in a line with a checksum never becomes an answer`() throws {
        var generator = SeededGenerator(seed: 13)
        for form in GeneratedConversation.forms
        where form.headers && form.vehicleProtocol.family.isLegacy
            && form.knowledge != .contradicted
        {
            for _ in 0..<Self.rounds * 10 {
                let conversation = try GeneratedConversation(form: form, using: &generator)
                // A good line comes first: it shows whether checksums are printed.
                let good = conversation.lines[0]
                var digits = Array(good.utf8)
                let places = digits.indices.filter { digits[$0] != 0x20 }
                let place = places.randomElement(using: &generator) ?? 0
                let old = digits[place]
                while digits[place] == old {
                    digits[place] = Hex.digit(UInt8.random(in: 0...15, using: &generator))
                }
                let bad = String(decoding: digits, as: UTF8.self)
                let text = conversation.text(with: [good, bad])
                let answers = read(text).messages.filter {
                    $0.payload.first == conversation.request[0] + 0x40
                        || $0.payload.first == 0x7F
                }
                let wanted = Set(conversation.expected.map(\.payload))
                #expect(
                    answers.allSatisfy { answer in
                        // An acknowledgement may follow the CRC, so a CRC can fit by chance. Then
                        // the message is too short, which the length in the table shows.
                        wanted.contains(answer.payload)
                            || form.vehicleProtocol == .j1850PWM
                                && wanted.contains { $0.count > answer.payload.count }
                    },
                    "\(form)\n\(text)\n\(read(text).summary)")
            }
        }
    }

    @Test func `a CAN line that is cut short never becomes a message`() throws {
        var generator = SeededGenerator(seed: 14)
        for form in GeneratedConversation.forms
        where form.headers && form.vehicleProtocol.family == .can && !form.joined {
            for _ in 0..<Self.rounds {
                let conversation = try GeneratedConversation(form: form, using: &generator)
                var lines = conversation.lines
                let place = Int.random(in: lines.indices, using: &generator)
                lines[place].removeLast(
                    Int.random(in: 1..<lines[place].utf8.count, using: &generator))
                let items = read(conversation.text(with: lines))
                let wanted = Set(conversation.expected.map(\.payload))
                #expect(
                    items.messages.allSatisfy {
                        wanted.contains($0.payload)
                            || $0.payload.first != conversation.request[0] + 0x40
                    }, "\(form)\n\(conversation.text(with: lines))\n\(items.summary)")
            }
        }
    }

    @Test func `random text never crashes and never needs unlimited memory`() {
        var generator = SeededGenerator(seed: 15)
        let pieces = [
            "7E8 ", "18 DA F1 10 ", "48 6B 10 ", "41 0C 1A F8", "014", "0: 49 02 01 ", "1:",
            "SEARCHING...", "BUS INIT: ", "NO DATA", "?", ">", ">010C", ">ATH1", ">ATCAF0", "OK",
            ">ATMA", "BUFFER FULL", "<DATA ERROR", "\r", "\u{0}", "#", "10 14 49 02 01 31 44 34",
            "21 47 50 30 30 52 35 35", "A6", ">ATDPN", ">ATSPA", ">ATCEA F1", ">STCSEGR1", "12.4V",
            "FC: 30 00 00", "FF", " ", ">STPX h:7E0,d:0902", "é", "ERR94", "LV RESET", ">0902",
        ]
        var reader = ConversationReader(.init())
        var items: [ConversationItem] = []
        for number in 1...20_000 {
            var line: [UInt8] = []
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                if generator.once(in: 6) {
                    line += generator.bytes(Int.random(in: 0...12, using: &generator))
                } else {
                    line += Array((pieces.randomElement(using: &generator) ?? "").utf8)
                }
            }
            reader.read(line, number: number, &items)
            #expect(items.count < 200, "one line makes few items")
            items.removeAll(keepingCapacity: true)
        }
        reader.finish(&items)
        #expect(items.count < 200)
    }

    @Test func `a line without end is an error and is cut`() {
        var reader = ConversationReader(.init())
        var items: [ConversationItem] = []
        reader.read(Array(repeating: UInt8(ascii: "4"), count: 1_000_000), number: 1, &items)
        guard case .linkError(let error, let text)? = items.first?.content else {
            Issue.record("no error")
            return
        }
        #expect(error.fault == .notAFrame)
        #expect(text.utf8.count == 256)
    }

    /// Words that may come before an answer, repeated on the longest line.
    ///
    /// Each word used to make the reader recurse once more.
    @Test(arguments: [
        (">ATSP6\n", "ATSP6", 0), (">ATSP6\n", "ATSP6 ", 0), (">010C\n", "SEARCHING...", 1),
        (">0100\n", "BUS INIT: OK", 1), (">0100\n", "BUS INIT: ...", 1), (">010C\n", "010C", 1),
    ])
    func `an endlessly repeated word ends`(request: String, word: String, most: Int) {
        let count = 16_000 / word.utf8.count
        let items = read(request + String(repeating: word, count: count) + "\n")
        #expect(items.messages.isEmpty)
        #expect(items.summary.count <= most, "\(items.summary)")
        let answered = read(">010C\nSEARCHING...SEARCHING...SEARCHING...41 0C 1A F8\n")
        #expect(answered.messages.map(\.payload) == [[0x41, 0x0C, 0x1A, 0xF8]])
    }

    /// The sender and the payload of a message.
    struct Expected: Hashable {
        var sender: UInt32?
        var payload: [UInt8]

        init(sender: UInt32?, payload: [UInt8]) {
            self.sender = sender
            self.payload = payload
        }

        init(_ message: ECUMessage) {
            self.init(sender: message.ecu?.value, payload: message.payload)
        }
    }
}
