import OBDCore

/// Opens the bus and finds the vehicle.
extension CANDialect {
    /// The time to wait for an slcan adapter to confirm a command; many never do.
    private static let patience = Duration.milliseconds(100)
    /// Right after opening the bus, some adapters confirm frames but lose them.
    private static let settling = Duration.milliseconds(50)
    /// The time to listen at one bit rate.
    private static let hearing = Duration.milliseconds(300)
    /// Bit rates of OBD on CAN (ISO 15765-4), the more likely first.
    private static let usualRates = [500_000, 250_000]

    /// Opens the bus and asks the vehicle for its supported PIDs.
    public mutating func initialise(_ out: inout [DialectOutput]) {
        identity = AdapterIdentity()
        capabilities = Self.capabilities(of: options)
        exchange = CANExchange(options.timing)
        setup = CANSetup()
        heard = []
        currentDataECUs = []
        accepted = CANAcceptance(heard: options.heard, groups: options.heardGroups)
        out.append(.disarmAll)
        if let fixed = options.vehicleProtocol, fixed.canRate == nil {
            fail(.noVehicle(.unableToConnect), &out)
            return
        }
        switch options.link {
        case .interface(let name, let rate):
            wire = .records(CANRecordLexer())
            identity.banner =
                "CAN interface \(name)" + (rate.map { ", \($0 / 1000) kbit/s" } ?? "")
            setup.openRate = rate
            let isOther =
                rate.map { rate in options.vehicleProtocol.map { $0.canRate != rate } ?? false }
                ?? false
            if isOther {
                fail(.noVehicle(.unableToConnect), &out)
                return
            }
            askVehicle(rate: rate)
        case .slcan:
            wire = .slcan(SLCANLexer())
            identity.banner = "slcan adapter"
            setup.rates = possibleRates[...]
            setup.steps = [.command(.sync)]
            if !options.onlyListens { setup.steps.append(.command(.version)) }
            for rate in possibleRates {
                setup.steps += [
                    .command(.rate(rate)), .command(.listen(rate)), .hear(rate: rate),
                    .command(.close),
                ]
            }
            setup.steps.append(.settleRate)
        }
        advance(&out)
    }

    private var possibleRates: [Int] {
        if let fixed = options.vehicleProtocol?.canRate { return [fixed] }
        let first = options.rememberedProtocol?.canRate ?? vehicle.assumedProtocol?.canRate
        guard let first, Self.usualRates.contains(first) else { return Self.usualRates }
        return [first] + Self.usualRates.filter { $0 != first }
    }

    private mutating func askVehicle(rate: Int?) {
        guard vehicle.asksVehicle, !options.onlyListens else { return }
        let questions = CANSetup.questions(rate: rate, only: options.vehicleProtocol)
        setup.steps += questions.map { .ask($0) } + [.giveUp]
    }

    /// Runs the next step.
    mutating func advance(_ out: inout [DialectOutput]) {
        while let step = setup.steps.popFirst() {
            switch step {
            case .command(let command):
                if say(command, &out) { return }
            case .hear(let rate):
                phase = .hearing(rate: rate)
                out.append(.arm(.listen, after: Self.hearing))
                return
            case .settleRate:
                if let proven = setup.proven { setup.rates = [proven] }
                if let rate = setup.rates.popFirst() {
                    setup.steps = opening(rate)
                    askVehicle(rate: rate)
                }
            case .ask(let question):
                begin(question, &out)
                return
            case .giveUp:
                if !setup.rates.isEmpty, setup.proven == nil {
                    setup.steps = [.command(.close), .settleRate]
                } else {
                    let isSilent = options.link == .slcan && setup.bytes == 0
                    let missing = InitialisationFailure.noVehicle(setup.fault ?? .noData)
                    fail(isSilent ? .silent : setup.isRefused ? .busNotOpened : missing, &out)
                    return
                }
            }
        }
        if let wanted = setup.wanted {
            setup.wanted = nil
            speak(wanted)
            end(.complete, &out)
        } else {
            becomeReady(&out)
        }
    }

    private func opening(_ rate: Int) -> ArraySlice<CANSetup.Step> {
        options.onlyListens
            ? [.command(.rate(rate)), .command(.listen(rate))]
            : [.command(.rate(rate)), .command(.open), .command(.settle)]
    }

    /// Sends a command; false if there is no answer to wait for.
    private mutating func say(_ command: CANSetup.Command, _ out: inout [DialectOutput]) -> Bool {
        if case .rate(let rate) = command { setup.openRate = rate }
        if let line = command.line { out.append(.write(Array(line.utf8))) }
        phase = .commanding(command)
        out.append(
            .arm(.reply, after: command == .settle ? Self.settling : Self.patience))
        return true
    }

    /// Handles an slcan adapter's answer to a command.
    mutating func takeAnswer(_ event: CANEvent, _ out: inout [DialectOutput]) {
        guard case .commanding(let command) = phase else { return }
        switch (command, event) {
        // These commands can have several answers; wait for all of them.
        case (.sync, _), (.settle, _): return
        case (.version, .text(let text)):
            note(version: text)
        // An end of line before the version belongs to an earlier command.
        case (.version, .confirmed): return
        case (.listen, .refused):
            // The adapter has no listen-only mode, so silence at this rate would prove nothing.
            if case .hear? = setup.steps.first {
                setup.steps.removeFirst()
            } else if options.onlyListens {
                out.append(.disarmAll)
                fail(.busNotOpened, &out)
                return
            }
        case (.open, .refused): setup.isRefused = true
        case (_, .confirmed), (_, .refused), (_, .queued): break
        default: return
        }
        out.append(.disarm(.reply))
        advance(&out)
    }

