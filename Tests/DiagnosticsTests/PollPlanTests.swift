import Diagnostics
import OBDCore
import Testing

@Suite struct `Poll plan` {
    let six: [PollPlan.Want] = [
        want(0x04), want(0x05), want(0x0B), want(0x0C, 2), want(0x0D), want(0x11),
    ]
    let lengths: [UInt8: Int] = [0x04: 1, 0x05: 1, 0x0B: 1, 0x0C: 2, 0x0D: 1, 0x11: 1]

    @Test func `six records are requested together, and their frame count is learnt`() {
        var bench = Bench(six)
        bench.run(4) { .answered([ecu($0, lengths)].compactMap(\.self), intact: true) }
        #expect(bench.asked.allSatisfy { $0.payload == [1, 4, 5, 0x0B, 0x0C, 0x0D, 0x11] })
        // 41, 6 PIDs and 7 data bytes = 14 bytes: a first frame and two consecutive frames.
        #expect(bench.asked.map(\.expectedFrames) == [nil, nil, 3, 3])
    }

    @Test func `the frame count is the sum of all ECUs and is learnt again after a change`() {
        var bench = Bench([want(0x0C, 2)])
        bench.run(LinkCapabilities().frameCountUses + 4) { request in
            .answered(
                [ecu(request, lengths), ecu(request, lengths, address: 0x7E9)].compactMap(\.self),
                intact: true)
        }
        let digitless = bench.asked.indices.filter { bench.asked[$0].expectedFrames == nil }
        #expect(digitless == [0, 1, LinkCapabilities().frameCountUses + 2])
        #expect(bench.asked[2].expectedFrames == 2)
    }

    /// `scripts/seeds` (1322) found this: 0904 arrived as 09044, so only four of eight answers
    /// came.
    @Test func `a reply that was cut short once does not change the frame count`() {
        var bench = Bench([want(0x0C, 2)])
        var round = 0
        bench.run(6) { request in
            round += 1
            let all = [ecu(request, lengths), ecu(request, lengths, address: 0x7E9)]
            return .answered(all.compactMap(\.self).suffix(round == 1 ? 1 : 2), intact: true)
        }
        #expect(bench.asked.map(\.expectedFrames) == [nil, nil, nil, 2, 2, 2])
    }

    @Test func `on a link without batches records are requested one by one, in turn`() {
        var bench = Bench(six)
        bench.link.itemsPerRequest = 1
        bench.run(12) { .answered([ecu($0, lengths)].compactMap(\.self), intact: true) }
        let pids = bench.asked.map { $0.payload[1] }
        #expect(pids == [4, 5, 0x0B, 0x0C, 0x0D, 0x11, 4, 5, 0x0B, 0x0C, 0x0D, 0x11])
    }

    @Test func `before CAN there are no batches`() {
        var bench = Bench(six)
        bench.link.vehicleProtocol = .iso14230Fast
        bench.run(6) { .answered([ecu($0, lengths)].compactMap(\.self), intact: true) }
        #expect(bench.asked.allSatisfy { $0.payload.count == 2 })
    }

    @Test func `a refused batch with a count digit is tried without the digit, then given up`() {
        var bench = Bench(six)
        var digits = 0
        bench.run(30) { request in
            let isBatch = request.payload.count > 2
            if isBatch && request.expectedFrames != nil {
                digits += 1
                return .refused
            }
            return .answered([ecu(request, lengths)].compactMap(\.self), intact: true)
        }
        #expect(digits == 1)
        #expect(bench.plan.batchesWork == true)
        var clone = Bench(six)
        clone.run(30) {
            $0.payload.count > 2
                ? .refused : .answered([ecu($0, lengths)].compactMap(\.self), intact: true)
        }
        #expect(clone.asked.count(where: { $0.payload.count > 2 }) == 1)
        #expect(clone.plan.batchesWork == false)
    }

    @Test
    func `a record that is missing in a batch is requested alone, and the others stay together`() {
        var bench = Bench(six + [want(0x5C)])
        bench.link.itemsPerRequest = 6
        bench.run(40) { request in
            ecu(request, lengths).map { .answered([$0], intact: true) } ?? .silent
        }
        let alone = bench.asked.filter { $0.payload == [1, 0x5C] }
        #expect(!alone.isEmpty)
        #expect(bench.asked.count(where: { $0.payload.count == 7 }) > 30)
        // After two misses, the rests get longer. Silent records cost little time but are never
        // given up.
        #expect(alone.count < 6)
    }

    /// A request that could not be sent must not be repeated at once forever, either.
    @Test(arguments: [true, false])
    func `one failure changes nothing, several slow a record down, an answer restores its rate`(
        isSent: Bool
    ) {
        var bench = Bench([want(0x0C, 2), want(0x0D)])
        bench.link.itemsPerRequest = 1
        var silent = true
        bench.run(400) { request in
            if request.payload[1] == 0x0D && silent { return isSent ? .silent : .notSent }
            return .answered([ecu(request, lengths)].compactMap(\.self), intact: true)
        }
        let missed = bench.asked.count(where: { $0.payload[1] == 0x0D })
        #expect((4...8).contains(missed))
        silent = false
        bench.asked = []
        bench.run(2_000) { .answered([ecu($0, lengths)].compactMap(\.self), intact: true) }
        #expect(bench.asked.suffix(100).count(where: { $0.payload[1] == 0x0D }) == 50)
    }

