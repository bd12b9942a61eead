public import OBDCore
import VehicleLink

/// One request and its answers on raw CAN frames: ISO 15765-2 in both directions, for all ECUs at once,
/// and SAE J1939-21.
///
/// An ELM327 does this inside. Here it is a value without a clock: frames and expired timers in, frames
/// to send, timers and messages out. It lives from one exchange to the next, so that what is left of an
/// answer that broke is swallowed.
///
/// - A flow control frame is said in the same call in which the first frame came: ECUs wait 75 ms for it.
///   It goes to the request address of the ECU that answers, and only where the first frame answers our
///   request: other testers send their own.
/// - A request to one ECU ends with its answer. A request to all ends when as many frames came as are
///   known to come, or when nobody may begin to answer any more (P2).
/// - "Response pending" (NRC 78) gives the ECU P2* for what follows.
public struct CANExchange: Hashable, Sendable {
    /// What an exchange wants done, or has to tell.
    public enum Output: Hashable, Sendable {
        /// Send this frame.
        case send(CANFrame)
        /// Pass this on.
        case tell(DialectOutput)
        /// The exchange is over, and all its timers are disarmed.
        case ended
    }

    /// Where a request goes, and who may answer.
    public struct Route: Hashable, Sendable {
        /// The identifier that asks, without an address byte.
        public var request: ECUAddress
        /// The address byte before the protocol control byte; nil = normal addressing.
        public var extended: UInt8?
        /// Whether one ECU is asked.
        public var isPhysical: Bool
        /// Whose frames are taken.
        public var responders: VehicleRequest.Responders

        /// The route of `request` on a vehicle that speaks `vehicleProtocol`; nil where it has none.
        public init?(_ request: VehicleRequest, on vehicleProtocol: VehicleProtocol) {
            responders = request.responders
            guard let target = request.target else {
                self.request =
                    vehicleProtocol.addressForm == .can29
                    ? ECUAddress(0x18DB_33F1, .can29) : ECUAddress(0x7DF, .can11)
                isPhysical = false
                return
            }
            guard target.form == .can11 || target.form == .can29 else { return nil }
            self.request = ECUAddress(target.value, target.form)
            extended = target.extended
            isPhysical = true
            if responders == .usual, !target.isUsualRequest || target.extended != nil {
                responders = .one(target.usualResponder)
            }
        }

        /// Whether a frame with this identifier may be an answer.
        func accepts(_ id: ECUAddress) -> Bool {
            switch responders {
            case .usual where isPhysical:
                let usual = request.usualResponder
                return id.value == usual.value && id.form == usual.form
            case .usual:
                return id.form == .can11
                    ? id.value & 0x7F8 == 0x7E8 : id.value & 0x1FFF_FF00 == 0x18DA_F100
            case .one(let ecu): return id.value == ecu.value && id.form == ecu.form
            case .matching(let pattern, let mask):
                return id.form == pattern.form && id.value & mask == pattern.value & mask
            }
        }

        /// Where flow control for `responder` goes.
        func flowControl(for responder: ECUAddress) -> ECUAddress {
            isPhysical ? request : ECUAddress(responder.value, responder.form).physicalRequest
        }
    }

    /// Times and filling.
    public struct Timing: Hashable, Sendable {
        /// An ECU begins its answer within this time: P2 of ISO 15765-4 is 50 ms, the rest is the link's.
        public var answer = Duration.milliseconds(100)
        /// After "response pending": P2* is 5 s.
        public var pending = Duration.milliseconds(5_500)
        /// A flow control frame (N_Bs).
        public var flowControl = Duration.seconds(1)
        /// The next consecutive frame (N_Cr), or packet of SAE J1939 (T1 750 ms, T2 1,250 ms).
        public var nextFrame = Duration.seconds(1)
        /// What is left of a broken answer comes before such a pause.
        public var quiet = Duration.milliseconds(100)
        /// What fills frames up to eight bytes, as OBD demands.
        public var padding: UInt8 = 0x00

        /// The usual times.
        public init() {}
    }

    /// "Wait" frames in a row that an ECU may send before a long request is given up.
    static let mostWaits = 10

    /// What is sent of a long request.
    struct Sending: Hashable, Sendable {
        /// Frames that were not sent yet.
        var rest: ArraySlice<[UInt8]>
        /// Frames until the next flow control; nil = none is needed any more.
        var block: Int?
        /// Between two frames.
        var separation = Duration.zero
        var waits = 0
        var awaitsFlowControl = true
    }

    /// The exchange under way.
    struct Running: Hashable, Sendable {
        var route: Route
        var payload: [UInt8]
        /// Frames that are known to come; nil = a deadline ends the exchange.
        var expected: Int?
        var answerTime: Duration
        var sending: Sending?
        /// Frames of whole answers.
        var frames = 0
        var answers = 0
        /// Messages that were told, "response pending" among them.
        var messages = 0
        /// ECUs that asked for patience and have not answered since.
        var pending: Set<ECUAddress> = []
        /// Nobody may begin to answer any more.
        var isLate = false
        /// A part of an answer was damaged: what is left of it is awaited.
        var isDamaged = false
        /// SAE J1939: who sends packets for us.
        var senders: [UInt8: UInt8] = [:]
        /// SAE J1939: who has answered; many groups are also sent by themselves, over and over.
        var answerers: Set<UInt8> = []
    }

    /// Times and filling.
    public var timing: Timing
    var running: Running?
    var assembler = ISO15765Assembler()
    /// For addresses in the first data byte.
    var extendedAssembler = ISO15765Assembler(extendedAddressing: true)
    var groups = J1939Assembler()

