/// Adds up the energy of a trip's battery, and finds its charging sessions.
///
/// The meter takes readings in the order of time, after a ``BatterySurvey`` has read the trip. It integrates by the
/// trapezoidal rule, assumes nothing about gaps, and prefers the counters of the battery computer where they are more
/// exact.
package struct BatteryMeter: Sendable {
    /// A value with its time; unit: µs.
    struct Sample: Sendable {
        var t: Int64
        var value: Double
    }

    /// Charging begins above this current into the battery; unit: A.
    private static let chargingCurrent = 1.0
    /// Charging goes on above this; unit: A.
    private static let leastCurrent = 0.5
    /// What is a current of 1 A for a vehicle that reports only power; unit: kW.
    private static let powerOfOneAmpere = 0.4
    /// If nothing says that the vehicle stands, a current like this out of the battery drives it; unit: A.
    private static let drivingCurrent = 5.0
    /// For the error of a vehicle that reports only power; unit: V.
    private static let usualVoltage = 350.0
    /// A session that pauses for longer has ended; unit: µs.
    private static let longestPause: Int64 = 300_000_000
    /// Shorter charging is not a session; unit: µs.
    private static let shortestSession: Int64 = 120_000_000
    /// Shorter charging may be braking if nothing says that the vehicle stands; unit: µs.
    private static let shortestSteady: Int64 = 600_000_000

    let hasCurrent: Bool
    let direction: (meaning: BatterySurvey.Direction, evidence: BatterySurvey.Evidence)?
    let isContradictory: Bool
    /// Positive out of the battery; unit: A.
    let offset: Estimated
    let hasOffset: Bool
    private let isElectric: Bool
    private let sign: Double

    private var moments: BatteryMoments
    private var last: BatteryMoment?
    private(set) var count = 0
    /// All that is not in a session.
    private(set) var drive = EnergySums()
    /// The part of ``drive`` during which the vehicle moved, or nothing says that it stood.
    private(set) var moving = EnergySums()
    private(set) var sessions: [ChargingSession] = []
    private(set) var gaps = 0.0
    private(set) var gapCount = 0
    private(set) var hasUnclearCharging = false

    private(set) var counters = BatteryCounters()
    /// What the counters took in and gave off during sessions.
    private(set) var sessionCounters = BatteryCounters.Change.nothing
    private var cells = CellWatch()
    private var isolations: [Double: Int] = [:]
    private var highestVoltage: Double?

    private var candidate: ChargingCandidate?
    private var speed: Sample?
    private var engine: Sample?
    private var flag: Sample?
    private var fastFlag: Sample?
    private var charge: Sample?
    private(set) var hasSpeed = false
    private(set) var hasCharge = false
    private(set) var engineRan = false
    private(set) var odometer: ClosedRange<Double>?
    /// Distances by speed: all, and where current and voltage were read; unit: km.
    private(set) var driven = 0.0
    private(set) var drivenWithPower = 0.0
    /// ``driven`` at the first and at the last value of the counters.
    private(set) var drivenAtCounters: (first: Double, last: Double)?
    /// The times of the first and the last value of the counters, and of the first moment; unit: µs.
    private var countersAt: (first: Int64, last: Int64)?
    private var firstMoment: Int64?

    package init(_ survey: BatterySurvey, hasCurrent: Bool) {
        self.hasCurrent = hasCurrent
        direction = survey.direction
        isContradictory = survey.isContradictory
        sign = survey.direction?.meaning == .charge ? -1 : 1
        let found = survey.offset
        offset = Estimated(sign * found.value, found.deviation)
        hasOffset = survey.hasRest
        isElectric = survey.isElectric
        moments = BatteryMoments(hasCurrent: hasCurrent)
    }

    /// Takes a reading; `t` is in microseconds.
    package mutating func take(_ value: Double, _ quantity: BatteryQuantity, t: Int64) {
        guard value.isFinite else { return }
        switch quantity {
        case .current, .voltage, .power: moments.take(value, quantity, t: t)
        case .speed: take(speed: value, t: t)
        case .engineSpeed:
            engine = Sample(t: t, value: value)
            engineRan = engineRan || value > 0 && !isElectric
        case .charging: flag = Sample(t: t, value: value)
        case .fastCharging: fastFlag = Sample(t: t, value: value)
        case .charge where (0...100).contains(value):
            hasCharge = true
            candidate?.take(charge: value, after: charge, counters)
            charge = Sample(t: t, value: value)
            cells.take(value, .charge, t: t)
        case .energyIn, .energyOut, .chargeIn, .chargeOut:
            counters.take(value, quantity, t: t)
            countersAt = (countersAt?.first ?? t, t)
            drivenAtCounters = (drivenAtCounters?.first ?? driven, driven)
        case .cellHighest, .cellLowest, .lowestCell, .temperature:
            cells.take(value, quantity, t: t)
        case .isolation where value > 0:
            if isolations.count < 4096 || isolations[value] != nil {
                isolations[value, default: 0] += 1
            }
        case .odometer where value > 0:
            let low = odometer?.lowerBound ?? value
            odometer = low...max(low, value, odometer?.upperBound ?? value)
        default: break
        }
        drain()
    }

    /// Takes the readings into account that still wait.
    package mutating func finish() {
        moments.finish()
        drain()
        endCandidate()
    }

    private mutating func drain() {
        guard !moments.ready.isEmpty else { return }
        for moment in moments.ready { add(moment) }
        moments.removeReady()
    }

    private mutating func take(speed value: Double, t: Int64) {
        guard value >= 0 else { return }
        if let speed, t > speed.t, t &- speed.t <= BatteryMoments.longestGap {
            driven += (speed.value + value) / 2 * Double(t - speed.t) / 3.6e9
        }
        hasSpeed = true
        speed = Sample(t: t, value: value)
    }

    // MARK: Moments

    /// The sum of a segment between two moments.
    private func segment(_ one: BatteryMoment, _ other: BatteryMoment) -> EnergySums {
        var sums = EnergySums()
        let dt = Double(other.t - one.t) / 1e6
        guard other.t &- one.t <= BatteryMoments.longestGap else {
            sums.addGap(seconds: dt)
            return sums
        }
        sums.add(
            power: power(one), power(other), current: (current(one) + current(other)) / 2,
            voltage: ((one.voltage ?? Self.usualVoltage) + (other.voltage ?? Self.usualVoltage))
                / 2,
            seconds: dt)
        return sums
    }

    /// Out of the battery, without the offset; unit: kW.
    private func power(_ moment: BatteryMoment) -> Double {
        guard let volts = moment.voltage else { return sign * moment.power }
        return sign * moment.power - offset.value * volts / 1000
    }

    /// Out of the battery, without the offset; unit: A, or a number like it if only power is known.
    private func current(_ moment: BatteryMoment) -> Double {
        guard let current = moment.current else {
            return sign * moment.power / Self.powerOfOneAmpere
        }
        return sign * current - offset.value
    }

    private mutating func add(_ moment: BatteryMoment) {
        guard let last, moment.t > last.t else {
            if last == nil {
                last = moment
                firstMoment = moment.t
                count = 1
                begin(moment, after: EnergySums())
            }
            return
        }
        defer { self.last = moment }
        count += 1
        let step = segment(last, moment)
        if step.gaps > 0 {
            gaps += step.gaps
            gapCount += 1
        }
        if let volts = moment.voltage { highestVoltage = max(highestVoltage ?? volts, volts) }
        cells.take(moment, current: current(moment))
        let speed = fresh(speed, at: moment.t)
        if step.gaps == 0, let speed { drivenWithPower += speed * step.seconds / 3600 }
        let into = -current(moment)
        if candidate != nil {
            let can = canCharge(at: moment.t)
            let pause = moment.t &- (candidate?.lastCharging ?? 0)
            let isDriving = can == nil && -into > Self.drivingCurrent
            if can == false || isDriving || pause > Self.longestPause {
                endCandidate()
            } else if into > Self.leastCurrent {
                let (power, known, way) = (-power(moment), charge?.value, odometer?.upperBound)
                candidate?.charge(
                    moment, into: into, power: power, step, counters, known, way)
                return
            } else {
                candidate?.pause(step)
                return
            }
        }
        if begin(moment, after: step) { return }
        drive.add(step)
        if (speed ?? 1) > 0 { moving.add(step) }
    }

    /// Begins a session, which has to last before it is one, with the step in which the current rises.
    @discardableResult private mutating func begin(
        _ moment: BatteryMoment, after step: EnergySums
    ) -> Bool {
        let into = -current(moment)
        let can = canCharge(at: moment.t)
        guard direction != nil, into > Self.chargingCurrent, can != false else { return false }
        candidate = ChargingCandidate(
            moment.t, into: into, power: -power(moment), step, counters, charge?.value,
            odometer?.upperBound, stands: can == true,
            isDirect: fresh(fastFlag, at: moment.t).map { $0 > 0 })
        return true
    }

    private func fresh(_ sample: Sample?, at t: Int64) -> Double? {
        guard let sample, abs(t &- sample.t) <= BatterySurvey.speedLife else { return nil }
        return sample.value
    }

    /// Whether the vehicle may be charged by a plug; nil if nothing says whether it stands.
    private func canCharge(at t: Int64) -> Bool? {
        if let speed = fresh(speed, at: t), speed >= 1 { return false }
        if !isElectric, let engine = fresh(engine, at: t), engine > 0 { return false }
        if let flag = fresh(flag, at: t) { return flag > 0 }
        return fresh(speed, at: t) == nil ? nil : true
    }

    private mutating func endCandidate() {
        guard let candidate else { return }
        self.candidate = nil
        let length = candidate.lastCharging - candidate.from
        let isLong =
            candidate.stands
            ? length >= Self.shortestSession
            : length >= Self.shortestSteady && candidate.isSteady
        if isLong && candidate.charges {
            let change = counters.change(from: candidate.countersFrom, to: candidate.countersTo)
            sessionCounters = sessionCounters.adding(change)
            sessions.append(
                candidate.session(hasCurrent: hasCurrent, hasCharge: hasCharge, offset, counters))
        } else {
            if !candidate.stands && length >= Self.shortestSession { hasUnclearCharging = true }
            drive.add(candidate.sums)
            if !candidate.stands { moving.add(candidate.sums) }
        }
        drive.add(candidate.tail)
    }
}