    @Test func `the plan keeps periods, and records without a period use the time between`() {
        var bench = Bench([
            want(0x0C, 2, every: .milliseconds(100)), want(0x05, 1, every: .seconds(5)), want(0x0D),
        ])
        bench.link.itemsPerRequest = 1
        bench.run(400) { .answered([ecu($0, lengths)].compactMap(\.self), intact: true) }
        let seconds = bench.now.nanoseconds / 1_000_000_000
        #expect(seconds == 10)
        #expect((99...101).contains(bench.asked.count(where: { $0.payload[1] == 0x0C })))
        #expect((2...3).contains(bench.asked.count(where: { $0.payload[1] == 0x05 })))
    }

    @Test func `a period that cannot be kept does not starve records without a period`() {
        var bench = Bench([want(0x0C, 2, every: .milliseconds(10)), want(0x05), want(0x0D)])
        bench.link.itemsPerRequest = 1
        bench.roundTrip = .milliseconds(100)
        bench.run(200) { .answered([ecu($0, lengths)].compactMap(\.self), intact: true) }
        // The run takes twenty seconds.
        #expect((18...22).contains(bench.asked.count(where: { $0.payload[1] == 0x05 })))
        #expect((18...22).contains(bench.asked.count(where: { $0.payload[1] == 0x0D })))
    }

    @Test func `if all records have periods, the plan waits and does not ask too often`() {
        var bench = Bench([want(0x05, 1, every: .seconds(1))])
        bench.run(10) { .answered([ecu($0, lengths)].compactMap(\.self), intact: true) }
        #expect(bench.now >= Instant.zero + .seconds(9))
    }

    @Test func `the plan ends after its rounds, and counts records without an answer`() {
        var bench = Bench(six + [want(0x5C)], rounds: 1)
        bench.run(100) { request in
            ecu(request, lengths).map { .answered([$0], intact: true) } ?? .silent
        }
        #expect(bench.plan.next(at: bench.now, link: bench.link) == .done)
        #expect(bench.asked.count < 6)
    }

    @Test func `a damaged answer never counts as complete`() {
        var bench = Bench(six)
        bench.run(3) { .answered([ecu($0, lengths)].compactMap(\.self), intact: false) }
        #expect(bench.asked.allSatisfy { $0.expectedFrames == nil })
    }

    @Test(
        arguments: [
            (DataID(.currentData, 0x0C), [0x01, 0x0C]),
            (DataID(.freezeFrame, 0x0C), [0x02, 0x0C, 0x00]),
            (DataID(.readData, 0xF40C), [0x22, 0xF4, 0x0C]),
            (DataID(.vehicleInformation, 2), [9, 2]),
        ] as [(DataID, [UInt8])])
    func `each service writes the identifier in its own form`(id: DataID, payload: [UInt8]) {
        var plan = PollPlan(wants: [PollPlan.Want(id, length: nil)])
        guard case .ask(let request) = plan.next(at: .zero, link: LinkCapabilities()) else {
            Issue.record("nothing was asked")
            return
        }
        #expect(request.payload == payload)
    }

    @Test func `three data identifiers share a request; after a refusal each has its own request`()
    {
        let identifiers: [UInt32] = [0xF404, 0xF405, 0xF40D, 0xF411]
        let wants = identifiers.map { PollPlan.Want(DataID(.readData, $0), length: 1) }
        var bench = Bench(wants, rounds: 2)
        bench.run(20) { request in
            var payload: [UInt8] = [0x62]
            for place in stride(from: 1, to: request.payload.count, by: 2) {
                payload += request.payload[place..<place + 2] + [0x55]
            }
            return .answered(
                [ECUMessage(ecu: ECUAddress(0x7E8, .can11), payload: payload)], intact: true)
        }
        // 22 and three identifiers are seven bytes, which fit in one frame.
        #expect(bench.asked.first?.payload == [0x22, 0xF4, 0x04, 0xF4, 0x05, 0xF4, 0x0D])
        #expect(bench.asked.allSatisfy { $0.payload.count <= 7 })
        #expect(bench.plan.batchesWork == true)

        var stubborn = Bench(wants, rounds: 1)
        stubborn.run(20) { request in
            let refusal: [UInt8] = [0x7F, 0x22, 0x13]
            let payload =
                request.payload.count > 3 ? refusal : [0x62] + Array(request.payload[1...]) + [1]
            return .answered(
                [ECUMessage(ecu: ECUAddress(0x7E8, .can11), payload: payload)], intact: true)
        }
        let alone = stubborn.asked.filter { $0.payload.count == 3 }.map(\.payload)
        #expect(Set(alone) == Set(identifiers.map { [0x22, 0xF4, UInt8($0 & 0xFF)] }))
    }

    @Test func `parameter groups are asked for one by one`() {
        let wants = [0xF004, 0xFEEE].map {
            PollPlan.Want(DataID(DataID.parameterGroups, $0), length: 8)
        }
        var bench = Bench(wants, rounds: 1)
        bench.link.vehicleProtocol = .j1939
        bench.run(5) { request in
            var message = ECUMessage(
                ecu: ECUAddress(0, .byte), payload: [UInt8](repeating: 0, count: 8))
            message.parameterGroup = UInt32(request.payload[1]) << 8 | UInt32(request.payload[2])
            return .answered([message], intact: true)
        }
        #expect(bench.asked.map(\.payload) == [[0x00, 0xF0, 0x04], [0x00, 0xFE, 0xEE]])
        #expect(bench.plan.next(at: bench.now, link: bench.link) == .done)
    }
}
