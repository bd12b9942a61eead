public import Adapters
public import Diagnostics
public import OBDCore
public import ScanTool
public import VehicleLink

/// The result of one exchange with the vehicle, for stores and displays.
public struct ReadingBatch: Hashable, Sendable {
    /// The exchange's request.
    public var id: RequestID
    /// The request in the context of the vehicle's protocol.
    public var exchange: Exchange
    /// The time when the request was written.
    public var asked: Instant
    /// The time when the reply was complete, which is the time of its readings.
    public var answered: Instant
    /// The messages as received: raw bytes are always kept.
    public var messages: [ECUMessage]
    /// The decoded messages.
    public var items: [DiagnosticItem]
    /// The voltage at the adapter, if it was requested; unit: V.
    public var voltage: Double?
    /// The statuses of the adapter.
    public var statuses: [AdapterStatus] = []
    /// Damaged or incomplete frames.
    public var linkErrors: [LinkError] = []
    /// Lines that did not answer the request.
    public var strayTexts: [String] = []
    /// Messages that answer the requested service but not the request.
    public var unasked: [ECUMessage] = []
    /// Why the exchange failed; nil if it succeeded.
    public var failure: Fault?

    /// Why an exchange fails.
    public typealias Fault = Failure

    /// Creates the result of an exchange.
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
/// `offer` is called on the thread that communicates with the adapter, while the next request of a poll is
/// already running. `offer` must neither block nor do work: put the batch into a queue and return.
public protocol ReadingSink: Sendable {
    /// Becomes readable when there is space after a refused offer.
    ///
    /// Nil for a sink that never refuses, because the sink drops batches that it cannot keep.
    ///
    /// While a sink with a descriptor is full, the session sends no requests. The wait is back-pressure
    /// without loss.
    var spaceDescriptor: Int32? { get }

    /// Offers a batch; false if the sink is full.
    ///
    /// The same batch is offered again when there is space.
    func offer(_ batch: ReadingBatch) -> Bool
}
