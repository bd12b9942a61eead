import Adapters
import Diagnostics
import OBDCore
import ScanTool
import SimulatorTestSupport
import Testing

@testable import PIDTables
@testable import Simulator

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
            if number(6) == 0 { request.responders = responders() }
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
        if number(4) == 0 { return longPayload() }
        return (0..<number(9)).map { _ in UInt8(number(256)) }
    }

    /// A request in several frames, whose later frames may be requests themselves.
    private mutating func longPayload() -> [UInt8] {
        let rests: [[UInt8]] = [
            [0x01, 0x04, 0x00], [0x01, 0x01, 0x04], [0x02, 0x11, 0x01], [0xF1, 0x92, 0xF1],
            [0x04, 0x14, 0xFF, 0xFF, 0xFF], [0x10, 0x08, 0x2E],
        ]
        var payload: [UInt8] = [one([0x22, 0x22, 0x22, 0x2E]), 0xF1, 0x90, 0xF1, 0x91, 0xF1]
        for _ in 0...number(3) {
            payload += one(rests) + [0x00, 0x01, 0x04, 0x01].prefix(number(5))
        }
        return payload
    }

    /// Whose answers count, and who gets flow control.
    private mutating func responders() -> VehicleRequest.Responders {
        switch number(4) {
        case 0: .one(ECUAddress(0x7E8, .can11))
        case 1: .one(ECUAddress(one([0x0AD, 0x008, 0x4C2, 0x758]), .can11))
        case 2: .one(ECUAddress(one([0x17FE_007B, 0x18DA_F110, 0x0CF0_0400]), .can29))
        default: .matching(pattern: ECUAddress(0x000, .can11), mask: one([0x000, 0x700]))
        }
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
        let header =
            one(["", "header 7E0\n", "header 0A5\n", "header " + digits([3, 8]) + "\n"])
            + one(["", "reply 0AD\n", "reply 008\n", "reply 7E8\n"])
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
    /// Vehicles, adapters and links, each with its number of requests: 10,000 for each dialect and link.
    static let links: [(address: String, count: Int)] =
        [
            "petrol", "petrol?personality=stn", "petrol?protocol=7", "petrol?protocol=5",
            "petrol?protocol=3", "petrol?protocol=2", "onuds", "truck", "diesel",
            "petrol?personality=clone-2.1",
        ].map { ($0, 1_000) } + [
            ("petrol?personality=slcan", 6_000),
            ("petrol?personality=slcan-silent&protocol=7", 2_000),
            ("truck?personality=slcan-z", 2_000), ("petrol?personality=can", 6_000),
            ("petrol?personality=can&protocol=9", 2_000), ("truck?personality=can", 2_000),
            ("petrol?personality=doip", 10_000), ("petrol?personality=golink", 5_000),
            ("petrol?personality=golink&protocol=3", 5_000),
        ]

    private static func stand(_ address: String) throws -> Stand {
        let mark = address.contains("?") ? "&" : "?"
        return try Stand(SimulatorOptions("\(address)\(mark)latency=0"))
    }

    /// Conversations of 20 to 100 requests.
    ///
    /// Settings stay during a conversation.
    @Test(arguments: links)
    func `only listed requests reach the vehicle`(
        _ address: String, count: Int
    ) throws {
        var sent = 0
        var refused = 0
        var faults: [String] = []
        let length = count / 50
        let connected = try Self.stand(address)
        for conversation in 0..<50 {
            var bench = connected
            var maker = RequestMaker(
                seed: UInt64(conversation * 100)
                    + UInt64(Self.links.firstIndex { $0.address == address } ?? 0))
            var said: [AdapterRequest] = []
            for _ in 0..<length {
                let request = maker.next()
                said.append(request)
                bench.submit(request)
                if bench.refusal == .needsConsent { refused += 1 }
                if bench.outcome != nil { sent += 1 }
                // The gate refuses it, whatever the link would make of it.
                if case .vehicle(let vehicle) = request, !vehicle.payload.isEmpty,
                    !WireWatch.reads(vehicle.payload), bench.refusal != .needsConsent
                {
                    faults.append("\(request): \(String(describing: bench.refusal))")
                }
            }
            let found = WireWatch.violations(of: bench.device)
            if !found.isEmpty, faults.count < 5 { faults.append("\(found) after \(said)") }
        }
        #expect(faults.isEmpty, "\(faults.prefix(5))")
        // There were enough requests of both kinds.
        #expect(sent > count / 5 && refused > count / 5, "\(sent) sent, \(refused) refused")
    }

    /// Typed commands that choose a protocol; nil = none.
    private static let choices = [
        nil, "AT SP B", "AT SP AA", "at sp 3", "AT TP 6", "STP 31",
    ]
    /// Typed commands after which the adapter speaks what it finds or has stored.
    private static let resets = [
        "AT Z", "at ws", "AT D", "AT SP 0", "AT TP A7", "AT SP D", "STP 99",
    ]

    /// The protocol of the set-up is not the adapter's any more, and neither are the headers of requests.
    @Test(arguments: links.map(\.address))
    func `a request after a typed reset goes to its own ECU`(
        _ address: String
    ) throws {
        let connected = try Self.stand(address)
        for choice in Self.choices {
            for reset in Self.resets {
                let said = "\(choice ?? "") \(reset)"
                var bench = connected
                let ecu = try #require(bench.heard.ecus.keys.min())
                // A GoLink device only asks all ECUs.
                let own = address.contains("golink") ? nil : ecu.physicalRequest
                let isTruck = address.hasPrefix("truck")
                func ask(_ target: ECUAddress?, _ bench: inout Stand) -> Outcome? {
                    let request = AdapterRequest.vehicle(
                        VehicleRequest(
                            id: RequestID(rawValue: 1), target: target,
                            payload: isTruck ? [0x00, 0xFE, 0xCA] : [0x01, 0x00], mayRepeat: true))
                    bench.submit(request)
                    // A session does the same.
                    if case .failed(.restartedBeforeSending, _)? = bench.outcome {
                        bench.submit(request)
                    }
                    return bench.outcome
                }
                #expect(ask(own, &bench)?.reply.messages.isEmpty == false)
                for text in [choice, reset].compactMap(\.self) {
                    bench.submit(
                        .command(id: RequestID(rawValue: 1), text: text, mayRepeat: true))
                }
                let answer = ask(own, &bench)
                #expect(
                    answer?.reply.messages.first?.ecu == ecu,
                    "\(said): \(String(describing: answer))")
                for other in [
                    ECUAddress(0x7E1, .can11), ECUAddress(0x18DA_10F1, .can29),
                    ECUAddress(0x10, .byte),
                ] { _ = ask(other, &bench) }
                // Nobody was asked before, so that no header has to be taken back.
                var fresh = connected
                for text in [choice, reset].compactMap(\.self) {
                    fresh.submit(
                        .command(id: RequestID(rawValue: 1), text: text, mayRepeat: true))
                }
                for other in [
                    nil, ECUAddress(0x7E1, .can11), ECUAddress(0x18DA_10F1, .can29),
                    ECUAddress(0x10, .byte),
                ] { _ = ask(other, &fresh) }
                for bench in [bench, fresh] {
                    let found = WireWatch.violations(of: bench.device)
                    #expect(found.isEmpty, "\(said): \(found)")
                }
            }
        }
    }

    /// A clearing with consent proves that the watch would see one without.
    @Test(arguments: links.map(\.address))
    func `the check notices requests that were sent with consent`(_ address: String) throws {
        var bench = try Self.stand(address)
        #expect(WireWatch.violations(of: bench.device).isEmpty)
        let payload: [UInt8] = address.hasPrefix("truck") ? [0x00, 0xFE, 0xD3] : [0x04]
        bench.submit(
            .vehicle(
                VehicleRequest(
                    id: RequestID(rawValue: 1), payload: payload, mayRepeat: true,
                    consent: Consent())))
        #expect(bench.outcome != nil)
        #expect(WireWatch.violations(of: bench.device).count == 1)
    }

    /// For a long answer an adapter by itself sends flow control to the ECU that is waited for.
    @Test(arguments: links.map(\.address))
    func `a request to all ECUs waits only for ECUs with a diagnostic address`(
        _ address: String
    ) throws {
        var bench = try Self.stand(address)
        for (ecu, isDiagnostic) in [(UInt32(0x0AD), false), (0x008, false), (0x7E8, true)] {
            var request = VehicleRequest(
                id: RequestID(rawValue: 1),
                payload: address.hasPrefix("truck") ? [0x00, 0xFE, 0xCA] : [0x09, 0x02])
            request.responders = .one(ECUAddress(ecu, .can11))
            bench.submit(.vehicle(request))
            #expect((bench.refusal == .needsConsent) == !isDiagnostic, "\(ecu)")
        }
        var request = VehicleRequest(id: RequestID(rawValue: 1), payload: [0x09, 0x02])
        request.responders = .matching(
            pattern: ECUAddress(0x000, .can11), mask: 0x700)
        bench.submit(.vehicle(request))
        #expect(bench.refusal == .needsConsent)
    }

    /// The user agreed to a request to all ECUs, and not to what the link sends to 0A5 for the answer.
    @Test(arguments: [
        (UInt32(0x0AD), false), (0x008, false), (0x007, false), (0x7F3, false), (0x7B8, true),
        (0x7E8, true),
    ])
    func `flow control goes only to addresses for diagnostics`(
        ecu: UInt32, isDiagnostic: Bool
    ) throws {
        var dialect = CANDialect(
            CANDialect.Options(.interface(name: "can0", rate: nil), vehicle: .unused))
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        var request = VehicleRequest(
            id: RequestID(rawValue: 1), payload: [0x09, 0x02], consent: Consent())
        request.responders = .one(ECUAddress(ecu, .can11))
        #expect(dialect.isReadOnly(.vehicle(request)) == isDiagnostic)
        dialect.send(.vehicle(request), isReadOnly: false, &out)
        out = []
        let first = CANFrame(
            ECUAddress(ecu, .can11),
            InlineBytes([0x10, 0x14, 0x49, 0x02, 0x01, 0x35, 0x58, 0x58]))
        dialect.receive(CANWire.records(CANRecordLexer()).bytes(of: first), &out)
        let written = out.count { if case .write = $0 { true } else { false } }
        #expect(written == (isDiagnostic ? 1 : 0))
    }

    /// The last look at a frame does not believe the gate before it.
    @Test(
        arguments: [
            (.j1939, nil, [0x00, 0xFE, 0xD3]), (.can29At500, nil, [0x04]),
            (.can11At500, ECUAddress(0x7E0, .can11), [0x04]),
            // 02 01 04: with the address 02 a request of one byte, else one for a value.
            (.can11At500, ECUAddress(0x7E0, .can11, extended: 0x02), [0x04]),
        ] as [(VehicleProtocol, ECUAddress?, [UInt8])])
    func `no frame that clears codes is sent without consent`(
        vehicleProtocol: VehicleProtocol, target: ECUAddress?, payload: [UInt8]
    ) {
        for consent in [nil, Consent()] {
            var dialect = CANDialect(
                CANDialect.Options(
                    .interface(name: "can0", rate: nil), vehicleProtocol: vehicleProtocol,
                    vehicle: .unused))
            var out: [DialectOutput] = []
            dialect.initialise(&out)
            out = []
            dialect.send(
                .vehicle(
                    VehicleRequest(
                        id: RequestID(rawValue: 1), target: target, payload: payload,
                        consent: consent)), isReadOnly: true, &out)
            let written = out.count { if case .write = $0 { true } else { false } }
            #expect(written == (consent == nil ? 0 : 1))
        }
    }

    /// ISO 15765-2: an ELM327 sends its flow control data as a separate frame during the next
    /// long answer.
    @Test func `flow control data that could be a request needs consent`() throws {
        var bench = try Self.stand("petrol?protocol=6")
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
        #expect(WireWatch.violations(of: bench.device).isEmpty)
    }

    /// A block size of 1 and a pause of 4 ms: an ECU at 750 that expects its address first reads the request
    /// 04 of one byte for ECU 30.
    @Test func `flow control data is not a request in another form of addressing`() throws {
        var bench = try Self.stand("petrol?protocol=6")
        func refusal(_ commands: String...) -> Refusal? {
            for text in commands {
                bench.submit(.command(id: RequestID(rawValue: 1), text: text, mayRepeat: true))
            }
            return bench.refusal
        }
        #expect(refusal("AT FC SH 7E0", "AT FC SD 300104") == nil)
        #expect(refusal("AT FC SH 750") == .needsConsent)
        #expect(refusal("AT FC SD 300000", "AT FC SH 750") == nil)
        #expect(refusal("AT FC SD 300104") == .needsConsent)
        #expect(refusal("AT FC SD 300800") == .needsConsent)
        #expect(refusal("AT FC SD 302004") == nil)
    }

    /// With a reply that is not the usual one, an adapter by itself would send flow control to 0A5.
    @Test(arguments: ["petrol", "petrol?personality=stn"])
    func `the adapter sends flow control to the ECU of the request`(_ address: String) throws {
        var bench = try Self.stand(address + (address.contains("?") ? "&" : "?") + "protocol=6")
        var request = VehicleRequest(
            id: RequestID(rawValue: 1), target: ECUAddress(0x7E0, .can11), payload: [0x09, 0x02])
        request.responders = .one(ECUAddress(0x7E8, .can11))
        bench.submit(.vehicle(request))
        let adapter = try #require(bench.device as? SimulatedAdapter)
        #expect(adapter.flowControls.count == 1)
        request.responders = .one(ECUAddress(0x0AD, .can11))
        bench.submit(.vehicle(request))
        #expect(bench.refusal == nil)
        // What the adapter would send now goes to 7E0.
        let after = try #require(bench.device as? SimulatedAdapter).settings
        #expect(after.flowControlMode == 1 && after.flowControlHeader == 0x7E0)
    }
}
