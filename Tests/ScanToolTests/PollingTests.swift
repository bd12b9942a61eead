import ScanTool
import Testing

@Suite struct `Polling by a plan` {
    /// The events that lead to each state.
    private static let ways: [Polling.State: [Polling.Event]] = [
        .idle: [], .polling: [.begin], .paused: [.begin, .pause], .cancelled: [.begin, .cancel],
        .ended: [.end],
    ]

    private static func driver(in state: Polling.State) throws -> Polling {
        var driver = Polling()
        for event in try #require(ways[state]) { _ = driver.take(event) }
        #expect(driver.state == state)
        return driver
    }

    /// Each line has a state, an event, the next state and its orders.
    ///
    /// If a pair has no line, nothing changes.
    private static let table = """
        idle begin: polling resetFigures restartGap adopt tellStart
        idle end: ended
        cancelled begin: polling restartGap adopt tellStart
        cancelled end: ended
        polling begin: polling adopt tellStart
        polling pause: paused freeGap tellPause
        polling cancel: cancelled report drop tellCancel
        polling done: idle report drop tellFinish
        polling end: ended report tellCancel
        paused begin: polling restartGap adopt tellStart
        paused resume: polling tellStart
        paused cancel: cancelled report drop tellCancel
        paused end: ended report tellCancel
        """

    @Test func `every event in every state has the effect that the table lists`() throws {
        var lines: [String] = []
        for state in Polling.State.allCases {
            for event in Polling.Event.allCases {
                var driver = try Self.driver(in: state)
                let orders = driver.take(event)
                if driver.state == state && orders.isEmpty { continue }
                let words = [driver.state.rawValue] + orders.map(\.rawValue)
                lines.append("\(state) \(event): " + words.joined(separator: " "))
            }
        }
        #expect(lines.joined(separator: "\n") == Self.table)
    }

    @Test func `each poll that begins ends exactly once, in any order of events`() {
        // Run every sequence of five events.
        let events = Polling.Event.allCases
        var sequences: [[Polling.Event]] = [[]]
        for _ in 0..<5 { sequences = sequences.flatMap { way in events.map { way + [$0] } } }
        for sequence in sequences {
            var driver = Polling()
            var plans = 0
            var isOpen = false
            for event in sequence + [.end] {
                for order in driver.take(event) {
                    switch order {
                    case .adopt: plans = 1
                    case .drop: plans = 0
                    case .tellStart: isOpen = true
                    case .tellPause: #expect(isOpen)
                    case .tellCancel, .tellFinish:
                        #expect(isOpen)
                        isOpen = false
                    case .report: #expect(plans == 1)
                    case .resetFigures, .restartGap, .freeGap: break
                    }
                }
                #expect(driver.hasPlan == (plans == 1) || driver.state == .ended)
            }
            #expect(!isOpen && driver.state == .ended)
        }
    }
}
