/// Charging that may become a session.
struct ChargingCandidate: Sendable {
    /// A change of the state of charge, where its value is known without a rounding.
    private struct Edge {
        var charge: Double
        var sum: Double
        var gaps: Double
        var counted: Double?
        var energy: Double
        var seconds: Double
    }

    private struct Part {
        var energy = 0.0
        var seconds = 0.0
    }

    /// Values of a state of charge that are further apart are not two steps of a counter; unit: %.
    private static let largestEdge = 2.0

    let from: Int64
    private(set) var lastCharging: Int64
    private(set) var sums = EnergySums()
    /// What came after the last charging current: a part of the session only if charging goes on.
    private(set) var tail = EnergySums()
    let countersFrom: BatteryCounters.Change
    private(set) var countersTo: BatteryCounters.Change
    /// Whether something said at the start that the vehicle stands.
    let stands: Bool
    private let isDirect: Bool?
    private var charge: (from: Double?, to: Double?)
    private var odometer: (from: Double?, to: Double?)
    private var first: Edge?
    private var last: Edge?
    private var parts: [Int: Part] = [:]
    private var isPaused = false
    private var lastCurrent: Double
    private var lastPower: Double
    private var top: Double?
    /// The greatest power of a moment; unit: kW.
    private var peak: Double
    private var changes = 0
    private var steadyChanges = 0

    init(
        _ t: Int64, into current: Double, power: Double, _ step: EnergySums,
        _ counters: BatteryCounters, _ charge: Double?, _ odometer: Double?, stands: Bool,
        isDirect: Bool?
    ) {
        from = t
        sums = step
        lastCharging = t
        countersFrom = counters.now
        countersTo = counters.now
        self.stands = stands
        self.isDirect = isDirect
        self.charge = (charge, charge)
        self.odometer = (odometer, odometer)
        (lastCurrent, lastPower) = (current, power)
        peak = power
    }

    /// Adds a moment at which current flows into the battery.
    mutating func charge(
        _ moment: BatteryMoment, into current: Double, power: Double, _ step: EnergySums,
        _ counters: BatteryCounters, _ charge: Double?, _ odometer: Double?
    ) {
        tail.add(step)
        isPaused = false
        if let charge, step.gaps == 0 {
            let place = Int(charge) / ChargingSession.pointWidth * ChargingSession.pointWidth
            parts[place, default: Part()].energy += tail.into - tail.out
            parts[place, default: Part()].seconds += tail.seconds
        }
        sums.add(tail)
        tail = EnergySums()
        lastCharging = moment.t
        countersTo = counters.now
        if step.gaps == 0 { top = max(top ?? 0, min(power, lastPower)) }
        peak = max(peak, power)
        changes += 1
        if abs(current - lastCurrent) <= max(0.5, 0.05 * current) { steadyChanges += 1 }
        (lastCurrent, lastPower) = (current, power)
        if self.charge.from == nil { self.charge.from = charge }
        self.charge.to = charge ?? self.charge.to
        if self.odometer.from == nil { self.odometer.from = odometer }
        self.odometer.to = odometer ?? self.odometer.to
    }

    /// Adds a moment without current into the battery.
    ///
    /// The step in which the current falls belongs to the session.
    mutating func pause(_ step: EnergySums) {
        if !isPaused, step.gaps == 0 { sums.add(step) } else { tail.add(step) }
        isPaused = true
    }

    /// Notes where the state of charge passes from one value to the next.
    mutating func take(
        charge value: Double, after before: BatteryMeter.Sample?, _ counters: BatteryCounters
    ) {
        guard let before, value > before.value, value - before.value <= Self.largestEdge,
            before.t >= from
        else { return }
        let edge = Edge(
            charge: (value + before.value) / 2, sum: sums.charge + tail.charge,
            gaps: sums.gaps + tail.gaps, counted: counters.now.charge,
            energy: sums.into - sums.out + tail.into - tail.out,
            seconds: sums.seconds + tail.seconds)
        if first == nil { first = edge }
        last = edge
    }

    /// Whether the current is that of a charger: braking changes it from one moment to the next.
    var isSteady: Bool {
        if let from = odometer.from, let to = odometer.to, to > from { return false }
        return changes >= 30 && Double(steadyChanges) >= 0.9 * Double(changes)
    }

    /// Whether more energy came in than a load took out.
    var charges: Bool { sums.seconds == 0 || sums.into > sums.out }

