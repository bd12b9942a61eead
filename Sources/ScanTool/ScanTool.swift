public import Adapters
import OBDCore

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
        case .idle, .processing: true
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
        case .initializing(.probing(let isStopping)):
            handleProbing(event, isStopping: isStopping, &out)
        case .initializing(.ready): handleReady(event, &out)
        case .idle: handleIdle(event, &out)
        case .waiting: handleWaiting(event, &out)
        case .processing(let processing): handleProcessing(processing, event, &out)
        case .error(let report): handleError(report, event, &out)
        case .modifying: assertionFailure("an event was taken while another one was")
        }
    }

    // MARK: Initializing

    private mutating func handleDetached(_ event: Event, _ out: inout [Effect]) {
        switch event {
        case .opened: probe(&out)
        case .openFailed: fail(.openFailed, in: .initializing, linkIsOpen: false, &out)
        case .submitted(let request): out.append(.refuse(request.id, .notReady))
        case .retry: out.append(.open)
        // Without a session nothing of these concerns anyone.
        case .received, .lineRateSet, .deadlineExpired, .replyProcessed, .stopRequested, .closed:
            break
        }
    }

    private mutating func handleProbing(
        _ event: Event, isStopping: Bool, _ out: inout [Effect]
    ) {
        switch event {
        case .received(let bytes):
            dialect.receive(bytes.span, &said)
            absorbProbing(isStopping: isStopping, &out)
        case .deadlineExpired(.dialect(let timer)):
            dialect.expired(timer, &said)
            absorbProbing(isStopping: isStopping, &out)
        case .deadlineExpired(.initialisation), .deadlineExpired(.interrupt):
            if isStopping {
                leave(&out)
            } else {
                fail(.initialisationTimedOut, in: .initializing, linkIsOpen: true, &out)
            }
        case .submitted(let request):
            out.append(.refuse(request.id, isStopping ? .stopping : .notReady))
        case .stopRequested:
            guard !isStopping else { return }
            // A protocol search would go on for seconds: the adapter is stopped before it is left.
            state = .initializing(.probing(isStopping: true))
            arm(.interrupt, after: policy.interruptLimit, &out)
            dialect.interrupt(&said)
            absorbProbing(isStopping: true, &out)
        case .closed:
            if isStopping {
                disarmAll(&out)
                state = .initializing(.detached)
            } else {
                fail(.linkLost, in: .initializing, linkIsOpen: false, &out)
            }
        // The dialect hears of a new rate by what comes at it.
        case .lineRateSet: break
        // Deadlines of other states are never armed here; a session is open already.
        case .deadlineExpired(.reply), .deadlineExpired(.pause), .deadlineExpired(.retry), .opened,
            .openFailed, .replyProcessed, .retry:
            break
        }
    }

    private mutating func handleReady(_ event: Event, _ out: inout [Effect]) {
        switch event {
        case .closed: state = .initializing(.detached)
        case .submitted(let request): out.append(.refuse(request.id, .stopping))
        // What an adapter still says while it is left is of no interest.
        case .received, .lineRateSet: break
        // No deadline is armed, the session is as good as closed, the end is under way.
        case .deadlineExpired, .opened, .openFailed, .replyProcessed, .stopRequested, .retry: break
        }
    }

    // MARK: Idle

    private mutating func handleIdle(_ event: Event, _ out: inout [Effect]) {
        switch event {
        case .submitted(let request):
            // The one gate to the vehicle: whoever asks, and whatever for.
            let isReadOnly = request.consent == nil && dialect.isReadOnly(request)
            guard isReadOnly || request.consent != nil else {
                out.append(.refuse(request.id, .needsConsent))
                return
            }
            send(request, isReadOnly: isReadOnly, &out)
        case .received(let bytes):
            dialect.receive(bytes.span, &said)
            absorbUnasked(&out)
        case .deadlineExpired(.dialect(let timer)):
            dialect.expired(timer, &said)
            absorbUnasked(&out)
        case .stopRequested: leave(&out)
        case .closed: fail(.linkLost, in: .idle, linkIsOpen: false, &out)
        // Deadlines of other states are never armed here; there is nothing to open or to retry.
        case .deadlineExpired, .opened, .openFailed, .lineRateSet, .replyProcessed, .retry: break
        }
    }

    // MARK: Processing

    private mutating func handleProcessing(
        _ processing: Processing, _ event: Event, _ out: inout [Effect]
    ) {
        switch event {
        case .replyProcessed(processing.id):
            if processing.isStopping {
                leave(&out)
            } else {
                state = .idle
            }
        case .received(let bytes):
            dialect.receive(bytes.span, &said)
            absorbUnasked(isStopping: processing.isStopping, &out)
        case .deadlineExpired(.dialect(let timer)):
            dialect.expired(timer, &said)
            absorbUnasked(isStopping: processing.isStopping, &out)
        case .submitted(let request):
            out.append(.refuse(request.id, processing.isStopping ? .stopping : .busy))
        case .stopRequested:
            state = .processing(Processing(id: processing.id, isStopping: true))
        case .closed:
            if processing.isStopping {
                disarmAll(&out)
                state = .initializing(.detached)
            } else {
                fail(.linkLost, in: .processing, linkIsOpen: false, &out)
            }
        // Another request's word is late; the rest belongs to other states.
        case .replyProcessed, .deadlineExpired, .opened, .openFailed, .lineRateSet, .retry: break
        }
    }

    // MARK: Error

    private mutating func handleError(
        _ report: ErrorReport, _ event: Event, _ out: inout [Effect]
    ) {
        switch event {
        case .deadlineExpired(.retry), .retry: takeNextStep(report.next, &out)
        case .opened:
            disarmAll(&out)
            probe(&out)
        case .openFailed:
            switch report.next {
            case .awaitSession, .givenUp:
                fail(.openFailed, in: .error, linkIsOpen: false, &out)
            // A session is open: nothing was ordered that could have failed.
            case .reinitialise: break
            }
        case .closed:
            switch report.next {
            case .reinitialise: fail(.linkLost, in: .error, linkIsOpen: false, &out)
            // As ordered.
            case .awaitSession, .givenUp: break
            }
        case .submitted(let request): out.append(.refuse(request.id, .inError))
        case .stopRequested:
            disarmAll(&out)
            switch report.next {
            case .reinitialise:
                out.append(.close)
                state = .initializing(.ready)
            case .awaitSession, .givenUp: state = .initializing(.detached)
            }
        // The dialect is set up from its beginning next time: what comes before is noise.
        case .received, .lineRateSet: break
        // The rest belongs to other states, or is late.
        case .deadlineExpired, .replyProcessed: break
        }
    }

    private mutating func takeNextStep(_ next: NextStep, _ out: inout [Effect]) {
        disarmAll(&out)
        switch next {
        case .reinitialise: probe(&out)
        case .awaitSession, .givenUp: out.append(.open)
        }
    }
}
