/// How the coolant becomes warm, how warm it stays and how hot it becomes.
struct CoolantWatch: Sendable {
    private var start: Double?
    /// The minutes that the engine ran until then.
    private var warmAfter: Measured?
    private var road = DriveSum()
    private var roadLevels = DriveHistogram(-40...150, step: 1)
    private var roadSpeeds = (slowest: Double.infinity, fastest: 0.0)
    private var heat = DriveHeld()
    /// The level that was not exceeded for three minutes.
    private var cooled = DriveCeiling(seconds: 180)
    private var ambient = DriveSum()

    mutating func takeAmbient(_ celsius: Double, _ now: DriveMoment) {
        ambient.add(celsius, at: now.t)
    }

    mutating func take(_ celsius: Double, _ now: DriveMoment) {
        // The ends of its range mean a broken wire.
        guard celsius > -40, celsius < 150 else { return }
        if start == nil { start = celsius }
        // Coolant becomes hotter after the engine was switched off, and cold where a hybrid drives without it.
        let runs = now.fresh(.engineSpeed, within: 5) ?? 0 > 400
        let breaks = now.gap > 5_000_000 || now.change > 15 || !runs
        let speed = now.fresh(.speed, within: 5) ?? 0
        let isMild = now.fresh(.ambient, within: 300) ?? -273 > -7
        heat.add(celsius, at: now.t, breaks: breaks)
        cooled.add(
            celsius, at: now.t, breaks: breaks || !isMild || now.ran < 300, counts: speed > 10)
        if celsius >= 70, warmAfter == nil {
            warmAfter = Measured(value: now.ran / 60, to: now.t)
        }
        // Coolant that still becomes warmer says nothing about the thermostat.
        guard runs, now.ran >= 300, now.movedWhileRunning >= now.ran / 3, isMild,
            cooled.isSettled || now.ran >= 900, speed > 60
        else { return }
        road.add(celsius, at: now.t)
        roadLevels.add(celsius)
        roadSpeeds = (min(roadSpeeds.slowest, speed), max(roadSpeeds.fastest, speed))
    }

    func add(to found: inout [String: Measured], _ now: DriveMoment) {
        found["ambient"] = ambient.measured(tau: 10)
        guard now.hasMoved(.coolant), let latest = now.latest(.coolant) else { return }
        // An engine that has not become warm shows nothing about heat.
        if let highest = heat.highest, highest.value >= 80 { found["ect.max"] = highest }
        guard !now.isHybrid else { return }
        found["ect.cruise"] = road.measured(tau: 10)
        // At one speed, an engine may keep its temperature without a thermostat, too.
        if roadSpeeds.fastest >= roadSpeeds.slowest + 20, var range = road.measured(tau: 10),
            let low = roadLevels.quantile(0.05),
            let high = roadLevels.quantile(0.95)
        {
            (range.value, range.error) = (high - low, 0)
            found["ect.range"] = range
        }
        found["ect.low"] = cooled.lowest
        guard let start, start < 40, ambient.count > 0, ambient.mean > 5 else { return }
        if let warmAfter {
            found["ect.warmup"] = warmAfter
        } else if now.ran >= 900, now.movedWhileRunning >= now.ran / 2 {
            // It has not become warm yet.
            found["ect.warmup"] = Measured(value: min(now.ran / 60, 20), to: latest.t)
        }
    }
}