    // MARK: Result

    func session(
        hasCurrent: Bool, hasCharge: Bool, _ offset: Estimated, _ counters: BatteryCounters
    ) -> ChargingSession {
        var session = ChargingSession(from: from, to: lastCharging, gaps: sums.gaps)
        addEnergy(to: &session, offset, counters)
        session.topPower = top
        (session.chargeFrom, session.chargeTo) = charge
        session.odometer = odometer.to
        session.curve = parts.sorted { $0.key < $1.key }.compactMap { charge, part in
            guard part.seconds > 0, part.energy > 0 else { return nil }
            return ChargingSession.Point(
                charge: charge, power: part.energy / part.seconds * 3600, seconds: part.seconds)
        }
        addCurrent(to: &session)
        addShare(to: &session, hasCurrent: hasCurrent, hasCharge: hasCharge, offset, counters)
        return session
    }

    private func addEnergy(
        to session: inout ChargingSession, _ offset: Estimated, _ counters: BatteryCounters
    ) {
        if sums.seconds > 0 {
            let value = sums.into - sums.out
            let (own, gain) = (sums.deviation(offset: offset.deviation), value * EnergySums.gain)
            session.energy = Estimated(value, (own * own + gain * gain).squareRoot())
            session.method = .integration
            session.meanPower = value / sums.seconds * 3600
        }
        guard let since = counters.energySince, since &- from <= BatteryMoments.longestGap,
            let counted = counters.change(from: countersFrom, to: countersTo).energy, counted > 0,
            counters.change.energy != nil, let step = counters.energyStep
        else { return }
        // What the greatest power of the session cannot give is something else.
        let most = peak * (1 + 3 * EnergySums.gain) * session.seconds / 3600 + step
        guard counted <= most else { return }
        // Two counters, each with two values that are cut to a step.
        let (own, gain) = (step / 3.0.squareRoot(), counted * EnergySums.gain)
        let figure = Estimated(counted, (own * own + gain * gain).squareRoot())
        if sums.gaps > 0 || figure.deviation < session.energy?.deviation ?? .infinity
            || step <= BatteryCounters.goodRounding * counted
        {
            session.energy = figure
            session.method = .counters
            session.meanPower = counted / session.seconds * 3600
        }
    }

    private func addCurrent(to session: inout ChargingSession) {
        let most = ChargingSession.mostAlternating
        if let isDirect {
            session.current = isDirect ? .direct : .alternating
            session.reason = .flag
        } else if let mean = session.meanPower, mean > most {
            session.current = .direct
            session.reason = .highPower
        } else if let top, session.meanPower != nil {
            session.current = top <= most ? .alternating : nil
            session.reason = top <= most ? .lowPower : .unclear
        }
    }

    private func addShare(
        to session: inout ChargingSession, hasCurrent: Bool, hasCharge: Bool, _ offset: Estimated,
        _ counters: BatteryCounters
    ) {
        guard hasCurrent else { return session.noShare = .noCurrent }
        guard hasCharge else { return session.noShare = .noCharge }
        guard let first, let last, last.charge - first.charge >= BatteryCapacity.fewestPoints else {
            let rise = (charge.to ?? 0) - (charge.from ?? 0)
            return session.noShare = rise < BatteryCapacity.fewestPoints ? .tooShort : .tooSeldom
        }
        let own = BatteryCapacity.chargeDeviation
        let points = Estimated(last.charge - first.charge, own * 2.0.squareRoot())
        var charge: Estimated?
        if last.gaps == first.gaps {
            let drift = offset.deviation * (last.seconds - first.seconds) / 3600
            charge = Estimated(last.sum - first.sum, drift)
        }
        if let end = last.counted, let start = first.counted, counters.change.charge != nil,
            end > start, let step = counters.chargeStep
        {
            let figure = Estimated(end - start, step / 3.0.squareRoot())
            if figure.deviation < charge?.deviation ?? .infinity { charge = figure }
        }
        guard let charge else { return session.noShare = .gaps }
        session.share = ChargingSession.Share(charge: charge, points: points)
        let sum = last.sum - first.sum
        if sum > 0, last.energy > first.energy {
            session.share?.energyPerCharge = (last.energy - first.energy) / sum
        }
    }
}

extension ChargingSession {
    init(from: Int64, to: Int64, gaps: Double) {
        self.from = from
        self.to = to
        self.gaps = gaps
        curve = []
        reason = .unknown
    }
}
