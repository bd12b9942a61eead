import Accessory
import Adapters
import Diagnostics
import OBDCore
import ScanTool
import SystemIO

// Which request comes next.
extension Runner {
    /// Takes a command from outside.
    mutating func obey(_ command: SessionCore.Command) {
        switch command {
        case .ask(let request, let ticket): asks.append(Ask(request: request, ticket: ticket))
        case .poll(let plan):
            // What rested is asked anew, as the first time.
            if gap.isResting { gap.restart(at: SystemClock.now()) } else { gap.goOn() }
            carryOut(driver.take(.begin), plan)
        case .endListening:
            // As if its time were up.
            guard current != nil,
                let place = deadlines.firstIndex(where: { $0.deadline == .dialect(.listen) })
            else { return }
            deadlines.remove(at: place)
            handle(.deadlineExpired(.dialect(.listen)))
        case .pausePoll: carryOut(driver.take(.pause))
        case .resumePoll: carryOut(driver.take(.resume))
        case .cancelPoll: carryOut(driver.take(.cancel))
        }
    }

    /// Does what follows for the poll; `plan` is the one to go by from here on.
    mutating func carryOut(_ orders: [PollDriver.Order], _ plan: PollPlan? = nil) {
        if !orders.isEmpty { planWaits = nil }
        for order in orders {
            switch order {
            case .resetFigures:
                core.resetStatistics()
                account = TimeAccount()
            case .restartGap: gap.restart(at: SystemClock.now())
            case .freeGap: gap.free(from: now)
            case .adopt:
                take(plan)
                notSent = []
            case .drop: take(nil)
            case .report: publishReport()
            case .tellStart: tell(.scanDidStart)
            case .tellPause: tell(.scanDidPause)
            case .tellCancel: tell(.scanDidCancel)
            case .tellFinish: tell(.pollDidFinish)
            }
        }
    }

    /// Submits the next request, if there is one and the scan tool is free.
    mutating func takeOver() {
        planWaits = nil
        guard case .idle = machine.state, offering == nil, !isStopping,
            !asks.isEmpty || driver.state == .polling
        else { return }
        takeEarlyBytes()
        guard case .idle = machine.state else { return }
        if !asks.isEmpty {
            var ask = asks.removeFirst()
            if ask.sendings == 0 {
                lastID &+= 1
                // Plans count from 1.
                ask.request = ask.request.with(id: RequestID(rawValue: 0x8000_0000 | lastID))
            }
            ask.sendings += 1
            submit(ask.request, for: ask)
            lookAgainIfFree()
            return
        }
        let step = plan?.next(at: now, link: machine.dialect.capabilities)
        tellBatteryNews()
        switch step {
        case .ask(let request):
            submit(.vehicle(request), for: nil)
            lookAgainIfFree()
        case .readVoltage(let id):
            submit(.action(id: id, .readVoltage), for: nil)
            lookAgainIfFree()
        case .wait(let until):
            planWaits = until
            let present = SystemClock.now()
            gap.wait(
                at: present, rests: !gap.isResting && plan?.isHoldingBack(at: now) ?? false)
        case .done:
            processDelivered()
            // Who waits for the end wants the last reply first.
            guard offering == nil else { return }
            carryOut(driver.take(.done))
        case nil: break
        }
    }

    /// What the dialect cannot send has its outcome at once, and nothing would end the wait for it.
    private mutating func lookAgainIfFree() {
        if current == nil { planWaits = now }
    }

    private mutating func submit(_ request: AdapterRequest, for ask: Ask?) {
        now = SystemClock.now()
        gap.close(at: now, into: &account)
        timing = ExchangeTiming(at: now)
        current = RunningRequest(request: request, asked: now, ask: ask)
        if case .vehicle(let request) = request {
            core.noteRequest(records: request.records, at: now)
        }
        if wanted.contains(.requests) { tell(.didSendCommand(request)) }
        handle(.submitted(request))
    }

    /// Nobody took the request under way.
    mutating func refuse(_ id: RequestID, _ refusal: Refusal) {
        guard let current, current.request.id == id else { return }
        self.current = nil
        if let ask = current.ask {
            ask.ticket.fulfil(.failure(.refused(refusal)))
        } else {
            plan?.answered(id, refusal == .needsConsent ? .notSent : .failed, at: now)
            if refusal == .needsConsent { tellNotSent(current.request) }
        }
    }
}

extension AdapterRequest {
    func with(id: RequestID) -> AdapterRequest {
        switch self {
        case .vehicle(var request):
            request.id = id
            return .vehicle(request)
        case .action(_, let action): return .action(id: id, action)
        case .command(_, let text, let mayRepeat, let consent):
            return .command(id: id, text: text, mayRepeat: mayRepeat, consent: consent)
        case .monitor(_, let text, let atMost):
            return .monitor(id: id, text: text, atMost: atMost)
        }
    }

    /// What the vehicle is asked; nil for a command to the adapter.
    var payload: [UInt8]? {
        switch self {
        case .vehicle(let request): request.payload
        case .action, .command, .monitor: nil
        }
    }
}

extension VehicleRequest {
    /// Records that it asks for.
    var records: Int {
        payload.first.flatMap(ServiceShape.of).map { max(1, $0.selectors(of: payload).count) } ?? 1
    }
}
