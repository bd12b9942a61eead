import Diagnostics
import OBDCore
import PIDTables
import ScanSession
import ScanTool
import Testing
import TripImport

@testable import Reports

/// A trip of a live bus and an import of its log are the same.
@Suite struct `A bus that is heard` {
    private static let table = """
        record CAN:1A0 1..8 : MOTOR
          signal MOTOR.Mode A.7..A.5 unverified : Mode
          signal MOTOR.Speed B..C scale 1/4 unit rpm unverified : Speed
          signal MOTOR.Temp D offset -40 unit °C if MOTOR.Mode=0,2..3 unverified : Temperature
          signal MOTOR.CNT E.3..E.0 unverified : CNT
          signal MOTOR.Far G..H unit V unverified : Far

        """

    private static func loaded() throws -> PIDTable {
        var file = TableFile(path: "t", contents: Array(table.utf8))
        file.isNamed = true
        return try PIDTables.load([file])
    }

    /// Thirty seconds of a car with a tester, and of a truck: changes, values that stay, a counter, a switch
    /// without values, a short frame, answers, long messages and repeated codes.
    private static func log(isTruck: Bool) -> [String] {
        (0..<1500).map { index in
            let micros = 1_700_000_000_000_000 + index * 20_000
            let time =
                "(\(micros / 1_000_000).\(String(micros % 1_000_000 + 1_000_000).dropFirst()))"
            func hex(_ number: Int, _ digits: Int) -> String {
                let text = String(number, radix: 16, uppercase: true)
                return String(repeating: "0", count: max(0, digits - text.count)) + text
            }
            let frame: String
            switch (index % 10, isTruck) {
            case (0, true): frame = "0CF00400#FFFFFF\(hex(index * 7 & 0xFFFF, 4))FFFFFF"
            case (1, true): frame = "18FEEE00#\(hex(125 + index / 500, 2))FFFFFFFFFFFFFF"
            case (2, true): frame = "18FECA00#04FF5E000301FFFF"
            case (3, true): frame = "1CECFF0B#201000" + "03FFCAFE00"
            case (4, true): frame = "1CEBFF0B#0104FF5B0003015C"
            case (5, true): frame = "1CEBFF0B#0200040" + "15D000503"
            case (6, true): frame = "1CEBFF0B#0301FFFFFFFFFFFF"
            case (7, true): frame = "18FEF121#FF\(hex(index & 0xFFFF, 4))FFFFFFFFFF"
            case (8, true): frame = "19F20000#0102030405060708"
            case (0, false): frame = "7DF#02010C0000000000"
            case (1, false): frame = "7E8#04410C\(hex(index, 4))000000"
            case (2, false): frame = "1A0#2\(hex(index & 0xF, 1))FF"
            case (3, false): frame = "1A0#E0\(hex(index, 4))28\(hex(index & 0xF, 2))"
            case (4, false): frame = "7E8#0341"
            case (5, false): frame = "1A0#"
            case (6, false): frame = "1A1#0102030405060708"
            default: frame = "1A0#00\(hex(index / 40, 4))28\(hex(index & 0xF, 2))0000" + "01"
            }
            return "\(time) can0 \(frame)"
        }
    }

    private struct Value: Equatable, CustomStringConvertible {
        var signal: String
        var ecu: String
        var value: Reading.Value
        var raw: [UInt8]
        var time: Int64

        var description: String { "\(time) \(ecu) \(signal) \(value)" }
    }

    private static func values(
        _ items: [DiagnosticItem], at time: Int64, _ table: PIDTable
    ) -> [Value] {
        items.map { item in
            switch item {
            case .reading(let reading):
                Value(
                    signal: table[reading.signal].id, ecu: reading.ecu?.description ?? "",
                    value: reading.value, raw: Array(reading.raw), time: time)
            case .code(let report):
                Value(
                    signal: report.code.text, ecu: report.ecu?.description ?? "", value: .text(""),
                    raw: [], time: time)
            default: Value(signal: "\(item)", ecu: "", value: .text(""), raw: [], time: time)
            }
        }
    }

    private static func imported(_ lines: [String], _ table: PIDTable) throws -> [Value] {
        let text = Array(lines.joined(separator: "\n").utf8)
        var reader = TripFileReader(
            try #require(ImportFormat(text)), ImportTable(table), ImportSource(),
            wallTime: { wall, _ in [wall] })
        var entries: [(items: [DiagnosticItem], time: UTC)] = []
        func take(_ event: ImportEvent) {
            if case .entry(.items(let items), let time) = event { entries.append((items, time)) }
        }
        try reader.read(text[...]) { take($0) }
        try reader.finish { take($0) }
        return entries.flatMap { entry in
            values(entry.items, at: entry.time.microseconds, reader.table.table)
        }
    }

    private static func heard(
        _ lines: [String], _ table: PIDTable, only names: [String] = []
    ) throws -> [Value] {
        var readings = BusReadings(
            table, MonitorTables(), signals: try BusSignals.find(names, in: table).map { Set($0) },
            isJ1939: nil)
        var log = FrameLogReader(.candump, skipsOthers: false)
        var batches: [ReadingBatch] = []
        for line in lines {
            guard case .frame(let frame) = log.read(Array(line.utf8)[...]) else { continue }
            readings.take(
                BusFrame(id: frame.address, data: Array(frame.data)),
                at: Instant(nanoseconds: frame.time * 1_000), &batches)
        }
        readings.finish(at: .zero, &batches)
        return batches.flatMap { batch in
            values(batch.items, at: batch.answered.nanoseconds / 1_000, table)
        }
    }

