import Adapters
import OBDCore

// Handles events while a request is running.
extension ScanTool {
    mutating func handleWaiting(_ event: Event, _ out: inout [Effect]) {
        // Moved out of the enum, so that the arrays have a single owner and are appended to without a copy.
        var taken = State.modifying
        swap(&taken, &state)
        if case .waiting(let waiting) = consume taken { take(event, while: waiting, &out) }
    }

    private mutating func take(
        _ event: Event, while waiting: consuming Waiting, _ out: inout [Effect]
    ) {
        switch event {
        case .received(let bytes):
            waiting.reply.keepRaw(bytes)
            if !bytes.isEmpty { endPending(&waiting, &out) }
            dialect.receive(bytes.span, &said)
            absorb(&waiting, &out)
        case .deadlineExpired(.dialect(let timer)):
            dialect.expired(timer, &said)
            absorb(&waiting, &out)
        case .deadlineExpired(.reply): timeOut(&waiting, &out)
        case .deadlineExpired(.pause): sendAgain(&waiting, &out)
        case .deadlineExpired(.interrupt):
            abandon(&waiting, because: .timedOut, .unresponsive, &out)
        case .submitted(let request):
            out.append(.refuse(request.id, waiting.isLast ? .stopping : .busy))
            state = .waiting(waiting)
        case .stopRequested: stop(&waiting, &out)
        case .closed:
            disarmAll(&out)
            out.append(.deliver(waiting.request.id, .failed(.linkLost, soFar: waiting.reply)))
            if waiting.isLast {
                state = .initializing(.detached)
            } else {
                fail(.linkLost, in: .waiting, linkIsOpen: false, &out)
            }
        // Deadlines of other states are not armed here, and the other events belong to other states.
        case .deadlineExpired(.initialisation), .deadlineExpired(.retry), .opened, .openFailed,
            .lineRateSet, .replyProcessed, .retry:
            state = .waiting(waiting)
        }
    }

    /// Sends a request for the first time.
    mutating func send(
        _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [Effect]
    ) {
        var waiting = Waiting(request: request, isReadOnly: isReadOnly)
        start(&waiting, &out)
    }

    private mutating func sendAgain(_ waiting: inout Waiting, _ out: inout [Effect]) {
        waiting.phase = .reply
        waiting.sendings += 1
        out.append(.notice(.repeated(waiting.request.id)))
        start(&waiting, &out)
    }

    private mutating func start(_ waiting: inout Waiting, _ out: inout [Effect]) {
        arm(.reply, after: policy.replyLimit(of: waiting.request), &out)
        dialect.send(waiting.request, isReadOnly: waiting.isReadOnly, &said)
        absorb(&waiting, &out)
    }

    private mutating func stop(_ waiting: inout Waiting, _ out: inout [Effect]) {
        switch waiting.phase {
        case .reply: interrupt(&waiting, .lastPrompt(.stopped), &out)
        case .pause:
            finish(&waiting, .failed(.stopped, soFar: waiting.reply), isLast: true, &out)
        // The prompt is already awaited.
        case .prompt(let failure):
            waiting.phase = .lastPrompt(failure)
            state = .waiting(waiting)
        case .lastPrompt: state = .waiting(waiting)
        }
    }

    /// Handles the end of the time limit for the whole exchange.
    private mutating func timeOut(_ waiting: inout Waiting, _ out: inout [Effect]) {
        if waiting.isLast {
            interrupt(&waiting, .lastPrompt(.timedOut), &out)
        } else {
            interrupt(&waiting, .prompt(.timedOut), &out)
        }
    }

    /// Interrupts the adapter and waits for its prompt, before which it accepts no request.
    private mutating func interrupt(
        _ waiting: inout Waiting, _ phase: Waiting.Phase, _ out: inout [Effect]
    ) {
        disarmAll(&out)
        waiting.phase = phase
        arm(.interrupt, after: policy.interruptLimit, &out)
        dialect.interrupt(&said)
        absorb(&waiting, &out)
    }

    /// Delivers the outcome of an exchange after which the adapter is at its prompt.
    private mutating func finish(
        _ waiting: inout Waiting, _ outcome: Outcome, isLast: Bool = false,
        _ out: inout [Effect]
    ) {
        disarmAll(&out)
        let id = waiting.request.id
        out.append(.deliver(id, outcome))
        state = isLast || waiting.isLast ? .processingLast(id) : .processing(id)
    }

