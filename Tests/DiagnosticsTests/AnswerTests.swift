import Diagnostics
import OBDCore
import Testing

@Suite struct `Messages about codes` {
    private func message(_ payload: String, _ group: UInt32? = nil) throws -> ECUMessage {
        var message = ECUMessage(ecu: nil, payload: try #require(Hex.bytes(payload)))
        message.parameterGroup = group
        return message
    }

    // SAE J1939-73, 5.7.1: bits 8 and 7 of byte 1 are the malfunction indicator lamp; 00 = off, 01
    // = on.
    @Test(
        arguments: [
            ("40FF00000000FFFF", 0xFECA, true), ("00FF00000000FFFF", 0xFECA, false),
            ("C0FF00000000FFFF", 0xFECA, nil), ("80FF00000000FFFF", 0xFECA, nil),
            ("40FF00000000FFFF", 0xFECB, nil), ("40FF", nil, nil),
        ] as [(String, UInt32?, Bool?)])
    func `DM1 says whether the light is on`(payload: String, group: UInt32?, isOn: Bool?) throws {
        #expect(try message(payload, group).lamps?.malfunction == isOn)
    }

    // SAE J1979: 44; ISO 14229-1: 54; SAE J1939-21: control byte 0 of PGN E800, with FED3 at the end.
    @Test(
        arguments: [
            ("44", nil, true), ("54", nil, true), ("7F0422", nil, false), ("43", nil, false),
            ("00FFFFFFFFD3FE00", 0xE800, true), ("01FFFFFFFFD3FE00", 0xE800, false),
            ("00FFFFFFFFCAFE00", 0xE800, false), ("00FFFFFFFFD3FE", 0xE800, false),
            ("44", 0xFECA, false),
        ] as [(String, UInt32?, Bool)])
    func `only an acknowledgement of the request to clear confirms clearing`(
        payload: String, group: UInt32?, confirms: Bool
    ) throws {
        #expect(try message(payload, group).confirmsClearing == confirms)
    }

    @Test(
        arguments: [
            ("7F0131", nil, true), ("4100BE3EB811", nil, false),
            ("01FFFFFFFFCAFE00", 0xE800, true), ("00FFFFFFFFCAFE00", 0xE800, false),
            ("7F", 0xFECA, false),
        ] as [(String, UInt32?, Bool)])
    func `refusals of an ECU are recognised`(payload: String, group: UInt32?, isRefusal: Bool)
        throws
    {
        #expect(try message(payload, group).isRefusal == isRefusal)
    }
}
