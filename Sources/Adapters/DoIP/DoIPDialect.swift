public import OBDCore
import VehicleLink

/// A DoIP gateway (ISO 13400-2): messages over TCP instead of an adapter's lines.
///
/// The set-up activates routing and then asks the vehicle. A request goes to the address of one ECU or of a
/// group. For a group the gateway acknowledges once, and each ECU answers from its own address. There is no
/// prompt. An exchange ends with the answer of the single ECU, with the known number of answers, with a pause
/// after an answer of a group, or when no ECU has begun to answer in time.
public struct DoIPDialect: AdapterDialect {
    /// The settings of the user.
    public struct Options: Hashable, Sendable {
        /// The tester's logical address; 0E80 to 0EFF are for testers of other companies than the vehicle
        /// manufacturer.
        public var source: UInt16
        /// The functional logical address of all ECUs with OBD.
        public var functional: UInt16
        /// The protocol version to try first; the gateway's answer may have another.
        public var version: UInt8
        /// The protocol to use; nil means the gateway's.
        ///
        /// No other protocol is available.
        public var vehicleProtocol: VehicleProtocol?
        /// Whether the set-up requires a vehicle.
        public var vehicle: VehicleNeed

        /// Sets the options; the defaults are the addresses that most vehicles use.
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

    /// The most bytes of one exchange; more than this is a flood.
    static let longestReply = 512 * 1024
    /// A gateway acknowledges in 50 ms, and answers an activation in 2 s (ISO 13400-2).
    static let controlTime = Duration.seconds(2)
    /// An ECU begins to answer within 50 ms after the request (P2); the rest is for the gateway.
    static let physicalTime = Duration.seconds(2)
    static let functionalTime = Duration.milliseconds(500)
    /// The pause after which no other ECU of a group answers.
    static let settlingTime = Duration.milliseconds(100)
    /// The time after "response pending" (P2*, and a margin for the gateway).
    static let pendingTime = Duration.seconds(6)
    /// The pause before asking a gateway again whose user has to confirm, and the number of attempts.
    static let confirmationPause = Duration.seconds(2)
    static let confirmationTries = 30

    /// The most bytes of one request (ISO 15765-2 in the vehicle), and the fewest that every ECU accepts.
    private static let requestLengths = 7...4_095

    /// The functional address that most vehicles use.
    private static let usualGroup = ECUAddress(0xE400, .logical)

    private static func allItCan(longest: Int, functional: UInt16) -> LinkCapabilities {
        var capabilities = LinkCapabilities(itemsPerRequest: 6, frameCountHelps: true)
        capabilities.longestRequest = longest
        capabilities.longestRequestToAll = longest
        capabilities.takesCommands = false
        let chosen = ECUAddress(UInt32(functional), .logical)
        capabilities.everyECU =
            chosen == usualGroup
            ? [nil] : chosen.isLogicalGroup ? [nil, usualGroup] : [usualGroup]
        return capabilities
    }

    enum Phase: Hashable, Sendable {
        /// Nothing was sent yet, or the gateway rejected the tester.
        case outOfStep
        /// Waiting for the answer to a routing activation.
        case activating
        /// Waiting for the vehicle's user to confirm; the number of attempts.
        case confirming(Int)
        /// Waiting for an answer to a functional request of the set-up.
        case findingVehicle(Int)
        /// An ECU has answered that request; others may follow.
        case settling
        /// Set up and idle.
        case ready
        /// A request waits for its answers.
        case exchanging
    }

    /// The current exchange.
    struct Running: Hashable, Sendable {
        var payload: [UInt8] = []
        var target: UInt16 = 0
        /// Whether the request goes to a single ECU.
        var isPhysical = false
        /// Whether the gateway has acknowledged the request.
        var isAcknowledged = false
        /// The known number of answers; nil if a pause ends the exchange.
        var expected: Int?
        var answers = 0
        /// Whether only a pause ends the exchange.
        var waitsForSilence = false
        /// The time for an ECU to begin its answer.
        var answerTime = Duration.zero
        /// ECUs that sent "response pending" (7F xx 78) and have not answered since.
        var pending: Set<UInt16> = []
    }

