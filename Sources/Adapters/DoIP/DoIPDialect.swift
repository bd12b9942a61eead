import DoIPWire
public import OBDCore
import VehicleLink

/// A DoIP gateway (ISO 13400-2): messages over TCP instead of an adapter's lines.
///
/// The set-up activates routing, then asks the vehicle. A request goes to the address of one ECU, or to
/// that of a group of them, which the gateway acknowledges once and each ECU answers from its own
/// address. There is no prompt: an exchange ends with the answer of the one ECU that was asked, with as
/// many answers as are known to come, with a pause after an answer of a group, or when nobody has begun
/// to answer in time.
public struct DoIPDialect: AdapterDialect {
    /// What the user says.
    public struct Options: Hashable, Sendable {
        /// The tester's own logical address; 0E80 to 0EFF are for testers that are not the maker's.
        public var source: UInt16
        /// The logical address of all ECUs that know OBD.
        public var functional: UInt16
        /// The version of the protocol that is tried first; the gateway's answer may name another.
        public var version: UInt8
        /// The protocol to use; nil = what the gateway speaks, and any other cannot be had.
        public var vehicleProtocol: VehicleProtocol?
        /// What is needed of the vehicle.
        public var vehicle: VehicleNeed

        /// Options; the defaults are the addresses that most vehicles use.
        public init(
            source: UInt16 = 0x0E80, functional: UInt16 = 0xE400, version: UInt8 = 0x02,
            vehicleProtocol: VehicleProtocol? = nil, vehicle: VehicleNeed = .needed
        ) {
            self.source = source
            self.functional = functional
            self.version = version
            self.vehicleProtocol = vehicleProtocol
            self.vehicle = vehicle
        }
    }

    /// The protocol string of this dialect.
    public static let protocolString = DoIPMessage.protocolString

    /// Bytes that one exchange may bring at most; more is a flood.
    static let longestReply = 512 * 1024
    /// A gateway acknowledges in 50 ms, and answers an activation in 2 s (ISO 13400-2).
    static let controlTime = Duration.seconds(2)
    /// An ECU begins to answer within 50 ms of getting the request (P2); the gateway adds its own time.
    static let physicalTime = Duration.seconds(2)
    static let functionalTime = Duration.milliseconds(500)
    /// The pause after which no other ECU of a group answers.
    static let settlingTime = Duration.milliseconds(100)
    /// After "response pending" (P2*, and some for the gateway).
    static let pendingTime = Duration.seconds(6)
    /// Before a gateway whose user has to confirm is asked again, and how often that is done.
    static let confirmationPause = Duration.seconds(2)
    static let confirmationTries = 30

    private static let allItCan: LinkCapabilities = {
        var capabilities = LinkCapabilities(itemsPerRequest: 6, frameCountHelps: true)
        capabilities.longestRequest = 4_095
        capabilities.longestRequestToAll = 4_095
        capabilities.takesCommands = false
        return capabilities
    }()

    enum Phase: Hashable, Sendable {
        /// Nothing was said yet, or the gateway has given the tester up.
        case outOfStep
        /// Routing activation was asked for.
        case activating
        /// The vehicle's user has to confirm; asked so many times.
        case confirming(Int)
        /// All ECUs were asked a question of the set-up.
        case findingVehicle(Int)
        /// An ECU answered it; others may still speak.
        case settling
        /// Set up, nothing under way.
        case ready
        /// A request waits for its answers.
        case exchanging
    }

    /// The exchange under way.
    struct Running: Hashable, Sendable {
        var payload: [UInt8] = []
        var target: UInt16 = 0
        /// Whether a single ECU was asked.
        var isPhysical = false
        /// Whether the gateway has passed it on.
        var isAcknowledged = false
        /// Answers that are known to come; nil = a pause ends the exchange.
        var expected: Int?
        var answers = 0
        /// How long an ECU may take to begin its answer.
        var answerTime = Duration.zero
        /// ECUs that asked for patience (7F xx 78) and have not answered since.
        var pending: Set<UInt16> = []
    }

    /// What the link can do, as far as it is known now.
    public internal(set) var capabilities = Self.allItCan
    /// What is known of the gateway.
    public internal(set) var identity = AdapterIdentity()

    /// What the user says.
    public let options: Options
    /// What is needed of the vehicle from here on.
    var vehicle: VehicleNeed
    /// The version in which the gateway is spoken to.
    var version: UInt8

    var phase = Phase.outOfStep
    var running = Running()
    private var lexer = DoIPLexer()
    private var tokens: [DoIPLexer.Token] = []
    private var received = 0
    /// Bytes since the set-up began.
    private var heard = 0
    /// Whether the gateway has named another version in this set-up already.
    private var hasChangedVersion = false

    /// A dialect that has not spoken yet.
    public init(_ options: Options = Options()) {
        self.options = options
        vehicle = options.vehicle
        version = options.version
    }

