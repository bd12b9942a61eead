import Adapters
import Conversation
import OBDCore
import Testing

/// Found by `scripts/seeds`: damage in recordings.
@Suite struct `Damaged recordings` {
    /// A recording: known protocol or earlier lines contradict the line.
    @Test(arguments: [
        (">ATSP6\rOK\r>010C\r00C767E804410C1AF8", 0, 1),
        (">010C\r7E804410C1AF8\r00C767E804410C1AF8", 1, 1),
        (">ATSP7\rOK\r>010C\r12304410C1AF8", 0, 1),
        // The setting is wrong, and the line proves its own form.
        (">ATSP6\rOK\r>010C\r18DAF11004410C1AF8", 1, 0),
        (">ATSP7\rOK\r>010C\r7E804410C1AF8", 1, 0),
        // Addresses that other makers use stay readable.
        (">ATSP6\rOK\r>22F190\r77A0462F19001", 1, 0),
        (">ATSP7\rOK\r>22F190\r17FE00760462F19001", 1, 0),
    ])
    func `a line that contradicts known facts is an error`(
        text: String, messages: Int, errors: Int
    ) {
        let items = read(text)
        #expect(items.count { if case .message = $0.content { true } else { false } } == messages)
        #expect(items.count { if case .linkError = $0.content { true } else { false } } == errors)
    }

    /// The last of 12 bytes come in a frame of seven, or of eight with one fill byte.
    ///
    /// The same ECU may send both. A frame of any other length has lost or gained a byte.
    @Test(
        arguments: [
            ("2144454647484900", "2144454647484900", true),
            ("2144454647484900", "21444546474849", true),
            ("21444546474849", "2144454647484955", true),
            ("21444546474849", "21444546474849", true),
            ("2144454647484900", "214445464748", false),
            ("21444546474849", "214445464748", false),
        ])
    func `a last frame has only the missing bytes, or eight bytes`(
        _ first: String, _ last: String, _ isWhole: Bool
    ) {
        for id in ["7E8", "18DAF110"] {
            for start in ["490401414243", "62F18C414243"] {
                let items = read(
                    ">ATSP\(id.count == 3 ? 6 : 7)\rOK\r>ATH1\rOK\r>"
                        + "\(start == "490401414243" ? "0904" : "22F18C")\r"
                        + "\(id)100C\(start)\r\(id)\(first)\r"
                        + "\(id)100C\(start)\r\(id)\(last)\r>")
                let messages = items.messages.map { Hex.string($0.payload) }
                #expect(
                    messages == Array(repeating: start + "444546474849", count: isWhole ? 2 : 1))
                #expect(items.hasErrors == !isWhole)
            }
        }
    }

    /// Headers were set and this line has none: the line counts if it answers exactly the request.
    @Test(
        arguments: [
            ("22F40C", "62F40C1AF8", true), ("22F40C", "62F40D32", false),
            ("22F40D", "62F50D32", false), ("22F40CF40D", "62F40D32", true),
            ("22F40CF50D", "62F40D32", false), ("010C", "410C1AF8", true),
            ("010C", "410D32", false), ("0902", "490401", false),
        ])
    func `an answer is matched by its whole identifier`(
        request: String, line: String, isAnswer: Bool
    ) {
        let items = read(">ATSP6\rOK\r>ATH1\rOK\r>\(request)\r\(line)\r>")
        #expect(items.messages.map { Hex.string($0.payload) } == (isAnswer ? [line] : []))
        #expect(items.hasErrors == !isAnswer)
    }

    private func read(_ text: String) -> [ConversationItem] {
        var reader = ConversationReader(.init())
        var items: [ConversationItem] = []
        for (number, line) in text.split(separator: "\r").enumerated() {
            reader.read(Array(line.utf8), number: number + 1, &items)
        }
        reader.finish(&items)
        return items
    }
}
