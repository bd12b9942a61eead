/// The values of the ECU's sensors.
struct EngineReadings: Hashable, Sendable {
    /// g/s of the meter.
    var airFlow = 0.0
    /// kPa.
    var manifoldPressure = 101.0
    var barometric = 101.0
    /// °C.
    var coolant = 20.0
    var intakeAir = 20.0
    var ambient = 20.0
    /// 0…1 of the throttle plate's way.
    var throttle = 0.0
    /// 0…1.
    var pedal = 0.0
    /// 1/min.
    var rpm = 0.0
    /// km/h.
    var speed = 0.0
    /// Of a wide-band sensor.
    var lambda = 1.0
    /// V of a narrow-band sensor before the catalyst.
    var frontOxygen = 0.45
    /// V of the sensor after the catalyst.
    var rearOxygen = 0.45
    /// V.
    var voltage = 12.5
    /// Whether the starter turns.
    var isCranking = false
    /// Whether the key was turned back: the engine stops, the ignition stays on.
    var isStopped = false
}

/// The commands of the ECU to its actuators.
struct EngineCommands: Hashable, Sendable {
    /// ms of each injector per engine cycle.
    var pulse = 0.0
    /// Degrees before top dead centre.
    var spark = 10.0
    /// 0…1.
    var throttle = 0.0
    /// 0…1 of the purge valve.
    var purge = 0.0
    /// 0…1 of the EGR valve.
    var egr = 0.0
    var fan = false
    /// V.
    var chargeVoltage = 14.2
}

/// The engine ECU: it knows the engine for which it was calibrated, and what its sensors say.
struct EngineControl: Hashable, Sendable {
    /// The ECU's data about its engine.
    struct Calibration: Hashable, Sendable {
        var map: EngineMap
        var airSensor = EngineSpec.AirSensor.meter
        var mixtureSensor = EngineSpec.MixtureSensor.wide
        /// The flow of one injector; unit: g/ms.
        var injector = 0.001
        var cylinders = 4.0
        /// g of air per g of fuel.
        var stoichiometry = 14.4
        /// mm².
        var egrArea = 0.0
        /// How much faster long-term trims are learnt than in a vehicle.
        var learning = 1.0
    }

    /// The mixture control of the moment, in the words of PID 03.
    enum Loop: Double, Hashable, Sendable {
        case openCold = 1
        case closed = 2
        case openLoad = 4
    }

    var commands = EngineCommands()
    var loop = Loop.openCold
    /// Seconds since the engine was started.
    var runtime = 0.0
    var runs = false
    /// Whether fuel may be injected: since the engine was cranked.
    var isArmed = false
    /// kPa.
    var barometric = 101.0
    /// g/s into the cylinders, as the ECU computes it.
    var air = 0.0
    /// g/s of what passes the throttle, as the ECU computes it.
    var throttleAir = 0.0
    /// g/s of fuel, as the ECU meters it.
    var fuel = 0.0
    /// The mixture that the ECU wants.
    var target = 1.0
    /// Shares: 0.05 is 5 % more fuel.
    var shortTrim = 0.0
    /// Two rows for engine speed with three columns for load.
    var longTrims = [Double](repeating: 0, count: 6)
    var cell = 0
    var isCutting = false
    /// 1/min.
    var idleTarget = 800.0
    /// Air over the most that the engine could take at this speed.
    var load = 0.0
    private var integral = 0.0
    private var averageTrim = 0.0
    private var idleAir = 0.0
    private var richSince = 0.0
    private var cutFor = 0.0
    private var lastRPM = 0.0
    /// 1/min per second, with a short lag; negative when the engine slows down.
    private var change = 0.0
    private var settled = 0.0
    private var enriching = 0.0
    private var rearBias = 0.0
    private var rearIntegral = 0.0
    /// Seconds of rich mixture that are left, after a fuel cut has filled the catalyst with oxygen.
    private var emptying = 0.0
    private var purgeClock = 0.0
    private var wasRich = false

    static let trimLimit = 0.25

    var longTrim: Double { longTrims[cell] }

