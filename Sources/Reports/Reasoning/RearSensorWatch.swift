/// The oxygen sensor after the catalyst: its level and unrest in steady driving, and whether it still moves.
struct RearSensorWatch: Sendable {
    private var cruise = DriveSum()
    private var crossings = DriveCrossings(middle: 0.45)
    /// The trim that the ECU learns from this sensor.
    private var secondary = DriveSum()
    private var extremes: (low: Double, high: Double, from: Int64, to: Int64)?
    /// The seconds of pulls and fuel cuts that the warm sensor saw.
    private var saw = (pull: 0.0, cut: 0.0, last: Int64(0))
    /// Where the sensor stays, with what it had seen at the start.
    private var still: (value: Double, from: Int64, pull: Double, cut: Double)?
    private var died: Measured?

    mutating func takeSecondary(_ trim: Double, _ now: DriveMoment) {
        if now.place == .cruise { secondary.add(trim, at: now.t) }
    }

    mutating func take(_ volts: Double, _ now: DriveMoment) {
        let (place, t) = (now.place, now.t)
        if place == .cruise {
            crossings.add(volts)
            cruise.add(volts, at: t)
        }
        guard now.has(now.runningSince, 180), now.isWarm(70) else { return }
        let gap = min(Double(t - saw.last) / 1e6, 1)
        if place == .pull { saw.pull += gap }
        if now.has(now.sinceFuelCut, 1) { saw.cut += gap }
        saw.last = t
        let old = extremes ?? (volts, volts, t, t)
        extremes = (min(old.low, volts), max(old.high, volts), old.from, t)
        // The longest time without a move, over a pull and a fuel cut: it may have died in this drive.
        guard let still, abs(volts - still.value) <= 0.02 else {
            still = (volts, t, saw.pull, saw.cut)
            return
        }
        if saw.pull - still.pull >= 2, saw.cut - still.cut >= 3, t - still.from >= 60_000_000 {
            died = .span(0.02, from: still.from, to: t)
        }
    }

    func add(to found: inout [String: Measured], front: DriveCrossings?, _ now: DriveMoment) {
        if now.hasMoved(.secondaryTrim) { found["secondary.cruise"] = secondary.measured(tau: 2) }
        if now.hasMoved(.rearVoltage), let level = cruise.measured(tau: 2) {
            found["rear.cruise"] = level
            var spread = level
            (spread.value, spread.error) = (cruise.deviation, 0)
            found["rear.sd"] = spread
            // As often as each other, or a crossing of one is missed more often.
            if let front, front.crossings >= 20, crossings.readings > front.readings / 2,
                crossings.readings < front.readings * 2
            {
                spread.value = crossings.share / front.share
                found["rear.ratio"] = spread
            }
        }
        if let died {
            found["rear.range"] = died
        } else if let extremes, saw.pull >= 2, saw.cut >= 3 {
            found["rear.range"] = .span(
                extremes.high - extremes.low, from: extremes.from, to: extremes.to)
        }
    }
}
