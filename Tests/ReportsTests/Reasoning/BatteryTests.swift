import Testing

@testable import Reports

/// The 12 V side of a simulated vehicle.
private struct Battery {
    var watch = BatteryWatch()
    /// Samples of the adapter in a second.
    var rate = 10.0
    /// Steps of the adapter in V.
    var step = 0.1
    /// V that the adapter reads too low.
    var offset = 0.0
    /// Seconds over which the adapter averages.
    var averages = 0.0
    var phase = 0.0
    var rest = 12.5
    var plateau = 10.4
    var cranks = 0.7
    var ambient: Double? = 15
    /// V while the engine runs, by seconds since the start.
    var runs: (Double) -> Double = { _ in 14.2 }
    var hasECU = false
    var others: [DriveQuantity: Double] = [:]

    /// V at a time: rest, from 10 s on the inrush, a ripple of the compressions, and the alternator.
    func volts(_ t: Double) -> Double {
        let since = t - 10
        if since < 0 { return rest }
        if since < 0.04 { return plateau - 2.3 }
        if since < cranks { return plateau + (Int(since * 24) % 2 == 0 ? 0.25 : -0.25) }
        let risen = min(1, (since - cranks) / 0.5)
        return rest - 0.3 + (runs(since) - rest + 0.3) * risen
    }

    private func measured(_ t: Double) -> Double {
        var sum = 0.0
        let parts = averages > 0 ? 20 : 1
        for part in 0..<parts { sum += volts(t - averages * Double(part) / Double(parts)) }
        return ((sum / Double(parts) - offset) / step).rounded() * step
    }

    /// Ten seconds of ignition, the start, and the engine until `end`.
    mutating func run(until end: Double = 60) -> [BatteryFinding] {
        var next = phase / rate
        var second = 0.0
        if let ambient { watch.take(ambient, .ambient, t: 0) }
        for (quantity, value) in others { watch.take(value, quantity, t: 0) }
        while next < end {
            // The ECU is silent while the starter turns.
            while second <= next {
                if !(10...(10 + cranks)).contains(second) {
                    let t = Int64(second * 1e6)
                    watch.take(second < 10 ? 0 : 800, .engineSpeed, t: t)
                    watch.take(0, .speed, t: t)
                    if hasECU { watch.take(volts(second), .voltage, t: t) }
                }
                second += 1
            }
            watch.take(adapterVoltage: measured(next), t: Int64(next * 1e6))
            next += 1 / rate
        }
        return watch.findings
    }

    mutating func finding(
        _ part: BatteryFinding.Part, until end: Double = 60
    ) -> BatteryFinding? { run(until: end).first { $0.part == part } }
}

@Suite struct `Twelve volts` {
    // MARK: The start

    /// Starts of 0.7 s, sampled at each rate with five phases, by an adapter that averages or does not.
    @Test(arguments: [0.0, 0.1]) func `a start is judged from six samples on`(averages: Double) {
        for rate in [2, 4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60] {
            for phase in 0..<5 {
                for plateau in [8.0, 9.3, 10.4, 11.2] {
                    var battery = Battery()
                    battery.rate = Double(rate)
                    battery.phase = Double(phase) / 5
                    battery.plateau = plateau
                    battery.averages = averages
                    let found = battery.finding(.crank, until: 14)
                    let name = "\(rate)/s, phase \(phase), \(plateau) V: \(found?.text ?? "")"
                    guard let found else {
                        Issue.record("\(name)")
                        continue
                    }
                    if found.samples < 6 {
                        #expect(found.grade == .unknown && found.volts == nil, "\(name)")
                        #expect(found.text.hasPrefix("Too slow to tell"), "\(name)")
                        continue
                    }
                    #expect(abs((found.volts ?? 0) - plateau) <= 0.4, "\(name) \(found)")
                    // The limit at 15 °C is 9.5 V.
                    #expect(found.grade != (plateau < 9.5 ? .good : .low), "\(name)")
                    if rate >= 25, plateau != 9.3 {
                        #expect(found.grade == (plateau < 9.5 ? .low : .good), "\(name)")
                    }
                }
            }
        }
    }

    @Test func `two samples in a start are too few`() {
        var battery = Battery()
        battery.rate = 2
        battery.cranks = 1
        battery.plateau = 8
        #expect(battery.finding(.crank)?.text == "Too slow to tell (2 samples in the start).")
        var slow = Battery()
        slow.rate = 0.3
        slow.phase = 0.5
        #expect(slow.finding(.crank)?.text == "Too slow to tell: no reading fell into the start.")
    }

