/// The air of the engine: its flow, its pressure in the manifold, and how well it fills the cylinders.
struct AirWatch: Sendable {
    private var flows = PlaceSums()
    /// The air flow that follows from the pressure, for a displacement of 1.
    private var relativeFlows = PlaceSums()
    /// The litres that would have the metered air.
    private var fillings = PlaceSums()
    private var pressures = PlaceSums()
    private var loads = PlaceSums()
    /// The calculated load per pressure.
    private var loadings = PlaceSums()
    private var idlePressures = DriveHistogram(0...255, step: 1)
    private var displacements = DriveHistogram(0...16, step: 0.01)
    /// The pressure over that of the air, with the engine off.
    private(set) var off = DriveSum()

    mutating func takeLoad(_ load: Double, _ now: DriveMoment) {
        loads.add(load, now)
        guard let pressure = now.fresh(.manifold, within: 1), pressure > 15 else { return }
        loadings.add(load / (pressure - 8), now)
    }

    mutating func takeManifold(_ pressure: Double, _ now: DriveMoment) {
        pressures.add(pressure, now)
        if now.place == .idle { idlePressures.add(pressure) }
        if let rpm = now.fresh(.engineSpeed), rpm > 400, pressure > 0 {
            let kelvin = (now.fresh(.intakeAir, within: 30) ?? 20) + 273.15
            relativeFlows.add(Self.filling(pressure) * pressure * rpm / kelvin, now)
        }
        // Many ECUs read the air pressure only before the engine starts, and the vehicle may have climbed since.
        guard !now.hasRun, now.fresh(.engineSpeed) == 0,
            let air = now.fresh(.barometric, within: 600)
        else { return }
        // Some ECUs keep the value that the running engine had.
        guard abs(pressure - air) < 30 else { return }
        off.add(pressure - air, at: now.t)
    }

    /// The share of the displacement that fresh air fills: residual gas counts more at low pressure.
    private static func filling(_ pressure: Double) -> Double {
        max(0.96 - 8 / pressure, 0.1)
    }

    mutating func takeFlow(_ flow: Double, _ now: DriveMoment) {
        guard flow > 0 else { return }
        flows.add(flow, now)
        guard let pressure = now.fresh(.manifold, within: 1), pressure > 5,
            let rpm = now.fresh(.engineSpeed, within: 1), rpm > 400,
            let air = now.fresh(.intakeAir, within: 30)
        else { return }
        // The ideal gas.
        let litres =
            flow * 120 * 0.28705 * (air + 273.15) / (pressure * rpm) / Self.filling(pressure)
        fillings.add(litres, now)
    }

    /// PID 43 is the air of a stroke over that of the displacement at 1.184 g/L.
    mutating func takeAbsoluteLoad(_ load: Double, _ now: DriveMoment) {
        guard load > 5, let flow = now.fresh(.airFlow, within: 1), flow > 0,
            let rpm = now.fresh(.engineSpeed, within: 1), rpm > 1_200
        else { return }
        displacements.add(120 * flow / (1.184 * rpm * load / 100))
    }

    func add(to found: inout [String: Measured], _ now: DriveMoment) {
        let air = now.latest(.barometric)
        if let air { found["baro"] = Measured(value: air.value, seconds: 60, to: air.t) }
        let hasPressure = now.hasMoved(.manifold)
        if now.hasMeter {
            found["metered"] = Measured(value: 1)
        } else if hasPressure {
            found["density"] = Measured(value: 1)
        }
        // An engine that idles or keeps its speed takes its air by its pressure.
        let unrest = [fillings[.idle], fillings[.cruise], loadings[.idle], loadings[.cruise]]
            .reduce(0) { max($0, $1.unrest) }
        if unrest > 0 { found["air.unrest"] = Measured(value: unrest) }
        for place in DrivePlace.allCases {
            let flow = now.hasMeter ? flows[place] : relativeFlows[place]
            found["flow.\(place)"] = flow.measured(tau: 0.5)
        }
        if hasPressure { addPressures(to: &found, now) }
        for place in [DrivePlace.raised, .cruise, .pull] {
            let (pressure, load) = (pressures[place], loads[place])
            // Without a pressure the calculated load is about its share of the air pressure.
            let share =
                hasPressure && pressure.count > 0
                ? pressure.mean / (air?.value ?? 100) : load.count > 0 ? load.mean / 100 : nil
            guard let share else { continue }
            found["choke.\(place)"] = Measured(
                value: min(1, (max(0, 1 - share) / 0.47).squareRoot()))
        }
        if now.hasMeter { addFilling(to: &found) }
    }

    private func addPressures(to found: inout [String: Measured], _ now: DriveMoment) {
        found["map.off-baro"] = off.measured(tau: 0.5)
        if let lower = idlePressures.quantile(0.25) {
            // Idle has modes, and a load such as air conditioning raises the pressure.
            var idle = pressures[.idle].measured(tau: 0.5)
            idle?.value = lower
            found["map.idle"] = idle
        }
        found["map.raised"] = pressures[.raised].measured(tau: 0.5)
        found["pressure.cruise"] = pressures[.cruise].measured(tau: 0.5)
        guard !now.hasMeter else { return }
        for place in DrivePlace.allCases {
            found["density.\(place)"] = pressures[place].measured(tau: 0.5)
        }
    }

    private func addFilling(to found: inout [String: Measured]) {
        guard let cruise = fillings[.cruise].measured(tau: 0.5), cruise.seconds >= 40 else {
            return
        }
        for (id, place) in [("idle", DrivePlace.idle), ("raised", .raised), ("full", .pull)] {
            found["k.\(id)"] = fillings[place].measured(tau: 0.5).flatMap { $0 / cruise }
        }
        guard displacements.count >= 100, let litres = displacements.quantile(0.5),
            let low = displacements.quantile(0.25), let high = displacements.quantile(0.75),
            litres > 0.2, low > 0.96 * litres, high < 1.04 * litres
        else { return }
        found["displacement"] = Measured(value: litres)
        found["k.cruise"] = Measured(
            value: cruise.value / litres, error: cruise.error / litres, seconds: cruise.seconds,
            from: cruise.from, to: cruise.to)
    }
}
