import Formats
import WebProtocol

/// The reason why a request fails, as an object.
package struct WebProblem: Error {
    package var status: ResponseHead.Status
    package var message: String
    package var hint: String?

    package init(_ status: ResponseHead.Status, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }

    /// The object.
    var bytes: [UInt8] {
        let row = Row(
            "problem",
            [
                "status": .integer(status.rawValue), "message": .text(printable(message)),
                "hint": .text(hint.map(printable)),
            ])
        var bytes: [UInt8] = []
        row.appendJSON(to: &bytes)
        return bytes
    }
}
