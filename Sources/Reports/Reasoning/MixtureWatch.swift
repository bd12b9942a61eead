/// The mixture that the front sensor measures, against the commanded one, and in a pull.
struct MixtureWatch: Sendable {
    /// Lambda over the commanded one.
    private var lambda = PlaceSums()
    /// The front sensor's voltage at full load.
    private var front = DriveSum()
    /// Readings of lambda in closed loop, and those that are far from the commanded one.
    private var wander = (all: 0.0, off: 0.0)
    /// The share of lean readings in pulls.
    private var pull = DriveSum()
    /// The longest stretch of a pull in which the mixture was too lean, and the current one.
    private var leanest = Measured(value: 0)
    private var lean: (from: Int64, last: Int64)?
    /// Lambda at the start of the current lean stretch, and how far it fell in the longest one.
    private var leanStart = 0.0
    private var fall: Double?
    /// The longest time in which a pull could be lean.
    private var longest = 0.0

    mutating func takeLambda(_ value: Double, _ now: DriveMoment) {
        // 0 is not a measured value, and the end of the range only says that the mixture is lean.
        guard value > 0.5, let wanted = now.fresh(.commandedLambda), wanted > 0.5 else { return }
        let longest = leanest.value
        let was = lean?.from
        takePull(isLean: value > wanted + 0.08, now)
        if lean?.from != was { leanStart = value }
        if leanest.value > longest { fall = leanStart - value }
        // A control at the end of its range no longer reaches the commanded mixture.
        let correction = (now.fresh(.shortTrim1) ?? 0) + (now.fresh(.longTrim1, within: 15) ?? 0)
        if now.sincePull == nil, now.fresh(.fuelStatus) == 2, abs(correction) < 20 {
            wander.all += 1
            if abs(value - wanted) > 0.08 { wander.off += 1 }
        }
        if now.sinceFuelCut == nil, value < 1.99 { lambda.add(value - wanted, now) }
    }

    mutating func takeFront(_ volts: Double, _ now: DriveMoment) {
        // At full load the mixture is rich on purpose; at high load it may still be 1.
        guard now.place == .pull, now.has(now.sincePull, 1.5),
            now.fresh(.fuelStatus) == 4
                || now.fresh(.commandedLambda).map({ $0 > 0.5 && $0 < 0.95 }) ?? false
        else { return }
        front.add(volts, at: now.t)
        takePull(isLean: volts < 0.45, now)
    }

    /// Leaves out the first moments of a pull, in which fuel settles on the walls.
    private mutating func takePull(isLean: Bool, _ now: DriveMoment) {
        let pulls = now.has(now.sincePull, 1.5)
        if pulls {
            pull.add(isLean ? 1 : 0, at: now.t)
            longest = max(longest, Double(now.t - (now.sincePull ?? now.t)) / 1e6 - 1.5)
        }
        guard pulls, isLean else {
            lean = nil
            return
        }
        let from = lean.flatMap { now.t - $0.last <= 1_200_000 ? $0.from : nil } ?? now.t
        lean = (from, now.t)
        let seconds = Double(now.t - from) / 1e6
        if seconds > leanest.value { leanest = Measured(value: seconds, from: from, to: now.t) }
    }

    func add(to found: inout [String: Measured]) {
        found["lambda.cruise"] = lambda[.cruise].measured(tau: 0.5)
        found["lambda.pull"] = lambda[.pull].measured(tau: 0.5)
        if wander.all >= 60 { found["lambda.off"] = Measured(value: wander.off / wander.all) }
        if let fall { found["lambda.fall"] = .span(fall, from: leanest.from, to: leanest.to) }
        found["nb.pull"] = front.measured(tau: 0.5)
        if pull.seconds > 0 {
            var leanest = leanest
            (leanest.value, leanest.seconds) = (min(leanest.value, 8), pull.seconds)
            found["lean.pull"] = leanest
            found["pull.longest"] = Measured(value: min(longest, 8), seconds: pull.seconds)
        }
    }
}
