public import Adapters
public import Diagnostics
public import OBDCore
public import ScanTool
public import VehicleLink

/// What one exchange with the vehicle brought, on its way to stores and displays.
public struct ReadingBatch: Hashable, Sendable {
    /// The exchange's request.
    public var id: RequestID
    /// What was asked, over what the vehicle speaks.
    public var exchange: Exchange
    /// When the request was written.
    public var asked: Instant
    /// When the reply was complete; the time of its readings.
    public var answered: Instant
    /// The messages as they came: raw bytes are never thrown away.
    public var messages: [ECUMessage]
    /// What the messages say.
    public var items: [DiagnosticItem]
    /// The voltage at the adapter, where it was asked for; unit: V.
    public var voltage: Double?
    /// What the adapter said in words.
    public var statuses: [AdapterStatus] = []
    /// Damaged or unfinished frames.
    public var linkErrors: [LinkError] = []
    /// Lines that were no answer to what was asked.
    public var strayTexts: [String] = []
    /// Messages that answer the service asked, but not what was asked.
    public var unasked: [ECUMessage] = []
    /// Why the exchange failed; nil = it did not.
    public var failure: Fault?

    /// Why an exchange fails.
    public typealias Fault = Failure

    /// What an exchange brought.
    public init(
        id: RequestID, exchange: Exchange, asked: Instant, answered: Instant,
        messages: [ECUMessage], items: [DiagnosticItem], voltage: Double? = nil
    ) {
        self.id = id
        self.exchange = exchange
        self.asked = asked
        self.answered = answered
        self.messages = messages
        self.items = items
        self.voltage = voltage
    }
}

/// Takes batches from a session's thread.
///
/// `offer` is called on the thread that talks to the adapter, while a poll's next request is under
/// way, so it must neither block nor do work: put the batch into a queue and return.
public protocol ReadingSink: Sendable {
    /// Becomes readable when there is space again after a refused offer; nil for a sink that never
    /// refuses because it drops what it cannot keep.
    ///
    /// While a sink with a descriptor is full the session asks for nothing: back-pressure without
    /// loss.
    var spaceDescriptor: Int32? { get }

    /// Offers a batch; false = full, the same batch is offered again when there is space.
    func offer(_ batch: ReadingBatch) -> Bool
}
