public import OBDCore
public import VehicleLink

/// The language of an adapter: a small pure state machine between typed requests and bytes.
///
/// A dialect only appends to `out`. The caller writes the bytes, keeps the timers and passes in received
/// bytes in pieces of any size. One exchange runs at a time:
///
/// - ``initialise(_:)`` ends with exactly one ``DialectOutput/ready(_:)`` or
///   ``DialectOutput/initialisationFailed(_:)``.
/// - ``send(_:isReadOnly:_:)`` ends with exactly one ``DialectOutput/end(_:)``. If another exchange is still
///   running, it answers `end(.refused)` and changes nothing.
/// - Output before that end belongs to the exchange. Output outside any exchange is a
///   ``DialectOutput/notice(_:)``.
///
/// A timer that is armed again before it expires starts again. At the end of an exchange all timers are
/// disarmed.
public protocol AdapterDialect: Hashable, Sendable {
    /// The name of the protocol in the lists of adapters: `org.obdscan.elm327`.
    var protocolString: String { get }
    /// The capabilities of the link, as far as they are known.
    var capabilities: LinkCapabilities { get }
    var identity: AdapterIdentity { get }

    /// Whether `request` is known to change nothing, given the effect of the commands before it.
    ///
    /// Any other request needs the user's consent.
    func isReadOnly(_ request: AdapterRequest) -> Bool

    /// Limits requests to `bytes`, because the other end reported before the set-up that it accepts no more.
    ///
    /// Default: does nothing.
    mutating func limitRequests(to bytes: Int)

    /// Synchronises with the adapter and sets it up; also used after an error.
    mutating func initialise(_ out: inout [DialectOutput])
    /// Sends one request.
    ///
    /// `isReadOnly` means that the request needs no consent because ``isReadOnly(_:)`` is true for it.
    mutating func send(
        _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [DialectOutput])
    mutating func receive(_ bytes: Span<UInt8>, _ out: inout [DialectOutput])
    /// Reports that a timer has expired; a timer that is not armed is ignored.
    mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput])
    /// Stops the current exchange.
    ///
    /// The exchange still ends with ``DialectOutput/end(_:)``, and an initialisation with
    /// ``DialectOutput/initialisationFailed(_:)``.
    mutating func interrupt(_ out: inout [DialectOutput])
    /// Leaves the adapter in a better state before the session is closed.
    ///
    /// The call only produces bytes to write. Default: none.
    mutating func leave(_ out: inout [DialectOutput])
}

extension AdapterDialect {
    /// Default: does nothing.
    public mutating func limitRequests(to bytes: Int) {}

    /// Default: writes nothing.
    public mutating func leave(_ out: inout [DialectOutput]) {}

    /// Sends one request and calls ``isReadOnly(_:)`` itself.
    public mutating func send(_ request: AdapterRequest, _ out: inout [DialectOutput]) {
        let isReadOnly = request.consent == nil && isReadOnly(request)
        send(request, isReadOnly: isReadOnly, &out)
    }

    /// Takes received bytes.
    public mutating func receive(_ bytes: [UInt8], _ out: inout [DialectOutput]) {
        receive(bytes.span, &out)
    }
}

/// An action that a dialect requests, or an event that it reports.
public enum DialectOutput: Hashable, Sendable {
    /// Write these bytes to the adapter.
    case write([UInt8])
    /// Call ``AdapterDialect/expired(_:_:)`` after this time.
    case arm(DialectTimer, after: Duration)
    /// Forget that timer.
    case disarm(DialectTimer)
    /// Forget all timers.
    case disarmAll
    /// Set the line rate; unit: bit/s.
    case lineRate(Int)
    /// Receive only frames that pass one of these filters; without a filter, all frames.
    ///
    /// Only SocketCAN has such a filter. The filter only saves time: the dialect ignores other
    /// frames anyway.
    case filter([CANFilter])
    /// An ECU's message.
    case message(ECUMessage)
    /// A damaged frame, or a message that cannot be completed.
    case linkError(LinkError)
    /// A status from the adapter instead of data; ``AdapterStatus/recovery`` has the remedy.
    case status(AdapterStatus)
    /// A line of an adapter command's answer.
    case text(String)
    /// The voltage at the adapter; unit: V.
    case voltage(Double)
    /// A frame from monitoring the bus; `id` is nil if headers are off.
    case frame(id: ECUAddress?, data: [UInt8])
    /// An event that is not part of an answer.
    case notice(DialectNotice)
    /// The initialisation is done.
    // Indirect, because outputs are moved around and an identity is large.
    indirect case ready(AdapterIdentity)
    /// The initialisation failed.
    case initialisationFailed(InitialisationFailure)
    /// The exchange is over.
    case end(ExchangeEnd)
}

/// The deadlines of a dialect; each may be armed once at a time.
public enum DialectTimer: UInt8, Hashable, Sendable, CaseIterable {
    /// The whole answer, up to the prompt.
    case reply
    /// The prompt after an interruption.
    case prompt
    /// The end of listening to the bus.
    case listen
    /// A pause between bytes, if nothing else marks the end of an answer.
    case pause
    /// The next flow control frame from an ECU that receives a long request.
    case flowControl
    /// The time between two frames that an ECU asked for.
    case pacing
    /// The next frame of a long answer.
    case nextFrame
}

