public import Adapters
public import OBDCore
import VehicleLink

/// The state of a scan tool with its data.
public enum State: Hashable, Sendable {
    /// The start and the orderly end.
    case initializing(Initializing)
    /// The adapter is set up, and no request is running.
    case idle
    /// A request is running.
    case waiting(Waiting)
    /// The outcome of a request is being delivered.
    case processing(RequestID)
    /// The outcome of the last request is being delivered; the end follows.
    case processingLast(RequestID)
    /// Something failed.
    case error(ErrorReport)
    /// A request whose data were moved out while an event changes them; never visible between events.
    case modifying

    /// The state without its data.
    public var kind: StateKind {
        switch self {
        case .initializing: .initializing
        case .idle: .idle
        case .waiting, .modifying: .waiting
        case .processing, .processingLast: .processing
        case .error: .error
        }
    }
}

/// The part of the initial state.
public enum Initializing: Hashable, Sendable {
    /// There is no session.
    case detached
    /// A session is open, and the adapter is being set up.
    case probing
    /// The end was requested during the set-up, and the adapter's prompt is awaited.
    case interrupting
    /// The orderly end: no request is running, and the session is being closed.
    case ready
}

/// A request that is running.
public struct Waiting: Hashable, Sendable {
    /// The event that is awaited.
    public enum Phase: Hashable, Sendable {
        /// The reply.
        case reply
        /// The end of the pause before the request is repeated; the adapter is at its prompt.
        case pause
        /// The prompt of an interrupted adapter, with the failure or the reason for the interrupt.
        case prompt(Failure)
        /// The prompt of an interrupted adapter; the end follows.
        case lastPrompt(Failure)
    }

    /// The request.
    public internal(set) var request: AdapterRequest
    /// Whether the gate found that the request changes nothing.
    let isReadOnly: Bool
    /// The received part of the reply.
    public internal(set) var reply = Reply()
    /// The event that is awaited.
    public internal(set) var phase = Phase.reply
    /// How often the request was sent.
    public internal(set) var sendings = 1
    /// The number of "response pending" answers so far.
    public internal(set) var pendings = 0
    /// Whether nothing was received since the last "response pending".
    var isPending = false
    /// The faults of the previous reply; if they repeat, they are not an accident.
    var earlierDamage: [LinkError] = []
    /// Whether a previous reply answered another request.
    var wasOutOfStep = false

    /// Whether the end follows this request.
    var isLast: Bool {
        switch phase {
        case .lastPrompt: true
        case .reply, .pause, .prompt: false
        }
    }
}
