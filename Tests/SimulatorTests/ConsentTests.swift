import Adapters
import Diagnostics
import OBDCore
import ScanTool
import SimulatorTestSupport
import Testing

@testable import PIDTables
@testable import Simulator

/// A scan tool with a simulated adapter and vehicle and a manual clock.
///
/// It gets requests without consent.
private struct Stand {
    var machine: ScanTool<ELM327Dialect>
    var adapter: SimulatedAdapter
    var now = Instant.zero
    private var deadlines: [Deadline: Instant] = [:]
    private var events: [Event] = []
    /// The result of the latest request.
    var refusal: Refusal?
    var outcome: Outcome?

    init(_ address: String) throws {
        adapter = try SimulatedAdapter(SimulatorOptions(address), at: .zero)
        var policy = Policy()
        policy.sessionTries = nil
        machine = ScanTool(dialect: ELM327Dialect(), policy: policy)
        events = [.retry]
        run { if case .idle = $0.machine.state { true } else { false } }
    }

    /// Submits a request and runs until there is a result.
    mutating func submit(_ request: AdapterRequest) {
        run { if case .idle = $0.machine.state { true } else { false } }
        refusal = nil
        outcome = nil
        events.append(.submitted(request))
        run { $0.refusal != nil || $0.outcome != nil }
    }

    private mutating func run(until isOver: (Stand) -> Bool) {
        var steps = 0
        while steps < 20_000 {
            steps += 1
            while !events.isEmpty {
                var effects: [Effect] = []
                machine.handle(events.removeFirst(), &effects)
                for effect in effects { carryOut(effect) }
            }
            if isOver(self) { return }
            let bytes = adapter.due(at: now)
            if !bytes.isEmpty {
                events.append(.received(bytes))
                continue
            }
            guard let next = (deadlines.values + [adapter.nextDeadline].compactMap(\.self)).min()
            else { return }
            now = max(now, next)
            for (deadline, time) in deadlines where time <= now {
                deadlines[deadline] = nil
                events.append(.deadlineExpired(deadline))
            }
        }
    }

    private mutating func carryOut(_ effect: Effect) {
        switch effect {
        case .open: events.append(.opened)
        case .close: events.append(.closed)
        case .write(let bytes): adapter.receive(bytes, at: now)
        case .arm(let deadline, let time): deadlines[deadline] = now + time
        case .disarm(let deadline): deadlines[deadline] = nil
        case .setLineRate(let rate): events.append(.lineRateSet(rate))
        case .deliver(let id, let result):
            outcome = result
            events.append(.replyProcessed(id))
        case .refuse(_, let reason): refusal = reason
        case .notice, .report, .setFilter: break
        }
    }
}

/// Makes requests as commands, tables, packs and people do, but mostly wrong ones.
private struct RequestMaker {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func number(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }

    private mutating func one<Element>(_ list: [Element]) -> Element { list[number(list.count)] }

    private mutating func digits(_ counts: [Int]) -> String {
        let count = one(counts)
        return String((0..<count).map { _ in one(Array("0123456789ABCDEF")) })
    }

    mutating func next() -> AdapterRequest {
        let id = RequestID(rawValue: 1)
        switch number(8) {
        case 0, 1, 2:
            var request = VehicleRequest(
                id: id, target: target(), payload: payload(), mayRepeat: number(2) == 0)
            if number(6) == 0 { request.responders = .one(ECUAddress(0x7E8, .can11)) }
            if number(6) == 0 { request.expectedFrames = number(16) }
            return .vehicle(request)
        case 3: return .vehicle(fromTable() ?? VehicleRequest(id: id, payload: [0x01, 0x0C]))
        case 4: return .command(id: id, text: payloadText(), mayRepeat: number(2) == 0)
        case 5:
            let text = one(["AT MA", "AT MP FECA", "AT MR 10", "STM", command(), payloadText()])
            return .monitor(id: id, text: text, atMost: .milliseconds(50))
        default: return .command(id: id, text: command(), mayRepeat: number(2) == 0)
        }
    }

