/// The temperatures: engine with coolant, radiator, oil, intake, catalyst; unit: °C.
struct EngineHeat: Hashable, Sendable {
    var block: Double
    var radiator: Double
    var oil: Double
    /// The air before the throttle.
    var intake: Double
    var catalyst: Double
    /// The opening of the thermostat, 0…1.
    var thermostat = 0.0
    /// kW from the engine to the air, through the radiator and directly.
    var lost = 0.0

    /// All temperatures after `soak` hours at `ambient`, when the engine was warm.
    init(ambient: Double, warm: Double, soak: Double) {
        /// A temperature that falls with this half-life; unit: hours.
        func cooled(_ hot: Double, _ halfLife: Double) -> Double {
            ambient + (hot - ambient) * Self.half(soak / halfLife)
        }
        block = cooled(warm, 0.9)
        oil = cooled(warm + 4, 0.9)
        radiator = cooled(warm - 25, 0.5)
        intake = cooled(ambient + 18, 0.6)
        catalyst = cooled(420, 0.2)
    }

    /// Two to the power of `-exponent`, between the whole powers by a line.
    private static func half(_ exponent: Double) -> Double {
        guard exponent < 60 else { return 0 }
        let whole = exponent.rounded(.down)
        var value = 1 - (exponent - whole) / 2
        for _ in 0..<Int(whole) { value /= 2 }
        return value
    }

    /// Advances by `step` seconds.
    mutating func advance(
        _ model: EngineModel, _ condition: EngineCondition, _ plant: EnginePlant, fan: Bool,
        step: Double
    ) {
        let outside = model.ambient
        // Friction heats the oil first.
        let rubbed = plant.friction * plant.rpm * 0.10472e-3
        let heat = plant.wallHeat + 0.4 * rubbed
        let size = model.map.displacement
        // The wax follows the coolant slowly.
        let set = model.spec.thermostat + model.tolerances.thermostat
        let wanted = max(
            condition.thermostatFloor, min(condition.thermostatCeiling, (block - set) / 11))
        thermostat += (wanted - thermostat) * min(1, step / 5)
        let pump = max(0, min(1.6, 0.9 * plant.rpm / 2500)) * size / 1.6
        let through = thermostat * pump * (block - radiator)
        let wind = plant.speed * 3.6
        let cooling = (0.03 + 0.0085 * wind + (fan ? 0.22 * condition.fan : 0)) * (0.5 + size / 3.2)
        let fromRadiator = cooling * (radiator - outside)
        let direct = (0.010 + 0.0002 * wind) * (block - outside)
        let toOil = 0.10 * (block - oil)
        let fromOil = 0.003 * (oil - outside) * (1 + wind / 40)
        lost = fromRadiator + direct + fromOil
        block += (heat - through - direct - toOil) * step / model.blockHeat
        radiator += (through - fromRadiator) * step / 9
        oil += (toOil + 0.6 * rubbed - fromOil) * step / model.oilHeat
        let bay = outside + 0.30 * max(0, block - outside) / (1 + wind / 25)
        let flow = 0.006 * max(0, plant.throttleFlow)
        intake += ((outside + 3 - intake) * flow + (bay - intake) * 0.004) * step
        advanceCatalyst(model, plant, step: step)
    }

    private mutating func advanceCatalyst(
        _ model: EngineModel, _ plant: EnginePlant, step: Double
    ) {
        let flow = plant.cylinderFlow + plant.fuel
        let ports = plant.exhaustTemperature
        let arriving = model.ambient + (ports - model.ambient) * (1 - 0.35 / (1 + flow / 8))
        let unburnt = max(0, plant.fuel - plant.fuelBurnt)
        let burnt = min(unburnt, 0.02 + 0.3 * unburnt) * model.heatingValue * 0.6
        let convected = flow * 0.00115 * (arriving - catalyst)
        let radiated = 0.0012 * (catalyst - model.ambient)
        catalyst += (convected + (catalyst > 250 ? burnt : 0) - radiated) * step / 0.5
        catalyst = min(1150, catalyst)
    }
}
