public import Accessory
public import Adapters
public import Diagnostics
public import OBDCore
public import ScanTool

/// What a session shows those who watch it.
public enum ScanEvent: Hashable, Sendable {
    /// Polling began or went on after a pause.
    case scanDidStart
    /// Polling was paused.
    case scanDidPause
    /// Polling was cancelled before its plan was done.
    case scanDidCancel
    /// The vehicle is off: it is left alone until it is on again.
    case scanDidRest(BatteryGuard.Rest)
    /// The vehicle is on again and asked for everything.
    case scanDidWake(BatteryGuard.Rest)
    /// The accessory was opened.
    case toolDidConnect
    /// The session with the accessory ended; nil = orderly.
    case toolDidDisconnect(AccessoryError?)
    /// The adapter is set up.
    case toolDidInitialize(LinkInformation)
    /// The adapter could not be set up.
    case toolDidFailToInitialize(InitialisationFailure)
    /// The adapter says that it will sleep soon.
    case toolWillSleep
    /// A request was written.
    case didSendCommand(AdapterRequest)
    /// This many bytes came while nothing was asked: they answer no request.
    case didReceiveUnasked(bytes: Int)
    /// A reply is complete.
    case didReceiveResponses(RequestID, messages: Int)
    /// The adapter reported its voltage; unit: V.
    case didReceiveVoltage(Double)
    /// A request got no complete answer in time.
    case didTimeOut(RequestID)
    /// A polled request cannot be sent: the adapter cannot carry it, or refuses a setting that it
    /// needs. Told once for each request.
    case didNotSend(VehicleRequest)
    /// The scan tool went into its error state, or failed again in it.
    case didReceiveError(ErrorReport)

    /// The plan of a poll is done.
    case pollDidFinish
    /// The state machine went from one state to another.
    case didChangeState(StateTransition)
    /// The transcript cannot be written any more; the session goes on without.
    case recordingFailed(errno: Int32)
    /// Something that takes long has come a step further.
    case didProgress(ScanProgress)
    /// This many events were dropped here, because they were not read in time.
    case didLoseEvents(Int)
    /// The session is over; nothing follows.
    case sessionDidEnd(ScanError?)

    /// Sets of events, so that no observer is woken for others.
    public struct Kinds: OptionSet, Hashable, Sendable {
        /// One bit a kind.
        public var rawValue: UInt8

        /// A set by its bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// What happens a few times in a session: everything but ``requests``, ``states`` and
        /// ``progress``.
        public static let milestones = Kinds(rawValue: 1)
        /// Each request and each reply, and what came without a request.
        public static let requests = Kinds(rawValue: 2)
        /// Each transition of the state machine.
        public static let states = Kinds(rawValue: 4)
        /// Steps of what takes long.
        public static let progress = Kinds(rawValue: 8)
        /// Everything.
        public static let all: Kinds = [.milestones, .requests, .states, .progress]
    }

    /// The set that the event belongs to.
    public var kind: Kinds {
        switch self {
        case .scanDidStart, .scanDidPause, .scanDidCancel, .scanDidRest, .scanDidWake,
            .toolDidConnect, .toolDidDisconnect, .toolDidInitialize, .toolDidFailToInitialize,
            .toolWillSleep,
            .didReceiveVoltage, .didTimeOut, .didNotSend, .didReceiveError, .pollDidFinish,
            .recordingFailed, .didLoseEvents,
            .sessionDidEnd:
            .milestones
        case .didSendCommand, .didReceiveResponses, .didReceiveUnasked: .requests
        case .didChangeState: .states
        case .didProgress: .progress
        }
    }
}

/// A step of something that takes long.
public enum ScanProgress: Hashable, Sendable {
    /// The adapter is looked for at this line rate; unit: bit/s.
    case lineRate(Int)
    /// The adapter is looking for the vehicle's protocol.
    case protocolSearch
    /// The adapter has looked for the vehicle for ``SessionConfiguration/longSearch``, and goes on.
    case longSearch
    /// A part of the set-up failed; it goes on with the adapter alone, or in another language.
    case setupGoesOn(after: InitialisationFailure)
    /// A line of an adapter that prints what it hears on the bus.
    case heard(String)
    /// The frame in a line of an adapter that prints what it hears; after its ``heard(_:)``.
    case heardFrame(BusFrame)
}

/// A step of the state machine.
public struct StateTransition: Hashable, Sendable {
    /// When.
    public var time: Instant
    /// The state before.
    public var from: StateKind
    /// The state after.
    public var to: StateKind
    /// What made it change.
    public var event: EventKind

    /// A step from one state to another.
    public init(time: Instant, from: StateKind, to: StateKind, event: EventKind) {
        self.time = time
        self.from = from
        self.to = to
        self.event = event
    }
}

/// Watches a session.
///
/// `scan` is called on the session's thread, between bytes: it must neither block nor do work.
public protocol ScanObserver: Sendable {
    /// The events that are wanted.
    var interests: ScanEvent.Kinds { get }
    /// Takes an event.
    func scan(_ event: ScanEvent, at time: Instant)
}

/// What is known of the link in use.
public struct LinkInformation: Hashable, Sendable {
    /// The adapter.
    public var identity: AdapterIdentity
    /// The protocol string of the dialect that it is spoken to in.
    public var dialect: String
    /// What the link can do, the vehicle's protocol among it.
    public var capabilities: LinkCapabilities
    /// The line rate; unit: bit/s, nil where there is none.
    public var lineRate: Int?
    /// The last voltage that the adapter reported; unit: V.
    public var voltage: Double?
    /// When this was learnt.
    public var time: Instant

    /// What is known of a link.
    public init(
        identity: AdapterIdentity, dialect: String, capabilities: LinkCapabilities,
        lineRate: Int? = nil, voltage: Double? = nil, time: Instant = .zero
    ) {
        self.time = time
        self.identity = identity
        self.dialect = dialect
        self.capabilities = capabilities
        self.lineRate = lineRate
        self.voltage = voltage
    }
}

extension LinkInformation {
    /// The adapter as it calls itself: `ELM327 v2.1`, `STN2232 v5.10.3`; nil for one that does not.
    public var name: String? { identity.stnFirmware ?? identity.banner }

    /// The adapter for people.
    public var title: String { name ?? "ELM327-compatible adapter" }
}
