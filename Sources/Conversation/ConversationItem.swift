public import Adapters
public import OBDCore
public import VehicleLink

/// What one or several lines of an adapter's conversation became.
public struct ConversationItem: Hashable, Sendable {
    /// What it is.
    public enum Content: Hashable, Sendable {
        /// An ECU's message, reassembled.
        case message(ECUMessage)
        /// A line that is none, or a message that cannot be completed; `text` is the line as it
        /// stood, control characters included.
        case linkError(LinkError, text: String)
        /// The adapter's word instead of data; `text` is the line as it stood, without the search for
        /// a protocol that may share it.
        case status(AdapterStatus, text: String)
        /// The voltage at the adapter; unit: V.
        case voltage(Double)
        /// A frame of a monitored bus; `id` is nil where headers are off. Before CAN `id` is the
        /// source byte and `data` the whole frame.
        case frame(id: ECUAddress?, data: [UInt8])
        /// All answers to the request have been seen.
        case endOfExchange
    }

    /// What it is.
    public var content: Content
    /// The input line on which it began, from 1.
    public var line: Int
    /// The request it answers, and what is known of the vehicle's protocol.
    public var exchange: Exchange

    /// An item.
    public init(_ content: Content, line: Int, exchange: Exchange) {
        self.content = content
        self.line = line
        self.exchange = exchange
    }
}
