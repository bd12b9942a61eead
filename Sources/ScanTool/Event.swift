public import Adapters
public import OBDCore

/// A deadline of a scan tool.
public enum Deadline: Hashable, Sendable {
    /// The end of a reply, regardless of the data received so far.
    case reply
    /// The end of the pause before a request is repeated.
    case pause
    /// The adapter's prompt after it was interrupted.
    case interrupt
    /// The end of the adapter's set-up.
    case initialisation
    /// The next attempt after a failure.
    case retry
    /// A timer of the dialect.
    case dialect(DialectTimer)
}

/// An input of a scan tool.
public enum Event: Hashable, Sendable {
    /// A session with the adapter is open.
    case opened
    /// The requested session could not be opened.
    case openFailed
    /// Bytes were received, in pieces of any size.
    case received([UInt8])
    /// The line was set to the requested rate; unit: bit/s.
    case lineRateSet(Int)
    /// A request to the adapter or the vehicle was submitted.
    case submitted(AdapterRequest)
    /// An armed deadline has expired.
    case deadlineExpired(Deadline)
    /// The outcome of this request was decoded and delivered.
    case replyProcessed(RequestID)
    /// End the session in order.
    case stopRequested
    /// Start, or retry at once.
    case retry
    /// The session was closed, on request or because the adapter has disconnected.
    case closed

    /// The event without its data.
    public var kind: EventKind {
        switch self {
        case .opened: .opened
        case .openFailed: .openFailed
        case .received: .received
        case .lineRateSet: .lineRateSet
        case .submitted: .submitted
        case .deadlineExpired: .deadlineExpired
        case .replyProcessed: .replyProcessed
        case .stopRequested: .stopRequested
        case .retry: .retry
        case .closed: .closed
        }
    }
}

/// The ten kinds of events; the raw value is the printed name.
public enum EventKind: String, Hashable, Sendable, CaseIterable {
    case opened, openFailed, received, lineRateSet, submitted
    case deadlineExpired, replyProcessed, stopRequested, retry, closed
}
