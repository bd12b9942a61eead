import OBDCore
import Testing
import VehicleLink

@testable import Adapters

/// A dialect that only listens, and the device at its other end.
private struct Listener {
    enum Device: CaseIterable {
        case interface, slcan, elm327
    }

    let device: Device
    var dialect: AnyDialect
    /// Everything that was written.
    var written: [[UInt8]] = []
    private(set) var out: [DialectOutput] = []
    /// What an ELM327 prints after `AT MA` at each protocol; a missing one is silent.
    var frames: [Character: String] = ["6": "0C9 0C31003200000000\r"]
    var unknown: Set<String> = []
    private var chosen: Character?

    init(_ device: Device, protocol vehicleProtocol: VehicleProtocol? = nil) {
        self.device = device
        var can = CANDialect.Options(
            device == .slcan ? .slcan : .interface(name: "can0", rate: nil),
            vehicleProtocol: vehicleProtocol, vehicle: .unused)
        can.onlyListens = true
        var elm327 = ELM327Dialect.Options(vehicleProtocol: vehicleProtocol, vehicle: .unused)
        elm327.onlyListens = true
        dialect = AnyDialect(
            device == .elm327 ? .elm327 : .can, elm327: elm327, goLink: .init(), can: can)
    }

    var isReady: Bool {
        out.contains { if case .ready = $0 { true } else { false } }
    }

    /// Writes as text without line ends.
    var texts: [String] {
        written.map { String(decoding: $0, as: UTF8.self).replacing("\r", with: "") }
    }

    mutating func act(_ body: (inout AnyDialect, inout [DialectOutput]) -> Void) {
        var new: [DialectOutput] = []
        body(&dialect, &new)
        out += new
        for case .write(let bytes) in new { written.append(bytes) }
    }

    /// Answers the last write, or lets the time of its answer pass; false if nothing was written.
    mutating func answer() -> Bool {
        guard let last = written.last else { return false }
        written.removeLast()
        defer { written.insert(last, at: answered) }
        let answer = reply(to: last)
        answered = written.count
        if let answer {
            act { $0.receive(Array(answer.utf8), &$1) }
        } else {
            act { $0.expired(.reply, &$1) }
        }
        return true
    }

    private var answered = 0

    private mutating func reply(to bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r", with: "")
        switch device {
        case .interface: return nil
        case .slcan: return text == "L" ? "t0C92AABB\r" : "\r"
        case .elm327:
            if unknown.contains(text) { return "?\r\r>" }
            if text == " " { return "STOPPED\r\r>" }
            if text.hasPrefix("ATSP") { chosen = text.last }
            switch text {
            case "ATI": return "ELM327 v1.5\r\r>"
            case "STI": return "?\r\r>"
            case "ATMA", "AT MA": return chosen.flatMap { frames[$0] }
            default: return "OK\r\r>"
            }
        }
    }

    /// Plays `steps` answers of the device.
    mutating func play(_ steps: Int = 60) {
        for _ in 0..<steps where !isReady { if !answer() { return } }
    }
}

@Suite struct `A session that only listens` {
    private static let requests: [AdapterRequest] = {
        let id = RequestID(rawValue: 1)
        var physical = VehicleRequest(id: id, payload: [0x22, 0xF1, 0x90])
        physical.target = ECUAddress(0x7E0, .can11)
        return [
            .vehicle(VehicleRequest(id: id, payload: [0x01, 0x00])),
            .vehicle(VehicleRequest(id: id, payload: [0x04])),
            .vehicle(VehicleRequest(id: id, payload: [])), .vehicle(physical),
            .command(id: id, text: "0100", mayRepeat: true),
            .command(id: id, text: "ATSP0", mayRepeat: true),
            .monitor(id: id, text: AdapterCommand.monitorEverything, atMost: .seconds(5)),
            .monitor(id: id, text: "ATMP FEEE", atMost: .seconds(5)),
            .action(id: id, .readVoltage),
        ]
    }()

    private typealias Happening = (inout AnyDialect, inout [DialectOutput]) -> Void

