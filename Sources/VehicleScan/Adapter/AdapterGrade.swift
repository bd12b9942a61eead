public import Adapters
import Diagnostics
import OBDCore
import ScanSession
import SystemIO

/// The abilities of an adapter, measured by tests: `doctor --adapter`.
public struct AdapterGrade: Hashable, Sendable {
    /// Times from request to prompt.
    public struct RoundTrips: Hashable, Sendable {
        /// Unit: seconds.
        public var p50: Double
        /// Unit: seconds.
        public var p95: Double

        /// Sorts times in seconds; nil if there are none.
        public init?(_ times: [Double]) {
            guard !times.isEmpty else { return nil }
            let sorted = times.sorted()
            p50 = sorted[sorted.count / 2]
            p95 = sorted[min(sorted.count - 1, sorted.count * 95 / 100)]
        }
    }

    /// The results of the tests; nil if a test was not possible.
    public struct Abilities: Hashable, Sendable {
        /// Whether answers contain the ECU's address.
        public var headers: Bool?
        /// Whether the adapter understands a count digit and stops waiting after that many answers.
        public var countDigit: Bool?
        /// Whether one request can contain several PIDs.
        public var batches: Bool?
        /// Whether a message of several frames arrived complete.
        public var longMessages: Bool?
    }

    /// The protocol string of the adapter's dialect.
    public var dialect: String
    /// The answer to `AT I`.
    public var banner: String?
    /// The adapter's claim compared with its answers.
    public var verdict: AdapterVerdict
    /// The number of probes that were answered.
    public var answered: Int
    /// Adapter commands, up to the prompt.
    public var commandTrips: RoundTrips?
    /// Single requests without a count digit.
    public var plainTrips: RoundTrips?
    /// Single requests with a count digit.
    public var countedTrips: RoundTrips?
    /// The longest message that arrived complete; unit: bytes.
    public var longestAnswer: Int?
    /// The largest number of PIDs in one request that was answered completely.
    public var recordsPerRequest: Int?
    /// Readings per second while polling as `log` does.
    public var readingsPerSecond: Double?
    /// The results of the tests.
    public var abilities = Abilities()
}

extension AdapterGrade {
    /// The number of timed requests of each kind.
    private static let samples = 20

    /// Tests the adapter; a vehicle is only read.
    ///
    /// `map` is the request for the vehicle's support map; nil if there is no vehicle. The session ends
    /// after `polling`.
    public static func measure(
        _ vehicle: Vehicle, map: [UInt8]?, polling: Duration = .seconds(2)
    ) throws(VehicleError) -> AdapterGrade {
        var answered: Set<String> = []
        var times: [Double] = []
        let dialect = vehicle.scan.link?.dialect ?? ELM327Dialect.protocolString
        let probes = dialect == ELM327Dialect.protocolString ? AdapterProbe.all : []
        for probe in probes {
            let asked = try vehicle.command(probe.command)
            guard asked.problem == nil else { continue }
            times.append(asked.seconds)
            let lines = asked.answer.reply.rawLines(without: probe.command, banner: nil)
            if probe.isAnswered(by: lines) { answered.insert(probe.command) }
        }
        let identity = vehicle.scan.link?.identity
        var grade = AdapterGrade(
            dialect: dialect, banner: identity?.banner,
            verdict: AdapterVerdict(
                banner: identity?.banner, stnFirmware: identity?.stnFirmware, answered: answered),
            answered: answered.count, commandTrips: RoundTrips(times))
        if let map { try grade.measureVehicle(vehicle, map, polling) }
        return grade
    }

