import Formats
import OBDCore
import Synchronization
import SystemIO
import Testing

@testable import Dashboard

/// The PDF of a report, made for a page.
@Suite struct `A printer for pages` {
    private struct Cancelled: Error {}

    @Test func `each document is printed on the chosen paper, also after a failed document`() throws
    {
        let printer = try WebPrinter(paper: .a4) { document, _ in document + [2] }
        #expect(try printer.print { $0 == .a4 ? [1] : [] } == [1, 2])
        // A report that cannot be made, or printed, keeps no other from being printed.
        #expect(throws: Cancelled.self) { try printer.print { _ in throw Cancelled() } }
        #expect(try printer.print { _ in [3] } == [3, 2])
    }

    @Test func `the printer prints one document at a time, and none after its end`() throws {
        let begun = try EventDescriptor()
        let isCleaned = Mutex(false)
        let printer = try WebPrinter(paper: .a4) { _, inbox in
            begun.signal()
            var waiting = WaitList()
            let cancel = waiting.add(inbox.descriptor)
            waiting.add(deadline: SystemClock.now() + .seconds(20))
            waiting.wait()
            isCleaned.withLock { $0 = waiting.isReady(cancel) }
            throw Cancelled()
        }
        let thread = try SystemThread { _ = try? printer.print { _ in [] } }
        defer { thread.join() }
        var waiting = WaitList()
        _ = waiting.add(begun.descriptor)
        waiting.add(deadline: SystemClock.now() + .seconds(20))
        waiting.wait()
        // Another request does not wait, and its report is not made for nothing.
        let problem = #expect(throws: WebProblem.self) {
            try printer.print { _ in
                Issue.record("the document was made")
                return []
            }
        }
        #expect(problem?.status == .unavailable)
        printer.end()
        #expect(isCleaned.withLock { $0 })
        let late = #expect(throws: WebProblem.self) { try printer.print { _ in [] } }
        #expect(late?.status == .unavailable)
    }
}
