import OBDCore
import ScanTool
import Testing

@Suite struct `A poll driver` {
    /// The way to each state.
    private static let ways: [PollDriver.State: [PollDriver.Event]] = [
        .idle: [], .polling: [.begin], .paused: [.begin, .pause], .cancelled: [.begin, .cancel],
        .ended: [.end],
    ]

    private static func driver(in state: PollDriver.State) throws -> PollDriver {
        var driver = PollDriver()
        for event in try #require(ways[state]) { _ = driver.take(event) }
        #expect(driver.state == state)
        return driver
    }

    /// Each line is a state, an event, the state after it and its orders; a pair without a line changes
    /// nothing.
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

    @Test func `takes every event in every state as the table says`() throws {
        var lines: [String] = []
        for state in PollDriver.State.allCases {
            for event in PollDriver.Event.allCases {
                var driver = try Self.driver(in: state)
                let orders = driver.take(event)
                if driver.state == state && orders.isEmpty { continue }
                let words = [driver.state.rawValue] + orders.map(\.rawValue)
                lines.append("\(state) \(event): " + words.joined(separator: " "))
            }
        }
        #expect(lines.joined(separator: "\n") == Self.table)
    }

    @Test func `whatever comes, a poll that was told to begin is told to end once`() {
        // Every sequence of five events.
        let events = PollDriver.Event.allCases
        var sequences: [[PollDriver.Event]] = [[]]
        for _ in 0..<5 { sequences = sequences.flatMap { way in events.map { way + [$0] } } }
        for sequence in sequences {
            var driver = PollDriver()
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

@Suite struct `The gap between two exchanges` {
    private func account(_ body: (inout ExchangeGap, inout TimeAccount) -> Void) -> [Duration] {
        var gap = ExchangeGap()
        var account = TimeAccount()
        gap.begin(at: at(10), isFree: false)
        body(&gap, &account)
        let parts = account.parts
        return [parts.own, parts.idle, parts.rests, parts.lost]
    }

    private func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    private func seconds(_ numbers: Int...) -> [Duration] { numbers.map { .seconds($0) } }

    @Test func `is the program's own`() {
        let parts = account { gap, account in gap.close(at: at(13), into: &account) }
        #expect(parts == seconds(3, 0, 0, 0))
    }

    @Test func `is idle once nothing is due, and rests once only what rests is`() {
        let parts = account { gap, account in
            gap.wait(at: at(11), rests: false)
            gap.wait(at: at(13), rests: true)
            gap.wait(at: at(14), rests: true)
            gap.close(at: at(20), into: &account)
        }
        #expect(parts == seconds(1, 2, 7, 0))
    }

    @Test func `is lost where the link could not be used`() {
        let parts = account { gap, account in
            gap.wait(at: at(11), rests: true)
            gap.noteOutage()
            gap.close(at: at(20), into: &account)
        }
        #expect(parts == seconds(0, 0, 0, 10))
    }

    @Test func `is counted once where a request is refused, and not after its end`() {
        let parts = account { gap, account in
            gap.close(at: at(12), into: &account)
            gap.close(at: at(13), into: &account)
            gap.finish(at: at(14), into: &account)
            gap.finish(at: at(90), into: &account)
        }
        #expect(parts == seconds(4, 0, 0, 0))
    }

    @Test func `begins anew where nothing was polled before`() {
        let parts = account { gap, account in
            gap.noteOutage()
            gap.restart(at: at(50))
            gap.close(at: at(51), into: &account)
        }
        #expect(parts == seconds(1, 0, 0, 0))
    }
}
