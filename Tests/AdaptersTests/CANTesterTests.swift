import OBDCore
import TestSupport
import Testing
import VehicleLink

@testable import Adapters

/// Answers that other testers asked for, that come twice, or that come late.
///
/// CAN does not show the tester that an ECU answers, so only the order and the content of frames can.
@Suite struct `An exchange on a bus with another tester` {
    private static let rpm: [UInt8] = [0x04, 0x41, 0x0C, 0x1A, 0xF8, 0, 0, 0]
    private static let vin: [[UInt8]] = [
        [0x10, 0x14, 0x49, 0x02, 0x01, 0x57, 0x30, 0x4C],
        [0x21, 0x30, 0x30, 0x30, 0x30, 0x34, 0x33, 0x4D],
        [0x22, 0x42, 0x35, 0x34, 0x31, 0x33, 0x32, 0x36],
    ]

    private func can11(_ id: UInt32) -> ECUAddress { ECUAddress(id, .can11) }

    @Test func `an answer that comes twice is one message`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x01, 0x0C]))
        bench.hear(0x7E8, Self.rpm)
        bench.hear(0x7E8, Self.rpm)
        // The other tester's answer has a newer value.
        bench.hear(0x7E8, [0x04, 0x41, 0x0C, 0x1B, 0x00, 0, 0, 0])
        bench.hear(0x7E9, Self.rpm)
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.messages.map(\.ecu) == [can11(0x7E8), can11(0x7E9)])
        #expect(bench.messages[0].payload == [0x41, 0x0C, 0x1A, 0xF8])
    }

    /// The ECU was slow: its answer to the first request comes after the repetition was sent.
    @Test func `a late answer to a repeated request does not double the reading`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x01, 0x0C]))
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.news().last == .ended)
        #expect(bench.ask([0x01, 0x0C]))
        bench.hear(0x7E8, Self.rpm)
        bench.hear(0x7E8, Self.rpm)
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.messages.count == 1)
        #expect(bench.isEnded)
    }

    @Test func `a doubled frame does not count as the answer of a second ECU`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x01, 0x0C], expecting: 2))
        bench.hear(0x7E8, Self.rpm)
        bench.hear(0x7E8, Self.rpm)
        #expect(!bench.isEnded)
        bench.hear(0x7E9, Self.rpm)
        #expect(bench.isEnded && bench.messages.count == 2)
    }

    @Test func `the second answer of an ECU in several frames gets no flow control`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x09, 0x02]))
        for frame in Self.vin { bench.hear(0x7E8, frame) }
        let sent = bench.sent.count
        for frame in Self.vin { bench.hear(0x7E8, frame) }
        #expect(bench.sent.count == sent)
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.messages.count == 1 && bench.errors == 0 && bench.isEnded)
    }

    @Test(arguments: [1, 2]) func `an answer that begins again is read from its new beginning`(
        frames: Int
    ) {
        let bench = ExchangeBench()
        #expect(bench.ask([0x09, 0x02], to: can11(0x7E0)))
        for frame in Self.vin[..<frames] { bench.hear(0x7E8, frame) }
        for frame in Self.vin { bench.hear(0x7E8, frame) }
        #expect(bench.isEnded && bench.errors == 0)
        #expect(bench.messages.map(\.payload.count) == [20])
        // Each beginning was let come.
        #expect(bench.sent.count { $0.data[0] == 0x30 } == 2)
    }

    /// The ECU drops our answer for the other tester's question.
    ///
    /// The numbers of these frames fit into our answer.
    @Test func `frames of an answer to another tester never become part of our answer`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x09, 0x02], to: can11(0x7E0)))
        bench.hear(0x7E8, Self.vin[0])
        let flowControls = bench.sent.count
        bench.hear(0x7E8, [0x10, 0x17, 0x49, 0x04, 0x01, 0x41, 0x41, 0x41])
        #expect(bench.sent.count == flowControls, "no flow control for the other tester")
        bench.hear(0x7E8, [0x21, 0x42, 0x42, 0x42, 0x42, 0x42, 0x42, 0x42])
        bench.hear(0x7E8, [0x22, 0x43, 0x43, 0x43, 0x43, 0x43, 0x43, 0x43])
        bench.exchange.expired(.pause, &bench.out)
        #expect(bench.messages.isEmpty && bench.errors == 1 && bench.isEnded)
    }

    @Test func `a refusal for another tester does not hide the answer`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x22, 0xF8, 0x10]))
        bench.hear(0x7E8, [0x03, 0x7F, 0x22, 0x31, 0, 0, 0, 0])
        bench.hear(0x7E8, [0x04, 0x62, 0xF8, 0x10, 0x01, 0, 0, 0])
        bench.hear(0x7E8, [0x03, 0x7F, 0x22, 0x31, 0, 0, 0, 0])
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.messages.map(\.payload.first) == [0x7F, 0x62])
    }

    @Test func `a refusal or "response pending" after the answer is ignored`() {
        let bench = ExchangeBench()
        #expect(bench.ask([0x22, 0xF8, 0x10]))
        bench.hear(0x7E8, [0x04, 0x62, 0xF8, 0x10, 0x01, 0, 0, 0])
        bench.hear(0x7E8, [0x03, 0x7F, 0x22, 0x78, 0, 0, 0, 0])
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.messages.count == 1 && bench.isEnded)
    }

    @Test func `a request ends when every known ECU has answered`() {
        let bench = ExchangeBench()
        func ask() -> Bool {
            bench.exchange.begin(
                VehicleRequest(id: RequestID(rawValue: 1), payload: [0x01, 0x0C]), on: .can11At500,
                awaiting: [can11(0x7E8), can11(0x7EA)], &bench.out)
        }
        #expect(ask())
        bench.hear(0x7E8, Self.rpm)
        #expect(!bench.isEnded)
        bench.hear(0x7E8, Self.rpm)
        #expect(!bench.isEnded)
        bench.hear(0x7EA, [0x03, 0x7F, 0x01, 0x12, 0, 0, 0, 0])
        #expect(bench.isEnded && bench.messages.count == 2)
        // Without the second answer it ends with P2.
        bench.out = []
        #expect(ask())
        bench.hear(0x7E8, Self.rpm)
        bench.exchange.expired(.reply, &bench.out)
        #expect(bench.isEnded && bench.messages.count == 1)
    }

    /// Another tester sends the same and other requests at any time.
    ///
    /// An ECU that is asked again while it sends a long answer drops it, or answers afterwards.
    @Test(arguments: 0..<400)
    func `during another tester's requests each ECU gives a correct answer or no answer`(
        seed: Int
    ) throws {
        var random = SeededGenerator(seed: UInt64(seed) + 4_000)
        let payload: [UInt8] = [[0x01, 0x0C], [0x09, 0x02], [0x22, 0xF1, 0x90]][seed % 3]
        let others: [[UInt8]] = [payload, [0x09, 0x04], [0x22, 0xF1, 0x87], [0x01, 0x0D]]
        func answer(_ ecu: UInt32, _ request: [UInt8]) -> [UInt8] {
            let length = request[0] == 0x01 ? 2 : 10 + Int(ecu % 8) * 7
            let step = Int(ecu) &* Int(request[1])
            let data = (0..<length).map { UInt8(truncatingIfNeeded: $0 &+ step) }
            return [request[0] | 0x40] + Array(request[1...]) + data
        }
        let bench = ExchangeBench()
        #expect(bench.ask(payload))
        bench.out = []
        let ecus: [UInt32] = [0x7E8, 0x7E9, 0x7EF]
        var queues: [UInt32: [[UInt8]]] = [:]
        for ecu in ecus { queues[ecu] = try ISO15765.frames(for: answer(ecu, payload)) }
        for _ in 0..<60 {
            let ecu = ecus.randomElement(using: &random) ?? 0x7E8
            if Int.random(in: 0..<6, using: &random) == 0 {
                let asked = others.randomElement(using: &random) ?? payload
                let frames = try ISO15765.frames(for: answer(ecu, asked))
                if queues[ecu]?.isEmpty == true || Bool.random(using: &random) {
                    queues[ecu] = frames
                } else {
                    queues[ecu]?.append(contentsOf: frames)
                }
            }
            guard queues[ecu]?.isEmpty == false, let frame = queues[ecu]?.removeFirst() else {
                continue
            }
            bench.hear(ecu, frame)
        }
        for timer in [DialectTimer.reply, .nextFrame, .pause, .reply, .pause] {
            bench.exchange.expired(timer, &bench.out)
        }
        #expect(bench.isEnded && !bench.exchange.isUnderWay)
        let messages = bench.messages
        #expect(Set(messages.map(\.ecu)).count == messages.count, "an ECU answered twice")
        for message in messages {
            let ecu = try #require(message.ecu?.value)
            #expect(message.payload == answer(ecu, payload))
        }
    }
}