    /// Handles an slcan adapter that does not answer a command; many do not.
    mutating func takeSilence(of command: CANSetup.Command, _ out: inout [DialectOutput]) {
        if case .slcan(var lexer) = wire {
            let text = lexer.takePartialLine()
            wire = .slcan(lexer)
            if command == .version, !text.isEmpty { note(version: text) }
        }
        advance(&out)
    }

    private mutating func note(version: String) {
        identity.banner = "slcan adapter \(version.prefix(64))"
    }

    /// A frame arrived while listening, which proves the bit rate.
    mutating func prove(_ rate: Int, _ out: inout [DialectOutput]) {
        setup.proven = rate
        out.append(.disarm(.listen))
        out.append(.disarm(.reply))
        setup.steps = [.command(.close), .settleRate]
        advance(&out)
    }

    // MARK: Questions

    /// Ends a request whose time is over.
    mutating func finish(_ question: CANSetup.Question, _ out: inout [DialectOutput]) {
        let isHeard = !setup.messages.isEmpty
        if setup.isDamaged, !isHeard {
            identity.forget(question.payload, on: question.forced)
        } else {
            identity.note(
                SetupQuestion(
                    question.payload, on: question.forced, messages: setup.messages,
                    statuses: setup.statuses))
        }
        switch question.payload {
        case CANSetup.support:
            guard isHeard else { break }
            let answers = setup.messages.filter { $0.payload.starts(with: [0x41, 0x00]) }
            if !answers.isEmpty {
                currentDataECUs = answers.compactMap(\.ecu)
                setup.steps = []
                find(question.vehicleProtocol, &out)
                return
            }
            // A refusal proves the protocol. The next request shows what else the ECU supports.
            setup.heardOn = question.vehicleProtocol
            setup.steps = [
                .ask(
                    CANSetup.Question(
                        payload: CANSetup.onUDS, vehicleProtocol: question.vehicleProtocol,
                        forced: question.vehicleProtocol, rate: question.rate))
            ]
        case CANSetup.onUDS:
            let isOnUDS = setup.messages.contains { $0.payload == CANSetup.isOnUDS }
            if isOnUDS || setup.heardOn == question.vehicleProtocol {
                setup.steps = []
                find(question.vehicleProtocol, &out)
                return
            }
        default:
            if setup.messages.contains(where: { $0.parameterGroup != nil }) {
                setup.steps = []
                find(question.vehicleProtocol, &out)
                return
            }
        }
        advance(&out)
    }

    private mutating func find(_ found: VehicleProtocol, _ out: inout [DialectOutput]) {
        identity.vehicleProtocol = found
        identity.protocolWasSearched = options.vehicleProtocol == nil
        speak(found)
        out.append(.notice(.protocolFound(found)))
        // Once a vehicle was found, it is required whenever the link is set up again.
        vehicle = .needed
        becomeReady(&out)
    }

    private mutating func speak(_ vehicleProtocol: VehicleProtocol) {
        capabilities.vehicleProtocol = vehicleProtocol
        capabilities.itemsPerRequest = vehicleProtocol.family == .can ? 6 : 1
        capabilities.hearsGroups =
            vehicleProtocol.family == .j1939 && !options.heardGroups.isEmpty
    }

    private mutating func becomeReady(_ out: inout [DialectOutput]) {
        if capabilities.vehicleProtocol == nil {
            if let fixed = options.vehicleProtocol { speak(fixed) }
        }
        phase = .ready
        out.append(.disarmAll)
        out.append(.ready(identity))
    }

    mutating func fail(_ failure: InitialisationFailure, _ out: inout [DialectOutput]) {
        if setup.wanted != nil {
            setup.wanted = nil
            end(.interrupted, &out)
            return
        }
        if case .noVehicle(let status) = failure, vehicle.allowsMissing(because: status) {
            out.append(.notice(.setupGoesOn(after: failure)))
            let assumed = options.vehicleProtocol ?? vehicle.assumedProtocol
            vehicle = .unused
            if let assumed { speak(assumed) }
            setup.steps = []
            if options.link == .slcan, let rate = assumed?.canRate, setup.proven == nil,
                rate != setup.openRate
            {
                setup.steps = [.command(.close)] + opening(rate)
            }
            advance(&out)
            return
        }
        leave(&out)
        phase = .outOfStep
        out.append(.disarmAll)
        out.append(.initialisationFailed(failure))
    }

    // MARK: Actions

    /// Runs an adapter action, as far as it makes sense without an adapter.
    mutating func act(_ action: AdapterAction, _ out: inout [DialectOutput]) {
        switch action {
        case .readVoltage: out.append(.end(.refused))
        case .identify:
            out.append(.text(identity.banner ?? ""))
            out.append(.end(.complete))
        case .forgetProtocol:
            capabilities.vehicleProtocol = identity.vehicleProtocol
            out.append(.end(.complete))
        case .tryProtocol(let wanted): change(to: wanted, &out)
        }
    }

    private mutating func change(to wanted: VehicleProtocol, _ out: inout [DialectOutput]) {
        guard let rate = wanted.canRate else {
            out.append(.end(.refused))
            return
        }
        if setup.openRate == nil || setup.openRate == rate {
            speak(wanted)
            out.append(.end(.complete))
            return
        }
        // Only root can change the bit rate of an interface, and a rate that frames have proven is right.
        guard options.link == .slcan, setup.proven == nil, identity.vehicleProtocol == nil else {
            out.append(.status(.unableToConnect))
            out.append(.end(.complete))
            return
        }
        setup.wanted = wanted
        setup.steps = [.command(.close)] + opening(rate)
        advance(&out)
    }
}
