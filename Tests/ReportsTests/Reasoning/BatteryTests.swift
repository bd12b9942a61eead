import Diagnostics
import Formats
import Foundation
import OBDCore
import PIDTables
import TestSupport
import Testing
import TripStore

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
        // A reading each 10 / 3 s.
        #expect(
            slow.finding(.crank)?.text
                == "Too slow to tell: 3.3 s between two readings around the start.")
    }

    /// A start as a CSV log shows it: seconds, rpm and V.
    private func start(_ rows: [(until: Double, every: Double, rpm: Double, volts: Double)])
        -> BatteryFinding?
    {
        var watch = BatteryWatch()
        watch.take(-5, .ambient, t: 0)
        var (t, tick) = (0.0, 0)
        for row in rows {
            while t < row.until - 1e-9 {
                watch.take(row.rpm, .engineSpeed, t: Int64(t * 1e6))
                // A ripple of 0.05 V.
                let ripple = tick % 2 == 0 ? 0.05 : -0.05
                watch.take(row.volts + ripple, .voltage, t: Int64(t * 1e6))
                t += row.every
                tick += 1
            }
        }
        return watch.findings.first { $0.part == .crank }
    }

    /// A diesel at -5 °C, where a healthy battery stays above 8.7 + 0.4 · 7 / 11 = 8.95 V.
    @Test func `glow plugs before the starter do not hide it`() throws {
        for glow in [0.5, 1, 8] {
            for (volts, grade) in [(7.6, .low), (10.4, .good)] as [(Double, BatteryFinding.Grade)] {
                let end = 20 + glow + 1.5
                let found = try #require(
                    start([
                        (20, 0.5, 0, 12.4), (20 + glow, 0.25, 0, 11.4), (end, 0.1, 0, volts),
                        (60, 0.5, 850, 14.2),
                    ]))
                #expect(found.grade == grade, "\(glow) s, \(found)")
                #expect(abs((found.volts ?? 0) - volts) <= 0.1 && found.samples == 15, "\(found)")
            }
        }
    }

    @Test func `what lasts longer than a starter turns, or ends before it, is no start`() throws {
        // Glow plugs alone, and the start between two readings.
        let long = try #require(
            start([(20, 0.5, 0, 12.4), (28, 0.25, 0, 11.3), (60, 2, 850, 14.2)]))
        #expect(long.grade == .unknown && long.text.contains("longer than a starter"), "\(long)")
        // Lamps for two seconds; the engine is still for another three, and starts unseen.
        let early = try #require(
            start([
                (20, 0.5, 0, 12.4), (22, 0.1, 0, 11.3), (25, 0.5, 0, 12.4), (60, 2, 850, 14.2),
            ]))
        #expect(early.grade == .unknown && early.volts == nil, "\(early)")
    }

    @Test func `a start without a dip is not called too slow`() throws {
        // A belt starter of 48 V, ten readings a second.
        let belt = try #require(
            start([(20, 0.1, 0, 12.6), (20.6, 0.1, 300, 12.6), (60, 0.1, 850, 14)]))
        #expect(belt.grade == .unknown && belt.volts == nil)
        #expect(belt.text == "Not judged: no reading fell by 0.8 V as the engine started.")
        let fast = try #require(start([(20, 0.05, 0, 12.4), (60, 0.05, 2_000, 14.1)]))
        #expect(fast.text == belt.text)
        // An ECU that is silent for the 1.6 s of the start.
        let silent = try #require(
            start([(20, 0.1, 0, 12.4), (20.1, 1.6, 0, 12.4), (60, 0.1, 850, 14.1)]))
        #expect(silent.text == "Too slow to tell: 1.6 s between two readings around the start.")
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
            #expect(abs(BatteryStart.limit(celsius) - volts) < 1e-9, "\(celsius)")
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
            (11.9, false, .unknown), (11.3, false, .low), (12.97, true, .unknown),
            // From 13 V on something charges: that is no rest.
            (13.0, true, nil), (13.3, false, nil), (14.2, false, nil),
        ] as [(Double, Bool, BatteryFinding.Grade?)] {
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

    @Test func `an adapter alone, or one beside an ECU that answers, shows no sleep`() {
        for (volts, answers) in [(11.4, false), (14.2, true), (11.4, true), (12.4, true)] {
            var watch = BatteryWatch()
            for step in 0..<(18 * 60) {
                let t = Int64(step) * 20_000_000
                watch.take(adapterVoltage: volts, t: t)
                // A fuel level, which is none of the quantities.
                if answers { watch.takeAnswer(t: t) }
            }
            #expect(watch.findings.isEmpty, "\(volts) \(answers): \(watch.findings)")
        }
        // The codes are read at the connection, and nothing of the ECUs afterwards.
        for (isPolled, count) in [(true, 1), (false, 0)] {
            var watch = BatteryWatch(isPolled: isPolled)
            watch.takeAnswer(t: 0)
            for minute in 1..<360 {
                watch.take(adapterVoltage: 11.4, t: Int64(minute) * 60_000_000)
            }
            #expect(watch.findings.count == count)
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
        for (rpm, drop, level, load, grade) in [
            (1_500, 0.4, 12.2, 6, .low), (1_500, 0.4, 13.9, 6, .good),
            // Nobody switched anything on: a smart regulator may hold it there.
            (1_500, 0, 12.6, 0, .unknown), (800, 0.4, 12.2, 6, .unknown),
            // The voltage alone, or the load alone.
            (1_500, 0.4, 12.2, 0, .unknown), (1_500, 0, 12.2, 6, .unknown),
        ] as [(Double, Double, Double, Double, BatteryFinding.Grade)] {
            let found = loads(rpm, level, load: load) { $0 < 10 ? 0 : drop }
            #expect(found?.grade == grade, "\(rpm) \(drop) \(level): \(String(describing: found))")
        }
    }

    @Test func `what falls slowly or late is no consumer`() {
        // 0.4 V in 20 s are 0.06 V within 3 s; and 40 s are more than the driver has.
        let slow = loads(1_500, 12.2, load: 6) { $0 < 10 ? 0 : min(0.4, ($0 - 10) / 50) }
        let late = loads(1_500, 12.2, load: 6) { $0 < 40 ? 0 : 0.4 }
        #expect(slow?.grade == .unknown && late?.grade == .unknown)
    }

    /// Consumers are asked for at 60 s, the engine turns faster from 80 s on, and `fall` is asked in seconds after 60 s.
    private func loads(
        _ rpm: Double, _ level: Double, load: Double, fall: (Double) -> Double
    ) -> BatteryFinding? {
        var watch = BatteryWatch()
        let last = fall(100)
        for tenth in 0..<1_600 {
            let t = Int64(tenth) * 100_000
            let since = Double(tenth) / 10 - 60
            if tenth == 600 { watch.takeLoads(t: t) }
            watch.take(tenth < 100 ? 0 : since > 20 ? rpm : 800, .engineSpeed, t: t)
            watch.take(0, .speed, t: t)
            watch.take(since > 10 ? 20 + load : 20, .load, t: t)
            let volts = level + last - (since < 0 ? 0 : fall(since))
            watch.take(tenth < 100 ? 12.5 : volts, .voltage, t: t)
        }
        return watch.findings.first { $0.part == .charge }
    }

    /// 15 minutes at 2,000 rpm; 100 km/h, and 60 km/h for the second half of each minute.
    private func drive(_ slows: Bool, _ volts: (Double) -> Double) -> BatteryFinding? {
        var watch = BatteryWatch()
        for second in 0..<900 {
            let t = Int64(second) * 1_000_000
            let phase = Double(second % 60)
            let speed = phase < 30 ? min(100, 60 + 4 * phase) : max(60, 100 - 4 * (phase - 30))
            watch.take(2_000, .engineSpeed, t: t)
            watch.take(slows ? speed : 100, .speed, t: t)
            watch.take(volts(Double(second)), .voltage, t: t)
        }
        return watch.findings.first { $0.part == .charge }
    }

    @Test func `a drive on the battery alone is noticed, a smart regulator is not accused`() {
        for (slows, start, fall, grade, low) in [
            // 0.45 V in 15 minutes are 0.3 V in 10 minutes; the median is 12.07 V.
            (true, 12.3, 0.45, .low, 12.4),
            // A motorway shows no charge while slowing down.
            (false, 12.3, 0.45, .unknown, nil),
            // 0.08 V in 10 minutes, or none at all.
            (true, 12.3, 0.12, .unknown, nil), (true, 12.25, 0, .unknown, nil),
            (false, 12.25, 0, .unknown, nil), (false, 11.98, 0, .unknown, nil),
            // No regulator holds 11.9 V.
            (false, 11.9, 0, .low, 12.2),
        ] as [(Bool, Double, Double, BatteryFinding.Grade, Double?)] {
            let found = drive(slows) { start - fall * $0 / 900 }
            #expect(found?.grade == grade && found?.low == low, "\(start) \(fall): \(slows)")
        }
        // It charges while it slows down: for 11 seconds, or for too few to be sure.
        for (seconds, grade) in [(11, .good), (4, .unknown)] as [(Int, BatteryFinding.Grade)] {
            let smart = drive(true) {
                (32..<32 + seconds).contains(Int($0) % 60) ? 14.6 : 12.3 - $0 / 2_000
            }
            #expect(smart?.grade == grade)
        }
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

    /// 300 s at 90 km/h and 12.5 V, for 15 s of them without the engine.
    @Test func `a car that rolls with its engine off has no converter`() {
        for (fuel, parts, grade) in [
            (nil, [.charge], .unknown), (1, [.charge], .unknown), (4, [.charge], .unknown),
            // 15 and 23 take two fuels; the diesel of 23 has an alternator.
            (15, [.charge], .unknown), (23, [.charge], .unknown),
            (8, [.converter], .low), (16, [.converter], .low), (22, [.converter], .low),
        ] as [(Double?, [BatteryFinding.Part], BatteryFinding.Grade)] {
            var watch = BatteryWatch()
            if let fuel { watch.take(fuel, .fuelType, t: 0) }
            for second in 0..<300 {
                let t = Int64(second) * 1_000_000
                watch.take((60..<75).contains(second) ? 0 : 1_500, .engineSpeed, t: t)
                watch.take(90, .speed, t: t)
                watch.take(12.5, .voltage, t: t)
            }
            let found = watch.findings
            #expect(found.map(\.part) == parts && found.last?.grade == grade, "\(found)")
        }
    }

    @Test func `too little is told from none`() {
        var watch = BatteryWatch()
        watch.take(800, .engineSpeed, t: 0)
        #expect(watch.findings.isEmpty && !watch.hasBoth)
        watch.take(14.2, .voltage, t: 1_000_000)
        #expect(watch.findings.isEmpty && watch.hasBoth)
        var other = BatteryWatch()
        other.take(adapterVoltage: 12.4, t: 0)
        #expect(other.findings.isEmpty && !other.hasBoth)
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

/// The same from a database.
@Suite struct `Twelve volts of a stored trip` {
    /// An engine speed of 0 for the first steps of 20 s each, an adapter for six hours, and a fuel level every 10 minutes.
    private func judge(
        _ volts: Double, speeds: Int, hasLevel: Bool, steps: Int = 1_080
    ) throws -> TripBattery {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try TripStore(path: folder.appending(path: "a.db").path)
        let table = try PIDTables.standard()
        func place(_ id: String) throws -> Int {
            try #require(table.signals.firstIndex { $0.id == id })
        }
        let (rpm, level) = (try place("RPM"), try place("FLI"))
        let adapter = try place(Signal.adapterVoltage.id)
        let writer = try store.startTrip(
            TripStart(
                purpose: .log,
                anchor: TimeAnchor(
                    monotonic: .zero, utc: UTC(microseconds: 1_795_248_902_000_000)),
                vin: nil), table: table)
        for step in 0..<steps {
            var items = [reading(.number(volts), nil, signal: adapter, ecu: nil)]
            if step < speeds { items.append(reading(.number(0), signal: rpm)) }
            if hasLevel, step % 30 == 0 {
                items.append(reading(.number(60), DataID(.currentData, 0x2F), signal: level))
            }
            let time = Duration.zero + .seconds(20 * step)
            #expect(writer.offer(items.map { .reading($0) }, at: .zero + time))
        }
        try writer.end(.stopped, at: .zero + .seconds(20 * steps))
        return try TripBattery(
            of: store.readings(ofTrip: writer.trip), DriveKnowledge(causes: Causes.table))
    }

    @Test func `any answer ends the silence, and one at the connection begins none`() throws {
        for (volts, speeds, hasLevel, isOff) in [
            (11.3, 20, false, true), (11.3, 20, true, false), (11.3, 0, true, false),
            (11.3, 0, false, false), (11.3, 2, false, false), (14.2, 20, false, false),
        ] {
            let found = try judge(volts, speeds: speeds, hasLevel: hasLevel)
            #expect(found.isOff == isOff, "\(volts) \(speeds) \(hasLevel): \(found.findings)")
        }
    }

    @Test func `too little is told from none`() throws {
        for (speeds, words) in [(2, "too little"), (0, "no")] {
            let found = try judge(12.4, speeds: speeds, hasLevel: false, steps: 3)
            let text = found.text(OutputForm(format: .text))
            #expect(text.contains(": \(words) voltage beside an engine speed was read."), "\(text)")
        }
    }
}
