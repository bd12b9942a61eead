import Diagnostics
import OBDCore
import PIDTables
import Testing

@testable import Conversation

@Suite struct `Frames that ECUs send by themselves` {
    private static let motor = """
        record CAN:1A0 1..8 : MOTOR
          signal MOTOR.Mode A.7..A.5 unverified : Mode
          signal MOTOR.Speed B..C scale 1/4 unit rpm unverified : Speed
          signal MOTOR.Temp D offset -40 unit °C if MOTOR.Mode=0,2..3 unverified : Temperature
        record CAN:18FF1234 1..8 : OTHER
          signal OTHER.X A unverified : X

        """

    private func decoded(
        _ log: String, _ table: String = motor, isNamed: Bool = false
    ) throws -> [String] {
        var file = TableFile(path: "t", contents: Array(table.utf8))
        file.isNamed = isNamed
        var pipeline = try DecodePipeline(
            ConversationReader.Options(), messagesOnly: false, ownTables: [file])
        let bytes = Array(log.utf8)
        _ = try pipeline.prepare(for: bytes[...])
        var found: [DecodedLine] = []
        pipeline.read(bytes[...]) { line, _ in found.append(line) }
        pipeline.finish { line, _ in found.append(line) }
        return found.map { line in
            switch line {
            case .item(.reading(let reading), _):
                let signal = pipeline.tables.table[reading.signal].id
                let value =
                    if case .number(let number) = reading.value { "\(number)" } else {
                        "\(reading.value)"
                    }
                return "\(reading.line) \(reading.ecu?.description ?? "") \(signal) \(value)"
            case .frame(let id, _, let number): return "\(number) \(id?.description ?? "") frame"
            case .item(.message(let message), _):
                return "\(message.line) \(message.ecu?.description ?? "") message"
            default: return "\(line)"
            }
        }
    }

