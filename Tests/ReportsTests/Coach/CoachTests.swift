import Formats
import OBDCore
import Testing

@testable import Reports

/// A vehicle and its driver, who does what the coach says, or something else.
private struct Drive {
    var coach: Coach
    var t: Int64 = 0
    var rpm = 0.0
    var speed = 0.0
    var coolant = 85.0
    var volts = 12.5
    /// 2 = a supply of 24 V.
    var factor = 1.0
    var load = 20.0
    var fuelStatus = 2.0
    /// What the adapter measures; nil = the same.
    var adapter: Double?
    /// What the vehicle does not report.
    var without: Set<DriveQuantity> = []
    var others: [DriveQuantity: Double] = [:]
    private(set) var spoken: [String] = []
    /// When the present step began.
    private var began: (step: CoachStep, t: Int64)?

    init(_ coach: Coach) { self.coach = coach }

    /// Seconds since the present step began.
    var seconds: Double { Double(t - (began?.t ?? t)) / 1e6 }

    /// A driver who obeys.
    mutating func obey(_ step: CoachStep) {
        (speed, load, fuelStatus) = (0, 20, 2)
        switch step {
        case .park, .glance: break
        case .ignition: (rpm, volts) = (0, 12.5)
        case .start:
            if seconds >= 2, seconds < 2.8 {
                (rpm, volts) = (200, 10.2)
            } else if seconds >= 2.8 {
                (rpm, volts) = (800, 14.2)
            }
        case .ready: volts = 14.2
        case .charge, .idle, .release, .stop: rpm = 800
        case .loads: rpm = 1_500
        case .raised: rpm = 2_500
        case .cruise: (rpm, speed) = (2_200, 80)
        case .pull:
            // Four seconds, then ten seconds of nothing.
            let pulls = seconds.truncatingRemainder(dividingBy: 14) < 4.4
            (rpm, speed, load) = (3_200, 70, pulls ? 95 : 30)
        case .roll: (rpm, speed, load, fuelStatus) = (1_800, 60, 4, 4)
        }
    }

    /// Drives until the test is over, five readings of each quantity a second.
    mutating func run(_ other: (inout Drive, CoachStep) -> Void = { _, _ in }) {
        while !coach.isOver {
            guard t < 7_200_000_000, let step = coach.step else {
                Issue.record("the test does not end")
                return
            }
            if began?.step != step { began = (step, t) }
            obey(step)
            other(&self, step)
            coach.take(adapterVoltage: adapter ?? volts * factor, t: t)
            var readings: [(DriveQuantity, Double)] = [
                (.speed, speed), (.engineSpeed, rpm), (.coolant, coolant), (.load, load),
                (.fuelStatus, fuelStatus), (.voltage, volts * factor),
            ]
            readings += others.sorted { $0.key.place < $1.key.place }.map { ($0.key, $0.value) }
            for (quantity, value) in readings where !without.contains(quantity) {
                coach.take(value, quantity, t: t)
            }
            spoken += coach.takeSentences().map(\.text)
            t += 200_000
        }
        spoken += coach.takeSentences().map(\.text)
    }

    var done: [CoachStep] { coach.results.filter { $0.skip == nil }.map(\.step) }
    func skip(_ step: CoachStep) -> Coach.Skip? {
        coach.results.first { $0.step == step }.flatMap(\.skip)
    }
}

@Suite struct `The coach` {
    private static let kinds = Coach.Kind.allCases
    private static let courses: [Coach.Course] = [.guided, .parked, .quick, .battery]

    // MARK: Drivers who obey

