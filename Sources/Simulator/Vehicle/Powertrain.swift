/// The powertrain, which converts motion into engine speed, load, pressures and flows.
struct Powertrain: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        /// Petrol, port injection, stoichiometric.
        case spark
        /// Diesel with turbocharger and common rail.
        case compression
        /// A petrol engine that stops whenever the battery is enough.
        case hybrid
        /// No engine at all.
        case electric
    }

    var kind = Kind.spark
    /// L.
    var displacement = 1.6
    /// 1/min.
    var idle = 800.0
    /// Engine speed in 1/min per km/h, first gear first.
    var gears: [Double] = []
    /// Speeds in km/h above which the next gear is used, one fewer than `gears`.
    var shifts: [Double] = []
    /// kg.
    var mass = 1400.0
    /// Reference torque; unit: N·m.
    var referenceTorque = 200.0
    /// Ambient temperature in °C.
    var ambient = 20.0
    /// Ambient pressure in kPa.
    var barometric = 101.0
    /// The odometer at the start of the drive; unit: km.
    var odometer = 0.0
    /// The fuel level at the start of the drive; unit: %.
    var fuelLevel = 50.0

    /// The power at the wheels: inertia, rolling resistance and air drag; unit: kW.
    func power(_ motion: DriveCycle.Motion) -> Double {
        let speed = motion.speed / 3.6
        let force =
            mass * motion.acceleration + 0.011 * mass * 9.81 + 0.5 * 1.2 * 0.62 * speed * speed
        return motion.speed > 0 ? force * speed / 1000 : 0
    }

    /// The state at `time` seconds into `cycle`; with the engine off the vehicle stands still.
    func state(at time: Double, cycle: DriveCycle, noise: Noise, engineOff: Bool) -> VehicleState {
        var state = VehicleState()
        state.elapsed = time
        state.ambient = ambient
        state.barometric = barometric
        state.referenceTorque = referenceTorque
        state.fuelLevel = fuelLevel
        state.odometer = odometer
        state.reagentLevel = 63
        state.batteryCharge = 62
        state.batteryVoltage = 360
        if engineOff {
            rest(&state)
            return state
        }
        let motion = cycle.motion(at: time)
        state.speed = max(0, motion.speed)
        state.distance = motion.distance
        state.odometer += motion.distance
        let needed = power(motion)
        battery(&state, power: needed, time: time, noise: noise)
        switch kind {
        case .electric:
            state.coolant = warm(from: ambient, to: 42, over: 500, time)
            state.voltage = 13.9
            state.intakeAir = ambient
            drivePedal(&state, needed)
            return state
        case .hybrid:
            state.engineRuns = needed > 9 || motion.speed > 70
        case .spark, .compression:
            state.engineRuns = true
        }
        state.coolant = warm(from: ambient, to: kind == .compression ? 86 : 91, over: 240, time)
        state.oil = warm(from: ambient, to: 98, over: 420, time)
        state.intakeAir = ambient + 6 + 3 * noise.value(channel: 3, at: time, period: 6)
        state.fuelLevel = max(0, fuelLevel - motion.distance * 0.14)
        drivePedal(&state, needed)
        if state.engineRuns {
            state.runtime = time
            run(&state, motion: motion, power: needed, noise: noise)
        } else {
            rest(&state)
            // A converter feeds the 12 V net of a hybrid even without the engine.
            state.voltage = 14.1
        }
        return state
    }

    /// An engine that is not running.
    private func rest(_ state: inout VehicleState) {
        state.rpm = 0
        state.manifoldPressure = barometric
        state.voltage = 12.4
        if state.coolant == 0 {
            state.coolant = ambient + 4
            state.oil = ambient + 3
            state.intakeAir = ambient + 2
            state.throttle = 14
        }
        state.catalyst = ambient + 8
        state.exhaust = ambient + 8
        state.rearOxygen = 0.09
        state.measuredLambda = 1.99
    }

    private func drivePedal(_ state: inout VehicleState, _ power: Double) {
        state.pedal = power > 0 ? min(100, 4 + power * 1.35) : 0
        state.demandedTorque = power > 0 ? min(100, 8 + power * 1.1) : 0
    }

    private func battery(_ state: inout VehicleState, power: Double, time: Double, noise: Noise) {
        guard kind == .hybrid || kind == .electric else { return }
        let swing = kind == .hybrid ? 6 * noise.value(channel: 20, at: time, period: 40) : 0
        state.batteryCharge = max(5, (kind == .hybrid ? 58 : 71 - state.distance * 0.17) + swing)
        state.batteryVoltage = (kind == .hybrid ? 201 : 352) - max(-40, min(60, power)) * 0.3
        // Charging is positive: a braking vehicle has a negative power demand.
        state.batteryCurrent = -power * 1000 / state.batteryVoltage * (kind == .hybrid ? 0.35 : 1)
    }

    /// A running engine: speed from the gear, air from load and speed, fuel from the air.
    private func run(
        _ state: inout VehicleState, motion: DriveCycle.Motion, power: Double, noise: Noise
    ) {
        let time = state.elapsed
        let moving = motion.speed > 6
        let gear = moving ? min(gears.count - 1, shifts.count { $0 < motion.speed }) : -1
        let wobble = noise.value(channel: 1, at: time)
        state.gear = Double(gear + 1)
        state.rpm = idle + 14 * wobble
        if gear >= 0 {
            state.rpm = max(idle, gears[gear] * motion.speed) + 6 * wobble
            state.gearRatio = gears[gear] / (gears.last ?? 1)
        }
        let cut = power < -1 && state.rpm > idle * 1.5
        let available = referenceTorque * min(1, 0.55 + state.rpm / 6000) * state.rpm / 9549
        state.load = cut ? 0 : min(98, 17 + max(0, power) / max(1, available) * 80 + 1.2 * wobble)
        state.torque = cut ? -9 : min(99, state.load * 0.94)
        state.throttle =
            kind == .compression ? 92 - state.load * 0.2 : min(96, 13 + state.load * 0.7)
        state.railPressure =
            kind == .compression ? 26_000 + state.load * 1_150 : 380 + 4 * wobble
        boost(&state, cut: cut)
        // Speed density: a four-stroke engine fills its displacement once in two revolutions.
        let density = state.manifoldPressure / (0.28705 * (state.intakeAir + 273.15))
        state.airFlow = density * displacement * 0.86 * state.rpm / 120
        state.absoluteLoad = density * 0.86 / 1.184 * 100
        fuel(&state, cut: cut, noise: noise)
        state.sparkAdvance = kind == .compression ? 0 : 9 + state.rpm / 160 - state.load * 0.12
        state.catalyst = warm(from: ambient, to: 420, over: 90, time) + state.load * 2.6
        state.exhaust = warm(from: ambient, to: 210, over: 120, time) + state.load * 3.1
        state.voltage = 14.15 + 0.05 * noise.value(channel: 4, at: time, period: 1)
        state.egr = kind == .compression ? max(0, 42 - state.load * 0.5) : 0
        state.purge = state.coolant > 70 && !cut ? 22 + 6 * wobble : 0
        state.filterPressure = state.airFlow * 0.06
        state.nox = cut ? 0 : 60 + state.load * 5
    }

    private func boost(_ state: inout VehicleState, cut: Bool) {
        switch kind {
        case .spark, .hybrid, .electric:
            state.manifoldPressure = cut ? 21 : min(barometric - 1, 20 + state.load * 0.8)
        case .compression:
            state.manifoldPressure = barometric + max(0, state.load - 20) * 1.35
        }
    }

    private func fuel(_ state: inout VehicleState, cut: Bool, noise: Noise) {
        let warmedUp = state.coolant > 55
        let swing = noise.value(channel: 2, at: state.elapsed, period: 0.5)
        if kind == .compression {
            state.fuelMassRate = cut ? 0 : state.airFlow / 14.5 * max(0.1, state.load / 100)
            state.lambda = cut ? 1.99 : min(1.99, 1 / max(0.5, state.load / 100))
            state.fuelRate = state.fuelMassRate * 3600 / 835
        } else {
            state.lambda = cut ? 1.99 : warmedUp ? 1 : 0.94
            state.fuelMassRate = cut ? 0 : state.airFlow / 14.7 / state.lambda
            state.fuelRate = state.fuelMassRate * 3600 / 745
            state.fuelSystemStatus = cut ? 4 : warmedUp ? 2 : 1
        }
        state.shortTrim = cut || !warmedUp ? 0 : 2.4 * swing
        state.longTrim = 3.125
        state.measuredLambda = cut ? 1.99 : state.lambda + 0.012 * swing
        state.pumpCurrent = (state.measuredLambda - 1) * 6
        state.rearOxygen = cut ? 0.05 : 0.68 + 0.04 * swing
    }

    /// A temperature that rises linearly for `seconds` and then stays constant.
    private func warm(from cold: Double, to hot: Double, over seconds: Double, _ time: Double)
        -> Double
    {
        cold + (hot - cold) * min(1, max(0, time) / seconds)
    }
}
