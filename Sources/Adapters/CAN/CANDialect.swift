public import OBDCore
import VehicleLink

/// A CAN bus without an ELM327 in between: raw frames through an slcan adapter or SocketCAN.
///
/// There is no prompt, and there are no commands for the user. An exchange is a ``CANExchange``. The dialect
/// opens the bus, finds the vehicle's protocol, and passes frames on.
///
/// A tester at the wrong bit rate destroys the frames of other nodes. An slcan adapter therefore first only
/// listens at each rate of OBD. A received frame proves its rate, and the dialect then never sends at another
/// rate. Only on a silent bus does the dialect send a request, at 500 kbit/s and then at 250. SocketCAN runs
/// at the rate that root has set; on errors there, the set-up ends before a second request.
public struct CANDialect: AdapterDialect {
    /// The kind of link.
    public enum Link: Hashable, Sendable {
        /// An slcan adapter.
        case slcan
        /// A SocketCAN interface by its name, with its bit rate if it reports one.
        ///
        /// Unit: bit/s.
        case interface(name: String, rate: Int?)
    }

    /// The settings of the user and the results of earlier sessions.
    public struct Options: Hashable, Sendable {
        /// The kind of link.
        public var link: Link
        /// The only protocol to use; nil means to use the one that is found.
        public var vehicleProtocol: VehicleProtocol?
        /// The protocol that was found last time.
        public var rememberedProtocol: VehicleProtocol?
        /// Whether the set-up requires a vehicle.
        public var vehicle: VehicleNeed
        /// Whether to only listen: the dialect sends nothing, and an slcan adapter acknowledges no frame.
        public var onlyListens = false
        /// The frames to pass on beside requests and between them, by their identifiers.
        public var heard: Set<ECUAddress> = []
        /// The parameter groups to pass on in the same way if the vehicle speaks SAE J1939, with the parts of long
        /// messages and the claims of addresses.
        public var heardGroups: Set<UInt32> = []
        /// Time limits and padding.
        public var timing = CANExchange.Timing()

        /// Options.
        public init(
            _ link: Link, vehicleProtocol: VehicleProtocol? = nil,
            rememberedProtocol: VehicleProtocol? = nil, vehicle: VehicleNeed = .needed
        ) {
            self.link = link
            self.vehicleProtocol = vehicleProtocol
            self.rememberedProtocol = rememberedProtocol
            self.vehicle = vehicle
        }
    }

    /// The protocol string of slcan adapters.
    public static let slcanProtocol = "org.obdscan.slcan"
    /// The protocol string of SocketCAN records.
    public static let recordProtocol = "org.obdscan.can"

    enum Phase: Hashable, Sendable {
        /// Nothing was sent yet, or the set-up failed.
        case outOfStep
        /// Waiting for an slcan adapter's answer to a command.
        case commanding(CANSetup.Command)
        /// Listening to the bus at this bit rate.
        case hearing(rate: Int)
        /// Waiting for the vehicle's answer to a request of the set-up.
        case asking(CANSetup.Question)
        /// Set up and idle.
        case ready
        /// A request waits for its answers.
        case exchanging
        /// Listening for the user; the number of frames that remain, nil if unlimited.
        case listening(frames: Int?)
    }

    /// The settings of the user.
    public let options: Options
    /// Whether a vehicle is required from now on.
    var vehicle: VehicleNeed
    /// The capabilities of the link, as far as they are known.
    public internal(set) var capabilities: LinkCapabilities
    /// The identity of the adapter.
    public internal(set) var identity = AdapterIdentity()

    var phase = Phase.outOfStep
    var wire: CANWire
    var exchange: CANExchange
    var setup = CANSetup()
    /// The ECUs that have answered functional requests in any exchange.
    var heard: [ECUAddress] = []
    /// The ECUs that report current data; empty if they are not known.
    ///
    /// Each of these ECUs has to answer 0100. A request for current data ends when all of them have answered.
    var currentDataECUs: [ECUAddress] = []
    var accepted: CANAcceptance
    private var events: [CANEvent] = []
    private var steps: [CANExchange.Output] = []

