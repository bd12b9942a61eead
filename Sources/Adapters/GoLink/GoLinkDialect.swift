public import OBDCore
import VehicleLink

/// A GoLink accessory: binary frames instead of lines, `com.goPoint.p1` instead of `AT` commands.
///
/// There is no prompt: an exchange ends when as many answers came as are known to come, with the
/// device's word that no ECU answered, or with a pause after an answer. The device asks everybody
/// (functional addressing) and has no commands of its own but the question for the bus.
public struct GoLinkDialect: AdapterDialect {
    /// What the user says.
    public struct Options: Hashable, Sendable {
        /// The protocol to use, nothing else; nil = what the device has found.
        public var vehicleProtocol: VehicleProtocol?
        /// What is needed of the vehicle.
        public var vehicle: VehicleNeed

        /// Options; the defaults take what the device has found.
        public init(vehicleProtocol: VehicleProtocol? = nil, vehicle: VehicleNeed = .needed) {
            self.vehicleProtocol = vehicleProtocol
            self.vehicle = vehicle
        }
    }

    /// The protocol string of this dialect.
    public static let protocolString = "com.goPoint.p1"

    /// Bytes that one exchange may bring at most; more is a flood.
    static let longestReply = 64 * 1024
    /// How often the bus, or the vehicle, is asked before it counts as silent.
    static let tries = 3
    /// Its frames name no ECU to ask.
    private static let allItCan: LinkCapabilities = {
        var capabilities = LinkCapabilities(frameCountHelps: true)
        capabilities.asksSingleECUs = false
        capabilities.longestRequestToAll = GoLinkFrame.longestRequest
        capabilities.takesCommands = false
        return capabilities
    }()

    enum Phase: Hashable, Sendable {
        /// Nothing was said yet, or the device is out of step.
        case outOfStep
        /// The device was asked for its bus.
        case askingBus(attempt: Int)
        /// The vehicle was asked what it supports.
        case findingVehicle(attempt: Int)
        /// An answer of the vehicle came; its other ECUs may still speak.
        case settling
        /// Set up, nothing under way.
        case ready
        /// A request waits for its answers.
        case exchanging
    }

    /// The exchange under way.
    struct Running: Hashable, Sendable {
        var payload: [UInt8] = []
        /// Answers that are known to come; nil = a pause ends the exchange.
        var expected: Int?
        var answers = 0
        /// ECUs that asked for patience (7F xx 78) and have not answered since.
        var pending: Set<UInt8> = []
        /// Whether bytes came that were not a frame.
        var isDamaged = false
    }

    /// What the link can do, as far as it is known now.
    public internal(set) var capabilities = Self.allItCan
    /// What is known of the device.
    public internal(set) var identity = AdapterIdentity()

    /// What the user says.
    public let options: Options
    /// What is needed of the vehicle from here on.
    var vehicle: VehicleNeed

    var phase = Phase.outOfStep
    var running = Running()
    var lexer = GoLinkLexer()
    private var tokens: [GoLinkLexer.Token] = []
    private var received = 0
    /// Bytes since the initialisation began.
    private var heard = 0

    /// A dialect that has not spoken yet.
    public init(_ options: Options = Options()) {
        self.options = options
        vehicle = options.vehicle
    }

    // MARK: AdapterDialect

    /// The protocol string of this dialect.
    public var protocolString: String { Self.protocolString }

    /// Asks the device for its bus, then the vehicle for what it supports.
    public mutating func initialise(_ out: inout [DialectOutput]) {
        identity = AdapterIdentity(banner: "GoLink")
        capabilities = Self.allItCan
        lexer = GoLinkLexer()
        received = 0
        heard = 0
        askBus(attempt: 0, &out)
    }

    /// Whether `request` is known to change nothing: the device asks all ECUs, and knows no commands.
    public func isReadOnly(_ request: AdapterRequest) -> Bool {
        switch request {
        case .vehicle(let vehicle):
            vehicle.payload.isEmpty
                || VehicleRequest.isReadOnly(
                    vehicle.payload, to: vehicle.target, on: capabilities.vehicleProtocol)
        // It has no words for them: nothing is sent.
        case .action: true
        case .command(_, let text, _, _), .monitor(_, let text, _):
            AdapterRequest.isReadOnlyCommand(text)
        }
    }

    /// Sends one request.
    public mutating func send(
        _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [DialectOutput]
    ) {
        guard phase == .ready, case .vehicle(let vehicle) = request, vehicle.target == nil,
            vehicle.ending == .reply,
            let bytes = GoLinkFrame.request(vehicle.payload).bytes
        else {
            out.append(.end(.refused))
            return
        }
        phase = .exchanging
        // What is left of a frame whose rest never came.
        lexer.pause()
        running = Running(
            payload: vehicle.payload, expected: vehicle.mayRepeat ? vehicle.expectedFrames : nil)
        received = 0
        out.append(.write(bytes))
        out.append(.arm(.reply, after: Self.patience(for: vehicle.payload)))
    }

