import OBDCore
import Testing
import VehicleLink

@testable import Adapters

/// A conversation with a DoIP gateway, message by message.
@Suite struct `DoIP dialect` {
    private static let tester: UInt16 = 0x0E80
    private static let engine: UInt16 = 0x1010
    private static let brakes: UInt16 = 0x1011
    private static let all: UInt16 = 0xE400

    /// A dialect, and its outputs since they were last taken.
    private struct Link {
        var dialect: DoIPDialect
        var out: [DialectOutput] = []

        init(_ options: DoIPDialect.Options = .init()) { dialect = DoIPDialect(options) }

        mutating func hear(_ messages: DoIPMessage..., version: UInt8 = 0x02) {
            for message in messages { dialect.receive(message.bytes(version: version), &out) }
        }

        mutating func take() -> [DialectOutput] {
            defer { out = [] }
            return out.filter {
                switch $0 {
                case .arm, .disarm, .disarmAll: false
                default: true
                }
            }
        }

        /// The deadline of the timer that was armed last; nil if it was disarmed since then.
        func deadline(_ timer: DialectTimer) -> Duration? {
            out.reversed().lazy.compactMap { output -> Duration?? in
                switch output {
                case .arm(timer, let time): .some(time)
                case .disarm(timer), .disarmAll: .some(nil)
                default: nil
                }
            }.first ?? nil
        }

        mutating func ask(_ payload: [UInt8], of target: UInt16? = nil, frames: Int? = nil) {
            out = []
            dialect.send(
                .vehicle(
                    VehicleRequest(
                        id: RequestID(rawValue: 1),
                        target: target.map { ECUAddress(UInt32($0), .logical) },
                        payload: payload, expectedFrames: frames)), &out)
        }
    }

    private static func write(_ message: DoIPMessage, version: UInt8 = 0x02) -> DialectOutput {
        .write(message.bytes(version: version))
    }

    private static func answer(_ payload: [UInt8], from ecu: UInt16) -> DoIPMessage {
        .diagnostic(source: ecu, target: tester, payload: payload)
    }

    private static func message(_ payload: [UInt8], from ecu: UInt16) -> DialectOutput {
        .message(ECUMessage(ecu: ECUAddress(UInt32(ecu), .logical), payload: payload))
    }

    private static let activated = DoIPMessage.activationAnswer(
        tester: tester, entity: 0x1000, code: 0x10)

    /// A link on which the vehicle was found.
    private func ready(_ options: DoIPDialect.Options = .init()) -> Link {
        var link = Link(options)
        link.dialect.initialise(&link.out)
        link.hear(
            Self.activated, .acknowledged(source: Self.all, target: Self.tester, code: 0),
            Self.answer([0x41, 0x00, 0xBE, 0x3F, 0xA8, 0x13], from: Self.engine))
        link.dialect.expired(.pause, &link.out)
        #expect(link.take().last == .ready(link.dialect.identity))
        return link
    }

