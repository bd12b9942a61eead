import Adapters
import OBDCore

// Sets up the adapter, closes the session, and handles failures and deadlines.
extension ScanTool {
    mutating func handleDetached(_ event: Event, _ out: inout [Effect]) {
        switch event {
        case .opened: probe(&out)
        case .openFailed: fail(.openFailed, in: .initializing, linkIsOpen: false, &out)
        case .submitted(let request): out.append(.refuse(request.id, .notReady))
        case .retry: out.append(.open)
        // These have no effect without a session.
        case .received, .lineRateSet, .deadlineExpired, .replyProcessed, .stopRequested, .closed:
            break
        }
    }

    mutating func handleProbing(_ event: Event, _ out: inout [Effect]) {
        switch event {
        case .received(let bytes):
            dialect.receive(bytes.span, &said)
            absorbProbing(&out)
        case .deadlineExpired(.dialect(let timer)):
            dialect.expired(timer, &said)
            absorbProbing(&out)
        case .deadlineExpired(.initialisation), .deadlineExpired(.interrupt):
            fail(.initialisationTimedOut, in: .initializing, linkIsOpen: true, &out)
        case .submitted(let request): out.append(.refuse(request.id, .notReady))
        case .stopRequested:
            // A protocol search would continue for seconds, so stop the adapter before closing the session.
            state = .initializing(.interrupting)
            arm(.interrupt, after: policy.interruptLimit, &out)
            dialect.interrupt(&said)
            absorbProbing(&out)
        case .closed: fail(.linkLost, in: .initializing, linkIsOpen: false, &out)
        // The dialect notices a new rate from the data that arrive at it.
        case .lineRateSet: break
        // Deadlines of other states are not armed here, and a session is already open.
        case .deadlineExpired(.reply), .deadlineExpired(.pause), .deadlineExpired(.retry), .opened,
            .openFailed, .replyProcessed, .retry:
            break
        }
    }

    mutating func handleInterrupting(_ event: Event, _ out: inout [Effect]) {
        switch event {
        case .received(let bytes):
            dialect.receive(bytes.span, &said)
            absorbProbing(&out)
        case .deadlineExpired(.dialect(let timer)):
            dialect.expired(timer, &said)
            absorbProbing(&out)
        case .deadlineExpired(.initialisation), .deadlineExpired(.interrupt): leave(&out)
        case .submitted(let request): out.append(.refuse(request.id, .stopping))
        case .closed:
            disarmAll(&out)
            state = .initializing(.detached)
        // The end is already in progress.
        case .stopRequested: break
        // The dialect notices a new rate from the data that arrive at it.
        case .lineRateSet: break
        // Deadlines of other states are not armed here, and a session is already open.
        case .deadlineExpired(.reply), .deadlineExpired(.pause), .deadlineExpired(.retry), .opened,
            .openFailed, .replyProcessed, .retry:
            break
        }
    }

    mutating func handleReady(_ event: Event, _ out: inout [Effect]) {
        switch event {
        case .closed: state = .initializing(.detached)
        case .submitted(let request): out.append(.refuse(request.id, .stopping))
        // Data from the adapter no longer matter at the end.
        case .received, .lineRateSet: break
        // No deadline is armed, the session is being closed, and the end is already in progress.
        case .deadlineExpired, .opened, .openFailed, .replyProcessed, .stopRequested, .retry: break
        }
    }

    /// Begins to set up the adapter over an open session.
    mutating func probe(_ out: inout [Effect]) {
        state = .initializing(.probing)
        arm(.initialisation, after: policy.initialisationLimit, &out)
        dialect.initialise(&said)
        absorbProbing(&out)
    }

    /// Begins the orderly end over an open session.
    mutating func leave(_ out: inout [Effect]) {
        disarmAll(&out)
        dialect.leave(&said)
        for case .write(let bytes) in said { out.append(.write(bytes)) }
        said.removeAll(keepingCapacity: true)
        out.append(.close)
        state = .initializing(.ready)
    }

    /// Enters the error state, or stays in it with a new reason.
    mutating func fail(
        _ reason: ErrorReason, in phase: StateKind, linkIsOpen: Bool, _ out: inout [Effect]
    ) {
        disarmAll(&out)
        failures = min(failures + 1, 1_000_000)
        let next: NextStep
        let pause = policy.pause(afterFailure: failures, ofVehicle: reason.isVehicle)
        let sessionIsAwaited = policy.sessionTries.map { failures <= $0 } ?? true
        let tries =
            reason.isFinal ? min(1, policy.initialisationTries) : policy.initialisationTries
        // The adapter works, and the session waits for the ignition to be turned on.
        let triesSession =
            reason.isVehicle ? sessionIsAwaited : failures < tries
        if linkIsOpen && triesSession {
            next = .reinitialise(after: pause)
            arm(.retry, after: pause, &out)
        } else {
            if linkIsOpen { out.append(.close) }
            if sessionIsAwaited {
                next = .awaitSession(after: pause)
                arm(.retry, after: pause, &out)
            } else {
                next = .givenUp
            }
        }
        let report = ErrorReport(reason: reason, phase: phase, attempt: failures, next: next)
        out.append(.report(report))
        state = .error(report)
    }