    /// Takes bytes as they came.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [DialectOutput]) {
        guard bytes.count > 0 else { return }
        received += bytes.count
        heard += bytes.count
        if received > Self.longestReply {
            flood(&out)
            return
        }
        let wasUnderWay = isUnderWay
        var found: [GoLinkLexer.Token] = []
        swap(&found, &tokens)
        lexer.receive(bytes, &found)
        for token in found {
            switch token {
            case .frame(let frame): take(frame, &out)
            case .damage: takeDamage(&out)
            }
        }
        found.removeAll(keepingCapacity: true)
        swap(&found, &tokens)
        // At an end all timers are disarmed.
        if wasUnderWay && !isUnderWay { return }
        // A pause says where the next frame begins, and that nobody else answers.
        if lexer.isSkipping || lexer.partialFrame != nil || awaitsPause {
            out.append(.arm(.pause, after: pauseLength))
        }
    }

    /// Takes note that a timer's time has passed.
    public mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {
        switch timer {
        case .pause: takePause(&out)
        case .reply: takeSilence(&out)
        case .prompt, .listen, .flowControl, .pacing, .nextFrame: break
        }
    }

    /// Stops what is under way; the device has no command for it, a late answer is told as news.
    public mutating func interrupt(_ out: inout [DialectOutput]) {
        switch phase {
        case .outOfStep, .ready: break
        case .askingBus, .findingVehicle, .settling:
            phase = .outOfStep
            disarm(&out)
            out.append(.initialisationFailed(.interrupted))
        case .exchanging: finish(.interrupted, &out)
        }
    }

    // MARK: Time

    private var isUnderWay: Bool {
        switch phase {
        case .askingBus, .findingVehicle, .settling, .exchanging: true
        case .outOfStep, .ready: false
        }
    }

    /// Whether a pause ends what is under way.
    private var awaitsPause: Bool {
        switch phase {
        case .settling: true
        case .exchanging:
            (running.answers > 0 || running.isDamaged) && running.pending.isEmpty
        case .outOfStep, .askingBus, .findingVehicle, .ready: false
        }
    }

    private mutating func takePause(_ out: inout [DialectOutput]) {
        if let partial = lexer.partialFrame, phase == .exchanging {
            running.isDamaged = true
            out.append(
                .linkError(
                    LinkError(
                        .incomplete(expected: partial.announced, received: partial.received))))
        }
        lexer.pause()
        guard awaitsPause else { return }
        if phase == .settling {
            // A vehicle that was found is looked for whenever the device is set up again.
            vehicle = .needed
            becomeReady(&out)
        } else {
            finish(.complete, &out)
        }
    }

    private mutating func takeSilence(_ out: inout [DialectOutput]) {
        switch phase {
        case .askingBus(let attempt): askBus(attempt: attempt + 1, &out)
        case .findingVehicle(let attempt): findVehicle(attempt: attempt + 1, &out)
        case .exchanging:
            phase = .outOfStep
            disarm(&out)
            out.append(.end(.timedOut))
        case .outOfStep, .settling, .ready: break
        }
    }

    /// ECUs answer within 50 ms of each other on CAN, within 55 ms on the K line; the device passes
    /// whole messages on.
    private var pauseLength: Duration {
        capabilities.vehicleProtocol?.family.isLegacy ?? true
            ? .milliseconds(200) : .milliseconds(100)
    }

    private static func patience(for payload: [UInt8]) -> Duration {
        payload.first.flatMap(ServiceShape.of)?.takesTime ?? false
            ? .seconds(6) : .milliseconds(2_500)
    }

    static let pendingPatience = Duration.seconds(6)

    // MARK: Steps

    private mutating func askBus(attempt: Int, _ out: inout [DialectOutput]) {
        guard attempt < Self.tries else {
            fail(heard == 0 ? .silent : .notUnderstood(received: heard), &out)
            return
        }
        phase = .askingBus(attempt: attempt)
        if let bytes = GoLinkFrame.busTypeRequest.bytes { out.append(.write(bytes)) }
        out.append(.arm(.reply, after: .seconds(1)))
    }

    /// Asks for the support map, and at last for what a vehicle says that has OBD only over UDS.
    mutating func findVehicle(attempt: Int, _ out: inout [DialectOutput]) {
        guard attempt <= Self.tries else {
            identity.note(SetupQuestion(running.payload, on: nil, statuses: [.noData]))
            fail(.noVehicle(.noData), &out)
            return
        }
        phase = .findingVehicle(attempt: attempt)
        if attempt > 0 {
            identity.note(SetupQuestion(running.payload, on: nil, statuses: [.noData]))
        }
        running = Running(payload: attempt < Self.tries ? [0x01, 0x00] : Self.onUDS)
        if let bytes = GoLinkFrame.request(running.payload).bytes { out.append(.write(bytes)) }
        // An initialisation at 5 baud takes three seconds.
        out.append(.arm(.reply, after: .seconds(5)))
    }

    static let onUDS: [UInt8] = [0x22, 0xF8, 0x10]
    static let isOnUDS: [UInt8] = [0x62, 0xF8, 0x10, 0x01]

    mutating func becomeReady(_ out: inout [DialectOutput]) {
        phase = .ready
        disarm(&out)
        out.append(.ready(identity))
    }

    mutating func fail(_ failure: InitialisationFailure, _ out: inout [DialectOutput]) {
        if case .noVehicle(let status) = failure, vehicle.allowsMissing(because: status) {
            out.append(.notice(.setupGoesOn(after: failure)))
            vehicle = .unused
            becomeReady(&out)
            return
        }
        phase = .outOfStep
        disarm(&out)
        out.append(.initialisationFailed(failure))
    }

    mutating func finish(_ end: ExchangeEnd, _ out: inout [DialectOutput]) {
        phase = .ready
        disarm(&out)
        out.append(.end(end))
    }

    private mutating func flood(_ out: inout [DialectOutput]) {
        received = 0
        lexer = GoLinkLexer()
        switch phase {
        case .outOfStep, .ready: out.append(.notice(.unexpected("endless bytes")))
        case .askingBus, .findingVehicle, .settling:
            fail(.notUnderstood(received: Self.longestReply), &out)
        case .exchanging:
            phase = .outOfStep
            disarm(&out)
            out.append(.end(.flooded))
        }
    }

    private func disarm(_ out: inout [DialectOutput]) {
        for timer in DialectTimer.allCases { out.append(.disarm(timer)) }
    }
}
