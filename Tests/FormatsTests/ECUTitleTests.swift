import Formats
import OBDCore
import Testing

@Suite struct `Titles of ECUs` {
    /// Address, title before CAN (SAE J2178-1), in SAE J1939, and where the protocol is not known.
    @Test(arguments: [
        ("10", "Engine (10)", "Driveline retarder (10)", "10"),
        ("11", "Engine (11)", "11", "11"), ("17", "Engine (17)", "Instruments (17)", "17"),
        ("18", "Gearbox (18)", "18", "18"), ("1F", "Gearbox (1F)", "1F", "1F"),
        ("20", "20", "20", "20"), ("0B", "0B", "Brakes (0B)", "0B"),
        ("7E8", "Engine (7E8)", "Engine (7E8)", "Engine (7E8)"),
        ("18DAF118", "Gearbox (18DAF118)", "Gearbox (18DAF118)", "Gearbox (18DAF118)"),
        ("7EA", "7EA", "7EA", "7EA"),
    ])
    func `are those that a standard fixes`(
        text: String, car: String, truck: String, unknown: String
    ) throws {
        let ecu = try #require(ECUAddress(text))
        #expect(ecu.title(onJ1939: false) == car)
        #expect(ecu.title(onJ1939: true) == truck)
        #expect(ecu.title == unknown)
    }
}
