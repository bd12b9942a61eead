public import Adapters

/// A scan tool: sets an adapter up and runs one exchange at a time, as a pure value.
///
/// Events go in, effects come out; it knows no clock, no descriptor and no PID. Every pair of state
/// and event is spelled out below, and nothing that came from a wire can make it trap. Each request
/// that is submitted gets exactly one ``Effect/deliver(_:_:)`` or ``Effect/refuse(_:_:)``.
/// The table of all transitions is in `docs/states.md`.
public struct ScanTool<Dialect: AdapterDialect>: Hashable, Sendable {
    /// Where it is.
    public internal(set) var state: State = .initializing(.detached)
    /// What the adapter speaks.
    public internal(set) var dialect: Dialect
    /// Failures in a row; only an answered request ends the row.
    public internal(set) var failures = 0
    /// How long it waits and how often it tries.
    public let policy: Policy
    /// Deadlines that have been armed and have not passed.
    public internal(set) var armedDeadlines: [Deadline] = []
    /// Room for what the dialect says; always empty between events.
    var said: [DialectOutput] = []

    /// A scan tool without a session.
    public init(dialect: Dialect, policy: Policy) {
        self.dialect = dialect
        self.policy = policy
    }

    /// Whether nothing is awaited from an adapter that is set up: what comes then was not asked for.
    public var isAtPrompt: Bool {
        switch state {
        case .idle, .processing, .processingLast: true
        case .initializing, .waiting, .error, .modifying: false
        }
    }

    /// Takes an event and appends what has to be done to `out`.
    @specialized(where Dialect == AnyDialect)
    public mutating func handle(_ event: Event, _ out: inout [Effect]) {
        defer { assert(state != .modifying, "a state was taken out and not put back") }
        if case .deadlineExpired(let deadline) = event {
            // One that was disarmed while its expiry was on its way means nothing any more.
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