    @Test func `a warm petrol car is tested standing, then driving`() {
        var drive = Drive(Coach(.init(.guided, .petrol)))
        drive.run()
        #expect(
            drive.done == [
                .park, .ignition, .start, .idle, .raised, .release, .cruise, .pull, .roll,
            ])
        #expect(drive.coach.broken == nil && drive.spoken.last == "The test is done.")
        // Two minutes after the start, ten seconds until idle counts, and forty seconds of it.
        let idle = drive.coach.results.first { $0.step == .idle }
        #expect((idle?.held ?? 0) >= 40)
    }

    @Test func `a cold petrol car is driven warm before it idles`() {
        var drive = Drive(Coach(.init(.guided, .petrol)))
        drive.coolant = 20
        drive.run { drive, step in
            if step == .cruise { drive.coolant = min(88, 20 + drive.seconds / 4) }
        }
        #expect(
            drive.done == [
                .park, .ignition, .start, .cruise, .pull, .roll, .stop, .idle, .raised, .release,
            ])
        #expect(drive.spoken.contains(CoachWords.coldDrive))
    }

    @Test func `other vehicles have their own steps`() {
        for (course, kind, done) in [
            (
                .guided, .diesel,
                [.park, .ignition, .start, .idle, .raised, .release, .cruise, .pull]
            ),
            (.parked, .petrol, [.park, .ignition, .start, .charge, .idle, .raised, .release]),
            (.parked, .diesel, [.park, .ignition, .start, .charge, .idle, .raised, .release]),
            (.guided, .hybrid, [.park, .ignition, .ready, .cruise, .pull, .roll]),
            (.guided, .electric, [.park, .ready]), (.battery, .electric, [.park, .ready]),
            (.battery, .petrol, [.park, .ignition, .start, .charge]),
            (.quick, .petrol, [.glance]),
        ] as [(Coach.Course, Coach.Kind, [CoachStep])] {
            var drive = Drive(Coach(.init(course, kind)))
            drive.run()
            #expect(drive.done == done && drive.coach.broken == nil, "\(course) \(kind)")
        }
    }

    @Test func `a quick test without an engine speed names the test that does without`() throws {
        var drive = Drive(Coach(.init(.quick, .electric)))
        drive.without = [.engineSpeed]
        drive.run()
        #expect(drive.skip(.glance) == .unknown)
        let steps = TestedSteps(
            trip: 1, start: UTC(microseconds: 0), steps: drive.coach.results, broken: nil)
        #expect(steps.text(OutputForm(format: .text)).contains("obdscan diagnose --battery"))
        var engine = Drive(Coach(.init(.quick, .petrol)))
        engine.run()
        #expect(engine.skip(.glance) == nil)
    }

    @Test func `a battery that nothing charges is tested with consumers on`() {
        var drive = Drive(Coach(.init(.battery, .petrol)))
        drive.run { drive, _ in drive.volts = min(drive.volts, 12.3) }
        #expect(drive.done == [.park, .ignition, .start, .loads])
        #expect(drive.spoken.contains("Lights, rear window heater and fan on full."))
        #expect(
            drive.spoken.suffix(2) == [
                "Let go of the pedal. Switch the consumers off.", "The test is done.",
            ])
        for (change, reason) in [
            ({ $0.rpm = 800 }, nil), ({ $0.coolant = 116 }, .heat),
        ] as [((inout Drive) -> Void, Coach.Break?)] {
            var other = Drive(Coach(.init(.battery, .petrol)))
            other.run { drive, step in
                drive.volts = min(drive.volts, 12.3)
                if step == .loads { change(&drive) }
            }
            #expect(other.skip(.loads) == (reason == nil ? .late : .ended))
            #expect(other.coach.broken == reason)
            #expect(other.spoken.contains("Let go of the pedal. Switch the consumers off."))
        }
    }

    @Test func `fuel and engine speed tell the kind`() {
        for (fuel, hasEngine, kind) in [
            (1, true, .petrol), (nil, true, .petrol), (nil, false, .electric), (4, true, .diesel),
            (8, true, .electric), (17, true, .hybrid), (23, true, .diesel),
        ] as [(Int?, Bool, Coach.Kind)] {
            #expect(Coach.Kind(fuelType: fuel, hasEngineSpeed: hasEngine) == kind)
        }
    }

    // MARK: Drivers who do something else

    @Test func `the wrong engine speed is no 2,500, and the driver hears what to do`() {
        var drive = Drive(Coach(.init(.parked, .petrol)))
        drive.run { drive, step in if step == .raised { drive.rpm = 2_000 } }
        #expect(drive.skip(.raised) == .late && drive.spoken.contains(CoachWords.more))
        #expect(!drive.done.contains(.release))
        #expect(drive.spoken.count { $0 == "Let go of the pedal." } == 1)
        var fast = Drive(Coach(.init(.parked, .petrol)))
        fast.run { drive, step in if step == .raised { drive.rpm = 3_100 } }
        #expect(fast.skip(.raised) == .late && fast.spoken.contains(CoachWords.less))
    }

    @Test func `a driver who lets go early has not held it`() {
        var drive = Drive(Coach(.init(.parked, .petrol)))
        drive.run { drive, step in
            if step == .raised, drive.seconds > 20 { drive.rpm = 800 }
        }
        #expect(drive.skip(.raised) == .late)
        let held = drive.coach.results.first { $0.step == .raised }?.held ?? 0
        #expect(held > 10 && held < 17)
    }

    @Test func `a driver who drives off ends the parked part`() {
        var drive = Drive(Coach(.init(.parked, .petrol)))
        drive.run { drive, step in if step == .idle, drive.seconds > 5 { drive.speed = 12 } }
        #expect(drive.coach.broken == .moves && !drive.done.contains(.idle))
        #expect(drive.skip(.raised) == .ended)
    }

    @Test func `an engine that stalls is to be started, and ends the test otherwise`() {
        var drive = Drive(Coach(.init(.parked, .petrol)))
        drive.run { drive, step in if step == .idle, drive.seconds > 5 { drive.rpm = 0 } }
        #expect(drive.coach.broken == .engineOff && drive.spoken.contains(CoachWords.engineOff))
        var again = Drive(Coach(.init(.parked, .petrol)))
        again.run { drive, step in
            if step == .idle, (5...12).contains(drive.seconds) { drive.rpm = 0 }
        }
        // Two minutes after the second start.
        #expect(again.coach.broken == nil && again.done.contains(.idle))
    }

    @Test func `a driver who never starts the engine ends the test`() {
        var drive = Drive(Coach(.init(.battery, .petrol)))
        drive.run { drive, step in if step == .start { (drive.rpm, drive.volts) = (0, 12.4) } }
        #expect(drive.coach.broken == .engineOff)
    }

    @Test func `a vehicle that vanishes is silent, and nobody is asked to start its engine`() {
        for step in [CoachStep.ignition, .start, .charge] {
            var drive = Drive(Coach(.init(.battery, .petrol)))
            drive.run { drive, now in
                if now == step {
                    drive.without = Set(DriveQuantity.allCases)
                    drive.volts = 12.4
                }
            }
            #expect(drive.coach.broken == .silence, "\(step)")
            #expect(drive.spoken.contains("Start the engine.") == (step != .ignition))
        }
    }

    @Test func `whoever drives when the test begins is not asked to switch the engine off`() {
        var drive = Drive(Coach(.init(.guided, .petrol)))
        drive.run { drive, _ in (drive.rpm, drive.speed) = (2_000, 60) }
        #expect(drive.coach.broken == .moves && drive.skip(.park) == .ended)
        var silent = Drive(Coach(.init(.guided, .petrol)))
        silent.run { drive, _ in
            (drive.rpm, drive.speed) = (2_000, 60)
            if drive.seconds > 30 { drive.without = [.speed] }
        }
        #expect(silent.coach.broken == .silence)
        #expect((drive.spoken + silent.spoken).allSatisfy { !$0.contains("engine off") })
    }

    @Test func `an engine that runs at the beginning skips its start`() {
        var drive = Drive(Coach(.init(.parked, .petrol)))
        drive.run { drive, step in if step == .ignition { drive.rpm = 800 } }
        #expect(drive.skip(.ignition) == .late && drive.skip(.start) == .running)
        #expect(drive.done.contains(.idle))
    }

    @Test func `one pull is not two, and a pull of two seconds is none`() {
        for (length, done) in [(2.5, false), (4.4, true)] {
            var drive = Drive(Coach(.init(.guided, .petrol)))
            drive.run { drive, step in
                guard step == .pull else { return }
                let place = drive.seconds.truncatingRemainder(dividingBy: 14)
                drive.load = place < length ? 95 : 30
            }
            #expect(drive.done.contains(.pull) == done)
        }
        var once = Drive(Coach(.init(.guided, .petrol)))
        once.run { drive, step in if step == .pull, drive.seconds > 10 { drive.load = 30 } }
        #expect(once.skip(.pull) == .late && once.spoken.contains(CoachWords.again))
    }

    @Test func `the end of four seconds is told while the driver still pulls, each time`() {
        var drive = Drive(Coach(.init(.guided, .petrol)))
        var told: [(load: Double, seconds: Double)] = []
        var heard = 0
        drive.run { drive, step in
            // A driver who waits for the sentence.
            if step == .pull {
                drive.load = drive.seconds.truncatingRemainder(dividingBy: 14) < 6 ? 95 : 30
            }
            let new = drive.spoken.count { $0 == "Lift off." }
            if new > heard { told.append((drive.load, drive.seconds)) }
            heard = new
        }
        #expect(told.map(\.load) == [95, 95])
        #expect(
            told.allSatisfy { (4...4.6).contains($0.seconds.truncatingRemainder(dividingBy: 14)) })
        #expect(drive.spoken.count { $0 == CoachWords.again } == 1)
        // Two pulls of 5.8 s without their first seconds.
        let held = drive.coach.results.first { $0.step == .pull }?.held ?? 0
        #expect(abs(held - 9.6) < 0.01)
    }

    @Test func `readings that are four seconds apart, or at a standstill, are no pull`() {
        for (name, change) in [
            ("gaps", { if $0.t % 4_000_000 != 0 { $0.without = [.load] } }),
            ("still", { $0.speed = 0 }), ("slow", { $0.speed = 20 }),
            ("unknown", { $0.without = [.speed] }),
        ] as [(String, (inout Drive) -> Void)] {
            var drive = Drive(Coach(.init(.guided, .petrol)))
            drive.run { drive, step in
                drive.without = []
                guard step == .pull else { return }
                drive.load = drive.seconds.truncatingRemainder(dividingBy: 40) < 20 ? 95 : 30
                change(&drive)
            }
            let result = drive.coach.results.first { $0.step == .pull }
            #expect(result?.skip == .late, "\(name)")
            #expect(!drive.spoken.contains("Lift off.") && !drive.spoken.contains(CoachWords.again))
        }
    }

    @Test func `a driver who does not stop is not asked for what needs a parked vehicle`() {
        var drive = Drive(Coach(.init(.guided, .petrol)))
        drive.coolant = 60
        drive.run { drive, step in
            if step == .cruise { drive.coolant = 85 }
            if step == .stop { (drive.speed, drive.rpm) = (50, 1_800) }
        }
        #expect(drive.skip(.stop) == .late && drive.skip(.idle) == .late)
        #expect(drive.coach.broken == nil)
    }

    // MARK: Full throttle

    @Test func `a vehicle that never drove steadily is not asked for full throttle`() {
        var drive = Drive(Coach(.init(.guided, .petrol)))
        drive.run { drive, step in if step == .cruise { (drive.speed, drive.rpm) = (0, 2_500) } }
        #expect(drive.skip(.cruise) == .late)
        #expect(drive.skip(.pull) == .before && drive.skip(.roll) == .before)
        #expect(!drive.spoken.contains { $0.contains("full throttle") })
        for step in [CoachStep.park, .cruise, .pull, .roll] {
            var revved = Drive(Coach(.init(.guided, .petrol)))
            revved.run { drive, now in
                if now == step, drive.seconds > 1 { (drive.speed, drive.rpm) = (0, 5_600) }
            }
            #expect(revved.coach.broken == .overspeed, "\(step)")
        }
        // On the road an engine may turn as fast as it can.
        var fast = Drive(Coach(.init(.guided, .petrol)))
        fast.run { drive, step in if step == .pull { drive.rpm = 6_500 } }
        #expect(fast.coach.broken == nil && fast.done.contains(.pull))
    }

    @Test func `full throttle needs a warm engine without a misfire or too much boost`() {
        for (coolant, codes, boost, skip) in [
            (85, [], 150, nil), (69, [], 150, .cold), (108, [], 150, .hot),
            (85, ["P0302"], 150, .misfire), (85, ["P0420"], 150, nil), (85, [], 175, .overboost),
        ] as [(Double, [String], Double, Coach.Skip?)] {
            var drive = Drive(Coach(.init(.guided, .petrol)))
            drive.coach.take(codes: codes, of: "stored", t: 0)
            drive.others = [.boost: boost, .commandedBoost: 150]
            drive.run { drive, step in
                if step == .cruise, drive.seconds > 66 { drive.coolant = coolant }
            }
            #expect(drive.skip(.pull) == skip, "\(coolant) \(codes) \(boost)")
        }
    }

    @Test func `an engine that becomes hot in a pull is to be spared`() {
        var drive = Drive(Coach(.init(.guided, .petrol)))
        drive.coolant = 106
        drive.run { drive, step in if step == .pull, drive.seconds > 2 { drive.coolant = 108 } }
        #expect(drive.skip(.pull) == .hot && drive.spoken.contains(CoachWords.noPull))
    }

    // MARK: What ends the test

    @Test func `each danger ends the test with one sentence`() {
        for (reason, step, change) in [
            (.heat, .cruise, { $0.coolant = 116 }),
            // 6 °C a minute.
            (.heat, .cruise, { $0.coolant = 100 + $0.seconds / 10 }),
            (.overspeed, .raised, { $0.rpm = 5_600 }), (.moves, .idle, { $0.speed = 5 }),
            (.oil, .idle, { $0.others = [.oilPressure: 28] }),
            (.voltage, .charge, { $0.volts = 16.6 }), (.battery, .ignition, { $0.volts = 10.9 }),
            (.engineOff, .idle, { $0.rpm = 0 }),
            (.silence, .cruise, { $0.without = Set(DriveQuantity.allCases) }),
        ] as [(Coach.Break, CoachStep, (inout Drive) -> Void)] {
            var drive = Drive(Coach(.init(step == .cruise ? .guided : .parked, .petrol)))
            drive.run { drive, now in
                guard now == step || now == .park && reason == .battery else { return }
                // Nothing ends the step before the danger does.
                if step == .cruise { drive.speed = 30 }
                change(&drive)
            }
            #expect(drive.coach.broken == reason, "\(reason)")
            #expect(drive.spoken.last == CoachWords.end(reason))
            #expect(!drive.done.contains(step))
        }
        var empty = Drive(Coach(.init(.parked, .petrol)))
        empty.run { drive, step in
            drive.without = [.voltage]
            if step == .ignition { drive.volts = 10.3 }
        }
        #expect(empty.coach.broken == .battery)
        var drive = Drive(Coach(.init(.parked, .petrol)))
        drive.coach.take(codes: ["P0301"], of: "pending", t: 0)
        drive.run { drive, step in
            if step == .idle, drive.seconds > 3 {
                drive.coach.take(codes: ["P0301", "P0304"], of: "pending", t: drive.t)
            }
        }
        #expect(drive.coach.broken == .misfire)
    }

    /// A sensor that includes the pressure of the air: a RAV4 answered 96 and 285 kPa.
    @Test(arguments: [
        (96.0, 110.0, true), (96, 285, false), (0, 30, false), (0, 28, true), (96, 126, false),
    ])
    func `oil pressure is what the engine adds to the standing one`(
        _ rest: Double, _ running: Double, _ ends: Bool
    ) {
        var drive = Drive(Coach(.init(.parked, .petrol)))
        drive.run { drive, _ in
            drive.others = [.oilPressure: drive.rpm < 400 ? rest : running]
        }
        #expect((drive.coach.broken == .oil) == ends)
    }

    @Test func `late oil pressure, a damaged answer and an unknown rest end nothing`() {
        var late = Drive(Coach(.init(.parked, .petrol)))
        var ranAt: Int64?
        late.run { drive, _ in
            if drive.rpm > 400, ranAt == nil { ranAt = drive.t }
            let isLate = ranAt.map { drive.t - $0 < 7_000_000 } ?? true
            // Two readings of 40 are wrong.
            let isWrong = drive.t / 200_000 % 40 < 2
            drive.others = [.oilPressure: isLate || isWrong ? 0 : 150]
        }
        #expect(late.coach.broken == nil)
        // Without a reading before the start, what the sensor adds is unknown.
        var running = Drive(Coach(.init(.parked, .petrol)))
        running.run { drive, step in
            drive.rpm = max(drive.rpm, step == .ignition ? 0 : 800)
            drive.others = drive.rpm == 0 ? [:] : [.oilPressure: 110]
        }
        #expect(running.coach.broken == nil)
    }

    /// 25 s at 2,400 rpm are 1,000 turns; with 1,000 more that may belong to the counts, a cylinder fires 1,000 times.
    @Test(
        arguments: [
            ([0.0, 0, 0, 199], 0.049_75), ([0, 201, 0, 0], 0.050_25), ([60, 60, 60, 60], 0.06),
            ([1_000, 0, 0, 0], 0.25), ([0, 0, 0, 0], 0),
        ] as [([Double], Double)])
    func `misfires are counted against all firings`(_ counts: [Double], _ share: Double) throws {
        var found = MisfireShare()
        found.takeEngine(2_400, t: 0)
        // The counters begin with what this driving cycle had before.
        for cylinder in counts.indices { found.take(5_000, of: "\(cylinder)") }
        #expect(found.share == nil)
        found.takeEngine(2_400, t: 25_000_000)
        for (cylinder, count) in counts.enumerated() {
            found.take(5_000 + count, of: "\(cylinder)")
            #expect((found.share == nil) == (cylinder < 3))
        }
        #expect(abs(try #require(found.share) - share) < 1e-9)
        // A counter that falls begins anew.
        found.take(3, of: "0")
        #expect(found.share == nil)
    }

    @Test func `misfires in more than 5 % of all firings end the test`() {
        for (count, ends) in [(199.0, false), (201, true)] {
            var coach = Coach(.init(.quick, .petrol))
            for (second, all) in [(Int64(0), 7.0), (25, 7 + count)] {
                coach.take(2_400, .engineSpeed, t: second * 1_000_000)
                for cylinder in 1...4 {
                    let own = cylinder == 2 ? all : 7
                    coach.take(misfires: own, of: "\(cylinder)", t: second * 1_000_000)
                }
            }
            #expect((coach.broken == .misfireRate) == ends)
        }
        var coach = Coach(.init(.quick, .petrol))
        for value in [Double.nan, .infinity, -1, 3] { coach.take(misfires: value, of: "1", t: 0) }
        #expect(coach.broken == nil)
    }

    @Test func `what is usual ends nothing`() {
        for (kind, change) in [
            // A single damaged answer now and then.
            (.petrol, { if $0.t % 30_000_000 == 0 { $0.coolant = 200 } }),
            // 2 °C a minute above 108 °C.
            (.petrol, { $0.coolant = min(114, 107 + Double($0.t) / 30e6) }),
            // Glow plugs.
            (.diesel, { if $0.rpm == 0 { $0.volts = 11.2 } }),
            (.diesel, { $0.factor = 2 }),
            // The first reading is wrong.
            (.diesel, { ($0.factor, $0.adapter) = (2, $0.t == 0 ? 12 : nil) }),
            (.petrol, { $0.adapter = $0.t == 0 ? 25 : nil }),
            // An adapter alone that measures nothing, or too little.
            (
                .petrol,
                {
                    $0.without = $0.rpm == 0 ? [.voltage] : []
                    $0.adapter = 0
                }
            ),
            (
                .petrol,
                {
                    $0.without = $0.rpm == 0 ? [.voltage] : []
                    $0.adapter = $0.rpm == 0 ? 10.5 : nil
                }
            ),
        ] as [(Coach.Kind, (inout Drive) -> Void)] {
            var drive = Drive(Coach(.init(.parked, kind)))
            drive.run { drive, _ in
                drive.coolant = 85
                change(&drive)
            }
            #expect(drive.coach.broken == nil, "\(kind) \(String(describing: drive.coach.broken))")
            #expect(drive.done.contains(.charge))
        }
    }

    @Test func `a vehicle that tells nothing shows nothing`() {
        for kind in Self.kinds {
            for course in Self.courses {
                var coach = Coach(.init(course, kind))
                var t: Int64 = 0
                while !coach.isOver, t < 7_200_000_000 {
                    coach.advance(to: t)
                    t += 1_000_000
                }
                #expect(coach.isOver)
                #expect(coach.results.allSatisfy { $0.skip != nil })
                #expect(Set(coach.results.map(\.step)).isSuperset(of: coach.plan.steps))
            }
        }
    }

    // MARK: The start

    @Test func `only the voltage is asked until the starter has turned`() {
        var drive = Drive(Coach(.init(.battery, .petrol)))
        var alone: [Double] = []
        var shared: [Double] = []
        drive.run { drive, step in
            guard step == .start else { return }
            if drive.coach.wantsVoltageOnly {
                alone.append(drive.seconds)
            } else {
                shared.append(drive.seconds)
            }
        }
        #expect((alone.first ?? 9) < 0.3 && (alone.last ?? 0) > 2.6 && (alone.last ?? 9) < 3.2)
        #expect((shared.first ?? 0) > 2.6)
        // A start that the adapter misses is noticed by the engine speed.
        var alert = CrankAlert()
        alert.await(at: 0)
        alert.take(12.5)
        #expect(alert.isAwaited(at: 7_900_000) && !alert.isAwaited(at: 8_100_000))
        #expect(alert.isAwaited(at: 10_000_000))
        alert.take(13.1)
        #expect(!alert.isAwaited(at: 11_000_000))
    }

    // MARK: Words

    @Test func `each sentence has at most twelve words, and none asks the driver to look`() {
        var all = [
            CoachWords.cold, CoachWords.coldDrive, CoachWords.engineOff, CoachWords.idle,
            CoachWords.more, CoachWords.less, CoachWords.good, CoachWords.again,
            CoachWords.noPull, CoachWords.liftOff, CoachWords.skipped, CoachWords.done,
        ]
        all += CoachStep.allCases.compactMap(CoachWords.closing)
        all += Coach.Break.allCases.map(CoachWords.end)
        for step in CoachStep.allCases {
            for plan in [
                Coach.Plan(.guided, .petrol), .init(.guided, .petrol, isAutomatic: true),
                .init(.guided, .petrol, usesMiles: true),
                .init(.guided, .petrol, isAutomatic: true, usesMiles: true),
            ] {
                all += CoachWords.opening(step, plan, engineRuns: false)
                all += CoachWords.opening(step, plan, engineRuns: true)
            }
        }
        for text in all {
            #expect(text.split(separator: " ").count <= 12, "\(text)")
            let words = Set(text.lowercased().split { !$0.isLetter }.map(String.init))
            #expect(
                words.isDisjoint(with: ["look", "see", "watch", "screen", "display"]), "\(text)")
        }
        #expect(
            CoachWords.opening(.cruise, .init(.guided, .petrol, usesMiles: true), engineRuns: true)
                .last == "Hold a steady speed between 25 and 70.")
    }

    // MARK: Anything

    /// Made-up readings: the coach always ends, and a step is done only if readings have shown it.
    @Test func `ten thousand made-up drives end, and nothing is done without data`() {
        var seed: UInt64 = 47
        func random(_ count: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % count
        }
        let values: [DriveQuantity: [Double]] = [
            .speed: [0, 0, 0, 0, 80, 81, 1, 255], .engineSpeed: [0, 800, 800, 2_500, 3_200, 6_000],
            .coolant: [-40, 20, 85, 85, 85, 109, 116], .load: [10, 30, 95, 95], .pedal: [0, 90],
            .fuelStatus: [1, 2, 4, 4], .voltage: [12.4, 14.1, 14.2, 10, 17, .nan, .infinity],
            .boost: [100, 190], .commandedBoost: [100, 120],
        ]
        let quantities = values.keys.sorted { $0.place < $1.place }
        var done: [CoachStep] = []
        var ends: Set<String> = []
        for round in 0..<10_000 {
            let plan = Coach.Plan(
                Self.courses[random(4)], Self.kinds[random(4)], isAutomatic: random(2) == 0)
            var coach = Coach(plan)
            var t: Int64 = 0
            var log: [(t: Int64, quantity: DriveQuantity, value: Double)] = []
            var adapter: [(t: Int64, volts: Double)] = []
            // The latest time, which a clock that goes back does not take back.
            var clock: Int64 = 0
            // A state that lasts for a while, so that some steps are done.
            var state: [DriveQuantity: Double] = [:]
            var events = 0
            while !coach.isOver {
                events += 1
                guard events < 20_000 else { break }
                if random(40) == 0 {
                    let quantity = quantities[random(quantities.count)]
                    state[quantity] = values[quantity].map { $0[random($0.count)] }
                }
                switch random(60) {
                case 0: t += Int64(random(90)) * 1_000_000
                // A clock that goes back.
                case 1: t -= Int64(random(3)) * 1_000_000
                case 2: coach.advance(to: t)
                case 3 where random(30) == 0:
                    coach.take(codes: [["P0301", "P0420"][random(2)]], of: "pending", t: t)
                case 4:
                    let volts = [12.4, 9.8, 14.2, 0][random(4)]
                    clock = max(clock, t)
                    adapter.append((clock, volts))
                    coach.take(adapterVoltage: volts, t: t)
                default: t += Int64(100 + random(round % 2 == 0 ? 2_700 : 500)) * 1_000
                }
                let known = state.keys.sorted { $0.place < $1.place }
                guard !known.isEmpty else { continue }
                let quantity = known[random(known.count)]
                if let value = state[quantity] {
                    clock = max(clock, t)
                    log.append((clock, quantity, value))
                    coach.take(value, quantity, t: t)
                }
            }
            #expect(coach.isOver, "round \(round)")
            ends.insert(coach.broken?.rawValue ?? "done")
            for sentence in coach.takeSentences() {
                #expect(sentence.text.split(separator: " ").count <= 12)
            }
            for result in coach.results where result.skip == nil {
                done.append(result.step)
                #expect(result.held >= result.step.wanted)
                #expect(Double(result.to - result.from) / 1e6 >= result.held - 1e-6)
                let shown = log.filter { (result.from...result.to).contains($0.t) }
                let volts = adapter.filter { (result.from...result.to).contains($0.t) }
                #expect(Self.isShown(result.step, shown, volts), "round \(round): \(result)")
            }
        }
        #expect(done.count > 300)
        #expect(Set(done).isSuperset(of: [.ready, .charge, .start, .ignition]), "\(Set(done))")
        #expect(ends.isSuperset(of: ["done", "heat", "voltage", "moves", "silence", "overspeed"]))
    }

    /// Whether readings show a step, by another arithmetic: the last one shows it, and several do.
    private static func isShown(
        _ step: CoachStep, _ readings: [(t: Int64, quantity: DriveQuantity, value: Double)],
        _ adapter: [(t: Int64, volts: Double)]
    ) -> Bool {
        // The ECU's voltages, and those of the adapter while no voltage of the ECU is newer than three seconds.
        func charges(_ least: Double) -> Bool {
            let ecu = readings.filter { $0.quantity == .voltage && $0.value.isFinite }
            var all = ecu.map { (t: $0.t, volts: $0.value) }
            all += adapter.filter { one in
                one.volts > 5 && !ecu.contains { (0...3_000_000).contains(one.t - $0.t) }
            }
            all.sort { $0.t < $1.t }
            return all.count { $0.volts >= least } >= 2 && all.last?.volts ?? 0 >= least
        }
        func few(_ quantity: DriveQuantity, _ range: ClosedRange<Double>) -> Bool {
            let all = readings.filter { $0.quantity == quantity }
            let fitting = all.filter { range.contains($0.value) }
            return fitting.count >= 2 && range.contains(all.last?.value ?? .nan)
        }
        return switch step {
        case .park, .stop: few(.speed, 0...0)
        case .ignition: few(.engineSpeed, 0...0)
        case .start: few(.engineSpeed, 500...20_000)
        case .idle, .release: few(.engineSpeed, 400...1_200)
        case .raised: few(.engineSpeed, 2_200...2_800)
        case .loads: few(.engineSpeed, 1_200...1_900)
        case .cruise: few(.speed, 40...130)
        case .pull:
            readings.contains { $0.quantity == .speed && $0.value > 20 }
                && readings.count {
                    $0.quantity == .load && $0.value >= 80
                        || $0.quantity == .pedal && $0.value >= 70
                } >= 4
        case .roll: few(.fuelStatus, 4...4)
        case .ready: charges(13)
        case .charge: charges(13.2) && few(.engineSpeed, 400...20_000)
        case .glance: few(.engineSpeed, 0...20_000)
        }
    }
}