    @Test func `the set-up activates routing and asks all ECUs for their support map`() throws {
        var link = Link()
        link.dialect.initialise(&link.out)
        #expect(
            link.take() == [Self.write(.activationRequest(source: Self.tester, type: 0))])
        link.hear(Self.activated)
        #expect(
            link.take() == [
                .notice(.protocolFound(.doip)),
                Self.write(
                    .diagnostic(source: Self.tester, target: Self.all, payload: [0x01, 0x00])),
            ])
        link.hear(.acknowledged(source: Self.all, target: Self.tester, code: 0))
        #expect(link.deadline(.reply) == .milliseconds(500))
        let map: [UInt8] = [0x41, 0x00, 0xBE, 0x3F, 0xA8, 0x13]
        link.hear(Self.answer(map, from: Self.engine), Self.answer(map, from: Self.brakes))
        #expect(link.deadline(.pause) == .milliseconds(100))
        link.dialect.expired(.pause, &link.out)
        let identity = link.dialect.identity
        #expect(link.take() == [.ready(identity)])
        let question = try #require(identity.answer(to: [0x01, 0x00], on: nil))
        #expect(question.messages.map(\.ecu?.description) == ["1010", "1011"])
        #expect(identity.banner == "DoIP gateway 1000, ISO 13400-2 version 02")
    }

    @Test func `a vehicle that supports only OBD over UDS is found by the second question`() {
        var link = Link()
        link.dialect.initialise(&link.out)
        link.hear(Self.activated, .acknowledged(source: Self.all, target: Self.tester, code: 0))
        link.hear(Self.answer([0x7F, 0x01, 0x11], from: Self.engine))
        _ = link.take()
        link.dialect.expired(.reply, &link.out)
        #expect(
            link.take() == [
                Self.write(
                    .diagnostic(source: Self.tester, target: Self.all, payload: [0x22, 0xF8, 0x10]))
            ])
        link.hear(Self.answer([0x62, 0xF8, 0x10, 0x01], from: Self.engine))
        link.dialect.expired(.pause, &link.out)
        #expect(link.take() == [.ready(link.dialect.identity)])
    }

    @Test
    func `a silent vehicle is missing; only a set-up that needs a vehicle then fails`() {
        for (need, ending) in [
            (VehicleNeed.needed, DialectOutput.initialisationFailed(.noVehicle(.noData))),
            (.optional, .notice(.setupGoesOn(after: .noVehicle(.noData)))),
        ] {
            var link = Link(.init(vehicle: need))
            link.dialect.initialise(&link.out)
            link.hear(Self.activated)
            link.dialect.expired(.reply, &link.out)
            _ = link.take()
            link.dialect.expired(.reply, &link.out)
            #expect(link.take().first == ending)
        }
    }

    /// Codes of payload type 0006.
    @Test(arguments: [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x42] as [UInt8])
    func `a refused activation fails with its code`(code: UInt8) {
        var link = Link()
        link.dialect.initialise(&link.out)
        _ = link.take()
        link.hear(.activationAnswer(tester: Self.tester, entity: 0x1000, code: code))
        #expect(link.take() == [.initialisationFailed(.activationRefused(code: code))])
    }

    @Test func `the wait for a confirmation has a limit`() {
        var link = Link()
        link.dialect.initialise(&link.out)
        _ = link.take()
        let pending = DoIPMessage.activationAnswer(
            tester: Self.tester, entity: 0x1000, code: 0x11)
        link.hear(pending)
        #expect(link.take() == [])
        link.dialect.expired(.reply, &link.out)
        #expect(
            link.take() == [Self.write(.activationRequest(source: Self.tester, type: 0))])
        link.hear(pending)
        var confirmed = link
        confirmed.hear(Self.activated)
        #expect(confirmed.take().first == .notice(.protocolFound(.doip)))
        for _ in 0..<60 { link.dialect.expired(.reply, &link.out) }
        #expect(link.take().last == .initialisationFailed(.activationRefused(code: 0x11)))
    }

    @Test func `the gateway's version is used, and the next time from the start`() {
        var link = Link()
        link.dialect.initialise(&link.out)
        _ = link.take()
        link.hear(.headerRefused(code: 0x00), version: 0x03)
        #expect(
            link.take() == [
                Self.write(.activationRequest(source: Self.tester, type: 0), version: 0x03)
            ])
        link.hear(.headerRefused(code: 0x00), version: 0x01)
        #expect(link.take() == [.initialisationFailed(.headerRefused(code: 0x00))])
        link.dialect.initialise(&link.out)
        #expect(
            link.take() == [
                Self.write(.activationRequest(source: Self.tester, type: 0), version: 0x03)
            ])
    }

    /// doip-server 2026.6.14 refuses another version with a payload type that is not in the
    /// standard.
    @Test func `an error about another version names that version`() {
        var link = Link(.init(version: 0x03))
        link.dialect.initialise(&link.out)
        _ = link.take()
        link.hear(.other(type: 0x8000, content: [0, 0, 0, 4]), version: 0x02)
        #expect(
            link.take() == [Self.write(.activationRequest(source: Self.tester, type: 0))])
        link.hear(Self.activated)
        #expect(link.take().first == .notice(.protocolFound(.doip)))
    }

    @Test func `silence and other protocols have different errors`() {
        var silent = Link()
        silent.dialect.initialise(&silent.out)
        silent.dialect.expired(.reply, &silent.out)
        #expect(silent.take().last == .initialisationFailed(.silent))
        var other = Link()
        other.dialect.initialise(&other.out)
        other.dialect.receive(Array("HTTP/1.1 400".utf8), &other.out)
        #expect(other.take().last == .initialisationFailed(.notUnderstood(received: 12)))
    }

    @Test func `an alive check is answered in every state`() {
        let alive = Self.write(.aliveAnswer(source: Self.tester))
        var link = ready()
        link.hear(.aliveCheck)
        #expect(link.take() == [alive])
        link.ask([0x22, 0xF4, 0x0C], of: Self.engine)
        _ = link.take()
        link.hear(.acknowledged(source: Self.engine, target: Self.tester, code: 0), .aliveCheck)
        #expect(link.take() == [alive])
        // The alive check comes in one segment with the answer after it. The segment is cut at each
        // byte.
        let bytes =
            DoIPMessage.aliveCheck.bytes(version: 2)
            + Self.answer([0x62, 0xF4, 0x0C, 0x1A, 0xF8], from: Self.engine).bytes(version: 2)
        for split in 0...bytes.count {
            var link = link
            link.dialect.receive(Array(bytes[..<split]), &link.out)
            link.dialect.receive(Array(bytes[split...]), &link.out)
            #expect(
                link.take() == [
                    alive, Self.message([0x62, 0xF4, 0x0C, 0x1A, 0xF8], from: Self.engine),
                    .end(.complete),
                ])
        }
    }

    @Test func `the answer of one ECU ends its exchange`() {
        var link = ready()
        link.ask([0x22, 0xF4, 0x0C], of: Self.engine)
        #expect(
            link.take() == [
                Self.write(
                    .diagnostic(
                        source: Self.tester, target: Self.engine, payload: [0x22, 0xF4, 0x0C]))
            ])
        link.hear(
            .acknowledged(source: Self.engine, target: Self.tester, code: 0),
            Self.answer([0x62, 0xF4, 0x0C, 0x1A, 0xF8], from: Self.engine))
        #expect(
            link.take() == [
                Self.message([0x62, 0xF4, 0x0C, 0x1A, 0xF8], from: Self.engine), .end(.complete),
            ])
    }

    @Test func `the answers of each address are kept apart, until a pause or the known number`() {
        var link = ready()
        let first = [UInt8]([0x41, 0x0C, 0x1A, 0xF8])
        let second = [UInt8]([0x41, 0x0C, 0x1A, 0xF4])
        for frames in [nil, 2] {
            link.ask([0x01, 0x0C], frames: frames)
            link.hear(
                .acknowledged(source: Self.all, target: Self.tester, code: 0),
                Self.answer(first, from: Self.engine))
            #expect(link.deadline(.pause) != nil)
            link.hear(Self.answer(second, from: Self.brakes))
            if frames == nil { link.dialect.expired(.pause, &link.out) }
            #expect(
                link.take().suffix(3) == [
                    Self.message(first, from: Self.engine),
                    Self.message(second, from: Self.brakes), .end(.complete),
                ])
        }
    }

    @Test func `response pending gives that ECU more time`() {
        var link = ready()
        link.ask([0x22, 0xF8, 0x06], of: Self.engine)
        link.hear(
            .acknowledged(source: Self.engine, target: Self.tester, code: 0),
            Self.answer([0x7F, 0x22, 0x78], from: Self.engine))
        #expect(link.deadline(.reply) == .seconds(6))
        link.hear(Self.answer([0x62, 0xF8, 0x06, 1, 2, 3, 4], from: Self.engine))
        #expect(link.take().last == .end(.complete))
    }

    /// Codes of payload type 8003, and their names.
    @Test(
        arguments: [
            (0x02, AdapterStatus.sourceRefused), (0x03, .unknownTarget), (0x04, .requestTooLong),
            (0x05, .gatewayBusy), (0x06, .targetUnreachable), (0x07, .unknownNetwork),
            (0x08, .transportFailed),
        ] as [(UInt8, AdapterStatus)])
    func `the error for a request that the gateway does not forward has its reason`(
        code: UInt8, status: AdapterStatus
    ) {
        var link = ready()
        link.ask([0x22, 0xF4, 0x0C], of: 0x1999)
        _ = link.take()
        link.hear(.refused(source: 0x1999, target: Self.tester, code: code))
        #expect(link.take() == [.status(status), .end(.complete)])
    }

    @Test
    func `a silent gateway is set up again, a silent ECU is not`() {
        var link = ready()
        link.ask([0x22, 0xF4, 0x0C], of: Self.engine)
        link.hear(.acknowledged(source: Self.engine, target: Self.tester, code: 0))
        _ = link.take()
        link.dialect.expired(.reply, &link.out)
        #expect(link.take() == [.status(.noData), .end(.complete)])
        link.ask([0x22, 0xF4, 0x0C], of: Self.engine)
        _ = link.take()
        link.dialect.expired(.reply, &link.out)
        #expect(link.take() == [.end(.timedOut)])
    }

    @Test func `answers for another tester or to the request before are ignored`() {
        var link = ready()
        link.ask([0x22, 0xF4, 0x0C], of: Self.engine)
        _ = link.take()
        link.hear(
            .diagnostic(source: Self.engine, target: 0x0E81, payload: [0x62, 0xF4, 0x0C, 0, 0]),
            .acknowledged(source: Self.brakes, target: Self.tester, code: 0),
            .refused(source: Self.brakes, target: Self.tester, code: 3))
        #expect(!link.take().contains(.end(.complete)))
        // The message is passed on for the scan tool to judge. It does not end the exchange.
        link.hear(Self.answer([0x62, 0xF4, 0x0D, 0x00], from: Self.engine))
        #expect(link.take() == [Self.message([0x62, 0xF4, 0x0D, 0x00], from: Self.engine)])
    }

    @Test func `requests without a meaning on DoIP are refused, and nothing is written`() {
        var link = ready()
        let id = RequestID(rawValue: 1)
        let requests: [AdapterRequest] = [
            .command(id: id, text: "AT RV", mayRepeat: true),
            .monitor(id: id, text: "AT MA", atMost: .seconds(1)), .action(id: id, .readVoltage),
            .action(id: id, .tryProtocol(.can11At500)),
            .vehicle(
                VehicleRequest(
                    id: id, target: ECUAddress(0x7E0, .can11), payload: [0x22, 0xF1, 0x90])),
            .vehicle(
                VehicleRequest(
                    id: id, payload: [0x01, 0x00], ending: .listen(frames: nil, atMost: .zero))),
        ]
        for request in requests {
            link.dialect.send(request, &link.out)
            #expect(link.take() == [.end(.refused)])
        }
    }

    @Test
    func `a message with a wrong length damages its exchange, and a flood ends the exchange`() {
        var link = ready()
        link.ask([0x01, 0x0C])
        _ = link.take()
        link.dialect.receive(
            [0x02, 0xFD, 0x80, 0x01, 0, 0, 0, 4, 0x10, 0x10, 0x0E, 0x80], &link.out)
        guard case .linkError? = link.take().first else {
            Issue.record("no damage was reported")
            return
        }
        let big = Self.answer(
            [0x62, 0x00, 0x01] + [UInt8](repeating: 0, count: 60_000), from: Self.engine)
        for _ in 0..<10 { link.hear(big) }
        #expect(link.take().contains(.end(.flooded)))
    }

    @Test func `an interruption ends the current exchange`() {
        var link = ready()
        link.ask([0x01, 0x0C])
        _ = link.take()
        link.dialect.interrupt(&link.out)
        #expect(link.take() == [.end(.interrupted)])
        link.dialect.initialise(&link.out)
        _ = link.take()
        link.dialect.interrupt(&link.out)
        #expect(link.take() == [.initialisationFailed(.interrupted)])
    }

    @Test func `a request to one ECU ends with the answer of that ECU`() {
        var link = ready()
        link.ask([0x22, 0xF1, 0x90], of: Self.engine)
        link.hear(
            .acknowledged(source: Self.engine, target: Self.tester, code: 0),
            Self.answer([0x62, 0xF1, 0x90, 0x41], from: Self.brakes),
            Self.answer([0x7F, 0x22, 0x31], from: Self.brakes))
        let out = link.take()
        #expect(!out.contains(.end(.complete)), "\(out)")
        #expect(!out.contains(Self.message([0x62, 0xF1, 0x90, 0x41], from: Self.brakes)))
        link.hear(Self.answer([0x62, 0xF1, 0x90, 0x42], from: Self.engine))
        #expect(
            link.take() == [
                Self.message([0x62, 0xF1, 0x90, 0x42], from: Self.engine), .end(.complete),
            ])
    }

    /// ISO 13400-2: 0000 is reserved, 0E00 to 0FFF are testers, addresses from 8000 are groups or reserved.
    @Test(arguments: [0x0000, 0x0E00, 0x0E80, 0x0FFF, 0x8000, 0xE400, 0xFFFF] as [UInt16])
    func `an answer from an address that is not an ECU's is ignored`(source: UInt16) {
        var link = ready()
        link.ask([0x03])
        link.hear(
            .acknowledged(source: Self.all, target: Self.tester, code: 0),
            Self.answer([0x43, 0x01, 0x03, 0x01], from: source))
        #expect(
            !link.take().contains {
                switch $0 {
                case .message, .end: true
                default: false
                }
            })
        link.hear(Self.answer([0x43, 0x00], from: Self.engine))
        #expect(link.take() == [Self.message([0x43, 0x00], from: Self.engine)])
    }
}