    /// Makes the first commands after `readings`.
    mutating func advance(_ calibration: Calibration, _ readings: EngineReadings) {
        let step = EngineModel.step
        noticeEngine(calibration, readings)
        measureAir(calibration, readings)
        controlThrottle(calibration, readings)
        chooseLoop(calibration, readings)
        if loop == .closed {
            correct(calibration, readings)
        } else {
            integral *= 1 - step
            shortTrim = 0
            settled = 0
        }
        inject(calibration, readings)
        advanceSpark(calibration, readings)
        ventCanister(readings)
        let warm = readings.coolant > 65 && runs
        let isPartLoad = load > 0.25 && load < 0.7 && readings.rpm > 1300
        let egr = warm && isPartLoad && !isCutting ? 0.6 : 0
        commands.egr += (egr - commands.egr) * step / 0.5
        if readings.coolant > 98 { commands.fan = true }
        if readings.coolant < 93 || !runs { commands.fan = false }
        commands.chargeVoltage = 14.1 + max(-0.5, min(0.5, 0.010 * (25 - readings.ambient)))
    }

    private mutating func noticeEngine(_ calibration: Calibration, _ readings: EngineReadings) {
        let slope = (readings.rpm - lastRPM) / EngineModel.step
        change += (slope - change) * EngineModel.step / (0.05 + EngineModel.step)
        lastRPM = readings.rpm
        if readings.isStopped { isArmed = false }
        if readings.isCranking { isArmed = true }
        let wasRunning = runs
        runs = isArmed && readings.rpm > (runs ? 250 : 450)
        if !runs {
            runtime = 0
            (shortTrim, integral, averageTrim) = (0, 0, 0)
            purgeClock = 0
            if readings.rpm < 1 {
                barometric =
                    calibration.airSensor == .pressure
                    ? readings.manifoldPressure : readings.barometric
            }
        } else {
            runtime += EngineModel.step
        }
        let cold = max(0, min(1, (62 - readings.coolant) / 70))
        let afterStart = max(0, 1 - runtime / 15) * 0.15
        let base = calibration.map.idle
        idleTarget = base * (1 + 0.45 * cold + afterStart)
        if runs, !wasRunning || idleAir == 0 {
            idleAir = Self.idleAir(calibration, cold: cold)
        }
    }

    private static func idleAir(_ calibration: Calibration, cold: Double) -> Double {
        calibration.map.displacement * 1.25 * (1 + 1.3 * cold)
    }

    private mutating func measureAir(_ calibration: Calibration, _ readings: EngineReadings) {
        let map = calibration.map
        let swept = map.swept(rpm: max(60, readings.rpm))
        switch calibration.airSensor {
        case .meter:
            // The manifold delays what the meter has seen.
            let delay = map.manifoldVolume / (0.8 * swept)
            let known = readings.airFlow + purgeAir(readings)
            let share = EngineModel.step / (delay + EngineModel.step)
            air += (known - air) * share
            throttleAir = readings.airFlow
        case .pressure:
            let port = EngineMap.portTemperature(
                intake: readings.intakeAir, coolant: readings.coolant, flow: air)
            let exhaust = barometric + map.exhaustRise(flow: air, blocked: 0)
            let flow =
                readings.rpm < 1
                ? 0
                : map.flow(
                    pressure: readings.manifoldPressure, exhaust: exhaust, rpm: readings.rpm,
                    temperature: port)
            let returned = Orifice.Port(
                area: calibration.egrArea * commands.egr, upstream: exhaust, temperature: 550
            ).flow(to: readings.manifoldPressure)
            air = max(0, flow - max(0, returned))
            throttleAir = air
        }
        let most = map.greatestFlow(
            rpm: readings.rpm, barometric: barometric, temperature: readings.intakeAir + 283)
        load = max(0, min(1, air / max(0.1, most)))
    }

    /// The air through the purge valve, from its opening; unit: g/s.
    private func purgeAir(_ readings: EngineReadings) -> Double {
        guard commands.purge > 0 else { return 0 }
        return Orifice.Port(
            area: EngineModel.purgeArea * commands.purge, upstream: barometric,
            temperature: readings.ambient + 273.15
        ).flow(to: barometric * min(0.95, 0.25 + 0.75 * load))
    }