    @Test func `a table decodes the frames of its identifiers`() throws {
        let log = """
            (1.000000) can0 1A0#00FFFC28
            (1.100000) can0 1A1#0000
            (1.200000) can0 1A0#20000028
            (1.300000) can0 1A0#6000
            (1.400000) can0 18FF1234#05

            """
        #expect(
            try decoded(log) == [
                "1 1A0 MOTOR.Mode 0.0", "1 1A0 MOTOR.Speed 16383.0", "1 1A0 MOTOR.Temp 0.0",
                "2 1A1 frame", "3 1A0 MOTOR.Mode 1.0", "3 1A0 MOTOR.Speed 0.0",
                "4 1A0 MOTOR.Mode 3.0", "5 18FF1234 OTHER.X 5.0",
            ])
    }

    /// A row for an identifier of answers does not hide an answer: 01 0C is (256 A + B) / 4 rpm.
    @Test func `a table with the identifier of an answer does not change how the answer is read`()
        throws
    {
        let table = """
            record CAN:7E8 1..8 : WRONG
              signal WRONG.X A unverified : X

            """
        let log = "(1.0) can0 7DF#02010C\n(1.1) can0 7E8#04410C1AF8000000\n"
        #expect(try decoded(log, table) == ["2 7E8 RPM 1726.0"])
    }

    // MARK: SAE J1939

    /// CCVS1 is 1/256 km/h, EEC1 1/8 rpm; the first frame waits for the second group.
    @Test func `two known groups show SAE J1939`() throws {
        let log = """
            (1.000000) can0 18FEF121#FF0032FFFFFFFFFF
            (1.000100) can0 123#00
            (1.010000) can0 0CF00400#FFFFFF6813FFFFFF

            """
        let found = try decoded(log)
        #expect(found.contains("1 21 SPN84 50.0"))
        #expect(found.contains("3 00 SPN190 621.0"))
        #expect(found.contains("2 123 frame"))
    }

    @Test func `one known group shows SAE J1939 only without other frames`() throws {
        let group = "(1.0) can0 0CF00400#FFFFFF6813FFFFFF\n"
        #expect(try decoded(group).contains("1 00 SPN190 621.0"))
        #expect(
            try decoded(group + "(1.1) can0 123#00\n") == ["1 0CF00400 frame", "2 123 frame"])
    }

    /// The frame before the first known group of another bus, and frames after the longest wait.
    @Test func `each bus shows its own protocol`() throws {
        let log = """
            (1.000000) can0 18FEF121#FF0032FFFFFFFFFF
            (1.000100) can1 0CF00400#FFFFFF6813FFFFFF
            (13.000000) can1 123#00
            (13.100000) can0 0CF00400#FFFFFF6813FFFFFF

            """
        let found = try decoded(log)
        #expect(found.contains("1 18FEF121 frame"))
        #expect(found.contains("2 0CF00400 frame"))
        #expect(found.contains("4 00 SPN190 621.0"))
    }

    private static let truck = """
        record FE:00F004 1..1785 : EEC1
          signal EEC1.Speed D..E little scale 1/8 unit rpm unverified none FB00..FFFF : Speed
          signal EEC1.Demand H unverified : Demand
        record FE:00FEE3 1..1785 : EC1
          signal EC1.Last T unverified : Last
        record FE:00FECA 1..1785 : DM1
          signal DM1.Amber A.3..A.2 unverified : Amber
        record FE:00EC00 1..1785 : TPCM
          signal TPCM.Control A unverified : Control
        record FE:01F200 9..1785 : Fast
          signal Fast.X A unverified : X

        """

    /// A single group among frames of 11 bits, with an unusual priority, and shorter than eight bytes.
    @Test func `groups of a named table need no evidence`() throws {
        let log = """
            (1.000000) can0 14F00421#FFFFFF6813
            (1.000100) can0 123#00
            (1.010000) can0 0CF00400#FFFFFFFFFF000005

            """
        let found = try decoded(log, Self.truck, isNamed: true)
        #expect(
            found == [
                "1 21 EEC1.Speed 621.0", "2 123 frame",
                "3 00 EEC1.Speed missing(Diagnostics.Reading.Missing.notAvailable, code: nil)",
                "3 00 EEC1.Demand 5.0",
            ])
        #expect(
            try decoded(log, Self.truck) == ["1 14F00421 frame", "2 123 frame", "3 0CF00400 frame"])
    }

    @Test func `long messages of a named table are assembled`() throws {
        let packets = ["0101020304050607", "0208090A0B0C0D0E", "030F1011121314FF"]
        func log(_ control: String, _ data: String) -> String {
            "(1.0) can0 123#00\n(1.0) can0 \(control)\n"
                + packets.map { "(1.1) can0 \(data)#\($0)\n" }.joined()
        }
        let broadcast = log("1CECFF00#20140003FFE3FE00", "1CEBFF00")
        #expect(try decoded(broadcast, Self.truck, isNamed: true).contains("2 00 EC1.Last 20.0"))
        let connection = log("1CEC2103#1014000303E3FE00", "1CEB2103")
        let found = try decoded(connection, Self.truck, isNamed: true)
        #expect(found.contains("2 03 EC1.Last 20.0"))
        #expect(found.contains("2 03 TPCM.Control 16.0"))
    }

    /// Codes of DM1 stay codes.
    @Test func `a named table describes the bits of DM1, too`() throws {
        let found = try decoded(
            "(1.0) can0 18FECA00#04FF5E000301FFFF\n", Self.truck, isNamed: true)
        #expect(found.contains("1 00 DM1.Amber 1.0"))
        #expect(found.count == 2)
    }

    /// A single frame of a longer group of NMEA 2000 is a part of it.
    @Test func `fast packets of NMEA 2000 are not whole messages`() throws {
        let found = try decoded(
            "(1.0) can0 09F20001#001A000102030405\n", Self.truck, isNamed: true)
        #expect(found == ["1 01 message"])
    }

    /// NMEA 2000 has groups from 1F000 on: 127488 is the engine's speed there.
    @Test func `groups of NMEA 2000 do not show that the bus is SAE J1939`() throws {
        let log = """
            (1.000000) can0 09F20000#00FFFFFFFFFFFFFF
            (1.100000) can0 18EEFF01#0102030405060708
            (1.200000) can0 09F11200#00FFFFFFFFFFFFFF

            """
        #expect(
            try decoded(log) == ["1 09F20000 frame", "2 18EEFF01 frame", "3 09F11200 frame"])
    }
}
