import Formats
import Glibc
import Synchronization
import SystemIO

/// Prints documents as PDF, one at a time: a browser needs some hundred megabytes.
package final class WebPrinter: Sendable {
    /// The paper of the documents.
    let paper: Paper
    /// A signal here ends the printing.
    private let inbox: SignalInbox
    private let run: @Sendable (_ document: [UInt8], SignalInbox) throws -> [UInt8]
    /// Whether nothing is printed any more; who prints holds the lock.
    private let isOver = Mutex(false)

    /// A printer by `run`, which returns the PDF of an HTML document and ends at a signal in the inbox.
    package init(
        paper: Paper,
        run: @escaping @Sendable (_ document: [UInt8], SignalInbox) throws -> [UInt8]
    ) throws(SystemError) {
        self.paper = paper
        self.run = run
        inbox = try SignalInbox.relay()
    }

    /// The PDF of a document, which is made only if no other is being printed.
    package func print(_ document: (Paper) throws -> [UInt8]) throws -> [UInt8] {
        let pdf = try isOver.withLockIfAvailable { isOver in
            if isOver { throw WebProblem(.unavailable, "obdscan is ending") }
            return try run(document(paper), inbox)
        }
        guard let pdf else {
            throw WebProblem(
                .unavailable, "another report is being printed", hint: "try it again in a moment")
        }
        return pdf
    }

    /// Cancels the printing and returns when nothing of it is left; from then on nothing is printed.
    package func end() {
        inbox.pass(SIGTERM)
        isOver.withLock { $0 = true }
    }
}
