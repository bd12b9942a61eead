import OBDCore
import Testing

@testable import Adapters

/// Lines of a monitored bus.
///
/// The forms are those of the ELM327 data sheet. `AT D1` shows a length digit after the identifier.
/// `AT JHF1` writes a header of SAE J1939 as priority, parameter group and source. The data of a
/// remote frame is the word RTR. 6 0FECA 00 and 18 FE CA 00 are the same 29 bits.
@Suite struct `Monitored lines` {
    private func frame(
        _ text: String, _ known: VehicleProtocol? = nil,
        _ change: (inout ELM327Settings) -> Void = { _ in }
    ) -> MonitoredFrame? {
        var settings = ELM327Settings()
        change(&settings)
        var line = HexLine()
        guard line.scan(Array(text.utf8).span) else { return nil }
        return MonitoredFrame(line, settings: settings, fallback: known)
    }

    private func written(_ frame: MonitoredFrame?) -> String? {
        frame.map { "\($0.id?.description ?? "-") \(Hex.string($0.data))" }
    }

    @Test(arguments: [
        ("6 0FECA 00 FF 00 FF FF FF FF FF FF", "18FECA00 FF00FFFFFFFFFFFF"),
        ("60FECA00FF00FFFFFFFFFFFF", "18FECA00 FF00FFFFFFFFFFFF"),
        ("18FECA00FF00FFFFFFFFFFFF", "18FECA00 FF00FFFFFFFFFFFF"),
        ("18 FE CA 00 FF 00 FF FF FF FF FF FF", "18FECA00 FF00FFFFFFFFFFFF"),
        // SAE J1939-21: priority 3 is 0C. PGN 0F004 comes from the engine at address 00.
        ("3 0F004 00 FF FF FF 68 13 FF FF FF", "0CF00400 FFFFFF6813FFFFFF"),
        ("6 0FECA 00 2 FF 00", "18FECA00 FF00"), ("60FECA002FF00", "18FECA00 FF00"),
        ("18FECA002FF00", "18FECA00 FF00"),
        // A length that does not match the data, a priority that is not valid, an identifier that
        // is not valid.
        ("6 0FECA 00 3 FF 00", nil), ("60FECA003FF00", nil), ("18FECA003FF00", nil),
        ("8 0FECA 00 FF", nil), ("80FECA00FF", nil), ("6 0FECA 0 FF", nil),
        ("6 0FECA 00 FF 00 FF FF FF FF FF FF 00", nil), ("6 0FECA 00 FF 0", nil),
    ])
    func `headers of SAE J1939 are read`(text: String, expected: String?) {
        #expect(written(frame(text, .j1939)) == expected)
    }

    /// If the setting is known, the first digit must not mislead the reader.
    @Test func `a known form of headers outweighs the look of a line`() {
        #expect(
            written(frame("18FECA00FF", .j1939) { $0.formatsJ1939Headers = true })
                == "0CFECA00 FF")
        #expect(
            written(frame("0CF00400FF", .j1939) { $0.formatsJ1939Headers = false })
                == "0CF00400 FF")
    }

    @Test(arguments: [
        ("7E8 8 04 41 0C 1A F8 00 00 00", "7E8 04410C1AF8000000"),
        ("7E8 04 41 0C 1A F8", "7E8 04410C1AF8"), ("7E80441", "7E8 0441"), ("7E8 0", "7E8 "),
        ("18 DA F1 10 2 04 41", "18DAF110 0441"), ("18 DA F1 10 04 41", "18DAF110 0441"),
        ("7E8 7 04 41 0C 1A F8 00 00 00", nil), ("800 01", nil), ("7E8 01 2", nil),
        ("18 DA F1 10 3 04 41", nil),
        ("7E8 04 41 0C 1A F8 00 00 00 00", nil),
    ])
    func `lines of CAN with blanks are read`(text: String, expected: String?) {
        #expect(written(frame(text, text.hasPrefix("18") ? .can29At500 : .can11At500)) == expected)
    }

    @Test(arguments: [
        ("7E820441", "7E8 0441"), ("18DAF11020441", "18DAF110 0441"), ("7E80", "7E8 "),
        ("7E830441", nil), ("18DAF11030441", nil), ("FFF10441", nil), ("3FFFFFFF20441", nil),
    ])
    func `lines of CAN without blanks and with lengths are read`(text: String, expected: String?) {
        #expect(written(frame(text) { $0.showsLength = true }) == expected)
    }

    /// ISO 9141-2 and SAE J1850 frames from other tests: 48 6B 10 41 05 7B ends with its sum 84, or
    /// on VPW with its CRC 06.
    @Test(
        arguments: [
            ("48 6B 10 41 05 7B 84", VehicleProtocol.iso9141, "10 486B1041057B84"),
            ("48 6B 10 41 05 7B 06", .j1850VPW, "10 486B1041057B06"),
            ("83 F1 10 41 05 7B 45", .iso14230Fast, "10 83F11041057B45"),
            ("48 6B 10 41 05 7B 85", .iso9141, nil), ("48 6B 10 41 05 7B 84", .j1850VPW, nil),
            ("48 6B 10 84", .iso9141, "- 486B1084"),
        ] as [(String, VehicleProtocol, String?)])
    func `checksums of protocols before CAN are checked`(
        text: String, known: VehicleProtocol, expected: String?
    ) {
        #expect(written(frame(text, known)) == expected)
    }

    @Test func `without headers the sender is unknown`() {
        #expect(written(frame("41 0C 1A F8", .can11At500) { $0.headers = false }) == "- 410C1AF8")
    }

    @Test(arguments: [
        ("7E8", "7E8 "), ("7E88", "7E8 "), ("18DAF110", "18DAF110 "), ("18DAF1108", "18DAF110 "),
        ("800", nil), ("20000000", nil), ("7E", nil), ("7E888", nil), ("18DAF11088", nil),
        ("0:7E8", nil),
    ])
    func `remote frames have an identifier and sometimes a length`(text: String, expected: String?)
    {
        var line = HexLine()
        let remote = MonitoredFrame(remote: Array((text + " RTR").utf8).span, &line)
        #expect(written(remote) == expected)
    }
}
