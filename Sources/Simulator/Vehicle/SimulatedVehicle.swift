public import OBDCore

/// A value of the simulated vehicle before its ECU rounds it into raw bytes.
public struct SimulatedValue: Hashable, Sendable {
    /// The ECU that reports the value.
    public var ecu: ECUAddress
    /// The identifier that contains the value.
    public var id: DataID
    /// The SAE J1979-DA name.
    public var signal: String
    /// The value, within the range of its raw bytes.
    public var value: Double
    /// The value of one raw count.
    public var step: Double
}

/// A vehicle with several ECUs on a drive; a value that receives the time.
public struct SimulatedVehicle: Sendable {
    /// The ECUs to which a request is addressed.
    public enum Target: Hashable, Sendable {
        /// All ECUs (functional addressing).
        case everybody
        /// The ECU that answers from this address (physical addressing).
        case one(ECUAddress)

        /// Whether the target is all ECUs.
        var isFunctional: Bool { self == .everybody }
    }

    /// An answer of an ECU.
    public struct Answer: Hashable, Sendable {
        /// The address of the ECU's answers.
        public var ecu: ECUAddress
        /// Response ID and data; data only on SAE J1939.
        public var payload: [UInt8]
        /// SAE J1939: the parameter group of the data.
        public var parameterGroup: UInt32?
        /// SAE J1939: whether the answer is sent to all nodes and not only to the requester.
        public var isBroadcast = false
        /// The delay of a slow ECU.
        public var delay: Duration
        /// The offset from other answers with the same time, because ECUs send one after the other.
        public var stagger: Duration
        /// The padding of the answer's CAN frames.
        public var padding: UInt8
    }

    /// The vehicle's protocol.
    public let vehicleProtocol: VehicleProtocol
    /// Whether the ECUs are awake.
    public var ignition: Bool

    let options: SimulatorOptions
    let scenario: Scenario
    private let noise: Noise
    /// The engine model; nil for a vehicle without `physics`.
    private var track: EngineTrack?
    private var members: [SimulatedECU]

    /// Creates the vehicle of the options.
    public init(_ options: SimulatorOptions) throws(SimulatorError) {
        let scenario: Scenario
        if let own = options.vehicle {
            scenario = own
        } else {
            scenario = try Scenario.embedded(options.scenario)
        }
        self.options = options
        self.scenario = scenario
        ignition = options.ignition
        vehicleProtocol = options.vehicleProtocol ?? scenario.vehicleProtocol
        if vehicleProtocol.family != .can, scenario.ecus.contains(where: \.isOnUDS) {
            throw .invalidValue(
                option: "protocol", value: vehicleProtocol.digit,
                expected: "6 to 9 (OBDonUDS is on CAN only)")
        }
        if vehicleProtocol.family == .j1939, !scenario.ecus.contains(where: { !$0.groups.isEmpty })
        {
            throw .invalidValue(
                option: "protocol", value: vehicleProtocol.digit,
                expected: "1 to 9 (this vehicle has no parameter groups)")
        }
        noise = Noise(seed: options.seed)
        if let physics = scenario.physics {
            track = EngineTrack(
                EngineModel(physics, scenario.powertrain, scenario.cycle, noise))
        }
        var models = scenario.ecus.filter(\.isFunctional)
        let modules = scenario.ecus.filter { !$0.isFunctional }
        let wanted = max(1, options.ecus ?? models.count)
        models = Array(models.prefix(wanted))
        for number in models.count..<wanted {
            models.append(Scenario.extraECU(number: number))
        }
        if let vin = options.vin { models[0].vin = vin.text }
        if let codes = options.codes {
            models[0].faults.stored = codes
            models[0].faults.freezeFrames = codes.prefix(1).map {
                FaultMemory.FreezeFrame(dtc: $0, elapsed: 322)
            }
        }
        if let codes = options.pending { models[0].faults.pending = codes }
        if let codes = options.permanent { models[0].faults.permanent = codes }
        members = (models + modules).enumerated().map { SimulatedECU($1, index: UInt8($0)) }
    }

    private static func addresses(
        _ members: some Sequence<SimulatedECU>, _ vehicleProtocol: VehicleProtocol
    ) -> [ECUAddress] {
        members.map { $0.address(vehicleProtocol) }
    }

