/// The driver: pedal, brake, clutch and gears, from the drive's steps.
struct EngineDriver: Hashable, Sendable {
    /// The step of the drive, and when it began; unit: steps of the model.
    var leg = 0
    var began = 0
    /// km/h and 1/min at the beginning of the drive's step.
    private var startSpeed = 0.0
    private var startRPM = 0.0
    /// 0…1.
    var pedal = 0.0
    /// N.
    var brake = 0.0
    /// From 0; -1 is neutral.
    var gear = -1
    /// Whether the clutch holds without slip.
    var isClosed = false
    /// Whether the clutch slips because the vehicle begins to move.
    var isSlipping = false
    /// Seconds until the clutch closes after a change of gear.
    private var shifting = 0.0
    var isCranking = false
    var isStopped = false
    private var force = 0.0
    private var revving = 0.0

    /// Moves on to the state at step `now` of the model.
    mutating func advance(_ model: EngineModel, _ plant: EnginePlant, runs: Bool, now: Int) {
        while now - began >= model.legs[leg].steps {
            began += model.legs[leg].steps
            leg = (leg + 1) % model.legs.count
            startSpeed = plant.speed * 3.6
            startRPM = max(plant.rpm, 500)
            revving = 0
            if case .pull = model.legs[leg].action { kickDown(model, plant) }
        }
        let current = model.legs[leg]
        let share = Double(now - began) / Double(current.steps)
        isCranking = false
        isStopped = false
        brake = 0
        switch current.action {
        case .speed:
            let target = startSpeed + (current.speed - startSpeed) * share
            let slope =
                (current.speed - startSpeed) / 3.6
                / (Double(current.steps) * EngineModel.step)
            drive(model, plant, target: target / 3.6, slope: slope)
        case .pull:
            selectGear(model, plant, top: 5600)
            pedal = shifting > 0 ? 0 : 1
        case .coast:
            selectGear(model, plant, top: 3200)
            pedal = 0
        case .rev(let wanted):
            release(plant, hold: true)
            rev(model, plant, to: wanted, share: share, steps: current.steps)
        case .key:
            release(plant, hold: true)
            pedal = 0
            isStopped = true
        case .crank:
            release(plant, hold: true)
            pedal = 0
            isCranking = !runs
        }
        if current.action != .key, current.action != .crank, !runs {
            // The engine has stalled.
            release(plant, hold: true)
            pedal = 0
            isCranking = true
        }
    }

    /// Neutral, with the brake held.
    private mutating func release(_ plant: EnginePlant, hold: Bool) {
        gear = -1
        isClosed = false
        isSlipping = false
        force = 0
        brake = plant.speed > 0.01 && hold ? 4000 : 0
    }

    /// Closes the clutch, which slips until engine and gearbox turn at one speed.
    private mutating func close(_ model: EngineModel, _ plant: EnginePlant) {
        let turning = model.gears[gear] * plant.speed * 3.6
        if shifting > 0 || turning < model.map.idle * (isClosed ? 1.5 : 1.65) {
            isClosed = false
            isSlipping = shifting <= 0
        } else if !isClosed, !isSlipping || plant.rpm < turning + 60 {
            isClosed = true
            isSlipping = false
        }
    }

    private mutating func rev(
        _ model: EngineModel, _ plant: EnginePlant, to wanted: Double, share: Double, steps: Int
    ) {
        let seconds = share * Double(steps) * EngineModel.step
        let target = startRPM < wanted ? min(wanted, startRPM + 1200 * seconds) : wanted
        let error = target - plant.rpm
        revving = max(0, min(0.4, revving + 0.00012 * error * EngineModel.step))
        pedal = max(0, min(0.6, revving + 0.00006 * error))
    }

    /// The highest gear in which the engine turns at 2,700 per minute or more.
    private mutating func kickDown(_ model: EngineModel, _ plant: EnginePlant) {
        let speed = plant.speed * 3.6
        guard speed > 3 else { return }
        let fitting = model.gears.lastIndex { $0 * speed >= 2700 && $0 * speed < 5000 }
        if let fitting, fitting != gear {
            gear = fitting
            shifting = 0.5
        }
    }

    private mutating func selectGear(_ model: EngineModel, _ plant: EnginePlant, top: Double) {
        let speed = plant.speed * 3.6
        if gear < 0 { gear = 0 }
        if shifting > 0 {
            shifting -= EngineModel.step
        } else if model.gears[gear] * speed > top, gear + 1 < model.gears.count {
            gear += 1
            shifting = 0.4
        } else if model.gears[gear] * speed < 1050, gear > 0 {
            gear -= 1
            shifting = 0.4
        }
        close(model, plant)
    }

    private mutating func drive(
        _ model: EngineModel, _ plant: EnginePlant, target: Double, slope: Double
    ) {
        let speed = plant.speed * 3.6
        if target < 0.3, slope <= 0 || model.legs[leg].speed == 0 {
            release(plant, hold: true)
            brake = plant.speed > 0.01 ? min(9000, 3000 + 3000 * plant.speed) : 0
            pedal = 0
            shifting = 0
            return
        }
        let suited = min(model.gears.count - 1, model.shifts.count { $0 < speed })
        if gear < 0 {
            gear = suited
            shifting = 0
        }
        // Four km/h of difference between shifting up and down.
        let lower = min(model.gears.count - 1, model.shifts.count { $0 < speed + 4 })
        if shifting <= 0, suited > gear || lower < gear {
            gear = suited > gear ? suited : lower
            shifting = 0.4
        }
        let error = target - plant.speed
        force = max(-600, min(1200, force + 70 * error * EngineModel.step))
        let wanted =
            model.mass * (slope + 0.5 * error) + model.roadLoad(speed: plant.speed) + force
        shifting = max(0, shifting - EngineModel.step)
        close(model, plant)
        let gearing = model.gears[gear] * 0.37699
        let torque = wanted / gearing / 0.92
        if shifting > 0 {
            pedal = 0
            return
        }
        let most = model.map.bestTorque
        let drag = 16 * model.map.displacement
        if slope < 0, !isClosed {
            // The vehicle rolls to a stop with an open clutch.
            isSlipping = false
            pedal = 0
            brake = max(0, -wanted)
        } else if torque > -drag * 0.8 || !isClosed {
            let share = max(0, (torque + (isClosed ? drag : 4)) / (most + drag))
            pedal = max(0, min(1, share))
            if !isClosed { pedal = max(pedal, wanted > 0 ? 0.05 : 0) }
            brake = wanted < 0 && !isClosed ? -wanted : 0
        } else {
            pedal = 0
            brake = max(0, -wanted - drag * gearing)
        }
    }
}