// MARK: Result

extension BatteryMeter {
    /// What the trip's battery did.
    ///
    /// - Parameters:
    ///   - distance: The distance of the trip by its odometer or speed; unit: km.
    ///   - isOdometer: Whether that is a difference of an odometer, which counts whole kilometres.
    package func use(distance: Double?, isOdometer: Bool) -> BatteryUse {
        var use = BatteryUse(
            sessions: sessions, gaps: gaps, gapCount: gapCount, engineRan: engineRan)
        use.direction = direction?.meaning
        use.evidence = direction?.evidence
        use.offset = hasOffset ? offset.value : nil
        use.cells = cells.result
        use.isolation = isolation
        use.odometer = odometer?.upperBound
        if use.cells == nil {
            use.missing[.cells] = "no cell voltages were read between 20 and 80 %"
        }
        if use.isolation == nil { use.missing[.isolation] = "no isolation resistance was read" }
        if let reason = noEnergy {
            for figure in [BatteryUse.Figure.used, .per100Km, .regenerated, .sessions, .capacity] {
                use.missing[figure] = reason
            }
            return use
        }
        addEnergy(to: &use)
        addConsumption(to: &use, distance, isOdometer)
        if use.capacity == nil {
            let reasons = sessions.compactMap(\.noShare)
            use.missing[.capacity] =
                sessions.isEmpty ? "no charging session" : reasons.last?.rawValue ?? "unknown"
        }
        if sessions.isEmpty, hasUnclearCharging {
            use.missing[.sessions] =
                "current flowed into the battery, and nothing shows that the vehicle stood"
        }
        return use
    }

