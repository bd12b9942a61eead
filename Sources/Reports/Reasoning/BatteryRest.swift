/// The voltage before the start, and that of a vehicle which has slept.
struct BatteryRest: Sendable {
    /// One source of the voltage.
    private struct Course: Sendable {
        var volts = DriveHistogram(0...40, step: 0.01)
        /// The highest mean of five seconds.
        var best: Double?
        private var five = DriveSum()
        var from: Int64?
        var to: Int64 = 0

        mutating func take(_ value: Double, t: Int64) {
            volts.add(value)
            from = from ?? t
            to = t
            if five.count > 0, t - five.from > 5_000_000 {
                if five.count >= 3 { best = max(best ?? 0, five.mean) }
                five = DriveSum()
            }
            five.add(value, at: t)
        }

        var seconds: Double { from.map { Double(to - $0) / 1e6 } ?? 0 }
    }

    private var courses = VoltageSources(Course())
    /// Whether the ECUs are asked again and again.
    private let isPolled: Bool
    private var isAnswered = false
    /// Since when no ECU has answered while the voltage at the adapter was read, and when that was last.
    private var silentSince: Int64?
    private var latest: Int64?
    /// The voltages of a vehicle that has slept for four hours.
    private var asleep = DriveHistogram(0...40, step: 0.01)
    private var asleepTimes = (from: Int64(0), to: Int64(0))

    init(isPolled: Bool) { self.isPolled = isPolled }

    mutating func takeAnswer() {
        isAnswered = true
        silentSince = nil
    }

    /// Takes a voltage at rest.
    mutating func take(_ volts: Double, isAdapter: Bool, _ moment: VoltageMoment) {
        courses[isAdapter].take(volts, t: moment.t)
    }

    /// Waits for four hours in which the ECUs no longer answer, without a gap in which someone may have driven.
    mutating func takeSleep(_ volts: Double, _ moment: VoltageMoment) {
        let t = moment.t
        if let latest, t - latest > 1_200_000_000 { silentSince = nil }
        latest = t
        // From 13 V on something charges the battery, or has just done so.
        guard isPolled, isAnswered, moment.corrected(volts, isAdapter: true) < 13 else {
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

    func median(isAdapter: Bool) -> Double? { courses[isAdapter].volts.quantile(0.5) }

    func finding(_ moment: VoltageMoment) -> BatteryFinding? {
        if let slept = slept(moment) { return slept }
        let isAdapter = courses.ecu.volts.count < 5
        let course = courses[isAdapter]
        guard moment.drive.latest(.engineSpeed) != nil, course.volts.count >= 5,
            course.seconds >= 5, let middle = course.volts.quantile(0.5)
        else { return nil }
        let volts = moment.corrected(middle, isAdapter: isAdapter)
        var found = BatteryFinding(
            part: .rest, grade: .unknown, volts: volts, samples: course.volts.count,
            seconds: course.seconds, isFromAdapter: isAdapter, from: course.from ?? 0,
            to: course.to, text: "")
        if volts > 12.95 {
            found.text =
                "Above 12.9 V at rest: just driven, on a charger, or a lithium battery. Not judged."
            return found
        }
        // The ignition takes up to 0.4 V; glow plugs take more, for some seconds.
        let best = moment.corrected(course.best ?? middle, isAdapter: isAdapter)
        if moment.drive.isPetrol || course.seconds >= 40,
            best + 0.4 + moment.error(isAdapter: isAdapter) < 12
        {
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
    private func slept(_ moment: VoltageMoment) -> BatteryFinding? {
        guard asleep.count >= 5, let middle = asleep.quantile(0.5) else { return nil }
        let volts = moment.corrected(middle, isAdapter: true)
        let error = moment.error(isAdapter: true)
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
}
