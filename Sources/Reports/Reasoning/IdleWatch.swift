/// The engine at idle: its unrest, the throttle and the pressure in the tank.
struct IdleWatch: Sendable {
    private var throttle = DriveSum()
    private var tank = DriveSum()
    /// 10 seconds of engine speed.
    private var window: (start: Int64, low: Double, high: Double, sum: DriveSum)?
    private var deviations: [Double] = []
    private var windows = (from: Int64(0), to: Int64(0))

    mutating func takeThrottle(_ percent: Double, _ now: DriveMoment) {
        if now.place == .idle { throttle.add(percent, at: now.t) }
    }

    mutating func takeTank(_ pascals: Double, _ now: DriveMoment) {
        guard let purge = now.fresh(.purge), purge < 1, now.place == .idle else { return }
        tank.add(pascals / 1_000, at: now.t)
    }

    mutating func takeEngine(_ rpm: Double, _ now: DriveMoment) {
        guard now.has(now.sinceIdle, 5) else {
            window = nil
            return
        }
        var next = window ?? (now.t, rpm, rpm, DriveSum())
        next.low = min(next.low, rpm)
        next.high = max(next.high, rpm)
        next.sum.add(rpm, at: now.t)
        window = next
        guard now.t - next.start >= 10_000_000 else { return }
        // The driver may press the pedal, and a load may be switched on.
        if next.high - next.low < 400, next.sum.count >= 8, deviations.count < 4_096 {
            if deviations.isEmpty { windows.from = next.start }
            windows.to = now.t
            deviations.append(next.sum.deviation)
        }
        window = nil
    }

    func add(to found: inout [String: Measured], _ now: DriveMoment) {
        if now.hasMoved(.throttle) { found["tp.idle"] = throttle.measured(tau: 0.5) }
        if now.hasMoved(.tankPressure) { found["tank.idle"] = tank.measured(tau: 5) }
        let sorted = deviations.sorted()
        if sorted.count >= 6 {
            found["rpm.idle.sd"] = Measured(
                value: sorted[sorted.count / 2], seconds: Double(sorted.count) * 10,
                from: windows.from, to: windows.to)
        }
    }
}
