import Adapters
import Diagnostics
import OBDCore
import ScanTool

// Decodes replies, delivers them to the caller and offers them to the sinks.
extension Runner {
    /// Handles the outcome of the current request.
    mutating func deliver(_ id: RequestID, _ outcome: Outcome) {
        guard let current = driver.handover.request, current.request.id == id else {
            followUps.append(.replyProcessed(id))
            return
        }
        times.end(
            current.request, asked: current.asked, outcome, at: now,
            isFree: driver.polling.state == .paused)
        if audience.wants(.requests) {
            tell(
                .didReceiveResponses(
                    current.request.id, messages: outcome.reply.messages.count))
        }
        if current.ask == nil, listening != nil, case .failed(.notSent, _) = outcome {
            giveUpListening()
        }
        let isPolled = current.ask == nil && driver.polling.hasPlan
        if isPolled {
            polled?.plan.answered(id, outcome.forPlan, at: now)
            tellBatteryNews()
            if case .failed(.notSent, _) = outcome { tellNotSent(current.request) }
        }
        let goesOn = driver.goesOn(
            after: outcome, isPolled: isPolled, vehicleRests: polled?.rests ?? false)
        let delivered = Delivered(
            id: id, outcome: outcome, current: current,
            exchange: Exchange(
                request: current.request.payload,
                vehicleProtocol: machine.dialect.capabilities.vehicleProtocol), time: now)
        carryOut(driver.handover.take(.delivered(delivered, id, goesOn: goesOn)))
        // A poll decodes the reply while the vehicle already works on the next request.
        if !goesOn { decodeReplies() }
    }

    /// Reports once that a request cannot be sent, or not without consent.
    mutating func tellNotSent(_ request: AdapterRequest) {
        guard case .vehicle(let request) = request, let new = polled?.noteNotSent(request) else {
            return
        }
        tell(.didNotSend(new))
    }

    /// Decodes the received replies, as long as the sinks have space.
    mutating func decodeReplies() {
        while let order = driver.handover.take(.decode) { carryOut(order) }
    }

    mutating func carryOut(_ order: Handover<RunningRequest, Delivered, PendingBatch>.Order?) {
        switch order {
        case .acknowledge(let id): followUps.append(.replyProcessed(id))
        case .decode(let reply, let held): decode(reply, held: held)
        case .lose: core.noteError()
        case nil: break
        }
    }

