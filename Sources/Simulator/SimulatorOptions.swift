public import OBDCore

/// The vehicle and adapter to simulate, from the text after `sim:`.
///
/// `petrol?latency=20ms&baud=38400&protocol=7&ecus=3&seed=1&personality=stn`
public struct SimulatorOptions: Hashable, Sendable {
    /// Whether the engine is running.
    public enum Engine: String, Hashable, Sendable, CaseIterable {
        /// The vehicle drives.
        case running
        /// The ignition is on, and the vehicle stands still.
        case off
    }

    /// The name of the scenario.
    public var scenario = "petrol"
    /// The user's own vehicle, which replaces the scenario; nil for an included one.
    public var vehicle: Scenario?
    /// The name of the adapter's personality.
    public var personality = "elm327"
    /// The vehicle's protocol; nil for the scenario's.
    public var vehicleProtocol: VehicleProtocol?
    /// The number of ECUs, 1…8; nil for the scenario's.
    public var ecus: Int?
    /// Selects one of many drives with different small variations.
    public var seed: UInt64 = 1
    /// The time in the drive at which the session begins.
    public var start: Duration = .zero
    /// The time in the drive at which all values stop; nil if the drive continues.
    public var frozen: Duration?
    /// Whether the engine is running.
    public var engine = Engine.running
    /// Whether the ECUs are awake.
    public var ignition = true
    /// The time from a request to the first answer; zero if nothing takes time.
    public var latency: Duration = .milliseconds(15)
    /// The maximum random delay that is added to each answer.
    public var jitter: Duration = .zero
    /// How long the adapter waits for more answers after the last one, unless a count ends it; nil for its
    /// adaptive timing.
    public var wait: Duration?
    /// The time an adapter command takes.
    public var commandLatency: Duration?
    /// The time of a protocol search; nil to depend on the protocol.
    public var search: Duration?
    /// The adapter's line rate; unit: bit/s, nil for the speed of the link.
    public var baud: Int?
    /// The time after which a slow ECU answers, after "response pending" (7F xx 78); nil for no slow ECU.
    public var slow: Duration?
    /// The faults in transfers between adapter and host; ``seed`` determines the bytes.
    public var faults = LinkFaults()
    /// The vehicle's VIN; nil for the scenario's.
    public var vin: VIN?
    /// Stored codes of the engine ECU; nil for the scenario's.
    public var codes: [DTC]?
    /// Pending codes of the engine ECU; nil for the scenario's.
    public var pending: [DTC]?
    /// Permanent codes of the engine ECU; nil for the scenario's.
    public var permanent: [DTC]?

    /// Payloads with which ECUs answer certain requests instead of their own, for tests of vehicles that
    /// contradict themselves; none = silence.
    package var scripted: [Scripted: [[UInt8]]] = [:]

    /// A request to an ECU.
    package struct Scripted: Hashable, Sendable {
        /// The ECU's position in the vehicle.
        package var ecu: Int
        package var request: [UInt8]

        /// A request to the ECU at this position.
        package init(_ ecu: Int, _ request: [UInt8]) {
            self.ecu = ecu
            self.request = request
        }
    }

    /// The names of the options in ``init(_:)``.
    public static let names = [
        "personality", "protocol", "ecus", "seed", "start", "frozen", "engine", "ignition",
        "latency", "jitter", "wait", "at", "search", "baud", "slow", "faults", "vin", "codes",
        "pending", "permanent",
    ]

    /// The petrol car with a genuine adapter.
    public init() {}

    /// The path of the user's own vehicle file in `text`: `sim:FILE.vehicle?options`; nil if there is none.
    public static func vehicleFile(in text: some StringProtocol) -> String? {
        guard let name = text.split(separator: "?", maxSplits: 1).first,
            name.hasSuffix(".vehicle") || name.contains("/")
        else { return nil }
        return String(name)
    }

