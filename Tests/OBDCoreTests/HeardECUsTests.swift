import OBDCore
import Testing

@Suite struct `ECUs that were heard` {
    private static let engine = ECUAddress(0x7E8, .can11)
    private static let brakes = ECUAddress(0x7B8, .can11)
    private static let request: [UInt8] = [0x01, 0x00]

    private static func answer(_ ecu: ECUAddress?) -> ECUMessage {
        ECUMessage(ecu: ecu, payload: [0x41, 0x00, 0x80, 0x00, 0x00, 0x00])
    }

    /// What an ECU has answered to all ECUs together, it answers again.
    @Test func `ECUs that answered together are asked together`() {
        let alone = ECUAddress(0x7B0, .can11)
        var heard = HeardECUs()
        heard.note([Self.answer(Self.brakes)], answering: [0x3E, 0x00], at: alone)
        #expect(heard.ecus == [Self.brakes: .alone(at: alone)])
        for target in [nil, alone] {
            heard.note(
                [Self.answer(Self.brakes), Self.answer(Self.engine)], answering: Self.request,
                at: target)
            #expect(heard.ecus == [Self.brakes: .withOthers, Self.engine: .withOthers])
        }
    }

    @Test func `as many ECUs without an address are counted as answered one request`() {
        var heard = HeardECUs()
        heard.note([Self.answer(nil), Self.answer(nil)], answering: Self.request, at: nil)
        #expect(heard.unnamed == 2)
        heard.note([Self.answer(nil)], answering: Self.request, at: nil)
        #expect(heard.unnamed == 2 && heard.ecus.isEmpty)
        // Before CAN, an ECU answers service 09 in several messages.
        let parts = [ECUMessage](
            repeating: ECUMessage(ecu: nil, payload: [0x49, 0x02, 0x01, 0x00]), count: 5)
        heard.note(parts, answering: [0x09, 0x02], at: nil)
        #expect(heard.unnamed == 2)
    }

    @Test func `the list of ECUs is incomplete if it is longer than any vehicle's`() {
        var heard = HeardECUs()
        let all = (0..<1_025).map { Self.answer(ECUAddress(0x18DA_0000 | $0, .can29)) }
        heard.note(Array(all.dropLast()), answering: Self.request, at: nil)
        #expect(heard.isComplete && heard.ecus.count == 1_024)
        heard.note(all, answering: Self.request, at: nil)
        #expect(!heard.isComplete && heard.ecus.count == 1_024)
    }
}
