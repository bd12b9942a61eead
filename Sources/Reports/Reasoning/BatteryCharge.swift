/// What the alternator does: charging, too much of it, or nothing.
struct BatteryCharge: Sendable {
    /// The voltages of one source while the engine runs.
    private struct Course: Sendable {
        var sum = DriveSum()
        var levels = DriveHistogram(0...40, step: 0.01)
    }

    private var courses = VoltageSources(Course())
    private var overSince: (strong: Int64?, weak: Int64?)
    private var over: BatteryFinding?
    private var strain = BatteryStrain()
    /// Voltages above 1,200 rpm.
    private var turning = DriveHistogram(0...40, step: 0.01)
    private var turningTime = DriveSum()
    /// How the voltage changes: sums of a straight line, in units of 10 minutes.
    private var line = (t: 0.0, tt: 0.0, v: 0.0, tv: 0.0, n: 0.0)
    /// The speed from which the vehicle slows down, and by how many km/h it did so altogether.
    private var fastest: (t: Int64, speed: Double)?
    private var slowed = 0.0

    // MARK: Inputs

    mutating func takeLoads(_ moment: VoltageMoment) { strain.begin(moment) }

    mutating func takeLoad(_ percent: Double, _ moment: VoltageMoment) {
        strain.takeLoad(percent, moment)
    }

    /// A smart regulator charges while the vehicle slows down: by 10 km/h within 10 seconds or less.
    mutating func takeSpeed(_ speed: Double, _ moment: VoltageMoment) {
        guard let from = fastest, speed < from.speed, moment.drive.gap <= 3_000_000,
            moment.drive.runningSince != nil
        else {
            fastest = (moment.t, speed)
            return
        }
        let lost = from.speed - speed
        guard lost >= 10 else { return }
        let isQuick = Double(moment.t - from.t) <= lost * 1e6
        if isQuick, strain.latest.map({ moment.t - $0 <= 3_000_000 }) ?? false { slowed += lost }
        fastest = (moment.t, speed)
    }

    mutating func take(_ volts: Double, isAdapter: Bool, _ moment: VoltageMoment) {
        if moment.runsSteadily {
            courses[isAdapter].sum.add(volts, at: moment.t)
            courses[isAdapter].levels.add(volts)
        }
        guard moment.isBest(isAdapter: isAdapter) else { return }
        watchOver(volts, isAdapter: isAdapter, moment)
        if moment.fresh(.engineSpeed) ?? 0 > 1_200 {
            turning.add(volts)
            turningTime.add(volts, at: moment.t)
            let time = Double(moment.t) / 6e8
            line.n += 1
            line.t += time
            line.tt += time * time
            line.v += volts
            line.tv += time * volts
        }
        strain.take(volts, isAdapter: isAdapter, moment)
    }

    /// More than 16 V for five seconds, or more than a regulator gives at this temperature for a minute.
    private mutating func watchOver(_ volts: Double, isAdapter: Bool, _ moment: VoltageMoment) {
        guard moment.runs, !moment.isHighVoltage else {
            overSince = (nil, nil)
            return
        }
        let t = moment.t
        let least = volts - moment.error(isAdapter: isAdapter)
        // Smart regulation reaches 15.5 V, above all while the vehicle slows down.
        let weak = moment.temperature.map { max(15.5, 15.2 + 0.024 * (25 - $0)) } ?? 16
        let drives = moment.fresh(.speed) == 0 || moment.fresh(.load) ?? 0 >= 25
        overSince.strong = least > 16.0 ? overSince.strong ?? t : nil
        overSince.weak = least > weak && drives ? overSince.weak ?? t : nil
        let strongly = overSince.strong.map { t - $0 >= 5_000_000 } ?? false
        let weakly = overSince.weak.map { t - $0 >= 60_000_000 } ?? false
        guard strongly || weakly, over.map({ volts > $0.volts ?? 0 }) ?? true else { return }
        let since = (strongly ? overSince.strong : overSince.weak) ?? t
        over = BatteryFinding(
            part: .charge, grade: .high, volts: volts, high: strongly ? 16 : weak,
            seconds: Double(t - since) / 1e6, temperature: moment.temperature,
            isFromAdapter: isAdapter, from: since, to: t,
            text: "The regulator lets the voltage rise too far, which damages modules.")
    }

    // MARK: Findings

    func mean(isAdapter: Bool) -> Double? {
        let sum = courses[isAdapter].sum
        return sum.count > 0 ? sum.mean : nil
    }