    /// Handles the outputs of the dialect during a request and sets the state.
    private mutating func absorb(_ waiting: inout Waiting, _ out: inout [Effect]) {
        var end: ExchangeEnd?
        var hasRestarted = false
        var heard: [DialectOutput] = []
        swap(&heard, &said)
        // Not `for output in heard`, because that would copy each element.
        for place in heard.indices {
            if passOn(heard.span[place], &hasRestarted, &out) { continue }
            switch heard.span[place] {
            case .message(let message):
                if message.isPending(for: waiting.request) { awaitPending(&waiting, &out) }
                waiting.reply.keep(message)
            case .linkError(let error): waiting.reply.keep(error)
            case .status(let status): waiting.reply.keep(status)
            case .text(let line):
                if case .monitor = waiting.request {
                    out.append(.notice(.heard(line)))
                } else {
                    waiting.reply.keep(line)
                }
            case .voltage(let voltage): waiting.reply.voltage = voltage
            case .frame(let id, let data):
                let frame = BusFrame(id: id, data: data)
                if case .monitor = waiting.request {
                    out.append(.notice(.heardFrame(frame)))
                } else {
                    waiting.reply.keep(frame)
                }
            case .end(let how): end = how
            // No set-up is running, and the other outputs were handled above.
            case .ready, .initialisationFailed, .write, .arm, .disarm, .disarmAll, .lineRate,
                .filter, .notice:
                break
            }
        }
        heard.removeAll(keepingCapacity: true)
        swap(&heard, &said)
        if let end { conclude(&waiting, with: end, &out) } else { state = .waiting(waiting) }
        if hasRestarted { noteRestart(&out) }
    }

    private mutating func conclude(
        _ waiting: inout Waiting, with end: ExchangeEnd, _ out: inout [Effect]
    ) {
        switch end {
        case .complete, .interrupted: conclude(&waiting, &out)
        case .outOfStep: concludeOutOfStep(&waiting, &out)
        case .refused: finish(&waiting, .failed(.notSent, soFar: waiting.reply), &out)
        case .timedOut: abandon(&waiting, because: .timedOut, .unresponsive, &out)
        case .flooded: abandon(&waiting, because: .flooded, .flooded, &out)
        case .adapterRestarted:
            abandon(&waiting, because: .adapterRestarted, .adapterRestarted, &out)
        case .restartedBeforeSending:
            abandon(
                &waiting,
                because: waiting.sendings > 1 ? .adapterRestarted : .restartedBeforeSending,
                .adapterRestarted, &out)
        }
    }

    /// Handles a restart after the prompt: the reply is valid, but the next request needs the settings again.
    private mutating func noteRestart(_ out: inout [Effect]) {
        switch state {
        // A pause before a repetition; a running exchange reports a restart at its end.
        case .waiting(var waiting):
            abandon(&waiting, because: .adapterRestarted, .adapterRestarted, &out)
        case .processing:
            fail(.adapterRestarted, in: .processing, linkIsOpen: true, &out)
        // The session is ending, so there is no need to set up the adapter again.
        case .processingLast: break
        case .initializing, .idle, .error, .modifying: break
        }
    }

    /// Delivers the failure of an exchange after which the adapter is out of step.
    private mutating func abandon(
        _ waiting: inout Waiting, because failure: Failure, _ reason: ErrorReason,
        _ out: inout [Effect]
    ) {
        // The reason for an interrupt is the first reason.
        var first = failure
        switch waiting.phase {
        case .prompt(let earlier), .lastPrompt(let earlier): first = earlier
        case .reply, .pause: break
        }
        disarmAll(&out)
        out.append(.deliver(waiting.request.id, .failed(first, soFar: waiting.reply)))
        if waiting.isLast {
            leave(&out)
        } else {
            fail(reason, in: .waiting, linkIsOpen: true, &out)
        }
    }

    private mutating func awaitPending(_ waiting: inout Waiting, _ out: inout [Effect]) {
        guard waiting.phase == .reply, waiting.pendings < policy.pendingCount else { return }
        waiting.pendings += 1
        waiting.isPending = true
        arm(.reply, after: policy.pendingLimit, &out)
    }

    /// Returns to the usual time limit when data follow "response pending".
    private mutating func endPending(_ waiting: inout Waiting, _ out: inout [Effect]) {
        guard waiting.isPending, waiting.phase == .reply else { return }
        waiting.isPending = false
        arm(.reply, after: policy.replyLimit(of: waiting.request), &out)
    }

    /// Evaluates the reply when the adapter is at its prompt.
    private mutating func conclude(_ waiting: inout Waiting, _ out: inout [Effect]) {
        switch waiting.phase {
        case .prompt(let failure), .lastPrompt(let failure):
            finish(&waiting, .failed(failure, soFar: waiting.reply), &out)
        case .reply, .pause:
            waiting.reply.dropAnsweredPendings(of: waiting.request)
            if waiting.reply.statuses.contains(where: { $0.recovery == .initialise }) {
                abandon(&waiting, because: .adapterRestarted, .adapterRestarted, &out)
            } else if !waiting.reply.isPlain, Self.deservesRepeat(waiting, policy) {
                awaitRepeat(&waiting, faults: waiting.reply.damage, &out)
            } else {
                failures = 0
                waiting.reply.wasPending = waiting.pendings > 0
                finish(&waiting, .answered(waiting.reply), &out)
            }
        }
    }