    /// A description in one line.
    public var title: String {
        scenario.title + "; " + vehicleProtocol.title
    }

    /// The VIN that the ECUs report; nil if none has it.
    public var vin: String? { members.lazy.compactMap(\.model.vin).first }

    /// The answer addresses of the vehicle's emissions ECUs.
    public var ecus: [ECUAddress] {
        Self.addresses(members.filter(\.model.isFunctional), vehicleProtocol)
    }

    /// The answer addresses of ECUs that only answer requests to their own address.
    public var modules: [ECUAddress] {
        Self.addresses(members.filter { $0.model.role == .diagnostics }, vehicleProtocol)
    }

    /// The answer address of the ECU with request address `request`; nil if there is none.
    func answerer(at request: ECUAddress) -> ECUAddress? {
        members.first { $0.requestAddress(vehicleProtocol) == request }?.address(vehicleProtocol)
    }

    /// The request address of the ECU that answers from `answer`.
    func requestAddress(of answer: ECUAddress) -> ECUAddress? {
        members.first { $0.address(vehicleProtocol) == answer }?.requestAddress(vehicleProtocol)
    }

    /// All named quantities of service 01 or of parameter groups, before rounding.
    public func values(after elapsed: Duration) -> [SimulatedValue] {
        let state = state(after: elapsed)
        return members.filter(\.model.isFunctional).flatMap { ecu in
            let filled = ecu.filling(state)
            return ecu.told(on: vehicleProtocol.family).flatMap { id, record in
                record.fields.filter { !$0.name.isEmpty }.map { field in
                    SimulatedValue(
                        ecu: ecu.address(vehicleProtocol), id: id, signal: field.name,
                        value: field.meant(filled), step: 1 / field.perUnit)
                }
            }
        }
    }

    /// The ECUs' answers to `payload`, in order.
    ///
    /// `elapsed` is the time since the session began.
    public mutating func answers(
        to payload: [UInt8], for target: Target, after elapsed: Duration
    ) -> [Answer] {
        guard ignition else { return [] }
        advance(to: elapsed)
        let cycle = scenario.cycle
        let powertrain = scenario.powertrain
        let noise = noise
        let track = track
        let request = ECURequest(
            payload: payload, functional: target.isFunctional, family: vehicleProtocol.family,
            state: state(after: elapsed),
            past: { time in
                track?.state(at: time)
                    ?? powertrain.state(at: time, cycle: cycle, noise: noise, engineOff: false)
            })
        // ECUs do not answer at the same time: P2 on the K line, arbitration on CAN.
        let gap: Duration =
            vehicleProtocol.family.isLegacy ? .milliseconds(25) : .microseconds(700)
        var answers: [Answer] = []
        for index in members.indices {
            let address = members[index].address(vehicleProtocol)
            if case .one(let wanted) = target, wanted != address { continue }
            var answer = Answer(
                ecu: address, payload: [], delay: .zero, stagger: gap * answers.count,
                padding: members[index].model.padding)
            if request.family == .j1939 {
                guard groupAnswer(&answer, of: index, request) else { continue }
                answers.append(answer)
                continue
            }
            let payloads: [[UInt8]]
            if let scripted = options.scripted[.init(index, payload)] {
                payloads = scripted
            } else {
                switch members[index].answer(request) {
                case .silence: continue
                case .messages(let messages): payloads = messages
                case .refusal(let code): payloads = [[0x7F, payload.first ?? 0, code]]
                }
            }
            if let slow = slowness(of: members[index].model, payload) {
                answer.payload = [0x7F, payload[0], 0x78]
                answers.append(answer)
                answer.delay = slow
            }
            for payload in payloads {
                answer.payload = payload
                answer.stagger = gap * answers.count
                answers.append(answer)
            }
        }
        return answers
    }