    private mutating func measureVehicle(
        _ vehicle: Vehicle, _ map: [UInt8], _ polling: Duration
    ) throws(VehicleError) {
        let plain = try Self.time(vehicle, map, frames: nil)
        guard let first = plain.answers.first else { return }
        plainTrips = RoundTrips(plain.seconds)
        abilities.headers = first.allSatisfy { $0.ecu != nil }
        let frames = first.reduce(0) { $0 + $1.frames }
        let counted = try Self.time(vehicle, map, frames: frames)
        countedTrips = RoundTrips(counted.seconds)
        let stillCounts = vehicle.scan.link?.capabilities.frameCountHelps ?? false
        abilities.countDigit =
            stillCounts && counted.answers.count == counted.seconds.count
            && counted.answers.allSatisfy { $0.count == first.count }
        try measureLongest(vehicle)
        guard map == [0x01, 0x00], let map = first.first(where: { $0.payload.count >= 6 }) else {
            return
        }
        // PIDs of the ECU whose records are known to have one byte each.
        let known: [UInt8] = [0x04, 0x05, 0x0B, 0x0D, 0x0E, 0x0F, 0x11]
        let ids = known.filter { id in
            let bit = Int(id) - 1
            return map.payload[2 + bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
        }
        let batch = Array(ids.prefix(6))
        try measureBatches(vehicle, batch, of: map.ecu)
        try measurePolling(vehicle, batch, polling)
    }

    /// Requests two of an ECU's PIDs at once, then all.
    private mutating func measureBatches(
        _ vehicle: Vehicle, _ ids: [UInt8], of ecu: ECUAddress?
    ) throws(VehicleError) {
        guard vehicle.scan.link?.capabilities.vehicleProtocol?.family == .can, ids.count >= 2
        else { return }
        recordsPerRequest = 1
        for ids in [ids.prefix(2), ids[...]] {
            let asked = try vehicle.ask(
                .vehicle(vehicle.request([0x01] + ids, mayRepeat: false)))
            let isAnswered = asked.answer.reply.messages.contains { message in
                message.ecu == ecu && message.payload.count == 1 + 2 * ids.count
                    && message.payload[0] == 0x41
                    && ids.indices.allSatisfy { message.payload[1 + 2 * $0] == ids[$0] }
            }
            guard isAnswered else { break }
            recordsPerRequest = ids.count
        }
        abilities.batches = recordsPerRequest != 1
    }

    private mutating func measurePolling(
        _ vehicle: Vehicle, _ ids: [UInt8], _ duration: Duration
    ) throws(VehicleError) {
        let wants = ids.compactMap { vehicle.table.record(DataID(.currentData, UInt32($0))) }
            .map { PollPlan.Want($0, as: $0.dataID, period: nil, ecu: vehicle.ecu) }
        let begun = SystemClock.now()
        vehicle.scan.poll(PollPlan(wants: wants))
        var loop = PollLoop(vehicle, queue: nil, until: begun + duration)
        switch try? loop.run(event: { _, _ in }, batch: { _ in }) {
        case .stopped: throw .session(.interrupted)
        case .failed(let error): throw .session(error)
        case .duration, .finished, .vehicleOff, .otherVehicle, .vehicleRests, .linkStaysLost,
            .vehicleStaysSilent, .vehicleIsOn, nil:
            break
        }
        let readings = Double(vehicle.scan.statistics.readings)
        readingsPerSecond = readings / (SystemClock.now() - begun).seconds
    }

    private mutating func measureLongest(_ vehicle: Vehicle) throws(VehicleError) {
        let isCAN = vehicle.scan.link?.capabilities.vehicleProtocol?.family == .can
        for payload: [UInt8] in [[0x09, 0x02], [0x09, 0x04], [0x09, 0x0A]] {
            let reply = try vehicle.ask(payload).answer.reply
            guard let longest = reply.messages.map(\.payload.count).max() else {
                if !reply.errors.isEmpty { abilities.longMessages = false }
                continue
            }
            longestAnswer = max(longestAnswer ?? 0, longest)
            if isCAN, longest > 7 { abilities.longMessages = abilities.longMessages ?? true }
            if !reply.errors.isEmpty { abilities.longMessages = false }
        }
    }

    private static func time(
        _ vehicle: Vehicle, _ payload: [UInt8], frames: Int?
    ) throws(VehicleError) -> (seconds: [Double], answers: [[ECUMessage]]) {
        var seconds: [Double] = []
        var answers: [[ECUMessage]] = []
        for _ in 0..<samples {
            var request = vehicle.request(payload)
            request.expectedFrames = frames
            let asked = try vehicle.ask(.vehicle(request))
            seconds.append(asked.seconds)
            if asked.isPositive { answers.append(asked.answer.reply.messages) }
        }
        return (seconds, answers)
    }
}

extension QueryResult {
    /// The time from the request to the end of its answer; unit: seconds.
    fileprivate var seconds: Double { (answer.answered - answer.asked).seconds }
}
