public import Adapters
public import Diagnostics
public import OBDCore
public import ScanTool

/// A request and all that came back.
public struct Answer: Hashable, Sendable {
    /// The request as sent.
    public var request: AdapterRequest
    /// What was asked, over what the vehicle speaks.
    public var exchange: Exchange
    /// Messages, statuses, lines and bytes as they came.
    public var reply: Reply
    /// What the messages say.
    public var items: [DiagnosticItem]
    /// When the request was written.
    public var asked: Instant
    /// When the reply was complete.
    public var answered: Instant

    /// A request and its answer.
    public init(
        request: AdapterRequest, exchange: Exchange, reply: Reply, items: [DiagnosticItem],
        asked: Instant, answered: Instant
    ) {
        self.request = request
        self.exchange = exchange
        self.reply = reply
        self.items = items
        self.asked = asked
        self.answered = answered
    }
}
