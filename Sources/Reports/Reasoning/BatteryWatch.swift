/// A judgement about the 12 V side.
package struct BatteryFinding: Hashable, Sendable {
    package enum Part: String, Hashable, Sendable {
        case rest, crank, charge, converter
    }

    package enum Grade: String, Hashable, Sendable {
        case good, low, high
        /// Not judged.
        case unknown
    }

    package var part: Part
    package var grade: Grade
    /// V; nil = not measured.
    package var volts: Double?
    /// The limits of healthy vehicles.
    package var low, high: Double?
    package var samples = 0
    package var seconds = 0.0
    /// °C, as far as it counts.
    package var temperature: Double?
    /// Whether the voltage was measured at the adapter and not by the ECU.
    package var isFromAdapter = false
    /// Microseconds since the start of the trip.
    package var from: Int64 = 0
    package var to: Int64 = 0
    /// Why, in a sentence.
    package var text: String
}

/// Judges the 12 V side of a vehicle by a recorded or live course of its voltage: at rest, while the starter turns,
/// and while something charges.
///
/// What a voltage cannot show is said instead: the charge of a battery that has not slept, a start with too few
/// samples, a smart regulator that holds the voltage low on purpose. The ripple of a bad diode is far too fast.
package struct BatteryWatch: Sendable {
    /// One source of the voltage.
    private struct Course: Sendable {
        var rest = DriveHistogram(0...40, step: 0.01)
        /// The highest mean of five seconds at rest.
        var bestRest: Double?
        private var five = DriveSum()
        var restFrom: Int64?
        var restTo: Int64 = 0
        var crank = CrankCourse()
        var held = DriveHeld(seconds: 5)
        var run = DriveSum()
        var levels = DriveHistogram(0...40, step: 0.01)
        var latest: (t: Int64, value: Double)?

        mutating func takeRest(_ volts: Double, t: Int64) {
            rest.add(volts)
            restFrom = restFrom ?? t
            restTo = t
            if five.count > 0, t - five.from > 5_000_000 {
                if five.count >= 3 { bestRest = max(bestRest ?? 0, five.mean) }
                five = DriveSum()
            }
            five.add(volts, at: t)
        }

        var restSeconds: Double { restFrom.map { Double(restTo - $0) / 1e6 } ?? 0 }
    }

    private var now = DriveMoment()
    private var t: Int64 = 0
    private var ecu = Course()
    private var adapter = Course()
    /// ECU less adapter, while the engine runs.
    private var differences = DriveHistogram(-3...3, step: 0.02)
    private var temperature: Double?
    /// Whether the ECUs are asked again and again.
    ///
    /// An ECU that is not asked may be silent and awake.
    private let isPolled: Bool
    private var isAnswered = false
    /// Since when no ECU has answered while the voltage at the adapter was read.
    private var silentSince: Int64?
    /// The voltages of a vehicle that has slept for four hours.
    private var asleep = DriveHistogram(0...40, step: 0.01)
    private var asleepTimes = (from: Int64(0), to: Int64(0))
    private var overSince: (strong: Int64?, weak: Int64?)
    private var over: BatteryFinding?
    /// Consumers were switched on at this time, or so the driver was asked.
    private var loads: (t: Int64, load: Double?)?
    /// What shows that they are on: the voltage falls at once, and the ECU calculates more load.
    private var falls = false
    private var pulls = false
    /// The voltages of the last three seconds, of one source.
    private var recent: [(t: Int64, value: Double)] = []
    private var isRecentAdapter = false
    private var strain: DriveSum?
    private var undercharged: BatteryFinding?
    /// Voltages above 1,200 rpm.
    private var turning = DriveHistogram(0...40, step: 0.01)
    private var turningTime = DriveSum()
    /// How the voltage changes: sums of a straight line, in units of 10 minutes.
    private var line = (t: 0.0, tt: 0.0, v: 0.0, tv: 0.0, n: 0.0)
    /// The speed from which the vehicle slows down, and by how many km/h it did so altogether.
    private var fastest: (t: Int64, speed: Double)?
    private var slowed = 0.0
    /// When the ECU last said that the engine is still.
    private var stillAt: Int64?
    /// Whether PID 51 has named an electric or hybrid vehicle.
    private var isDeclared = false
    private var movingLow: Int64?
    private var converterLow: BatteryFinding?

    package init(isPolled: Bool = true) { self.isPolled = isPolled }

    // MARK: Inputs

    /// Takes a reading of the ECU; `t` is in microseconds since the start of the trip.
    package mutating func take(_ value: Double, _ quantity: DriveQuantity, t: Int64) {
        guard value.isFinite else { return }
        self.t = max(self.t, t)
        now.take(value, quantity, t: self.t)
        takeAnswer(t: t)
        switch quantity {
        case .engineSpeed: if value == 0 { stillAt = self.t }
        case .speed: watchSlowing(value)
        case .fuelType: isDeclared = isDeclared || value == 8 || (16...22).contains(value)
        case .ambient where !now.hasRun: temperature = value
        case .load: watchLoad(value)
        case .voltage: takeVoltage(value, isAdapter: false)
        default: break
        }
    }

    /// An ECU has answered, whatever it said: the vehicle does not sleep.
    package mutating func takeAnswer(t: Int64) {
        self.t = max(self.t, t)
        isAnswered = true
        silentSince = nil
    }

    /// Takes the voltage at the adapter.
    package mutating func take(adapterVoltage value: Double, t: Int64) {
        guard value.isFinite, value > 1 else { return }
        self.t = max(self.t, t)
        watchSleep(value)
        takeVoltage(value, isAdapter: true)
    }

    /// Four hours in which the ECUs no longer answered, without a gap in which someone may have driven.
    private mutating func watchSleep(_ volts: Double) {
        if let last = adapter.latest, t - last.t > 1_200_000_000 { silentSince = nil }
        // From 13 V on something charges the battery, or has just done so.
        guard isPolled, isAnswered, corrected(volts, isAdapter: true) < 13 else {
            silentSince = nil
            return
        }
        let since = silentSince ?? t
        silentSince = since
        guard t - since >= 4 * 3_600_000_000 else { return }
        if asleep.count == 0 { asleepTimes.from = t }
        asleepTimes.to = t
        asleep.add(volts)
    }

    /// The driver was asked to switch consumers on.
    package mutating func takeLoads(t: Int64) {
        self.t = max(self.t, t)
        loads = (self.t, now.latest(.load)?.value)
        (falls, pulls) = (false, false)
        strain = nil
    }

    private func fresh(_ quantity: DriveQuantity) -> Double? {
        now.latest(quantity).flatMap { t - $0.t <= 3_000_000 ? $0.value : nil }
    }

    private mutating func takeVoltage(_ volts: Double, isAdapter: Bool) {
        let rpm = fresh(.engineSpeed)
        let runs = rpm ?? 0 > 400
        // ECUs are silent while the starter turns, so the last engine speed may be old.
        let isOff = !now.hasRun && now.latest(.engineSpeed)?.value ?? 0 == 0
        var course = isAdapter ? adapter : ecu
        course.latest = (t, volts)
        if !runs {
            course.crank.take(volts, t: t)
        } else {
            course.crank.engineRuns(at: t, stillAt: stillAt)
        }
        if isOff, !course.crank.isDipping { course.takeRest(volts, t: t) }
        if runs, now.has(now.runningSince, 5) {
            course.run.add(volts, at: t)
            course.levels.add(volts)
            course.held.add(volts, at: t, breaks: false)
        } else if now.latest(.engineSpeed) == nil || isHighVoltage {
            course.held.add(volts, at: t, breaks: false)
        }
        if isAdapter { adapter = course } else { ecu = course }
        if isAdapter, runs, now.has(now.runningSince, 5), let other = ecu.latest,
            t - other.t <= 1_500_000
        {
            differences.add(other.value - volts)
        }
        // The better source alone decides about the rest.
        guard !isAdapter || ecu.latest.map({ t - $0.t > 3_000_000 }) ?? true else { return }
        watchOvercharge(volts, isAdapter: isAdapter, runs: runs)
        watchFall(volts, isAdapter: isAdapter)
        watchStrain(volts, rpm, isAdapter: isAdapter)
        watchConverter(volts, isAdapter: isAdapter)
    }

    // MARK: Charging

    /// Whether it moved without its engine, as hybrids do, but also a car that is towed or rolls with its engine off.
    private var rolls: Bool {
        // 23 is a diesel engine that takes two fuels.
        !isDeclared && now.isHybrid && now.latest(.fuelType)?.value != 23
    }

    private var isHighVoltage: Bool { isDeclared || rolls }

    /// How far a voltage may be off.
    private func error(isAdapter: Bool) -> Double {
        guard isAdapter else { return 0.05 }
        return differences.count >= 5 ? 0.1 : 0.6
    }

    /// The voltage of the adapter, corrected by what the ECU said while the engine ran.
    private func corrected(_ volts: Double, isAdapter: Bool) -> Double {
        guard isAdapter, differences.count >= 5, let difference = differences.quantile(0.5) else {
            return volts
        }
        return volts + difference
    }

    /// More than 16 V for five seconds, or more than a regulator gives at this temperature for a minute.
    private mutating func watchOvercharge(_ volts: Double, isAdapter: Bool, runs: Bool) {
        guard runs, !isHighVoltage else {
            overSince = (nil, nil)
            return
        }
        let least = volts - error(isAdapter: isAdapter)
        // Smart regulation reaches 15.5 V, above all while the vehicle slows down.
        let weak = temperature.map { max(15.5, 15.2 + 0.024 * (25 - $0)) } ?? 16
        let drives = fresh(.speed) == 0 || fresh(.load) ?? 0 >= 25
        overSince.strong = least > 16.0 ? overSince.strong ?? t : nil
        overSince.weak = least > weak && drives ? overSince.weak ?? t : nil
        let strongly = overSince.strong.map { t - $0 >= 5_000_000 } ?? false
        let weakly = overSince.weak.map { t - $0 >= 60_000_000 } ?? false
        guard strongly || weakly, over.map({ volts > $0.volts ?? 0 }) ?? true else { return }
        let since = (strongly ? overSince.strong : overSince.weak) ?? t
        over = BatteryFinding(
            part: .charge, grade: .high, volts: volts, high: strongly ? 16 : weak,
            seconds: Double(t - since) / 1e6, temperature: temperature, isFromAdapter: isAdapter,
            from: since, to: t,
            text: "The regulator lets the voltage rise too far, which damages modules.")
    }

    private mutating func watchLoad(_ percent: Double) {
        guard let loads, t - loads.t <= 30_000_000, let before = loads.load else { return }
        if percent - before >= 3, fresh(.engineSpeed).map({ $0 < 1_100 }) ?? false { pulls = true }
    }

    /// A consumer takes the voltage down at once, and not slowly as a regulator does.
    private mutating func watchFall(_ volts: Double, isAdapter: Bool) {
        if isRecentAdapter != isAdapter { recent = [] }
        isRecentAdapter = isAdapter
        recent.append((t, volts))
        if let old = recent.firstIndex(where: { t - $0.t <= 3_000_000 }) { recent.removeFirst(old) }
        guard let loads, !falls, (0...30_000_000).contains(t - loads.t) else { return }
        var (before, after) = (DriveSum(), DriveSum())
        for (time, value) in recent {
            if t - time > 1_500_000 {
                before.add(value, at: time)
            } else {
                after.add(value, at: time)
            }
        }
        // Binary numbers do not hold 0.1 V exactly.
        falls = before.count >= 2 && after.count >= 2 && before.mean - after.mean > 0.1999
    }

    /// With consumers on and the engine above 1,200 rpm, every alternator that works charges.
    private mutating func watchStrain(_ volts: Double, _ rpm: Double?, isAdapter: Bool) {
        let above = rpm ?? 0 > 1_200
        if above {
            turning.add(volts)
            turningTime.add(volts, at: t)
            let time = Double(t) / 6e8
            line.n += 1
            line.t += time
            line.tt += time * time
            line.v += volts
            line.tv += time * volts
        }
        guard loads != nil else { return }
        guard above, volts + error(isAdapter: isAdapter) < 12.8 else {
            strain = nil
            return
        }
        var sum = strain ?? DriveSum()
        sum.add(volts, at: t)
        strain = sum
        guard falls, pulls, sum.seconds >= 30 else { return }
        undercharged = BatteryFinding(
            part: .charge, grade: .low, volts: sum.mean, low: 12.8, samples: Int(sum.count),
            seconds: sum.seconds, isFromAdapter: isAdapter, from: sum.from, to: t,
            text:
                "With consumers on and above 1,200 rpm nothing charges: alternator, belt or cable.")
    }

    /// The change of the voltage above 1,200 rpm; unit: V in 10 minutes.
    private var slope: Double? {
        let divisor = line.n * line.tt - line.t * line.t
        return divisor > 0 ? (line.n * line.tv - line.t * line.v) / divisor : nil
    }

    /// A smart regulator charges while the vehicle slows down: by 10 km/h within 10 seconds or less.
    private mutating func watchSlowing(_ speed: Double) {
        guard let from = fastest, speed < from.speed, now.gap <= 3_000_000, now.runningSince != nil
        else {
            fastest = (t, speed)
            return
        }
        guard from.speed - speed >= 10 else { return }
        let isRead = recent.last.map { t - $0.t <= 3_000_000 } ?? false
        if isRead, Double(t - from.t) <= (from.speed - speed) * 1e6 { slowed += from.speed - speed }
        fastest = (t, speed)
    }

    private mutating func watchConverter(_ volts: Double, isAdapter: Bool) {
        guard isDeclared, fresh(.speed) ?? 0 > 5, volts + error(isAdapter: isAdapter) < 12.8
        else {
            movingLow = nil
            return
        }
        let since = movingLow ?? t
        movingLow = since
        guard t - since >= 60_000_000 else { return }
        converterLow = BatteryFinding(
            part: .converter, grade: .low, volts: volts, low: 12.8,
            seconds: Double(t - since) / 1e6, isFromAdapter: isAdapter, from: since, to: t,
            text: "The vehicle drives, but its converter does not charge the 12 V battery.")
    }

    // MARK: Findings

    /// Whether a voltage and an engine speed were read at all.
    package var hasBoth: Bool {
        now.latest(.engineSpeed) != nil && (ecu.latest != nil || adapter.latest != nil)
    }

    /// What the course shows, and what it cannot show.
    package var findings: [BatteryFinding] {
        guard adapter.latest != nil || ecu.latest != nil else { return [] }
        let volts = [ecu, adapter].compactMap {
            $0.run.count > 0 ? $0.run.mean : $0.rest.quantile(0.5)
        }
        if let first = volts.first, first > 18 {
            return [
                BatteryFinding(
                    part: .charge, grade: .unknown, volts: first,
                    text: "A supply of 24 V is not judged.")
            ]
        }
        return isDeclared
            ? [converter].compactMap(\.self) : [rest, crank, charge].compactMap(\.self)
    }

    private var rest: BatteryFinding? {
        if let slept { return slept }
        let isAdapter = ecu.rest.count < 5
        let course = isAdapter ? adapter : ecu
        guard now.latest(.engineSpeed) != nil, course.rest.count >= 5, course.restSeconds >= 5,
            let middle = course.rest.quantile(0.5)
        else { return nil }
        let volts = corrected(middle, isAdapter: isAdapter)
        let error = error(isAdapter: isAdapter)
        var found = BatteryFinding(
            part: .rest, grade: .unknown, volts: volts, samples: course.rest.count,
            seconds: course.restSeconds, isFromAdapter: isAdapter, from: course.restFrom ?? 0,
            to: course.restTo, text: "")
        if volts > 12.95 {
            found.text =
                "Above 12.9 V at rest: just driven, on a charger, or a lithium battery. Not judged."
            return found
        }
        // The ignition takes up to 0.4 V; glow plugs take more, for some seconds.
        let best = corrected(course.bestRest ?? middle, isAdapter: isAdapter)
        if now.isPetrol || course.restSeconds >= 40, best + 0.4 + error < 12 {
            found.grade = .low
            found.volts = best
            found.low = 11.6
            found.text = "Even without the ignition's load it is a quarter full or less: charge it."
            return found
        }
        found.text =
            "Not judged: only after 4 to 8 hours asleep does it show the charge. Driving adds "
            + "0.1 to 0.3 V for hours, the ignition takes 0.1 to 0.4 V."
        return found
    }

    /// The charge of a battery that has slept; smart systems hold it at 70 to 85 % on purpose.
    private var slept: BatteryFinding? {
        guard asleep.count >= 5, let middle = asleep.quantile(0.5) else { return nil }
        let volts = corrected(middle, isAdapter: true)
        let error = error(isAdapter: true)
        var found = BatteryFinding(
            part: .rest, grade: .unknown, volts: volts, low: 12.1, samples: asleep.count,
            seconds: Double(asleepTimes.to - asleepTimes.from) / 1e6, isFromAdapter: true,
            from: asleepTimes.from, to: asleepTimes.to,
            text: "After hours asleep, but too near to the limit for this measurement.")
        if volts > 12.95 {
            found.low = nil
            found.text = "Above 12.9 V asleep: on a charger, or a lithium battery. Not judged."
        } else if volts - error >= 12.1 {
            found.grade = .good
            found.text = "After hours asleep: more than a quarter full."
        } else if volts + error < 12.06 {
            found.grade = .low
            found.text = "After hours asleep: a quarter full or less. Charge it."
        }
        return found
    }

    /// The least voltage while the starter turns a healthy engine, by a table of load tests.
    package static func crankLimit(_ celsius: Double) -> Double {
        let table = [(-18.0, 8.5), (-12, 8.7), (-1, 9.1), (10, 9.4), (21, 9.6)]
        guard let first = table.first, celsius > first.0 else { return 8.5 }
        for (lower, upper) in zip(table, table.dropFirst()) where celsius < upper.0 {
            return lower.1 + (upper.1 - lower.1) * (celsius - lower.0) / (upper.0 - lower.0)
        }
        return 9.6
    }

    private var crank: BatteryFinding? {
        let dips = [(ecu.crank.dip, false), (adapter.crank.dip, true)]
        let best = dips.max { $0.0?.samples ?? 0 < $1.0?.samples ?? 0 }
        guard let (found, isAdapter) = best, let dip = found else {
            return now.startsOff && now.hasRun ? unseenStart : nil
        }
        var result = BatteryFinding(
            part: .crank, grade: .unknown, volts: corrected(dip.plateau, isAdapter: isAdapter),
            samples: dip.samples, seconds: Double(dip.to - dip.from) / 1e6,
            temperature: startTemperature, isFromAdapter: isAdapter, from: dip.from, to: dip.to,
            text: "")
        guard dip.samples >= CrankCourse.least, let volts = result.volts else {
            result.volts = nil
            result.text =
                "Too slow to tell (\(dip.samples) \(dip.samples == 1 ? "sample" : "samples") in the start)."
            return result
        }
        guard dip.isShort else {
            result.text =
                "Not judged: it was low for longer than a starter turns, as by glow plugs."
            return result
        }
        guard dip.to - dip.from >= CrankCourse.shortest else {
            result.text = "Too short to tell: the voltage was low only for a moment."
            return result
        }
        let error = error(isAdapter: isAdapter) + (dip.rate >= 25 ? 0.1 : 0.3)
        let limits = startTemperature.map { (Self.crankLimit($0), Self.crankLimit($0)) }
        // Without a temperature the limit of deep frost accuses, and that of summer acquits.
        let (lower, upper) = limits ?? (8.5, 9.6)
        result.low = limits == nil ? 8.5 : lower
        if volts + error < lower {
            result.grade = .low
            result.text =
                "Battery, cable, earth or starter: only a meter at the battery while it cranks separates them. "
                + "Charge it fully and repeat."
        } else if volts - error >= upper {
            result.grade = .good
            result.text = "The battery turns the engine as it should."
        } else {
            result.text = "Too near to the limit for this measurement."
        }
        return result
    }

    /// A start in which no reading was low.
    private var unseenStart: BatteryFinding {
        let gaps = [ecu.crank.gap, adapter.crank.gap]
        let isAdapter = gaps[1] ?? .max < gaps[0] ?? .max || ecu.latest == nil
        let text =
            switch gaps.compactMap(\.self).min() {
            case nil: "Too slow to tell: the voltage was not read right before and after the start."
            // Any starter turns for longer.
            case let gap? where gap <= 250_000:
                "Not judged: no reading fell by 0.8 V as the engine started."
            case let gap?:
                "Too slow to tell: \(Self.tenths(gap)) s between two readings around the start."
            }
        return BatteryFinding(
            part: .crank, grade: .unknown, isFromAdapter: isAdapter, text: text)
    }

    private static func tenths(_ microseconds: Int64) -> String {
        let tenths = (microseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// The temperature before the start: of the ambient air, or of a cold engine.
    private var startTemperature: Double? {
        if let temperature { return temperature }
        guard let coolant = now.first(.coolant), let intake = now.first(.intakeAir),
            abs(coolant - intake) < 8
        else { return nil }
        return min(coolant, intake)
    }

    private var charge: BatteryFinding? {
        guard now.hasRun else { return nil }
        if let over { return over }
        let isAdapter = ecu.run.count < 5
        let course = isAdapter ? adapter : ecu
        guard course.run.count >= 5 else { return nil }
        let middle = course.levels.quantile(0.5) ?? course.run.mean
        var found = BatteryFinding(
            part: .charge, grade: .unknown, volts: corrected(middle, isAdapter: isAdapter),
            samples: Int(course.run.count), seconds: course.run.seconds, temperature: temperature,
            isFromAdapter: isAdapter, from: course.run.from, to: course.run.to, text: "")
        if rolls {
            found.text =
                "Not judged: it moved with its engine off, as hybrids do, which charge by a converter."
            return found
        }
        let error = error(isAdapter: isAdapter)
        if let held = course.held.highest.map({ corrected($0.value, isAdapter: isAdapter) }) {
            let before = rest?.volts
            let rises = before.map { held - $0 >= 0.5 } ?? (held - error >= 13.5)
            if held - error >= 13.1, rises {
                found.grade = .good
                found.volts = held
                found.low = 13.2
                found.high = 16
                found.text = "The alternator charges."
                return found
            }
        }
        if let undercharged { return undercharged }
        if let low = flat(course, error, isAdapter: isAdapter) {
            found.grade = .low
            (found.volts, found.low) = (low.level, low.limit)
            found.text = "Nothing charges above 1,200 rpm: alternator, belt or cable."
            return found
        }
        found.text =
            "Not judged: a smart regulator may hold it low on purpose, and then charges when the vehicle "
            + "slows down. Drive 15 minutes, then judge that trip."
        return found
    }

    /// The voltage that no regulator gives on purpose, and its limit.
    ///
    /// Smart regulators hold 12.2 V for as long as a motorway lasts. Below this, or if the voltage falls even though
    /// the vehicle often slowed down, the battery alone feeds the vehicle.
    private func flat(
        _ course: Course, _ error: Double, isAdapter: Bool
    ) -> (level: Double, limit: Double)? {
        guard course.run.seconds >= 300, turningTime.seconds >= 120,
            let level = turning.quantile(0.5).map({ corrected($0, isAdapter: isAdapter) }),
            course.held.highest.map({ $0.value + error < 13 }) ?? true,
            // The vehicle may charge for less than five seconds while it slows down.
            let peak = course.levels.quantile(0.99).map({ corrected($0, isAdapter: isAdapter) }),
            peak + error < 13
        else { return nil }
        if level + error < 12 { return (level, 12.2) }
        let drains = turningTime.seconds >= 600 && slope ?? 0 <= -0.1 && slowed >= 50
        return drains && level + error < 12.4 ? (level, 12.4) : nil
    }

    private var converter: BatteryFinding? {
        if let converterLow { return converterLow }
        let isAdapter = ecu.latest == nil
        let course = isAdapter ? adapter : ecu
        guard let latest = course.latest else { return nil }
        var found = BatteryFinding(
            part: .converter, grade: .unknown,
            volts: corrected(course.held.highest?.value ?? latest.value, isAdapter: isAdapter),
            isFromAdapter: isAdapter, to: t, text: "")
        if let held = course.held.highest, held.value - error(isAdapter: isAdapter) >= 12.9 {
            found.grade = .good
            found.low = 12.8
            found.seconds = held.seconds
            (found.from, found.to) = (held.from, held.to)
            found.text = "The converter charges the 12 V battery."
        } else {
            found.text =
                "Not judged: the vehicle may not have been ready to drive, where its converter charges."
        }
        return found
    }
}

/// The voltage while the starter turns.
struct CrankCourse: Sendable {
    /// How far the starter takes the voltage down at least, unlike lamps and pumps; unit: V.
    static let depth = 0.8
    /// The samples without which nothing is said.
    static let least = 6
    /// A starter turns for longer, and less is its inrush alone; unit: microseconds.
    static let shortest: Int64 = 150_000
    /// A starter that turns for longer is not told from another load; unit: microseconds.
    static let longest: Int64 = 3_000_000

    struct Dip: Hashable, Sendable {
        var samples: Int
        /// V between the inrush and the end.
        var plateau: Double
        /// Microseconds since the start of the trip.
        var from, to: Int64

        var isShort: Bool { to - from <= CrankCourse.longest }

        var rate: Double { to > from ? Double(samples - 1) * 1e6 / Double(to - from) : 0 }
    }

    /// The start with the most samples, of those which are short enough.
    private(set) var dip: Dip?
    /// The longest time between two readings around a start, at best.
    private(set) var gap: Int64?
    /// When the voltage was read before the engine ran.
    private var times: [Int64] = []
    /// The latest voltages at rest, at most 20.
    private var rest: [Double] = []
    private var samples: [(t: Int64, value: Double)] = []
    /// A dip that counts once the engine runs.
    private var ended: Dip?

    var isDipping: Bool { !samples.isEmpty }

    mutating func take(_ volts: Double, t: Int64) {
        times.append(t)
        if times.count > 1_024 { times.removeFirst(512) }
        let level = rest.sorted()[safe: rest.count / 2]
        if let level, volts < level - Self.depth {
            // A gap is another load, or another start.
            if let last = samples.last, t - last.t > 2_000_000 { samples = [] }
            if samples.count < 4_096 { samples.append((t, volts)) }
            return
        }
        close()
        rest.append(volts)
        if rest.count > 20 { rest.removeFirst() }
    }

    /// The engine runs: what was before was its start, unless the engine was still after it.
    mutating func engineRuns(at t: Int64, stillAt: Int64?) {
        close()
        if let stillAt { measureGap(from: stillAt, to: t) }
        if let ended, t - ended.to <= 20_000_000, (stillAt ?? 0) - ended.to <= 1_000_000,
            isBetter(ended)
        {
            dip = ended
        }
        ended = nil
        times = []
        rest = []
    }

    private func isBetter(_ other: Dip) -> Bool {
        guard let dip, dip.isShort == other.isShort else { return other.isShort || dip == nil }
        return other.samples > dip.samples
    }

    /// Around a start that lies between these times, or up to a second before.
    private mutating func measureGap(from stillAt: Int64, to end: Int64) {
        let before = times.lastIndex { $0 <= stillAt - 1_000_000 }
        guard let first = before ?? times.indices.first else { return }
        let around = times[first...] + [end]
        let widest = zip(around, around.dropFirst()).map { $1 - $0 }.max() ?? 0
        gap = min(gap ?? .max, widest)
    }

    private mutating func close() {
        var start = samples[...]
        samples = []
        // Glow plugs, lamps and pumps come before the starter, and take less.
        while let split = Self.fall(in: start) { start = start[split...] }
        guard let first = start.first, let last = start.last else { return }
        // The first sample may be the inrush, the last one its end.
        let inner = start.count > 4 ? start.dropFirst().dropLast() : start
        let sorted = inner.map(\.value).sorted()
        ended = Dip(
            samples: start.count, plateau: sorted[sorted.count / 2], from: first.t, to: last.t)
    }

    /// Where the mean falls most, if it falls by as much as a starter takes.
    private static func fall(in samples: ArraySlice<(t: Int64, value: Double)>) -> Int? {
        let total = samples.reduce(0) { $0 + $1.value }
        var before = 0.0
        var found: (place: Int, depth: Double)?
        for place in samples.indices.dropLast() {
            before += samples[place].value
            let count = Double(place - samples.startIndex + 1)
            let depth = before / count - (total - before) / (Double(samples.count) - count)
            if depth >= Self.depth, depth > found?.depth ?? 0 { found = (place + 1, depth) }
        }
        return found?.place
    }
}

extension Array {
    fileprivate subscript(safe place: Int) -> Element? {
        indices.contains(place) ? self[place] : nil
    }
}