    @Test(arguments: [false, true]) func `a trip of a live bus equals the trip of its log`(
        isTruck: Bool
    ) throws {
        let table = try Self.loaded()
        let lines = Self.log(isTruck: isTruck)
        let imported = try Self.imported(lines, table)
        let heard = try Self.heard(lines, table)
        #expect(heard.count > 40)
        #expect(heard == imported)
        let signals = Set(heard.map(\.signal))
        if isTruck {
            #expect(signals.isSuperset(of: ["SPN190", "SPN110", "SPN84", "SPN94/FMI3"]))
        } else {
            #expect(signals.isSuperset(of: ["MOTOR.Mode", "MOTOR.Speed", "MOTOR.Far", "RPM"]))
            #expect(!signals.contains("MOTOR.CNT"))
        }
    }

    @Test func `only named signals are read, and a counter if it is named`() throws {
        let found = try Self.heard(
            Self.log(isTruck: false), try Self.loaded(), only: ["cnt", "motor.mode"])
        #expect(Set(found.map(\.signal)) == ["MOTOR.CNT", "MOTOR.Mode"])
    }

    @Test func `a signal that is in no table is not found`() throws {
        let table = try Self.loaded()
        #expect(throws: (any Error).self) { try BusSignals.find(["MOTOR.Nothing"], in: table) }
    }

    /// Another device, or another vehicle, is judged by its own frames.
    @Test func `each session decides the protocol of its own bus`() throws {
        let table = try Self.loaded()
        let first = BusReadings(
            table, MonitorTables(), signals: nil, isJ1939: false,
            expecting: [ECUAddress(0x1A0, .can11)])
        var second = first.fresh()
        var batches: [ReadingBatch] = []
        second.take(
            BusFrame(id: ECUAddress(0x1A0, .can11), data: [0, 0, 1, 0x28, 0, 0, 0, 1]),
            at: Instant(nanoseconds: 0), &batches)
        #expect(batches.count == 1)
        for frames in [first.frames, second.frames] {
            #expect(frames.news(at: Instant(nanoseconds: 0)) == nil)
        }
        let later = Instant(nanoseconds: 20_000_000_000)
        #expect(first.frames.news(at: later)?.contains("1 identifier (1A0)") == true)
        #expect(second.frames.news(at: later) == nil)
    }

    /// F004 may be requested, FF21 may not, and nobody wants FEF1; FECA comes in packets.
    @Test(arguments: [nil, 0x00, 0x21] as [UInt32?])
    func `beside requests a group is for the poll, or is heard alone`(ecu: UInt32?) throws {
        let text = """
            record FE:FF21 1..8 : OWN
              signal OWN.A A unverified : A
            record CAN:18FF2221 1..8 : FRAME
              signal FRAME.A A unverified : A

            """
        let table = try PIDTables.load([TableFile(path: "t", contents: Array(text.utf8))])
        var readings = BusReadings(
            table, MonitorTables(), signals: nil,
            expecting: [ECUAddress(0x18FF_2221, .can29)],
            groups: (asked: [0xF004, 0xFECA], unasked: [0xFF21]),
            from: ecu.map { ECUAddress($0, .byte) })
        var batches: [ReadingBatch] = []
        let frames: [(UInt32, [UInt8])] = [
            (0x0CF0_0400, [0xFF, 0xFF, 0xFF, 0x40, 0x1F, 0xFF, 0xFF, 0xFF]),
            (0x18FF_2121, [7]), (0x18FF_2121, [7]), (0x18FF_2221, [9]),
            (0x18FE_F100, [0xFF, 0, 0x32, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            (0x1CEC_FF00, [0x20, 10, 0, 2, 0xFF, 0xCA, 0xFE, 0]),
            (0x1CEB_FF00, [1, 0x04, 0xFF, 0x5E, 0, 3, 1, 0x5B]),
            (0x1CEB_FF00, [2, 0, 3, 1, 0xFF, 0xFF, 0xFF, 0xFF]),
        ]
        for (place, frame) in frames.enumerated() {
            readings.take(
                BusFrame(id: ECUAddress(frame.0, .can29), data: frame.1),
                at: Instant(nanoseconds: Int64(place) * 1_000_000), &batches)
        }
        let engine = batches.filter { !$0.messages.isEmpty }
        #expect(
            engine.map { $0.messages[0].parameterGroup } == (ecu == 0x21 ? [] : [0xF004, 0xFECA]))
        #expect(engine.allSatisfy { $0.asked == $0.answered && $0.exchange.request == nil })
        if ecu != 0x21 {
            // 1F40 × 1/8 rpm.
            #expect(
                engine[0].items.contains {
                    if case .reading(let reading) = $0 {
                        reading.value == .number(1000)
                    } else {
                        false
                    }
                })
            #expect(engine[1].items.contains { if case .code = $0 { true } else { false } })
        }
        let own = batches.filter(\.messages.isEmpty).flatMap {
            Self.values($0.items, at: 0, table).map(\.signal)
        }
        #expect(own == (ecu == 0x00 ? ["FRAME.A"] : ["OWN.A", "FRAME.A"]))
    }
}
