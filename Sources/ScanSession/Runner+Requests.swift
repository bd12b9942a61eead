import Accessory
import Adapters
import Diagnostics
import OBDCore
import ScanTool
import SystemIO

// Chooses the next request.
extension Runner {
    /// Carries out a command from outside the thread.
    mutating func obey(_ command: SessionCore.Command) {
        switch command {
        case .listen(let filters):
            isHearing = true
            if configuration.onlyListens { listening = filters }
        case .ask(let request, let ticket):
            // A session that listens until its end would never send the request.
            guard listening == nil else {
                let answer = Answer(
                    request: request, exchange: Exchange(), reply: Reply(), items: [], asked: now,
                    answered: now)
                return ticket.fulfil(.failure(.requestFailed(.notSent, soFar: answer)))
            }
            driver.requests.append(request, for: ticket)
        case .poll(let plan, let next):
            follow(next)
            // The new plan also asks for signals that were asked less often before.
            if times.gap.isResting {
                times.gap.restart(at: SystemClock.now())
            } else {
                times.gap.goOn()
            }
            carryOut(driver.polling.take(.begin), plan)
        case .endListening:
            // Ends the monitor request as if its time were over.
            guard driver.handover.request != nil, deadlines.disarm(.dialect(.listen)) else {
                return
            }
            handle(.deadlineExpired(.dialect(.listen)))
        case .pausePoll: carryOut(driver.polling.take(.pause))
        case .resumePoll: carryOut(driver.polling.take(.resume))
        case .cancelPoll: cancelPoll()
        case .leave(let left): if left === stream { cancelPoll() }
        case .stop:
            carryOut(driver.life.take(.stopRequested))
            drainFollowUps()
        }
    }

    private mutating func cancelPoll() {
        follow(nil)
        carryOut(driver.polling.take(.cancel))
    }

    /// Passes batches to `next` from now on, and ends the earlier stream.
    mutating func follow(_ next: PollStream?, _ fault: ScanError? = nil) {
        stream?.finish(fault)
        stream = next
    }

    /// Carries out the orders for the poll; `plan` is the new plan, if any.
    mutating func carryOut(_ orders: [Polling.Order], _ plan: PollPlan? = nil) {
        if !orders.isEmpty { deadlines.plan = nil }
        for order in orders {
            switch order {
            case .resetFigures:
                core.resetStatistics()
                times.resetAccount()
            case .restartGap: times.gap.restart(at: SystemClock.now())
            case .freeGap: times.gap.free(from: now)
            case .adopt: polled = plan.map(PolledPlan.init)
            case .drop: polled = nil
            case .report: publishReport()
            case .tellStart: tell(.scanDidStart)
            case .tellPause: tell(.scanDidPause)
            case .tellCancel: tell(.scanDidCancel)
            case .tellFinish:
                follow(nil)
                tell(.pollDidFinish)
            }
        }
    }

    /// Submits the next request, if there is one and the scan tool is idle.
    mutating func takeOver() {
        deadlines.plan = nil
        guard case .idle = machine.state, !listenOn(), driver.mayAsk else { return }
        // Right after a frame there cannot be another one, and each system call delays the request.
        if !(session?.isDrained ?? false) { takeEarlyBytes() }
        guard case .idle = machine.state else { return }
        switch driver.next() {
        case .request(let ask): submit(ask.request, for: ask)
        case .plan: askPlan()
        case .nothing: break
        }
    }

    private mutating func askPlan() {
        let step = polled?.plan.next(at: now, link: machine.dialect.capabilities)
        tellBatteryNews()
        switch step {
        case .ask(let request): submit(.vehicle(request), for: nil)
        case .readVoltage(let id): submit(.action(id: id, .readVoltage), for: nil)
        case .wait(let until):
            deadlines.plan = until
            let present = SystemClock.now()
            times.gap.wait(
                at: present,
                rests: !times.gap.isResting && polled?.plan.isHoldingBack(at: now) ?? false)
        case .done:
            decodeReplies()
            // A caller that waits for the end of the poll should first get the last reply.
            if driver.handover.batch == nil { carryOut(driver.polling.take(.done)) }
        case nil: break
        }
    }

    mutating func submit(_ request: AdapterRequest, for ask: Ask?) {
        now = SystemClock.now()
        times.submit(at: now)
        let running = RunningRequest(request: request, asked: now, ask: ask)
        carryOut(driver.handover.take(.submitted(running)))
        if audience.wants(.requests) { tell(.didSendCommand(request)) }
        handle(.submitted(request))
        // This is counted while the vehicle already works on the request.
        if case .vehicle(let request) = request {
            core.noteRequest(records: request.records, at: running.asked)
        }
        // A request that the dialect cannot send ends at once, and no event would end the wait after it.
        if driver.handover.request == nil { deadlines.plan = now }
    }

    /// Ends a request that was refused.
    mutating func refuse(_ id: RequestID, _ refusal: Refusal) {
        guard let current = driver.handover.request, current.request.id == id else { return }
        carryOut(driver.handover.take(.refused))
        if let ask = current.ask {
            ask.promise.fulfil(.failure(.refused(refusal)))
        } else {
            polled?.plan.answered(id, refusal == .needsConsent ? .notSent : .failed, at: now)
            if refusal == .needsConsent { tellNotSent(current.request) }
        }
    }
}

extension AdapterRequest {
    /// The data of the vehicle's request; nil for a command to the adapter.
    var payload: [UInt8]? {
        switch self {
        case .vehicle(let request): request.payload
        case .action, .command, .monitor: nil
        }
    }

    /// The only ECU that receives the request; nil for all ECUs, or the adapter.
    var target: ECUAddress? {
        switch self {
        case .vehicle(let request): request.target
        case .action, .command, .monitor: nil
        }
    }
}

extension VehicleRequest {
    /// The number of records that it requests.
    var records: Int {
        payload.first.flatMap(ServiceShape.of).map { max(1, $0.selectorCount(of: payload)) } ?? 1
    }
}
