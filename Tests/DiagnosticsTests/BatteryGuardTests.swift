import Diagnostics
import OBDCore
import TestSupport
import Testing

/// A phase of a vehicle: its answers, and the voltage that the adapter measures.
private struct Phase {
    /// The second at which it ends.
    var until: Int
    /// The engine speed in rpm; nil = the vehicle does not report it.
    var rpm: Double?
    /// The speed in km/h; nil = the vehicle does not report it.
    var speed: Double?
    /// The voltage at the adapter in V; nil = the adapter does not report it.
    var volts: Double?
    /// Whether any ECU answers.
    var isAwake = true

    static func asleep(_ until: Int, _ volts: Double?) -> Phase {
        Phase(until: until, rpm: nil, speed: nil, volts: volts, isAwake: false)
    }
}

/// A guard for a vehicle that is polled once per second for engine speed and speed.
private struct Watch {
    var battery = BatteryGuard()
    var news: [BatteryGuard.News] = []
    /// The seconds of requests to a resting vehicle.
    var probes: [Int] = []
    var voltageReads = 0

    init(_ phases: [Phase]) {
        var second = 0
        for phase in phases {
            while second < phase.until {
                let now = at(Double(second))
                let isResting = battery.rest != nil
                switch battery.next(at: now) {
                case .readVoltage:
                    voltageReads += 1
                    battery.take(voltage: phase.volts, at: now)
                    continue
                case .goOn: ask(phase, now)
                case .probe:
                    if isResting { probes.append(second) }
                    ask(phase, now)
                case .wait(let until):
                    // Continue at the next whole second at which something is due, but not after
                    // the end of the phase.
                    let due = Int((until - .zero).seconds)
                    news += battery.takeNews()
                    second = min(max(due, second + 1), phase.until)
                    continue
                }
                news += battery.takeNews()
                second += 1
            }
        }
    }

    private mutating func ask(_ phase: Phase, _ now: Instant) {
        guard phase.isAwake else { return battery.takeSilence(at: now) }
        battery.takeAnswer(at: now)
        if let rpm = phase.rpm { battery.take(engineSpeed: rpm, at: now) }
        if let speed = phase.speed { battery.take(speed: speed, at: now) }
    }

    /// The seconds at which rests began and ended, for example 300-2107, 5000-.
    var rests: String {
        news.map { one in
            switch one {
            case .rests(let rest): "\(Int((rest.since - .zero).seconds))-"
            case .goesOn(_, let time): "\(Int((time - .zero).seconds)) "
            }
        }.joined()
    }
}

@Suite struct BatteryGuardTests {
    @Test
    func `a vehicle that is switched off is left alone until its engine starts`()
        throws
    {
        let watch = Watch([
            Phase(until: 600, rpm: 2000, speed: 50, volts: 14.2), .asleep(7800, 12.4),
            Phase(until: 7810, rpm: nil, speed: nil, volts: 9.8, isAwake: false),
            Phase(until: 9000, rpm: 900, speed: 0, volts: 14.3),
        ])
        guard case .rests(let rest) = try #require(watch.news.first) else { return }
        // The last answer came at 599 and the first silence at 600. A minute later the voltage was
        // measured.
        #expect(rest.cause == .silence)
        #expect((660...661).contains(Int((rest.since - .zero).seconds)))
        #expect(rest.voltage == 12.4)
        #expect(watch.news.count == 2)
        guard case .goesOn(_, let time) = watch.news[1] else { return }
        // The voltage is measured every 30 s, and it shows the start of the engine.
        #expect((time - .zero).seconds <= 7845)
        // In two hours: after 30 s, after 1, 2, 4 and 8 minutes, then every quarter of an hour.
        #expect(watch.probes.filter { $0 < 7800 }.count <= 13)
        #expect(watch.battery.rests == 1)
    }

    @Test func `a start is noticed without a voltage, after at most a quarter of an hour`() {
        let watch = Watch([
            Phase(until: 100, rpm: 2000, speed: 50, volts: nil), .asleep(20_000, nil),
            Phase(until: 22_000, rpm: 900, speed: 0, volts: nil),
        ])
        #expect(watch.news.count == 2)
        guard case .goesOn(_, let time) = watch.news[1] else { return }
        #expect((time - .zero).seconds <= 20_900)
    }

