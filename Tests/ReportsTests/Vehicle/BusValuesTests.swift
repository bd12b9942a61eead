import Adapters
import Diagnostics
import Formats
import OBDCore
import PIDTables
import Testing

@testable import Reports

@Suite struct `Values of a live bus` {
    private static let motor = """
        record CAN:1A0 1..8 : MOTOR
          signal MOTOR.Mode A.7..A.5 unverified : Mode
          signal MOTOR.Speed B..C scale 1/4 unit rpm unverified : Speed
          signal MOTOR.Temp D offset -40 unit °C if MOTOR.Mode=0,2..3 unverified : Temperature
          signal MOTOR.Ctr E.3..E.0 unverified : Counter
        record CAN:18FF1234 1..8 : OTHER
          signal OTHER.Speed A unit km/h unverified : Speed

        """

    /// Lines of the values in frames such as `1A0#00FFFC2801`, and what is said at the end.
    private func printed(
        _ frames: [String], _ signals: [String] = [], isEach: Bool = false, isNamed: Bool = true,
        isJ1939: Bool? = nil, _ table: String = motor
    ) throws -> (lines: [String], reason: String?, damage: String?) {
        var file = TableFile(path: "t", contents: Array(table.utf8))
        file.isNamed = true
        let loaded = try PIDTables.load(isNamed ? [file] : [])
        let choice = try BusValues.Choice(
            signals: signals, in: loaded, isEach: isEach, tables: isNamed ? ["motor.dbc"] : [])
        var values = BusValues(
            OutputForm(format: .text), loaded, MonitorTables(), CodeKnowledge(), choice,
            isJ1939: isJ1939)
        var output: [UInt8] = []
        for (index, text) in frames.enumerated() {
            let parts = text.split(separator: "#")
            let value = try #require(UInt32(parts[0], radix: 16))
            let id = ECUAddress(value, parts[0].count == 3 ? .can11 : .can29)
            let data = try #require(Hex.bytes(String(parts.count > 1 ? parts[1] : "")))
            values.take(
                CANFrame(id, InlineBytes(data)), at: UTC(microseconds: Int64(index) * 1_000_000),
                head: { "\($0.microseconds / 1_000_000) " }, &output)
        }
        values.finish(head: { "\($0.microseconds / 1_000_000) " }, &output)
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
            let words = line.split(separator: " ").map(String.init)
            return words.prefix(2).joined(separator: " ") + " "
                + words.dropFirst(3).prefix(3).joined(separator: " ")
        }
        return (lines, values.reasonOfSilence, values.damage)
    }

    @Test func `a value is printed when it changes`() throws {
        let found = try printed([
            "1A0#0000102801", "1A0#0000102802", "1A0#0000142803", "7FF#00", "18FF1234#05",
        ])
        #expect(
            found.lines == [
                "0 1A0 MOTOR.Mode 0 Mode", "0 1A0 MOTOR.Speed 4.0 rpm", "0 1A0 MOTOR.Temp 0 °C",
                "2 1A0 MOTOR.Speed 5.0 rpm", "4 18FF1234 OTHER.Speed 5 km/h",
            ])
        #expect(found.reason == nil && found.damage == nil)
    }

    @Test func `on demand every value is printed, also each value of a counter`() throws {
        let found = try printed(["1A0#0000102801", "1A0#0000102801"], isEach: true)
        #expect(found.lines.count == 8)
        #expect(found.lines.filter { $0.hasPrefix("1 1A0 MOTOR.Ctr 1") }.count == 1)
    }

    /// The short name means that signal of each message; a counter is printed if it is named.
    @Test(arguments: [
        (["speed"], ["0 1A0 MOTOR.Speed 4.0 rpm", "1 18FF1234 OTHER.Speed 5 km/h"]),
        (["motor.speed"], ["0 1A0 MOTOR.Speed 4.0 rpm"]),
        (["ctr"], ["0 1A0 MOTOR.Ctr 1 Counter"]),
    ]) func `signals are chosen by name`(names: [String], lines: [String]) throws {
        #expect(try printed(["1A0#0000102801", "18FF1234#05"], names).lines == lines)
    }

    /// Neither a signal beyond the end of a frame nor one whose switch has another value has a value.
    @Test func `a signal beyond the end of a short frame has no value`() throws {
        let found = try printed(["1A0#2000", "1A0#2000102801"])
        #expect(
            found.lines == ["0 1A0 MOTOR.Mode 1 Mode", "1 1A0 MOTOR.Speed 4.0 rpm"])
    }

    @Test func `the message names a table that knows no frame of the bus`() throws {
        let found = try printed(["1A1#00", "1A1#01", "1A2#00"])
        #expect(found.lines.isEmpty)
        #expect(
            found.reason == "motor.dbc knows no identifier on this bus (2 identifiers, 3 frames).")
        #expect(try printed([]).reason == nil)
        #expect(
            try printed(["1A1#00"], isNamed: false).reason
                == "No table knows an identifier on this bus (1 identifier, 1 frame); --table adds one."
        )
        #expect(
            try printed(["1A0#20"], ["MOTOR.Speed"]).reason
                == "No frame on this bus has a value of MOTOR.Speed.")
    }

    /// Engine speed, SPN 190: 0.125 rpm per bit (SAE J1939-71).
    ///
    /// Groups of NMEA 2000 are of another protocol.
    @Test func `a bus with two known groups needs no table`() throws {
        let frames = [
            "0CF00400#FFFFFF6813FFFFFF", "18FEEE00#7DFFFFFFFFFFFFFF", "0CF00400#FFFFFF7013FFFFFF",
            "19F20000#0000100000000000", "19F20100#0000100000000000",
        ]
        let found = try printed(frames, ["SPN190", "SPN110"], isNamed: false)
        #expect(
            found.lines == [
                "0 00 SPN190 621.0 rpm", "1 00 SPN110 85 °C", "2 00 SPN190 622.0 rpm",
            ])
        let nmea = try printed(Array(frames.suffix(2)), isNamed: false, isJ1939: true)
        #expect(nmea.lines.isEmpty)
        // One group shows nothing; makers have identifiers of 29 bits of their own.
        let one = try printed([frames[0], "123#00"], isNamed: false)
        #expect(one.lines.isEmpty)
    }

    /// The NAME of SAE J1939-81 as can-j1939 2.0.12 writes it: manufacturer 10, function 3.
    ///
    /// ECUs claim their addresses before they send anything else. NMEA 2000 has claims of the same form.
    @Test func `a claim of an address is read once the bus has shown its protocol`() throws {
        let claim = "18EEFF03#090340010A035409"
        let frames = [claim, "0CF00400#FFFFFF6813FFFFFF", "18FEEE00#7DFFFFFFFFFFFFFF"]
        let names = ["SPN2838", "SPN2841.Name", "SPN190"]
        let found = try printed(frames, names, isNamed: false)
        #expect(
            found.lines == [
                "0 03 SPN2838 10 Manufacturer", "0 03 SPN2841.Name transmission Function",
                "1 00 SPN190 621.0 rpm",
            ])
        let boat = try printed([claim, "19F20000#0000100000000000"], isNamed: false)
        #expect(boat.lines.isEmpty)
    }

    /// An ECU repeats its active codes every second.
    @Test func `a list of codes is printed when it changes`() throws {
        let list = "18FECA00#0400BE0003015AFF"
        let found = try printed(
            [list, list, "18FECA00#0400BE0004015AFF"], isNamed: false, isJ1939: true)
        #expect(found.lines.count == 2, "\(found.lines)")
    }
}
