public import Adapters
import Diagnostics
import OBDCore
import ScanSession

/// What an adapter can do, found out by trying: `doctor --adapter`.
public struct AdapterGrade: Hashable, Sendable {
    /// Times from request to prompt.
    public struct RoundTrips: Hashable, Sendable {
        /// Unit: seconds.
        public var p50: Double
        /// Unit: seconds.
        public var p95: Double

        /// Takes times in seconds; nil where there are none.
        public init?(_ times: [Double]) {
            guard !times.isEmpty else { return nil }
            let sorted = times.sorted()
            p50 = sorted[sorted.count / 2]
            p95 = sorted[min(sorted.count - 1, sorted.count * 95 / 100)]
        }
    }

    /// What was tried and what came of it; nil = could not be tried.
    public struct Abilities: Hashable, Sendable {
        /// Whether answers carry the responder's address.
        public var headers: Bool?
        /// Whether a count digit is understood and ends the wait.
        public var countDigit: Bool?
        /// Whether one request may ask for several PIDs.
        public var batches: Bool?
        /// Whether a message of several frames came whole.
        public var longMessages: Bool?
    }

    /// The protocol string of what it speaks.
    public var dialect: String
    /// What `AT I` printed.
    public var banner: String?
    /// The claim against the answers.
    public var verdict: AdapterVerdict
    /// The commands of the probe that were answered, of how many.
    public var answered: Int
    /// Adapter commands, the prompt included.
    public var commandTrips: RoundTrips?
    /// Single requests without a count digit.
    public var plainTrips: RoundTrips?
    /// The same with a count digit.
    public var countedTrips: RoundTrips?
    /// The longest message that came whole; unit: bytes.
    public var longestAnswer: Int?
    /// What was tried.
    public var abilities = Abilities()
}

extension AdapterGrade {
    /// Requests of each kind that are timed.
    private static let samples = 20

    /// Tries the adapter; the vehicle, where one answers, is only read.
    ///
    /// `map` asks for the vehicle's support map; nil = there is no vehicle.
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

    /// Two supported PIDs of the same ECU in one request.
    private func measureBatch(
        _ vehicle: Vehicle, _ maps: [ECUMessage]
    ) throws(VehicleError) -> Bool? {
        guard vehicle.scan.link?.capabilities.vehicleProtocol?.family == .can,
            let map = maps.first(where: { $0.payload.count >= 6 })
        else { return nil }
        let supported = (1...32).filter { id in
            map.payload[2 + (id - 1) / 8] & 0x80 >> UInt8((id - 1) % 8) != 0
        }
        // Two whose records are known to be one byte each.
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
    /// From the request to the end of its answer; unit: seconds.
    fileprivate var seconds: Double { (answer.answered - answer.asked).seconds }
}
