import OBDCore
import Testing
import VehicleLink

@testable import Simulator

/// A conversation with a simulated gateway, message by message.
@Suite struct `A simulated DoIP gateway` {
    private static let tester: UInt16 = 0x0E80

    private func gateway(_ text: String = "petrol?latency=0&frozen=true&ecus=2") throws
        -> SimulatedDoIPGateway
    {
        try SimulatedDoIPGateway(SimulatorOptions(text), at: .zero)
    }

    /// The gateway's answers to these messages, and whether it closes the connection.
    private func ask(
        _ gateway: inout SimulatedDoIPGateway, _ messages: DoIPMessage..., version: UInt8 = 2
    ) -> (said: [DoIPMessage], leaves: Bool) {
        for message in messages { gateway.receive(message.bytes(version: version), at: .zero) }
        var lexer = DoIPLexer()
        var tokens: [DoIPLexer.Token] = []
        lexer.receive(gateway.due(at: .zero + .seconds(10)), &tokens)
        let said = tokens.compactMap { token -> DoIPMessage? in
            if case .message(let message, _) = token { message } else { nil }
        }
        return (said, gateway.takeEnd() != nil)
    }

    private static let activation = DoIPMessage.activationRequest(source: tester, type: 0)

    @Test func `one ECU, all ECUs or no ECU answers`() throws {
        var gateway = try gateway()
        #expect(
            ask(&gateway, Self.activation).said == [
                .activationAnswer(tester: Self.tester, entity: 0x1000, code: 0x10)
            ])
        let one = ask(
            &gateway,
            .diagnostic(source: Self.tester, target: 0x1010, payload: [0x01, 0x0C])
        ).said
        #expect(one.first == .acknowledged(source: 0x1010, target: Self.tester, code: 0))
        guard case .diagnostic(0x1010, Self.tester, let payload)? = one.last else {
            Issue.record("\(one)")
            return
        }
        #expect(payload.starts(with: [0x41, 0x0C]) && payload.count == 4)
        let all = ask(
            &gateway,
            .diagnostic(source: Self.tester, target: 0xE400, payload: [0x01, 0x00])
        ).said
        #expect(all.first == .acknowledged(source: 0xE400, target: Self.tester, code: 0))
        #expect(all.count == 3)
        let none = ask(
            &gateway, .diagnostic(source: Self.tester, target: 0x1999, payload: [0x3E, 0x00]))
        #expect(none.said == [.refused(source: 0x1999, target: Self.tester, code: 0x03)])
        #expect(!none.leaves)
    }

    /// The source, the type, the code, and whether the connection stays open.
    @Test(
        arguments: [
            (0x0E80, 0x00, 0x10, true), (0x0E00, 0x01, 0x10, true), (0x1234, 0x00, 0x00, false),
            (0x0E80, 0xE0, 0x06, false),
        ] as [(UInt16, UInt8, UInt8, Bool)])
    func `only testers can activate routing`(
        source: UInt16, type: UInt8, code: UInt8, stays: Bool
    ) throws {
        var gateway = try gateway()
        let (said, leaves) = ask(&gateway, .activationRequest(source: source, type: type))
        #expect(said == [.activationAnswer(tester: source, entity: 0x1000, code: code)])
        #expect(leaves == !stays)
    }

    @Test func `activation comes first, and each new connection needs its own`() throws {
        var gateway = try gateway()
        let question = DoIPMessage.diagnostic(
            source: Self.tester, target: 0x1010, payload: [0x3E, 0x00])
        let early = ask(&gateway, question)
        #expect(early.said == [.refused(source: 0x1010, target: Self.tester, code: 0x02)])
        #expect(early.leaves)
        gateway.connect(at: .zero)
        _ = ask(&gateway, Self.activation)
        #expect(ask(&gateway, question).said.count == 2)
        gateway.connect(at: .zero)
        #expect(ask(&gateway, question).leaves)
    }

    @Test func `the gateway uses the tester's version and refuses invalid ones`() throws {
        var gateway = try gateway()
        gateway.receive(Self.activation.bytes(version: 0x03), at: .zero)
        #expect(gateway.due(at: .zero).first == 0x03)
        let other = ask(&gateway, .aliveAnswer(source: Self.tester), version: 0x09)
        #expect(other.said == [.headerRefused(code: 0x00)])
        #expect(other.leaves)
    }

    @Test func `the gateway sleeps with the ignition off`() throws {
        var gateway = try gateway("petrol?latency=0&ignition=off")
        _ = ask(&gateway, Self.activation)
        #expect(
            ask(
                &gateway,
                .diagnostic(source: Self.tester, target: 0xE400, payload: [0x01, 0x00])
            ).said == [.refused(source: 0xE400, target: Self.tester, code: 0x06)])
        let power = gateway.answer(
            toDatagram: DoIPMessage.powerModeRequest.bytes(version: 0x02))
        #expect(power == DoIPMessage.powerMode(0x00).bytes(version: 0x02))
    }

    @Test func `a request to all reaches every module`() throws {
        var gateway = try gateway("petrol?latency=0")
        _ = ask(&gateway, Self.activation)
        let said = ask(
            &gateway, .diagnostic(source: Self.tester, target: 0xE400, payload: [0x3E, 0x00])
        ).said
        let sources = said.compactMap { message -> UInt16? in
            if case .diagnostic(let source, _, [0x7E, 0x00]) = message { source } else { nil }
        }
        let vehicle = gateway.vehicle
        #expect(
            Set(sources.map(UInt32.init)) == Set((vehicle.ecus + vehicle.modules).map(\.value)))
        #expect(sources.count == Set(sources).count)
    }

    @Test func `the gateway reports its identity by UDP only to requests for it`() throws {
        let gateway = try gateway("petrol?vin=WXXBD2DA8MX000077")
        func answer(_ message: DoIPMessage, _ version: UInt8 = 0xFF) -> DoIPMessage? {
            gateway.answer(toDatagram: message.bytes(version: version)).flatMap {
                DoIPMessage(datagram: $0)
            }
        }
        guard case .announcement(let entity)? = answer(.identificationRequest) else {
            Issue.record("no announcement")
            return
        }
        #expect(entity.vin == Array("WXXBD2DA8MX000077".utf8))
        #expect(answer(.identificationRequestByEID(entity.eid)) == .announcement(entity))
        #expect(answer(.identificationRequestByEID([0, 0, 0, 0, 0, 0])) == nil)
        #expect(answer(.identificationRequestByVIN(entity.vin), 0x03) == .announcement(entity))
        #expect(answer(.identificationRequestByVIN(Array("1HGBH41JXMN109186".utf8))) == nil)
        #expect(answer(.aliveCheck, 0x02) == .headerRefused(code: 0x01))
        #expect(gateway.answer(toDatagram: [0x02, 0xFD]) == nil)
    }
}
