public import OBDCore
import VehicleLink

/// One request and its answers on raw CAN frames: ISO 15765-2 in both directions for all ECUs at once, and
/// SAE J1939-21.
///
/// An ELM327 does this internally. Here an exchange is a value without a clock: frames and expired timers go
/// in; frames to send, timers and messages come out. The value is kept between exchanges, so that the rest of
/// a broken answer can be dropped.
///
/// - The flow control frame is sent in the same call that receives the first frame, because ECUs only wait 75
///   ms. Flow control goes to the request address of the answering ECU, and only if the first frame answers
///   this request: other testers send their own.
/// - A request to one ECU ends with its answer. A functional request ends when the known number of frames has
///   arrived, or when P2 is over, after which no ECU may begin to answer.
/// - A functional request also ends when all ECUs have answered that are known to answer such requests.
/// - "Response pending" (NRC 78) gives the ECU P2* for the final answer.
/// - An ECU answers a request once. A second answer in the same exchange was asked for by another tester, or
///   answers an earlier request late, so it is ignored, unless the request ends with silence.
public struct CANExchange: Hashable, Sendable {
    /// An action that an exchange requests, or an event that it reports.
    public enum Output: Hashable, Sendable {
        /// Send this frame.
        case send(CANFrame)
        /// Pass this on.
        case tell(DialectOutput)
        /// The exchange is over, and all its timers are disarmed.
        case ended
    }

    /// The destination of a request and the ECUs that may answer it.
    public struct Route: Hashable, Sendable {
        /// The identifier of the request, without an address byte.
        public var request: ECUAddress
        /// The address byte before the protocol control byte; nil for normal addressing.
        public var extended: UInt8?
        /// Whether the request is for a single ECU.
        public var isPhysical: Bool
        /// The ECUs whose frames are accepted.
        public var responders: VehicleRequest.Responders

        init(
            request: ECUAddress, isPhysical: Bool, responders: VehicleRequest.Responders
        ) {
            self.request = request
            self.isPhysical = isPhysical
            self.responders = responders
        }

