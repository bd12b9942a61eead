/// An engine with its vehicle: everything that does not change during a drive.
struct EngineModel: Sendable {
    /// A step of the drive, in steps of the model.
    struct Leg: Hashable, Sendable {
        var steps: Int
        var speed: Double
        var action: DriveCycle.Action
    }

    /// The step of the model; unit: seconds.
    static let step = 0.01
    /// Effective area of the open purge valve; unit: mm².
    static let purgeArea = 8.0

    let spec: EngineSpec
    let map: EngineMap
    let tolerances: EngineTolerances
    let noise: Noise
    let legs: [Leg]
    var gears: [Double] { powertrain.gears }
    var shifts: [Double] { powertrain.shifts }
    /// kg.
    var mass: Double { powertrain.mass }
    /// kg·m² of crankshaft, flywheel and clutch.
    let inertia: Double
    /// °C.
    var ambient: Double { powertrain.ambient }
    /// kPa.
    var barometric: Double { powertrain.barometric }
    /// The flow of one injector, as the ECU knows it; unit: g/ms.
    let injector: Double
    /// g of air per g of fuel.
    let stoichiometry: Double
    /// kJ/g.
    let heatingValue: Double
    /// g of oxygen.
    let catalystStore: Double
    /// kJ/K of engine and coolant.
    let blockHeat: Double
    /// kJ/K of the oil and what it wets.
    let oilHeat: Double
    let calibration: EngineControl.Calibration
    /// By ``SensorFault/Sensor/index``.
    let sensorFaults: [[SensorFault]]
    let powertrain: Powertrain

    /// The vehicle on its drive; `noise` varies the cycles of the engine and the sensors.
    ///
    /// `learning` is how much faster than in a vehicle the ECU learns its long-term trims.
    init(
        _ spec: EngineSpec, _ powertrain: Powertrain, _ cycle: DriveCycle, _ noise: Noise,
        learning: Double = 1
    ) {
        self.spec = spec
        self.noise = noise
        map = EngineMap(powertrain, spec)
        tolerances = EngineTolerances(spec)
        legs = cycle.legs.map {
            Leg(
                steps: max(1, Int(($0.seconds / Self.step).rounded())), speed: $0.speed,
                action: $0.action)
        }
        inertia = 0.07 + 0.06 * powertrain.displacement
        let cylinders = Double(spec.cylinders)
        injector = 0.0817 * powertrain.displacement / cylinders / 14
        stoichiometry = Self.stoichiometry(ethanol: tolerances.ethanol)
        heatingValue = 43.2 - 16.2 * tolerances.ethanol / 100
        catalystStore = spec.catalyst * tolerances.catalyst
        blockHeat = 11 + 11 * powertrain.displacement
        oilHeat = 5 + 3 * powertrain.displacement
        calibration = EngineControl.Calibration(
            map: map, airSensor: spec.airSensor, mixtureSensor: spec.mixtureSensor,
            injector: injector, cylinders: cylinders,
            stoichiometry: Self.stoichiometry(ethanol: EngineTolerances.calibrationEthanol),
            egrArea: spec.egrArea, learning: learning)
        sensorFaults = SensorFault.Sensor.allCases.map { sensor in
            spec.sensorFaults.filter { $0.sensor == sensor }
        }
        self.powertrain = powertrain
    }

    /// 14.7 for petrol, 14.1 for E10, 9.8 for E85; unit: g of air per g of fuel.
    static func stoichiometry(ethanol: Double) -> Double { 14.7 - 0.057 * ethanol }

    /// ms until an injector opens, at this voltage.
    static func deadTime(_ voltage: Double) -> Double {
        max(0.4, min(2.5, 0.9 - 0.13 * (voltage - 14)))
    }

    /// The share of injected fuel that evaporates in an engine with this coolant temperature.
    static func evaporation(_ coolant: Double) -> Double {
        1 - 0.38 * max(0, min(1.2, (60 - coolant) / 80))
    }

    /// How well the cylinders of this engine fill.
    func filling(rpm: Double, shift: Double) -> Double {
        guard shift != 0 else { return EngineMap.filling(rpm: rpm) * tolerances.breathing }
        // A later closing of the inlet valves pushes charge back at low speed; an earlier one takes less.
        let loss = 0.009 * abs(shift) * max(0.25, min(1, 1.25 - rpm / 4800))
        return EngineMap.filling(rpm: rpm, peak: 4200 + 45 * shift) * tolerances.breathing
            * max(0.3, 1 - loss)
    }

    /// The residual gas with valves that are `shift` degrees late.
    func residual(shift: Double) -> Double { EngineMap.residual * (1 + 0.02 * abs(shift)) }

    /// Rolling and air resistance; units: m/s, N.
    func roadLoad(speed: Double) -> Double {
        guard speed > 0.01 else { return 0 }
        return 0.011 * mass * 9.81 + 0.5 * 1.2 * 0.62 * speed * speed
    }

    /// The consumers' current and torque that the vehicle file declares.
    func load(at time: Double) -> (current: Double, torque: Double) {
        var sum = (current: 0.0, torque: 0.0)
        for load in spec.loads where time >= load.begin && time < load.end {
            sum.current += load.current
            sum.torque += load.torque
        }
        return sum
    }
}