    private mutating func payload() -> [UInt8] {
        let known: [[UInt8]] = [
            [0x01, 0x0C], [0x04], [0x14, 0xFF, 0xFF, 0xFF], [0x11, 0x01], [0x09, 0x02],
            [0x01, 0x04], [0x02, 0x11, 0x01], [0x22, 0xF1, 0x90], [0x2E, 0xF1, 0x90, 0x00],
            [0x00, 0xFE, 0xCA], [0x00, 0xFE, 0xD3], [0x00, 0xFE, 0xCC], [0x00, 0xC3, 0x00],
            [0x10, 0x01], [0x10, 0x03], [0x31, 0x01, 0xE0, 0x01], [0x3E, 0x00], [],
        ]
        if number(3) > 0 { return one(known) }
        return (0..<number(9)).map { _ in UInt8(number(256)) }
    }

    private mutating func payloadText() -> String {
        var text = ""
        for byte in payload() { text += Hex.string([byte]) + one(["", "", " "]) }
        return text + one(["", "", "1", "\r04", "\n04", "\u{0}", " "])
    }

    private mutating func target() -> ECUAddress? {
        let extended: UInt8? = number(6) == 0 ? UInt8(number(256)) : nil
        switch number(8) {
        case 0, 1, 2: return nil
        case 3: return ECUAddress(UInt32(0x7E0 + number(16)), .can11, extended: extended)
        case 4: return ECUAddress(UInt32(number(0x800)), .can11, extended: extended)
        case 5:
            return ECUAddress(
                one([0x18DA_10F1, 0x18DB_33F1, 0x18DA_F110, 0x0CF0_0400, 0x17FC_007B]), .can29,
                extended: extended)
        case 6: return ECUAddress(UInt32(number(0x2000_0000)), .can29)
        default: return ECUAddress(one([0x6F1, 0x750, 0x0A5, 0x008]), .can11, extended: extended)
        }
    }

    /// A request from a table; nil if the table cannot be read.
    private mutating func fromTable() -> VehicleRequest? {
        let id = one([
            "FE:00FED3", "FE:00FECC", "FE:00F004", "FE:00" + digits([4]), "04:00", "01:04",
            "22:" + digits([4]), digits([2]) + ":" + digits([2]), "14:FFFF", "10:01", "10:03",
        ])
        let header = one(["", "header 7E0\n", "header 0A5\n", "header " + digits([3, 8]) + "\n"])
        let text = "record \(id) 1..64 : R\n\(header)signal X A : X\n"
        let file = TableFile(path: "seeded.pids", contents: Array(text.utf8))
        guard let record = try? TableReader.records(of: file, detail: .decoding).first else {
            return nil
        }
        var request = VehicleRequest(
            id: RequestID(rawValue: 1), target: record.target,
            payload: record.dataID.requestPayload, mayRepeat: true)
        if let responder = record.responder { request.responders = .one(responder) }
        return request
    }

    private mutating func command() -> String {
        let request = one([
            "010C", "04", "0104", "14FFFFFF", "00FED3", "0902", "02010C", "0304FFFF", "22F190",
        ])
        var text = one([
            "AT SH " + one(["7E0", "7DF", "0A5", "0C9", "DA10F1", "18DA10F1", digits([3, 6, 8])]),
            "AT CP " + one(["18", "17", "0C", digits([2])]), "AT CAF0", "AT CAF1", "AT CEA",
            "AT CEA " + digits([2]), "AT CRA", "AT CRA 7E8", "AT D", "AT WS", "AT R0", "AT R1",
            "AT SP " + one(["6", "7", "A", "B", "0", "A6", "3"]), "AT TP 6", "AT JS", "AT JE",
            "AT FC SH " + one(["7E0", "7E1", "0A5", digits([3, 8])]),
            "AT FC SD " + one(["300000", "300008", "0104", "04", "0314FFFF", digits([2, 6, 10])]),
            "AT FC SM " + one(["0", "1", "2"]), "AT RTR", "AT FI", "AT PB 4001", "AT XYZ",
            "AT WM C1 33 F1 " + one(["3E", "04"]), "AT PP 24 SV 00", "AT PP 24 ON", "AT Z",
            "STP " + one(["31", "33", "34", "42", "51"]), "STPX d:" + request,
            "STPX h:" + one(["7E0", "0A5", "18DA10F1", "+7E0"]) + ", d:" + request,
            "STPX d:010C, d:04", "STPX h:7E0, h:0A5, d:010C", "STPX d:010C, x:04", "STPX l:1",
            "STPPMA 100, 7E0, 04", "STCAF 1, 04", "ATI\r04", "ATI\u{0}04", "AT I", "AT RV", " ", "",
            "AT AL", "AT H0", "AT S1", "AT E1", "AT V1", "AT TA F1", "AT SR 10", "AT SW 00",
        ])
        if number(4) == 0 { text = text.lowercased() }
        if number(4) == 0 { text = text.filter { $0 != " " } }
        if number(12) == 0 { text += one(["\r04", "\n", "\t", "é", " 04", "1"]) }
        return text
    }
}

