/// The engine and the vehicle as physics: gas, fuel, torque and motion.
///
/// It receives the ECU's commands and never its intentions; the faults are areas, flows and shares in
/// ``EngineCondition``.
struct EnginePlant: Hashable, Sendable {
    /// The surroundings and what the driver does with the vehicle.
    struct Inputs {
        var commands = EngineCommands()
        /// N·m of the starter, at the crankshaft.
        var starterTorque = 0.0
        /// N·m of alternator and other consumers.
        var accessoryTorque = 0.0
        /// V.
        var voltage = 12.5
        /// Radians of the crankshaft per metre; 0 with an open clutch.
        var gearing = 0.0
        /// N·m that a slipping clutch transmits with ``slipGearing``.
        var slipTorque = 0.0
        /// Radians of the gearbox per metre.
        var slipGearing = 0.0
        /// N.
        var brake = 0.0
        /// °C.
        var coolant = 20.0
        var oil = 20.0
        var intakeAir = 20.0
        /// °C.
        var catalyst = 20.0
    }

    /// g of fresh air, burnt gas and fuel vapour in the manifold.
    var air: Double
    var burnt = 0.0
    var vapour = 0.0
    /// kPa.
    var manifold: Double
    /// kPa before the throttle.
    var duct: Double
    /// kPa in the exhaust manifold.
    var exhaust: Double
    /// 0…1, where the throttle plate is.
    var opening = 0.0
    var rpm = 0.0
    /// m/s.
    var speed = 0.0
    /// m.
    var distance = 0.0
    /// g of fuel on the walls of the ports.
    var film = 0.0
    /// Engine cycles since the drive began.
    var cycles = 0.0
    /// g of fuel in the canister.
    var canister = 5.0
    /// Lambda in the port for the last 0.64 s.
    var recent = [Float](repeating: 8, count: 64)
    /// The position in ``recent``.
    var place = 0
    /// Lambda at the sensor before the catalyst.
    var sensed = 8.0
    /// g of oxygen in the catalyst.
    var store = 0.0
    /// Lambda after the catalyst.
    var cleaned = 8.0

    // The flows in the last step; unit: g/s.
    var throttleFlow = 0.0
    var leakFlow = 0.0
    var purgeFlow = 0.0
    var recirculated = 0.0
    var cylinderFlow = 0.0
    var cylinderAir = 0.0
    /// All fuel that reached the cylinders.
    var fuel = 0.0
    var fuelBurnt = 0.0
    /// Lambda of all cylinders together, unburnt air and fuel included.
    var mixture = 8.0
    /// N·m.
    var indicated = 0.0
    var friction = 0.0
    var pumping = 0.0
    /// kW: from burnt fuel, into the coolant's walls, with the exhaust.
    var heatReleased = 0.0
    var wallHeat = 0.0
    var exhaustHeat = 0.0
    /// °C at the exhaust ports.
    var exhaustTemperature = 20.0
    /// N·m at the clutch.
    var brakeTorque = 0.0

    /// An engine at rest; units: kPa, K.
    init(_ model: EngineModel) {
        manifold = model.barometric
        duct = model.barometric
        exhaust = model.barometric
        air = model.barometric * model.map.manifoldVolume / (Orifice.gasConstant * 293)
        store = model.catalystStore * 0.5
    }

    /// Advances everything by ``EngineModel/step``.
    mutating func advance(_ model: EngineModel, _ condition: EngineCondition, _ inputs: Inputs) {
        let port = EngineMap.portTemperature(
            intake: inputs.intakeAir, coolant: inputs.coolant, flow: cylinderFlow)
        moveThrottle(inputs.commands)
        fillManifold(model, condition, inputs, port: port)
        burn(model, condition, inputs, port: port)
        passExhaust(model, condition, inputs)
        turn(model, inputs)
    }

    private mutating func moveThrottle(_ commands: EngineCommands) {
        let wanted = max(0, min(1, commands.throttle))
        opening += (wanted - opening) * EngineModel.step / (0.02 + EngineModel.step)
    }

    /// The throttle's area with the dirt on its rim, which covers a share of small openings.
    private func throttleArea(_ model: EngineModel, _ condition: EngineCondition) -> Double {
        let clean = model.map.area(opening: opening)
        let rim = 25 * model.map.displacement
        return clean * (1 - condition.throttleDirt * rim / (rim + clean))
    }