/// How an exchange ended.
public enum ExchangeEnd: Hashable, Sendable {
    /// The adapter showed its prompt.
    case complete
    /// By ``AdapterDialect/interrupt(_:)``, or because the time or the frame count of a monitor request was
    /// reached.
    case interrupted
    /// The adapter went silent before its prompt and has to be initialised again.
    case timedOut
    /// The answer was too long to be one; the adapter has to be initialised again.
    case flooded
    /// Every message answers another request; the adapter is at its prompt and has been quiet since.
    case outOfStep
    /// Nothing was sent.
    ///
    /// Another exchange was running, the adapter is not initialised, or it cannot send such a request.
    case refused
    /// The adapter has restarted and lost its settings: it has to be initialised again.
    case adapterRestarted
    /// The adapter restarted, or a typed command changed its protocol, before the request was written, so the
    /// vehicle never received it.
    case restartedBeforeSending
}

/// An event that is not part of an answer.
public enum DialectNotice: Hashable, Sendable {
    /// The adapter searches for the vehicle's protocol or initialises the bus, which takes time.
    case searching
    /// The vehicle's protocol is now known.
    case protocolFound(VehicleProtocol)
    /// The adapter has restarted and lost its settings.
    case adapterRestarted(banner: String)
    /// The adapter is about to sleep (`LP ALERT`, `ACT ALERT`).
    case aboutToSleep
    /// The adapter does not know a command of the set-up, which continues without it.
    case unsupportedCommand(String)
    /// A feature does not work and is no longer used.
    case featureDropped(String)
    /// A part of the set-up failed; the session continues with the adapter alone or in another dialect.
    case setupGoesOn(after: InitialisationFailure)
    /// Bytes outside any exchange.
    case unexpected(String)
    /// A frame that an ECU sent by itself, beside requests or between them.
    case heard(CANFrame)
}

/// Why an initialisation failed.
public enum InitialisationFailure: Hashable, Sendable {
    /// No byte was received: no device is attached, the line rate is wrong, or it has no power.
    case silent
    /// Bytes were received, but no valid answer: the line rate is wrong, or it is another kind of device.
    case notUnderstood(received: Int)
    /// The adapter refuses every command, and no data of a vehicle came through it.
    case refusesEverything
    /// An slcan adapter refuses to open the CAN bus.
    case busNotOpened
    /// A web server answers.
    case webServer
    /// The adapter showed no prompt after a step of the set-up.
    case timedOut(command: String)
    /// The adapter works, but the vehicle does not answer; the status has the reason.
    case noVehicle(AdapterStatus)
    /// The adapter kept restarting.
    case restarting
    /// The set-up was interrupted.
    case interrupted
    /// A DoIP gateway does not accept diagnostics from this tester (ISO 13400-2, message 0006); its code.
    case activationRefused(code: UInt8)
    /// A DoIP gateway does not accept the header of a message (message 0000); its code.
    case headerRefused(code: UInt8)
}

/// The known facts about an adapter.
public struct AdapterIdentity: Hashable, Sendable {
    /// The answer to `AT I`: `ELM327 v1.5`.
    public var banner: String?
    /// The answer of an STN to `STI`: `STN2232 v5.10.3`.
    public var stnFirmware: String?
    /// The vehicle's protocol; nil until it is known.
    public var vehicleProtocol: VehicleProtocol?
    /// Whether the adapter found the protocol itself.
    public var protocolWasSearched: Bool
    /// The requests to the vehicle during the set-up that got a complete answer, with the latest answer to
    /// each.
    public var questions: [SetupQuestion] = []
    /// The voltage at the adapter when it was set up; unit: V.
    public var voltage: Double?
    /// Commands of the set-up that the adapter does not know, without blanks: `ATAT1`.
    public var unsupportedCommands: [String]

    /// An adapter about which nothing is known.
    public init(
        banner: String? = nil, stnFirmware: String? = nil,
        vehicleProtocol: VehicleProtocol? = nil, protocolWasSearched: Bool = false,
        voltage: Double? = nil, unsupportedCommands: [String] = []
    ) {
        self.banner = banner
        self.stnFirmware = stnFirmware
        self.vehicleProtocol = vehicleProtocol
        self.protocolWasSearched = protocolWasSearched
        self.voltage = voltage
        self.unsupportedCommands = unsupportedCommands
    }
}

/// A request to all ECUs during the set-up of an adapter.
public struct SetupQuestion: Hashable, Sendable {
    /// The request.
    public var request: [UInt8]
    /// The protocol that was forced for the request; nil if the adapter chose it.
    public var forced: VehicleProtocol?
    /// The answers of the ECUs.
    public var messages: [ECUMessage]
    /// The statuses of the adapter.
    public var statuses: [AdapterStatus]

    /// A request and its answers.
    public init(
        _ request: [UInt8], on forced: VehicleProtocol?, messages: [ECUMessage] = [],
        statuses: [AdapterStatus] = []
    ) {
        self.request = request
        self.forced = forced
        self.messages = messages
        self.statuses = statuses
    }
}

extension AdapterIdentity {
    /// Stores a request and its answers, replacing an earlier answer.
    mutating func note(_ question: SetupQuestion) {
        forget(question.request, on: question.forced)
        questions.append(question)
    }

    /// Removes a request whose answer was damaged, because it proves nothing.
    mutating func forget(_ request: [UInt8], on forced: VehicleProtocol?) {
        questions.removeAll { $0.request == request && $0.forced == forced }
    }

    /// The answer to `request`, if it was complete.
    public func answer(to request: [UInt8], on forced: VehicleProtocol?) -> SetupQuestion? {
        questions.first { $0.request == request && $0.forced == forced }
    }
}