@Suite struct `Without consent` {
    /// Simulated vehicles and adapters.
    static let addresses = [
        "petrol?latency=0", "petrol?personality=stn&latency=0",
        "petrol?protocol=7&latency=0", "petrol?protocol=5&latency=0",
        "petrol?protocol=3&latency=0", "petrol?protocol=2&latency=0", "onuds?latency=0",
        "truck?latency=0", "diesel?latency=0", "petrol?personality=clone-2.1&latency=0",
    ]

    /// 10 × 1,000 requests, in conversations of 20.
    ///
    /// Settings stay during a conversation.
    @Test(arguments: addresses)
    func `nothing reaches the vehicle that is not on the list`(_ address: String) throws {
        var sent = 0
        var refused = 0
        var faults: [String] = []
        for conversation in 0..<50 {
            var bench = try Stand(address)
            var maker = RequestMaker(
                seed: UInt64(conversation * 100 + (Self.addresses.firstIndex(of: address) ?? 0)))
            var said: [String] = []
            for _ in 0..<20 {
                let request = maker.next()
                said.append("\(request)")
                bench.submit(request)
                if bench.refusal == .needsConsent { refused += 1 }
                if bench.outcome != nil { sent += 1 }
            }
            let found = WireWatch.violations(of: bench.adapter)
            if !found.isEmpty, faults.count < 5 { faults.append("\(found) after \(said)") }
        }
        #expect(faults.isEmpty, "\(faults)")
        // There were enough requests of both kinds.
        #expect(sent > 200 && refused > 200, "\(sent) sent, \(refused) refused")
    }

    /// A clearing with consent proves that the watch would see one without.
    @Test func `what is sent with consent is seen by the watch`() throws {
        var bench = try Stand("petrol?engine=off&latency=0")
        #expect(WireWatch.violations(of: bench.adapter).isEmpty)
        bench.submit(
            .vehicle(
                VehicleRequest(
                    id: RequestID(rawValue: 1), payload: [0x04], mayRepeat: true,
                    consent: Consent())))
        #expect(bench.outcome != nil)
        #expect(WireWatch.violations(of: bench.adapter).count == 1)
        #expect(bench.adapter.requests.count { $0.payload == [0x04] } == 1)
    }

    /// ISO 15765-2: an ELM327 sends its flow control data as a separate frame during the next
    /// long answer.
    @Test func `flow control data are flow control`() throws {
        var bench = try Stand("petrol?latency=0&protocol=6")
        func command(_ text: String, _ consent: Consent? = nil) -> AdapterRequest {
            .command(id: RequestID(rawValue: 1), text: text, mayRepeat: true, consent: consent)
        }
        bench.submit(command("AT FC SH 7E0"))
        #expect(bench.outcome != nil)
        bench.submit(command("AT FC SD 0104"))
        #expect(bench.refusal == .needsConsent)
        bench.submit(command("AT FC SD 0104", Consent()))
        bench.submit(command("AT FC SM 1"))
        // From here on, each long answer would make the adapter send the frame that clears.
        bench.submit(.vehicle(VehicleRequest(id: RequestID(rawValue: 1), payload: [0x09, 0x02])))
        #expect(bench.refusal == .needsConsent)
        #expect(bench.adapter.flowControls.allSatisfy { $0.frame[0] == 0x30 })
    }
}
