public import OBDCore

/// A value as the simulated vehicle means it, before its ECU rounds it into raw bytes.
public struct SimulatedValue: Hashable, Sendable {
    /// Who tells it.
    public var ecu: ECUAddress
    /// Where it is told.
    public var id: DataID
    /// The SAE J1979-DA name.
    public var signal: String
    /// The value, within the range of its raw bytes.
    public var value: Double
    /// The value of one raw count.
    public var step: Double
}

/// A vehicle with several ECUs, driving; a value that is told the time.
public struct SimulatedVehicle: Sendable {
    /// Whom a request is for.
    public enum Target: Hashable, Sendable {
        /// Everybody (functional addressing).
        case everybody
        /// The one ECU that answers from this address (physical addressing).
        case one(ECUAddress)
    }

    /// What an ECU answers.
    public struct Answer: Hashable, Sendable {
        /// The address it answers from.
        public var ecu: ECUAddress
        /// Response id and data.
        public var payload: [UInt8]
        /// How much later than at once: a slow ECU's time.
        public var delay: Duration
        /// Its place behind the answers of the same time: ECUs take turns.
        public var stagger: Duration
        /// What fills its CAN frames.
        public var padding: UInt8
    }

    /// What the vehicle speaks.
    public let vehicleProtocol: VehicleProtocol
    /// Whether any ECU is awake.
    public var ignition: Bool

    let options: SimulatorOptions
    let scenario: Scenario
    private let noise: Noise
    private var members: [SimulatedECU]

    /// The vehicle that the options describe.
    public init(_ options: SimulatorOptions) throws(SimulatorError) {
        guard let scenario = Scenario.all.first(where: { $0.name == options.scenario }) else {
            throw .unknownScenario(options.scenario)
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
        noise = Noise(seed: options.seed)
        var models = scenario.ecus
        let wanted = max(1, options.ecus ?? models.count)
        models = Array(models.prefix(wanted))
        for number in models.count..<wanted {
            models.append(CommonRecords.extraECU(number: number))
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
        members = models.enumerated().map { SimulatedECU($1, index: UInt8($0)) }
    }

    /// What it is, in one line.
    public var title: String {
        scenario.title + "; " + vehicleProtocol.title
    }

    /// The addresses from which its ECUs answer.
    public var ecus: [ECUAddress] { members.map { $0.address(vehicleProtocol) } }

    /// The stored codes of the ECU at `address`.
    public func storedCodes(of address: ECUAddress) -> [DTC] {
        members.first { $0.address(vehicleProtocol) == address }?.faults.stored ?? []
    }

    /// Every quantity of service 01 that has a name, as it is meant.
    public func values(after elapsed: Duration) -> [SimulatedValue] {
        members.flatMap { ecu in
            var state = state(after: elapsed)
            state.counters = ecu.faults.counters(
                elapsed: state.elapsed, distance: state.distance,
                distanceAtClear: ecu.distanceAtClear)
            return ecu.model.records.flatMap { record in
                record.fields.filter { !$0.name.isEmpty }.map { field in
                    SimulatedValue(
                        ecu: ecu.address(vehicleProtocol), id: DataID(.currentData, record.id),
                        signal: field.name, value: field.meant(state), step: 1 / field.perUnit)
                }
            }
        }
    }

    /// What the ECUs answer to `payload`, in the order of their answers.
    ///
    /// `elapsed` is the time since the session began.
    public mutating func answers(
        to payload: [UInt8], for target: Target, after elapsed: Duration
    ) -> [Answer] {
        guard ignition else { return [] }
        let functional = target == .everybody
        let cycle = scenario.cycle
        let powertrain = scenario.powertrain
        let noise = noise
        let request = ECURequest(
            payload: payload, functional: functional, family: vehicleProtocol.family,
            state: state(after: elapsed),
            past: { time in
                powertrain.state(at: time, cycle: cycle, noise: noise, engineOff: false)
            })
        var answers: [Answer] = []
        // ECUs do not answer at the same instant: P2 on the K line, arbitration on CAN.
        let gap: Duration = request.isCAN ? .microseconds(700) : .milliseconds(25)
        for index in members.indices {
            let address = members[index].address(vehicleProtocol)
            switch target {
            case .everybody: break
            case .one(let wanted): if wanted != address { continue }
            }
            let payloads: [[UInt8]]
            switch members[index].answer(request) {
            case .silence: continue
            case .messages(let messages): payloads = messages
            case .refusal(let code): payloads = [[0x7F, payload.first ?? 0, code]]
            }
            var answer = Answer(
                ecu: address, payload: [], delay: .zero, stagger: gap * answers.count,
                padding: members[index].model.padding)
            if let slow = options.slow, Self.takesLong(payload) {
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

    /// What is added to the time of the `request`-th request's answers.
    func jitter(request: Int) -> Duration {
        guard options.jitter > .zero else { return .zero }
        let share = noise.fraction(channel: 90, index: UInt64(max(0, request)))
        return .nanoseconds(Int64(Double(options.jitter.nanoseconds) * share))
    }

    /// The voltage at the diagnostic socket; unit: V.
    public func voltage(after elapsed: Duration) -> Double {
        ignition ? state(after: elapsed).voltage : 12.3
    }

    /// What can be heard on its bus, with identifiers of the length that it uses.
    var broadcasts: [Scenario.Broadcast] {
        guard vehicleProtocol.addressForm == .can29 else { return scenario.broadcasts }
        return scenario.broadcasts.map { broadcast in
            var long = broadcast
            long.id |= 0x18FF_0000
            return long
        }
    }

    /// The state of the vehicle `elapsed` after the session began.
    func state(after elapsed: Duration) -> VehicleState {
        let time = options.frozen ?? options.start + elapsed
        return scenario.powertrain.state(
            at: time.seconds, cycle: scenario.cycle, noise: noise,
            engineOff: options.engine == .off)
    }

    /// Requests at which a slow ECU asks for patience: clearing, verification numbers, UDS codes.
    private static func takesLong(_ payload: [UInt8]) -> Bool {
        payload == [0x04] || payload == [0x09, 0x06] || payload.first == 0x14
            || payload.first == 0x19 || payload == [0x22, 0xF8, 0x06]
    }
}
