import OBDCore
import Testing

/// Values from the bit layout of SAE J2012.
///
/// P0133, U0123 and C0356 are the examples for 0133, C123 and 4356 in descriptions of ISO 15031-6.
@Suite struct `Trouble codes` {
    @Test(arguments: [
        (UInt16(0x0133), "P0133"), (0xC123, "U0123"), (0x4356, "C0356"), (0x9234, "B1234"),
        (0x3FFF, "P3FFF"), (0xFFFF, "U3FFF"), (0x0A0F, "P0A0F"),
    ])
    func `the text and the bytes of a code agree`(code: UInt16, text: String) {
        #expect(DTC(code).text == text)
        #expect(DTC(text) == DTC(code))
        #expect(DTC(text.lowercased()) == DTC(code))
    }

    @Test(arguments: ["", "P", "P030", "P4301", "X0301", "P03011", "P0G01", "P0301-1", "Ü0301"])
    func `a code that no vehicle can send is refused`(text: String) {
        #expect(DTC(text) == nil)
    }

    @Test func `the failure type of a code is kept`() {
        #expect(DTC("U0100-11") == DTC(0xC100, failureType: 0x11))
        #expect(DTC(0x0133, failureType: 0x1C).description == "P0133-1C")
    }

    @Test(arguments: [
        ("SPN609/FMI19", UInt32(609), UInt8(19)), ("spn0/fmi0", 0, 0),
        ("SPN524287/FMI31", 524_287, 31),
    ])
    func `codes of SAE J1939 are read`(text: String, spn: UInt32, fmi: UInt8) throws {
        let code = try #require(J1939Code(text))
        #expect(code.spn == spn && code.fmi == fmi)
    }

    @Test(arguments: [
        "SPN609", "SPN/FMI1", "SPN1/FMI", "SPN524288/FMI1", "SPN1/FMI32", "SPN+1/FMI1",
        "SPN1/FMI-1",
        "609/19", "SPN1/FMI1/FMI1", "SPN1FMI1", "",
    ])
    func `text that is not a code of SAE J1939 is refused`(text: String) {
        #expect(J1939Code(text) == nil)
    }
}