    /// Advances the mass in the manifold by what flows in and out, with the pressure at the end of the step.
    private mutating func fillManifold(
        _ model: EngineModel, _ condition: EngineCondition, _ inputs: Inputs, port: Double
    ) {
        let outside = model.ambient + 273.15
        let intake = inputs.intakeAir + 273.15
        // The air filter: what it takes follows the flow with the volume of the duct.
        let blocked = max(0.02, 1 - condition.intakeBlocked)
        let load = throttleFlow / (50 * model.map.displacement)
        let loss = min(model.barometric * 0.6, 1.5 * load * abs(load) / (blocked * blocked))
        duct += (model.barometric - loss - duct) * EngineModel.step / (0.05 + EngineModel.step)
        let throttle = Orifice.Port(
            area: throttleArea(model, condition), upstream: duct, temperature: intake)
        let leak = Orifice.Port(
            area: condition.intakeLeak, upstream: model.barometric, temperature: outside)
        let purgeShare = max(inputs.commands.purge, condition.purge)
        let purge = Orifice.Port(
            area: EngineModel.purgeArea * purgeShare, upstream: model.barometric,
            temperature: outside)
        let egrShare = max(inputs.commands.egr, condition.egr)
        let egr = Orifice.Port(
            area: model.spec.egrArea * egrShare, upstream: exhaust, temperature: 550)
        // The cylinders take a flow that is linear in the pressure.
        let perPressure =
            model.filling(rpm: rpm, shift: condition.camShift) * model.map.swept(rpm: rpm)
            / (Orifice.gasConstant * port)
        let residual = model.residual(shift: condition.camShift)
        let gain = Orifice.gasConstant * port / model.map.manifoldVolume
        let before = (air + burnt + vapour) * gain
        func out(_ pressure: Double) -> Double {
            max(0, (1 + residual) * pressure - residual * exhaust) * perPressure
        }
        func change(_ pressure: Double) -> Double {
            throttle.flow(to: pressure) + leak.flow(to: pressure) + purge.flow(to: pressure)
                + egr.flow(to: pressure) - out(pressure)
        }
        let end = Self.root(near: manifold, from: 0.5, to: max(model.barometric, exhaust) + 2) {
            $0 - before - EngineModel.step * gain * change($0)
        }
        throttleFlow = throttle.flow(to: end)
        leakFlow = leak.flow(to: end)
        purgeFlow = purge.flow(to: end)
        recirculated = egr.flow(to: end)
        cylinderFlow = out(end)
        let total = max(1e-6, air + burnt + vapour)
        let vapourShare = 0.10 * canister / (canister + 10)
        let taken = max(0, purgeFlow) * vapourShare
        canister = max(0, canister - taken * EngineModel.step)
        let shares = (air: air / total, burnt: burnt / total, vapour: vapour / total)
        cylinderAir = cylinderFlow * shares.air
        air += EngineModel.step * (throttleFlow + leakFlow + purgeFlow - taken - cylinderAir)
        burnt += EngineModel.step * (recirculated - cylinderFlow * shares.burnt)
        vapour += EngineModel.step * (taken - cylinderFlow * shares.vapour)
        burnt = max(0, burnt)
        vapour = max(0, vapour)
        air = max(1e-4, air)
        manifold = (air + burnt + vapour) * gain
    }

    /// The root of a rising function between two places: regula falsi (Illinois).
    private static func root(
        near guess: Double, from bottom: Double, to top: Double, _ function: (Double) -> Double
    ) -> Double {
        var low = bottom
        var high = top
        var atLow = function(low)
        var atHigh = function(high)
        guard atLow < 0, atHigh > 0 else { return atLow >= 0 ? low : high }
        var place = max(low, min(high, guess))
        var side = 0
        for _ in 0..<30 {
            let value = function(place)
            if abs(value) < 1e-7 { break }
            if value < 0 {
                low = place
                atLow = value
                if side == -1 { atHigh /= 2 }
                side = -1
            } else {
                high = place
                atHigh = value
                if side == 1 { atLow /= 2 }
                side = 1
            }
            place = (low * atHigh - high * atLow) / (atHigh - atLow)
        }
        return place
    }

