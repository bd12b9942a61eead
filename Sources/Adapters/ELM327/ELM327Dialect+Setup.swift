import OBDCore
import VehicleLink

/// Synchronises with the adapter and sets it up.
extension ELM327Dialect {
    mutating func sayFirstWord(attempt: Int, _ out: inout [DialectOutput]) {
        guard attempt < SetupScript.firstWords.count else {
            // Bytes without a line end are not silence.
            let heard = setup.bytes + lexer.partialLine.count
            failSetup(heard == 0 ? .silent : .notUnderstood(received: heard), &out)
            return
        }
        let word = SetupScript.firstWords[attempt]
        phase = .gettingInStep(attempt: attempt, settling: false)
        received = 0
        put(word.bytes, &out)
        out.append(.arm(.reply, after: word.patience))
    }

    /// Begins the set-up at the prompt; `afterDefaults` means that `AT D` was just confirmed.
    mutating func beginSetup(afterDefaults: Bool, _ out: inout [DialectOutput]) {
        mayOweAnswer = false
        endReading()
        reader = FrameReader()
        if afterDefaults { reader.apply(.reset) }
        var steps = SetupScript.settings(
            afterDefaults: afterDefaults, sendsLineFeeds: setup.sawLineFeeds,
            probesSTN: options.probesSTN)
        if options.onlyListens {
            steps += SetupScript.listening(options)
        } else if vehicle.asksVehicle {
            steps += SetupScript.connection(options)
        } else if let fixedProtocol {
            // A vehicle that does not answer the first request may answer others.
            steps.append(SetupScript.select(fixedProtocol))
        }
        next(steps[...], &out)
    }

    mutating func failSetup(_ failure: InitialisationFailure, _ out: inout [DialectOutput]) {
        out.append(.disarmAll)
        endReading()
        phase = .outOfStep
        mayOweAnswer = true
        out.append(.initialisationFailed(failure))
    }

    mutating func next(_ steps: [SetupScript.Step], _ out: inout [DialectOutput]) {
        next(steps[...], &out)
    }

    private mutating func next(_ steps: ArraySlice<SetupScript.Step>, _ out: inout [DialectOutput])
    {
        guard let step = steps.first else {
            finishSetup(&out)
            return
        }
        // Without that protocol, the adapter would search for one.
        if case .hearing(let candidate) = step.purpose,
            reader.settings.vehicleProtocol != candidate
        {
            next(steps.dropFirst(), &out)
            return
        }
        received = 0
        setup.hasStoppedHearing = false
        endReading()
        phase = .settingUp(step, rest: Array(steps.dropFirst()))
        beginReading(step.command.utf8)
        put(Array((step.command + "\r").utf8), &out)
        out.append(.arm(.reply, after: step.patience))
    }

    /// The answer of the adapter and the vehicle to a step.
    private struct StepReply {
        var statuses: [AdapterStatus] = []
        var messages: [ECUMessage] = []
        /// The lines without the echo.
        var answers: [[UInt8]] = []
        var isDamaged = false
    }

    /// Handles the prompt after a step.
    mutating func finish(
        _ step: SetupScript.Step, _ rest: [SetupScript.Step], _ out: inout [DialectOutput]
    ) {
        let reply = reply(to: step)
        if reply.isDamaged { setup.sawDamage = true }
        // A status of the vehicle, or anything else that is not a refusal.
        if reply.statuses.contains(where: { $0 != .unknownCommand }) || reply.isDamaged {
            setup.sawAcceptance = true
        }
        if reply.statuses.contains(where: { $0.recovery == .initialise })
            || reply.answers.contains(where: Self.isBanner) && step.purpose != .banner
        {
            if let fault = reply.statuses.first(where: Self.isInternal) {
                setup.searchStatus = fault
            }
            restart(&out)
            return
        }
        if repeats(step, rest, reply.answers, &out) { return }
        setup.repeats = 0
        if reply.statuses.contains(.unknownCommand), step.purpose != .stnFirmware {
            identity.unsupportedCommands.append(step.command)
            out.append(.notice(.unsupportedCommand(step.command)))
        }
        take(reply, to: step, rest, &out)
    }