    /// `rest` is the voltage before the start.
    func finding(_ moment: VoltageMoment, rest: Double?) -> BatteryFinding? {
        guard moment.drive.hasRun else { return nil }
        if let over { return over }
        let isAdapter = courses.ecu.sum.count < 5
        let course = courses[isAdapter]
        guard course.sum.count >= 5 else { return nil }
        let middle = course.levels.quantile(0.5) ?? course.sum.mean
        var found = BatteryFinding(
            part: .charge, grade: .unknown,
            volts: moment.corrected(middle, isAdapter: isAdapter), samples: Int(course.sum.count),
            seconds: course.sum.seconds, temperature: moment.temperature,
            isFromAdapter: isAdapter, from: course.sum.from, to: course.sum.to, text: "")
        if moment.rolls {
            found.text =
                "Not judged: it moved with its engine off, as hybrids do, which charge by a converter."
            return found
        }
        let error = moment.error(isAdapter: isAdapter)
        let highest = moment.sources[isAdapter].held.highest?.value
        if let held = highest.map({ moment.corrected($0, isAdapter: isAdapter) }) {
            let rises = rest.map { held - $0 >= 0.5 } ?? (held - error >= 13.5)
            if held - error >= 13.1, rises {
                found.grade = .good
                found.volts = held
                found.low = 13.2
                found.high = 16
                found.text = "The alternator charges."
                return found
            }
        }
        if let low = strain.finding { return low }
        if let low = flat(moment, isAdapter: isAdapter) {
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
        _ moment: VoltageMoment, isAdapter: Bool
    ) -> (level: Double, limit: Double)? {
        let course = courses[isAdapter]
        let error = moment.error(isAdapter: isAdapter)
        guard course.sum.seconds >= 300, turningTime.seconds >= 120,
            let level = turning.quantile(0.5).map({ moment.corrected($0, isAdapter: isAdapter) }),
            moment.sources[isAdapter].held.highest.map({ $0.value + error < 13 }) ?? true,
            // The vehicle may charge for less than five seconds while it slows down.
            let peak = course.levels.quantile(0.99),
            moment.corrected(peak, isAdapter: isAdapter) + error < 13
        else { return nil }
        if level + error < 12 { return (level, 12.2) }
        let drains = turningTime.seconds >= 600 && slope ?? 0 <= -0.1 && slowed >= 50
        return drains && level + error < 12.4 ? (level, 12.4) : nil
    }

    /// The change of the voltage above 1,200 rpm; unit: V in 10 minutes.
    private var slope: Double? {
        let divisor = line.n * line.tt - line.t * line.t
        return divisor > 0 ? (line.n * line.tv - line.t * line.v) / divisor : nil
    }
}

/// A test of the alternator: with consumers on and the engine above 1,200 rpm, every one that works charges.
private struct BatteryStrain: Sendable {
    /// Consumers were switched on at this time, or so the driver was asked.
    private var loads: (t: Int64, load: Double?)?
    /// What shows that they are on: the voltage falls at once, and the ECU calculates more load.
    private var falls = false
    private var pulls = false
    /// The voltages of the last three seconds, of one source.
    private var recent: [(t: Int64, value: Double)] = []
    private var isRecentAdapter = false
    private var strain: DriveSum?
    private(set) var finding: BatteryFinding?

    /// When a voltage was last read.
    var latest: Int64? { recent.last?.t }

    mutating func begin(_ moment: VoltageMoment) {
        loads = (moment.t, moment.drive.latest(.load)?.value)
        (falls, pulls) = (false, false)
        strain = nil
    }

    mutating func takeLoad(_ percent: Double, _ moment: VoltageMoment) {
        guard let loads, moment.t - loads.t <= 30_000_000, let before = loads.load else { return }
        if percent - before >= 3, moment.fresh(.engineSpeed).map({ $0 < 1_100 }) ?? false {
            pulls = true
        }
    }

    mutating func take(_ volts: Double, isAdapter: Bool, _ moment: VoltageMoment) {
        watchFall(volts, isAdapter: isAdapter, moment.t)
        guard loads != nil else { return }
        guard moment.fresh(.engineSpeed) ?? 0 > 1_200,
            volts + moment.error(isAdapter: isAdapter) < 12.8
        else {
            strain = nil
            return
        }
        var sum = strain ?? DriveSum()
        sum.add(volts, at: moment.t)
        strain = sum
        guard falls, pulls, sum.seconds >= 30 else { return }
        finding = BatteryFinding(
            part: .charge, grade: .low, volts: sum.mean, low: 12.8, samples: Int(sum.count),
            seconds: sum.seconds, isFromAdapter: isAdapter, from: sum.from, to: moment.t,
            text:
                "With consumers on and above 1,200 rpm nothing charges: alternator, belt or cable.")
    }

    /// A consumer takes the voltage down at once, and not slowly as a regulator does.
    private mutating func watchFall(_ volts: Double, isAdapter: Bool, _ t: Int64) {
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
}
