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

    private func decoded(_ log: String, _ table: String = motor) throws -> [String] {
        var pipeline = try DecodePipeline(
            ConversationReader.Options(), messagesOnly: false,
            ownTables: [TableFile(path: "t", contents: Array(table.utf8))])
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
    @Test func `answers stay answers`() throws {
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
            (3.000000) can1 123#00
            (3.100000) can0 0CF00400#FFFFFF6813FFFFFF

            """
        let found = try decoded(log)
        #expect(found.contains("1 18FEF121 frame"))
        #expect(found.contains("2 0CF00400 frame"))
        #expect(found.contains("4 00 SPN190 621.0"))
    }

    /// NMEA 2000 has groups from 1F000 on: 127488 is the engine's speed there.
    @Test func `groups of NMEA 2000 show nothing`() throws {
        let log = """
            (1.000000) can0 09F20000#00FFFFFFFFFFFFFF
            (1.100000) can0 18EEFF01#0102030405060708
            (1.200000) can0 09F11200#00FFFFFFFFFFFFFF

            """
        #expect(
            try decoded(log) == ["1 09F20000 frame", "2 18EEFF01 frame", "3 09F11200 frame"])
    }
}