    private mutating func reply(to step: SetupScript.Step) -> StepReply {
        reader.finish(&items)
        var reply = StepReply()
        var word: AdapterStatus?
        for item in items {
            switch item {
            case .status(let status): reply.statuses.append(status)
            case .message(let message): reply.messages.append(message)
            case .linkError: reply.isDamaged = true
            case .word(let status): word = status
            case .voltage, .frame, .searching, .banner: break
            }
        }
        reply.answers = lines.filter { !Self.isEcho($0, of: step.command) }
        // The adapter's message instead of a vehicle's answer.
        if let word, reply.statuses.isEmpty, reply.messages.isEmpty, !reply.isDamaged,
            step.question(options.vehicleProtocol) != nil
        {
            reply.statuses = [word]
        }
        if step.isSetting, let command = AdapterCommand(step.command),
            reply.answers.contains(where: { Self.isOK($0, to: step.command) })
        {
            reader.apply(command)
        } else if step.purpose == .search, reply.answers.count < lines.count {
            // Echo was turned off but is still there, so this adapter always echoes.
            reader.apply(.echo(true))
        }
        return reply
    }

    /// Whether a line confirms a setting.
    private static func isOK(_ line: [UInt8], to command: String) -> Bool {
        withoutEcho(line, of: command).elementsEqual("OK".utf8)
    }

    /// Evaluates a step and continues.
    private mutating func take(
        _ reply: StepReply, to step: SetupScript.Step, _ rest: [SetupScript.Step],
        _ out: inout [DialectOutput]
    ) {
        note(reply, to: step)
        switch step.purpose {
        case .vehicleProtocol:
            if !vehicle.asksVehicle { assumeFixedProtocol() }
            next(rest[...], &out)
        case .setting, .forcedProtocol: next(rest[...], &out)
        case .banner:
            // Some adapters answer `?` or an error text, which is not a name.
            identity.banner =
                reply.statuses.isEmpty
                ? reply.answers.last.map { String(decoding: $0, as: UTF8.self) } : nil
            next(takeRemembered(rest)[...], &out)
        case .stnFirmware:
            if let answer = reply.answers.first, answer.starts(with: "STN".utf8) {
                identity.stnFirmware = String(decoding: answer, as: UTF8.self)
            }
            next(rest[...], &out)
        case .search, .secondSearch:
            let isFirst = step.purpose == .search
            finishSearch(reply.messages, reply.statuses, rest, isFirst: isFirst, &out)
        case .protocolNumber:
            if let number = reply.answers.lazy.compactMap(Self.protocolNumber).first,
                reader.format?.header.form.map({ $0 == number.found.addressForm }) ?? true
            {
                setProtocol(number.found, searched: number.automatic, &out)
            }
            next(rest[...], &out)
        case .activeCodes:
            if reply.messages.contains(where: { $0.parameterGroup != nil }) {
                finishSetup(on: .j1939, heardIn: reply, &out)
            } else {
                next(rest[...], &out)
            }
        case .hearing(let candidate):
            if items.contains(where: \.isFrame) {
                setProtocol(candidate, searched: false, &out)
                finishSetup(&out)
            } else {
                next(rest[...], &out)
            }
        case .protocolIdentifier(let candidate):
            if reply.messages.contains(where: { $0.payload == [0x62, 0xF8, 0x10, 0x01] }) {
                finishSetup(on: candidate, heardIn: reply, &out)
            } else {
                next(rest[...], &out)
            }
        }
    }

    /// Ends the listening of a step, with a blank as every listening.
    mutating func stopHearing(_ out: inout [DialectOutput]) {
        guard !setup.hasStoppedHearing else { return }
        setup.hasStoppedHearing = true
        put([0x20], &out)
        out.append(.arm(.reply, after: .seconds(2)))
    }

    /// Keeps the vehicle's answer, so that the request does not have to be repeated.
    private mutating func note(_ reply: StepReply, to step: SetupScript.Step) {
        guard let question = step.question(options.vehicleProtocol) else { return }
        if reply.isDamaged {
            identity.forget(question.request, on: question.forced)
        } else {
            identity.note(
                SetupQuestion(
                    question.request, on: question.forced, messages: reply.messages,
                    statuses: reply.statuses))
        }
    }

    /// Ends the set-up with a vehicle that does not answer the classic services but others.
    private mutating func finishSetup(
        on vehicleProtocol: VehicleProtocol, heardIn reply: StepReply,
        _ out: inout [DialectOutput]
    ) {
        setup.heardVehicle = true
        learnShape(reply.messages)
        setProtocol(vehicleProtocol, searched: true, &out)
        finishSetup(&out)
    }

