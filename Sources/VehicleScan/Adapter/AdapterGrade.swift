public import Adapters
import Diagnostics
import OBDCore
import ScanSession

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
    /// The results of the tests.
    public var abilities = Abilities()
}

extension AdapterGrade {
    /// The number of timed requests of each kind.
    private static let samples = 20

    /// Tests the adapter; a vehicle is only read.
    ///
    /// `map` is the request for the vehicle's support map; nil if there is no vehicle.
    public static func measure(
        _ vehicle: Vehicle, map: [UInt8]?
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
        if let map { try grade.measureVehicle(vehicle, map) }
        return grade
    }

    private mutating func measureVehicle(
        _ vehicle: Vehicle, _ map: [UInt8]
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
        if map == [0x01, 0x00] { abilities.batches = try measureBatch(vehicle, first) }
        try measureLongest(vehicle)
    }

    /// Requests two supported PIDs of the same ECU at once.
    private func measureBatch(
        _ vehicle: Vehicle, _ maps: [ECUMessage]
    ) throws(VehicleError) -> Bool? {
        guard vehicle.scan.link?.capabilities.vehicleProtocol?.family == .can,
            let map = maps.first(where: { $0.payload.count >= 6 })
        else { return nil }
        let supported = (1...32).filter { id in
            map.payload[2 + (id - 1) / 8] & 0x80 >> UInt8((id - 1) % 8) != 0
        }
        // Choose two PIDs whose records are known to have one byte each.
        let wanted = [0x04, 0x05, 0x0B, 0x0D, 0x0E, 0x0F, 0x11].filter(supported.contains)
        guard wanted.count >= 2 else { return nil }
        let ids = wanted.prefix(2).map { UInt8($0) }
        let asked = try vehicle.ask(
            .vehicle(vehicle.request([0x01] + ids, mayRepeat: false)))
        return asked.answer.reply.messages.contains { message in
            message.ecu == map.ecu && message.payload.count == 5
                && message.payload[0] == 0x41 && message.payload[1] == ids[0]
                && message.payload[3] == ids[1]
        }
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