    /// What was missing to know whether a positive number drives or charges.
    private static let noSign =
        "nothing shows whether a positive current drives or charges: neither the voltage (ev-voltage) nor a change of "
        + "the charge (ev-soc) by 3 points or more fits the current"

    /// Why no energy can be computed; nil if it can.
    private var noEnergy: String? {
        if count == 0 {
            return hasCurrent
                ? "no current has a voltage near it in time" : "no power of the battery was read"
        }
        if isContradictory {
            return "the voltage and the state of charge show different signs of the current"
        }
        if direction == nil { return Self.noSign }
        return nil
    }

    private var isolation: BatteryUse.Isolation? {
        let total = isolations.values.reduce(0, +)
        guard let lowest = isolations.keys.min() else { return nil }
        var passed = 0
        var middle = lowest
        for (value, number) in isolations.sorted(by: { $0.key < $1.key }) {
            passed += number
            middle = value
            if 2 * passed >= total { break }
        }
        return BatteryUse.Isolation(
            middle: middle, lowest: lowest, count: total, voltage: highestVoltage)
    }

    /// Energy outside of sessions: of the two methods the more exact one.
    private func addEnergy(to use: inout BatteryUse) {
        let own = drive.deviation(offset: offset.deviation)
        func integrated(_ value: Double, _ crossings: Double = 0) -> Estimated {
            let (gain, half) = (value * EnergySums.gain, crossings / 2)
            return Estimated(value, (own * own + gain * gain + half * half).squareRoot())
        }
        let change = counters.change - sessionCounters
        let coverage = counters.change.energy == nil ? 0 : counterCoverage
        if coverage >= 0.98, let out = change.energyOut, let into = change.energyIn,
            let step = counters.energyStep, min(out, into) > -step
        {
            let (counted, taken) = (max(0, out), max(0, into))
            // Each difference has two values that were cut to a step.
            let rounding = step / 6.0.squareRoot() * (1 + Double(sessions.count)).squareRoot()
            func figure(_ value: Double, _ number: Double) -> Estimated {
                let gain = value * EnergySums.gain
                return Estimated(
                    value, (rounding * rounding * number + gain * gain).squareRoot())
            }
            let net = figure(counted - taken, 2)
            let rest = integrated(drive.out - drive.into)
            if drive.gaps > 0 || net.deviation < rest.deviation
                || rounding <= BatteryCounters.goodRounding * abs(net.value)
            {
                use.method = .counters
                use.used = net
                use.discharged = figure(counted, 1)
                use.recharged = figure(taken, 1)
                // The counters do not know whether the vehicle moved.
                let share = drive.into > 0 ? moving.into / drive.into : 1
                use.regenerated = figure(taken * share, 1)
            }
        }
        if use.method == nil {
            guard drive.seconds > 0 else {
                let reason =
                    sessions.isEmpty
                    ? "the values are more than 10 s apart" : "the trip is a charging session"
                use.missing[.used] = reason
                use.missing[.per100Km] = reason
                use.missing[.regenerated] = reason
                return
            }
            use.method = .integration
            use.used = integrated(drive.out - drive.into)
            use.discharged = integrated(drive.out, drive.crossings)
            use.recharged = integrated(drive.into, drive.crossings)
            use.regenerated = integrated(moving.into, moving.crossings)
        }
        guard let out = use.discharged, let into = use.regenerated, out.value > 0 else { return }
        if engineRan {
            use.missing[.regenerated] = "the engine may have charged the battery, too"
        } else if out.value < 0.1 || driven == 0 && hasSpeed {
            use.missing[.regenerated] = BatteryUse.hardlyMoved
        } else {
            let share = into.value / out.value
            // Both have the gain of the same sensors.
            func rest(_ one: Estimated) -> Double {
                let gain = one.value * EnergySums.gain
                return max(0, one.deviation * one.deviation - gain * gain).squareRoot()
            }
            let (top, bottom) = (rest(into) / out.value, rest(out) * share / out.value)
            use.regeneratedShare = Estimated(share, (top * top + bottom * bottom).squareRoot())
        }
    }

