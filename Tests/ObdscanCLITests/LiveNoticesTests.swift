import Reports
import Synchronization
import TerminalView
import Testing
import TripRecorder

@testable import ObdscanCLI

@Suite struct `Messages of a live view about its trip` {
    private final class Said: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test func `faults of a recorded trip are printed again after the live view`() throws {
        let said = Said()
        let notices = try LiveNotices { said.add($0) }
        notices.viewBegins()
        let news: [TripNews?] = [
            .init(.holding(.full(path: "t.db"), items: 9)), .init(.dropped(items: 30)),
            .init(.dropped(items: 12)), .init(.recovered),
            .init(.rejected(items: 2, message: "no such column")),
        ]
        for one in news { notices.put(try #require(one)) }
        #expect(notices.take().count == 5)
        // The view ends before it can show these.
        notices.put(.init(text: "mark 1 is set"))
        notices.put(try #require(.init(.dropped(items: 1))))
        #expect(said.all.isEmpty)
        notices.viewEnds()
        #expect(
            said.all == [
                "mark 1 is set", "43 readings had to be dropped",
                "2 entries could not be stored: no such column",
            ])
        // Without a view, each notice is printed at once.
        notices.put(try #require(.init(.dropped(items: 5))))
        #expect(said.all.last == "5 readings had to be dropped")
    }
}
