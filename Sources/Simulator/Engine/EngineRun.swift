/// The engine at a moment of the drive: what it needs to go on, and what its sensors say.
struct EngineRun: Sendable {
    /// Steps of the model since the drive began.
    private(set) var steps = 0
    var plant: EnginePlant
    var control = EngineControl()
    var heat: EngineHeat
    var supply = EngineSupply()
    var driver = EngineDriver()
    var readings = EngineReadings()
    private(set) var condition: EngineCondition
    /// g of fuel since the drive began.
    private(set) var fuelUsed = 0.0
    /// The last readings, by ``SensorFault/Sensor/index``, and those of sensors without faults.
    private var sensors: [Double]
    private var clean: [Double]
    private var load = (current: 0.0, torque: 0.0)

    /// Seconds since the drive began.
    var time: Double { Double(steps) * EngineModel.step }

    /// The vehicle at the beginning of the drive.
    init(_ model: EngineModel) {
        plant = EnginePlant(model)
        heat = EngineHeat(
            ambient: model.ambient, warm: model.spec.thermostat + 3, soak: model.spec.soak)
        condition = EngineCondition(
            model.spec.faults, cylinders: model.spec.cylinders, at: 0)
        sensors = Array(repeating: 0, count: SensorFault.Sensor.allCases.count)
        clean = sensors
        let begins = model.legs.first?.action ?? .speed
        let isRunning = begins != .key && begins != .crank
        if isRunning {
            plant.rpm = model.map.idle
            plant.manifold = 32
            plant.air = 32 * model.map.manifoldVolume / (Orifice.gasConstant * 310)
            plant.opening = model.map.opening(area: 9 * model.map.displacement)
            control.isArmed = true
            control.commands.throttle = plant.opening
            supply.voltage = 14.1
        }
        control.barometric = model.barometric
        readSensors(model, isFirst: true)
        control.barometric =
            model.spec.airSensor == .pressure
            ? model.barometric + readings.manifoldPressure - plant.manifold : readings.barometric
        if model.spec.isLearnt { learn(model) }
    }

    /// Lets the ECU learn its long-term trims, as in earlier drives: the same engine, warm, at several
    /// speeds and loads.
    private mutating func learn(_ model: EngineModel) {
        var spec = model.spec
        spec.isLearnt = false
        spec.soak = 0
        spec.loads = []
        let cycle = DriveCycle(legs: [
            .init(seconds: 42, speed: 0), .init(seconds: 10, speed: 50),
            .init(seconds: 22, speed: 50), .init(seconds: 10, speed: 100),
            .init(seconds: 22, speed: 100), .init(seconds: 12, speed: 0),
        ])
        let earlier = EngineModel(spec, model.powertrain, cycle, model.noise, learning: 25)
        var run = EngineRun(earlier)
        while run.time < cycle.legs.reduce(0, { $0 + $1.seconds }) { run.advance(earlier) }
        control.longTrims = run.control.longTrims
    }

    /// Advances by ``EngineModel/step``.
    mutating func advance(_ model: EngineModel) {
        let now = steps
        if now.isMultiple(of: 10) { advanceSlowly(model) }
        driver.advance(model, plant, runs: control.runs, now: now)
        readSensors(model, isFirst: false)
        control.advance(model.calibration, readings)
        let inputs = EnginePlant.Inputs(
            commands: control.commands,
            starterTorque: driver.isCranking ? supply.starterTorque : 0,
            accessoryTorque: load.torque + supply.alternatorTorque(rpm: plant.rpm),
            voltage: supply.voltage, gearing: driver.isClosed ? gearing(model) : 0,
            slipTorque: driver.isSlipping ? slip(model) : 0, slipGearing: gearing(model),
            brake: driver.brake,
            coolant: heat.block, oil: heat.oil, intakeAir: heat.intake, catalyst: heat.catalyst)
        plant.advance(model, condition, inputs)
        fuelUsed += plant.fuel * EngineModel.step
        if driver.isCranking || supply.starter > 0 {
            advanceSupply(model, step: EngineModel.step)
        }
        steps += 1
    }

    /// Quantities that change slowly, every tenth of a second.
    private mutating func advanceSlowly(_ model: EngineModel) {
        let step = 10 * EngineModel.step
        if !model.spec.faults.isEmpty {
            condition = EngineCondition(
                model.spec.faults, cylinders: model.spec.cylinders, at: time)
        }
        load = model.load(at: time)
        heat.advance(model, condition, plant, fan: control.commands.fan, step: step)
        if !driver.isCranking { advanceSupply(model, step: step) }
    }

    private mutating func advanceSupply(_ model: EngineModel, step: Double) {
        let engine = control.runs ? 8.0 : 0
        let fan = control.commands.fan ? 20 * condition.fan : 0
        supply.advance(
            model, condition, commands: control.commands, rpm: plant.rpm,
            load: 11 + engine + fan + load.current, cranking: driver.isCranking,
            temperature: model.ambient + 0.2 * (heat.block - model.ambient), step: step)
    }

    /// Radians of the crankshaft per metre in the gear; 0 in neutral.
    private func gearing(_ model: EngineModel) -> Double {
        driver.gear >= 0 ? model.gears[driver.gear] * 0.37699 : 0
    }

    /// N·m of the slipping clutch: the driver lets it grip more the faster the engine turns.
    private func slip(_ model: EngineModel) -> Double {
        let turning = gearing(model) * plant.speed / 0.10472
        guard plant.rpm > turning else { return 0 }
        let faster = plant.rpm - 1.02 * model.map.idle
        return max(0, min(1, faster / 700)) * model.map.bestTorque
    }

