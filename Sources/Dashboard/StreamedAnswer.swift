import Formats
import SystemIO
import WebServer

/// An answer that is sent while it is written, beginning with its first bytes.
///
/// An error before the first byte can still be sent as a problem.
package struct StreamedAnswer {
    /// The type of answers whose lines are objects.
    package static let jsonLines = "application/x-ndjson; charset=utf-8"

    private let head: ResponseHead
    private let response: WebResponse

    /// An answer that begins with `head`.
    package init(_ head: ResponseHead, _ response: WebResponse) {
        self.head = head
        self.response = response
    }

    /// Runs `body` with the answer's output.
    package func write(_ body: (inout TextOutput) throws -> Void) throws {
        let (head, response) = (head, response)
        var writer = TextOutput { bytes throws(OutputError) in
            do throws(WebFault) {
                if !response.hasBegun { try response.begin(head) }
                try response.append(bytes)
            } catch {
                throw .readerGone
            }
            // A HEAD request needs no body, so end here.
            if response.isHeadOnly { throw .readerGone }
        }
        do {
            try body(&writer)
            try writer.flush()
        } catch OutputError.readerGone where response.isHeadOnly && response.isComplete {
            return
        }
        if !response.hasBegun { try response.begin(head) }
        try response.end()
    }

    /// The same for JSON Lines.
    package static func print(
        _ response: WebResponse, _ body: (inout TextOutput) throws -> Void
    ) throws {
        try StreamedAnswer(ResponseHead(.ok, jsonLines), response).write(body)
    }
}
