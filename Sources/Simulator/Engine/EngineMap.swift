/// The engine for which the ECU was calibrated: geometry, breathing, throttle.
struct EngineMap: Hashable, Sendable {
    /// L.
    let displacement: Double
    /// L.
    let manifoldVolume: Double
    /// 1/min.
    let idle: Double

    /// Effective area of the closed throttle; unit: mm².
    var closedThrottle: Double { 2.2 * displacement }
    /// Effective area that the plate opens at 90°; unit: mm².
    var throttle: Double { 750 * displacement + 150 }
    /// N·m that an engine of this size reaches at its best speed.
    var bestTorque: Double { 88 * displacement }

    init(_ powertrain: Powertrain, _ spec: EngineSpec) {
        displacement = powertrain.displacement
        manifoldVolume = spec.manifoldVolume ?? powertrain.displacement * 1.4 + 0.5
        idle = powertrain.idle
    }

    /// How well the cylinders fill, without residual gas.
    static func filling(rpm: Double, peak: Double = 4200) -> Double {
        let distance = (rpm - peak) / 4200
        return 0.93 * (1 - 0.14 * distance * distance)
    }

    /// The residual gas, as a share of the pressure in the exhaust.
    static let residual = 0.09

    /// The volume that the cylinders sweep; unit: L/s.
    func swept(rpm: Double) -> Double { displacement * rpm / 120 }

    /// Gas into the cylinders; units: kPa, K, g/s.
    func flow(pressure: Double, exhaust: Double, rpm: Double, temperature: Double) -> Double {
        let share = (1 + Self.residual) * pressure - Self.residual * exhaust
        return max(0, share) * Self.filling(rpm: rpm) * swept(rpm: rpm)
            / (Orifice.gasConstant * temperature)
    }

    /// The greatest flow at this speed; units: kPa, K, g/s.
    func greatestFlow(rpm: Double, barometric: Double, temperature: Double) -> Double {
        flow(
            pressure: barometric - 1, exhaust: barometric + 4, rpm: max(300, rpm),
            temperature: temperature)
    }

    /// The temperature of the gas in the ports: it warms up at walls.
    static func portTemperature(intake: Double, coolant: Double, flow: Double) -> Double {
        273.15 + intake + (coolant - intake) * 0.22 / (1 + flow / 12)
    }

    /// Gas pressure after the last silencer's entry, above the pressure outside; units: g/s, kPa.
    func exhaustRise(flow: Double, blocked: Double) -> Double {
        let open = max(0.02, 1 - blocked)
        let load = flow / (50 * displacement)
        return min(250, 22 * load * load / (open * open))
    }

    /// The effective area of the throttle; `opening` is 0…1.
    func area(opening: Double) -> Double {
        let angle = max(0, min(1, opening)) * 1.5708
        let square = angle * angle
        // 1 - cos, by its series.
        return closedThrottle + throttle * square * (0.5 - square * (1 / 24.0 - square / 720))
    }

    /// The opening with this effective area.
    func opening(area: Double) -> Double {
        let share = max(0, min(1, (area - closedThrottle) / throttle))
        return (share * (2 + share * (1 / 3.0 + share * 0.1341))).squareRoot() / 1.5708
    }

    /// The spark advance with the most torque; units: degrees, 1/min, share of a full cylinder.
    static func bestSpark(rpm: Double, filling: Double, residual: Double) -> Double {
        min(46, 16 + rpm / 180 - 14 * filling + 20 * max(0, residual - 0.1))
    }
}