    // MARK: AdapterDialect

    /// The protocol string of this dialect.
    public var protocolString: String { Self.protocolString }

    /// Activates routing, then asks the vehicle for what it supports.
    public mutating func initialise(_ out: inout [DialectOutput]) {
        identity = AdapterIdentity(banner: "DoIP gateway")
        capabilities = Self.allItCan
        lexer = DoIPLexer()
        received = 0
        heard = 0
        hasChangedVersion = false
        if let wanted = options.vehicleProtocol, wanted != .doip {
            fail(.noVehicle(.unableToConnect), &out)
            return
        }
        phase = .activating
        activate(&out)
    }

    /// Whether `request` is known to change nothing; what has no meaning here is not sent.
    public func isReadOnly(_ request: AdapterRequest) -> Bool {
        switch request {
        case .vehicle(let vehicle):
            vehicle.payload.isEmpty
                || VehicleRequest.isReadOnly(vehicle.payload, to: vehicle.target, on: .doip)
        case .action, .command, .monitor: true
        }
    }

    /// Sends one request.
    public mutating func send(
        _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [DialectOutput]
    ) {
        guard phase == .ready else {
            out.append(.end(.refused))
            return
        }
        switch request {
        case .vehicle(let vehicle): send(vehicle, &out)
        case .action(_, .identify):
            out.append(.text(identity.banner ?? "DoIP gateway"))
            out.append(.end(.complete))
        case .action(_, .tryProtocol(.doip)), .action(_, .forgetProtocol):
            out.append(.end(.complete))
        case .action, .command, .monitor: out.append(.end(.refused))
        }
    }

    private mutating func send(_ request: VehicleRequest, _ out: inout [DialectOutput]) {
        guard request.ending == .reply, request.target.map({ $0.form == .logical }) ?? true else {
            out.append(.end(.refused))
            return
        }
        // No settings of an earlier request are left to be put back.
        if request.payload.isEmpty {
            out.append(.end(.complete))
            return
        }
        phase = .exchanging
        ask(
            request.payload,
            at: request.target.map { UInt16(truncatingIfNeeded: $0.value) } ?? options.functional,
            within: request.answerTime, &out)
        running.expected = request.mayRepeat ? request.expectedFrames : nil
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
        var found: [DoIPLexer.Token] = []
        swap(&found, &tokens)
        lexer.receive(bytes, &found)
        for token in found {
            switch token {
            case .message(let message, let version): take(message, version, &out)
            case .malformed(let type): takeDamage("DoIP message of a wrong length", type, &out)
            case .outOfStep: loseStep(&out)
            }
        }
        found.removeAll(keepingCapacity: true)
        swap(&found, &tokens)
    }

    /// Takes note that a timer's time has passed.
    public mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {
        switch timer {
        case .reply: takeSilence(&out)
        case .pause: takePause(&out)
        default: break
        }
    }

    /// Stops what is under way; the gateway has no command for it, a late answer is told as news.
    public mutating func interrupt(_ out: inout [DialectOutput]) {
        switch phase {
        case .outOfStep, .ready: break
        case .activating, .confirming, .findingVehicle, .settling:
            phase = .outOfStep
            disarm(&out)
            out.append(.initialisationFailed(.interrupted))
        case .exchanging: finish(.interrupted, &out)
        }
    }

    // MARK: Steps

    /// Asks the gateway to take diagnostics from this tester.
    mutating func activate(_ out: inout [DialectOutput]) {
        write(.activationRequest(source: options.source, type: 0x00), &out)
        out.append(.arm(.reply, after: Self.controlTime))
    }

    /// Sends a request, and awaits that the gateway acknowledges it.
    mutating func ask(
        _ payload: [UInt8], at target: UInt16, within answerTime: Duration?,
        _ out: inout [DialectOutput]
    ) {
        let isPhysical = ECUAddress(UInt32(target), .logical).isLogicalECU
        running = Running(payload: payload, target: target, isPhysical: isPhysical)
        running.answerTime =
            payload.first.flatMap(ServiceShape.of)?.takesTime ?? false
            ? Self.pendingTime
            : answerTime ?? (isPhysical ? Self.physicalTime : Self.functionalTime)
        received = 0
        write(.diagnostic(source: options.source, target: target, payload: payload), &out)
        out.append(.arm(.reply, after: Self.controlTime))
    }

    /// The questions to all ECUs: the support map, and what a vehicle says that has OBD only over UDS.
    private static let questions: [[UInt8]] = [[0x01, 0x00], [0x22, 0xF8, 0x10]]
    static let isOnUDS: [UInt8] = [0x62, 0xF8, 0x10, 0x01]

    /// Asks the next question, and at last gives up.
    mutating func findVehicle(_ index: Int, _ out: inout [DialectOutput]) {
        guard index < Self.questions.count else {
            fail(.noVehicle(.noData), &out)
            return
        }
        phase = .findingVehicle(index)
        ask(Self.questions[index], at: options.functional, within: nil, &out)
    }

