import OBDCore
import VehicleLink

/// A request: what goes before it, the request itself, its end.
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
        // It began before the request.
        lineIsStale = lexer.partialLine.contains { $0 > 0x20 }
        switch request {
        case .action: send(request.asCommand, isReadOnly: isReadOnly, &out)
        case .command(_, let text, _, _), .monitor(_, let text, _):
            // One line, and no character that ends it early; blanks alone would repeat the last one.
            guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }),
                text.utf8.contains(where: { $0 != 0x20 })
            else {
                out.append(.end(.refused))
                return
            }
            // Whatever becomes of it, the setting may stand from here on.
            noteSetting(text, isConfirmed: false)
            running = RunningExchange(
                request: request, isReadOnly: isReadOnly, command: Array(text.utf8))
            reader.filter = .open
            proceed(&out)
        case .vehicle(let vehicle):
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

    /// Lets pass what can answer `request`; listening brings whatever is on the bus.
    private mutating func admitAnswers(to request: VehicleRequest) {
        guard case .reply = request.ending, !hasTypedSettings, let format = reader.format else {
            reader.filter = .open
            return
        }
        reader.filter = SenderFilter(
            wire.responders, format.header, tester: reader.settings.testerAddress)
    }

    /// Sends the next preparation, or the request.
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
        // What is typed by others may have blanks and small letters.
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

    /// Nothing heard for this long means that the adapter hangs.
    ///
    /// Its own wait is 0.2 s, 1 s when raised. Every line begins it again.
    var patience: Duration {
        // A bus may be silent for as long as it is listened to.
        if let atMost = running.listeningTime { return atMost + .seconds(2) }
        switch running.request {
        case .action, .command, .monitor: return .seconds(5)
        case .vehicle:
            return wire.patience == WireSettings.longestPatience
                ? .seconds(6) : .milliseconds(2_500)
        }
    }

    /// The request as typed: hexadecimal, and the number of frames to wait for where it helps.
    // Static: a call of a method would copy the whole dialect.
    private static func spell(
        _ request: VehicleRequest, countsFrames: Bool
    ) -> (command: [UInt8], withDigit: Bool)? {
        switch request.ending {
        case .listen: return request.payload.isEmpty ? (Array("ATMA".utf8), false) : nil
        case .reply: break
        }
        // Without segmented sending a request has to fit one frame.
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

    /// The prompt of the part under way came.
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
                // Once more: the request may have arrived garbled.
                running.sendings += 1
                running.refused = false
                out.append(.linkError(LinkError(.notAFrame)))
                proceed(&out)
                return
            }
            // The adapter knows no count digit: the request never reached the vehicle.
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
        conclude(&out)
    }

    /// So much quiet says that nothing more is under way.
    ///
    /// Longer than an adapter waits for a vehicle by default.
    static let quietAfterSurprise = Duration.milliseconds(250)

    /// Whether the reply cannot be one to the request: nothing before the prompt, which a genuine
    /// adapter never does, a word that answers a setting, or messages that answer another request.
    private var needsQuiet: Bool {
        guard case .vehicle = running.request, !running.listens, !running.wasStopped,
            !running.restarted
        else { return false }
        return running.lines == 0 || running.isAhead || running.isOutOfStep
    }

    mutating func settle(_ out: inout [DialectOutput]) {
        running.part = .settling
        out.append(.disarm(.reply))
        out.append(.arm(.pause, after: Self.quietAfterSurprise))
    }

    /// It stayed quiet.
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
            // An empty reply is how some clones say that no ECU answered.
            out.append(
                running.isAhead ? .linkError(LinkError(.notAFrame)) : .status(.noData))
        }
        conclude(&out)
    }

    /// Writes nothing and is answered by every adapter.
    static let cover = Array("ATI".utf8)

    /// Ends an exchange whose prompt came.
    private mutating func conclude(_ out: inout [DialectOutput]) {
        if !running.isReadOnly {
            // A later CR would repeat what wrote: give the adapter something harmless to remember.
            running.part = .cover
            write(Self.cover, &out)
            out.append(.arm(.reply, after: .seconds(2)))
            return
        }
        end(&out)
    }

    /// A command that a user typed may have changed what requests count on.
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
        // Another protocol brings other lines, and still only what answers.
        case .choose: hasTypedSettings = true
        default:
            hasTypedSettings = true
            hearsOthers = true
            // Its effect on lines is unknown: the next whole answer shows it.
            if command == .other { reader.forgetFormat() }
        }
        switch command {
        case .reset: wire = WireSettings()
        case .choose:
            capabilities.vehicleProtocol = reader.settings.vehicleProtocol
            setItemsPerRequest()
        case .echo, .linefeeds, .headers, .spaces, .showLength, .automaticFormatting,
            .extendedAddressing, .joinFrames, .formatJ1939Headers, .testerAddress, .voltage,
            .protocolNumber, .protocolName, .stnProtocolNumber, .monitor, .monitorGroup,
            .transmit, .other:
            break
        }
    }

    /// Whether the lines of an answer confirm a command: a restart by its banner, all others by OK.
    private func isConfirmed(_ command: AdapterCommand, _ text: String) -> Bool {
        let words = lines.map { Self.withoutEcho($0, of: text.uppercased()) }
        if case .reset = command {
            return !words.isEmpty && !words.contains(Array("?".utf8))
        }
        return words.contains(Array("OK".utf8))
    }

    /// Follows what a typed command makes of the requests after it.
    private mutating func noteSetting(_ text: String, isConfirmed: Bool) {
        var settings =
            typed
            ?? TypedSettings(
                vehicleProtocol: capabilities.vehicleProtocol, priority: wire.header?.priority)
        let before = settings
        settings.take(text, isConfirmed: isConfirmed)
        if settings != before { typed = settings }
    }

    /// Whether `request` is known to change nothing, by what the commands before it make of it.
    public func isReadOnly(_ request: AdapterRequest) -> Bool {
        switch request {
        case .vehicle(let vehicle): return isReadOnly(vehicle)
        case .action: return isReadOnly(request.asCommand)
        case .monitor(_, let text, _):
            return AdapterRequest.isMonitoring(text) && AdapterRequest.isReadOnlyCommand(text)
        case .command(_, let text, _, _):
            guard text.utf8.allSatisfy({ Hex.value($0) != nil || $0 == 0x20 }) else {
                // Sent with whatever header the last request left.
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
            return !payload.isEmpty && wireTarget?.takes(payload) ?? true
                && isReadOnly(VehicleRequest(id: request.id, payload: payload))
        }
    }

    /// Where the header points that requests left behind; nil = to all ECUs, or before CAN.
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
        // Sends nothing, but sets the header: settings are put back, or the bus is listened to.
        if request.payload.isEmpty { return request.target?.isDiagnosticRequest ?? true }
        let spoken = capabilities.vehicleProtocol
        // What these put before a request is the adapter's own affair: only an answer shows it.
        if spoken == .userCAN1 || spoken == .userCAN2, !setup.heardVehicle { return false }
        return VehicleRequest.isReadOnly(request.payload, to: request.target, on: spoken)
            && typed?.isReadOnly(request.payload) ?? true
    }

    /// The bytes of a request as typed; an odd last digit is the count digit.
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
        disarmAll(&out)
        endReading()
        phase = .atPrompt
        out.append(.end(.refused))
    }

    /// Ends an exchange whose adapter restarted before the request was sent: its settings are lost,
    /// so that the request might go to other ECUs.
    mutating func abandonAfterRestart(_ out: inout [DialectOutput]) {
        disarmAll(&out)
        endReading()
        phase = .outOfStep
        mayOweAnswer = true
        out.append(.end(.restartedBeforeSending))
    }

    /// Whether the request of the exchange under way has been written.
    var isSent: Bool { running.part != .preparation && running.preparations.isEmpty }

    /// A session that began without the vehicle learns from its first whole answer.
    private mutating func learnFromAnswer() {
        guard !running.listens, running.heardECU || reader.settings.headers != true else { return }
        reader.learnFormat()
    }

    /// Ends listening to the bus: a blank, then the prompt.
    mutating func stopListening(_ out: inout [DialectOutput]) {
        guard phase == .exchanging, running.listens, !running.wasStopped else { return }
        running.wasStopped = true
        out.append(.disarm(.listen))
        put([0x20], &out)
        out.append(.arm(.reply, after: .seconds(2)))
    }
}
