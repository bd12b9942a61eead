/// Battery, alternator and starter.
struct EngineSupply: Hashable, Sendable {
    /// 0…1.
    var charge = 0.9
    /// V across the battery's slow part.
    var slow = 0.0
    /// V at the ECU.
    var voltage = 12.6
    /// A.
    var alternator = 0.0
    var starter = 0.0

    /// Ohm and volts per 1/min of the starter.
    private static let starterResistance = 0.022
    private static let starterVoltage = 0.0336

    /// N·m at the crankshaft.
    var starterTorque: Double { Self.starterVoltage * starter * 9.549 }

    /// N·m at the crankshaft.
    func alternatorTorque(rpm: Double) -> Double {
        rpm > 200 ? alternator * voltage / 0.6 / (rpm * 0.10472) : 0
    }

    /// Advances by `step` seconds; `load` is the current of the consumers in A.
    mutating func advance(
        _ model: EngineModel, _ condition: EngineCondition, commands: EngineCommands, rpm: Double,
        load: Double, cranking: Bool, temperature: Double, step: Double
    ) {
        let cold = max(0, 25 - temperature)
        let age = model.tolerances.batteryResistance
        // A battery that has lost capacity has fewer plates in use.
        let plates = max(0.08, condition.battery * model.tolerances.battery)
        let size = 60 / model.spec.battery
        let resistance =
            0.0065 * size * age * (1 + 0.018 * cold) / (0.5 + 0.5 * plates)
            + condition.resistance / 1000
        let open = 11.85 + 0.85 * charge - 0.0004 * cold
        let inside = open - slow
        if cranking {
            let back = Self.starterVoltage * rpm
            let share = resistance / Self.starterResistance
            voltage = (inside - resistance * load + share * back) / (1 + share)
            starter = max(0, (voltage - back) / Self.starterResistance)
            alternator = 0
        } else {
            starter = 0
            let available =
                min(condition.alternator, model.spec.alternator)
                * max(0, 1 - 800 / max(800, 2.7 * rpm))
            let wanted = (commands.chargeVoltage - inside) / resistance + load
            alternator = rpm > 400 ? max(0, min(available, wanted)) : 0
        }
        let current = alternator - load - starter
        voltage = inside + resistance * current
        let capacity = model.spec.battery * plates
        charge = max(0, min(1, charge + current * step / 3600 / capacity))
        // A second resistance with its capacitor, 20 s: the battery accepts a charge more slowly than it
        // gives one.
        let second = current > 0 ? 0.10 * size / plates : resistance * 0.6
        let settled = max(-2.2, min(1.2, -current * second))
        slow += (settled - slow) * min(1, step / 20)
    }
}