    @Test func `the inrush alone is no start`() {
        var battery = Battery()
        battery.rate = 200
        battery.cranks = 0.05
        let found = battery.finding(.crank)
        #expect(found?.grade == .unknown && found?.text.hasPrefix("Too short to tell") == true)
        #expect((found?.samples ?? 0) >= 6)
    }

    /// The common table of half-load tests.
    @Test func `the limit falls with the temperature`() {
        for (celsius, volts) in [
            (30, 9.6), (21, 9.6), (10, 9.4), (-1, 9.1), (-12, 8.7), (-18, 8.5), (-30, 8.5),
            (15.5, 9.5), (4.5, 9.25),
        ] as [(Double, Double)] {
            #expect(abs(BatteryWatch.crankLimit(celsius) - volts) < 1e-9, "\(celsius)")
        }
        for (ambient, grade) in [(25, .low), (-20, .unknown), (nil, .unknown)]
            as [(Double?, BatteryFinding.Grade)]
        {
            var battery = Battery()
            battery.rate = 40
            battery.plateau = 8.7
            battery.ambient = ambient
            #expect(battery.finding(.crank)?.grade == grade, "\(String(describing: ambient))")
        }
    }

    @Test func `an adapter that reads too low is corrected by the ECU`() {
        var battery = Battery()
        battery.rate = 40
        battery.offset = 0.6
        battery.plateau = 9.9
        battery.hasECU = true
        let found = battery.run()
        let crank = found.first { $0.part == .crank }
        #expect(crank?.grade != .low && abs((crank?.volts ?? 0) - 9.9) < 0.3)
        #expect(
            found.first { $0.part == .charge }.map { abs(($0.volts ?? 0) - 14.2) < 0.1 } ?? false)
    }

    @Test func `a load that is switched on is no start`() {
        var course = CrankCourse()
        for second in 0..<100 {
            // The starter never turned: the engine does not run.
            course.take((30..<60).contains(second) ? 11.5 : 12.5, t: Int64(second) * 100_000)
        }
        #expect(course.dip == nil)
    }

    // MARK: Rest

    @Test func `rest is judged only after hours, or where nothing else explains it`() {
        for (volts, grade, words) in [
            (12.5, .unknown, "4 to 8 hours asleep"), (12.0, .unknown, "4 to 8 hours asleep"),
            (13.3, .unknown, "lithium"), (11.2, .low, "a quarter full or less"),
            (11.6, .unknown, "4 to 8 hours asleep"),
        ] as [(Double, BatteryFinding.Grade, String)] {
            var battery = Battery()
            battery.rest = volts
            battery.hasECU = true
            battery.others = [.fuelType: 1]
            let found = battery.finding(.rest)
            #expect(found?.grade == grade && found?.text.contains(words) == true, "\(volts)")
        }
        // Glow plugs of a diesel take more for some seconds.
        var diesel = Battery()
        diesel.rest = 11.2
        diesel.hasECU = true
        diesel.others = [.fuelType: 4]
        #expect(diesel.finding(.rest)?.grade == .unknown)
    }

    @Test func `hours asleep show the charge`() {
        for (volts, isCorrected, grade) in [
            (12.6, true, .good), (12.3, true, .good), (11.9, true, .low), (12.1, true, .unknown),
            // An adapter may be off by 0.6 V.
            (11.9, false, .unknown), (11.3, false, .low), (13.3, true, .unknown),
        ] as [(Double, Bool, BatteryFinding.Grade)] {
            var watch = BatteryWatch()
            for second in 0..<60 {
                let t = Int64(second) * 1_000_000
                watch.take(800, .engineSpeed, t: t)
                if isCorrected { watch.take(14.2, .voltage, t: t) }
                watch.take(adapterVoltage: 14.2, t: t)
            }
            for minute in 2..<(5 * 60) {
                watch.take(adapterVoltage: volts, t: Int64(minute) * 60_000_000)
            }
            let found = watch.findings.first { $0.part == .rest }
            #expect(found?.grade == grade, "\(volts): \(String(describing: found))")
        }
    }

    @Test func `a gap or an ECU that answers is no sleep`() {
        for (hasGap, answers) in [(true, false), (false, true), (false, false)] {
            var watch = BatteryWatch()
            watch.take(800, .engineSpeed, t: 0)
            for minute in 1..<(5 * 60) where !(hasGap && (100..<160).contains(minute)) {
                let t = Int64(minute) * 60_000_000
                watch.take(adapterVoltage: 12.4, t: t)
                if answers, minute % 60 == 0 { watch.take(20, .coolant, t: t) }
            }
            let found = watch.findings.first { $0.part == .rest }
            #expect((found == nil) == (hasGap || answers))
        }
    }

    // MARK: Charging

    @Test func `charging is judged by what a regulator may do`() {
        for (name, ambient, grade, volts) in [
            ("fixed", 20, .good, { _ in 14.2 }), ("fixed, hot", 40, .good, { _ in 13.6 }),
            ("smart at idle", 20, .unknown, { _ in 12.7 }),
            // It charges for 12 seconds while the vehicle slows down.
            ("smart, drive", 20, .good, { $0 > 100 && $0 < 112 ? 14.8 : 12.6 }),
            ("cold", -10, .good, { _ in 15.8 }), ("warm", 25, .high, { _ in 15.8 }),
            ("gross", -10, .high, { _ in 16.4 }),
            ("a peak of two seconds", 20, .good, { $0 > 20 && $0 < 22 ? 17 : 14.2 }),
        ] as [(String, Double, BatteryFinding.Grade, (Double) -> Double)] {
            var battery = Battery()
            battery.ambient = ambient
            battery.runs = volts
            battery.hasECU = true
            let found = battery.finding(.charge, until: 200)
            #expect(found?.grade == grade, "\(name): \(String(describing: found))")
        }
    }

    @Test func `consumers and engine speed show an alternator that does not charge`() {
        for (rpm, drop, level, grade) in [
            (1_500, 0.4, 12.2, .low), (1_500, 0.4, 13.9, .good),
            // Nobody switched anything on: a smart regulator may hold it there.
            (1_500, 0, 12.6, .unknown), (800, 0.4, 12.2, .unknown),
        ] as [(Double, Double, Double, BatteryFinding.Grade)] {
            var watch = BatteryWatch()
            for tenth in 0..<1_200 {
                let t = Int64(tenth) * 100_000
                if tenth == 600 { watch.takeLoads(t: t) }
                let on = tenth >= 600
                watch.take(tenth < 100 ? 0 : on ? rpm : 800, .engineSpeed, t: t)
                watch.take(0, .speed, t: t)
                watch.take(
                    tenth < 100 ? 12.5 : on ? level : level + drop, .voltage, t: t)
            }
            let found = watch.findings.first { $0.part == .charge }
            #expect(found?.grade == grade, "\(rpm) \(drop) \(level): \(String(describing: found))")
        }
    }

    @Test func `a drive on the battery alone is noticed`() {
        var watch = BatteryWatch()
        for second in 0..<900 {
            let t = Int64(second) * 1_000_000
            watch.take(2_000, .engineSpeed, t: t)
            watch.take(60, .speed, t: t)
            watch.take(12.3 - Double(second) / 2_000, .voltage, t: t)
        }
        #expect(watch.findings.first { $0.part == .charge }?.grade == .low)
    }

    // MARK: Converters, trucks, nothing

    @Test func `a converter is judged where it must charge`() {
        for (speed, volts, grade) in [
            (0, 14.3, .good), (50, 14.3, .good), (0, 12.4, .unknown), (50, 12.4, .low),
            (50, 13.0, .good),
        ] as [(Double, Double, BatteryFinding.Grade)] {
            var watch = BatteryWatch()
            watch.take(8, .fuelType, t: 0)
            for second in 0..<100 {
                let t = Int64(second) * 1_000_000
                watch.take(speed, .speed, t: t)
                watch.take(volts, .voltage, t: t)
            }
            let found = watch.findings
            #expect(found.map(\.part) == [.converter])
            #expect(found.first?.grade == grade, "\(speed) \(volts) \(found)")
        }
    }

    @Test func `24 V and silence are not judged`() {
        var truck = Battery()
        truck.rest = 25
        truck.plateau = 20
        truck.runs = { _ in 28 }
        #expect(truck.run().map(\.grade) == [.unknown])
        #expect(BatteryWatch().findings.isEmpty)
        var watch = BatteryWatch()
        for value in [Double.nan, .infinity, 0, -5] { watch.take(adapterVoltage: value, t: 0) }
        #expect(watch.findings.isEmpty)
    }
}