    /// A dialect before any communication.
    public init(_ options: Options) {
        self.options = options
        vehicle = options.vehicle
        exchange = CANExchange(options.timing)
        switch options.link {
        case .slcan: wire = .slcan(SLCANLexer())
        case .interface: wire = .records(CANRecordLexer())
        }
        accepted = CANAcceptance(heard: options.heard, groups: options.heardGroups)
        capabilities = Self.capabilities(of: options)
    }

    static func capabilities(of options: Options) -> LinkCapabilities {
        var capabilities = LinkCapabilities(frameCountHelps: true)
        // The count is not sent over the link, where it could be garbled. Learning it again only costs P2.
        capabilities.frameCountUses = 4_000
        capabilities.longestRequest = ISO15765.longestPayload
        capabilities.takesCommands = false
        capabilities.hearsOthers = true
        capabilities.hearsFrames = !options.heard.isEmpty
        return capabilities
    }

    // MARK: AdapterDialect

    /// The protocol string of the link.
    public var protocolString: String {
        switch options.link {
        case .slcan: Self.slcanProtocol
        case .interface: Self.recordProtocol
        }
    }

    /// Whether `request` is known to change nothing.
    public func isReadOnly(_ request: AdapterRequest) -> Bool {
        switch request {
        case .vehicle(let vehicle):
            vehicle.payload.isEmpty || vehicle.isReadOnly(on: spokenProtocol)
        case .action, .monitor: true
        // There is no adapter to take commands, so nothing is sent.
        case .command(_, let text, _, _): AdapterRequest.isReadOnlyCommand(text)
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
        case .vehicle where options.onlyListens: out.append(.end(.refused))
        case .vehicle(let vehicle): send(vehicle, &out)
        case .action(_, let action): act(action, &out)
        case .command: out.append(.end(.refused))
        case .monitor(_, let text, let atMost, let filters):
            guard AdapterCommand(text) == .monitor else {
                out.append(.end(.refused))
                return
            }
            listen(frames: nil, atMost: atMost, filters, &out)
        }
    }

    private mutating func send(_ request: VehicleRequest, _ out: inout [DialectOutput]) {
        if case .listen(let frames, let atMost) = request.ending {
            listen(frames: frames, atMost: atMost, [], &out)
            return
        }
        // An empty request only restores settings, and this link has none.
        if request.payload.isEmpty {
            out.append(.end(.complete))
            return
        }
        phase = .exchanging
        accept(answersTo: request, on: spokenProtocol, &out)
        let awaited = request.payload[0] == 0x01 ? currentDataECUs : []
        if !exchange.begin(request, on: spokenProtocol, awaiting: awaited, &steps) {
            phase = .ready
            out.append(.end(.refused))
            return
        }
        carryOut(&out)
    }

    private mutating func listen(
        frames: Int?, atMost: Duration, _ filters: [CANFilter], _ out: inout [DialectOutput]
    ) {
        phase = .listening(frames: frames)
        if case .interface = options.link, accepted.accept(only: filters) {
            out.append(.filter(filters))
        }
        out.append(.arm(.listen, after: atMost))
    }

    /// Sets the interface's filter, if the answers to `request` would not pass it.
    private mutating func accept(
        answersTo request: VehicleRequest, on vehicleProtocol: VehicleProtocol,
        _ out: inout [DialectOutput]
    ) {
        guard case .interface = options.link,
            let filters = accepted.accept(answersTo: request, on: vehicleProtocol)
        else { return }
        out.append(.filter(filters))
    }

