public import OBDCore
import VehicleLink

/// A GoLink adapter: binary frames instead of lines, `com.goPoint.p1` instead of `AT` commands.
///
/// There is no prompt. An exchange ends with the known number of answers, with the device's report that no
/// ECU answered, or with a pause after an answer. The device only sends functional requests and has no
/// commands except the one that asks for the bus.
public struct GoLinkDialect: AdapterDialect {
    /// The settings of the user.
    public struct Options: Hashable, Sendable {
        /// The only protocol to use; nil means the one that the device found.
        public var vehicleProtocol: VehicleProtocol?
        /// Whether the set-up requires a vehicle.
        public var vehicle: VehicleNeed

        /// Sets the options; by default the dialect uses the protocol that the device found.
        public init(vehicleProtocol: VehicleProtocol? = nil, vehicle: VehicleNeed = .needed) {
            self.vehicleProtocol = vehicleProtocol
            self.vehicle = vehicle
        }
    }

    /// The protocol string of this dialect.
    public static let protocolString = "com.goPoint.p1"

    /// The most bytes of one exchange; more than this is a flood.
    static let longestReply = 64 * 1024
    /// How often to ask for the bus, or the vehicle, before it counts as silent.
    static let tries = 3
    /// The capabilities of every GoLink; its frames cannot address a single ECU.
    private static let allItCan: LinkCapabilities = {
        var capabilities = LinkCapabilities(frameCountHelps: true)
        capabilities.asksSingleECUs = false
        capabilities.longestRequestToAll = GoLinkFrame.longestRequest
        capabilities.takesCommands = false
        return capabilities
    }()

    enum Phase: Hashable, Sendable {
        /// Nothing was sent yet, or the device is out of step.
        case outOfStep
        /// Waiting for the device to report its bus.
        case askingBus(attempt: Int)
        /// Waiting for the vehicle's support map.
        case findingVehicle(attempt: Int)
        /// The vehicle has answered; other ECUs may follow.
        case settling
        /// Set up and idle.
        case ready
        /// A request waits for its answers.
        case exchanging
    }

    /// The current exchange.
    struct Running: Hashable, Sendable {
        var payload: [UInt8] = []
        /// The known number of answers; nil if a pause ends the exchange.
        var expected: Int?
        var answers = 0
        /// ECUs that sent "response pending" (7F xx 78) and have not answered since.
        var pending: Set<UInt8> = []
        /// Whether any bytes were not a frame.
        var isDamaged = false
    }

    /// The capabilities of the link, as far as they are known.
    public internal(set) var capabilities = Self.allItCan
    /// The identity of the device.
    public internal(set) var identity = AdapterIdentity()

    /// The settings of the user.
    public let options: Options
    /// Whether a vehicle is required from now on.
    var vehicle: VehicleNeed

    var phase = Phase.outOfStep
    var running = Running()
    var lexer = GoLinkLexer()
    private var tokens: [GoLinkLexer.Token] = []
    private var received = 0
    /// The number of bytes received since the initialisation began.
    private var heard = 0

    /// A dialect before any communication.
    public init(_ options: Options = Options()) {
        self.options = options
        vehicle = options.vehicle
    }

    // MARK: AdapterDialect

    /// The protocol string of this dialect.
    public var protocolString: String { Self.protocolString }

    /// Asks the device for its bus, then the vehicle for its support map.
    public mutating func initialise(_ out: inout [DialectOutput]) {
        identity = AdapterIdentity(banner: "GoLink")
        capabilities = Self.allItCan
        lexer = GoLinkLexer()
        received = 0
        heard = 0
        askBus(attempt: 0, &out)
    }

    /// Whether `request` is known to change nothing; the device asks all ECUs and has no commands.
    public func isReadOnly(_ request: AdapterRequest) -> Bool {
        switch request {
        case .vehicle(let vehicle):
            vehicle.payload.isEmpty || vehicle.isReadOnly(on: capabilities.vehicleProtocol)
        // The device has no commands for these, so nothing is sent.
        case .action: true
        case .command(_, let text, _, _), .monitor(_, let text, _, _):
            AdapterRequest.isReadOnlyCommand(text)
        }
    }

    /// Sends one request.
    public mutating func send(
        _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [DialectOutput]
    ) {
        guard phase == .ready, case .vehicle(let vehicle) = request, vehicle.target == nil,
            !vehicle.listens,
            let bytes = GoLinkFrame.request(vehicle.payload).bytes
        else {
            out.append(.end(.refused))
            return
        }
        phase = .exchanging
        // Discards a partial frame whose rest never arrived.
        lexer.pause()
        running = Running(
            payload: vehicle.payload, expected: vehicle.mayRepeat ? vehicle.expectedFrames : nil)
        received = 0
        out.append(.write(bytes))
        out.append(.arm(.reply, after: Self.patience(for: vehicle.payload)))
    }

    /// Takes received bytes.
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
        // All timers are already disarmed at the end of an exchange.
        if wasUnderWay && !isUnderWay { return }
        // A pause marks the start of the next frame and shows that no other ECU answers.
        if lexer.isSkipping || lexer.partialFrame != nil || awaitsPause {
            out.append(.arm(.pause, after: pauseLength))
        }
    }

    /// Reports that a timer has expired.
    public mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {
        switch timer {
        case .pause: takePause(&out)
        case .reply: takeSilence(&out)
        case .prompt, .listen, .flowControl, .pacing, .nextFrame: break
        }
    }

    /// Stops the current exchange.
    ///
    /// The device has no command to stop, so a late answer is reported as a notice.
    public mutating func interrupt(_ out: inout [DialectOutput]) {
        switch phase {
        case .outOfStep, .ready: break
        case .askingBus, .findingVehicle, .settling:
            phase = .outOfStep
            out.append(.disarmAll)
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

    /// Whether a pause ends the current exchange.
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
            // Once a vehicle was found, it is required whenever the device is set up again.
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
            out.append(.disarmAll)
            out.append(.end(.timedOut))
        case .outOfStep, .settling, .ready: break
        }
    }

    /// The pause after which no other ECU answers.
    ///
    /// ECUs answer within 50 ms of each other on CAN and within 55 ms on the K line. The device forwards
    /// whole messages.
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

    /// Asks for the support map, and at last for the identifier of a vehicle with OBD over UDS only.
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
        // An initialisation at 5 baud needs three seconds.
        out.append(.arm(.reply, after: .seconds(5)))
    }

    static let onUDS: [UInt8] = [0x22, 0xF8, 0x10]
    static let isOnUDS: [UInt8] = [0x62, 0xF8, 0x10, 0x01]

    mutating func becomeReady(_ out: inout [DialectOutput]) {
        phase = .ready
        out.append(.disarmAll)
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
        out.append(.disarmAll)
        out.append(.initialisationFailed(failure))
    }

    mutating func finish(_ end: ExchangeEnd, _ out: inout [DialectOutput]) {
        phase = .ready
        out.append(.disarmAll)
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
            out.append(.disarmAll)
            out.append(.end(.flooded))
        }
    }
}