    /// Repeats a setting whose answer was not just `OK`.
    ///
    /// `?` means that the adapter does not know the setting or that the command arrived garbled; sending it
    /// once more shows which. Any other text answers something else, so the dialect first waits for quiet.
    private mutating func repeats(
        _ step: SetupScript.Step, _ rest: [SetupScript.Step], _ answers: [[UInt8]],
        _ out: inout [DialectOutput]
    ) -> Bool {
        guard step.isSetting else { return false }
        let words = answers.map { Self.withoutEcho($0, of: step.command) }
        if words == [Array("OK".utf8)] { return false }
        let isRefused = words == [Array("?".utf8)]
        guard setup.repeats < (isRefused ? 1 : 2) else { return false }
        setup.repeats += 1
        if isRefused {
            next([step] + rest, &out)
        } else {
            phase = .settling(step, rest: rest)
            out.append(.arm(.reply, after: SetupScript.settlingTime))
        }
        return true
    }

    /// A line without blanks and without an echo at its start.
    static func withoutEcho(_ line: [UInt8], of command: String) -> [UInt8] {
        let compact = line.filter { $0 != 0x20 }
        let echo = command.utf8.filter { $0 != 0x20 }
        return compact.count > echo.count && compact.starts(with: echo)
            ? Array(compact.dropFirst(echo.count)) : compact
    }

    private mutating func finishSearch(
        _ messages: [ECUMessage], _ statuses: [AdapterStatus], _ rest: [SetupScript.Step],
        isFirst: Bool, _ out: inout [DialectOutput]
    ) {
        // Silence after other words explains nothing.
        if setup.searchStatus?.isNoAnswer != true || statuses.last != .noData {
            setup.searchStatus = statuses.last ?? setup.searchStatus
        }
        // Any answer proves the protocol, even a refusal.
        setup.heardVehicle = !messages.isEmpty
        if setup.heardVehicle, !setup.hasVerifiedHeaders, messages.allSatisfy({ $0.ecu == nil }) {
            // The command was confirmed without effect, or refused; the adapter may have received something
            // else.
            setup.hasVerifiedHeaders = true
            next([SetupScript.headers, SetupScript.firstRequest] + rest[...], &out)
            return
        }
        if setup.heardVehicle {
            learnShape(messages)
            if let fixed = options.vehicleProtocol {
                setProtocol(fixed, searched: false, &out)
                next(rest[...], &out)
            } else if isFirst, let remembered = confirmedProtocol(messages) {
                setProtocol(remembered, searched: true, &out)
                next(rest[...], &out)
            } else {
                if let form = messages.first?.ecu?.form { guessProtocol(form) }
                next([SetupScript.protocolNumber] + rest[...], &out)
            }
        } else if isFirst,
            statuses.allSatisfy({ $0 == .noData || $0 == .unknownCommand || $0.isNoAnswer })
        {
            // The vehicle may have been asleep, or the command may have arrived garbled.
            next([SetupScript.secondSearch] + rest[...], &out)
        } else if let fixed = options.vehicleProtocol {
            next(fixed.family == .can ? [SetupScript.identifier(fixed)] : [], &out)
        } else {
            next(SetupScript.forced[...], &out)
        }
    }

    /// Remembers the form of the vehicle's lines after the first undamaged reply.
    mutating func learnShape(_ messages: [ECUMessage]) {
        guard !items.contains(where: \.isDamage) else { return }
        let senders = messages.count { $0.ecu != nil }
        if senders == messages.count || senders == 0 { reader.learnFormat() }
    }

    /// Uses the remembered identity if the adapter's banner is the same as last time.
    private mutating func takeRemembered(_ rest: [SetupScript.Step]) -> [SetupScript.Step] {
        guard let remembered = options.rememberedIdentity, let firmware = remembered.stnFirmware,
            remembered.banner != nil, remembered.banner == identity.banner,
            rest.first?.purpose == .stnFirmware
        else { return rest }
        identity.stnFirmware = firmware
        return Array(rest.dropFirst())
    }

    /// The protocol of last time, if it is used again.
    ///
    /// The vehicle has to answer at once, without a search, and in the form of that protocol.
    private func confirmedProtocol(_ messages: [ECUMessage]) -> VehicleProtocol? {
        guard let remembered = options.rememberedProtocol, remembered.family == .can,
            !identity.unsupportedCommands.contains("ATSPA\(remembered.digit)"),
            !searching, lines.allSatisfy({ !Self.contains($0, "SEARCHING") }),
            messages.allSatisfy({ $0.ecu?.form == remembered.addressForm })
        else { return nil }
        return remembered
    }

    /// Guesses the protocol from the form of the answers, until `AT DPN` reports it; clones may not know that
    /// command.
    private mutating func guessProtocol(_ form: ECUAddress.Form) {
        switch form {
        case .can11: identity.vehicleProtocol = .can11At500
        case .can29: identity.vehicleProtocol = .can29At500
        case .logical: break
        case .byte: break
        }
        capabilities.vehicleProtocol = identity.vehicleProtocol
        setItemsPerRequest()
    }

