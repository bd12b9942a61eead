public import Adapters

/// A scan tool: sets up an adapter and runs one exchange at a time, as a pure value.
///
/// Events go in and effects come out; it has no clock, no descriptor and no PID. Every pair of state and
/// event is listed, and no data from a wire can make it trap. Each submitted request gets exactly one
/// ``Effect/deliver(_:_:)`` or ``Effect/refuse(_:_:)``. `docs/states.md` has the table of all transitions.
public struct ScanTool<Dialect: AdapterDialect>: Hashable, Sendable {
    /// The current state.
    public internal(set) var state: State = .initializing(.detached)
    /// The dialect of the adapter.
    public internal(set) var dialect: Dialect
    /// The number of failures in a row; only an answered request resets it.
    public internal(set) var failures = 0
    /// Time limits and numbers of attempts.
    public let policy: Policy
    /// Deadlines that were armed and have not expired.
    public internal(set) var armedDeadlines: [Deadline] = []
    /// A buffer for the dialect's outputs; empty between events.
    var said: [DialectOutput] = []

    /// Limits requests, because the other end reported its limit before the session was opened.
    public mutating func limitRequests(to bytes: Int) { dialect.limitRequests(to: bytes) }

    /// A scan tool without a session.
    public init(dialect: Dialect, policy: Policy) {
        self.dialect = dialect
        self.policy = policy
    }

    /// Whether the adapter is set up and no data are expected, so that received data are unsolicited.
    public var isAtPrompt: Bool {
        switch state {
        case .idle, .processing, .processingLast: true
        case .initializing, .waiting, .error, .modifying: false
        }
    }

    /// Handles an event and appends the resulting effects to `out`.
    @_specialize(where Dialect == AnyDialect)
    public mutating func handle(_ event: Event, _ out: inout [Effect]) {
        defer { assert(state != .modifying, "a state was taken out and not put back") }
        if case .deadlineExpired(let deadline) = event {
            // A deadline that was disarmed while its event was on the way is ignored.
            guard let place = armedDeadlines.firstIndex(of: deadline) else { return }
            armedDeadlines.remove(at: place)
        }
        switch state {
        case .initializing(.detached): handleDetached(event, &out)
        case .initializing(.probing): handleProbing(event, &out)
        case .initializing(.interrupting): handleInterrupting(event, &out)
        case .initializing(.ready): handleReady(event, &out)
        case .idle: handleIdle(event, &out)
        case .waiting: handleWaiting(event, &out)
        case .processing(let id): handleProcessing(id, event, &out)
        case .processingLast(let id): handleProcessingLast(id, event, &out)
        case .error(let report): handleError(report, event, &out)
        case .modifying: assertionFailure("an event was taken while another one was")
        }
    }
}
