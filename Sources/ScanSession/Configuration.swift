public import Accessory
public import Adapters
import DoIPWire
public import OBDCore
public import ScanTool

/// How a scan session is to be made.
public struct SessionConfiguration: Sendable {
    /// Whether a lost link is restored.
    public enum Reconnect: Hashable, Sendable {
        /// The session ends with the link.
        case never
        /// It is tried again and again ``SessionConfiguration/reconnectTries`` times in a row.
        case always
    }

    /// How the accessory is opened.
    public var connector: Connector
    /// What to speak to it.
    public var dialect: DialectChoice
    /// What to speak to the vehicle; nil = find out.
    public var vehicleProtocol: VehicleProtocol?
    /// What is needed of the vehicle.
    public var vehicle: VehicleNeed
    /// Whether the bus is only listened to, where the link can do that without an ELM327.
    public var onlyListens = false
    /// What earlier sessions learnt of this adapter; nil = nothing.
    public var memory: AdapterMemory?
    /// Whether a lost link is restored.
    public var reconnect: Reconnect
    /// Failed tries in a row after which a lost link is given up.
    public var reconnectTries: Int
    /// After so long a search for the vehicle, ``ScanProgress/longSearch`` is told.
    ///
    /// A search of every protocol takes 5 to 12 s, and old vehicles answer late in it.
    public var longSearch = Duration.milliseconds(3_500)
    /// How long a full store may keep a stop waiting before its batch is given up.
    public var drainLimit: Duration
    /// A descriptor that the transcript is written to; it stays the caller's.
    public var recordTo: Int32?
    /// Where the transcript comes from.
    public var recordHead: [Transcript.Header]
    /// The events that ``ScanSession/nextEvents(_:)`` delivers.
    public var queuedEvents: ScanEvent.Kinds
    /// Limits and pauses of the scan tool; its session tries follow from ``reconnect``.
    public var policy: Policy

    /// A session over `connector` that finds everything else out.
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
    /// What is spoken; one that is found out where nothing but the link is known.
    ///
    /// What this program serves itself speaks the usual language, unless it says otherwise.
    var knownDialect: AnyDialect {
        let choice: AnyDialect.Choice =
            switch dialect {
            // Its address says what is spoken there.
            case _ where canLink != nil: .can
            case .automatic where connector.protocols == [DoIPDialect.protocolString]: .doip
            case .automatic: triesAllDialects ? .automatic : .elm327
            case .elm327, .stn: .elm327
            case .goLink: .goLink
            case .doip: .doip
            }
        return AnyDialect(
            choice, elm327: elm327Options, goLink: goLinkOptions, can: canOptions, doip: doipOptions
        )
    }

    /// What frames of CAN come from, where the address says that they do.
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

    /// What is known of a CAN bus.
    private var canOptions: CANDialect.Options {
        var options = CANDialect.Options(
            canLink ?? .slcan, vehicleProtocol: vehicleProtocol,
            rememberedProtocol: memory?.vehicleProtocol, vehicle: vehicle)
        options.onlyListens = onlyListens
        if let time = (connector.transport as? SLCANTransport)?.answerTime {
            options.timing.answer = time
        }
        return options
    }

    /// Silence at a line rate that is taken on trust means another rate, not another language.
    private var triesAllDialects: Bool { connector.reachesAccessory && memory?.lineRate == nil }

    /// What an ELM327 is told.
    private var elm327Options: ELM327Dialect.Options {
        ELM327Dialect.Options(
            vehicleProtocol: vehicleProtocol, rememberedProtocol: memory?.vehicleProtocol,
            rememberedIdentity: memory?.identity, vehicle: vehicle,
            probesSTN: dialect != .elm327)
    }

    /// What a GoLink is told.
    private var goLinkOptions: GoLinkDialect.Options {
        GoLinkDialect.Options(vehicleProtocol: vehicleProtocol, vehicle: vehicle)
    }

    /// What a DoIP gateway is told: the address names what is not usual.
    private var doipOptions: DoIPDialect.Options {
        var options = DoIPDialect.Options(vehicleProtocol: vehicleProtocol, vehicle: vehicle)
        guard let transport = connector.transport as? DoIPTransport else { return options }
        options.source = transport.source ?? options.source
        options.functional = transport.functional ?? options.functional
        options.version = transport.version ?? options.version
        return options
    }

    /// The scan tool's limits with this session's tries.
    var effectivePolicy: Policy {
        var policy = policy
        switch reconnect {
        case .never: policy.sessionTries = 0
        case .always: policy.sessionTries = reconnectTries
        }
        return policy
    }
}

/// What to speak to an adapter.
public enum DialectChoice: String, Hashable, Sendable, CaseIterable {
    /// Find out.
    case automatic = "auto"
    /// ELM327 and its clones.
    case elm327
    /// ELM327 with the extras of STN chips.
    case stn
    /// GoLink accessories: binary frames.
    case goLink = "golink"
    /// DoIP gateways: messages of ISO 13400-2.
    case doip

    /// What an accessory with these protocols is spoken to in; nil = find out.
    public init?(speaking protocols: [String]) {
        switch protocols {
        case [GoLinkDialect.protocolString]: self = .goLink
        case [DoIPDialect.protocolString]: self = .doip
        default: return nil
        }
    }
}

/// What is worth knowing about an adapter next time.
public struct AdapterMemory: Hashable, Sendable {
    /// The line rate that worked; unit: bit/s.
    public var lineRate: Int?
    /// The adapter as it described itself.
    public var identity: AdapterIdentity?
    /// What the vehicle spoke.
    public var vehicleProtocol: VehicleProtocol?

    /// What is known of an adapter.
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
    /// Whether frames of a CAN bus come from it as they are.
    public var isCAN: Bool {
        protocols == [CANDialect.slcanProtocol] || protocols == [CANDialect.recordProtocol]
    }
}
