import Diagnostics
import OBDCore
import Testing

/// A bus of SAE J1939 repeats most parameter groups by itself; only the others are requested.
@Suite struct `Parameter groups that are heard` {
    /// A plan, and ECUs that send groups at fixed intervals, in milliseconds of one clock.
    private struct Truck {
        var plan: PollPlan
        var link = LinkCapabilities(vehicleProtocol: .j1939)
        /// The time of each request, with its group.
        var asked: [(time: Int, group: UInt32)] = []
        /// The times of the messages that took the place of answers, by group and sender.
        var used: [String: [Int]] = [:]

        init(_ wants: [PollPlan.Want]) {
            plan = PollPlan(wants: wants)
            link.hearsGroups = true
        }

        /// Runs until a time; `spoken` are the groups of ECUs with their intervals, sent until `silent`.
        mutating func run(
            until end: Int, _ spoken: [(group: UInt32, sender: UInt32, every: Int)],
            silent: Int = .max
        ) {
            for time in 0..<end {
                let now = Instant(nanoseconds: Int64(time) * 1_000_000)
                for one in spoken where time > 0 && time < silent && time % one.every == 0 {
                    let message = ECUMessage(
                        ecu: ECUAddress(one.sender, .byte), payload: [1, 2, 3, 4, 5, 6, 7, 8],
                        parameterGroup: one.group)
                    if plan.hear(message, at: now) {
                        used["\(one.group).\(one.sender)", default: []].append(time)
                    }
                }
                guard case .ask(let request) = plan.next(at: now, link: link) else { continue }
                let group = request.payload.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                asked.append((time, group))
                plan.answered(request.id, .silent, at: now)
            }
        }
    }

    private static func want(
        _ group: UInt32, every period: Duration? = .seconds(1), of ecu: UInt32? = nil
    ) -> PollPlan.Want {
        PollPlan.Want(
            DataID(DataID.parameterGroups, group), length: nil, period: period,
            target: ecu.map { ECUAddress($0, .byte) })
    }

    @Test func `a group that is heard is never requested, and the others are after listening`() {
        var truck = Truck([Self.want(0xF004, every: nil), Self.want(0xFEEE), Self.want(0xFEE5)])
        truck.run(until: 20_000, [(0xF004, 0, 20), (0xFEEE, 0, 1_000)])
        #expect(Set(truck.asked.map(\.group)) == [0xFEE5])
        #expect(truck.asked.first?.time == 1_250)
        // As fast as possible is ten times per second.
        #expect(truck.used["61444.0"]?.count == 200)
        #expect(truck.used["65262.0"]?.count == 19)
    }

    @Test func `a link that does not hear the bus requests each group at once`() {
        var truck = Truck([Self.want(0xF004), Self.want(0xFEE5)])
        truck.link.hearsGroups = false
        truck.run(until: 10, [])
        #expect(truck.asked.map(\.time) == [0, 1])
    }

    /// Interval in ms; the last message before `silent`; the first request after five intervals, or a second.
    @Test(arguments: [(20, 4_980, 5_980), (500, 4_500, 7_000), (1_000, 4_000, 9_000)])
    func `a group that falls silent is requested after five of its intervals`(
        interval: Int, last: Int, request: Int
    ) {
        var truck = Truck([Self.want(0xF004, every: .milliseconds(500))])
        truck.run(until: 12_000, [(0xF004, 0, interval)], silent: 5_000)
        #expect(truck.used["61444.0"]?.last.map { last - $0 < 500 } == true)
        #expect(truck.asked.first?.time == request, "\(truck.asked)")
    }

    @Test func `the interval of a want also holds for what is heard, for each sender`() {
        var truck = Truck([Self.want(0xF001, every: .seconds(2))])
        truck.run(until: 9_000, [(0xF001, 0x0B, 100), (0xF001, 0x10, 100)])
        #expect(truck.asked.isEmpty)
        #expect(truck.used["61441.11"]?.count == 5)
        #expect(truck.used["61441.16"]?.count == 5)
        let times = truck.used["61441.11"] ?? []
        // A tenth of the interval early at most, which does not add up.
        #expect(times == [100, 1_900, 3_900, 5_900, 7_900])
    }

    @Test func `a want of one ECU is not answered by another`() {
        var truck = Truck([Self.want(0xFEF1, of: 0x17)])
        truck.run(until: 3_000, [(0xFEF1, 0x00, 100)])
        #expect(truck.asked.first?.time == 1_250)
        #expect(truck.used.isEmpty)
        var right = Truck([Self.want(0xFEF1, of: 0x17)])
        right.run(until: 3_000, [(0xFEF1, 0x17, 100)])
        #expect(right.asked.isEmpty && right.used["65265.23"]?.count == 3)
    }

    @Test func `messages of other groups are not used`() {
        var truck = Truck([Self.want(0xFEF1)])
        truck.run(until: 1_000, [(0xFEF2, 0, 10)])
        #expect(truck.used.isEmpty)
    }

    /// A silent ECU is asked less and less often; its first message is news at once.
    @Test func `a vehicle that wakes up is heard before it is asked`() {
        var truck = Truck([Self.want(0xFEF1)])
        truck.run(until: 60_000, [])
        #expect(truck.asked.count < 30)
        let now = Instant(nanoseconds: 60_000_000_000)
        let message = ECUMessage(
            ecu: ECUAddress(0, .byte), payload: [0, 0, 0, 0, 0, 0, 0, 0], parameterGroup: 0xFEF1)
        let isUsed = truck.plan.hear(message, at: now)
        #expect(isUsed)
    }

    @Test func `the guard of the battery takes a heard message for an answer`() {
        var plan = PollPlan(wants: [Self.want(0xFEF1)])
        plan.protectBattery(by: BatteryGuard(), PollPlan.Motion())
        var link = LinkCapabilities(vehicleProtocol: .j1939)
        link.hearsGroups = true
        let message = ECUMessage(
            ecu: ECUAddress(0, .byte), payload: [0, 0, 0, 0, 0, 0, 0, 0], parameterGroup: 0xFEF1)
        for time in 0..<4_000 {
            let now = Instant(nanoseconds: Int64(time) * 100_000_000)
            if time % 10 == 0 { _ = plan.hear(message, at: now) }
            switch plan.next(at: now, link: link) {
            case .readVoltage: plan.take(voltage: 12.4, at: now)
            case .ask(let request): plan.answered(request.id, .silent, at: now)
            case .wait, .done: break
            }
        }
        #expect(!plan.isResting)
    }
}
