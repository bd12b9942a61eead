@testable import Reports
@testable import Simulator

/// A drive of the simulator's engine model, as a scan tool would record it: quantised, some signals a second.
///
/// The engine model and the causes were written apart from each other. Nothing here knows a cause but ``Fault/cause``,
/// which is the answer that is compared with the verdict.
struct EngineDrive: Sendable {
    /// A fault in three sizes, with the cause that should be named.
    struct Fault: Sendable {
        var name: String
        /// In an engine with an air meter, and in one without; nil if no cause is meant.
        var cause: String?
        var causeWithoutMeter: String?
        var engine: (EngineFault.Kind, [Double])?
        var sensor: (SensorFault.Sensor, [SensorFault])?
        /// Whether only engines with an air meter, or with an oxygen sensor of one kind, have it.
        var needsMeter = false
        var oxygen: EngineSpec.MixtureSensor?

        init(
            _ name: String, _ cause: String?, without: String?, _ kind: EngineFault.Kind,
            _ sizes: [Double]
        ) {
            (self.name, self.cause, causeWithoutMeter) = (name, cause, without)
            engine = (kind, sizes)
        }

        init(_ name: String, _ cause: String?, _ kind: EngineFault.Kind, _ sizes: [Double]) {
            self.init(name, cause, without: cause, kind, sizes)
        }

        init(
            _ name: String, _ cause: String, _ kind: SensorFault.Sensor, meter: Bool = false,
            oxygen: EngineSpec.MixtureSensor? = nil, _ sizes: [SensorFault]
        ) {
            (self.name, self.cause, causeWithoutMeter) = (name, cause, cause)
            sensor = (kind, sizes)
            needsMeter = meter
            self.oxygen = oxygen
        }
    }

    private static func offsets(_ kind: SensorFault.Sensor, _ sizes: [Double]) -> [SensorFault] {
        sizes.map { SensorFault(sensor: kind, offset: $0) }
    }

    private static func gains(_ kind: SensorFault.Sensor, _ sizes: [Double]) -> [SensorFault] {
        sizes.map { SensorFault(sensor: kind, gain: $0) }
    }

    private static func stuck(_ kind: SensorFault.Sensor, _ value: Double) -> [SensorFault] {
        Array(repeating: SensorFault(sensor: kind, gain: 0, offset: value, noise: 0.006), count: 3)
    }