    /// The capabilities of the link, as far as they are known.
    public internal(set) var capabilities: LinkCapabilities
    /// The identity of the gateway.
    public internal(set) var identity = AdapterIdentity()

    /// The settings of the user.
    public let options: Options
    /// Whether a vehicle is required from now on.
    var vehicle: VehicleNeed
    /// The protocol version of messages to the gateway.
    var version: UInt8

    var phase = Phase.outOfStep
    var running = Running()
    private var lexer = DoIPLexer()
    private var tokens: [DoIPLexer.Token] = []
    private var received = 0
    /// The number of bytes received since the set-up began.
    private var heard = 0
    /// The most bytes of one request that the gateway accepts.
    private var longest = Self.requestLengths.upperBound
    /// Whether the gateway has already asked for another version during this set-up.
    private var hasChangedVersion = false

    /// A dialect before any communication.
    public init(_ options: Options = Options()) {
        self.options = options
        vehicle = options.vehicle
        version = options.version
        capabilities = Self.allItCan(
            longest: Self.requestLengths.upperBound, functional: options.functional)
    }

    // MARK: AdapterDialect

    /// The protocol string of this dialect.
    public var protocolString: String { Self.protocolString }

    /// Limits requests to the numbers in the gateway's entity status: `bytes` is the length of a message, of
    /// which four are addresses.
    public mutating func limitRequests(to bytes: Int) {
        longest = min(
            max(bytes - 4, Self.requestLengths.lowerBound), Self.requestLengths.upperBound)
        capabilities.longestRequest = longest
        capabilities.longestRequestToAll = longest
    }