    /// Reads the text after `sim:`, in which the scenario is optional; `vehicle` is the content of the file
    /// from ``vehicleFile(in:)``.
    public init(
        _ text: some StringProtocol, vehicle: Scenario? = nil
    ) throws(SimulatorError) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.vehicle = vehicle
        if let vehicle {
            scenario = vehicle.name
        } else if let name = parts.first, !name.isEmpty {
            guard Scenario.names.contains(String(name)) else {
                throw .unknownScenario(String(name))
            }
            scenario = String(name)
        }
        guard parts.count == 2 else { return }
        for pair in parts[1].split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            try set(
                String(halves.first ?? ""), to: halves.count == 2 ? String(halves[1]) : "")
        }
    }

    /// Sets one option by its name.
    public mutating func set(_ option: String, to value: String) throws(SimulatorError) {
        func checked<Value>(_ found: Value?, _ expected: String) throws(SimulatorError) -> Value {
            guard let found else {
                throw .invalidValue(option: option, value: value, expected: expected)
            }
            return found
        }
        func number(_ range: ClosedRange<Int>) throws(SimulatorError) -> Int {
            try checked(
                Int(value).flatMap { range.contains($0) ? $0 : nil },
                "\(range.lowerBound) to \(range.upperBound)")
        }
        switch option {
        case "personality":
            let names = SimulatorCatalogue.personalities.map(\.name) + [Self.doip]
            guard names.contains(value) else {
                throw .unknownPersonality(value)
            }
            personality = value
        case "protocol":
            let found = VehicleProtocol(value).flatMap { Self.simulated.contains($0) ? $0 : nil }
            vehicleProtocol = try checked(found, "1 to A")
        case "ecus": ecus = try number(1...8)
        case "seed": seed = try checked(UInt64(value), "a whole number")
        case "start": start = try Self.duration(option, value)
        case "frozen": frozen = try Self.frozen(option, value)
        case "engine": engine = try checked(Engine(rawValue: value), "running or off")
        case "ignition": ignition = try checked(["on": true, "off": false][value], "on or off")
        case "latency": latency = try Self.duration(option, value)
        case "jitter": jitter = try Self.duration(option, value)
        case "wait": wait = try Self.duration(option, value)
        case "at": commandLatency = try Self.duration(option, value)
        case "search": search = try Self.duration(option, value)
        case "slow": slow = try Self.duration(option, value)
        case "baud": baud = try number(300...4_000_000)
        case "faults": faults = try checked(LinkFaults(value), LinkFaults.form)
        case "vin":
            vin = try checked(VIN(value.uppercased()), "17 letters and digits without I, O, Q")
        case "codes": codes = try Self.codes(option, value)
        case "pending": pending = try Self.codes(option, value)
        case "permanent": permanent = try Self.codes(option, value)
        default: throw .unknownOption(option)
        }
    }

    /// The protocols that can be simulated.
    static let simulated: Set<VehicleProtocol> = [
        .j1850PWM, .j1850VPW, .iso9141, .iso14230Slow, .iso14230Fast, .can11At500, .can29At500,
        .can11At250, .can29At250, .j1939,
    ]

    /// A time when the vehicle cruises, which is neither idle nor the end of a leg.
    private static let cruising: Duration = .seconds(75)

    private static func frozen(_ option: String, _ value: String) throws(SimulatorError)
        -> Duration?
    {
        switch value {
        case "true", "": cruising
        case "false": nil
        default: try duration(option, value)
        }
    }

    private static func codes(_ option: String, _ value: String) throws(SimulatorError) -> [DTC] {
        var list: [DTC] = []
        for name in value.split(separator: ",") where name != "none" {
            guard let code = DTC(name), code.code != 0, list.count < 255 else {
                throw .invalidValue(
                    option: option, value: value, expected: "codes such as P0301,U0100, or none")
            }
            list.append(code)
        }
        return list
    }

    /// `20ms`, `1.5s`, `500us`, `0`.
    private static func duration(_ option: String, _ value: String) throws(SimulatorError)
        -> Duration
    {
        if let duration = duration(value) { return duration }
        throw .invalidValue(option: option, value: value, expected: "a time such as 20ms or 1.5s")
    }

    /// `20ms`, `1.5s`, `500us`, `0`; nil for anything else.
    static func duration(_ value: String) -> Duration? {
        let units: [(String, Double)] = [("ms", 1e6), ("us", 1e3), ("s", 1e9)]
        if value == "0" { return .zero }
        for (suffix, scale) in units where value.hasSuffix(suffix) {
            if let number = Double(value.dropLast(suffix.count)), number >= 0, number * scale < 1e15
            {
                return .nanoseconds(Int64((number * scale).rounded()))
            }
        }
        return nil
    }
}
