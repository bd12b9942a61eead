/// The engine of the engine model, as a `physics` statement describes it.
struct EngineSpec: Hashable, Sendable {
    /// How the ECU measures air.
    enum AirSensor: String, Hashable, Sendable {
        /// A mass air flow meter before the throttle.
        case meter
        /// Pressure and temperature in the manifold (speed-density).
        case pressure
    }

    /// The oxygen sensor before the catalyst.
    enum MixtureSensor: String, Hashable, Sendable {
        case wide, narrow
    }

    var cylinders = 4
    var airSensor = AirSensor.meter
    var mixtureSensor = MixtureSensor.wide
    /// The volume of the intake manifold; unit: L, nil for 1.4 times the displacement and 0.5 L.
    var manifoldVolume: Double?
    /// % by volume; nil for the 5 % for which the ECU is calibrated, or for what ``spread`` draws.
    var ethanol: Double?
    /// The temperature at which the thermostat begins to open; unit: °C.
    var thermostat = 86.0
    /// The oxygen that a new catalyst stores; unit: g.
    var catalyst = 0.9
    /// The largest opening of the EGR valve; unit: mm², 0 for no valve.
    var egrArea = 0.0
    /// The capacity of the battery; unit: A·h.
    var battery = 60.0
    /// The largest current of the alternator; unit: A.
    var alternator = 100.0
    /// Hours since the engine stopped.
    var soak = 0.0
    /// Whether the ECU has learnt its long-term trims in earlier drives.
    var isLearnt = false
    /// Selects the tolerances of one engine among many; nil for an engine without deviations.
    var spread: UInt64?
    /// The size of the tolerances, compared with usual ones.
    var spreadWidth = 1.0
    var loads: [Load] = []
    var faults: [EngineFault] = []
    var sensorFaults: [SensorFault] = []

    /// A consumer of power.
    struct Load: Hashable, Sendable {
        /// A.
        var current = 0.0
        /// N·m at the crankshaft.
        var torque = 0.0
        /// Seconds since the drive began.
        var begin = 0.0
        /// Seconds since the drive began.
        var end = Double.infinity
    }
}

/// The deviations of one engine from the engine for which its ECU was calibrated.
struct EngineTolerances: Hashable, Sendable {
    var breathing = 1.0
    var injectors = 1.0
    var meter = 1.0
    /// kPa.
    var pressure = 0.0
    /// K.
    var coolant = 0.0
    /// K.
    var intakeAir = 0.0
    /// K.
    var thermostat = 0.0
    /// % by volume.
    var ethanol = EngineTolerances.calibrationEthanol
    /// Share of the catalyst's store and of the battery's capacity that is left.
    var catalyst = 1.0
    var battery = 1.0
    /// Share of the new battery's resistance.
    var batteryResistance = 1.0
    var friction = 1.0

    /// The fuel for which the ECU is calibrated; unit: % ethanol by volume.
    static let calibrationEthanol = 5.0

    /// The engine with this specification.
    init(_ spec: EngineSpec) {
        if let seed = spec.spread {
            let noise = Noise(seed: seed)
            /// The mean of three draws of -1…1: near 0 mostly, never beyond ±1.
            func draw(_ channel: UInt64) -> Double {
                let sum = (0..<3 as Range<UInt64>).reduce(0.0) {
                    $0 + noise.fraction(channel: 200 + channel, index: $1)
                }
                return (sum / 1.5 - 1) * spec.spreadWidth
            }
            breathing = 1 + 0.03 * draw(1)
            injectors = 1 + 0.03 * draw(2)
            meter = 1 + 0.03 * draw(3)
            pressure = 0.6 * draw(4)
            coolant = 2 * draw(5)
            intakeAir = 2 * draw(6)
            thermostat = 3 * draw(7)
            ethanol = 10 * noise.fraction(channel: 208, index: 0)
            let age = noise.fraction(channel: 209, index: 0)
            catalyst = 1 - 0.35 * age
            battery = 1 - 0.25 * noise.fraction(channel: 210, index: 0)
            batteryResistance = 1 + 0.4 * noise.fraction(channel: 211, index: 0)
            friction = 1 + 0.10 * draw(12)
        }
        if let given = spec.ethanol { ethanol = given }
    }
}
