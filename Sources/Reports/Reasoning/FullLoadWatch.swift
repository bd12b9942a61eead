/// How the engine breathes at full throttle.
struct FullLoadWatch: Sendable {
    /// A manifold that is so far above the air around the vehicle is filled by a turbocharger; unit: kPa below.
    private static let boosted = -6.0
    /// No engine without a turbocharger holds so much air.
    private static let charged = 1.25

    private var highest = 0.0
    private var loads = DriveHistogram(0...100, step: 0.5)
    /// The air, over what the displacement would hold of the air around the vehicle.
    private var shares = DriveHistogram(0...3, step: 0.005)
    /// How far the manifold is below the air around the vehicle.
    private var drop = DriveSum()
    private var drops = DriveHistogram(-200...100, step: 0.5)
    /// A reading of the manifold that counts if the throttle is still wide open after it.
    private var waiting: (drop: Double, t: Int64)?

    mutating func takeLoad(_ load: Double, _ now: DriveMoment) {
        highest = max(highest, load)
        if now.has(now.sinceFull, 2) { loads.add(load) }
    }

    mutating func takeManifold(_ pressure: Double, _ now: DriveMoment) {
        guard now.isFull, let air = now.fresh(.barometric, within: 120) else { return }
        waiting = (air - pressure, now.t)
    }

    /// The driver may have let go before the manifold was read.
    mutating func takeThrottle(_ now: DriveMoment) {
        if let waiting, now.isFull {
            drop.add(waiting.drop, at: waiting.t)
            drops.add(waiting.drop)
        }
        waiting = nil
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
            // Not every ECU corrects it for the height.
            let air = now.latest(.barometric)?.value ?? 101.3
            let most = min(100, load * max(1, 101.3 / max(air, 50)))
            found["load.full"] = Measured(
                value: (load + most) / 2, error: (most - load) / 3.92,
                seconds: Double(loads.count) / 4)
        }
        if shares.count >= 2, let share = shares.quantile(0.8), share < Self.charged {
            found["air.full"] = Measured(value: share, seconds: Double(shares.count))
        }
        if now.hasMoved(.manifold), var drop = drop.measured(tau: 0.5),
            let least = drops.quantile(0.25), least > Self.boosted
        {
            // The throttle may not be wide open in the other moments.
            (drop.value, drop.error) = (least, 0)
            found["map.full"] = drop
        }
    }
}