    @Test func `an ECU that stays awake is left alone after ten minutes at a low voltage`() throws {
        let watch = Watch([
            Phase(until: 300, rpm: 2000, speed: 50, volts: 14.2),
            Phase(until: 5000, rpm: 0, speed: 0, volts: 12.3),
        ])
        guard case .rests(let rest) = try #require(watch.news.first) else { return }
        #expect(rest.cause == .standstill)
        #expect((900...961).contains(Int((rest.since - .zero).seconds)))
        #expect(watch.news.count == 1)
    }

    @Test func `a start-stop engine at the lights is not a parked vehicle`() {
        var phases: [Phase] = []
        for round in 1...20 {
            phases.append(Phase(until: round * 300 - 180, rpm: 1800, speed: 50, volts: 14.1))
            phases.append(Phase(until: round * 300, rpm: 0, speed: 0, volts: 12.1))
        }
        #expect(Watch(phases).rests == "")
    }

    @Test func `a hybrid that waits with its engine off is not a parked vehicle`() {
        let watch = Watch([
            Phase(until: 300, rpm: 1500, speed: 40, volts: 14.0),
            Phase(until: 5000, rpm: 0, speed: 0, volts: 13.8),
            Phase(until: 5300, rpm: 0, speed: 20, volts: 13.8),
        ])
        #expect(watch.rests == "")
    }

    @Test func `an electric vehicle in a jam is not parked, a switched-off one is`() {
        #expect(
            Watch([
                Phase(until: 300, rpm: nil, speed: 40, volts: 14.4),
                // DC converters that save energy lower the voltage to about 13 V.
                Phase(until: 4000, rpm: nil, speed: 0, volts: 12.9),
                Phase(until: 4300, rpm: nil, speed: 5, volts: 14.4),
            ]).rests == "")
        let off = Watch([
            Phase(until: 300, rpm: nil, speed: 40, volts: 14.4),
            Phase(until: 1500, rpm: nil, speed: 0, volts: 12.5),
            Phase(until: 3000, rpm: nil, speed: 30, volts: 14.4),
        ])
        #expect(off.news.count == 2)
        guard case .goesOn(_, let time) = off.news[1] else { return }
        #expect((time - .zero).seconds <= 1540)
    }

    @Test
    func `a smart alternator that does not charge does not end the polling while the engine runs`()
    {
        #expect(
            Watch([
                Phase(until: 3000, rpm: 1400, speed: 90, volts: 12.2),
                Phase(until: 6000, rpm: 800, speed: 0, volts: 12.2),
            ]).rests == "")
    }

    @Test func `without a voltage, standing alone does not end the polling`() {
        #expect(
            Watch([Phase(until: 9000, rpm: 0, speed: 0, volts: nil)]).rests == "")
    }

    @Test func `a 24 V supply is compared as half its voltage`() {
        #expect(Watch([Phase(until: 3000, rpm: 0, speed: 0, volts: 27.6)]).rests == "")
        #expect(Watch([Phase(until: 3000, rpm: 0, speed: 0, volts: 24.6)]).news.count == 1)
    }

    @Test func `a lithium battery at rest does not count as charged`() {
        let watch = Watch([
            Phase(until: 100, rpm: 900, speed: 10, volts: 14.2), .asleep(10_000, 13.3),
        ])
        #expect(watch.news.count == 1)
        #expect(watch.probes.count <= 15)
    }

    @Test
    func
        `with a charged battery a silent vehicle is asked once a minute`()
    {
        let watch = Watch([
            Phase(until: 100, rpm: 2000, speed: 50, volts: 14.2), .asleep(1000, 14.2),
            Phase(until: 2000, rpm: 2000, speed: 50, volts: 14.2),
        ])
        #expect(watch.news.count == 2)
        guard case .goesOn(_, let time) = watch.news[1] else { return }
        #expect((time - .zero).seconds <= 1061)
    }

    @Test func `one unanswered request per minute does not count as silence`() {
        var battery = BatteryGuard()
        for minute in 0..<2 {
            let now = at(Double(minute) * 300)
            _ = battery.next(at: now)
            battery.takeSilence(at: now)
        }
        _ = battery.next(at: Instant(nanoseconds: 700_000_000_000))
        #expect(battery.rest == nil)
    }

    /// Without the loss, the silence would only count from the first unanswered request, at second 300.
    @Test(arguments: [(false, nil), (true, 303)] as [(Bool, Int?)])
    func `the time without a link counts as silence if the vehicle does not answer afterwards`(
        isLost: Bool, rests: Int?
    ) {
        var battery = BatteryGuard()
        battery.takeAnswer(at: at(10))
        if isLost { battery.takeLoss(at: at(11)) }
        var found: Int?
        for second in 300..<320 {
            switch battery.next(at: at(Double(second))) {
            case .readVoltage: battery.take(voltage: 12.4, at: at(Double(second)))
            case .goOn, .probe, .wait: battery.takeSilence(at: at(Double(second)))
            }
            if found == nil, battery.rest != nil { found = second }
        }
        #expect(found.map { abs($0 - (rests ?? 0)) <= 3 } ?? (rests == nil))
        // An answer ends the silence.
        var answered = BatteryGuard()
        answered.takeLoss(at: at(11))
        answered.takeAnswer(at: at(300))
        for second in 301..<320 {
            _ = answered.next(at: at(Double(second)))
            answered.takeSilence(at: at(Double(second)))
        }
        #expect(answered.rest == nil)
    }

    @Test
    func `at a low voltage requests continue if the plan reads neither speed nor engine speed`() {
        var battery = BatteryGuard()
        var probes = 0
        var reads = 0
        for second in 0..<600 {
            let now = at(Double(second))
            switch battery.next(at: now) {
            case .readVoltage:
                reads += 1
                battery.take(voltage: second < 300 ? 14.1 : 12.2, at: now)
            case .probe: probes += 1
            case .goOn, .wait: break
            }
            battery.takeAnswer(at: now)
        }
        #expect((8...11).contains(reads))
        #expect((3...6).contains(probes))
    }
}

