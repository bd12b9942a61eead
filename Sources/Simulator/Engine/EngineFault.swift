/// A declared fault of the engine: an area, a flow, a share or a resistance.
///
/// The faults change the engine and never its ECU, which has only its sensors.
struct EngineFault: Hashable, Sendable {
    /// The faulty part; the raw value is its name in vehicle files.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case vacuumLeak = "vacuum-leak"
        case exhaustLeak = "exhaust-leak"
        case injectorLeak = "injector-leak"
        case injectorFlow = "injector-flow"
        case fuelPump = "fuel-pump"
        case fuelPressure = "fuel-pressure"
        case egrStuck = "egr-stuck"
        case purgeStuck = "purge-stuck"
        case throttleDirt = "throttle-dirt"
        case intakeRestriction = "intake-restriction"
        case exhaustRestriction = "exhaust-restriction"
        case camShift = "cam-shift"
        case misfire
        case thermostatOpen = "thermostat-open"
        case thermostatClosed = "thermostat-closed"
        case fanOff = "fan-off"
        case catalystAge = "catalyst-age"
        case batteryCapacity = "battery-capacity"
        case batteryResistance = "battery-resistance"
        case alternator

        /// The unit of the amount and its largest value.
        var unit: (name: String, limit: Double) {
            switch self {
            case .vacuumLeak: ("g/s", 50)
            case .exhaustLeak: ("mm2", 500)
            case .injectorLeak: ("g/s", 2)
            case .injectorFlow: ("%", 300)
            case .fuelPump: ("g/s", 100)
            case .fuelPressure: ("%", 300)
            case .camShift: ("deg", 40)
            case .batteryResistance: ("mOhm", 200)
            case .alternator: ("A", 500)
            default: ("%", 100)
            }
        }

        /// Whether the fault belongs to one cylinder.
        var hasCylinder: Bool { self == .injectorFlow || self == .misfire }

        /// Whether an amount of 0 would stop the engine's supply entirely.
        var mustFlow: Bool {
            switch self {
            case .fuelPump, .fuelPressure, .batteryCapacity: true
            default: false
            }
        }

        /// The amount of an engine without the fault.
        var healthy: Double {
            switch self {
            case .injectorFlow, .fuelPressure, .batteryCapacity: 100
            case .fuelPump: 100
            case .alternator: 500
            default: 0
            }
        }
    }

    var kind: Kind
    /// In the unit of ``Kind/unit``.
    var amount: Double
    /// The cylinder, from 1; 0 for a fault that belongs to no cylinder.
    var cylinder = 0
    /// When the fault begins; unit: seconds since the drive began.
    var begin = -Double.infinity
    /// How long it takes to reach its amount; unit: seconds.
    var rise = 0.0

    /// The amount at a given time, which goes evenly from the healthy amount to ``amount``.
    func amount(at time: Double) -> Double {
        guard time >= begin else { return kind.healthy }
        guard rise > 0 else { return amount }
        return kind.healthy + (amount - kind.healthy) * min(1, (time - begin) / rise)
    }
}

/// The state of the engine's parts at a given time, in the units of the model.
struct EngineCondition: Hashable, Sendable {
    /// mm².
    var intakeLeak = 0.0
    /// mm².
    var exhaustLeak = 0.0
    /// g/s.
    var injectorLeak = 0.0
    /// The flow of each cylinder's injector, compared with a new one.
    var injectors: [Double] = []
    /// The share of each cylinder's cycles that do not fire.
    var misfires: [Double] = []
    /// g/s.
    var pump = Double.infinity
    /// The pressure at the injectors, compared with the regulator's.
    var fuelPressure = 1.0
    /// The share of the valve's area that is always open.
    var egr = 0.0
    var purge = 0.0
    /// The share of a nearly closed throttle that is covered.
    var throttleDirt = 0.0
    /// The share of the area that is blocked.
    var intakeBlocked = 0.0
    var exhaustBlocked = 0.0
    /// Degrees of crankshaft; positive is late.
    var camShift = 0.0
    /// How far the thermostat is always open.
    var thermostatFloor = 0.0
    /// How far it can open.
    var thermostatCeiling = 1.0
    var fan = 1.0
    var catalyst = 1.0
    var battery = 1.0
    /// mΩ.
    var resistance = 0.0
    /// A.
    var alternator = Double.infinity