    /// Small, usual and gross.
    static let faults = [
        Fault("intake leak", "vacuum-leak", without: nil, .vacuumLeak, [0.3, 0.7, 1.5]),
        Fault("exhaust leak", "exhaust-leak", .exhaustLeak, [4, 10, 25]),
        Fault("leaking injector", "injector-leak", .injectorLeak, [0.015, 0.035, 0.08]),
        Fault("clogged injector", "injector-clogged", .injectorFlow, [80, 60, 35]),
        Fault("weak pump", "fuel-weak", .fuelPump, [3, 2, 1.3]),
        Fault("low fuel pressure", "fuel-low", .fuelPressure, [82, 68, 52]),
        Fault("high fuel pressure", "fuel-high", .fuelPressure, [120, 145, 170]),
        Fault("open EGR valve", "egr-open", .egrStuck, [10, 30, 60]),
        Fault("open purge valve", "purge-open", .purgeStuck, [10, 30, 60]),
        Fault("dirty throttle", nil, .throttleDirt, [30, 60, 85]),
        Fault("blocked intake", "intake-blocked", .intakeRestriction, [50, 70, 82]),
        Fault("blocked exhaust", "exhaust-blocked", .exhaustRestriction, [50, 70, 82]),
        Fault("late valve timing", "timing-off", .camShift, [10, 20, 32]),
        Fault("misfire", "misfire-one", .misfire, [5, 25, 70]),
        Fault("thermostat open", "thermostat-open", .thermostatOpen, [25, 50, 100]),
        Fault("thermostat closed", "overheating", .thermostatClosed, [80, 92, 100]),
        Fault("fan stands", nil, .fanOff, [60, 85, 100]),
        Fault("worn catalyst", "catalyst", .catalystAge, [75, 90, 98]),
        Fault("weak battery", "battery-weak", .batteryCapacity, [60, 40, 20]),
        Fault("starter cable", "battery-weak", .batteryResistance, [5, 12, 25]),
        Fault("alternator", "undercharging", .alternator, [35, 18, 0]),
        Fault(
            "meter low", "meter-low", .airFlow, meter: true, gains(.airFlow, [0.88, 0.78, 0.65])),
        Fault(
            "meter high", "meter-high", .airFlow, meter: true, gains(.airFlow, [1.12, 1.25, 1.45])),
        Fault(
            "manifold sensor high", "map-offset", .manifoldPressure,
            offsets(.manifoldPressure, [4, 8, 14])),
        Fault(
            "manifold sensor low", "map-offset", .manifoldPressure,
            offsets(.manifoldPressure, [-4, -8, -13])),
        Fault("coolant sensor cold", "ect-offset", .coolant, offsets(.coolant, [-12, -20, -35])),
        Fault("coolant sensor hot", "ect-offset", .coolant, offsets(.coolant, [12, 18, 26])),
        Fault("intake air sensor", "iat-offset", .intakeAir, offsets(.intakeAir, [-16, 28, -45])),
        Fault("dead rear sensor", "rear-dead", .rearOxygen, stuck(.rearOxygen, 0.45)),
        Fault(
            "front sensor rich", "front-rich", .measuredLambda, oxygen: .wide,
            gains(.measuredLambda, [0.96, 0.91, 0.86])),
        Fault(
            "front sensor lean", "front-lean", .measuredLambda, oxygen: .wide,
            gains(.measuredLambda, [1.05, 1.1, 1.18])),
        Fault(
            "slow front sensor", "front-lazy", .measuredLambda, oxygen: .wide,
            [1.5, 3, 5].map { SensorFault(sensor: .measuredLambda, lag: $0) }),
        Fault(
            "dead front sensor", "front-dead", .frontOxygen, oxygen: .narrow,
            stuck(.frontOxygen, 0.45)),
        Fault("voltage", "voltage-offset", .voltage, offsets(.voltage, [-0.8, 1.2, -1.6])),
    ]

    let seed: UInt64
    let fault: Fault?
    let size: Int
    private(set) var spec = EngineSpec()
    private var powertrain = Powertrain()
    private var legs: [DriveCycle.Leg] = []
    /// Seconds in which every signal is read once.
    private var round = 0.5
    private(set) var signals: Set<DriveQuantity> = []
    private var draws: UInt64 = 0
    private let noise: Noise

    /// The cause that should be named; nil if none of the causes is this fault.
    var cause: String? { spec.airSensor == .meter ? fault?.cause : fault?.causeWithoutMeter }

    /// Any petrol car on any drive, with a fault in one of three sizes.
    init(seed: UInt64, fault: Fault? = nil, size: Int = 0) {
        (self.seed, self.fault, self.size) = (seed, fault, size)
        noise = Noise(seed: seed)
        drawVehicle()
        drawDrive()
        drawSignals()
        let late = random() < 0.15 ? 300 + 500 * random() : -Double.infinity
        if let (kind, sizes) = fault?.engine {
            let cylinder =
                kind.hasCylinder ? 1 + Int(random() * (Double(spec.cylinders) - 0.01)) : 0
            spec.faults = [
                EngineFault(kind: kind, amount: sizes[size], cylinder: cylinder, begin: late)
            ]
            if kind == .egrStuck { spec.egrArea = 8 * powertrain.displacement }
        }
        if var sensor = fault?.sensor?.1[size] {
            sensor.begin = late
            spec.sensorFaults = [sensor]
        }
    }

