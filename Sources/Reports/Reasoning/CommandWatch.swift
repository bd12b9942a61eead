/// How far pressures and exhaust gas are from what the ECU commands.
struct CommandWatch: Sendable {
    private var rail = PlaceSums()
    private var boost = DriveSum()
    private var egr = DriveSum()

    mutating func takeRail(_ pressure: Double, _ now: DriveMoment) {
        guard let wanted = now.fresh(.commandedRail, within: 1), wanted > 0 else { return }
        rail.add(100 * pressure / wanted - 100, now)
    }

    mutating func takeBoost(_ pressure: Double, _ now: DriveMoment) {
        // A turbocharger needs a moment.
        guard let wanted = now.fresh(.commandedBoost, within: 1), wanted > 0,
            now.has(now.sincePull, 3)
        else { return }
        boost.add(pressure - wanted, at: now.t)
    }

    mutating func takeEGR(_ error: Double, _ now: DriveMoment) {
        // Without a command the error is a share of nothing.
        if let wanted = now.fresh(.commandedEGR), wanted >= 10 { egr.add(error, at: now.t) }
    }

    func add(to found: inout [String: Measured], _ now: DriveMoment) {
        if now.hasMoved(.railPressure) {
            found["rail.error"] = rail[.pull].measured(tau: 0.5)
            found["rail.cruise"] = rail[.cruise].measured(tau: 0.5)
        }
        if now.hasMoved(.boost) { found["boost.error"] = boost.measured(tau: 0.5) }
        if now.hasMoved(.egrError) { found["egr.error"] = egr.measured(tau: 1) }
    }
}
