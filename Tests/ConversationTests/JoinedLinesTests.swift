import Adapters
import Testing

@testable import Conversation

@Suite struct `Lines without their line ends` {
    private func pieces(
        _ text: String, _ cut: (JoinedLines) -> [Range<Int>]?
    ) -> [String]? {
        let bytes = Array(text.utf8)
        guard let line = JoinedLines(bytes.span), let found = cut(line) else { return nil }
        return found.map { piece in
            String(decoding: bytes[piece], as: UTF8.self).replacing(" ", with: "")
        }
    }

    private func frames(_ text: String) -> [String]? { pieces(text) { $0.frames() } }

    private func segments(_ text: String) -> [String]? { pieces(text) { $0.segments() } }

    private func request(_ text: String, isBehindPrompt: Bool = false) -> String? {
        let bytes = Array(text.utf8)
        return JoinedLines(bytes.span)?.endOfRequest(isBehindPrompt: isBehindPrompt).map {
            String(decoding: bytes[..<$0], as: UTF8.self)
        }
    }

    @Test(arguments: [
        ["7E8024300", "7EB024300", "7EA024300"],
        ["7EB0641009818000", "7E8064100983BA017", "7E9064100981800"],
        ["7E81008430303050606", "7E8210700"],
        ["18DAF1101009418B7302CA02", "18DAF110212A0072FFFFFFFF"],
        ["7E80341057B00000000", "7E90341057C55555555"],
    ])
    func `frames are found with and without blanks`(_ lines: [String]) {
        // Two lines of one case are cut short on purpose. The lines are not frames.
        let areWhole = !lines.contains("7EB0641009818000")
        #expect(frames(lines.joined()) == (areWhole ? lines : nil))
        #expect(frames(lines.joined(separator: " ")) == (areWhole ? lines : nil))
    }

    @Test(arguments: [
        "7E8 06 41 00 BE 3E B8 11", "7E8064100BE3EB811", "7E8064100BE3EB81100",
        "18DAF110064100BE3EB81100", "7E8 06 41 00 BE 3E B8 11 7EA 06 41 00 80",
        "41 0C 1A F8 0D 32", "7E8 10 14 49 02 01 31 44 34",
    ])
    func `a single line is not cut`(_ text: String) {
        #expect(frames(text) == nil)
    }

    @Test func `a lost or doubled character never makes a frame that no ECU sent`() {
        let sent = ["7EB064100981800017", "7E8064100983BA017", "7E9034105C4"]
        let whole = ["7EB06410098180001", "7E8064100983BA017", "7E9034105C4"]
        #expect(frames(sent.joined()) == nil)
        let text = Array(whole.joined())
        for place in text.indices {
            var lost = text
            lost.remove(at: place)
            var doubled = text
            doubled.insert(text[place], at: place)
            for damaged in [lost, doubled] {
                guard let found = frames(String(damaged)) else { continue }
                #expect(found.allSatisfy { whole.contains($0) }, "\(String(damaged))")
            }
        }
    }

    @Test func `numbered segments are joined, and the next message may follow`() {
        #expect(
            segments("0140:4902015646311:524642303032352:39333238353639")
                == ["014", "0:490201564631", "1:52464230303235", "2:39333238353639"])
        #expect(
            segments("0902014 0: 49 02 01 31 44 34 1: 47 50 30 30 52 35 35 2: 42 31 32 33 34 35 36")
                == [
                    "0902", "014", "0:490201314434", "1:47503030523535", "2:42313233343536",
                ])
        #expect(
            segments("00B0:410C000010001:000B660D00000000B0:410C000010001:000B660D000000")
                == [
                    "00B", "0:410C00001000", "1:000B660D000000", "00B", "0:410C00001000",
                    "1:000B660D000000",
                ])
    }

    @Test(arguments: [
        "0140:4902015646311:524642303032353:39333238353639", "0140:49020156461:52464230303235",
        "0: 49 02 01 31 44 34", "1:52464230303235", "12:34:56",
        "0140:4902015646312:52464230303235",
    ])
    func `segments that are not in order stay unchanged`(_ text: String) {
        #expect(segments(text) == nil)
    }

    @Test(arguments: [
        ("010C41 0C 17 06", "010C"), ("010C1410C0BB1000000", "010C1"), ("0343010133", "03"),
        ("010C0D410C1AF80D32", "010C0D"), ("22F19062F1905756", "22F190"),
        ("01007E8064100BE3FA813", "0100"), ("01057F0112", "0105"),
        ("1902FF5902FF", "1902FF"), ("1800FF005800", "1800FF00"),
    ])
    func `a request comes before its answer`(_ text: String, _ expected: String) {
        #expect(request(text) == expected)
    }

    @Test(arguments: [("03 43 01 33 00 00 00 00", "03 "), ("0747042000000000", "07")])
    func `after a prompt a list of codes is not a data field`(_ text: String, _ expected: String) {
        #expect(request(text, isBehindPrompt: true) == expected)
        #expect(request(text) == nil)
    }

    // A list of codes over CAN, and data fields with other padding.
    @Test(arguments: [
        "04 43 01 01 33 00 00 00", "03 43 DB 01 AA AA AA AA", "02 43 00 00 00 00 00 00",
    ])
    func `after a prompt a data field is still a data field`(_ text: String) {
        #expect(request(text, isBehindPrompt: true) == nil)
    }

    @Test(arguments: [
        "010C0D05", "010C41", "06 41 00 BE 3F A8 13", "0341 0D 20", "03 43 01 00", "010C0D1",
        "01410C", "0741001122334455", "22F190", "41 0C 1A F8", "0902014", "18DAF1100341057B",
    ])
    func `a request alone or a data field is not cut`(_ text: String) {
        #expect(request(text) == nil)
    }
}