    /// Nobody answered a question of the set-up.
    mutating func findNobody(_ status: AdapterStatus, _ out: inout [DialectOutput]) {
        guard case .findingVehicle(let index) = phase else { return }
        identity.note(SetupQuestion(running.payload, on: nil, statuses: [status]))
        findVehicle(index + 1, &out)
    }

    mutating func becomeReady(_ out: inout [DialectOutput]) {
        phase = .ready
        disarm(&out)
        out.append(.ready(identity))
    }

    mutating func fail(_ failure: InitialisationFailure, _ out: inout [DialectOutput]) {
        disarm(&out)
        if case .noVehicle(let status) = failure, capabilities.vehicleProtocol != nil,
            vehicle.allowsMissing(because: status)
        {
            out.append(.notice(.setupGoesOn(after: failure)))
            vehicle = .unused
            becomeReady(&out)
            return
        }
        phase = .outOfStep
        out.append(.initialisationFailed(failure))
    }

    mutating func finish(_ end: ExchangeEnd, _ out: inout [DialectOutput]) {
        phase = .ready
        disarm(&out)
        out.append(.end(end))
    }

    func write(_ message: DoIPMessage, _ out: inout [DialectOutput]) {
        out.append(.write(message.bytes(version: version)))
    }

    /// Speaks the version that the gateway has named, once in a set-up.
    mutating func change(to other: UInt8, _ out: inout [DialectOutput]) -> Bool {
        guard other != version, other != DoIPMessage.anyVersion, !hasChangedVersion else {
            return false
        }
        hasChangedVersion = true
        version = other
        activate(&out)
        return true
    }

    // MARK: Time and damage

    private mutating func takeSilence(_ out: inout [DialectOutput]) {
        switch phase {
        case .activating:
            fail(heard == 0 ? .silent : .notUnderstood(received: heard), &out)
        case .confirming(let tries):
            guard tries < Self.confirmationTries else {
                fail(.activationRefused(code: 0x11), &out)
                return
            }
            phase = .confirming(tries + 1)
            write(.activationRequest(source: options.source, type: 0x00), &out)
            out.append(.arm(.reply, after: Self.confirmationPause))
        case .findingVehicle: findNobody(.noData, &out)
        case .exchanging:
            if running.answers > 0 {
                finish(.complete, &out)
            } else if running.isAcknowledged {
                if running.pending.isEmpty { out.append(.status(.noData)) }
                finish(.complete, &out)
            } else {
                phase = .outOfStep
                disarm(&out)
                out.append(.end(.timedOut))
            }
        case .outOfStep, .settling, .ready: break
        }
    }

    private mutating func takePause(_ out: inout [DialectOutput]) {
        switch phase {
        case .settling:
            // A vehicle that was found is looked for whenever the gateway is set up again.
            vehicle = .needed
            becomeReady(&out)
        case .exchanging where running.answers > 0 && running.pending.isEmpty:
            finish(.complete, &out)
        case .outOfStep, .activating, .confirming, .findingVehicle, .ready, .exchanging: break
        }
    }

    /// A message whose content does not fit its type.
    private mutating func takeDamage(
        _ text: String, _ type: UInt16, _ out: inout [DialectOutput]
    ) {
        switch phase {
        case .exchanging: out.append(.linkError(LinkError(.notAFrame)))
        // Another ECU's answer may be lost.
        case .settling: identity.forget(running.payload, on: nil)
        case .outOfStep, .activating, .confirming, .findingVehicle, .ready:
            out.append(.notice(.unexpected("\(text): \(Hex.string(UInt32(type), digits: 4))")))
        }
    }

    /// What came is not DoIP: nothing after it can be read.
    private mutating func loseStep(_ out: inout [DialectOutput]) {
        switch phase {
        case .outOfStep, .ready: out.append(.notice(.unexpected("bytes that are not DoIP")))
        case .activating, .confirming, .findingVehicle, .settling:
            fail(.notUnderstood(received: heard), &out)
        case .exchanging:
            out.append(.linkError(LinkError(.header)))
            phase = .outOfStep
            disarm(&out)
            out.append(.end(.timedOut))
        }
    }

    private mutating func flood(_ out: inout [DialectOutput]) {
        received = 0
        lexer = DoIPLexer()
        switch phase {
        case .outOfStep, .ready: out.append(.notice(.unexpected("endless bytes")))
        case .activating, .confirming, .findingVehicle, .settling:
            fail(.notUnderstood(received: Self.longestReply), &out)
        case .exchanging:
            phase = .outOfStep
            disarm(&out)
            out.append(.end(.flooded))
        }
    }

    func disarm(_ out: inout [DialectOutput]) {
        for timer in DialectTimer.allCases { out.append(.disarm(timer)) }
    }
}
