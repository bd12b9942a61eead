/// How fast and how far the oxygen sensor before the catalyst moves, by its voltage or by lambda.
struct FrontSensorWatch: Sendable {
    /// In steady driving.
    private(set) var crossings: DriveCrossings?
    /// Two minutes in which the mixture is controlled, and the one of all in which the sensor moved least.
    private var window: (low: Double, high: Double, from: Int64, seconds: Double)?
    private var least: (low: Double, high: Double, from: Int64, to: Int64)?
    /// How long the sensor takes to show the air of a fuel cut.
    private var delays: [Double] = []
    private var cutSince: Int64?
    /// Whether the delay of this fuel cut is still to be measured: the sensor was not lean before.
    private var awaitsLean = false
    private var isLean = true

    mutating func takeFuelStatus(_ now: DriveMoment) {
        if cutSince == nil {
            awaitsLean = now.sinceFuelCut != nil && !isLean
        } else if now.sinceFuelCut == nil {
            // It never became lean.
            endDelay(atLeast: 2, now)
        }
        cutSince = now.sinceFuelCut
    }

    mutating func takeLambda(_ lambda: Double, _ now: DriveMoment) {
        // 0 is not a measured value. The end of the range only says that the sensor is in air.
        guard lambda > 0.5 else { return }
        takeLean(lambda > 1.5, now)
        if lambda < 1.99 { takeCrossing(lambda, middle: 1, now) }
    }

    mutating func take(_ volts: Double, _ now: DriveMoment) {
        takeLean(volts < 0.3, now)
        takeCrossing(volts, middle: 0.45, now)
        guard now.has(now.runningSince, 120), now.isWarm(50) else { return }
        // In a fuel cut and at full load it stands still.
        guard now.sinceFuelCut == nil, now.sincePull == nil, now.gap <= 3_000_000 else { return }
        var next = window ?? (volts, volts, now.t, 0)
        next = (
            min(next.low, volts), max(next.high, volts), next.from,
            next.seconds + Double(now.gap) / 1e6
        )
        window = next.seconds < 120 ? next : nil
        guard next.seconds >= 120 else { return }
        if least.map({ next.high - next.low < $0.high - $0.low }) ?? true {
            least = (next.low, next.high, next.from, now.t)
        }
    }

    private mutating func takeCrossing(_ value: Double, middle: Double, _ now: DriveMoment) {
        guard now.place == .cruise else { return }
        var found = crossings ?? DriveCrossings(middle: middle)
        if found.middle == middle { found.add(value) }
        crossings = found
    }

    private mutating func takeLean(_ isLean: Bool, _ now: DriveMoment) {
        self.isLean = isLean
        if isLean { endDelay(atLeast: 0, now) }
    }

    private mutating func endDelay(atLeast seconds: Double, _ now: DriveMoment) {
        guard let cutSince, awaitsLean else { return }
        awaitsLean = false
        let delay = Double(now.t - cutSince) / 1e6
        if delay >= seconds, delays.count < 256 { delays.append(delay) }
    }

    func add(to found: inout [String: Measured], _ now: DriveMoment) {
        let delays = delays.sorted()
        if delays.count >= 2 {
            found["front.delay"] = Measured(
                value: delays[delays.count / 2], seconds: Double(delays.count))
        }
        guard let least, now.latest(.fuelStatus) != nil, now.hasMoved(.frontVoltage) else { return }
        found["front.range"] = .span(least.high - least.low, from: least.from, to: least.to)
        found["front.middle"] = .span((least.high + least.low) / 2, from: least.from, to: least.to)
    }
}