/// The frames that the kernel has to deliver.
@Suite struct `The filter of a CAN interface` {
    private final class Bench {
        var dialect: CANDialect
        var out: [DialectOutput] = []

        init(
            rate: Int?, _ vehicleProtocol: VehicleProtocol? = nil, heard: Set<ECUAddress> = [],
            groups: Set<UInt32> = []
        ) {
            var options = CANDialect.Options(
                .interface(name: "can0", rate: rate), vehicleProtocol: vehicleProtocol)
            options.heard = heard
            options.heardGroups = groups
            dialect = CANDialect(options)
            dialect.initialise(&out)
        }

        /// The identifiers of the frames that were heard beside answers, since the last call.
        func takeHeard() -> [String] {
            defer { out = [] }
            return out.compactMap {
                if case .notice(.heard(let frame)) = $0 { frame.id.digits } else { nil }
            }
        }

        /// The filters that are set at the end; nil if none were set since the last call.
        func takeFilters() -> [CANFilter]? {
            defer { out = [] }
            return out.compactMap { if case .filter(let filters) = $0 { filters } else { nil } }
                .last
        }

        func hear(_ id: ECUAddress, _ data: [UInt8]) {
            dialect.receive(CANRecord.bytes(of: CANFrame(id, InlineBytes(data))), &out)
        }

