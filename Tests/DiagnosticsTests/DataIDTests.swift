import Diagnostics
import OBDCore
import Testing

@Suite struct `Identifiers of records` {
    @Test(arguments: [
        ("CAN:1A0", "FD:1A0", "1A0"), ("can:1a0", "FD:1A0", "1A0"), ("FD:5", "FD:005", "005"),
        ("FD:000001A0", "FD:000001A0", "000001A0"), ("CAN:18FEF100", "FD:18FEF100", "18FEF100"),
    ])
    func `frames have a CAN identifier of 11 or 29 bits`(
        text: String, description: String, address: String
    ) throws {
        let id = try #require(DataID(text))
        #expect(id.description == description)
        #expect(id.idText == address)
        #expect(id.frameAddress?.description == address)
        #expect(id.frameAddress.flatMap { DataID(frame: $0) } == id)
        #expect(DataID(description) == id)
    }

    @Test(arguments: [
        "CAN:800", "CAN:1A0F", "CAN:20000000", "CAN:", "FD:FFFFFFFF", "CAN:1 0", "01:1234567",
    ])
    func `a number that is not an identifier is refused`(text: String) {
        #expect(DataID(text) == nil)
    }

    /// No request exists for a frame, and DM3 (FECC) and DM11 (FED3) clear codes.
    @Test func `frames and unknown groups are heard and never requested`() {
        func check(_ text: String, isRequestable: Bool, isHeard: Bool) {
            let id = DataID(text)
            #expect(id?.isRequestable == isRequestable, "\(text)")
            #expect(id?.isHeard == isHeard, "\(text)")
        }
        check("FD:1A0", isRequestable: false, isHeard: true)
        check("FE:00F004", isRequestable: true, isHeard: true)
        check("FE:00FF01", isRequestable: false, isHeard: true)
        check("FE:01FECA", isRequestable: false, isHeard: true)
        check("FE:00FECC", isRequestable: false, isHeard: false)
        check("FE:00FED3", isRequestable: false, isHeard: false)
        check("01:0C", isRequestable: true, isHeard: false)
        check("2E:F190", isRequestable: false, isHeard: false)
        #expect(DataID("FD:1A0")?.requestPayload == [])
        #expect(
            DataID("FD:1A0").flatMap { DiagnosticProfile.classicCAN.place(of: $0) } == nil)
        #expect(DataID("FE:00FF01").flatMap { DiagnosticProfile.j1939.place(of: $0) } == nil)
    }
}