    private mutating func controlThrottle(_ calibration: Calibration, _ readings: EngineReadings) {
        let map = calibration.map
        let size = map.displacement
        let isIdling = readings.pedal < 0.005 && runs && readings.speed < 4
        let error = idleTarget - readings.rpm
        var wanted = idleAir
        if isIdling {
            let limited = max(-150, min(150, error))
            // While the engine changes its speed, nothing is learnt from the difference.
            if abs(change) < 350 {
                idleAir += 0.0011 * size * limited * EngineModel.step
                idleAir = max(0.1 * size, min(6 * size, idleAir))
            }
            wanted += max(-0.35 * size, min(2 * size, 0.003 * size * error))
        }
        if readings.pedal < 0.005, runs {
            // An engine that slows down gets more air: the manifold is full when it reaches its idle speed.
            wanted *= 1 + max(0, readings.rpm - idleTarget - 150) / 2200
            if readings.rpm > idleTarget - 50 {
                wanted *= 1 + min(1.2, max(0, -change - 250) / 1800)
            }
        }
        if !runs { wanted = size * 2.2 }
        let most = map.greatestFlow(
            rpm: readings.rpm, barometric: barometric, temperature: readings.intakeAir + 283)
        let power = readings.coolant > 118 ? 0.5 : 1
        let pedal = readings.pedal * power
        wanted += pedal * max(0, most - wanted)
        let choked = Orifice.chokedFlow(
            pressure: barometric, temperature: readings.intakeAir + 273.15)
        // The pressure at which the cylinders take this much.
        let port = EngineMap.portTemperature(
            intake: readings.intakeAir, coolant: readings.coolant, flow: wanted)
        let filled =
            wanted * Orifice.gasConstant * port
            / (EngineMap.filling(rpm: readings.rpm) * map.swept(rpm: max(500, readings.rpm)))
        let pressure = (filled + EngineMap.residual * (barometric + 2)) / (1 + EngineMap.residual)
        let ratio = min(0.985, pressure / barometric)
        var opening = map.opening(area: wanted / (choked * Orifice.share(ratio)))
        if pedal > 0.85 { opening += (1 - opening) * (pedal - 0.85) / 0.15 }
        // The motor turns the plate until the sensor says so.
        let wrong = opening - readings.throttle
        commands.throttle += wrong * EngineModel.step / 0.06
        commands.throttle = max(0, min(1, commands.throttle))
    }

    private mutating func chooseLoop(_ calibration: Calibration, _ readings: EngineReadings) {
        let step = EngineModel.step
        let isCoasting =
            readings.pedal < 0.005 && readings.coolant > 30 && runs
            && readings.rpm > idleTarget + (isCutting ? 350 : 700) + min(900, max(0, -change) * 0.3)
        cutFor = isCoasting ? cutFor + step : 0
        isCutting = cutFor > 0.4 || (runs && readings.rpm > 6300)
        // Full load needs a rich mixture, for power and for the temperature of the catalyst.
        let wantsPower = readings.pedal > 0.8 || load > (enriching > 0.4 ? 0.8 : 0.88)
        enriching = wantsPower && !isCutting ? enriching + step : 0
        let sensorReady = runtime > 20 + 0.5 * max(0, 20 - readings.coolant)
        let cold = max(0, min(1, (20 - readings.coolant) / 40))
        if isCutting {
            emptying = min(2.5, emptying + 4 * step)
            loop = .openLoad
            target = 1
        } else if enriching > 0.4 {
            loop = .openLoad
            target = 0.88
        } else if sensorReady, runs {
            loop = .closed
            target = 1
        } else {
            loop = .openCold
            target = 0.95 - 0.05 * cold
        }
        let row = readings.rpm < 1600 ? 0 : 3
        cell = row + (load < 0.42 ? 0 : load < 0.7 ? 1 : 2)
    }