        /// The route of `request` for a vehicle with `vehicleProtocol`; nil if there is none.
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
            case .usual: return Self.functional(id.form).passes(id)
            case .one(let ecu): return id.value == ecu.value && id.form == ecu.form
            case .matching(let pattern, let mask):
                return id.form == pattern.form && id.value & mask == pattern.value & mask
            }
        }

        /// The filter that passes the same identifiers.
        var filter: CANFilter {
            switch responders {
            case .usual where isPhysical: CANFilter(request.usualResponder)
            case .usual: Self.functional(request.form)
            case .one(let ecu): CANFilter(ecu)
            case .matching(let pattern, let mask): CANFilter(pattern, mask: mask)
            }
        }

        /// The ECUs that answer functional requests: 7E8 to 7EF, or 18DAF1xx.
        static func functional(_ form: ECUAddress.Form) -> CANFilter {
            form == .can11
                ? CANFilter(ECUAddress(0x7E8, .can11), mask: 0x7F8)
                : CANFilter(ECUAddress(0x18DA_F100, .can29), mask: 0x1FFF_FF00)
        }

        /// The address for flow control frames to `responder`.
        func flowControl(for responder: ECUAddress) -> ECUAddress {
            isPhysical ? request : ECUAddress(responder.value, responder.form).physicalRequest
        }
    }

    /// Time limits and padding.
    public struct Timing: Hashable, Sendable {
        /// The time for an ECU to begin its answer: P2 of ISO 15765-4 is 50 ms, and the rest is for the link.
        public var answer = Duration.milliseconds(100)
        /// After "response pending": P2* is 5 s.
        public var pending = Duration.milliseconds(5_500)
        /// A flow control frame (N_Bs).
        public var flowControl = Duration.seconds(1)
        /// The next consecutive frame (N_Cr), or packet of SAE J1939 (T1 750 ms, T2 1,250 ms).
        public var nextFrame = Duration.seconds(1)
        /// The pause after which the rest of a broken answer can no longer arrive.
        public var quiet = Duration.milliseconds(100)
        /// The padding up to eight bytes, which OBD requires.
        public var padding: UInt8 = 0x00

        /// The usual times.
        public init() {}
    }

    /// How many "wait" frames in a row an ECU may send before a long request is abandoned.
    static let mostWaits = 10

    /// The state of a long request.
    struct Sending: Hashable, Sendable {
        /// Frames that have not been sent yet.
        var rest: ArraySlice<[UInt8]>
        /// Frames until the next flow control frame; nil if no more are needed.
        var block: Int?
        /// The time between two frames.
        var separation = Duration.zero
        var waits = 0
        var awaitsFlowControl = true
    }

    struct Running: Hashable, Sendable {
        var route: Route
        var payload: [UInt8]
        /// The known number of frames; nil if a deadline ends the exchange.
        var expected: Int?
        /// The ECUs that are known to answer such requests; empty if a deadline ends the exchange.
        var awaited: [ECUAddress] = []
        var answerTime: Duration
        /// Whether only the deadline ends the exchange, and a second answer of an ECU is reported.
        var waitsForSilence = false
        var sending: Sending?
        /// The number of frames in complete answers.
        var frames = 0
        var answers = 0
        /// The number of reported messages, including "response pending".
        var messages = 0
        /// ECUs that sent "response pending" and have not answered since.
        var pending: Set<ECUAddress> = []
        /// The time is over in which an ECU may begin to answer.
        var isLate = false
        /// A part of an answer was damaged; its rest is still awaited.
        var isDamaged = false
        /// SAE J1939: the ECUs that send packets for this request.
        var senders: [UInt8: UInt8] = [:]
        /// SAE J1939: the ECUs that have answered; many groups are also broadcast repeatedly without a
        /// request.
        var answerers: Set<UInt8> = []
    }

    /// Time limits and padding.
    public var timing: Timing
    // Not optional, because each access to such a large optional copies it.
    var running = Running.none
    var assembler = ISO15765Assembler()
    /// Used if the address is in the first data byte.
    var extendedAssembler = ISO15765Assembler(extendedAddressing: true)
    var groups = J1939Assembler()
    /// The armed timers, a bit for each.
    private var armed: UInt8 = 0
    /// The ECUs that have given their final answer in this exchange.
    var finished: [Finished] = []

    /// An ECU that has given its final answer.
    struct Finished: Hashable, Sendable {
        var ecu: ECUAddress
        /// Whether the ECU refused.
        var isRefusal: Bool
    }

    /// An exchange that has not begun.
    public init(_ timing: Timing = Timing()) {
        self.timing = timing
    }

    /// The user's consent to the current request.
    private var consent: Consent?
    /// Whether an exchange is running.
    public private(set) var isUnderWay = false

    /// Sends a request; false if it cannot be sent, in which case nothing changes.
    ///
    /// `awaited` are the ECUs that are known to answer such a functional request, if all of them are known.
    public mutating func begin(
        _ request: VehicleRequest, on vehicleProtocol: VehicleProtocol,
        awaiting awaited: [ECUAddress] = [], _ out: inout [Output]
    ) -> Bool {
        guard !isUnderWay, !request.payload.isEmpty else { return false }
        consent = request.consent
        finished.removeAll(keepingCapacity: true)
        isUnderWay =
            vehicleProtocol.family == .j1939
            ? beginGroup(request, &out)
            : beginTransfer(request, on: vehicleProtocol, awaiting: awaited, &out)
        if isUnderWay, request.ending == .silence { running.waitForSilence() }
        return isUnderWay
    }

    private mutating func beginTransfer(
        _ request: VehicleRequest, on vehicleProtocol: VehicleProtocol,
        awaiting awaited: [ECUAddress], _ out: inout [Output]
    ) -> Bool {
        guard let route = Route(request, on: vehicleProtocol) else { return false }
        // Most requests fit into a single frame.
        if route.extended == nil, request.payload.count < ISO15765.frameLength {
            let time = answerTime(of: request)
            running = Running(
                route: route, payload: request.payload,
                expected: request.mayRepeat ? request.expectedFrames : nil,
                awaited: request.mayRepeat && !route.isPhysical ? awaited : [], answerTime: time)
            var word = UInt64(request.payload.count)
            var shift: UInt64 = 8
            for byte in request.payload {
                word |= UInt64(byte) << shift
                shift += 8
            }
            while shift < 64 {
                word |= UInt64(timing.padding) << shift
                shift += 8
            }
            out.append(
                .send(
                    CANFrame(
                        route.request, InlineBytes(word: word, count: ISO15765.frameLength))))
            arm(.reply, time, &out)
            return true
        }
        guard
            let frames = try? ISO15765.frames(
                for: request.payload, extendedAddress: route.extended, padding: timing.padding),
            // Flow control works with a single ECU only.
            frames.count == 1 || route.isPhysical
        else { return false }
        running = Running(
            route: route, payload: request.payload,
            expected: request.mayRepeat ? request.expectedFrames : nil,
            answerTime: answerTime(of: request),
            sending: frames.count > 1 ? Sending(rest: frames.dropFirst(), block: nil) : nil)
        send(frames[0], to: route.request, &out)
        if frames.count > 1 {
            arm(.flowControl, timing.flowControl, &out)
        } else {
            arm(.reply, answerTime(of: request), &out)
        }
        return true
    }

    /// The time for an ECU to begin its answer.
    func answerTime(of request: VehicleRequest) -> Duration {
        if let given = request.answerTime { return max(timing.answer, given) }
        let isSlow = request.payload.first.map { ServiceShape.takesTime($0) } ?? false
        return isSlow ? max(timing.answer, .seconds(1)) : timing.answer
    }

    /// Takes a frame from another node; frames of other conversations change nothing.
    public mutating func receive(_ frame: CANFrame, _ out: inout [Output]) {
        guard isUnderWay, !frame.isRemote else { return }
        let route = running.route
        if case .byte = route.request.form {
            receiveGroup(frame, &out)
            return
        }
        guard route.accepts(frame.id), !frame.data.isEmpty else { return }
        if running.isSending, let sending = running.sending,
            takeFlowControl(frame, sending, &out)
        {
            return
        }
        receiveAnswer(frame, route, &out)
    }

    /// Reports that a timer has expired; a timer that is not armed is ignored.
    public mutating func expired(_ timer: DialectTimer, _ out: inout [Output]) {
        guard isUnderWay, armed & 1 << timer.rawValue != 0 else { return }
        armed &= ~(1 << timer.rawValue)
        switch timer {
        case .reply:
            running.isLate = true
            running.pending = []
            endIfComplete(&out)
        case .pause: if running.isDamaged { end(&out) }
        case .nextFrame:
            for error in takeOpenMessages() { noteDamage(error, &out) }
            end(&out)
        case .flowControl:
            guard running.sending?.awaitsFlowControl == true else { return }
            out.append(.tell(.status(.flowControlTimeout)))
            end(&out)
        case .pacing: continueSending(&out)
        case .prompt, .listen: break
        }
    }

    /// Ends the current exchange without an answer.
    public mutating func interrupt(_ out: inout [Output]) {
        guard isUnderWay else { return }
        _ = takeOpenMessages()
        finish(&out)
    }

    /// Handles a fault of the controller: without an acknowledgement no node received the request.
    public mutating func fail(_ status: AdapterStatus, _ out: inout [Output]) {
        guard isUnderWay else { return }
        out.append(.tell(.status(status)))
        _ = takeOpenMessages()
        finish(&out)
    }

    /// Whether a frame of this exchange may be sent: one that only reads at an address for diagnostics, or one
    /// to the address to which the user agreed.
    func mayLeave(_ frame: CANFrame) -> Bool {
        if frame.id.form == .can29, case .byte = running.route.request.form {
            return Self.mayLeave(group: frame, consent)
        }
        if consent != nil, frame.id == running.route.request { return true }
        var address = frame.id
        if frame.id == running.route.request { address.extended = running.route.extended }
        // Nearly every frame is a short request for current data.
        if address.isUsualRequest, frame.data.count > 1, frame.data[0] >> 4 == 0,
            frame.data[1] == Service.currentData.rawValue, address.extended == nil
        {
            return true
        }
        return address.takes(frame: Array(frame.data))
    }

    // MARK: The end

    /// Whether an answer of any kind is incomplete.
    private var hasOpenMessages: Bool {
        assembler.hasOpenMessages || extendedAssembler.hasOpenMessages
            || !running.senders.isEmpty
    }

    private mutating func takeOpenMessages() -> [LinkError] {
        running.senders = [:]
        return assembler.finish() + extendedAssembler.finish() + groups.finish()
    }

    mutating func endIfComplete(_ out: inout [Output]) {
        guard isUnderWay, !running.isSending, running.pending.isEmpty, !hasOpenMessages else {
            return
        }
        if running.isDamaged {
            // The rest of a broken answer must not get into the next exchange.
            arm(.pause, timing.quiet, &out)
        } else if hasEnough {
            end(&out)
        }
    }

    /// Whether all answers have arrived, or no more can.
    private var hasEnough: Bool {
        if running.isLate || running.waitsForSilence { return running.isLate }
        if let expected = running.expected, running.frames >= expected { return true }
        if running.route.isPhysical, !running.isMatching, running.answers > 0 { return true }
        return !running.awaited.isEmpty
            && running.awaited.allSatisfy { ecu in finished.contains { $0.ecu == ecu } }
    }

    private mutating func end(_ out: inout [Output]) {
        // If a request could not be sent completely, its status was already reported.
        if running.messages == 0, !running.isDamaged, !running.isSending {
            out.append(.tell(.status(.noData)))
        }
        finish(&out)
    }

    private mutating func finish(_ out: inout [Output]) {
        running = .none
        isUnderWay = false
        if armed != 0 { out.append(.tell(.disarmAll)) }
        armed = 0
        out.append(.ended)
    }

    // MARK: Output

    mutating func arm(_ timer: DialectTimer, _ time: Duration, _ out: inout [Output]) {
        armed |= 1 << timer.rawValue
        out.append(.tell(.arm(timer, after: time)))
    }

    /// Disarms a timer, if it was armed.
    mutating func disarm(_ timer: DialectTimer, _ out: inout [Output]) {
        guard armed & 1 << timer.rawValue != 0 else { return }
        armed &= ~(1 << timer.rawValue)
        out.append(.tell(.disarm(timer)))
    }

    func send(_ data: [UInt8], to id: ECUAddress, _ out: inout [Output]) {
        out.append(.send(CANFrame(id, InlineBytes(data))))
    }
}

extension CANExchange.Running {
    static let none = CANExchange.Running(
        route: CANExchange.Route(
            request: ECUAddress(0, .byte), isPhysical: false, responders: .usual),
        payload: [], answerTime: .zero)

    /// Waits until no ECU may begin to answer.
    mutating func waitForSilence() { waitsForSilence = true }

    /// Whether a long request is being sent.
    var isSending: Bool { if case .some = sending { true } else { false } }

    /// Whether several ECUs may answer at one address.
    var isMatching: Bool {
        if case .matching = route.responders { true } else { false }
    }
}
