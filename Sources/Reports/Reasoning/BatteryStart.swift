/// The voltage while the starter turns the engine, of both sources.
struct BatteryStart: Sendable {
    private var courses = VoltageSources(CrankCourse())
    /// When the ECU last said that the engine is still.
    private var stillAt: Int64?

    mutating func takeEngine(_ rpm: Double, _ moment: VoltageMoment) {
        if rpm == 0 { stillAt = moment.t }
    }

    mutating func take(_ volts: Double, isAdapter: Bool, _ moment: VoltageMoment) {
        if moment.runs {
            courses[isAdapter].engineRuns(at: moment.t, stillAt: stillAt)
        } else {
            courses[isAdapter].take(volts, t: moment.t)
        }
    }

    func isDipping(isAdapter: Bool) -> Bool { courses[isAdapter].isDipping }

    /// The least voltage while the starter turns a healthy engine, by a table of load tests.
    static func limit(_ celsius: Double) -> Double {
        let table = [(-18.0, 8.5), (-12, 8.7), (-1, 9.1), (10, 9.4), (21, 9.6)]
        guard let first = table.first, celsius > first.0 else { return 8.5 }
        for (lower, upper) in zip(table, table.dropFirst()) where celsius < upper.0 {
            return lower.1 + (upper.1 - lower.1) * (celsius - lower.0) / (upper.0 - lower.0)
        }
        return 9.6
    }

    func finding(_ moment: VoltageMoment) -> BatteryFinding? {
        let dips = [(courses.ecu.dip, false), (courses.adapter.dip, true)]
        let best = dips.max { $0.0?.samples ?? 0 < $1.0?.samples ?? 0 }
        guard let (found, isAdapter) = best, let dip = found else {
            return moment.drive.startsOff && moment.drive.hasRun ? unseen(moment) : nil
        }
        let temperature = Self.temperature(moment)
        var result = BatteryFinding(
            part: .crank, grade: .unknown,
            volts: moment.corrected(dip.plateau, isAdapter: isAdapter), samples: dip.samples,
            seconds: Double(dip.to - dip.from) / 1e6, temperature: temperature,
            isFromAdapter: isAdapter, from: dip.from, to: dip.to, text: "")
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
        let error = moment.error(isAdapter: isAdapter) + (dip.rate >= 25 ? 0.1 : 0.3)
        // Without a temperature the limit of deep frost accuses, and that of summer acquits.
        let lower = temperature.map(Self.limit) ?? 8.5
        let upper = temperature.map(Self.limit) ?? 9.6
        result.low = lower
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
    private func unseen(_ moment: VoltageMoment) -> BatteryFinding {
        let gaps = (courses.ecu.gap, courses.adapter.gap)
        let isAdapter = gaps.1 ?? .max < gaps.0 ?? .max || moment.sources.ecu.latest == nil
        let text =
            switch [gaps.0, gaps.1].compactMap(\.self).min() {
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
    private static func temperature(_ moment: VoltageMoment) -> Double? {
        if let temperature = moment.temperature { return temperature }
        guard let coolant = moment.drive.first(.coolant),
            let intake = moment.drive.first(.intakeAir), abs(coolant - intake) < 8
        else { return nil }
        return min(coolant, intake)
    }
}
