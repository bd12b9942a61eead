/// The voltage at rest, while the starter turns the engine, and while the engine runs.
struct VoltageWatch: Sendable {
    private var rest = DriveSum()
    private var crank = DriveSum()
    private var run = DriveSum()
    private var levels = DriveHistogram(8...20, step: 0.05)
    private var highest = 0.0
    private var charge = DriveHeld()
    /// The level that was not exceeded for four minutes.
    private var discharge = DriveCeiling(seconds: 240)
    /// Sums of a straight line through the voltages, in units of 10 minutes.
    private var line = (t: 0.0, tt: 0.0, v: 0.0, tv: 0.0, n: 0.0)

    mutating func take(_ volts: Double, _ now: DriveMoment) {
        guard let rpm = now.fresh(.engineSpeed) else { return }
        if !now.hasRun {
            // The starter takes the voltage down by more than the lamps and pumps of the ignition do.
            if rest.count >= 3, volts < rest.mean - 0.8 {
                crank.add(volts, at: now.t)
            } else if rpm == 0 {
                rest.add(volts, at: now.t)
            }
        }
        guard rpm > 500, now.has(now.runningSince, 60) else { return }
        let breaks = now.gap > 5_000_000
        discharge.add(volts, at: now.t, breaks: breaks, counts: rpm > 1_000)
        charge.add(volts, at: now.t, breaks: breaks)
        run.add(volts, at: now.t)
        levels.add(volts)
        highest = max(highest, volts)
        let time = Double(now.t) / 6e8
        line.n += 1
        line.t += time
        line.tt += time * time
        line.v += volts
        line.tv += time * volts
    }

    func add(to found: inout [String: Measured], _ now: DriveMoment) {
        // Vehicles with 24 V have no limits here, and neither have hybrids, which charge by a converter.
        guard !now.isHybrid, run.mean < 18, now.hasMoved(.voltage) else { return }
        if rest.count >= 3, rest.seconds >= 2, run.seconds >= 60 {
            found["v.rest"] = rest.measured(tau: 0.5)
        }
        if crank.count >= 6 { found["v.crank"] = crank.measured(tau: 0.1) }
        found["v.low"] = discharge.lowest
        guard let middle = levels.quantile(0.5), var run = run.measured(tau: 10) else { return }
        run.error = 0
        // Smart regulation holds the voltage low and charges while the vehicle slows down.
        let isSmart = charge.highest.map { $0.value >= 13.6 } ?? true
        if !isSmart || middle >= 13.2 {
            run.value = middle
            found["v.run"] = run
        }
        // One short charge shows that the alternator works.
        if let held = charge.highest?.value, held >= 13.4 || highest < 13.6 {
            run.value = held
            found["v.max"] = run
        }
        let divisor = line.n * line.tt - line.t * line.t
        if divisor > 0 {
            run.value = (line.n * line.tv - line.t * line.v) / divisor
            found["v.slope"] = run
        }
    }
}