    /// Injection, combustion, and the torque on the pistons.
    private mutating func burn(
        _ model: EngineModel, _ condition: EngineCondition, _ inputs: Inputs, port: Double
    ) {
        let count = Double(model.spec.cylinders)
        let rate = rpm / 120
        let open = max(0, inputs.commands.pulse - EngineModel.deadTime(inputs.voltage))
        let pressure = condition.fuelPressure.squareRoot() * model.tolerances.injectors
        // g/s of one injector that is new.
        let single = open * model.injector * pressure * rate
        var injected = 0.0
        for gain in condition.injectors { injected += single * gain }
        // A pump at its limit lets the pressure fall for all injectors.
        let limit = injected > condition.pump ? condition.pump / injected : 1
        // A share of the fuel wets the cold walls, and a part of it never evaporates.
        let cold = max(0, min(1, (60 - inputs.coolant) / 80))
        let wet = 0.12 + 0.25 * cold
        let dry = film / (0.25 + 1.2 * cold)
        film = max(0, film + EngineModel.step * (injected * limit * wet - dry))
        let evaporates = EngineModel.evaporation(inputs.coolant)
        let steady = injected > 0 ? ((1 - wet) * injected * limit + dry) / injected : 0
        let extra =
            (cylinderFlow - cylinderAir > 0
                ? cylinderFlow * vapour / max(1e-6, air + burnt + vapour) : 0)
            + (rpm > 30 ? condition.injectorLeak : 0)
        let dilution = min(
            0.6,
            model.residual(shift: condition.camShift) * exhaust / max(5, manifold) * 0.7
                + burnt / max(1e-6, air + burnt + vapour))
        let stability = max(0, min(1, 1 - 3 * (dilution - 0.36)))
        let airEach = cylinderAir / count
        let cycle = UInt64(max(0, cycles))
        fuel = 0
        fuelBurnt = 0
        var seen = 0.0
        for (index, gain) in condition.injectors.enumerated() {
            let given = (single * gain * steady * evaporates) + extra / count
            fuel += given
            guard given > 1e-9, rpm > 30 else {
                continue
            }
            let lambda = airEach / (given * model.stoichiometry)
            let fires =
                condition.misfires[index] <= 0
                || model.noise.fraction(channel: 300 + UInt64(index), index: cycle)
                    >= condition.misfires[index]
            let complete = fires ? Self.completeness(lambda) * stability : 0
            fuelBurnt += given * min(1, lambda) * complete
            // Fuel that only lacks oxygen is seen as carbon monoxide; a third of raw fuel is seen.
            seen += given * (complete + (1 - complete) * 0.35)
        }
        let open2 = condition.exhaustLeak > 0
        let sucked = open2 ? exhaustLeakFlow(model, condition) : 0
        mixture = min(8, (cylinderAir + sucked) / max(1e-6, seen * model.stoichiometry))
        if rpm < 30 { mixture = 8 }
        heatReleased = fuelBurnt * model.heatingValue
        indicate(model, inputs, dilution: dilution, rate: rate, port: port)
    }

    /// Torque and heat of the burnt fuel.
    private mutating func indicate(
        _ model: EngineModel, _ inputs: Inputs, dilution: Double, rate: Double, port: Double
    ) {
        let filling = cylinderAir / max(1e-3, model.map.swept(rpm: max(100, rpm)) * 1.184)
        let best = EngineMap.bestSpark(rpm: rpm, filling: filling, residual: dilution)
        let miss = inputs.commands.spark - best
        let spark = max(0.3, 1 - 0.00045 * miss * miss)
        let wobble =
            1 + 0.03 * (2 * model.noise.fraction(channel: 320, index: UInt64(max(0, cycles))) - 1)
        let efficiency =
            0.415 * (1 - 150 / max(400, rpm)) * spark * (1 - 0.25 * max(0, dilution - 0.15))
        let omega = max(6, rpm * 0.10472)
        let work = heatReleased * efficiency * wobble
        indicated = 1000 * work / omega
        let thousands = rpm / 1000
        let viscous = 1 + 1.1 * max(0, 80 - inputs.oil) / (60 + max(-20, inputs.oil))
        let mean = (0.64 + 0.17 * thousands + 0.012 * thousands * thousands) * viscous
        friction = rpm > 1 ? mean * model.map.displacement * 7.958 * model.tolerances.friction : 0
        pumping = (exhaust - manifold) * model.map.displacement / 12.566
        if rpm < 1 { pumping = 0 }
        wallHeat = heatReleased * (0.25 + 0.14 * min(1, 800 / max(400, rpm)))
        exhaustHeat = heatReleased - work - wallHeat
        let mass = max(0.05, cylinderFlow + fuel)
        exhaustTemperature = min(1100, port - 273.15 + max(0, exhaustHeat) / (mass * 0.00115))
    }

