import OBDCore
import VehicleLink

/// Sends a request: the settings before it, the request itself, and the commands after it.
extension ELM327Dialect {
    /// Sends one request.
    public mutating func send(
        _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [DialectOutput]
    ) {
        guard phase == .atPrompt else {
            out.append(.end(.refused))
            return
        }
        endReading()
        received = 0
        // The partial line began before the request.
        lineIsStale = lexer.partialLine.contains { $0 > 0x20 }
        switch request {
        case .vehicle where options.onlyListens, .command where options.onlyListens:
            out.append(.end(.refused))
        // An adapter without a protocol would search for one, which asks the vehicle.
        case .monitor where options.onlyListens && reader.settings.vehicleProtocol == nil:
            out.append(.end(.refused))
        case .action: send(request.asCommand, isReadOnly: isReadOnly, &out)
        case .command(_, let text, _, _), .monitor(_, let text, _, _):
            // The command has to be a single line without control characters; a line of blanks would repeat
            // the last command.
            guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }),
                text.utf8.contains(where: { $0 != 0x20 })
            else {
                out.append(.end(.refused))
                return
            }
            // The setting may take effect even if the command fails.
            noteSetting(text, isConfirmed: false)
            noteAddresses(text, isConfirmed: false)
            running = RunningExchange(
                request: request, isReadOnly: isReadOnly, command: Array(text.utf8))
            reader.filter = .open
            if case .monitor(_, AdapterCommand.monitorEverything, _, let filters) = request {
                prepareMonitoring(filters)
            }
            proceed(&out)
        case .vehicle(let vehicle):
            if needsSetup(for: vehicle) {
                phase = .outOfStep
                out.append(.end(.restartedBeforeSending))
                return
            }
            guard let spelled = Self.spell(vehicle, countsFrames: capabilities.frameCountHelps),
                let preparations = preparation(for: vehicle)
            else {
                out.append(.end(.refused))
                return
            }
            running = RunningExchange(
                request: request, isReadOnly: isReadOnly, command: spelled.command)
            running.preparations = preparations
            running.withDigit = spelled.withDigit
            admitAnswers(to: vehicle)
            proceed(&out)
        }
    }

    /// Whether the adapter has to be set up again first, because a typed command made unknown what a request
    /// depends on: the protocol, if it needs a header of its own, or the settings of the request before it.
    private func needsSetup(for request: VehicleRequest) -> Bool {
        hasLostSettings
            || hasLostProtocol && (request.target != nil || request.responders != .usual)
    }

    /// Sets the reader's filter to possible answers to `request`; a monitor request accepts all bus traffic.
    private mutating func admitAnswers(to request: VehicleRequest) {
        guard !request.listens, !hasTypedSettings, let format = reader.format else {
            reader.filter = .open
            return
        }
        reader.filter = SenderFilter(
            wire.responders, format.header, tester: reader.settings.testerAddress)
    }

    /// Sends the next setting, or the request.
    mutating func proceed(_ out: inout [DialectOutput]) {
        phase = .exchanging
        running.lines = 0
        guard running.preparations.isEmpty else {
            running.part = .preparation
            running.preparation = running.preparations.removeFirst()
            running.sendings += 1
            lines.removeAll(keepingCapacity: true)
            write(Array(running.preparation.utf8), &out)
            out.append(.arm(.reply, after: .seconds(2)))
            return
        }
        running.part = .request
        guard !running.command.isEmpty else {
            end(&out)
            return
        }
        write(running.command, &out)
        out.append(.arm(.reply, after: patience))
        if let atMost = running.listeningTime { out.append(.arm(.listen, after: atMost)) }
    }

    private mutating func write(_ command: [UInt8], _ out: inout [DialectOutput]) {
        var compact = command
        // A typed command may have blanks and lower case letters.
        switch running.request {
        case .action, .command, .monitor: compact = AdapterCommand.compact(command)
        case .vehicle: break
        }
        reader.begin(compact, &items)
        if !items.isEmpty { items.removeAll(keepingCapacity: true) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(command.count + 1)
        bytes.append(contentsOf: command)
        bytes.append(0x0D)
        put(bytes, &out)
    }

    /// The time after which a silent adapter counts as hung.
    ///
    /// The adapter itself waits 0.2 s, or 1 s if raised. Every line restarts the time.
    var patience: Duration {
        // A monitored bus may be silent the whole time.
        if let atMost = running.listeningTime { return atMost + .seconds(2) }
        switch running.request {
        case .action, .command, .monitor: return .seconds(5)
        case .vehicle:
            return wire.patience == WireSettings.longestPatience
                ? .seconds(6) : .milliseconds(2_500)
        }
    }

    /// The text of the request: hexadecimal digits, and the number of frames to wait for if the number saves
    /// time.
    // Static, because a method call would copy the whole dialect.
    private static func spell(
        _ request: VehicleRequest, countsFrames: Bool
    ) -> (command: [UInt8], withDigit: Bool)? {
        switch request.ending {
        case .listen: return request.payload.isEmpty ? (Array("ATMA".utf8), false) : nil
        case .reply, .silence: break
        }
        // Without segmentation, a request has to fit into a single frame.
        guard request.payload.count <= (request.target?.extended == nil ? 7 : 6) else {
            return nil
        }
        var text: [UInt8] = []
        text.reserveCapacity(request.payload.count * 2 + 1)
        for byte in request.payload { Hex.append(byte, to: &text) }
        var withDigit = false
        if countsFrames, request.mayRepeat, let frames = request.expectedFrames,
            (1...15).contains(frames)
        {
            text.append(Hex.digit(UInt8(frames)))
            withDigit = true
        }
        return (text, withDigit)
    }

    /// Handles the prompt after the current part.
    mutating func finishPart(_ out: inout [DialectOutput]) {
        switch running.part {
        case .preparation:
            finishPreparation(&out)
            return
        case .cover:
            end(&out)
            return
        case .settling:
            running.isAhead = true
            out.append(.arm(.pause, after: Self.quietAfterSurprise))
            return
        case .request: break
        }
        heardLines = false
        reader.finish(&items)
        deliverItems(&out)
        noteTypedSetting()
        if needsQuiet {
            settle(&out)
            return
        }
        if running.refused && !running.delivered {
            if running.sendings < 1 {
                // Sends the request again, because the first one may have arrived garbled.
                running.sendings += 1
                running.refused = false
                out.append(.linkError(LinkError(.notAFrame)))
                proceed(&out)
                return
            }
            // The adapter does not know the count digit, so the request never reached the vehicle.
            capabilities.frameCountHelps = false
            out.append(.notice(.featureDropped("count digit")))
            endReading()
            running.withDigit = false
            running.refused = false
            running.command.removeLast()
            proceed(&out)
            return
        }
        if running.refused { out.append(.status(.unknownCommand)) }
        if let word = onlyWord { out.append(.status(word)) }
        conclude(&out)
    }

    /// The quiet time after which nothing more is expected.
    ///
    /// It is longer than an adapter's default wait for a vehicle.
    static let quietAfterSurprise = Duration.milliseconds(250)

    /// Whether the reply cannot belong to the request.
    ///
    /// It is empty, which a genuine adapter's reply never is, or it is a text that answers a setting, or its
    /// messages answer another request.
    private var needsQuiet: Bool {
        guard case .vehicle = running.request, !running.listens, !running.wasStopped,
            !running.restarted
        else { return false }
        return running.lines == 0 || running.isAhead || running.isOutOfStep
    }

    /// The adapter's message instead of an answer.
    private var onlyWord: AdapterStatus? {
        guard case .vehicle = running.request, !running.delivered, !running.refused,
            !running.isDamaged
        else { return nil }
        return running.word
    }

    mutating func settle(_ out: inout [DialectOutput]) {
        running.part = .settling
        out.append(.disarm(.reply))
        out.append(.arm(.pause, after: Self.quietAfterSurprise))
    }

    /// Handles the end of the quiet time.
    mutating func finishSettling(_ out: inout [DialectOutput]) {
        guard running.part == .settling else { return }
        guard running.preparations.isEmpty else {
            if running.restarted {
                abandonAfterRestart(&out)
                return
            }
            running.isAhead = false
            proceed(&out)
            return
        }
        if !running.isOutOfStep {
            // Some clones send an empty reply if no ECU answered.
            let silence = running.isAhead ? nil : AdapterStatus.noData
            if let status = onlyWord ?? silence {
                out.append(.status(status))
            } else {
                out.append(.linkError(LinkError(.notAFrame)))
            }
        }
        conclude(&out)
    }

    /// A command that writes nothing and that every adapter answers.
    static let cover = Array("ATI".utf8)

    /// Ends an exchange after its prompt.
    private mutating func conclude(_ out: inout [DialectOutput]) {
        if !running.isReadOnly {
            // A later CR would repeat the command that wrote, so give the adapter a harmless one to remember.
            running.part = .cover
            write(Self.cover, &out)
            out.append(.arm(.reply, after: .seconds(2)))
            return
        }
        end(&out)
    }

    /// Reacts to a typed command that may have changed settings on which requests depend.
    private mutating func noteTypedSetting() {
        guard case .command(_, let text, _, _) = running.request,
            let command = AdapterCommand(text)
        else { return }
        let isConfirmed = isConfirmed(command, text)
        noteSetting(text, isConfirmed: isConfirmed)
        if isConfirmed { reader.apply(command) }
        switch command {
        case .protocolNumber, .protocolName, .stnProtocolNumber:
            for line in lines { reader.note(answer: line, to: command) }
        case .voltage, .monitor, .monitorGroup: break
        // Another protocol has other lines, but still only answers to requests.
        case .choose: hasTypedSettings = true
        default:
            hasTypedSettings = true
            hearsOthers = true
            // Its effect on lines is unknown; the next complete answer shows the effect.
            if command == .other { reader.forgetFormat() }
        }
        noteAddresses(text, isConfirmed: isConfirmed)
    }

    /// Forgets what a typed command may have changed of the protocol and of earlier requests' settings.
    private mutating func noteAddresses(_ text: String, isConfirmed: Bool) {
        switch AdapterCommand(text) {
        // The adapter starts with the protocol in its memory, or searches.
        case .reset:
            hasLostSettings = !isConfirmed
            wire = WireSettings()
            forgetProtocol(nil)
        case .choose:
            hasLostSettings = hasLostSettings || !wire.areUsual
            forgetProtocol(isConfirmed ? reader.settings.vehicleProtocol : nil)
        case .extendedAddressing:
            if wire.extending == .never { wire.extending = .tried }
            wire.isUncertain = !wire.areUsual
        case .other where TypedSettings.changesAddress(text): wire.isUncertain = !wire.areUsual
        case .other where !TypedSettings.isUnderstood(text):
            hasLostSettings = hasLostSettings || !wire.areUsual
            forgetProtocol(nil)
        case .echo, .linefeeds, .headers, .spaces, .showLength, .automaticFormatting, .joinFrames,
            .formatJ1939Headers, .testerAddress, .voltage, .protocolNumber, .protocolName,
            .stnProtocolNumber, .monitor, .monitorGroup, .transmit, .other, nil:
            break
        }
    }

    /// Forgets the protocol of the set-up for the one that was chosen; nil if it is not known.
    private mutating func forgetProtocol(_ chosen: VehicleProtocol?) {
        hasLostProtocol = chosen == nil
        capabilities.vehicleProtocol = chosen
        setItemsPerRequest()
    }

    /// Whether the answer confirms a command: a banner for a restart, OK for all others.
    private func isConfirmed(_ command: AdapterCommand, _ text: String) -> Bool {
        let words = lines.map { Self.withoutEcho($0, of: text.uppercased()) }
        if case .reset = command {
            return !words.isEmpty && !words.contains(Array("?".utf8))
        }
        return words.contains(Array("OK".utf8))
    }

    /// Tracks the effect of a typed command on later requests.
    private mutating func noteSetting(_ text: String, isConfirmed: Bool) {
        var settings =
            typed
            ?? TypedSettings(
                vehicleProtocol: capabilities.vehicleProtocol, priority: wire.header?.priority)
        let before = settings
        settings.take(text, isConfirmed: isConfirmed)
        if settings != before { typed = settings }
    }

    /// Whether `request` is known to change nothing, given the effect of the commands before it.
    public func isReadOnly(_ request: AdapterRequest) -> Bool {
        switch request {
        case .vehicle(let vehicle): return isReadOnly(vehicle)
        case .action: return isReadOnly(request.asCommand)
        case .monitor(_, let text, _, _):
            return AdapterRequest.isMonitoring(text) && AdapterRequest.isReadOnlyCommand(text)
        case .command(_, let text, _, _):
            guard text.utf8.allSatisfy({ Hex.value($0) != nil || $0 == 0x20 }) else {
                // It is sent with the header that the last request left.
                if hasLostSettings, case .transmit = AdapterCommand(text) { return false }
                if case .transmit(let payload?) = AdapterCommand(text),
                    wireTarget?.takes(payload) == false
                {
                    return false
                }
                return typed?.isReadOnlyCommand(text)
                    ?? TypedSettings(
                        vehicleProtocol: capabilities.vehicleProtocol,
                        priority: wire.header?.priority
                    ).isReadOnlyCommand(text)
            }
            let payload = Self.payload(ofTyped: text)
            return !payload.isEmpty && !hasLostSettings && wireTarget?.takes(payload) ?? true
                && isReadOnly(VehicleRequest(id: request.id, payload: payload))
        }
    }

    /// The ECU at the header that earlier requests set; nil for all ECUs, or before CAN.
    private var wireTarget: ECUAddress? {
        guard let header = wire.header, let value = UInt32(header.digits, radix: 16) else {
            return nil
        }
        return switch capabilities.vehicleProtocol?.addressForm {
        case .can11: ECUAddress(value, .can11, extended: wire.extended)
        case .can29 where capabilities.vehicleProtocol != .j1939:
            ECUAddress(UInt32(header.priority) << 24 | value, .can29, extended: wire.extended)
        case .can29, .byte, .logical, nil: nil
        }
    }

    private func isReadOnly(_ request: VehicleRequest) -> Bool {
        // An empty request sends nothing but sets the header, to restore settings or to monitor.
        if request.payload.isEmpty { return request.target?.isDiagnosticRequest ?? true }
        // Nothing is sent before the set-up, and after the set-up the request is judged again.
        if needsSetup(for: request) { return request.isReadOnly(on: nil) }
        let spoken = capabilities.vehicleProtocol
        // The adapter's own settings define the bytes before a request; only an answer shows these bytes.
        if spoken == .userCAN1 || spoken == .userCAN2, !setup.heardVehicle { return false }
        return request.isReadOnly(on: spoken)
            && typed?.isReadOnly(request.payload) ?? true
    }

    /// The bytes of a typed request; an odd last digit is the count digit.
    private static func payload(ofTyped text: String) -> [UInt8] {
        let digits = text.utf8.filter { $0 != 0x20 }
        let even = digits.prefix(digits.count & ~1)
        return Hex.bytes(String(decoding: even, as: UTF8.self)) ?? []
    }

    /// Ends an exchange whose request was sent.
    mutating func end(_ out: inout [DialectOutput]) {
        if !running.isDamaged, running.delivered, !running.isAhead, !running.isOutOfStep {
            learnFromAnswer()
        }
        out.append(.disarm(.reply))
        if running.listens { out.append(.disarm(.listen)) }
        endReading()
        if running.restarted {
            phase = .outOfStep
            mayOweAnswer = true
            out.append(.end(.adapterRestarted))
        } else {
            phase = .atPrompt
            out.append(
                .end(
                    running.wasStopped ? .interrupted : running.isOutOfStep ? .outOfStep : .complete
                ))
        }
    }

    /// Ends an exchange whose request was not sent.
    mutating func abandon(_ out: inout [DialectOutput]) {
        out.append(.disarmAll)
        endReading()
        phase = .atPrompt
        out.append(.end(.refused))
    }

    /// Ends an exchange whose adapter restarted before the request was sent.
    ///
    /// The settings are lost, so the request could have reached other ECUs.
    mutating func abandonAfterRestart(_ out: inout [DialectOutput]) {
        out.append(.disarmAll)
        endReading()
        phase = .outOfStep
        mayOweAnswer = true
        out.append(.end(.restartedBeforeSending))
    }

    /// Whether the request of the current exchange was written.
    var isSent: Bool { running.part != .preparation && running.preparations.isEmpty }

    /// Learns the format from the first complete answer, if the session began without a vehicle.
    private mutating func learnFromAnswer() {
        guard !running.listens, running.heardECU || reader.settings.headers != true else { return }
        reader.learnFormat()
    }

    /// Ends a monitor request: sends a blank and waits for the prompt.
    mutating func stopListening(_ out: inout [DialectOutput]) {
        guard phase == .exchanging, running.listens, !running.wasStopped else { return }
        running.wasStopped = true
        out.append(.disarm(.listen))
        put([0x20], &out)
        out.append(.arm(.reply, after: .seconds(2)))
    }
}
