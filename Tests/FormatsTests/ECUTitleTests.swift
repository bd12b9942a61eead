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

    /// The name that an ECU gives itself, and the title of 7E9 with it.
    @Test(arguments: [
        ("BECM-Battery Energy", "Battery (7E9)"), ("TCM-TransmisCtrl", "Gearbox (7E9)"),
        ("ECM1-EngineControl", "Engine (7E9)"), ("HPCM-HybridPtCtrl", "Hybrid drive (7E9)"),
        ("ABS-AntiLockBrake", "Brakes (7E9)"), ("FPCM-FuelPump", "FPCM-FuelPump (7E9)"),
        ("becm-x", "Battery (7E9)"), ("  ", "Gearbox (7E9)"), ("\u{1B}[2J", "\\x1B[2J (7E9)"),
    ])
    func `follow what an ECU says of itself`(name: String, title: String) {
        #expect(ECUAddress(0x7E9, .can11).title(named: name, onJ1939: false) == title)
        #expect(ECUAddress(0x7E9, .can11).title(named: nil, onJ1939: false) == "Gearbox (7E9)")
    }
}