    /// Reads the sensors: tolerance, lag and noise of each one, then its faults.
    private mutating func readSensors(_ model: EngineModel, isFirst: Bool) {
        let tolerances = model.tolerances
        readings.rpm = plant.rpm
        readings.speed = plant.speed * 3.6
        readings.pedal = driver.pedal
        readings.isCranking = driver.isCranking
        readings.isStopped = driver.isStopped
        func read(
            _ sensor: SensorFault.Sensor, _ value: Double, lag: Double, noise: Double
        ) -> Double {
            let index = sensor.index
            func draw(_ channel: UInt64) -> Double {
                2 * model.noise.fraction(channel: channel, index: UInt64(max(0, steps))) - 1
            }
            var reading = value
            if noise > 0 { reading += noise * draw(400 + UInt64(index)) }
            if !isFirst {
                reading =
                    clean[index] + (reading - clean[index]) * EngineModel.step
                    / (lag + EngineModel.step)
            }
            clean[index] = reading
            for fault in model.sensorFaults[index] {
                let last = isFirst ? reading : sensors[index]
                let random = fault.noise > 0 ? draw(420 + UInt64(index)) : 0
                reading = fault.reading(reading, after: last, at: time, noise: random)
            }
            sensors[index] = reading
            return reading
        }
        let flow = max(0, plant.throttleFlow)
        readings.airFlow = read(
            .airFlow, flow * tolerances.meter, lag: 0.02, noise: 0.01 * flow)
        readings.manifoldPressure = read(
            .manifoldPressure, plant.manifold + tolerances.pressure, lag: 0.01, noise: 0.3)
        readings.barometric = read(.barometric, model.barometric, lag: 0, noise: 0)
        readings.coolant = read(
            .coolant, heat.block + tolerances.coolant, lag: 2, noise: 0)
        readings.intakeAir = read(
            .intakeAir, heat.intake + tolerances.intakeAir, lag: 4, noise: 0)
        readings.ambient = read(.ambient, model.ambient, lag: 0, noise: 0)
        readings.lambda = read(.measuredLambda, plant.sensed, lag: 0.05, noise: 0.004)
        readings.frontOxygen = read(
            .frontOxygen, Self.oxygenVolts(plant.sensed), lag: 0.04, noise: 0.01)
        readings.rearOxygen = read(
            .rearOxygen, Self.oxygenVolts(plant.cleaned - 0.002), lag: 0.06, noise: 0.006)
        readings.throttle = read(.throttle, plant.opening * 100, lag: 0.01, noise: 0.05) / 100
        readings.voltage = read(.voltage, supply.voltage, lag: 0.02, noise: 0.02)
    }

    /// The voltage of a narrow-band sensor in gas of this lambda; unit: V.
    static func oxygenVolts(_ lambda: Double) -> Double {
        let place = (1 - lambda) / 0.004
        return 0.45 + 0.38 * place / (1 + place * place).squareRoot()
    }
}

/// What the ECU and its scan tool call the state.
extension EngineRun {
    /// The values of the drive's quantities.
    func state(_ model: EngineModel) -> VehicleState {
        var state = VehicleState()
        let size = model.map.displacement
        let swept = model.map.swept(rpm: max(100, readings.rpm))
        let runs = control.runs
        state.elapsed = time
        state.runtime = control.runtime
        state.engineRuns = runs
        state.speed = readings.speed
        state.distance = plant.distance / 1000
        state.odometer = model.powertrain.odometer + state.distance
        state.fuelLevel = max(0, model.powertrain.fuelLevel - fuelUsed / 745 / 50 * 100)
        state.gear = driver.isClosed ? Double(driver.gear + 1) : 0
        if let top = model.gears.last, driver.isClosed, driver.gear >= 0 {
            state.gearRatio = model.gears[driver.gear] / top
        }
        state.rpm = readings.rpm
        state.load = runs && !control.isCutting ? 100 * control.load : 0
        state.absoluteLoad = runs ? 100 * control.air / (swept * 1.184) : 0
        state.throttle = 12 + 0.82 * 100 * readings.throttle
        state.pedal = 100 * readings.pedal
        state.manifoldPressure = readings.manifoldPressure
        state.airFlow =
            model.spec.airSensor == .meter ? readings.airFlow : control.throttleAir
        state.fuelMassRate = control.fuel
        state.fuelRate = control.fuel * 3600 / 745
        state.lambda = control.isCutting ? 1.99 : control.target
        state.fuelSystemStatus = runs ? control.loop.rawValue : 0
        state.shortTrim = 100 * control.shortTrim
        state.longTrim = 100 * control.longTrim
        state.sparkAdvance = runs ? control.commands.spark : 0
        state.coolant = readings.coolant
        state.oil = heat.oil
        state.intakeAir = readings.intakeAir
        state.ambient = readings.ambient
        state.catalyst = heat.catalyst
        state.exhaust = plant.exhaustTemperature
        state.barometric = control.barometric
        state.railPressure = 380
        state.voltage = readings.voltage
        state.purge = 100 * control.commands.purge
        state.egr = 100 * control.commands.egr
        state.frontOxygen = readings.frontOxygen
        state.rearOxygen = readings.rearOxygen
        state.measuredLambda = readings.lambda
        state.pumpCurrent = 6 * (min(1.99, readings.lambda) - 1)
        state.referenceTorque = model.powertrain.referenceTorque
        let torque = size * 88 * (control.load - 0.12)
        let reference = max(1, model.powertrain.referenceTorque)
        state.torque =
            runs ? min(99, 100 * (control.isCutting ? -8 * size : torque) / reference) : 0
        state.demandedTorque = 100 * readings.pedal
        return state
    }
}
