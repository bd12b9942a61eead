public import Adapters
public import OBDCore
public import VehicleLink

/// The meaning of one or more lines in an adapter's conversation.
public struct ConversationItem: Hashable, Sendable {
    /// The kind of item.
    public enum Content: Hashable, Sendable {
        /// A reassembled message from an ECU.
        case message(ECUMessage)
        /// A line that is not a message, or a message that cannot be completed.
        ///
        /// `text` is the original line, including control characters.
        case linkError(LinkError, text: String)
        /// A status from the adapter instead of data.
        ///
        /// `text` is the original line, without the text of a protocol search that may share it.
        case status(AdapterStatus, text: String)
        /// The voltage at the adapter; unit: V.
        case voltage(Double)
        /// A frame of a monitored bus; `id` is nil if headers are off.
        ///
        /// On protocols before CAN, `id` is the source byte and `data` is the whole frame.
        case frame(id: ECUAddress?, data: [UInt8])
        /// All answers to the request have been read.
        case endOfExchange
    }

    /// The content of the item.
    public var content: Content
    /// The number of the input line on which the item began, from 1.
    public var line: Int
    /// The request that the item answers, with the known facts about the vehicle's protocol.
    public var exchange: Exchange
    /// The time at which the item was complete; nil if the input shows none.
    public var time: RecordedTime?

    /// An item.
    public init(_ content: Content, line: Int, exchange: Exchange, time: RecordedTime? = nil) {
        self.content = content
        self.line = line
        self.exchange = exchange
        self.time = time
    }
}
