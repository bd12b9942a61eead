public import Adapters
public import OBDCore

/// What a scan tool waits for.
public enum Deadline: Hashable, Sendable {
    /// The end of a reply, however much comes meanwhile.
    case reply
    /// The end of the pause before a request is repeated.
    case pause
    /// The adapter's prompt after it was interrupted.
    case interrupt
    /// The end of the adapter's setting up.
    case initialisation
    /// The next try after a failure.
    case retry
    /// Whatever the dialect waits for.
    case dialect(DialectTimer)
}

/// What happens to a scan tool.
public enum Event: Hashable, Sendable {
    /// A session with the accessory is open.
    case opened
    /// The session that was ordered could not be opened.
    case openFailed
    /// Bytes came, in whatever pieces.
    case received([UInt8])
    /// The line runs at the rate that was ordered; unit: bit/s.
    case lineRateSet(Int)
    /// Someone wants something from the adapter or the vehicle.
    case submitted(AdapterRequest)
    /// An armed deadline has passed.
    case deadlineExpired(Deadline)
    /// The outcome of this request has been decoded and handed on.
    case replyProcessed(RequestID)
    /// Come to an orderly end.
    case stopRequested
    /// Begin, or try again at once.
    case retry
    /// The session is closed: as ordered, or because the accessory has gone.
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

/// The ten kinds of events; the raw value is what is printed.
public enum EventKind: String, Hashable, Sendable, CaseIterable {
    case opened, openFailed, received, lineRateSet, submitted
    case deadlineExpired, replyProcessed, stopRequested, retry, closed
}
