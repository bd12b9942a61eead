public import Adapters
public import OBDCore
import VehicleLink

/// Where a scan tool is, with all that matters there.
public enum State: Hashable, Sendable {
    /// Start and orderly end.
    case initializing(Initializing)
    /// Nothing under way; the adapter is set up.
    case idle
    /// A request is under way.
    case waiting(Waiting)
    /// The outcome of a request is being handed on.
    case processing(RequestID)
    /// The same; the end was asked for and follows.
    case processingLast(RequestID)
    /// Something failed.
    case error(ErrorReport)
    /// A request under way that is taken out while an event changes it; never seen between events.
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

/// What the initial state is about.
public enum Initializing: Hashable, Sendable {
    /// There is no session.
    case detached
    /// A session is open, the adapter is being set up.
    case probing
    /// The end was asked for while the adapter was being set up: its prompt is awaited.
    case interrupting
    /// The orderly end: nothing is under way, the session is being closed.
    case ready
}

/// A request under way.
public struct Waiting: Hashable, Sendable {
    /// What is awaited.
    public enum Phase: Hashable, Sendable {
        /// The reply.
        case reply
        /// The end of the pause before the request is repeated; the adapter is at its prompt.
        case pause
        /// The prompt of an interrupted adapter; what failed, or why it was interrupted.
        case prompt(Failure)
        /// The same; the end was asked for and follows.
        case lastPrompt(Failure)
    }

    /// The request.
    public internal(set) var request: AdapterRequest
    /// Whether the gate found that it changes nothing.
    let isReadOnly: Bool
    /// What came so far.
    public internal(set) var reply = Reply()
    /// What is awaited.
    public internal(set) var phase = Phase.reply
    /// How often the request was sent.
    public internal(set) var sendings = 1
    /// "Response pending" answers so far.
    public internal(set) var pendings = 0
    /// Whether nothing came since the latest of them.
    var isPending = false
    /// What was wrong with the reply before: the same again is not an accident.
    var earlierDamage: [LinkError] = []
    /// Whether a reply before answered another request.
    var wasOutOfStep = false

    /// Whether the end follows.
    var isLast: Bool {
        switch phase {
        case .lastPrompt: true
        case .reply, .pause, .prompt: false
        }
    }
}
