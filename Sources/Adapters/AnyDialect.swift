public import OBDCore

/// Whichever of the known dialects an adapter speaks.
///
/// Where nothing is known of the adapter, it is spoken to as an ELM327 first. An adapter that stays
/// silent, or whose answers make no sense, is then spoken to as a GoLink over the same link. The
/// dialect in which it was set up once is the only one from then on.
public struct AnyDialect: AdapterDialect {
    /// Which dialect it is.
    public enum Choice: Hashable, Sendable, CaseIterable {
        /// Find out.
        case automatic
        /// ELM327 and its clones.
        case elm327
        /// GoLink accessories.
        case goLink
        /// A CAN bus without an adapter that has a language of its own.
        case can
        /// DoIP gateways.
        case doip
    }

    private enum Language: Hashable, Sendable {
        case elm327, goLink, can, doip
    }

    // Beside each other, not in an enum: each is changed in its place, without a copy.
    private var elm327: ELM327Dialect
    private var goLink: GoLinkDialect
    private var can: CANDialect
    private var doip: DoIPDialect
    private let choice: Choice
    private var language: Language
    /// Whether an adapter was set up in this language.
    private var isProven: Bool
    /// Why the first language failed, while another one is tried.
    private var firstFailure: InitialisationFailure?

    /// A dialect that has not spoken yet.
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

    /// The protocol string of the language that is spoken.
    public var protocolString: String {
        switch language {
        case .elm327: elm327.protocolString
        case .goLink: goLink.protocolString
        case .can: can.protocolString
        case .doip: doip.protocolString
        }
    }

    /// What the link can do, as far as it is known now.
    public var capabilities: LinkCapabilities {
        switch language {
        case .elm327: elm327.capabilities
        case .goLink: goLink.capabilities
        case .can: can.capabilities
        case .doip: doip.capabilities
        }
    }

    /// What is known of the adapter.
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

    /// Brings the adapter in step and sets it up.
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

    /// Takes bytes as they came.
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

    /// Takes note that a timer's time has passed.
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

    /// Stops what is under way.
    public mutating func interrupt(_ out: inout [DialectOutput]) {
        switch language {
        case .elm327: elm327.interrupt(&out)
        case .goLink: goLink.interrupt(&out)
        case .can: can.interrupt(&out)
        case .doip: doip.interrupt(&out)
        }
    }

    /// Says goodbye before the session is closed.
    public mutating func leave(_ out: inout [DialectOutput]) {
        switch language {
        case .elm327: elm327.leave(&out)
        case .goLink: goLink.leave(&out)
        case .can: can.leave(&out)
        case .doip: doip.leave(&out)
        }
    }

    // MARK: Finding out

    /// Looks at how the set-up ended, and tries the next language where this one is not spoken.
    private mutating func follow(from begin: Int, _ out: inout [DialectOutput]) {
        for place in out.indices[begin...] {
            switch out[place] {
            case .ready: isProven = true
            case .initialisationFailed(let failure) where failure.isNotSpoken:
                if let firstFailure {
                    // The adapter speaks neither language. The fault of the usual one helps the user more.
                    out[place] = .initialisationFailed(firstFailure)
                } else {
                    firstFailure = failure
                    out[place] = .notice(.setupGoesOn(after: failure))
                    language = .goLink
                    goLink.initialise(&out)
                }
                return
            // An adapter that works in this language, whatever is wrong with the vehicle.
            case .initialisationFailed(.noVehicle): isProven = true
            default: break
            }
        }
    }
}

extension InitialisationFailure {
    /// Whether nothing came that makes sense in the language tried.
    fileprivate var isNotSpoken: Bool {
        switch self {
        case .silent, .notUnderstood: true
        case .refusesEverything, .webServer, .timedOut, .noVehicle, .restarting, .interrupted,
            .activationRefused, .headerRefused:
            false
        }
    }
}