@Suite struct `A plan that leaves a parked vehicle alone` {
    private func message(_ payload: [UInt8]) -> ECUMessage {
        ECUMessage(ecu: ECUAddress(0x7E8, .can11), payload: payload, frames: 1)
    }

    /// The vehicle answers for a minute, is silent for ten minutes, and then answers again.
    @Test func `while the vehicle rests only the voltage is read, afterwards every signal`() {
        let engine = SignalIndex(rawValue: 0)
        let wants = [
            PollPlan.Want(DataID(.currentData, 0x05), length: 1),
            PollPlan.Want(DataID(.currentData, 0x0F), length: 1, period: .seconds(1)),
        ]
        var plan = PollPlan(wants: wants)
        plan.protectBattery(
            by: BatteryGuard(),
            PollPlan.Motion(
                engineSpeed: [engine],
                wants: [PollPlan.Want(DataID(.currentData, 0x0C), length: 2)]))
        let link = LinkCapabilities(
            itemsPerRequest: 6, frameCountHelps: true, vehicleProtocol: .can11At500)
        var now = Instant.zero
        var asked: [(second: Int, payload: [UInt8])] = []
        var voltages: [Int] = []
        var news: [BatteryGuard.News] = []
        while now < at(900) {
            let second = Int((now - .zero).seconds)
            let isAwake = second < 60 || second >= 700
            switch plan.next(at: now, link: link) {
            case .ask(let request):
                asked.append((second, request.payload))
                now = now + .milliseconds(100)
                guard isAwake else {
                    plan.answered(request.id, .silent, at: now)
                    break
                }
                var payload: [UInt8] = [0x41]
                for pid in request.payload.dropFirst() {
                    payload += pid == 0x0C ? [pid, 0x0C, 0x80] : [pid, 0x50]
                }
                plan.answered(request.id, .answered([message(payload)], intact: true), at: now)
            case .readVoltage(let id):
                voltages.append(second)
                now = now + .milliseconds(20)
                plan.take(voltage: isAwake ? 14.1 : 12.3, at: now)
                plan.answered(id, .answered([], intact: true), at: now)
            case .wait(let until): now = max(until, now + .milliseconds(1))
            case .done: Issue.record("a plan without rounds ended")
            }
            news += plan.takeBatteryNews(at: now)
        }
        #expect(news.count == 2)
        let resting = asked.filter { (125..<700).contains($0.second) }
        #expect(resting.allSatisfy { $0.payload == [0x01, 0x0C] })
        #expect((3...6).contains(resting.count))
        #expect(voltages.filter { (125..<700).contains($0) }.count > 15)
        // After the next voltage reading, all requests are sent again, in batches, too.
        #expect(
            asked.contains { (700...740).contains($0.second) && $0.payload == [1, 0x05, 0x0F] })
        #expect(!asked.contains { $0.second < 60 && $0.payload == [0x01, 0x0C] })
        let report = plan.report(at: now)
        #expect(report.records.map(\.dataID.id) == [0x05, 0x0F])
        #expect(report.rests == 1 && report.rested > .seconds(550))
        // The rest does not count as missed deadlines.
        #expect(report.records[1].missed < 30)
        // The rest does not count as time between two answers, either.
        #expect(report.records[1].reached.map { $0 < .milliseconds(1500) } ?? false)
    }

    /// A poll of one module that sleeps while the vehicle is driven.
    @Test func `a module that never answers does not mean that the vehicle is off`() {
        let engine = SignalIndex(rawValue: 0)
        var plan = PollPlan(wants: [
            PollPlan.Want(DataID(.readData, 0x0101), length: nil, period: .seconds(1))
        ])
        plan.protectBattery(
            by: BatteryGuard(),
            PollPlan.Motion(
                engineSpeed: [engine],
                wants: [PollPlan.Want(DataID(.currentData, 0x0C), length: 2)]))
        let link = LinkCapabilities(vehicleProtocol: .can11At500)
        var now = Instant.zero
        var asked: [[UInt8]: Int] = [:]
        while (now - .zero).seconds < 1800 {
            switch plan.next(at: now, link: link) {
            case .ask(let request):
                asked[request.payload, default: 0] += 1
                now = now + .milliseconds(100)
                let answers = request.payload == [0x01, 0x0C]
                plan.answered(
                    request.id,
                    answers
                        ? .answered([message([0x41, 0x0C, 0x0C, 0x80])], intact: true) : .silent,
                    at: now)
            case .readVoltage(let id):
                plan.take(voltage: 12.4, at: now)
                plan.answered(id, .answered([], intact: true), at: now)
            case .wait(let until): now = max(until, now + .milliseconds(1))
            case .done: Issue.record("a plan without rounds ended")
            }
            #expect(plan.takeBatteryNews(at: now).isEmpty)
        }
        #expect((10...30).contains(asked[[0x01, 0x0C], default: 0]))
    }

    @Test func `missed deadlines are counted by their periods`() throws {
        var plan = PollPlan(
            wants: [
                PollPlan.Want(DataID(.currentData, 0x0C), length: 2, period: .milliseconds(100))
            ])
        let link = LinkCapabilities(vehicleProtocol: .can11At500)
        var now = Instant.zero
        // Each request takes 250 ms. The next one is sent at once, so two of three periods pass
        // without a request.
        for _ in 0..<20 {
            guard case .ask(let request) = plan.next(at: now, link: link) else { continue }
            now = now + .milliseconds(250)
            plan.answered(
                request.id, .answered([message([0x41, 0x0C, 0, 0])], intact: true), at: now)
        }
        let record = try #require(plan.report(at: now).records.first)
        #expect(record.answers == 20 && record.asked == 20)
        #expect(record.reached == .milliseconds(250))
        // Each answer is at least 100 ms late, and so misses one or two periods.
        #expect((19...38).contains(record.missed))
    }
}