    /// Evaluates a reply whose messages all answer another request, after the adapter was quiet.
    private mutating func concludeOutOfStep(_ waiting: inout Waiting, _ out: inout [Effect]) {
        switch waiting.phase {
        case .prompt(let failure), .lastPrompt(let failure):
            finish(&waiting, .failed(failure, soFar: waiting.reply), &out)
        case .reply, .pause:
            guard waiting.request.mayRepeat, !waiting.wasOutOfStep else {
                finish(&waiting, .failed(.outOfStep, soFar: waiting.reply), &out)
                return
            }
            waiting.wasOutOfStep = true
            // The message that ended the answer too early may have been counted as part of it.
            waiting.request.dropFrameCount()
            awaitRepeat(&waiting, faults: waiting.reply.messages.count, &out)
        }
    }

    /// Discards a reply and sends its request again after a pause.
    private mutating func awaitRepeat(
        _ waiting: inout Waiting, faults: Int, _ out: inout [Effect]
    ) {
        disarmAll(&out)
        if faults > 0 {
            out.append(
                .notice(
                    .damaged(waiting.request.id, faults: faults, errors: waiting.reply.errors)))
        }
        waiting.earlierDamage = waiting.reply.errors
        // The count included the "response pending" messages.
        if waiting.pendings > 0 { waiting.request.dropFrameCount() }
        waiting.reply = Reply()
        waiting.phase = .pause
        waiting.isPending = false
        arm(.pause, after: policy.repeatPause, &out)
        state = .waiting(waiting)
    }

    /// Whether the same request may and should be sent again.
    // Static, because a method call would copy the whole scan tool.
    private static func deservesRepeat(_ waiting: Waiting, _ policy: Policy) -> Bool {
        guard waiting.request.mayRepeat else { return false }
        let repeats = waiting.sendings - 1
        if waiting.reply.messages.contains(where: { $0.isPending(for: waiting.request) }) {
            return repeats < policy.pendingRepeats
        }
        // Not for NRC 37, which says to wait and not to repeat at once.
        if waiting.reply.messages.contains(where: { $0.asksToRepeat(waiting.request) }) {
            return repeats < policy.busyRepeats
        }
        guard waiting.reply.frames.isEmpty else { return false }
        // A lost character in one ECU's answer must not hide it, even if other ECUs answered.
        if waiting.reply.damage > 0, waiting.request.isForVehicle {
            let isAccident =
                waiting.reply.errors.isEmpty || waiting.reply.errors != waiting.earlierDamage
            let most = waiting.reply.errors.isEmpty ? 1 : policy.damageRepeats
            return isAccident && repeats < most
        }
        guard waiting.reply.messages.isEmpty else { return false }
        return waiting.reply.statuses.contains { status in
            switch status.recovery {
            case .retry(let times): repeats < times
            case .normal, .initialise, .report, .dropFeature: false
            }
        }
    }
}

extension Reply {
    /// Whether there are answers without a fault, a refusal or another sign of trouble.
    fileprivate var isPlain: Bool {
        !messages.isEmpty && errors.isEmpty && statuses.isEmpty
            && !messages.contains { $0.payload.first == 0x7F }
    }

    /// The number of unreadable lines, and of refusals by the adapter itself, which may have received the
    /// request garbled.
    var damage: Int {
        errors.count + (messages.isEmpty && statuses.contains(.unknownCommand) ? 1 : 0)
    }
}

extension ECUMessage {
    /// Whether the message means that the answer to `request` will follow (NRC 78).
    func isPending(for request: AdapterRequest) -> Bool {
        refusal(of: request) == .responsePending
    }
}

extension ECUMessage {
    /// Whether the message asks for a repetition after a pause, because the ECU is busy or the result is not
    /// ready.
    func asksToRepeat(_ request: AdapterRequest) -> Bool {
        let nrc = refusal(of: request)
        return nrc == .busyRepeatRequest || nrc == .routineNotComplete
    }

    /// The reason for refusing `request`; nil if it is not a refusal.
    private func refusal(of request: AdapterRequest) -> NRC? {
        guard case .vehicle(let asked) = request, let refusal = NegativeResponse(payload),
            refusal.service.rawValue == asked.payload.first
        else { return nil }
        return refusal.nrc
    }
}

extension Policy {
    /// The time limit of the exchange for `request`.
    func replyLimit(of request: AdapterRequest) -> Duration {
        switch request {
        case .vehicle(let request):
            switch request.ending {
            case .reply, .silence: replyLimit
            case .listen(_, let atMost): atMost + replyLimit
            }
        case .action, .command: replyLimit
        case .monitor(_, _, let atMost, _): atMost + replyLimit
        }
    }
}
