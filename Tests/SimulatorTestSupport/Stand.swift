public import Adapters
public import OBDCore
public import ScanTool
public import Simulator

/// A scan tool with a simulated device and vehicle and a manual clock, in the dialect of the device.
public struct Stand {
    /// The scan tool.
    public private(set) var machine: ScanTool<AnyDialect>
    /// The device with the vehicle.
    public private(set) var device: any SimulatedDevice
    /// The ECUs that have been heard.
    public private(set) var heard = HeardECUs()
    /// Why the latest request was refused; nil if it was sent.
    public private(set) var refusal: Refusal?
    /// The outcome of the latest request; nil if it was refused.
    public private(set) var outcome: Outcome?

    private var now = Instant.zero
    private var deadlines: [Deadline: Instant] = [:]
    private var events: [Event] = []
    private var asked: VehicleRequest?

    /// A stand that is set up, or as far as the vehicle allows.
    public init(
        _ options: SimulatorOptions, doip: DoIPDialect.Options = DoIPDialect.Options()
    ) throws(SimulatorError) {
        device = try options.device(at: .zero)
        var policy = Policy()
        policy.sessionTries = nil
        machine = ScanTool(dialect: Self.dialect(options, doip), policy: policy)
        events = [.retry]
        run { $0.isIdle }
    }

    private static func dialect(
        _ options: SimulatorOptions, _ doip: DoIPDialect.Options
    ) -> AnyDialect {
        var choice = AnyDialect.Choice.elm327
        var can = CANDialect.Options(.slcan)
        switch options.protocols.first {
        case GoLinkDialect.protocolString: choice = .goLink
        case DoIPDialect.protocolString: choice = .doip
        case CANDialect.slcanProtocol: choice = .can
        case CANDialect.recordProtocol:
            choice = .can
            can = CANDialect.Options(.interface(name: "can0", rate: nil))
        default: break
        }
        return AnyDialect(
            choice, elm327: ELM327Dialect.Options(), goLink: GoLinkDialect.Options(), can: can,
            doip: doip)
    }

    /// Whether the adapter is set up and waits for a request.
    public var isIdle: Bool { if case .idle = machine.state { true } else { false } }

    /// Submits a request and runs until there is a result.
    public mutating func submit(_ request: AdapterRequest) {
        run { $0.isIdle }
        refusal = nil
        outcome = nil
        asked = nil
        if case .vehicle(let vehicle) = request { asked = vehicle }
        events.append(.submitted(request))
        run { $0.refusal != nil || $0.outcome != nil }
    }

    private mutating func run(until isOver: (Stand) -> Bool) {
        var steps = 0
        while steps < 20_000 {
            steps += 1
            while !events.isEmpty {
                var effects: [Effect] = []
                machine.handle(events.removeFirst(), &effects)
                for effect in effects { carryOut(effect) }
            }
            if isOver(self) { return }
            let bytes = device.due(at: now)
            if !bytes.isEmpty {
                events.append(.received(bytes))
                continue
            }
            if device.takeEnd() != nil {
                events.append(.closed)
                continue
            }
            guard let next = (deadlines.values + [device.nextDeadline].compactMap(\.self)).min()
            else { return }
            now = max(now, next)
            for (deadline, time) in deadlines where time <= now {
                deadlines[deadline] = nil
                events.append(.deadlineExpired(deadline))
            }
        }
    }

    private mutating func carryOut(_ effect: Effect) {
        switch effect {
        case .open:
            device.connect(at: now)
            events.append(.opened)
        case .close: events.append(.closed)
        case .write(let bytes): device.receive(bytes, at: now)
        case .arm(let deadline, let time): deadlines[deadline] = now + time
        case .disarm(let deadline): deadlines[deadline] = nil
        case .setLineRate(let rate): events.append(.lineRateSet(rate))
        case .deliver(let id, let result):
            outcome = result
            heard.note(
                result.reply.messages, answering: asked?.payload ?? [], at: asked?.target)
            events.append(.replyProcessed(id))
        case .refuse(_, let reason): refusal = reason
        case .notice(.initialized(let identity)):
            for question in identity.questions {
                heard.note(question.messages, answering: question.request, at: nil)
            }
        case .notice, .report, .setFilter: break
        }
    }
}
