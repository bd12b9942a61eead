public import Accessory
public import Adapters
public import OBDCore
public import ScanTool
import VehicleLink

/// The configuration of a scan session.
public struct SessionConfiguration: Sendable {
    /// Whether to restore a lost link.
    public enum Reconnect: Hashable, Sendable {
        /// The session ends with the link.
        case never
        /// The session tries to reconnect up to ``SessionConfiguration/reconnectTries`` times in a row.
        case always
    }

    /// Opens the adapter.
    public var connector: Connector
    /// The dialect for the adapter.
    public var dialect: DialectChoice
    /// The vehicle's protocol; nil means to detect it.
    public var vehicleProtocol: VehicleProtocol?
    /// Whether the set-up requires a vehicle.
    public var vehicle: VehicleNeed
    /// Whether to only listen to the bus: nothing is sent to the vehicle.
    public var onlyListens = false
    /// The frames to hear beside requests, by their identifiers; a link that cannot ignores them.
    public var heard: Set<ECUAddress> = []
    /// The parameter groups to hear beside requests if the vehicle speaks SAE J1939; a link that cannot ignores them.
    public var heardGroups: Set<UInt32> = []
    /// Decodes what the session hears on the bus for its sinks; nil = nothing does.
    public var listener: (any BusListener)?
    /// The memory of earlier sessions about this adapter; nil if there is none.
    public var memory: AdapterMemory?
    /// Whether to restore a lost link.
    public var reconnect: Reconnect
    /// The number of failed tries in a row after which a lost link is abandoned.
    public var reconnectTries: Int
    /// Report ``ScanProgress/longSearch`` when the search for the vehicle has taken this long.
    ///
    /// A search of every protocol takes 5 to 12 s, and old vehicles answer late in it.
    public var longSearch = Duration.milliseconds(3_500)
    /// How long a full store may keep a stop waiting before its batch is given up.
    public var drainLimit: Duration
    /// A descriptor to which the transcript is written; the caller closes it.
    public var recordTo: Int32?
    /// The origin of the transcript.
    public var recordHead: [Transcript.Header]
    /// The kinds of events that ``ScanSession/nextEvents(_:)`` returns.
    public var queuedEvents: ScanEvent.Kinds
    /// Limits and pauses of the scan tool; ``reconnect`` determines the number of its session tries.
    public var policy: Policy

    /// A session over `connector` that detects everything else.
    public init(connector: Connector) {
        self.connector = connector
        dialect = .automatic
        vehicleProtocol = nil
        vehicle = .needed
        memory = nil
        reconnect = .never
        reconnectTries = 1_000
        drainLimit = .seconds(10)
        recordTo = nil
        recordHead = []
        queuedEvents = .milestones
        policy = Policy()
    }
}

extension SessionConfiguration {
    /// The dialect to use; one that detects the language if only the link is known.
    ///
    /// Adapters that this program serves itself use the ELM327 dialect unless their transport names another.
    var knownDialect: AnyDialect {
        let choice: AnyDialect.Choice =
            switch dialect {
            // The address determines the dialect.
            case _ where canLink != nil: .can
            case .automatic where connector.protocols == [DoIPDialect.protocolString]: .doip
            // The other dialects cannot listen.
            case .automatic: triesAllDialects && !onlyListens ? .automatic : .elm327
            case .elm327, .stn: .elm327
            case .goLink: .goLink
            case .doip: .doip
            }
        return AnyDialect(
            choice, elm327: elm327Options, goLink: goLinkOptions, can: canOptions, doip: doipOptions
        )
    }

    /// The source of CAN frames, if the address determines one.
    private var canLink: CANDialect.Link? {
        switch connector.protocols {
        case [CANDialect.slcanProtocol]: return .slcan
        case [CANDialect.recordProtocol]:
            let transport = connector.transport as? CANTransport
            return .interface(
                name: transport?.interface ?? connector.name, rate: transport?.state?.rate)
        default: return nil
        }
    }

    /// The options for a CAN bus.
    private var canOptions: CANDialect.Options {
        var options = CANDialect.Options(
            canLink ?? .slcan, vehicleProtocol: vehicleProtocol,
            rememberedProtocol: memory?.vehicleProtocol, vehicle: vehicle)
        options.onlyListens = onlyListens
        options.heard = heard
        options.heardGroups = heardGroups
        if let time = (connector.transport as? SLCANTransport)?.answerTime {
            options.timing.answer = time
        }
        return options
    }