    private mutating func random() -> Double {
        draws += 1
        return noise.fraction(channel: 900, index: draws)
    }

    private mutating func within(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * random()
    }

    private mutating func drawVehicle() {
        let litres = within(1, 3.2)
        spec.cylinders = litres > 2.4 ? 6 : litres < 1.2 ? 3 : 4
        spec.airSensor = random() < 0.6 || fault?.needsMeter == true ? .meter : .pressure
        spec.mixtureSensor = random() < 0.6 ? .wide : .narrow
        if let oxygen = fault?.oxygen { spec.mixtureSensor = oxygen }
        spec.thermostat = within(82, 95)
        spec.catalyst = within(0.5, 0.9) * litres / 1.6
        spec.egrArea = random() < 0.3 ? 5 * litres : 0
        spec.battery = within(45, 90)
        spec.alternator = within(80, 160)
        spec.isLearnt = random() < 0.8
        spec.spread = seed
        powertrain.displacement = litres
        powertrain.idle = within(650, 850)
        powertrain.mass = 750 + 330 * litres * within(0.9, 1.15)
        powertrain.gears = [118, 66, 44, 33, 27].map { $0 * (1.12 - 0.06 * litres) }
        powertrain.shifts = [20, 38, 56, 76]
        powertrain.ambient = within(-12, 36)
        let height = random() < 0.7 ? within(0, 600) : within(600, 2_000)
        powertrain.barometric = VehicleReader.pressure(height: height)
    }

    private mutating func drawDrive() {
        let isCold = random() < 0.6
        spec.soak = isCold ? within(7, 40) : within(0.1, 1)
        if isCold || random() < 0.5 {
            legs += [
                .init(seconds: 12, speed: 0, action: .key),
                .init(seconds: 1.2, speed: 0, action: .crank),
            ]
        }
        legs.append(.init(seconds: within(20, 60), speed: 0))
        func ride(_ speed: Double, _ climb: Double, _ hold: Double) {
            legs += [.init(seconds: climb, speed: speed), .init(seconds: hold, speed: speed)]
        }
        for _ in 0..<(2 + Int(random() * 4)) {
            ride(within(30, 55).rounded(), within(9, 14), within(15, 40))
            legs += [
                .init(seconds: within(6, 9), speed: 0), .init(seconds: within(8, 30), speed: 0),
            ]
        }
        for _ in 0..<2 {
            ride(within(70, 95).rounded(), within(14, 22), within(90, 200))
            ride(within(95, 125).rounded(), within(14, 22), within(60, 200))
            if random() < 0.7 {
                ride(60, 12, 6)
                legs += [.init(seconds: within(4, 9), speed: 0, action: .pull)]
                ride(90, 8, 15)
            }
            if random() < 0.8 {
                legs.append(.init(seconds: within(7, 14), speed: 0, action: .coast))
            }
            ride(45, 12, 20)
            legs += [.init(seconds: 8, speed: 0), .init(seconds: within(40, 110), speed: 0)]
        }
        if random() < 0.5 {
            legs.append(.init(seconds: within(25, 40), speed: 0, action: .rev(2_500)))
            legs.append(.init(seconds: within(30, 60), speed: 0))
        }
        if random() < 0.7 {
            spec.loads.append(
                .init(current: within(15, 45), torque: within(0, 10), begin: within(0, 600)))
        }
    }

    private mutating func drawSignals() {
        round = [0.35, 0.5, 0.7, 1.0, 1.4][Int(random() * 4.99)]
        signals = [
            .speed, .engineSpeed, .coolant, .shortTrim1, .longTrim1, .fuelStatus, .intakeAir, .load,
            .throttle, .barometric, .voltage,
        ]
        let hasMeter = spec.airSensor == .meter
        if hasMeter { signals.insert(.airFlow) }
        if !hasMeter || random() < 0.55 || fault?.sensor?.0 == .manifoldPressure {
            signals.insert(.manifold)
        }
        for (quantity, share) in [
            (DriveQuantity.absoluteLoad, 0.65), (.pedal, 0.7), (.ambient, 0.75), (.purge, 0.7),
            (.commandedLambda, 0.8), (.rearVoltage, 0.9), (.fuelType, 0.6),
        ] where random() < share {
            signals.insert(quantity)
        }
        signals.insert(spec.mixtureSensor == .wide ? .lambda : .frontVoltage)
    }