        func ask(_ payload: [UInt8], to target: ECUAddress? = nil) {
            dialect.send(
                .vehicle(
                    VehicleRequest(id: RequestID(rawValue: 1), target: target, payload: payload)),
                &out)
        }

        func end() { dialect.expired(.reply, &out) }

        /// Finds the vehicle, asks an ECU at an unusual address, and returns the filters for that.
        func askElsewhere() -> [CANFilter]? {
            hear(ECUAddress(0x7E8, .can11), [6, 0x41, 0, 0x98, 0x18, 0, 1, 0])
            end()
            ask([0x21, 0x01], to: ECUAddress(0x79B, .can11))
            return takeFilters()
        }

        func passes(_ filters: [CANFilter]?, _ id: String) -> Bool {
            guard let filters, let address = ECUAddress(id) else { return false }
            return filters.isEmpty || filters.contains { $0.passes(address) }
        }
    }

    @Test func `on 11 bits only answers of OBD pass`() {
        let bench = Bench(rate: 500_000)
        let filters = bench.takeFilters()
        #expect(filters?.count == 1)
        for id in ["7E8", "7EF"] { #expect(bench.passes(filters, id)) }
        for id in ["7E0", "7DF", "7F0", "6E8", "123", "18DAF110", "18FEF100", "0CF00400"] {
            #expect(!bench.passes(filters, id), "\(id)")
        }
        bench.hear(ECUAddress(0x7E8, .can11), [6, 0x41, 0, 0x98, 0x18, 0, 1, 0])
        bench.end()
        // The same answers: nothing has to be set.
        bench.ask([0x01, 0x0C])
        #expect(bench.takeFilters() == nil)
        bench.end()
        // A pack asks an ECU at an unusual address.
        bench.ask([0x21, 0x01], to: ECUAddress(0x79B, .can11))
        let wider = bench.takeFilters()
        for id in ["7E8", "7A3"] { #expect(bench.passes(wider, id)) }
        #expect(!bench.passes(wider, "79B") && !bench.passes(wider, "7A4"))
        bench.end()
        bench.ask([0x21, 0x02], to: ECUAddress(0x79B, .can11))
        #expect(bench.takeFilters() == nil)
    }

    @Test func `on 29 bits only answers to this tester pass`() {
        let filters = Bench(rate: 500_000, .can29At500).takeFilters()
        let bench = Bench(rate: 500_000)
        for id in ["18DAF110", "18DAF1FF"] { #expect(bench.passes(filters, id)) }
        for id in ["18DA10F1", "18DB33F1", "18DAF010", "18FEF100", "1ABCDEF0", "7E8"] {
            #expect(!bench.passes(filters, id), "\(id)")
        }
    }

    @Test func `on SAE J1939 the requested group passes`() {
        let bench = Bench(rate: 250_000, .j1939)
        let filters = bench.takeFilters()
        // The codes, an acknowledgement, and long messages to all and to this tester; any priority.
        for id in ["18FECA00", "00FECA21", "18E8FF00", "18E8F900", "1CECFF00", "1CEBF900"] {
            #expect(bench.passes(filters, id), "\(id)")
        }
        for id in ["18FEF100", "0CF00400", "18E8F100", "1CEC0100", "18DAF110", "7E8", "19FECA00"] {
            #expect(!bench.passes(filters, id), "\(id)")
        }
        bench.hear(ECUAddress(0x18FE_CA00, .can29), [0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        bench.end()
        bench.out = []
        bench.ask([0x00, 0xFE, 0xEC])
        let wider = bench.takeFilters()
        #expect(bench.passes(wider, "18FEEC00") && bench.passes(wider, "18FECA00"))
    }

    @Test func `frames that a session hears pass the filters during every request`() {
        let wanted: Set = [ECUAddress(0x1A0, .can11), ECUAddress(0x18FF_5021, .can29)]
        let bench = Bench(rate: 500_000, heard: wanted)
        for filters in [bench.takeFilters(), bench.askElsewhere()] {
            for id in ["1A0", "18FF5021", "7E8"] { #expect(bench.passes(filters, id), "\(id)") }
            for id in ["1A1", "000001A0", "7F0"] { #expect(!bench.passes(filters, id), "\(id)") }
        }
    }

    @Test func `more frames than the kernel has filters for open the interface`() {
        let many = Set((0..<UInt32(CANAcceptance.mostHeard) + 1).map { ECUAddress($0, .can11) })
        #expect(Bench(rate: 500_000, heard: many).takeFilters() == [])
    }

    @Test func `frames are heard between requests and beside an answer, but never as an answer`() {
        let bench = Bench(rate: 500_000, heard: [ECUAddress(0x1A0, .can11)])
        #expect(bench.dialect.capabilities.hearsFrames)
        bench.hear(ECUAddress(0x1A0, .can11), [1])
        #expect(bench.takeHeard() == [], "the set-up is not over")
        bench.hear(ECUAddress(0x7E8, .can11), [6, 0x41, 0, 0x98, 0x18, 0, 1, 0])
        bench.end()
        bench.out = []
        bench.hear(ECUAddress(0x1A0, .can11), [1])
        bench.hear(ECUAddress(0x1A1, .can11), [1])
        bench.hear(ECUAddress(0x1A0, .can29), [1])
        #expect(bench.takeHeard() == ["1A0"])
        bench.ask([0x09, 0x02])
        bench.out = []
        bench.hear(ECUAddress(0x7E8, .can11), [0x10, 0x0A, 0x49, 0x02, 1, 2, 3, 4])
        // It looks like the rest of the answer.
        bench.hear(ECUAddress(0x1A0, .can11), [0x21, 9, 9, 9, 9, 9, 9, 9])
        bench.hear(ECUAddress(0x7E8, .can11), [0x21, 5, 6, 7, 8, 0, 0, 0])
        let messages = bench.out.compactMap {
            if case .message(let message) = $0 { message.payload } else { nil }
        }
        #expect(messages == [[0x49, 0x02, 1, 2, 3, 4, 5, 6, 7, 8]])
        #expect(bench.takeHeard() == ["1A0"])
        // A remote frame has no data.
        bench.end()
        bench.dialect.receive([0xA0, 1, 0, 0x40, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &bench.out)
        #expect(bench.takeHeard() == [])
    }

    @Test func `wanted groups, parts of long messages and claims pass on SAE J1939`() {
        let bench = Bench(rate: 250_000, .j1939, groups: [0xF004, 0xFF21, 0x0000])
        let filters = bench.takeFilters()
        // Any sender and priority; a group below F0 to any ECU.
        for id in [
            "0CF00400", "18F00403", "18FF2121", "0C000003", "1CECFF0B", "1CEB210B", "18EEFF21",
            "18FECA00",
        ] {
            #expect(bench.passes(filters, id), "\(id)")
        }
        for id in ["18F00300", "18FF2221", "0C010003", "19F00400", "7E8"] {
            #expect(!bench.passes(filters, id), "\(id)")
        }
    }

    @Test func `groups are heard once the vehicle has answered by SAE J1939`() {
        let bench = Bench(rate: 250_000, .j1939, groups: [0xF004])
        let engine = ECUAddress(0x0CF0_0400, .can29)
        bench.hear(engine, [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(bench.takeHeard() == [], "the set-up is not over")
        bench.hear(ECUAddress(0x18FE_CA00, .can29), [0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        bench.end()
        bench.out = []
        #expect(bench.dialect.capabilities.hearsGroups && !bench.dialect.capabilities.hearsFrames)
        bench.hear(engine, [1, 2, 3, 4, 5, 6, 7, 8])
        bench.hear(ECUAddress(0x18FE_F100, .can29), [1, 2, 3, 4, 5, 6, 7, 8])
        // A long message to all, and one to this tester, which is an answer.
        bench.hear(ECUAddress(0x1CEC_FF00, .can29), [0x20, 9, 0, 2, 0xFF, 0x04, 0xF0, 0])
        bench.hear(ECUAddress(0x1CEC_F900, .can29), [0x10, 9, 0, 2, 0xFF, 0x04, 0xF0, 0])
        #expect(bench.takeHeard() == ["0CF00400", "1CECFF00"])
        bench.ask([0x00, 0xFE, 0xEE])
        bench.out = []
        bench.hear(engine, [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(bench.takeHeard() == ["0CF00400"])
    }

    @Test func `on another protocol than SAE J1939 no group is heard`() {
        let bench = Bench(rate: 500_000, .can29At500, groups: [0xF004])
        #expect(!bench.passes(bench.takeFilters(), "0CF00400"))
        bench.hear(ECUAddress(0x18DA_F110, .can29), [6, 0x41, 0, 0x98, 0x18, 0, 1, 0])
        bench.end()
        bench.out = []
        bench.hear(ECUAddress(0x0CF0_0400, .can29), [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(bench.takeHeard() == [] && !bench.dialect.capabilities.hearsGroups)
    }

    @Test func `a session whose filters pass only answers reports that it hears no frames`() {
        let bench = Bench(rate: 500_000)
        #expect(!bench.dialect.capabilities.hearsFrames)
        bench.hear(ECUAddress(0x1A0, .can11), [1])
        #expect(bench.takeHeard() == [])
    }

    @Test func `listening receives every frame, and the next request narrows the filter again`() {
        let bench = Bench(rate: 500_000)
        bench.hear(ECUAddress(0x7E8, .can11), [6, 0x41, 0, 0x98, 0x18, 0, 1, 0])
        bench.end()
        bench.out = []
        bench.dialect.send(
            .monitor(
                id: RequestID(rawValue: 1), text: AdapterCommand.monitorEverything,
                atMost: .seconds(1)), &bench.out)
        #expect(bench.takeFilters() == [])
        bench.hear(ECUAddress(0x123, .can11), [1])
        #expect(bench.out.contains(.frame(id: ECUAddress(0x123, .can11), data: [1])))
        bench.dialect.expired(.listen, &bench.out)
        bench.out = []
        bench.ask([0x01, 0x0C])
        #expect(bench.takeFilters()?.count == 1)
    }

    @Test func `a scan of all addresses keeps the number of filters small`() {
        let bench = Bench(rate: 500_000)
        bench.hear(ECUAddress(0x7E8, .can11), [6, 0x41, 0, 0x98, 0x18, 0, 1, 0])
        bench.end()
        for target in UInt32(0x600)...0x7D0 {
            bench.out = []
            bench.ask([0x3E, 0x00], to: ECUAddress(target, .can11))
            if let filters = bench.takeFilters() {
                #expect(filters.count <= CANAcceptance.most)
                #expect(bench.passes(filters, "7E8"))
                #expect(filters.contains { $0.passes(ECUAddress((target + 8) & 0x7FF, .can11)) })
            }
            bench.end()
        }
    }

    @Test func `the kernel's filters have the flags of linux/can.h in their masks`() throws {
        let short = try #require(CANFilter("7E8/7F8"))
        let long = try #require(CANFilter("18DAF100/1FFFFF00"))
        #expect(
            CANRecord.filterPairs(of: [short, long]) == [
                0x7E8, 0xC000_07F8, 0x98DA_F100, 0xDFFF_FF00,
            ])
        #expect(CANRecord.filterPairs(of: []) == [0, 0])
    }

    @Test(arguments: [
        ("7E8/7F8", "7E8", true), ("7E8/7F8", "7EF", true), ("7E8/7F8", "7F0", false),
        ("7E8", "7E8/7F8", false), ("7E8/7F8", "7E8/7F8", true), ("000/000", "7E8/7F8", true),
        ("7E8/7F8", "000007E8", false),
    ])
    func `a wide filter covers a narrow filter`(_ wide: String, _ narrow: String, _ covers: Bool)
        throws
    {
        #expect(try #require(CANFilter(wide)).covers(try #require(CANFilter(narrow))) == covers)
    }

    @Test func `an slcan adapter gets no filter`() {
        var dialect = CANDialect(.init(.slcan, vehicle: .unused))
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        for _ in 0..<20 { dialect.expired(.reply, &out); dialect.expired(.listen, &out) }
        dialect.send(
            .vehicle(VehicleRequest(id: RequestID(rawValue: 1), payload: [0x01, 0x0C])), &out)
        #expect(!out.contains { if case .filter = $0 { true } else { false } })
    }
}