    /// The condition that the faults cause at `time`.
    init(_ faults: [EngineFault], cylinders: Int, at time: Double) {
        injectors = Array(repeating: 1, count: cylinders)
        misfires = Array(repeating: 0, count: cylinders)
        for fault in faults { apply(fault, fault.amount(at: time)) }
    }

    private mutating func apply(_ fault: EngineFault, _ amount: Double) {
        let share = amount / 100
        switch fault.kind {
        case .vacuumLeak:
            // Named by the choked flow at 101 kPa and 20 °C.
            intakeLeak += amount / Orifice.chokedFlow(pressure: 101, temperature: 293.15)
        case .exhaustLeak: exhaustLeak += amount
        case .injectorLeak: injectorLeak += amount
        case .injectorFlow: injectors[fault.cylinder - 1] = share
        case .fuelPump: pump = amount
        case .fuelPressure: fuelPressure = share
        case .egrStuck: egr = share
        case .purgeStuck: purge = share
        case .throttleDirt: throttleDirt = share
        case .intakeRestriction: intakeBlocked = share
        case .exhaustRestriction: exhaustBlocked = share
        case .camShift: camShift = amount
        case .misfire: misfires[fault.cylinder - 1] = share
        case .thermostatOpen: thermostatFloor = share
        case .thermostatClosed: thermostatCeiling = 1 - share
        case .fanOff: fan = 1 - share
        case .catalystAge: catalyst = 1 - share
        case .batteryCapacity: battery = share
        case .batteryResistance: resistance = amount
        case .alternator: alternator = amount
        }
    }
}

/// A sensor that measures wrongly: the ECU and the scan tool see its reading.
struct SensorFault: Hashable, Sendable {
    /// The sensors of the engine; the raw values are their quantities.
    enum Sensor: String, Hashable, Sendable, CaseIterable {
        case airFlow = "air-flow"
        case manifoldPressure = "manifold-pressure"
        case barometric
        case coolant
        case intakeAir = "intake-air"
        case ambient
        case measuredLambda = "measured-lambda"
        case frontOxygen = "front-oxygen"
        case rearOxygen = "rear-oxygen"
        case throttle
        case voltage

        /// The position in ``EngineRun/sensors``.
        var index: Int {
            switch self {
            case .airFlow: 0
            case .manifoldPressure: 1
            case .barometric: 2
            case .coolant: 3
            case .intakeAir: 4
            case .ambient: 5
            case .measuredLambda: 6
            case .frontOxygen: 7
            case .rearOxygen: 8
            case .throttle: 9
            case .voltage: 10
            }
        }
    }

    var sensor: Sensor
    var gain = 1.0
    var offset = 0.0
    /// The time constant; unit: seconds.
    var lag = 0.0
    /// The largest random deviation.
    var noise = 0.0
    /// The time from which the reading does not change; unit: seconds since the drive began.
    var stuck = Double.infinity
    /// When the gain, offset and noise begin; unit: seconds since the drive began.
    var begin = -Double.infinity

    /// The reading after `last`, of a sensor that would read `value`.
    func reading(_ value: Double, after last: Double, at time: Double, noise draw: Double)
        -> Double
    {
        if time >= stuck { return last }
        let wrong = time >= begin ? value * gain + offset + noise * draw : value
        guard lag > 0 else { return wrong }
        return last + (wrong - last) * EngineModel.step / (lag + EngineModel.step)
    }
}