    /// Decodes a reply, delivers it to the caller and offers it to the sinks.
    private mutating func decode(_ delivered: Delivered, held: RequestID?) {
        let current = delivered.current
        let exchange = delivered.exchange
        var items: [DiagnosticItem] = []
        decoder.note(delivered.reply.messages, in: exchange)
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
        } else if let polled, polled.watchesMotion {
            polled.plan.take(items, at: delivered.time)
            if !current.request.isForVehicle {
                polled.plan.take(voltage: delivered.reply.voltage, at: delivered.time)
            }
            tellBatteryNews()
        }
        if !sinks.isEmpty || stream != nil, delivered.isWorthKeeping {
            let batch = batch(of: delivered, items, unasked: unasked)
            stream?.take(batch)
            if let sink = firstFullSink(for: batch) {
                let pending = PendingBatch(batch, sink: sink)
                carryOut(driver.handover.take(.kept(pending, held)))
                return
            }
        }
        if let held { followUps.append(.replyProcessed(held)) }
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
        // The text of a command's answer is the requested answer, so it is not stray.
        if current.request.isForVehicle { batch.strayTexts = delivered.reply.texts }
        batch.unasked = unasked
        batch.failure = delivered.failure
        return batch
    }

    /// Offers a batch to the sinks and returns the first one that has no space.
    private func firstFullSink(for batch: ReadingBatch, from first: Int = 0) -> Int? {
        Self.firstFullSink(of: sinks, for: batch, from: first)
    }

    /// Offers a batch to `sinks` from `first` on and returns the first one that has no space.
    static func firstFullSink(
        of sinks: [any ReadingSink], for batch: ReadingBatch, from first: Int
    ) -> Int? {
        sinks.indices[first...].first {
            !sinks[$0].offer(batch) && sinks[$0].spaceDescriptor != nil
        }
    }

    /// Reports whether the vehicle rests from now on, or is asked again.
    mutating func tellBatteryNews() {
        for news in polled?.takeBatteryNews(at: now) ?? [] { tell(news) }
    }

    /// Publishes how the poll spent its time and the results of its records.
    mutating func publishReport() {
        guard let plan = polled?.plan else { return }
        if driver.handover.request == nil { times.finish(at: now) }
        let account = times.account
        core.publish(
            PollReport(
                time: account.parts, silent: account.silent, silence: account.silence,
                plan: plan.report(at: now), capabilities: machine.dialect.capabilities,
                lineRate: account.rateIsFiction ? nil : times.lineRate))
    }

    private mutating func conclude(_ ask: Ask, _ failure: Failure?, _ answer: Answer) {
        guard let failure else {
            ask.promise.fulfil(.success(answer))
            return
        }
        let reconnects = configuration.reconnect == .always
        if !driver.takeBack(ask, after: failure, reconnects: reconnects) {
            ask.promise.fulfil(.failure(.requestFailed(failure, soFar: answer)))
        }
    }

    /// Offers the batch to the remaining sinks.
    mutating func continueOffering() {
        guard let pending = driver.handover.batch else { return }
        if let sink = firstFullSink(for: pending.batch, from: pending.sink) {
            pending.sink = sink
        } else {
            endOffering()
        }
    }

    /// Ends the offer of a batch that was taken or dropped, and continues with the next reply.
    mutating func endOffering() {
        carryOut(driver.handover.take(.gone))
        decodeReplies()
    }

    /// Notes which ECUs have sent these messages.
    mutating func note(
        _ messages: [ECUMessage], answering request: [UInt8], at target: ECUAddress?
    ) {
        let before = heard
        heard.note(messages, answering: request, at: target)
        if heard != before { core.publish(heard) }
    }

    /// Reports the adapter's statuses, each of them only from time to time.
    private mutating func report(_ statuses: [AdapterStatus], at time: Instant) {
        for status in statuses {
            if let last = reportedStatuses[status], time - last < ScanEvent.reportPause { continue }
            reportedStatuses[status] = time
            tell(.toolDidReport(status))
        }
    }

    /// Counts the content of a reply and publishes events about it.
    private mutating func note(
        _ delivered: Delivered, _ items: [DiagnosticItem], unasked: Int
    ) {
        let current = delivered.current
        note(
            delivered.reply.messages, answering: current.request.payload ?? [],
            at: current.request.target)
        // The voltage at the adapter counts as a reading.
        var readings = delivered.reply.voltage == nil ? 0 : 1
        var errors = delivered.reply.errors.count + unasked
        // Text that answers no request belongs to another exchange, so the adapter is out of step.
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
        lastRestart = delivered.reply.restart ?? lastRestart
        if current.ask == nil { report(delivered.reply.troubles, at: delivered.time) }
        if let voltage = delivered.reply.voltage { noteVoltage(voltage) }
    }
}

extension Outcome {
    /// The outcome in the form for the plan.
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
            // A damaged answer is not silence and says nothing about the vehicle.
            guard reply.errors.isEmpty, reply.texts.isEmpty else { return .failed }
            switch reply.statuses.last {
            case .noData, nil: return .silent
            case .unknownCommand: return .refused
            case .bufferFull, .unableToConnect, .busInitError, .busBusy, .busError, .canError,
                .dataError,
                .rxError, .feedbackError, .stopped, .flowControlTimeout, .lowVoltageReset,
                .internalError, .fatalCANError, .activityAlert, .lowPowerAlert, .confirmation,
                .busOff, .errorPassive, .wireFault,
                .notAcknowledged,
                .sourceRefused, .unknownTarget, .requestTooLong, .gatewayBusy,
                .targetUnreachable, .unknownNetwork, .transportFailed, .messageRefused:
                return .failed
            }
        }
    }
}
