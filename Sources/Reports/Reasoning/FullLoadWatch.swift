/// How the engine breathes at full throttle.
struct FullLoadWatch: Sendable {
    private var highest = 0.0
    private var loads = DriveHistogram(0...100, step: 0.5)
    /// The air, over what the displacement would hold of the air around the vehicle.
    private var shares = DriveHistogram(0...3, step: 0.005)
    /// How far the manifold is below the air around the vehicle.
    private var drop = DriveSum()
    private var drops = DriveHistogram(-200...100, step: 0.5)

    mutating func takeLoad(_ load: Double, _ now: DriveMoment) {
        highest = max(highest, load)
        if now.isFull { loads.add(load) }
    }

    mutating func takeManifold(_ pressure: Double, _ now: DriveMoment) {
        guard now.isFull, let air = now.fresh(.barometric, within: 120) else { return }
        drop.add(air - pressure, at: now.t)
        drops.add(air - pressure)
    }

    /// PID 43 is the air of a stroke over that of the displacement at 1.184 g/L.
    mutating func takeAbsoluteLoad(_ load: Double, _ now: DriveMoment) {
        guard now.isFull, now.fresh(.engineSpeed) ?? 0 > 1_800,
            let air = now.fresh(.barometric, within: 600), air > 50,
            let celsius = now.fresh(.ambient, within: 600)
        else { return }
        shares.add(load / 100 * 101.3 / air * (celsius + 273.15) / 298.15)
    }

    func add(to found: inout [String: Measured], _ now: DriveMoment) {
        if highest > 0 { found["load.max"] = Measured(value: highest) }
        if loads.count >= 8, let load = loads.quantile(0.9) {
            found["load.full"] = Measured(value: load, seconds: Double(loads.count) / 4)
        }
        if shares.count >= 2, let share = shares.quantile(0.8) {
            found["air.full"] = Measured(value: share, seconds: Double(shares.count))
        }
        if now.hasMoved(.manifold), var drop = drop.measured(tau: 0.5),
            let least = drops.quantile(0.25)
        {
            // The throttle may not be wide open in the other moments.
            (drop.value, drop.error) = (least, 0)
            found["map.full"] = drop
        }
    }
}
