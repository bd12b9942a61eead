public import OBDCore
public import VehicleLink

/// What an adapter speaks: a small pure machine between typed requests and bytes.
///
/// It only appends to `out`: its runner writes the bytes, keeps the timers and
/// passes received bytes in, in pieces of any size. One exchange runs at a time:
///
/// - ``initialise(_:)`` ends with exactly one ``DialectOutput/ready(_:)`` or
///   ``DialectOutput/initialisationFailed(_:)``.
/// - ``send(_:isReadOnly:_:)`` ends with exactly one ``DialectOutput/end(_:)``. It may only be called when
///   nothing is under way; else it is answered by `end(.refused)` and changes nothing.
/// - Whatever comes in between belongs to that exchange; what comes outside is a
///   ``DialectOutput/notice(_:)``.
///
/// A timer that is armed again before it expired starts again. At every end all timers are disarmed.
public protocol AdapterDialect: Hashable, Sendable {
    /// Names the protocol, as accessories list it: `org.obdscan.elm327`.
    var protocolString: String { get }
    /// What the link can do, as far as it is known now.
    var capabilities: LinkCapabilities { get }
    /// What is known of the adapter.
    var identity: AdapterIdentity { get }

    /// Whether `request` is known to change nothing, by what the commands before it make of it.
    ///
    /// Anything else is sent only with a person's consent.
    func isReadOnly(_ request: AdapterRequest) -> Bool

    /// Brings the adapter in step and sets it up; also after an error.
    mutating func initialise(_ out: inout [DialectOutput])
    /// Sends one request; `isReadOnly` = it needs no consent, and ``isReadOnly(_:)`` said that it
    /// changes nothing.
    mutating func send(
        _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [DialectOutput])
    /// Takes bytes as they came.
    mutating func receive(_ bytes: Span<UInt8>, _ out: inout [DialectOutput])
    /// Takes note that a timer's time has passed; one that is not armed is ignored.
    mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput])
    /// Stops what is under way: the exchange still ends with ``DialectOutput/end(_:)``, the
    /// initialisation with ``DialectOutput/initialisationFailed(_:)``.
    mutating func interrupt(_ out: inout [DialectOutput])
    /// Says goodbye before the session is closed, where that leaves the adapter in a better state.
    ///
    /// Only bytes to write come of it. Default: none.
    mutating func leave(_ out: inout [DialectOutput])
}

extension AdapterDialect {
    /// Nothing is said.
    public mutating func leave(_ out: inout [DialectOutput]) {}

    /// Sends one request, and asks ``isReadOnly(_:)`` itself.
    public mutating func send(_ request: AdapterRequest, _ out: inout [DialectOutput]) {
        let isReadOnly = request.consent == nil && isReadOnly(request)
        send(request, isReadOnly: isReadOnly, &out)
    }

    /// Takes bytes as they came.
    public mutating func receive(_ bytes: [UInt8], _ out: inout [DialectOutput]) {
        receive(bytes.span, &out)
    }
}

/// What a dialect wants done, or has to tell.
public enum DialectOutput: Hashable, Sendable {
    /// Write these bytes to the accessory.
    case write([UInt8])
    /// Call ``AdapterDialect/expired(_:_:)`` after so much time.
    case arm(DialectTimer, after: Duration)
    /// Forget that timer.
    case disarm(DialectTimer)
    /// Set the line rate; unit: bit/s.
    case lineRate(Int)
    /// An ECU's message.
    case message(ECUMessage)
    /// A damaged frame, or a message that cannot be completed.
    case linkError(LinkError)
    /// The adapter's word instead of data; what to do about it is in
    /// ``AdapterStatus/recovery``.
    case status(AdapterStatus)
    /// A line of an adapter command's answer.
    case text(String)
    /// The voltage at the adapter; unit: V.
    case voltage(Double)
    /// A frame seen while listening to the bus; `id` is nil where headers are off.
    case frame(id: ECUAddress?, data: [UInt8])
    /// News that answers nothing asked.
    case notice(DialectNotice)
    /// The initialisation is done.
    case ready(AdapterIdentity)
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
    /// A pause between bytes, where nothing else shows that an answer is over.
    case pause
    /// The next flow control frame of an ECU that is sent a long request.
    case flowControl
    /// The time between two frames that an ECU asked for.
    case pacing
    /// The next frame of a long answer.
    case nextFrame
}