    /// Lambda control: proportional and integral on a wide-band sensor, two-point on a narrow-band one.
    private mutating func correct(_ calibration: Calibration, _ readings: EngineReadings) {
        let step = EngineModel.step
        settled += step
        if emptying > 0 {
            emptying = readings.rearOxygen > 0.55 ? 0 : emptying - step
            settled = 0
        }
        guard settled > 0.5 else { return }
        // The sensor after the catalyst shifts the mean mixture a little.
        let lean = readings.coolant > 60 ? 0.62 - readings.rearOxygen : 0
        if settled > 8 {
            rearIntegral = max(-0.008, min(0.008, rearIntegral + 0.0004 * lean * step))
        }
        let wanted = rearIntegral + max(-0.004, min(0.004, 0.012 * lean))
        rearBias += (wanted - rearBias) * step / 3
        let limit = Self.trimLimit
        switch calibration.mixtureSensor {
        case .wide:
            let error = max(-0.3, min(0.3, readings.lambda - (target - rearBias)))
            let delay = 0.22 + 150 / max(500, readings.rpm)
            integral = max(-limit, min(limit, integral + error * step * 0.40 / delay))
            shortTrim = max(-limit, min(limit, integral + 0.22 * error))
        case .narrow:
            let isRich = readings.frontOxygen > 0.45
            let ramp = 0.028 * max(0.5, min(2.5, readings.rpm / 1500))
            let rise = ramp * (1 + max(-0.4, min(0.4, 40 * rearBias)))
            integral += (isRich ? -ramp : rise) * step
            integral = max(-limit, min(limit, integral))
            shortTrim = max(-limit, min(limit, integral + (isRich ? -0.014 : 0.014)))
        }
        averageTrim += (shortTrim - averageTrim) * step / 3
        guard readings.coolant >= 70, settled > 4, commands.purge < 0.005 else { return }
        let rate = max(-0.001, min(0.001, 0.05 * averageTrim)) * calibration.learning
        longTrims[cell] = max(-limit, min(limit, longTrims[cell] + rate * step))
        integral -= integral * min(1, abs(rate) * step / max(0.001, abs(integral)))
    }

    private mutating func inject(_ calibration: Calibration, _ readings: EngineReadings) {
        fuel = 0
        commands.pulse = 0
        guard isArmed, readings.rpm > 60, !isCutting else { return }
        var metered = air / calibration.stoichiometry / target
        metered *= (1 + shortTrim) * (1 + longTrim)
        if emptying > 0, loop == .closed { metered *= 1.07 }
        metered /= EngineModel.evaporation(readings.coolant)
        if calibration.mixtureSensor == .wide, loop == .closed, readings.coolant > 60 {
            // A swing of the mixture that the catalyst must level out, as a two-point control makes one.
            let half = Int(runtime / max(0.5, 800 / max(400, readings.rpm)))
            metered *= half.isMultiple(of: 2) ? 1.018 : 0.982
        }
        let start = max(0, 1 - runtime / 12)
        metered *= 1 + start * (0.05 + 0.10 * max(0, min(1, (50 - readings.coolant) / 60)))
        if !runs {
            // While the starter turns the engine, the fuel follows the temperature.
            let cylinder = calibration.map.swept(rpm: readings.rpm) * 0.75 * barometric / 85
            metered =
                max(metered, cylinder / calibration.stoichiometry)
                / EngineModel.evaporation(readings.coolant)
        }
        fuel = metered
        let each = metered / calibration.cylinders / (readings.rpm / 120)
        commands.pulse = each / calibration.injector + EngineModel.deadTime(readings.voltage)
    }

    private mutating func advanceSpark(_ calibration: Calibration, _ readings: EngineReadings) {
        let filling = air / max(0.01, calibration.map.swept(rpm: max(200, readings.rpm)) * 1.184)
        let best = EngineMap.bestSpark(rpm: readings.rpm, filling: filling, residual: 0.12)
        var spark = best - 3
        if readings.pedal < 0.005, readings.speed < 4 {
            let help = max(-9, min(11, 0.07 * (idleTarget - readings.rpm)))
            spark = best - 11 + help
        }
        // A catalyst that is cold is heated by a late spark.
        if readings.coolant < 50, runtime < 40 { spark -= 4 }
        commands.spark += (spark - commands.spark) * EngineModel.step / (0.02 + EngineModel.step)
    }

    /// Purging: 50 s with the valve open, 20 s closed, during which trims are learnt.
    private mutating func ventCanister(_ readings: EngineReadings) {
        guard loop == .closed, readings.coolant > 60, runtime > 60 else {
            commands.purge = max(0, commands.purge - 0.2 * EngineModel.step)
            return
        }
        purgeClock += EngineModel.step
        if purgeClock > 70 { purgeClock -= 70 }
        let wanted = purgeClock < 20 ? 0 : 0.05 + 0.5 * max(0, load - 0.25)
        let change = max(-0.20, min(0.03, wanted - commands.purge))
        commands.purge = max(0, min(1, commands.purge + change * EngineModel.step))
    }
}
