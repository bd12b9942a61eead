public import Adapters
public import Diagnostics
public import OBDCore
public import ScanTool

/// A request and everything that was received for it.
public struct Answer: Hashable, Sendable {
    /// The request as sent.
    public var request: AdapterRequest
    /// The request in the context of the vehicle's protocol.
    public var exchange: Exchange
    /// The messages, statuses, lines and bytes as received.
    public var reply: Reply
    /// The decoded messages.
    public var items: [DiagnosticItem]
    /// The time when the request was written.
    public var asked: Instant
    /// The time when the reply was complete.
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