    /// Activates routing, then asks the vehicle for its support map.
    public mutating func initialise(_ out: inout [DialectOutput]) {
        identity = AdapterIdentity(banner: "DoIP gateway")
        capabilities = Self.allItCan(longest: longest, functional: options.functional)
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

    /// Whether `request` is known to change nothing; requests that are meaningless here are not sent.
    public func isReadOnly(_ request: AdapterRequest) -> Bool {
        switch request {
        case .vehicle(let vehicle):
            vehicle.payload.isEmpty || vehicle.isReadOnly(on: .doip)
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
        guard !request.listens, request.target.map({ $0.form == .logical }) ?? true else {
            out.append(.end(.refused))
            return
        }
        // An empty request only restores settings, and this link has none.
        if request.payload.isEmpty {
            out.append(.end(.complete))
            return
        }
        guard request.payload.count <= longest else {
            out.append(.status(.requestTooLong))
            out.append(.end(.complete))
            return
        }
        phase = .exchanging
        ask(
            request.payload,
            at: request.target.map { UInt16(truncatingIfNeeded: $0.value) } ?? options.functional,
            within: request.answerTime, &out)
        running.expected = request.mayRepeat ? request.expectedFrames : nil
        running.waitsForSilence = request.ending == .silence
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

    /// Reports that a timer has expired.
    public mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {
        switch timer {
        case .reply: takeSilence(&out)
        case .pause: takePause(&out)
        // Timers of other dialects; DoIP does not arm them.
        case .prompt, .listen, .flowControl, .pacing, .nextFrame: break
        }
    }

    /// Stops the current exchange.
    ///
    /// The gateway has no command to stop, so a late answer is reported as a notice.
    public mutating func interrupt(_ out: inout [DialectOutput]) {
        switch phase {
        case .outOfStep, .ready: break
        case .activating, .confirming, .findingVehicle, .settling:
            phase = .outOfStep
            out.append(.disarmAll)
            out.append(.initialisationFailed(.interrupted))
        case .exchanging: finish(.interrupted, &out)
        }
    }

    // MARK: Steps

    /// Asks the gateway to accept diagnostics from this tester.
    mutating func activate(_ out: inout [DialectOutput]) {
        write(.activationRequest(source: options.source, type: 0x00), &out)
        out.append(.arm(.reply, after: Self.controlTime))
    }

    /// Sends a request and waits for the gateway's acknowledgement.
    mutating func ask(
        _ payload: [UInt8], at target: UInt16, within answerTime: Duration?,
        _ out: inout [DialectOutput]
    ) {
        // Some vehicles have their functional address among those of ECUs.
        let isPhysical =
            target != options.functional && ECUAddress(UInt32(target), .logical).isLogicalECU
        running = Running(payload: payload, target: target, isPhysical: isPhysical)
        running.answerTime =
            payload.first.flatMap(ServiceShape.of)?.takesTime ?? false
            ? Self.pendingTime
            : answerTime ?? (isPhysical ? Self.physicalTime : Self.functionalTime)
        received = 0
        write(.diagnostic(source: options.source, target: target, payload: payload), &out)
        out.append(.arm(.reply, after: Self.controlTime))
    }

    /// The functional requests of the set-up: the support map, and the identifier that shows OBD over UDS
    /// only.
    private static let questions: [[UInt8]] = [[0x01, 0x00], [0x22, 0xF8, 0x10]]
    static let isOnUDS: [UInt8] = [0x62, 0xF8, 0x10, 0x01]

    /// Sends the next request, or gives up after the last one.
    mutating func findVehicle(_ index: Int, _ out: inout [DialectOutput]) {
        guard index < Self.questions.count else {
            fail(.noVehicle(.noData), &out)
            return
        }
        phase = .findingVehicle(index)
        ask(Self.questions[index], at: options.functional, within: nil, &out)
    }

    /// Handles a request of the set-up that no ECU answered.
    mutating func findNobody(_ status: AdapterStatus, _ out: inout [DialectOutput]) {
        guard case .findingVehicle(let index) = phase else { return }
        identity.note(SetupQuestion(running.payload, on: nil, statuses: [status]))
        findVehicle(index + 1, &out)
    }

    mutating func becomeReady(_ out: inout [DialectOutput]) {
        phase = .ready
        out.append(.disarmAll)
        out.append(.ready(identity))
    }

    mutating func fail(_ failure: InitialisationFailure, _ out: inout [DialectOutput]) {
        out.append(.disarmAll)
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
        out.append(.disarmAll)
        out.append(.end(end))
    }

    func write(_ message: DoIPMessage, _ out: inout [DialectOutput]) {
        out.append(.write(message.bytes(version: version)))
    }

    /// Switches to the version that the gateway uses, once per set-up.
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
                out.append(.disarmAll)
                out.append(.end(.timedOut))
            }
        case .outOfStep, .settling, .ready: break
        }
    }

    private mutating func takePause(_ out: inout [DialectOutput]) {
        switch phase {
        case .settling:
            // Once a vehicle was found, it is required whenever the gateway is set up again.
            vehicle = .needed
            becomeReady(&out)
        case .exchanging where running.answers > 0 && running.pending.isEmpty:
            finish(.complete, &out)
        case .outOfStep, .activating, .confirming, .findingVehicle, .ready, .exchanging: break
        }
    }

    /// Handles a message whose content does not match its type.
    private mutating func takeDamage(
        _ text: String, _ type: UInt16, _ out: inout [DialectOutput]
    ) {
        switch phase {
        case .exchanging: out.append(.linkError(LinkError(.notAFrame)))
        // The damaged message may have been another ECU's answer.
        case .settling: identity.forget(running.payload, on: nil)
        case .outOfStep, .activating, .confirming, .findingVehicle, .ready:
            out.append(.notice(.unexpected("\(text): \(Hex.string(UInt32(type), digits: 4))")))
        }
    }

    /// Handles bytes that are not DoIP, after which nothing can be read.
    private mutating func loseStep(_ out: inout [DialectOutput]) {
        switch phase {
        case .outOfStep, .ready: out.append(.notice(.unexpected("bytes that are not DoIP")))
        case .activating, .confirming, .findingVehicle, .settling:
            fail(.notUnderstood(received: heard), &out)
        case .exchanging:
            out.append(.linkError(LinkError(.header)))
            phase = .outOfStep
            out.append(.disarmAll)
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
            out.append(.disarmAll)
            out.append(.end(.flooded))
        }
    }
}
