public import OBDCore

/// Any of the known dialects, chosen to match the adapter.
///
/// An unknown adapter is first addressed as an ELM327. If the adapter stays silent or its answers make no
/// sense, it is addressed as a GoLink over the same link. After a successful set-up the dialect stays the
/// same.
public struct AnyDialect: AdapterDialect {
    /// The dialect in use.
    public enum Choice: Hashable, Sendable, CaseIterable {
        /// Detect the dialect.
        case automatic
        /// ELM327 and its clones.
        case elm327
        /// GoLink adapters.
        case goLink
        /// A CAN bus without an adapter that has a command language.
        case can
        /// DoIP gateways.
        case doip
    }

    private enum Language: Hashable, Sendable {
        case elm327, goLink, can, doip
    }

    // Stored side by side instead of in an enum, so that each is changed in place without a copy.
    private var elm327: ELM327Dialect
    private var goLink: GoLinkDialect
    private var can: CANDialect
    private var doip: DoIPDialect
    private let choice: Choice
    private var language: Language
    /// Whether an adapter was set up in this dialect.
    private var isProven: Bool
    /// Why the first dialect failed, while another one is tried.
    private var firstFailure: InitialisationFailure?

    /// A dialect before any communication.
    public init(
        _ choice: Choice, elm327: ELM327Dialect.Options, goLink: GoLinkDialect.Options,
        can: CANDialect.Options = CANDialect.Options(.slcan),
        doip: DoIPDialect.Options = DoIPDialect.Options()
    ) {
        self.choice = choice
        self.elm327 = ELM327Dialect(elm327)
        self.goLink = GoLinkDialect(goLink)
        self.can = CANDialect(can)
        self.doip = DoIPDialect(doip)
        language =
            switch choice {
            case .automatic, .elm327: .elm327
            case .goLink: .goLink
            case .can: .can
            case .doip: .doip
            }
        isProven = choice != .automatic
    }

    // MARK: AdapterDialect

    /// The protocol string of the current dialect.
    public var protocolString: String {
        switch language {
        case .elm327: elm327.protocolString
        case .goLink: goLink.protocolString
        case .can: can.protocolString
        case .doip: doip.protocolString
        }
    }

    /// The capabilities of the link, as far as they are known.
    public var capabilities: LinkCapabilities {
        switch language {
        case .elm327: elm327.capabilities
        case .goLink: goLink.capabilities
        case .can: can.capabilities
        case .doip: doip.capabilities
        }
    }

    /// The identity of the adapter.
    public var identity: AdapterIdentity {
        switch language {
        case .elm327: elm327.identity
        case .goLink: goLink.identity
        case .can: can.identity
        case .doip: doip.identity
        }
    }

    /// Whether `request` is known to change nothing.
    public func isReadOnly(_ request: AdapterRequest) -> Bool {
        switch language {
        case .elm327: elm327.isReadOnly(request)
        case .goLink: goLink.isReadOnly(request)
        case .can: can.isReadOnly(request)
        case .doip: doip.isReadOnly(request)
        }
    }

    /// Limits requests to `bytes`, because the other end accepts no more.
    public mutating func limitRequests(to bytes: Int) {
        switch language {
        case .elm327: elm327.limitRequests(to: bytes)
        case .goLink: goLink.limitRequests(to: bytes)
        case .can: can.limitRequests(to: bytes)
        case .doip: doip.limitRequests(to: bytes)
        }
    }

    /// Synchronises with the adapter and sets it up.
    public mutating func initialise(_ out: inout [DialectOutput]) {
        firstFailure = nil
        if !isProven { language = .elm327 }
        switch language {
        case .elm327: elm327.initialise(&out)
        case .goLink: goLink.initialise(&out)
        case .can: can.initialise(&out)
        case .doip: doip.initialise(&out)
        }
    }

    /// Sends one request.
    public mutating func send(
        _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [DialectOutput]
    ) {
        switch language {
        case .elm327: elm327.send(request, isReadOnly: isReadOnly, &out)
        case .goLink: goLink.send(request, isReadOnly: isReadOnly, &out)
        case .can: can.send(request, isReadOnly: isReadOnly, &out)
        case .doip: doip.send(request, isReadOnly: isReadOnly, &out)
        }
    }

    /// Takes received bytes.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [DialectOutput]) {
        let begin = out.count
        switch language {
        case .elm327: elm327.receive(bytes, &out)
        case .goLink: goLink.receive(bytes, &out)
        case .can: can.receive(bytes, &out)
        case .doip: doip.receive(bytes, &out)
        }
        if !isProven { follow(from: begin, &out) }
    }

    /// Reports that a timer has expired.
    public mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {
        let begin = out.count
        switch language {
        case .elm327: elm327.expired(timer, &out)
        case .goLink: goLink.expired(timer, &out)
        case .can: can.expired(timer, &out)
        case .doip: doip.expired(timer, &out)
        }
        if !isProven { follow(from: begin, &out) }
    }

    /// Stops the current exchange.
    public mutating func interrupt(_ out: inout [DialectOutput]) {
        switch language {
        case .elm327: elm327.interrupt(&out)
        case .goLink: goLink.interrupt(&out)
        case .can: can.interrupt(&out)
        case .doip: doip.interrupt(&out)
        }
    }

    /// Leaves the adapter in a better state before the session is closed.
    public mutating func leave(_ out: inout [DialectOutput]) {
        switch language {
        case .elm327: elm327.leave(&out)
        case .goLink: goLink.leave(&out)
        case .can: can.leave(&out)
        case .doip: doip.leave(&out)
        }
    }

    // MARK: Detection

    /// Checks how the set-up ended, and tries the next dialect if the adapter does not support the current
    /// dialect.
    private mutating func follow(from begin: Int, _ out: inout [DialectOutput]) {
        for place in out.indices[begin...] {
            switch out[place] {
            case .ready: isProven = true
            case .initialisationFailed(let failure) where failure.isNotSpoken:
                if let firstFailure {
                    // The adapter supports neither dialect. The fault of the usual one helps the user more.
                    out[place] = .initialisationFailed(firstFailure)
                } else {
                    firstFailure = failure
                    out[place] = .notice(.setupGoesOn(after: failure))
                    language = .goLink
                    goLink.initialise(&out)
                }
                return
            // The adapter works in this dialect; the fault is in the vehicle.
            case .initialisationFailed(.noVehicle): isProven = true
            default: break
            }
        }
    }
}

extension InitialisationFailure {
    /// Whether the adapter sent nothing that makes sense in this dialect.
    fileprivate var isNotSpoken: Bool {
        switch self {
        case .silent, .notUnderstood: true
        case .refusesEverything, .busNotOpened, .webServer, .timedOut, .noVehicle, .restarting,
            .interrupted,
            .activationRefused, .headerRefused:
            false
        }
    }
}