    /// Completes the answer to a request for a parameter group (three bytes, least significant first); false
    /// if there is no answer.
    private mutating func groupAnswer(
        _ answer: inout Answer, of index: Int, _ request: ECURequest
    ) -> Bool {
        guard request.payload.count == 3 else { return false }
        let group = request.payload.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var told = members[index].answer(parameterGroup: group, request)
        if let scripted = options.scripted[.init(index, request.payload)] {
            told = scripted.first.map { .data($0) }
        }
        guard let said = told else { return false }
        switch said {
        case .data(let bytes):
            answer.payload = bytes
            answer.parameterGroup = group
            answer.isBroadcast = request.functional
        case .acknowledgement(let control):
            // The address of the requester comes before the group.
            answer.payload =
                [control, 0xFF, 0xFF, 0xFF, Self.serviceTool] + request.payload
            answer.parameterGroup = 0xE800
            answer.isBroadcast = true
        }
        return true
    }

    /// The address of an off-board service tool on SAE J1939.
    static let serviceTool: UInt8 = 0xF9

    /// The delay of an ECU's answer to `payload`, after "response pending"; nil if it answers at once.
    private func slowness(of model: ECUModel, _ payload: [UInt8]) -> Duration? {
        if let service = payload.first, let late = model.late[service] { return late }
        guard model.isFunctional, let slow = options.slow, Self.takesLong(payload) else {
            return nil
        }
        return slow
    }

    /// The data of a parameter group that an ECU sends without a request; nil if it does not.
    func data(ofGroup group: UInt32, from address: UInt8, after elapsed: Duration) -> [UInt8]? {
        guard let index = members.firstIndex(where: { $0.model.address == address }) else {
            return nil
        }
        let request = [0, 8, 16].map { UInt8(truncatingIfNeeded: group >> $0) }
        if let scripted = options.scripted[.init(index, request)] { return scripted.first }
        return members[index].data(ofGroup: group, state(after: elapsed))
    }

    /// The parameter groups that ECUs send without a request: sender, group and interval.
    var spokenGroups: [(source: UInt8, group: UInt32, priority: UInt8, period: Duration)] {
        guard ignition, vehicleProtocol.family == .j1939 else { return [] }
        return members.flatMap { ecu in
            // Every ECU sends DM1 once per second.
            [(ecu.model.address, UInt32(0xFECA), UInt8(6), Duration.seconds(1))]
                + ecu.model.groups.compactMap { group in
                    group.period.map {
                        (ecu.model.address, group.record.id, group.priority, $0)
                    }
                }
        }
    }

    /// The random delay of the answers to request number `request`.
    func jitter(request: Int) -> Duration {
        guard options.jitter > .zero else { return .zero }
        let share = noise.fraction(channel: 90, index: UInt64(max(0, request)))
        return .nanoseconds(Int64(Double(options.jitter.nanoseconds) * share))
    }

    /// The voltage at the diagnostic socket; unit: V.
    public func voltage(after elapsed: Duration) -> Double {
        ignition ? state(after: elapsed).voltage : 12.3
    }

    /// The periodic frames on the vehicle's bus, with identifiers of the bus's length.
    var broadcasts: [Scenario.Broadcast] {
        guard vehicleProtocol.addressForm == .can29 else { return scenario.broadcasts }
        return scenario.broadcasts.map { broadcast in
            var long = broadcast
            long.record.id |= 0x18FF_0000
            return long
        }
    }

    /// Computes the drive until `elapsed` after the start of the session, so that the states after it need
    /// less work; no state changes.
    mutating func advance(to elapsed: Duration) {
        let now = time(after: elapsed)
        track?.advance(to: now)
    }

    /// The state of the vehicle at `elapsed` after the start of the session.
    func state(after elapsed: Duration) -> VehicleState {
        let time = time(after: elapsed)
        if options.engine == .running, let track { return track.state(at: time) }
        return scenario.powertrain.state(
            at: time, cycle: scenario.cycle, noise: noise, engineOff: options.engine == .off)
    }

    /// The time in the drive; unit: seconds.
    private func time(after elapsed: Duration) -> Double {
        (options.frozen ?? options.start + elapsed).seconds
    }

    /// Requests to which a slow ECU first answers "response pending": clearing, verification numbers, UDS
    /// codes.
    private static func takesLong(_ payload: [UInt8]) -> Bool {
        payload == [0x04] || payload == [0x09, 0x06] || payload.first == 0x14
            || payload.first == 0x19 || payload == [0x22, 0xF8, 0x06]
    }
}