    /// An exchange that has not begun.
    public init(_ timing: Timing = Timing()) {
        self.timing = timing
    }

    /// Whether a request is under way.
    public var isUnderWay: Bool { running != nil }

    /// Sends a request; false = it cannot be sent, and nothing has changed.
    public mutating func begin(
        _ request: VehicleRequest, on vehicleProtocol: VehicleProtocol, _ out: inout [Output]
    ) -> Bool {
        guard running == nil, !request.payload.isEmpty else { return false }
        if vehicleProtocol.family == .j1939 { return beginGroup(request, &out) }
        guard let route = Route(request, on: vehicleProtocol),
            let frames = try? ISO15765.frames(
                for: request.payload, extendedAddress: route.extended, padding: timing.padding),
            // Several ECUs cannot control the flow of one message.
            frames.count == 1 || route.isPhysical
        else { return false }
        var begun = started(request, route)
        if frames.count > 1 { begun.sending = Sending(rest: frames.dropFirst(), block: nil) }
        let answerTime = begun.answerTime
        running = begun
        send(frames[0], to: route.request, &out)
        if frames.count > 1 {
            arm(.flowControl, timing.flowControl, &out)
        } else {
            arm(.reply, answerTime, &out)
        }
        return true
    }

    func started(_ request: VehicleRequest, _ route: Route) -> Running {
        let slow = request.payload.first.flatMap(ServiceShape.of)?.takesTime ?? false
        let usual = slow ? max(timing.answer, .seconds(1)) : timing.answer
        return Running(
            route: route, payload: request.payload,
            expected: request.mayRepeat ? request.expectedFrames : nil,
            answerTime: max(timing.answer, request.answerTime ?? usual))
    }

    /// Takes a frame that somebody else sent; foreign ones change nothing.
    public mutating func receive(_ frame: CANFrame, _ out: inout [Output]) {
        guard let route = running?.route, !frame.isRemote else { return }
        if case .byte = route.request.form {
            receiveGroup(frame, &out)
            return
        }
        guard route.accepts(frame.id), !frame.data.isEmpty else { return }
        if let sending = running?.sending, takeFlowControl(frame, sending, &out) { return }
        receiveAnswer(frame, route, &out)
    }

    /// Takes note that a timer's time has passed; one that is not awaited is ignored.
    public mutating func expired(_ timer: DialectTimer, _ out: inout [Output]) {
        guard running != nil else { return }
        switch timer {
        case .reply:
            running?.isLate = true
            running?.pending = []
            endIfComplete(&out)
        case .pause: if running?.isDamaged == true { end(&out) }
        case .nextFrame:
            for error in takeOpenMessages() { noteDamage(error, &out) }
            end(&out)
        case .flowControl:
            guard running?.sending?.awaitsFlowControl == true else { return }
            out.append(.tell(.status(.flowControlTimeout)))
            end(&out)
        case .pacing: continueSending(&out)
        case .prompt, .listen: break
        }
    }

    /// Ends what is under way without an answer.
    public mutating func interrupt(_ out: inout [Output]) {
        guard running != nil else { return }
        _ = takeOpenMessages()
        finish(&out)
    }

    /// The controller's news: without an acknowledgement nothing was heard by anybody.
    public mutating func fail(_ status: AdapterStatus, _ out: inout [Output]) {
        guard running != nil else { return }
        out.append(.tell(.status(status)))
        _ = takeOpenMessages()
        finish(&out)
    }

    // MARK: The end

    /// Whether an answer is under way, of whichever family.
    private var hasOpenMessages: Bool {
        assembler.hasOpenMessages || extendedAssembler.hasOpenMessages
            || !(running?.senders.isEmpty ?? true)
    }

    private mutating func takeOpenMessages() -> [LinkError] {
        running?.senders = [:]
        return assembler.finish() + extendedAssembler.finish() + groups.finish()
    }

    mutating func endIfComplete(_ out: inout [Output]) {
        guard let running, running.sending == nil, running.pending.isEmpty, !hasOpenMessages else {
            return
        }
        if running.isDamaged {
            // What is left of a broken answer must not come into the next exchange.
            arm(.pause, timing.quiet, &out)
            return
        }
        let isEnough = running.expected.map { running.frames >= $0 } ?? false
        let isAnswered = running.route.isPhysical && !running.isMatching && running.answers > 0
        if running.isLate || isEnough || isAnswered { end(&out) }
    }

    private mutating func end(_ out: inout [Output]) {
        // Of a request that could not be sent whole a status tells already.
        if let running, running.messages == 0, !running.isDamaged, running.sending == nil {
            out.append(.tell(.status(.noData)))
        }
        finish(&out)
    }

    private mutating func finish(_ out: inout [Output]) {
        running = nil
        for timer in [DialectTimer.reply, .pause, .flowControl, .pacing, .nextFrame] {
            out.append(.tell(.disarm(timer)))
        }
        out.append(.ended)
    }

    // MARK: Saying

    func arm(_ timer: DialectTimer, _ time: Duration, _ out: inout [Output]) {
        out.append(.tell(.arm(timer, after: time)))
    }

    func send(_ data: [UInt8], to id: ECUAddress, _ out: inout [Output]) {
        out.append(.send(CANFrame(id, InlineBytes(data))))
    }
}

extension CANExchange.Running {
    /// Whether several ECUs may answer one address.
    var isMatching: Bool {
        if case .matching = route.responders { true } else { false }
    }
}
