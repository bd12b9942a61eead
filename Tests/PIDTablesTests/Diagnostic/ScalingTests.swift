import Diagnostics
import PIDTables
import Testing

@Suite struct `Unit and scaling ids` {
    /// The ID, the value of raw 1234, and the value of raw FEDC, from python-OBD 0.7.3.
    ///
    /// python-OBD rounds factors as SAE J1979 prints them (0.0000305 for 1/32768), so a tolerance
    /// is needed. For 2E it returns true or false, so 2E is left out.
    private static let peer = """
        01 4660 65244
        02 466 6524.4
        03 46.6 652.44
        04 4.66 65.244
        05 0.14213 1.989942
        06 1.4213 19.89942
        07 1165 16311
        08 46.6 652.44
        09 4660 65244
        0A 568.52 7959.768
        0B 4.66 65.244
        0C 46.6 652.44
        0D 18.20312 254.8594
        0E 4.66 65.244
        0F 46.6 652.44
        10 4660 65244
        11 466000 6524400
        12 4660 65244
        13 4660 65244
        14 4660 65244
        15 4660 65244
        16 426 6484.4
        17 46.6 652.44
        18 54.522 763.3548
        19 368.14 5154.276
        1A 4660 65244
        1B 46600 652440
        1C 46.6 652.44
        1D 2330 32622
        1E 0.14213 1.989942
        1F 233 3262.2
        20 18.20312 254.8594
        21 4660 65244
        22 4660 65244
        23 4660 65244
        24 4660 65244
        25 4660 65244
        26 466 6524.4
        27 46.6 652.44
        28 4660 65244
        29 1165 16311
        2A 4.66 65.244
        2B 4660 65244
        2C 46.6 652.44
        2D 46.6 652.44
        2F 46.6 652.44
        30 7.11116 99.56234
        31 4.66 65.244
        32 0.14213 1.989942
        33 1.137692 15.92867
        34 4660 65244
        35 46600 652440
        36 46.6 652.44
        37 466 6524.4
        38 4660 65244
        39 -281.08 324.76
        3A 4.66 65.244
        3B 0.466 6.5244
        3C 466 6524.4
        3D 46.6 652.44
        3E 0.2844238 3.982178
        3F 46.6 652.44
        40 4660 65244
        41 46.6 652.44
        81 4660 -292
        82 466 -29.2
        83 46.6 -2.92
        84 4.66 -0.292
        85 0.14213 -0.008906
        86 1.4213 -0.08906
        87 4660 -292
        8A 568.52 -35.624
        8B 4.66 -0.292
        8C 46.6 -2.92
        8D 18.20312 -1.140625
        8E 4.66 -0.292
        90 4660 -292
        96 466 -29.2
        99 466 -29.2
        9C 46.6 -2.92
        9D 2330 -146
        A8 4660 -292
        A9 1165 -73
        AD 46.6 -2.92
        AE 466 -29.2
        AF 46.6 -2.92
        B0 14.22232 -0.891184
        B1 9320 -584
        FC 46.6 -2.92
        FD 4.66 -0.292
        FE 1165 -73
        """

    @Test func `values agree with an independent decoder`() throws {
        let scalings = try PIDTables.monitorTables().scalings
        for line in Self.peer.split(separator: "\n") {
            let fields = line.split(separator: " ")
            let id = try #require(UInt8(fields[0], radix: 16))
            let scaling = try #require(scalings[id])
            for (raw, expected) in zip([0x1234, 0xFEDC], fields.dropFirst()) {
                let signed = id >= 0x80 && raw > 0x7FFF ? raw - 0x1_0000 : raw
                let expected = try #require(Double(expected))
                let found = scaling.number(raw: signed)
                #expect(abs(found - expected) <= abs(expected) * 1e-3, "\(line)")
            }
        }
    }

    // SAE J1979: 0A is 0.122 mV per bit, 16 is 0.1 °C per bit from −40 on, FE is 0.25 Pa per bit,
    // signed.
    @Test func `units are written as people write them`() throws {
        let scalings = try PIDTables.monitorTables().scalings
        #expect(scalings[0x0A]?.unit == "mV")
        #expect(scalings[0x16]?.unit == "°C")
        #expect(scalings[0x16]?.number(raw: 0) == -40)
        #expect(scalings[0xFE]?.unit == "Pa")
        #expect(scalings[0x24]?.unit == "")
        #expect(scalings[0x44] == nil)
        #expect(scalings.count == 100)
    }
}