    /// Whether to try all dialects.
    ///
    /// At a remembered line rate, silence means another rate and not another dialect.
    private var triesAllDialects: Bool { connector.reachesAccessory && memory?.lineRate == nil }

    private var elm327Options: ELM327Dialect.Options {
        var options = ELM327Dialect.Options(
            vehicleProtocol: vehicleProtocol, rememberedProtocol: memory?.vehicleProtocol,
            rememberedIdentity: memory?.identity, vehicle: vehicle,
            probesSTN: dialect != .elm327)
        options.onlyListens = onlyListens
        return options
    }

    private var goLinkOptions: GoLinkDialect.Options {
        GoLinkDialect.Options(vehicleProtocol: vehicleProtocol, vehicle: vehicle)
    }

    /// The options for a DoIP gateway; the address has those that differ from the defaults.
    private var doipOptions: DoIPDialect.Options {
        var options = DoIPDialect.Options(vehicleProtocol: vehicleProtocol, vehicle: vehicle)
        guard let transport = connector.transport as? DoIPTransport else { return options }
        options.source = transport.source ?? options.source
        options.functional = transport.functional ?? options.functional
        options.version = transport.version ?? options.version
        return options
    }

    /// The scan tool's limits, with the number of tries for this session.
    var effectivePolicy: Policy {
        var policy = policy
        switch reconnect {
        case .never: policy.sessionTries = 0
        case .always: policy.sessionTries = reconnectTries
        }
        return policy
    }
}

/// The dialect for an adapter.
public enum DialectChoice: String, Hashable, Sendable, CaseIterable {
    /// Detect the dialect.
    case automatic = "auto"
    /// ELM327 and its clones.
    case elm327
    /// ELM327 with the additional commands of STN chips.
    case stn
    /// GoLink adapters: binary frames.
    case goLink = "golink"
    /// DoIP gateways: messages of ISO 13400-2.
    case doip

    /// The dialect for an adapter with these protocols; nil means to detect it.
    public init?(speaking protocols: [String]) {
        switch protocols {
        case [GoLinkDialect.protocolString]: self = .goLink
        case [DoIPDialect.protocolString]: self = .doip
        default: return nil
        }
    }

    /// Why a dialect or a protocol is not for an adapter.
    public enum Mismatch: Error, Hashable, Sendable {
        /// DoIP was asked for, and it is not a DoIP gateway.
        case noGateway
        /// The adapter is a DoIP gateway, and another dialect was requested.
        case isGateway
    }

    /// The dialect to use with an adapter.
    ///
    /// - Parameters:
    ///   - protocols: those of the adapter.
    ///   - vehicleProtocol: the requested protocol; nil = any.
    public func settled(
        for protocols: [String], _ vehicleProtocol: VehicleProtocol?
    ) throws(Mismatch) -> DialectChoice {
        let known = DialectChoice(speaking: protocols)
        if vehicleProtocol == .doip, known != .doip { throw .noGateway }
        guard self != .automatic, self != known else { return known ?? .automatic }
        if known == .doip { throw .isGateway }
        return self
    }
}

/// The facts to remember about an adapter for the next session.
public struct AdapterMemory: Hashable, Sendable {
    /// The line rate that worked; unit: bit/s.
    public var lineRate: Int?
    /// The adapter's description of itself.
    public var identity: AdapterIdentity?
    /// The vehicle's protocol.
    public var vehicleProtocol: VehicleProtocol?

    /// Creates a memory of an adapter.
    public init(
        lineRate: Int? = nil, identity: AdapterIdentity? = nil,
        vehicleProtocol: VehicleProtocol? = nil
    ) {
        self.lineRate = lineRate
        self.identity = identity
        self.vehicleProtocol = vehicleProtocol
    }
}

extension Connector {
    /// Whether the link delivers raw CAN frames.
    public var isCAN: Bool {
        protocols == [CANDialect.slcanProtocol] || protocols == [CANDialect.recordProtocol]
    }
}
