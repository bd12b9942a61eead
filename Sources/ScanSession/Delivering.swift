import Adapters
import Diagnostics
import OBDCore
import ScanTool

// What becomes of a reply: decoded, told to whoever asked, offered to the sinks.
extension Runner {
    /// Takes over what became of the request under way.
    ///
    /// A plan needs what came, not what it says: the next request is written first, and this reply
    /// decoded while the vehicle is at work on it. A plan that rests waits for what it says.
    mutating func deliver(_ id: RequestID, _ outcome: Outcome) {
        guard let current, current.request.id == id else {
            followUps.append(.replyProcessed(id))
            return
        }
        self.current = nil
        // The one before, where this came without waiting: a write that failed.
        processDelivered()
        takeTime(of: current, outcome)
        if wanted.contains(.requests) {
            tell(
                .didReceiveResponses(
                    current.request.id, messages: outcome.reply.messages.count))
        }
        let isPolled = current.ask == nil && driver.hasPlan
        if isPolled {
            plan?.answered(id, outcome.forPlan, at: now)
            tellBatteryNews()
            if case .failed(.notSent, _) = outcome { tellNotSent(current.request) }
        }
        undecoded = Delivered(
            id: id, outcome: outcome, current: current,
            exchange: Exchange(
                request: current.request.payload,
                vehicleProtocol: machine.dialect.capabilities.vehicleProtocol), time: now)
        // The sinks are at the reply before: this one stays with the machine, and nothing is asked.
        guard offering == nil else { return }
        if case .answered = outcome, isPolled, !isStopping, !vehicleRests {
            undecoded?.isAcknowledged = true
            followUps.append(.replyProcessed(id))
        } else {
            processDelivered()
        }
    }

    /// Tells once that a request cannot be sent, or is not without consent.
    mutating func tellNotSent(_ request: AdapterRequest) {
        guard case .vehicle(var request) = request else { return }
        request.id = RequestID(rawValue: 0)
        request.expectedFrames = nil
        if notSent.insert(request).inserted { tell(.didNotSend(request)) }
    }

    /// Decodes what came, tells who asked, offers it to the sinks.
    mutating func processDelivered() {
        guard offering == nil, let delivered = undecoded else { return }
        undecoded = nil
        let current = delivered.current
        let exchange = delivered.exchange
        var items: [DiagnosticItem] = []
        for message in delivered.reply.messages { decoder.decode(message, in: exchange, &items) }
        decoder.endExchange(exchange, &items)
        let unasked = items.compactMap { item in
            if case .message(let message) = item, decoder.isUnasked(message, in: exchange) {
                message
            } else {
                nil
            }
        }
        note(delivered, items, unasked: unasked.count)
        if let ask = current.ask {
            let answer = Answer(
                request: current.request, exchange: exchange, reply: delivered.reply, items: items,
                asked: current.asked, answered: delivered.time)
            conclude(ask, delivered.failure, answer)
        } else if planWatchesMotion {
            plan?.take(items, at: delivered.time)
            if !current.request.isForVehicle {
                plan?.take(voltage: delivered.reply.voltage, at: delivered.time)
            }
            tellBatteryNews()
        }
        guard !sinks.isEmpty, delivered.isWorthKeeping else {
            acknowledge(delivered)
            return
        }
        offer(batch(of: delivered, items, unasked: unasked), delivered)
    }

    private func batch(
        of delivered: Delivered, _ items: [DiagnosticItem], unasked: [ECUMessage]
    ) -> ReadingBatch {
        let current = delivered.current
        var batch = ReadingBatch(
            id: delivered.id, exchange: delivered.exchange, asked: current.asked,
            answered: delivered.time, messages: delivered.reply.messages, items: items,
            voltage: delivered.reply.voltage)
        batch.statuses = delivered.reply.statuses
        batch.linkErrors = current.damage
        if !delivered.reply.errors.isEmpty { batch.linkErrors += delivered.reply.errors }
        // The words of a command's answer are what was asked for.
        if current.request.isForVehicle { batch.strayTexts = delivered.reply.texts }
        batch.unasked = unasked
        batch.failure = delivered.failure
        return batch
    }

    /// Offers a batch to the sinks; usually it is taken at once, without being kept.
    private mutating func offer(_ batch: ReadingBatch, _ delivered: Delivered) {
        for place in sinks.indices
        where !sinks[place].offer(batch) && sinks[place].spaceDescriptor != nil {
            offering = Offering(
                batch: batch, sink: place, isAcknowledged: delivered.isAcknowledged)
            if isStopping { offeringEnds = offeringEnds ?? now + configuration.drainLimit }
            return
        }
        acknowledge(delivered)
    }

    /// The machine may take the next request.
    private mutating func acknowledge(_ delivered: Delivered) {
        if !delivered.isAcknowledged { followUps.append(.replyProcessed(delivered.id)) }
    }