    /// The length of the drive.
    var seconds: Double { legs.reduce(0) { $0 + $1.seconds } }

    /// Gives each reading in the order of time.
    func run(_ take: (Double, DriveQuantity, Int64) -> Void) {
        let model = EngineModel(
            spec, powertrain, DriveCycle(legs: legs + [.init(seconds: 1, speed: 0)]), noise)
        var track = EngineRun(model)
        let end = seconds
        let slow: [DriveQuantity] = [.coolant, .intakeAir, .ambient, .barometric, .fuelType]
        let fast = DriveQuantity.allCases.filter { signals.contains($0) && !slow.contains($0) }
        var nextSlow = 0.0
        while track.time < end {
            // Four requests a round, each with some signals of one moment.
            let count = (fast.count + 3) / 4
            for group in 0..<4 {
                let until = track.time + round / 4
                while track.time < until { track.advance(model) }
                let state = track.state(model)
                var asked = fast.dropFirst(group * count).prefix(count).map { $0 }
                if group == 3, track.time >= nextSlow {
                    asked += slow.filter(signals.contains)
                    nextSlow = track.time + 4
                }
                let t = Int64(track.time * 1e6)
                for quantity in asked {
                    if let value = Self.value(quantity, state) { take(value, quantity, t) }
                }
            }
        }
    }

    /// As the standard PIDs send it.
    private static func value(_ quantity: DriveQuantity, _ state: VehicleState) -> Double? {
        func steps(_ value: Double, _ step: Double, _ range: ClosedRange<Double>) -> Double {
            (min(max(value, range.lowerBound), range.upperBound) / step).rounded() * step
        }
        let percent = 0.0...100
        return switch quantity {
        case .speed: steps(state.speed, 1, 0...255)
        case .engineSpeed: steps(state.rpm, 0.25, 0...16_000)
        case .coolant: steps(state.coolant, 1, -40...215)
        case .intakeAir: steps(state.intakeAir, 1, -40...215)
        case .ambient: steps(state.ambient, 1, -40...215)
        case .shortTrim1: steps(state.shortTrim, 100.0 / 128, -100...99.2)
        case .longTrim1: steps(state.longTrim, 100.0 / 128, -100...99.2)
        case .fuelStatus: state.fuelSystemStatus
        case .fuelType: 1
        case .voltage: steps(state.voltage, 0.001, 0...65)
        case .manifold: steps(state.manifoldPressure, 1, 0...255)
        case .barometric: steps(state.barometric, 1, 0...255)
        case .airFlow: steps(state.airFlow, 0.01, 0...655)
        case .load: steps(state.load, 100.0 / 255, percent)
        case .absoluteLoad: steps(state.absoluteLoad, 100.0 / 255, 0...25_700)
        case .throttle: steps(state.throttle, 100.0 / 255, percent)
        case .pedal: steps(15 + 0.7 * state.pedal, 100.0 / 255, percent)
        case .purge: steps(state.purge, 100.0 / 255, percent)
        case .lambda: steps(state.measuredLambda, 2.0 / 65_536, 0...1.99997)
        case .commandedLambda: steps(state.lambda, 2.0 / 65_536, 0...1.99997)
        case .frontVoltage: steps(state.frontOxygen, 0.005, 0...1.275)
        case .rearVoltage: steps(state.rearOxygen, 0.005, 0...1.275)
        default: nil
        }
    }
}