    /// Takes received bytes.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [DialectOutput]) {
        var found: [CANEvent] = []
        swap(&found, &events)
        setup.bytes += bytes.count
        wire.receive(bytes, &found)
        do {
            let all = found.span
            for place in all.indices { take(all[place], &out) }
        }
        found.removeAll(keepingCapacity: true)
        swap(&found, &events)
    }

    private mutating func take(_ event: CANEvent, _ out: inout [DialectOutput]) {
        switch event {
        case .frame(let frame): take(frame, &out)
        case .fault(let fault): take(fault, &out)
        case .refused where isAsking:
            // The adapter's queue is full, because nothing leaves it.
            take(.noAcknowledge, &out)
        case .confirmed, .refused, .text, .queued: takeAnswer(event, &out)
        case .damage:
            // On a shared bus the damaged frame may be from any node.
            switch phase {
            case .exchanging: out.append(.linkError(LinkError(.notAFrame)))
            case .outOfStep, .commanding, .hearing, .asking, .ready, .listening: break
            }
        }
    }

    /// Whether a request to the vehicle is running.
    private var isAsking: Bool {
        switch phase {
        case .asking, .exchanging: true
        case .outOfStep, .commanding, .hearing, .ready, .listening: false
        }
    }

    /// An ECU that answers after the others, or is seen late, increases the number of expected answers.
    private mutating func note(_ frame: CANFrame) {
        let id = frame.id
        guard CANExchange.Route.functional(id.form).passes(id) else { return }
        if !currentDataECUs.isEmpty, frame.data.count > 2, currentDataECUs.count < 64 {
            let place = frame.data[0] >> 4 == 1 ? 2 : 1
            if frame.data[0] >> 4 < 2, frame.data[place] == 0x41, !currentDataECUs.contains(id) {
                currentDataECUs.append(id)
            }
        }
        guard heard.count < 64, !heard.contains(id) else { return }
        heard.append(id)
        capabilities.heardECUs = heard.count
    }

    private mutating func take(_ frame: CANFrame, _ out: inout [DialectOutput]) {
        note(frame)
        switch phase {
        case .exchanging:
            passOn(frame, &out)
            exchange.receive(frame, &steps)
            carryOut(&out)
        case .ready: passOn(frame, &out)
        case .asking: takeWhileAsking(frame, &out)
        case .hearing(let rate), .commanding(.listen(let rate)):
            if setup.proven == nil { prove(rate, &out) }
        case .listening(let left):
            out.append(.frame(id: frame.id, data: Array(frame.data)))
            guard let left else { return }
            phase = .listening(frames: left - 1)
            if left <= 1 { endListening(&out) }
        case .outOfStep, .commanding: break
        }
    }

    /// Passes on a frame that somebody wants beside the answers to requests.
    private func passOn(_ frame: CANFrame, _ out: inout [DialectOutput]) {
        guard capabilities.hearsFrames || capabilities.hearsGroups, !frame.isRemote else { return }
        if options.heard.contains(frame.id) || isOfHeardGroup(frame) {
            out.append(.notice(.heard(frame)))
        }
    }

    /// Whether a frame belongs to a message of a group that somebody wants; those to this tester are its answers.
    private func isOfHeardGroup(_ frame: CANFrame) -> Bool {
        guard capabilities.hearsGroups, frame.id.form == .can29, !J1939.isReserved(frame.id.value)
        else { return false }
        let id = J1939.Identifier(frame.id.value)
        guard id.destination != CANExchange.testerAddress else { return false }
        return options.heardGroups.contains(id.parameterGroup)
            || CANAcceptance.carriers.contains(id.parameterGroup)
    }

    private mutating func take(_ fault: CANFault, _ out: inout [DialectOutput]) {
        let status: AdapterStatus
        switch fault {
        case .noAcknowledge: status = .notAcknowledged
        case .passive: status = .errorPassive
        case .busOff: status = .busOff
        case .wires: status = .wireFault
        case .overrun: status = .bufferFull
        // The sender's controller repeats a lost frame by itself.
        case .disturbed, .recovered: return
        }
        switch phase {
        case .exchanging:
            exchange.fail(status, &steps)
            carryOut(&out)
        // Either the other nodes use another bit rate or there are none. Further requests at this rate would
        // only disturb the bus.
        case .asking where status != .bufferFull:
            exchange.interrupt(&steps)
            steps.removeAll(keepingCapacity: true)
            out.append(.disarmAll)
            setup.fault = status
            setup.steps = [.giveUp]
            advance(&out)
        case .asking, .outOfStep, .commanding, .hearing, .ready, .listening: break
        }
    }

    /// Reports that a timer has expired.
    public mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {
        switch phase {
        case .exchanging, .asking:
            exchange.expired(timer, &steps)
            carryOut(&out)
        case .commanding(let command): if timer == .reply { takeSilence(of: command, &out) }
        case .hearing: if timer == .listen { advance(&out) }
        case .listening: if timer == .listen { endListening(&out) }
        case .outOfStep, .ready: break
        }
    }

    /// Stops the current exchange.
    public mutating func interrupt(_ out: inout [DialectOutput]) {
        switch phase {
        case .outOfStep, .ready: break
        case .commanding, .hearing, .asking:
            exchange.interrupt(&steps)
            steps.removeAll(keepingCapacity: true)
            fail(.interrupted, &out)
        case .exchanging:
            exchange.interrupt(&steps)
            steps.removeAll(keepingCapacity: true)
            end(.interrupted, &out)
        case .listening: endListening(&out)
        }
    }

    /// Closes the bus, because an slcan adapter would otherwise keep printing its frames.
    public mutating func leave(_ out: inout [DialectOutput]) {
        guard options.link == .slcan, phase != .outOfStep else { return }
        out.append(.write(Array("C\r".utf8)))
    }

    // MARK: Exchanges

    /// The protocol for requests: the detected one, or else the assumed one.
    var spokenProtocol: VehicleProtocol {
        if let known = capabilities.vehicleProtocol ?? options.vehicleProtocol { return known }
        return setup.openRate == 250_000 ? .can11At250 : .can11At500
    }

    /// Carries out the outputs of the exchange.
    mutating func carryOut(_ out: inout [DialectOutput]) {
        var wanted: [CANExchange.Output] = []
        swap(&wanted, &steps)
        var isOver = false
        do {
            // Not `for step in wanted`, because that would copy each element.
            let all = wanted.span
            for place in all.indices {
                switch all[place] {
                case .send(let frame):
                    // Also frames that no caller asked for, such as flow control.
                    if exchange.mayLeave(frame) { out.append(.write(wire.bytes(of: frame))) }
                case .tell(let output): tell(output, &out)
                case .ended: isOver = true
                }
            }
        }
        wanted.removeAll(keepingCapacity: true)
        swap(&wanted, &steps)
        guard isOver else { return }
        if case .asking(let question) = phase {
            finish(question, &out)
        } else {
            // The exchange has disarmed its timers.
            phase = .ready
            out.append(.end(.complete))
        }
    }

    /// Keeps the answers to requests of the set-up and passes on all others.
    private mutating func tell(_ output: DialectOutput, _ out: inout [DialectOutput]) {
        guard case .asking = phase else {
            out.append(output)
            return
        }
        switch output {
        case .message(let message): setup.messages.append(message)
        case .status(let status): setup.statuses.append(status)
        case .linkError: setup.isDamaged = true
        default: out.append(output)
        }
    }

    mutating func begin(_ question: CANSetup.Question, _ out: inout [DialectOutput]) {
        setup.messages = []
        setup.statuses = []
        setup.isDamaged = false
        phase = .asking(question)
        var request = VehicleRequest(id: RequestID(rawValue: 0), payload: question.payload)
        // A gateway that was asleep needs longer.
        request.answerTime = max(options.timing.answer, .milliseconds(200))
        accept(answersTo: request, on: question.vehicleProtocol, &out)
        guard exchange.begin(request, on: question.vehicleProtocol, &steps) else {
            finish(question, &out)
            return
        }
        carryOut(&out)
    }

    mutating func end(_ end: ExchangeEnd, _ out: inout [DialectOutput]) {
        phase = .ready
        out.append(.disarmAll)
        out.append(.end(end))
    }

    private mutating func endListening(_ out: inout [DialectOutput]) { end(.interrupted, &out) }

    /// Passes a frame to the exchange during the set-up.
    private mutating func takeWhileAsking(_ frame: CANFrame, _ out: inout [DialectOutput]) {
        if case .asking(let question) = phase, let rate = question.rate { setup.proven = rate }
        exchange.receive(frame, &steps)
        carryOut(&out)
    }
}
