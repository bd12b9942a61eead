import Diagnostics
import OBDCore
import PIDTables
import Testing

/// Published tables disagree about these rows.
///
/// Each case has a value of our reading that the other reading would not give. The comment names
/// that other reading.
@Suite struct DisagreementTests {
    let table: PIDTable

    init() throws {
        table = try PIDTables.standard()
    }

    private func value(_ pid: UInt32, _ id: String, _ data: [UInt8]) throws -> Reading.Value {
        let record = try #require(table.record(DataID(.currentData, pid)))
        #expect(record.length.contains(data.count))
        let place = try #require(
            record.signals.first { table[SignalIndex(rawValue: $0)].id == id }, "\(id)")
        return try #require(table.value(of: SignalIndex(rawValue: place), in: data))
    }

    private func number(_ pid: UInt32, _ id: String, _ data: [UInt8]) throws -> Double {
        guard case .number(let number) = try value(pid, id, data) else {
            Issue.record("\(id) is not a number")
            return .nan
        }
        return number
    }

    @Test(arguments: [
        // 100/128 with offset -100, not 100/255 with -128 (AndrOBD for 2D, 55-58).
        (UInt32(0x06), "SHRTFT1", [UInt8(0xFF)], 99.21875), (0x2D, "EGR_ERR", [0xFF], 99.21875),
        (0x58, "LGSO2FT2", [0x00], -100),
        (0x69, "EGR_A_ERR", [0x04, 0, 0, 0xFF, 0, 0, 0], 99.21875),
        // 0.079 kPa per bit, not 10/128.
        (0x22, "FRP_REL", [0xFF, 0xFF], 5177.265),
        // 2/65536 and 8/65536 per bit: the value never reaches 2 or 8 and is not clamped (others
        // use 2/65535).
        (0x24, "LAMBDA11_V", [0xFF, 0xFF, 0, 0], 1.999969482421875),
        (0x24, "O2S11_WRV", [0, 0, 0xFF, 0xFF], 7.9998779296875),
        (0x34, "LAMBDA11_I", [0xFF, 0xFF, 0, 0], 1.999969482421875),
        (0x44, "LAMBDA", [0xFF, 0xFF], 1.999969482421875), (0x44, "LAMBDA", [0x80, 0x00], 1),
        // The zero is at 8000. scapy has no offset.
        (0x34, "O2S11_WRI", [0, 0, 0x80, 0x00], 0), (0x34, "O2S11_WRI", [0, 0, 0, 0], -128),
        // Two's complement. ObdMetrics and AndrOBD read it unsigned, python-OBD byte by byte.
        (0x32, "EVAP_VP", [0x80, 0x00], -8192), (0x32, "EVAP_VP", [0xFF, 0xFF], -0.25),
        (0x32, "EVAP_VP", [0x7F, 0xFF], 8191.75),
        // Two's complement in Pa, not raw - 32767 (python-OBD, Wikipedia).
        (0x54, "EVAP_VP2", [0x00, 0x00], 0), (0x54, "EVAP_VP2", [0x80, 0x00], -32768),
        (0x54, "EVAP_VP2", [0xFF, 0xFF], -1),
        // Minutes, not hours.
        (0x4D, "MIL_TIME", [0x0E, 0x10], 3600), (0x4E, "CLR_TIME", [0x0E, 0x10], 3600),
        // Four bytes with ten g/s per bit, not one byte of hundredths.
        (0x50, "MAX_MAF", [0xFF, 0, 0, 0], 2550), (0x4F, "MAX_MAP", [0, 0, 0, 0xFF], 2550),
        // (raw - 26880)/128.
        (0x5D, "FUEL_TIMING", [0x69, 0x00], 0), (0x5D, "FUEL_TIMING", [0x00, 0x00], -210),
        // Minus 125. AndrOBD uses a trim for 61 and 62, and adds 125 for 8E.
        (0x61, "TQ_DD", [0x00], -125), (0x62, "TQ_ACT", [0xFF], 130),
        (0x64, "TQ_MAX5", [0, 0, 0, 0, 0x7D], 0), (0x8E, "TQ_FR", [0x7D], 0),
        // Ten rpm per bit. J1699-3 and scapy have one, AndrOBD has a tenth.
        (0x74, "TCA_RPM", [0x01, 0x27, 0x10, 0, 0], 100_000),
        // Signed hundredths. scapy subtracts 327.68.
        (0x7A, "DPF1_DP", [0x01, 0xFF, 0xFF, 0, 0, 0, 0], -0.01),
        (0x7B, "DPF2_DP", [0x01, 0x80, 0x00, 0, 0, 0, 0], -327.68),
        // Minutes, not hours.
        (0x8B, "DPF_REGEN_AVGT", [0x20, 0, 0, 0x0E, 0x10, 0, 0], 3600),
        // The output is signed.
        (0x8F, "PM11_PCT", [0x02, 0, 0xFF, 0xFF, 0, 0, 0], -0.01),
        // 100/65535, ten times AndrOBD's value.
        (0x8C, "O2S11_PCT", [0x01, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 14), 100),
        // Sensor B is signed like A. The source of J1699-3 reads it unsigned.
        (0xA3, "EVAP_B_VP", [0x04, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0], -0.25),
    ])
    func `The chosen reading of a row about which sources disagree`(
        pid: UInt32, id: String, data: [UInt8], expected: Double
    ) throws {
        let number = try number(pid, id, data)
        #expect(abs(number - expected) <= abs(expected) * 1e-12, "\(id) \(number)")
    }

    // Lengths in bytes. The comment names a program with a different length.
    @Test(arguments: [
        (UInt32(0x10), 2...2),  // scapy 1
        (0x4F, 4...4), (0x50, 4...4),  // AndrOBD 1
        (0x68, 7...7),  // Wikipedia 3
        (0x6D, 11...11),  // scapy 6
        (0x6E, 9...9),  // scapy 5
        (0x70, 10...10),  // scapy 9
        (0x71, 6...6),  // scapy 5
        (0x7F, 13...13),  // scapy 25
        (0x81, 41...41), (0x82, 41...41), (0x89, 41...41), (0x8A, 41...41),
        (0x83, 9...9),  // scapy 5
        (0x8C, 17...17),  // Wikipedia 16
        (0x8F, 7...7),  // scapy 5
        (0x06, 1...2), (0x55, 1...2),
    ])
    func `Lengths about which sources disagree`(pid: UInt32, length: ClosedRange<Int>) {
        #expect(table.record(DataID(.currentData, pid))?.length == length)
    }

    @Test func `Secondary air status is one-hot in four bits`() throws {
        // OBDb reads three bits and can never show 8.
        #expect(try value(0x12, "AIR_STAT", [0x08]) == .label(code: 8))
        #expect(try value(0x12, "AIR_STAT", [0x03]) == .missing(.undefined, code: 3))
    }

    @Test func `Boost control: supports in the order command, actual, status; status byte last`()
        throws
    {
        let data: [UInt8] = [0x3F, 0, 0, 0, 0, 0, 0, 0, 0, 0x06]
        #expect(try value(0x70, "BP_A_STAT", data) == .label(code: 2))
        #expect(try value(0x70, "BP_B_STAT", data) == .label(code: 1))
        // Bit 2 of byte A belongs to A's status. scapy takes it as B's command.
        let status: [UInt8] = [0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0x02]
        #expect(try value(0x70, "BP_A_STAT", status) == .label(code: 2))
        #expect(try value(0x70, "BP_B_CMD", status) == .missing(.notSupported, code: nil))
        #expect(try value(0x71, "VGT_A_STAT", [0x04, 0, 0, 0, 0, 0x03]) == .label(code: 3))
    }

    @Test func `The wide range of an EGR temperature is the same byte with another flag`() throws {
        #expect(try number(0x6B, "EGRT11", [0x01, 100, 0, 0, 0]) == 60)
        #expect(try number(0x6B, "EGRT11_W", [0x10, 100, 0, 0, 0]) == 360)
        #expect(
            try value(0x6B, "EGRT11", [0x10, 100, 0, 0, 0]) == .missing(.notSupported, code: nil))
        #expect(try number(0x6F, "TCA_CINP_W", [0x04, 100, 0]) == 800)
    }

    @Test func `Run times are three counters of four bytes`() throws {
        let data: [UInt8] = [0x07, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]
        #expect(try number(0x7F, "RUN_TIME", data) == 1)
        #expect(try number(0x7F, "IDLE_TIME", data) == 2)
        #expect(try number(0x7F, "PTO_TIME", data) == 3)
    }

    @Test func `Hybrid mode is bit 0 of byte B`() throws {
        // OBDb reads it from byte A, which has the support flags.
        #expect(try value(0x9A, "HEV_MODE", [0x01, 0x01, 0, 0, 0, 0]) == .label(code: 1))
        #expect(try value(0x9A, "HEV_MODE", [0x81, 0x00, 0, 0, 0, 0]) == .label(code: 0))
    }

    @Test func `Emission requirements are a value, although their identifier looks like a flag`()
        throws
    {
        #expect(try value(0x5F, "EMIS_SUP", [0x0E]) == .label(code: 0x0E))
    }

    @Test func `Oxygen sensors present: bit 0 is bank 1 sensor 1`() throws {
        // python-OBD swaps the two nibbles.
        #expect(try value(0x13, "O2S11_PRESENT", [0x01]) == .flag(true))
        #expect(try value(0x13, "O2S24_PRESENT", [0x01]) == .flag(false))
        #expect(try value(0x1D, "O2S42_PRESENT4", [0x80]) == .flag(true))
        #expect(try value(0x1E, "PTO_STAT", [0x01]) == .flag(true))
    }

    @Test func `A record with only a name is shown as raw bytes`() throws {
        #expect(try value(0xA7, "NOX_S34", [1, 2, 3, 4]) == .text("01020304"))
        #expect(table.record(DataID(.currentData, 0xB5)) == nil)
    }
}