    /// Handles the outputs of the dialect during the set-up.
    mutating func absorbProbing(_ out: inout [Effect]) {
        var identity: AdapterIdentity?
        var failure: InitialisationFailure?
        var hasRestarted = false
        for output in said where !passOn(output, &hasRestarted, &out) {
            switch output {
            case .voltage(let voltage): out.append(.notice(.voltage(voltage)))
            case .ready(let adapter): identity = adapter
            case .initialisationFailed(let reason): failure = reason
            // Answers to the dialect's own requests, which it has already evaluated.
            case .message, .linkError, .status, .text, .frame, .end: break
            // Passed on.
            case .write, .arm, .disarm, .disarmAll, .lineRate, .filter, .notice: break
            }
        }
        said.removeAll(keepingCapacity: true)
        if state == .initializing(.interrupting) {
            // The set-up has ended in some way, and the adapter is idle.
            if failure != nil || identity != nil { leave(&out) }
        } else if let failure {
            fail(.initialisation(failure), in: .initializing, linkIsOpen: true, &out)
        } else if identity != nil, hasRestarted {
            // The adapter restarted after its last prompt and lost the settings.
            fail(.adapterRestarted, in: .initializing, linkIsOpen: true, &out)
        } else if let identity {
            disarm(.initialisation, &out)
            state = .idle
            out.append(.notice(.initialized(identity)))
        }
    }

    /// Handles the outputs of the dialect while no request waits for a reply.
    mutating func absorbUnasked(_ out: inout [Effect]) {
        var hasRestarted = false
        for output in said where !passOn(output, &hasRestarted, &out) {
            switch output {
            case .voltage(let voltage): out.append(.notice(.voltage(voltage)))
            case .message(let message): out.append(.notice(.unsolicited(message)))
            // The rest of an exchange that has already ended.
            case .linkError, .status, .text, .frame, .end, .ready, .initialisationFailed: break
            // Passed on.
            case .write, .arm, .disarm, .disarmAll, .lineRate, .filter, .notice: break
            }
        }
        said.removeAll(keepingCapacity: true)
        guard hasRestarted else { return }
        switch state {
        case .idle, .processing: fail(.adapterRestarted, in: state.kind, linkIsOpen: true, &out)
        // The session is ending, so there is no need to set up the adapter again.
        case .processingLast: break
        // These states handle such outputs themselves.
        case .initializing, .waiting, .error, .modifying: break
        }
    }

    /// Carries out the outputs that are the same in all states; false if the state has to handle the output.
    mutating func passOn(
        _ output: DialectOutput, _ hasRestarted: inout Bool, _ out: inout [Effect]
    ) -> Bool {
        switch output {
        case .write(let bytes): out.append(.write(bytes))
        case .arm(let timer, let time): arm(.dialect(timer), after: time, &out)
        case .disarm(let timer): disarm(.dialect(timer), &out)
        case .disarmAll:
            armedDeadlines.removeAll { deadline in
                guard case .dialect = deadline else { return false }
                out.append(.disarm(deadline))
                return true
            }
        case .lineRate(let rate): out.append(.setLineRate(rate))
        case .filter(let filters): out.append(.setFilter(filters))
        case .notice(let notice):
            out.append(.notice(.dialect(notice)))
            if case .adapterRestarted = notice { hasRestarted = true }
        case .message, .linkError, .status, .text, .voltage, .frame, .ready,
            .initialisationFailed, .end:
            return false
        }
        return true
    }

    mutating func arm(_ deadline: Deadline, after time: Duration, _ out: inout [Effect]) {
        if !armedDeadlines.contains(deadline) { armedDeadlines.append(deadline) }
        out.append(.arm(deadline, after: time))
    }

    mutating func disarm(_ deadline: Deadline, _ out: inout [Effect]) {
        guard let place = armedDeadlines.firstIndex(of: deadline) else { return }
        armedDeadlines.remove(at: place)
        out.append(.disarm(deadline))
    }

    mutating func disarmAll(_ out: inout [Effect]) {
        for deadline in armedDeadlines { out.append(.disarm(deadline)) }
        armedDeadlines.removeAll(keepingCapacity: true)
    }
}
