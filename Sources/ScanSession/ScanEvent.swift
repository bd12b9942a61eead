public import Accessory
public import Adapters
public import Diagnostics
public import OBDCore
public import ScanTool

/// An event that a session reports to its observers.
public enum ScanEvent: Hashable, Sendable {
    /// Polling began, or continued after a pause.
    case scanDidStart
    /// Polling was paused.
    case scanDidPause
    /// Polling was cancelled before its plan was done.
    case scanDidCancel
    /// The vehicle is off and is left alone until it is on again.
    case scanDidRest(BatteryGuard.Rest)
    /// The vehicle is on again, and all signals are requested.
    case scanDidWake(BatteryGuard.Rest)
    /// The adapter was opened.
    case toolDidConnect
    /// The session with the adapter ended; nil if it was closed normally.
    case toolDidDisconnect(AccessoryError?)
    /// The adapter is set up.
    case toolDidInitialize(LinkInformation)
    /// The adapter could not be set up.
    case toolDidFailToInitialize(InitialisationFailure)
    /// The adapter reported that it will sleep soon.
    case toolWillSleep
    /// The adapter sent a status in place of an answer to a polled request, or marked the answer as damaged.
    ///
    /// The same status is reported again only after ``reportPause``.
    case toolDidReport(AdapterStatus)
    /// A request was written.
    case didSendCommand(AdapterRequest)
    /// This many bytes arrived without a request.
    case didReceiveUnasked(bytes: Int)
    /// A reply is complete.
    case didReceiveResponses(RequestID, messages: Int)
    /// The adapter reported its voltage; unit: V.
    case didReceiveVoltage(Double)
    /// A request got no complete answer in time.
    case didTimeOut(RequestID)
    /// A polled request cannot be sent.
    ///
    /// The adapter cannot transmit the request, or refuses a setting that the request needs. Reported once
    /// per request.
    case didNotSend(VehicleRequest)
    /// The scan tool entered its error state, or failed again in it.
    case didReceiveError(ErrorReport)

    /// The plan of a poll is done.
    case pollDidFinish
    /// The state machine changed its state.
    case didChangeState(StateTransition)
    /// The transcript can no longer be written; the session continues without it.
    case recordingFailed(errno: Int32)
    /// A slow operation made progress.
    case didProgress(ScanProgress)
    /// This many frames of the bus were lost, because they were not read in time.
    case didLoseFrames(Int)
    /// This many events were dropped here because the observer did not read them in time.
    case didLoseEvents(Int)
    /// The session has ended; this is the last event.
    case sessionDidEnd(ScanError?)

    /// The shortest time between two reports of the same status: ``toolDidReport(_:)``.
    public static let reportPause = Duration.seconds(10)

    /// Sets of events, so that observers only receive the chosen ones.
    public struct Kinds: OptionSet, Hashable, Sendable {
        /// One bit per kind.
        public var rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Rare events: everything except ``requests``, ``states`` and ``progress``.
        public static let milestones = Kinds(rawValue: 1)
        /// Every request and reply, and data without a request.
        public static let requests = Kinds(rawValue: 2)
        /// Each transition of the state machine.
        public static let states = Kinds(rawValue: 4)
        /// Progress of slow operations.
        public static let progress = Kinds(rawValue: 8)
        /// Everything.
        public static let all: Kinds = [.milestones, .requests, .states, .progress]
    }

    /// The set that the event belongs to.
    public var kind: Kinds {
        switch self {
        case .scanDidStart, .scanDidPause, .scanDidCancel, .scanDidRest, .scanDidWake,
            .toolDidConnect, .toolDidDisconnect, .toolDidInitialize, .toolDidFailToInitialize,
            .toolWillSleep, .toolDidReport,
            .didReceiveVoltage, .didTimeOut, .didNotSend, .didReceiveError, .pollDidFinish,
            .recordingFailed, .didLoseFrames, .didLoseEvents,
            .sessionDidEnd:
            .milestones
        case .didSendCommand, .didReceiveResponses, .didReceiveUnasked: .requests
        case .didChangeState: .states
        case .didProgress: .progress
        }
    }
}

/// Progress of a slow operation.
public enum ScanProgress: Hashable, Sendable {
    /// The program looks for the adapter at this line rate; unit: bit/s.
    case lineRate(Int)
    /// The adapter searches for the vehicle's protocol.
    case protocolSearch
    /// The adapter has searched for the vehicle for ``SessionConfiguration/longSearch``, and continues.
    case longSearch
    /// A part of the set-up failed; it continues with the adapter alone, or in another dialect.
    case setupGoesOn(after: InitialisationFailure)
    /// A line of an adapter that monitors the bus.
    case heard(String)
    /// The frame in a line of an adapter that monitors the bus; reported after its ``heard(_:)``.
    case heardFrame(BusFrame)
}

/// A transition of the state machine.
public struct StateTransition: Hashable, Sendable {
    /// The time of the transition.
    public var time: Instant
    /// The state before.
    public var from: StateKind
    /// The state after.
    public var to: StateKind
    /// The event that caused the transition.
    public var event: EventKind
}

/// Observes a session.
///
/// `scan` is called on the session's thread between reads. An observer must neither block nor do work.
public protocol ScanObserver: Sendable {
    /// The kinds of events to receive.
    var interests: ScanEvent.Kinds { get }
    func scan(_ event: ScanEvent, at time: Instant)
}

/// The facts about the current link.
public struct LinkInformation: Hashable, Sendable {
    /// The adapter.
    public var identity: AdapterIdentity
    /// The protocol string of the dialect.
    public var dialect: String
    /// The capabilities of the link, including the vehicle's protocol.
    public var capabilities: LinkCapabilities
    /// The line rate; unit: bit/s, nil if there is none.
    public var lineRate: Int?
    /// The last voltage that the adapter reported; unit: V.
    public var voltage: Double?
    /// The time of this information.
    public var time: Instant = .zero
}

extension LinkInformation {
    /// The adapter's own name: `ELM327 v2.1`, `STN2232 v5.10.3`; nil if it reports none.
    public var name: String? { identity.stnFirmware ?? identity.banner }

    /// The adapter's name for the user.
    public var title: String { name ?? "ELM327-compatible adapter" }
}
