import Diagnostics
import Formats
import OBDCore
import Testing

@Suite struct `Titles of ECUs` {
    /// Address, title in SAE J2178-1, and in SAE J1939.
    ///
    /// ISO 15765-4 recommends 7E8 for the engine and 7E9 for the transmission, and electric cars do not follow it;
    /// with 29 bits it fixes no function at all.
    @Test(arguments: [
        ("10", "Engine (10)", "Driveline retarder (10)"), ("11", "Engine (11)", "11"),
        ("17", "Engine (17)", "Instruments (17)"), ("18", "Gearbox (18)", "18"),
        ("1F", "Gearbox (1F)", "1F"), ("20", "20", "20"), ("0F", "0F", "Engine retarder (0F)"),
        ("0B", "0B", "Brakes (0B)"), ("00", "00", "Engine (00)"), ("7E8", "7E8", "7E8"),
        ("7E9", "7E9", "7E9"), ("18DAF110", "18DAF110", "18DAF110"),
        ("18DAF118", "18DAF118", "18DAF118"), ("1010", "1010", "1010"),
        ("60D/F1", "60D", "60D"), ("60D/12", "60D/12", "60D/12"),
    ])
    func `an ECU has the title that a standard fixes for its address`(
        text: String, car: String, truck: String
    ) throws {
        let ecu = try #require(ECUAddress(text))
        #expect(ECUNames().title(of: ecu) == car)
        #expect(ECUNames(onJ1939: true).title(of: ecu) == truck)
    }

    /// The name that an ECU reports, and its title with it.
    @Test(arguments: [
        ("BECM-Battery Energy", "Battery"), ("TCM-TransmisCtrl", "Gearbox"),
        ("ECM1-EngineControl", "Engine"), ("HPCM-HybridPtCtrl", "Hybrid drive"),
        ("ABS-AntiLockBrake", "Brakes"), ("FPCM-FuelPump", "FPCM-FuelPump"),
        ("becm-x", "Battery"), ("  ", nil), ("--", nil), ("\u{1B}[2J", "\\x1B[2J"),
    ])
    func `a title follows the name that the ECU reports`(own: String, name: String?) {
        for address in ["7E9", "18DAF11D", "1010", "10"].compactMap({ ECUAddress($0) }) {
            let message = ECUMessage(
                ecu: address, payload: [0x62, 0xF1, 0x97] + Array(own.utf8))
            var names = ECUNames()
            names.take([], [message])
            // F197 is printable ASCII, or no name.
            let isText = own.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            let standard = address.form == .byte ? "Engine" : nil
            let said = isText ? name ?? standard : standard
            #expect(names.title(of: address) == (said.map { "\($0) (\(address))" } ?? "\(address)"))
            if let name {
                let known = ECUNames(own: [address: own])
                #expect(known.title(of: address) == "\(name) (\(address))")
            }
        }
        #expect(ECUNames().title(of: nil) == "vehicle")
    }

    /// 0A goes before F197, in either order; an ECU's name is not another's.
    @Test func `the name that the ECU reports precedes the name of the system`() {
        let (battery, engine) = (ECUAddress(0x7E8, .can11), ECUAddress(0x7E9, .can11))
        let system = ECUMessage(
            ecu: battery, payload: [0x62, 0xF1, 0x97] + Array("R4 1.5l".utf8))
        let said = DiagnosticItem.reading(
            Reading(
                ecu: battery, dataID: DataID(.vehicleInformation, 0x0A),
                signal: SignalIndex(rawValue: 0), value: .text("BECM-Battery"), raw: [], line: 0))
        for isFirst in [true, false] {
            var names = ECUNames()
            if isFirst { names.take([], [system]) }
            names.take([said], [])
            if !isFirst { names.take([], [system]) }
            #expect(names.title(of: battery) == "Battery (7E8)")
            #expect(names.title(of: engine) == "7E9")
        }
    }
}