    /// Air that pressure waves suck through a hole before the sensor; unit: g/s.
    ///
    /// The waves have a troughs' depth that hardly depends on the flow. The mean pressure in the exhaust,
    /// which rises with the flow, fills the troughs.
    private func exhaustLeakFlow(_ model: EngineModel, _ condition: EngineCondition) -> Double {
        let trough = 1.6 - (exhaust - model.barometric)
        guard trough > 0, rpm > 300 else { return 0 }
        // Half of the time, by Bernoulli with a coefficient of 0.6.
        return condition.exhaustLeak * 0.3 * (2 * 1.2 * trough * 1000).squareRoot() / 1000
    }

    /// The share of the fuel that burns, of what could with the air that is there.
    static func completeness(_ lambda: Double) -> Double {
        if lambda > 1.2 { return max(0, min(1, (1.6 - lambda) / 0.4)) }
        return max(0, min(1, (lambda - 0.42) / 0.13))
    }

    /// Pressure, transport to the sensor, and the catalyst.
    private mutating func passExhaust(
        _ model: EngineModel, _ condition: EngineCondition, _ inputs: Inputs
    ) {
        let flow = cylinderFlow + fuel
        let rise = model.map.exhaustRise(flow: flow, blocked: condition.exhaustBlocked)
        exhaust +=
            (model.barometric + rise - exhaust) * EngineModel.step / (0.05 + EngineModel.step)
        place = (place + 1) & 63
        recent[place] = Float(mixture)
        let volume = 0.22 * model.map.displacement
        let delay = 0.04 + 70 / max(300, rpm) + volume / max(0.3, flow)
        let steps = max(1, min(62, Int(delay / EngineModel.step)))
        let arriving = Double(recent[(place - steps) & 63])
        // The gas of the cylinders mixes.
        sensed += (arriving - sensed) * EngineModel.step / (0.06 + EngineModel.step)
        convert(model, condition, inputs, flow: flow)
    }

    /// The catalyst stores excess oxygen, and gives it back.
    private mutating func convert(
        _ model: EngineModel, _ condition: EngineCondition, _ inputs: Inputs, flow: Double
    ) {
        let hot = max(0, min(1, (inputs.catalyst - 250) / 100))
        let room = max(0.004, model.catalystStore * condition.catalyst * hot)
        store = max(0, min(room, store))
        let excess = 0.23 * flow * (1 - 1 / max(0.3, sensed))
        let level = store / room
        let full = excess > 0 ? level : 1 - level
        let square = full * full
        // A small surface lets a share pass even while there is room.
        let surface = 0.02 / max(0.02, condition.catalyst * hot)
        let passes = min(1, square * square * square + surface)
        let stored = excess * (1 - passes)
        let moved = max(-store, min(room - store, stored * EngineModel.step))
        store += moved
        let left = excess - moved / EngineModel.step
        let rest = max(-0.6, min(0.85, left / max(0.05, 0.23 * flow)))
        let lambda = rpm < 30 ? 8 : 1 / (1 - rest)
        cleaned += (lambda - cleaned) * EngineModel.step / (0.06 + EngineModel.step)
    }

    /// Crankshaft and vehicle.
    private mutating func turn(_ model: EngineModel, _ inputs: Inputs) {
        let turning = rpm > 0.5
        let drag = turning ? friction + pumping + inputs.accessoryTorque : 0
        brakeTorque = indicated - drag
        let total = brakeTorque + inputs.starterTorque
        let road = model.roadLoad(speed: speed)
        cycles += rpm / 120 * EngineModel.step
        if inputs.gearing > 0 {
            let mass = model.mass + model.inertia * inputs.gearing * inputs.gearing
            let drive = total * inputs.gearing * (total > 0 ? 0.92 : 1 / 0.92)
            let force = drive - road - inputs.brake
            speed = max(0, speed + force / mass * EngineModel.step)
            rpm = max(0, speed * inputs.gearing / 0.10472)
        } else {
            let change = (total - inputs.slipTorque) / model.inertia
            rpm = max(0, rpm + change * EngineModel.step / 0.10472)
            let force = inputs.slipTorque * inputs.slipGearing * 0.92 - road - inputs.brake
            speed = max(0, speed + force / model.mass * EngineModel.step)
            if !turning, total <= 0 { rpm = 0 }
        }
        distance += speed * EngineModel.step
    }
}
