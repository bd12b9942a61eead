import Accessory
import Adapters
import OBDCore
import ScanTool

// Carries out the effects of the state machine and collects the resulting events in `followUps`.
extension Runner {
    mutating func carryOut(_ effect: Effect) {
        switch effect {
        case .open: openSession()
        case .write(let bytes): write(bytes)
        case .arm(let deadline, let time): deadlines.arm(deadline, at: now + time)
        case .disarm(let deadline): deadlines.disarm(deadline)
        case .setLineRate(let rate): setLineRate(rate)
        case .setFilter(let filters): setFilter(filters)
        case .deliver(let id, let outcome): deliver(id, outcome)
        case .refuse(let id, let refusal): refuse(id, refusal)
        case .notice(let notice): note(notice)
        case .report(let report): note(report)
        case .close:
            if session != nil {
                session = nil
                carryOut(driver.life.take(.linkLost))
                tell(.toolDidDisconnect(nil))
            }
            followUps.append(.closed)
        }
    }

    private mutating func write(_ bytes: [UInt8]) {
        record(bytes, .toAdapter)
        times.wrote(bytes, at: now)
        do {
            try session?.write(bytes)
        } catch {
            lose(error)
        }
    }

    private mutating func setLineRate(_ rate: Int) {
        do {
            try session?.setLineRate(rate)
            followUps.append(.lineRateSet(rate))
        } catch {
            if error.isLoss { return lose(error) }
            // The line keeps its rate. The dialect receives nothing at the new rate and goes back.
            followUps.append(.lineRateSet(session?.lineRate ?? rate))
        }
    }

    private mutating func setFilter(_ filters: [CANFilter]) {
        do {
            try session?.setFilter(CANRecord.filterPairs(of: filters))
        } catch {
            lose(error)
        }
    }

    // MARK: Notices

    private mutating func note(_ notice: Notice) {
        switch notice {
        case .initialized(let identity):
            deadlines.longSearch = nil
            connectPlan.succeeded(at: session?.lineRate)
            times.lineRate = session?.lineRate
            lastVoltage = identity.voltage ?? lastVoltage
            publishLink(identity)
            carryOut(driver.life.take(.initialized))
            if machine.dialect.capabilities.hearsGroups { session?.observeFrames() }
            if let link = core.link { tell(.toolDidInitialize(link)) }
            ready.fulfil(.success(()))
        case .dialect(let notice):
            switch notice {
            case .aboutToSleep: tell(.toolWillSleep)
            case .protocolFound, .featureDropped: publishLink(machine.dialect.identity)
            case .searching:
                deadlines.longSearch = now + configuration.longSearch
                tellProgress(.protocolSearch)
            case .setupGoesOn(let failure): tellProgress(.setupGoesOn(after: failure))
            case .heard(let frame): hear(BusFrame(id: frame.id, data: Array(frame.data)))
            case .adapterRestarted, .unsupportedCommand, .unexpected: break
            }
        case .voltage(let voltage): noteVoltage(voltage)
        case .heard(let line): tellProgress(.heard(line))
        case .heardFrame(let frame):
            hear(frame)
            if audience.wants(.progress) {
                audience.tell(.didProgress(.heardFrame(frame)), at: frameTime ?? now)
            }
        case .damaged(_, let faults, let errors):
            core.noteErrors(faults)
            driver.handover.request?.damage += errors
        case .unsolicited, .repeated: break
        }
    }

    mutating func tellProgress(_ progress: ScanProgress) {
        if audience.wants(.progress) { tell(.didProgress(progress)) }
    }

    mutating func noteVoltage(_ voltage: Double) {
        lastVoltage = voltage
        tell(.didReceiveVoltage(voltage))
    }

    private mutating func publishLink(_ identity: AdapterIdentity) {
        for question in identity.questions {
            note(question.messages, answering: question.request, at: nil)
        }
        let capabilities = machine.dialect.capabilities
        let link = LinkInformation(
            identity: identity, dialect: machine.dialect.protocolString, capabilities: capabilities,
            lineRate: session?.lineRate, voltage: lastVoltage, time: now)
        let memory = AdapterMemory(
            lineRate: session?.lineRate, identity: identity,
            vehicleProtocol: capabilities.vehicleProtocol)
        core.publish(link, memory: memory)
    }

    private mutating func note(_ report: ErrorReport) {
        core.noteError()
        deadlines.longSearch = nil
        times.gap.noteOutage()
        switch report.reason {
        case .initialisation(let failure): tell(.toolDidFailToInitialize(failure))
        case .initialisationTimedOut: tell(.toolDidFailToInitialize(.timedOut(command: "")))
        case .openFailed, .linkLost, .adapterRestarted, .flooded, .unresponsive: break
        }
        tell(.didReceiveError(report))
        // The adapter is another one, or its rate has changed since last time, so all rates are tested.
        let isAnotherRate = connectPlan.isOnTrust && report.reason.isAdapterUnheard
        carryOut(
            driver.life.take(.failed(report.reason, report.next, isAnotherRate: isAnotherRate)))
    }

    // MARK: The transcript

    mutating func startRecording() {
        guard let descriptor = configuration.recordTo else { return }
        do {
            recorder = try Recorder(
                descriptor: descriptor, headers: configuration.recordHead, start: now)
        } catch {
            tell(.recordingFailed(errno: error.errno))
        }
    }

    mutating func record(_ bytes: [UInt8], _ direction: Transcript.Direction) {
        guard recorder != nil else { return }
        do {
            try recorder?.record(bytes, direction, at: now)
        } catch {
            recorder = nil
            tell(.recordingFailed(errno: error.errno))
        }
    }
}

extension ErrorReason {
    /// Whether the adapter sent nothing that makes sense, as with a wrong line rate.
    fileprivate var isAdapterUnheard: Bool {
        switch self {
        case .initialisation(.silent), .initialisation(.notUnderstood): true
        case .initialisation, .openFailed, .linkLost, .initialisationTimedOut, .adapterRestarted,
            .flooded, .unresponsive:
            false
        }
    }
}