    private mutating func setProtocol(
        _ found: VehicleProtocol, searched: Bool, _ out: inout [DialectOutput]
    ) {
        identity.vehicleProtocol = found
        identity.protocolWasSearched = searched
        reader.note(found)
        capabilities.vehicleProtocol = found
        setItemsPerRequest()
        out.append(.notice(.protocolFound(found)))
    }

    /// Only CAN allows up to six PIDs per request.
    mutating func setItemsPerRequest() {
        capabilities.itemsPerRequest = capabilities.vehicleProtocol?.family == .can ? 6 : 1
    }

    private static func isInternal(_ status: AdapterStatus) -> Bool {
        status == .internalError || status == .fatalCANError
    }

    private mutating func restart(_ out: inout [DialectOutput]) {
        setup.restarts += 1
        guard setup.restarts < 3 else {
            // ERR94 and similar errors return at every attempt, so the text is more helpful than the
            // restarts.
            guard let fault = setup.searchStatus, Self.isInternal(fault) else {
                failSetup(.restarting, &out)
                return
            }
            guard vehicle.allowsMissing(because: fault) else {
                failSetup(.noVehicle(fault), &out)
                return
            }
            out.append(.disarmAll)
            phase = .outOfStep
            goOnWithoutVehicle(after: fault, &out)
            initialise(&out)
            return
        }
        out.append(.disarm(.reply))
        mayOweAnswer = true
        sayFirstWord(attempt: 0, &out)
    }

    private mutating func finishSetup(_ out: inout [DialectOutput]) {
        if !setup.sawConfirmation && identity.banner == nil {
            failSetup(.notUnderstood(received: setup.bytes), &out)
            return
        }
        // A device that reads lines but understands none of them answers this way.
        if vehicle.asksVehicle, !setup.sawAcceptance, identity.banner == nil,
            !setup.heardVehicle
        {
            failSetup(.refusesEverything, &out)
            return
        }
        if vehicle.asksVehicle && !setup.heardVehicle {
            let silence = setup.sawDamage ? AdapterStatus.dataError : .noData
            missVehicle(setup.searchStatus ?? silence, &out)
            return
        }
        // Once a vehicle was found, it is required whenever the adapter is set up again.
        if vehicle.asksVehicle { vehicle = .needed }
        out.append(.disarmAll)
        endReading()
        phase = .atPrompt
        out.append(.ready(identity))
    }

    /// Handles an adapter that is at its prompt and set up, but whose vehicle did not answer.
    private mutating func missVehicle(_ status: AdapterStatus, _ out: inout [DialectOutput]) {
        guard vehicle.allowsMissing(because: status) else {
            out.append(.disarmAll)
            endReading()
            phase = .atPrompt
            out.append(.initialisationFailed(.noVehicle(status)))
            return
        }
        let isSelected = fixedProtocol != nil
        goOnWithoutVehicle(after: status, &out)
        if isSelected {
            assumeFixedProtocol()
            finishSetup(&out)
        } else {
            next(fixedProtocol.map { [SetupScript.select($0)] } ?? [], &out)
        }
    }

    /// Continues the set-up without the vehicle.
    private mutating func goOnWithoutVehicle(
        after status: AdapterStatus, _ out: inout [DialectOutput]
    ) {
        out.append(.notice(.setupGoesOn(after: .noVehicle(status))))
        fixedProtocol = fixedProtocol ?? vehicle.assumedProtocol
        vehicle = .unused
    }

    /// Assumes the protocol that was set, although no vehicle proved it.
    private mutating func assumeFixedProtocol() {
        guard let fixedProtocol else { return }
        capabilities.vehicleProtocol = fixedProtocol
        setItemsPerRequest()
    }

    /// Whether `line` is the adapter's echo of `command`.
    static func isEcho(_ line: [UInt8], of command: String) -> Bool {
        line.filter { $0 != 0x20 }.elementsEqual(command.utf8.filter { $0 != 0x20 })
    }

    /// Reads `6`, or `A6` (found by the search); nil for anything else.
    static func protocolNumber(_ line: [UInt8]) -> (found: VehicleProtocol, automatic: Bool)? {
        let text = line.filter { $0 != 0x20 }
        let automatic = text.count == 2 && (text[0] == 0x41 || text[0] == 0x61)
        guard text.count == 1 || automatic, let digit = text.last.flatMap(Hex.value),
            let found = VehicleProtocol(rawValue: digit)
        else { return nil }
        return (found, automatic)
    }
}