    /// Everything that can happen to a dialect.
    private static var events: [Happening] {
        var events: [Happening] = []
        for request in requests { events.append { $0.send(request, isReadOnly: true, &$1) } }
        for timer in DialectTimer.allCases { events.append { $0.expired(timer, &$1) } }
        for text in [
            "OK\r\r>", "?\r\r>", "ELM327 v1.5\r\r>", "0C9 0C31003200000000\r", "STOPPED\r\r>",
            "BUFFER FULL\r\r>", "CAN ERROR\r\r>", "SEARCHING...\r", "\r", "\u{7}",
            "t7E8803410C1AF8000000\r", "T18DAF110801\r", "z\r", "\0\0\0",
        ] {
            events.append { $0.receive(Array(text.utf8), &$1) }
        }
        let first = CANFrame(ECUAddress(0x7E8, .can11), [0x10, 0x14, 0x49, 2, 1, 1, 2, 3])
        let busOff: [UInt8] = [0x40, 0, 0, 0x20, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        for record in [CANRecord.bytes(of: first), busOff] {
            events.append { $0.receive(record, &$1) }
        }
        events.append { $0.interrupt(&$1) }
        events.append { $0.leave(&$1) }
        events.append { $0.initialise(&$1) }
        return events
    }

    /// What may be written to each device: nothing to a bus, and no word after which an adapter sends.
    private static let allowed: [Listener.Device: Set<String>] = [
        .interface: [],
        .slcan: ["C", "S6", "S5", "L"],
        .elm327: [
            "ATD", "\u{7F}\u{7F}", "ATI", "ATZ", "ATE0", "ATL0", "ATS0", "ATH1", "STI", "ATCAF0",
            "ATCSM1", "ATSP6", "ATSP7", "ATSP8", "ATSP9", "ATMA", "AT MA", "ATRV", " ",
        ],
    ]

    /// Each state of the set-up and of listening, then each event, then what the device answers.
    @Test(arguments: Listener.Device.allCases)
    fileprivate func `a dialect that only listens sends nothing in any state`(
        device: Listener.Device
    ) {
        let allowed = Self.allowed[device] ?? []
        var seen: Set<String> = []
        var count = 0
        let events = Self.events
        for isBusSilent in [false, true] {
            var state = Listener(device)
            if isBusSilent { state.frames = [:] }
            state.act { $0.initialise(&$1) }
            for step in 0..<50 {
                if state.isReady, step % 2 == 1 {
                    state.act {
                        $0.send(Self.requests[6], isReadOnly: true, &$1)
                    }
                }
                for event in events {
                    var next = state
                    next.act(event)
                    for _ in 0..<6 where next.answer() {}
                    seen.formUnion(next.texts)
                    count += 1
                }
                _ = state.answer()
            }
        }
        #expect(seen.isSubset(of: allowed), "\(seen.subtracting(allowed))")
        #expect(count > 1_000)
        // The test has reached the listening.
        if device == .slcan { #expect(seen.contains("L")) }
        if device == .elm327 { #expect(seen.isSuperset(of: ["ATMA", "ATSP9", "AT MA", " "])) }
    }

    /// What a faulty dialect writes does not leave.
    @Test func `a dialect that would send is muted while it listens`() {
        struct Loud: AdapterDialect {
            var protocolString: String
            var capabilities = LinkCapabilities()
            var identity = AdapterIdentity()
            func isReadOnly(_ request: AdapterRequest) -> Bool { true }
            private func shout(_ out: inout [DialectOutput]) {
                for text in [
                    "0100\r", "ATSP0\r", "ATSPA6\r", "t7DF80201000000000000\r", "O\r", "\r",
                ] {
                    out.append(.write(Array(text.utf8)))
                }
                out.append(.write(CANRecord.bytes(of: CANFrame(ECUAddress(0x7DF, .can11), [1]))))
                out.append(.arm(.reply, after: .seconds(1)))
            }
            mutating func initialise(_ out: inout [DialectOutput]) { shout(&out) }
            mutating func send(
                _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [DialectOutput]
            ) { shout(&out) }
            mutating func receive(_ bytes: Span<UInt8>, _ out: inout [DialectOutput]) {
                shout(&out)
            }
            mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {
                shout(&out)
            }
            mutating func interrupt(_ out: inout [DialectOutput]) { shout(&out) }
            mutating func leave(_ out: inout [DialectOutput]) { shout(&out) }
        }
        for name in [
            ELM327Dialect.protocolString, CANDialect.recordProtocol, GoLinkDialect.protocolString,
        ] {
            var dialect = Listening(Loud(protocolString: name))
            var out: [DialectOutput] = []
            dialect.initialise(&out)
            for request in Self.requests { dialect.send(request, isReadOnly: true, &out) }
            dialect.receive([1], &out)
            dialect.expired(.reply, &out)
            dialect.interrupt(&out)
            dialect.leave(&out)
            #expect(!out.contains { if case .write = $0 { true } else { false } }, "\(name)")
            #expect(out.filter { $0 == .end(.refused) }.count == 6)
        }
    }

    @Test(
        arguments: [
            (CANDialect.slcanProtocol, "C\r", true), (CANDialect.slcanProtocol, "\r\rC\r", true),
            (CANDialect.slcanProtocol, "S6\r", true), (CANDialect.slcanProtocol, "O\r", false),
            (CANDialect.slcanProtocol, "L\rt1230\r", false),
            (CANDialect.slcanProtocol, "C", false),
            (CANDialect.recordProtocol, "C\r", false),
            (ELM327Dialect.protocolString, "AT MA\r", true),
            (ELM327Dialect.protocolString, "ATSPA\r", true),
            (ELM327Dialect.protocolString, "ATSP0\r", false),
            (ELM327Dialect.protocolString, "ATSP5\r", false),
            (ELM327Dialect.protocolString, "ATSPA6\r", false),
            (ELM327Dialect.protocolString, "ATCF7E8\r", true),
            (ELM327Dialect.protocolString, "STFPA07E8,07FF\r", true),
            (ELM327Dialect.protocolString, "STPX H:7E0,D:0100\r", false),
            (ELM327Dialect.protocolString, "\r", false),
            (ELM327Dialect.protocolString, "ATMA\r0100\r", false),
        ] as [(String, String, Bool)])
    func `bytes are written only if they are known to be silent on the bus`(
        dialect: String, text: String, isSilent: Bool
    ) {
        #expect((SilentWrite(Array(text.utf8), in: dialect) != nil) == isSilent)
    }

    // MARK: ELM327

    @Test func `an ELM327 listens at each protocol and stays where frames come`() {
        var listener = Listener(.elm327)
        listener.frames = ["8": "0C9 0C31003200000000\r"]
        listener.act { $0.initialise(&$1) }
        listener.play()
        #expect(listener.isReady)
        #expect(listener.dialect.capabilities.vehicleProtocol == .can11At250)
        let expected = [
            "ATCAF0", "ATCSM1", "ATSP6", "ATMA", " ", "ATSP7", "ATMA", " ", "ATSP8", "ATMA", " ",
        ]
        #expect(Array(listener.texts.suffix(expected.count)) == expected)
        #expect(
            listener.out.contains(.arm(.reply, after: .seconds(2))), "two seconds per protocol")
    }

    @Test func `only the user's protocol is tried for listening`() {
        var listener = Listener(.elm327, protocol: .j1939)
        listener.frames = [:]
        listener.act { $0.initialise(&$1) }
        listener.play()
        #expect(listener.isReady)
        #expect(Set(listener.texts.filter { $0.hasPrefix("ATSP") }) == ["ATSPA"])
    }

    /// Without a protocol, `AT MA` would search, and a search asks the vehicle.
    @Test func `an adapter that refuses the protocol does not listen`() {
        var listener = Listener(.elm327)
        listener.unknown = ["ATSP6", "ATSP7", "ATSP8", "ATSP9"]
        listener.act { $0.initialise(&$1) }
        listener.play()
        #expect(!listener.texts.contains("ATMA"))
        listener.act { $0.send(Self.requests[6], isReadOnly: true, &$1) }
        #expect(listener.out.last == .end(.refused))
        #expect(!listener.texts.contains("AT MA"))
    }

    @Test func `an adapter that cannot be silent is recognised`() {
        var listener = Listener(.elm327)
        listener.unknown = ["ATCSM1"]
        listener.act { $0.initialise(&$1) }
        listener.play()
        #expect(listener.isReady)
        #expect(
            listener.dialect.identity.unsupportedCommands.contains(
                AdapterCommand.silentMonitoring))
    }

    /// An slcan adapter without `L` would acknowledge frames, so the bus stays closed.
    @Test func `an slcan adapter that cannot only listen is not opened`() {
        var dialect = Listener(.slcan).dialect
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        for _ in 0..<30 {
            let last = out.last { if case .write = $0 { true } else { false } }
            if last == .write(Array("L\r".utf8)) {
                dialect.receive([0x07], &out)
            } else {
                dialect.expired(.reply, &out)
            }
        }
        #expect(out.contains(.initialisationFailed(.busNotOpened)))
    }
}