    /// The share of the distance over which the counters were read, or of the time without a distance.
    private var counterCoverage: Double {
        guard let drivenAtCounters, let countersAt else { return 0 }
        if driven > 0 { return (drivenAtCounters.last - drivenAtCounters.first) / driven }
        guard let firstMoment, let last, last.t > firstMoment else { return 1 }
        return Double(countersAt.last &- countersAt.first) / Double(last.t &- firstMoment)
    }

    private func addConsumption(
        to use: inout BatteryUse, _ distance: Double?, _ isOdometer: Bool
    ) {
        guard let used = use.used else { return }
        let covered =
            use.method == .counters
            ? counterCoverage
            : driven > 0 ? min(1, drivenWithPower / driven) : drive.gaps == 0 ? 1 : 0
        let counted = odometer.map { $0.upperBound - $0.lowerBound } ?? 0
        let whole = distance ?? (counted >= 1 ? counted : nil)
        let isWhole = isOdometer || distance == nil
        if covered >= 0.98, let whole {
            // The difference of two rounded kilometres has this deviation. On short trips, the speed is more exact.
            let step = 1 / 6.0.squareRoot()
            let isBySpeed =
                driven > 0 && driven * 0.01 < step && abs(driven - whole) <= 1 + 0.03 * whole
            let way = isWhole && isBySpeed ? driven : whole
            let error = isWhole && !isBySpeed ? step : way * 0.01
            use.distance = Estimated(way, error + way * (1 - covered))
        } else if driven > 0, drivenWithPower > 0, use.method == .integration {
            use.distance = Estimated(drivenWithPower, drivenWithPower * 0.01)
        }
        if engineRan {
            use.missing[.per100Km] = "an engine ran, which may have driven the vehicle, too"
        } else if let distance = use.distance, distance.value >= 0.5 {
            let value = used.value / distance.value * 100
            let (energy, way) = (
                used.deviation / distance.value * 100,
                value * distance.deviation / distance.value
            )
            use.per100km = Estimated(value, (energy * energy + way * way).squareRoot())
        } else {
            use.missing[.per100Km] =
                use.distance != nil || driven > 0 || hasSpeed && whole ?? 0 < 0.5
                ? BatteryUse.hardlyMoved
                : whole == nil ? "no speed and no odometer were read" : "the current has gaps"
        }
    }
}

extension BatteryUse {
    init(sessions: [ChargingSession], gaps: Double, gapCount: Int, engineRan: Bool) {
        self.sessions = sessions
        self.gaps = gaps
        self.gapCount = gapCount
        self.engineRan = engineRan
        missing = [:]
    }
}