/// How an exchange ended.
public enum ExchangeEnd: Hashable, Sendable {
    /// The adapter said so (the prompt).
    case complete
    /// By ``AdapterDialect/interrupt(_:)``, or because the time or count of a listening was up.
    case interrupted
    /// The adapter fell silent before its prompt: it has to be initialised again.
    case timedOut
    /// More bytes came than any answer has: it has to be initialised again.
    case flooded
    /// Every message answers another request. The adapter is at its prompt, and it stayed quiet
    /// since.
    case outOfStep
    /// Nothing was sent: an exchange was under way, the initialisation is not done, or the
    /// request is one that the adapter cannot send.
    case refused
    /// The adapter has restarted and lost its settings: it has to be initialised again.
    case adapterRestarted
    /// The same, before the request was written: the vehicle never got it.
    case restartedBeforeSending
}

/// News that answers nothing asked.
public enum DialectNotice: Hashable, Sendable {
    /// The adapter searches for the vehicle's protocol, or initialises the bus: patience.
    case searching
    /// The vehicle protocol became known.
    case protocolFound(VehicleProtocol)
    /// The adapter has restarted: its settings are lost.
    case adapterRestarted(banner: String)
    /// The adapter is about to sleep (`LP ALERT`, `ACT ALERT`).
    case aboutToSleep
    /// A command of the set-up that the adapter does not know; it goes on without.
    case unsupportedCommand(String)
    /// A feature was found not to work and is no longer used.
    case featureDropped(String)
    /// A part of the set-up failed; it goes on with the adapter alone, or in another language.
    case setupGoesOn(after: InitialisationFailure)
    /// Bytes outside any exchange.
    case unexpected(String)
}

/// Why an initialisation failed.
public enum InitialisationFailure: Hashable, Sendable {
    /// Not a byte came: nothing attached, wrong line rate, or no power.
    case silent
    /// Bytes came, but no answer that makes sense: a wrong line rate or another kind of device.
    case notUnderstood(received: Int)
    /// It refuses every command, and nothing of a vehicle came through it.
    case refusesEverything
    /// A web server answers.
    case webServer
    /// A step of the set-up got no prompt.
    case timedOut(command: String)
    /// The adapter works, the vehicle does not answer; the adapter's word says why.
    case noVehicle(AdapterStatus)
    /// The adapter kept restarting.
    case restarting
    /// It was interrupted.
    case interrupted
    /// A DoIP gateway does not take diagnostics from this tester (ISO 13400-2, message 0006); its code.
    case activationRefused(code: UInt8)
    /// A DoIP gateway does not take the header of our messages (message 0000); its code.
    case headerRefused(code: UInt8)
}

/// What is known of an adapter.
public struct AdapterIdentity: Hashable, Sendable {
    /// What `AT I` printed: `ELM327 v1.5`.
    public var banner: String?
    /// What `STI` printed on an STN: `STN2232 v5.10.3`.
    public var stnFirmware: String?
    /// What the vehicle speaks; nil until it is known.
    public var vehicleProtocol: VehicleProtocol?
    /// Whether the adapter found the protocol by itself.
    public var protocolWasSearched: Bool
    /// What the vehicle was asked while the adapter was set up, and what came whole; the latest
    /// answer to each question.
    public var questions: [SetupQuestion] = []
    /// The voltage at the adapter when it was set up; unit: V.
    public var voltage: Double?
    /// Commands of the set-up that it does not know, without blanks: `ATAT1`.
    public var unsupportedCommands: [String]

    /// An adapter of which nothing is known.
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

/// A question to all ECUs while an adapter was set up.
public struct SetupQuestion: Hashable, Sendable {
    /// What was asked.
    public var request: [UInt8]
    /// The protocol that was forced for it; nil = the one that the adapter finds.
    public var forced: VehicleProtocol?
    /// Who answered, and what.
    public var messages: [ECUMessage]
    /// What the adapter said in words.
    public var statuses: [AdapterStatus]

    /// A question and what came.
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
    /// Takes note of a question; its earlier answer no longer counts.
    mutating func note(_ question: SetupQuestion) {
        forget(question.request, on: question.forced)
        questions.append(question)
    }

    /// An answer that came damaged says nothing.
    mutating func forget(_ request: [UInt8], on forced: VehicleProtocol?) {
        questions.removeAll { $0.request == request && $0.forced == forced }
    }

    /// The answer to `request`, where it came whole.
    public func answer(to request: [UInt8], on forced: VehicleProtocol?) -> SetupQuestion? {
        questions.first { $0.request == request && $0.forced == forced }
    }
}
