import Diagnostics
import OBDCore
import Testing

private let rpm = want(0x0C, 2)
private let speed = want(0x0D)
private let coolant = want(0x05)
private let air = want(0x10, 2)
private let lengths: [UInt8: Int] = [0x05: 1, 0x0C: 2, 0x0D: 1, 0x10: 2]

private func answer(_ request: VehicleRequest, pending: Bool = false) -> PollPlan.Outcome {
    guard let message = ecu(request, lengths) else { return .silent }
    return .answered([message], intact: true, pending: pending)
}

@Suite struct `Polling with failures` {
    /// A fault of an adapter, how many answers each record must get in twenty seconds at 25 ms per
    /// request, and how many requests may fail.
    struct Weakness: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var wants: [PollPlan.Want]
        var outcome: @Sendable (VehicleRequest) -> PollPlan.Outcome?
        var atLeast: [UInt8: Int]
        var failures: ClosedRange<Int>
    }

    static let weaknesses: [Weakness] = [
        Weakness(
            testDescription: "the last line of a long answer is always lost",
            wants: [coolant, rpm, speed, air],
            outcome: { $0.payload.count > 3 ? .failed : nil },
            // 800 requests, for four records in turn.
            atLeast: [0x05: 180, 0x0C: 180, 0x0D: 180, 0x10: 180], failures: 4...8),
        Weakness(
            testDescription: "one record's answer is always damaged",
            wants: [want(0x05, 1, every: .seconds(10)), rpm],
            outcome: { $0.payload.contains(0x05) ? .failed : nil },
            atLeast: [0x0C: 770], failures: 3...20),
        Weakness(
            testDescription: "the bus is in error", wants: [want(0x0C, 2, every: .seconds(2))],
            outcome: { _ in .failed }, atLeast: [:], failures: 3...8),
        Weakness(
            testDescription: "the bus is in error, for many", wants: [coolant, rpm, speed, air],
            outcome: { _ in .failed }, atLeast: [:], failures: 10...40),
    ]

    @Test(arguments: weaknesses)
    func `if a record fails, the other records continue, and it is requested after pauses`(
        _ weakness: Weakness
    ) {
        var bench = Bench(weakness.wants)
        var failures = 0
        var answers: [UInt8: Int] = [:]
        bench.run(for: .seconds(20)) { request in
            if let outcome = weakness.outcome(request) {
                failures += 1
                return outcome
            }
            for id in request.payload.dropFirst() { answers[id, default: 0] += 1 }
            return answer(request)
        }
        #expect(weakness.failures.contains(failures), "\(failures)")
        for (id, count) in weakness.atLeast { #expect(answers[id, default: 0] >= count, "\(id)") }
    }

    @Test func `after one failure the same request is repeated at once`() {
        var bench = Bench([coolant, rpm, speed])
        var round = 0
        bench.run(100) { request in
            round += 1
            return round % 10 == 5 ? .failed : answer(request)
        }
        #expect(bench.asked([0x05, 0x0C, 0x0D]).count == 100)
        #expect(bench.now == Instant.zero + bench.roundTrip * 100)
    }

    @Test func `after an outage the first answer restores full speed`() {
        var bench = Bench([coolant, rpm, speed, air])
        bench.run(20, answer: { answer($0) })
        bench.run(for: .seconds(120)) { _ in .failed }
        // All records rest. Each one is tried again every two seconds.
        #expect(bench.asked.count < 280)
        #expect(bench.plan.isHoldingBack(at: bench.now + .milliseconds(1)))
        bench.asked = []
        bench.run(20, answer: { answer($0) })
        #expect(bench.asked([0x05, 0x0C, 0x0D, 0x10]).count >= 18)
        #expect(!bench.plan.isHoldingBack(at: bench.now))
    }

    @Test(arguments: [PollPlan.Outcome.failed, .silent])
    func `during an outage the vehicle is asked every two seconds`(_ outcome: PollPlan.Outcome) {
        var bench = Bench([coolant, rpm])
        bench.run(20, answer: { answer($0) })
        bench.run(for: .seconds(60)) { _ in outcome }
        bench.asked = []
        bench.run(for: .seconds(60)) { _ in outcome }
        #expect((58...62).contains(bench.asked.count), "\(bench.asked.count)")
    }

    @Test func `polling returns to full speed even if one record is rarely due`() {
        var bench = Bench([coolant, rpm, speed, want(0x10, 2, every: .seconds(600))])
        bench.run(20, answer: { answer($0) })
        bench.run(for: .seconds(20)) { _ in .failed }
        bench.asked = []
        let start = bench.now
        bench.run(20, answer: { answer($0) })
        #expect(bench.asked([0x05, 0x0C, 0x0D]).count >= 18)
        #expect(bench.now - start <= PollPlan.longestRestInOutage + bench.roundTrip * 20)
    }

    @Test func `a record that also failed alone joins the others after its first answer`() {
        var bench = Bench([coolant, rpm])
        var round = 0
        // Both fail twice together, and each fails once alone: the link was the cause.
        bench.run(30) { request in
            round += 1
            return round <= 4 ? .failed : answer(request)
        }
        #expect(bench.asked.prefix(6).map(\.payload.count) == [3, 3, 2, 2, 2, 2])
        #expect(bench.asked.dropFirst(6).allSatisfy { $0.payload.count == 3 })
    }

    /// A damaged character on the way to the adapter also results in `?`.
    @Test func `two minutes after a refusal several records are requested again`() {
        var bench = Bench([coolant, rpm, speed, air])
        bench.roundTrip = .milliseconds(250)
        bench.run(1) { _ in .refused }
        bench.run(for: .seconds(110)) { answer($0) }
        #expect(bench.plan.batchesWork == false)
        #expect(bench.asked.count(where: { $0.payload.count > 2 }) == 1)
        bench.run(for: .seconds(20)) { answer($0) }
        #expect(bench.plan.batchesWork == true)
        #expect(bench.asked.suffix(20).allSatisfy { $0.payload.count == 5 })
    }

    @Test func `an adapter that refuses batches gets a batch less and less often`() {
        var bench = Bench([coolant, rpm, speed, air])
        bench.roundTrip = .milliseconds(250)
        bench.run(for: .seconds(3600)) { $0.payload.count > 2 ? .refused : answer($0) }
        // At once, and after 2, 6, 14 and 30 minutes. The next try would come after 62 minutes.
        #expect(bench.asked.count(where: { $0.payload.count > 2 }) == 5)
        #expect(bench.plan.batchesWork == false)
    }

    @Test(arguments: [[rpm], [coolant, rpm]])
    func `two minutes after a refusal the count digit is used again`(wants: [PollPlan.Want]) {
        var bench = Bench(wants)
        bench.roundTrip = .milliseconds(250)
        var refusals = 0
        bench.run(for: .seconds(110)) { request in
            guard request.expectedFrames != nil, refusals == 0 else { return answer(request) }
            refusals = 1
            return .refused
        }
        #expect(bench.asked.count(where: { $0.expectedFrames != nil }) == 1)
        bench.run(for: .seconds(20)) { answer($0) }
        #expect(bench.asked.suffix(20).allSatisfy { $0.expectedFrames == 1 })
    }

    @Test func `a request that cannot be sent is reported`() {
        var bench = Bench([rpm, speed])
        bench.link.itemsPerRequest = 1
        bench.run(for: .seconds(20)) { $0.payload[1] == 0x0D ? .notSent : answer($0) }
        let records = bench.plan.report(at: bench.now).records
        #expect(records.map { $0.notSent > 1 } == [false, true])
        #expect(records.map { $0.answers > 0 } == [true, false])
    }

    @Test func `rests and times without due records are listed separately`() {
        var bench = Bench([
            want(0x0C, 2, every: .milliseconds(500)), want(0x0D, 1, every: .seconds(5)),
        ])
        bench.link.itemsPerRequest = 1
        var rested = Duration.zero
        var idle = Duration.zero
        while bench.now < Instant.zero + .seconds(60) {
            switch bench.plan.next(at: bench.now, link: bench.link) {
            case .ask(let request):
                bench.now = bench.now + bench.roundTrip
                let outcome = request.payload[1] == 0x0C ? .failed : answer(request)
                bench.plan.answered(request.id, outcome, at: bench.now)
            case .wait(let until):
                let isResting = bench.plan.isHoldingBack(at: bench.now)
                if isResting {
                    rested = rested + (until - bench.now)
                } else {
                    idle = idle + (until - bench.now)
                }
                bench.now = until
            case .readVoltage, .done: break
            }
        }
        // For half a second after each failed try nothing is due: that is idle time. The remainder of
        // the pause counts as a rest.
        #expect((50...58).contains(rested.seconds), "\(rested.seconds)")
        #expect((2...8).contains(idle.seconds), "\(idle.seconds)")
    }

    /// The behaviour of a vehicle and an adapter with count digits, and the digits of the requests.
    struct Counting: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var outcome: @Sendable (_ round: Int, VehicleRequest) -> PollPlan.Outcome
        var digits: [Int?]
    }

    static let countings: [Counting] = [
        Counting(
            testDescription: "a digit is refused",
            outcome: { _, request in request.expectedFrames == nil ? answer(request) : .refused },
            digits: [nil, nil, 1, nil, nil, nil, nil, nil]),
        Counting(
            testDescription: "the answer is always pending first",
            outcome: { _, request in answer(request, pending: true) },
            digits: [nil, nil, nil, nil, nil, nil]),
        Counting(
            testDescription: "the answer is pending once",
            outcome: { round, request in answer(request, pending: round == 4) },
            digits: [nil, nil, 1, 1, nil, nil, 1, 1]),
        Counting(
            testDescription: "an answer is damaged once",
            outcome: { round, request in round == 4 ? .failed : answer(request) },
            digits: [nil, nil, 1, 1, nil, nil, 1, 1]),
        Counting(
            testDescription: "nobody answers once",
            outcome: { round, request in round == 4 ? .silent : answer(request) },
            digits: [nil, nil, 1, 1, nil, nil, 1, 1]),
        Counting(
            testDescription: "a damaged answer stands between two of equal length",
            outcome: { round, request in round == 2 ? .failed : answer(request) },
            digits: [nil, nil, nil, nil, 1]),
    ]

    @Test(arguments: countings, [rpm, PollPlan.Want(DataID(.readData, 0x1FFC), length: nil)])
    func `an answer count is used only after two equal counts in a row`(
        _ counting: Counting, _ want: PollPlan.Want
    ) {
        var bench = Bench([want])
        var round = 0
        bench.run(counting.digits.count) { request in
            round += 1
            guard want.dataID.service == .readData else { return counting.outcome(round, request) }
            // The same answers for a record of another service.
            var other = request
            other.payload = [0x01, 0x0C]
            guard
                case .answered(var messages, let intact, let pending) =
                    counting.outcome(round, other)
            else { return counting.outcome(round, other) }
            for place in messages.indices { messages[place].payload = [0x62, 0x1F, 0xFC, 0x12] }
            return .answered(messages, intact: intact, pending: pending)
        }
        #expect(bench.asked.map(\.expectedFrames) == counting.digits)
    }
}
