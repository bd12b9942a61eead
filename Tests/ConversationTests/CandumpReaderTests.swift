import Adapters
import Conversation
import OBDCore
import Testing

@Suite struct `A log of frames` {
    @Test func `the answers of a log are assembled, each with its request`() {
        let log = """
            (1.000000) can0 0C9#21D6005800000000
            (1.001000) can0 7DF#0209020000000000
            (1.002000) can0 7E8#1014490201573041
            (1.003000) can0 7E0#3000000000000000
            (1.004000) can0 7E8#2130303030343333
            (1.005000) can0 7E8#2230303030343333
            """
        var reader = CandumpReader()
        var items: [ConversationItem] = []
        for (number, line) in log.split(separator: "\n").enumerated() {
            let isRead = reader.read(Array(line.utf8), number: number + 1, &items)
            #expect(isRead)
        }
        reader.finish(&items)
        #expect(items.count == 3)
        #expect(items[0].line == 1)
        guard case .message(let message) = items[1].content else {
            Issue.record("no message")
            return
        }
        #expect(message.payload.count == 20)
        #expect(message.line == 3)
        #expect(items[1].exchange.request == [0x09, 0x02])
        #expect(items[2].content == .endOfExchange)
    }
}