    /// Notes where the exchange's time went.
    private mutating func takeTime(of current: RunningRequest, _ outcome: Outcome) {
        gap.begin(at: now, isFree: driver.state == .paused)
        guard case .answered(let reply) = outcome else {
            // What a stop cut short is no failure.
            if case .failed(.stopped, _) = outcome { return }
            account.takeFailure(now - current.asked)
            return
        }
        account.take(
            timing, at: now, rate: wireRate,
            isSilent: current.request.isForVehicle && reply.messages.isEmpty
                && reply.errors.isEmpty)
    }

    /// Tells whether the vehicle is left alone from now on, or asked again.
    mutating func tellBatteryNews() {
        guard planWatchesMotion, let news = plan?.takeBatteryNews(at: now) else { return }
        for one in news {
            switch one {
            case .rests(let rest):
                vehicleRests = true
                tell(.scanDidRest(rest))
            case .goesOn(let rest, _):
                vehicleRests = false
                tell(.scanDidWake(rest))
            }
        }
    }

    /// Publishes where the poll's time went and how its records fared.
    mutating func publishReport() {
        guard let plan else { return }
        if current == nil { gap.finish(at: now, into: &account) }
        core.publish(
            PollReport(
                time: account.parts, silent: account.silent, silence: account.silence,
                plan: plan.report(at: now), capabilities: machine.dialect.capabilities,
                lineRate: account.rateIsFiction ? nil : wireRate))
    }

    private mutating func conclude(_ ask: Ask, _ failure: Failure?, _ answer: Answer) {
        guard let failure else {
            ask.ticket.fulfil(.success(answer))
            return
        }
        if mayAskAgain(ask, after: failure) {
            asks.insert(ask, at: 0)
        } else {
            ask.ticket.fulfil(.failure(.requestFailed(failure, soFar: answer)))
        }
    }

    /// Whether a request is worth another try once the adapter is set up anew.
    private mutating func mayAskAgain(_ ask: Ask, after failure: Failure) -> Bool {
        guard ask.request.mayRepeat, ask.sendings < 2, !isStopping else { return false }
        switch failure {
        case .adapterRestarted, .restartedBeforeSending: return true
        case .linkLost: return configuration.reconnect == .always
        case .timedOut, .stopped, .flooded, .outOfStep, .notSent: return false
        }
    }

    /// Offers the batch to the sinks that have not taken it.
    mutating func continueOffering() {
        guard let batch = offering?.batch else { return }
        while let sink = offering?.sink, sink < sinks.count {
            if !sinks[sink].offer(batch) && sinks[sink].spaceDescriptor != nil { return }
            offering?.sink += 1
        }
        endOffering()
    }

    /// The batch is taken, or given up: the reply behind it is next.
    mutating func endOffering() {
        guard let over = offering else { return }
        offering = nil
        if !over.isAcknowledged { followUps.append(.replyProcessed(over.batch.id)) }
        processDelivered()
    }

    /// Counts what a reply brought, and tells of it.
    private mutating func note(
        _ delivered: Delivered, _ items: [DiagnosticItem], unasked: Int
    ) {
        let current = delivered.current
        // The voltage at the adapter is a reading like any other.
        var readings = delivered.reply.voltage == nil ? 0 : 1
        var errors = delivered.reply.errors.count + unasked
        // Words that answer no request belong to another conversation: the adapter is out of step.
        if current.request.isForVehicle, delivered.reply.messages.isEmpty,
            !delivered.reply.texts.isEmpty
        {
            errors += 1
        }
        for item in items {
            switch item {
            case .reading: readings += 1
            case .error: errors += 1
            case .monitor, .monitorTest, .code, .negativeResponse, .message: break
            }
        }
        var roundTrip: Duration?
        var timedOut = false
        switch delivered.failure {
        case nil: roundTrip = delivered.time - current.asked
        case .timedOut: timedOut = true
        case .stopped: break
        case .adapterRestarted, .restartedBeforeSending, .flooded, .outOfStep, .notSent,
            .linkLost:
            errors += 1
        }
        core.noteReply(
            after: current.request.isForVehicle ? roundTrip : nil, readings: readings,
            errors: errors, timedOut: timedOut, at: delivered.time)
        if timedOut { tell(.didTimeOut(current.request.id)) }
        if let voltage = delivered.reply.voltage { noteVoltage(voltage) }
    }
}

extension Outcome {
    /// What a plan has to know.
    var forPlan: PollPlan.Outcome {
        switch self {
        case .failed(.notSent, _): return .notSent
        case .failed: return .failed
        case .answered(let reply):
            if !reply.messages.isEmpty {
                let isIntact =
                    reply.errors.isEmpty && !reply.statuses.contains { $0.recovery != .normal }
                return .answered(
                    reply.messages, intact: isIntact, pending: reply.wasPending)
            }
            // Damaged answers are not silence: nothing is learnt about the vehicle.
            guard reply.errors.isEmpty, reply.texts.isEmpty else { return .failed }
            switch reply.statuses.last {
            case .noData, nil: return .silent
            case .unknownCommand: return .refused
            case .bufferFull, .unableToConnect, .busInitError, .busBusy, .busError, .canError,
                .dataError,
                .rxError, .feedbackError, .stopped, .flowControlTimeout, .lowVoltageReset,
                .internalError:
                return .failed
            }
        }
    }
}
