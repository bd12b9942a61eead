import Diagnostics
import OBDCore
import PIDTables
import Testing

@testable import TripStore

@Suite struct RedecodingTests {
    /// A table with the right scale for RPM, one more signal in PID 24, and a row for F40C.
    private static var better: PIDTable {
        var table = PIDTable()
        func number(_ id: String, _ offset: Int, _ length: Int, _ divisor: Double) -> Signal {
            Signal(
                id: id, name: id, bitOffset: offset, bitLength: length, kind: .number,
                divisor: divisor)
        }
        table.add(
            DataID(.currentData, 0x0C), name: "RPM", length: 2...2,
            signals: [number("RPM", 0, 16, 4)])
        table.add(
            DataID(.currentData, 0x24), name: "Status", length: 4...4,
            signals: [
                Signal(id: "MIL", name: "MIL", bitOffset: 0, bitLength: 1, kind: .flag),
                number("DTC_CNT", 1, 7, 1), number("LOW", 24, 8, 1),
            ])
        table.add(
            DataID(.readData, 0xF40C), name: "RPM", length: 2...2,
            signals: [number("RPM", 0, 16, 4)])
        return table
    }

    /// A log of another program has values but no bytes.
    @Test func `a trip without bytes keeps its figures`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        for second in 0...60 {
            let speed = Fixtures.reading(Fixtures.speed, 0x0D, .number(60), [])
            let engine = Fixtures.reading(Fixtures.rpm, 0x0C, .number(2000), [])
            #expect(
                writer.offer(
                    [.reading(speed), .reading(engine)], at: Fixtures.after(Double(second))))
        }
        try writer.end(.stopped, at: Fixtures.after(60))
        let before = try store.trip(writer.trip)
        #expect(abs((before.distance ?? 0) - 1) < 1e-9 && before.movingSeconds == 60)
        _ = try store.redecode(
            trip: writer.trip, table: Self.better, monitors: PIDTables.monitorTables())
        #expect(try store.trip(writer.trip) == before)
    }

    @Test func `a better table decodes old trips again and changes only values`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        // 1A F8 is 1726 rpm (SAE J1979). The earlier table lacked the divisor.
        let wrong = Fixtures.reading(Fixtures.rpm, 0x0C, .number(6904), [0x1A, 0xF8])
        let raw: InlineBytes = [0x81, 7, 0x65, 4]
        let lamp = Fixtures.reading(Fixtures.lamp, 0x24, .flag(true), raw)
        let count = Fixtures.reading(Fixtures.count, 0x24, .number(1), raw)
        let fuel = Fixtures.reading(Fixtures.fuel, 0x51, .label(code: 4), [4])
        var vin = Fixtures.reading(
            Fixtures.vin, 0, .text(Fixtures.vinText), InlineBytes(Fixtures.vinText.utf8))
        vin.dataID = DataID(.vehicleInformation, 2)
        let items: [DiagnosticItem] = [
            .reading(wrong), .reading(lamp), .reading(count), .reading(fuel), .reading(vin),
            .message(ECUMessage(ecu: Fixtures.ecu, payload: [0x62, 0xF4, 0x0C, 0x0F, 0xA0])),
            .message(ECUMessage(ecu: Fixtures.ecu, payload: [0x62, 0xF1, 0x90, 1])),
            .reading(wrong),
        ]
        #expect(writer.offer(items, at: Fixtures.after(1)))
        #expect(writer.offer(.voltage(12.5), at: Fixtures.after(2)))
        #expect(throws: StoreError.tripIsOpen(writer.trip, path: store.path)) {
            try store.redecode(
                trip: writer.trip, table: Self.better, monitors: PIDTables.monitorTables())
        }
        try writer.end(.stopped, at: Fixtures.after(3))

        for round in 0..<2 {
            let result = try store.redecode(
                trip: writer.trip, table: Self.better, monitors: PIDTables.monitorTables())
            #expect(result.decoded == (round == 0 ? 3 : 4))
            #expect(result.found == (round == 0 ? 1 : 0))
            #expect(result.kept == 3)
            let readings = try store.readings(ofTrip: writer.trip)
            var found: [String] = []
            try readings.forEachRecord { time, record in
                guard case .item(let item) = record else { return }
                switch item {
                case .reading(let reading):
                    let id = reading.dataID.map { "\($0)" } ?? "-"
                    found.append("\(id) \(readings.table[reading.signal].id) \(reading.raw)")
                    if case .number(let value) = reading.value {
                        found[found.count - 1] += " \(value)"
                    }
                case .message(let message): found.append(Hex.string(message.payload))
                default: Issue.record("\(item)")
                }
            }
            #expect(
                found == [
                    "01:0C RPM 1AF8 1726.0", "01:24 MIL 81076504", "01:24 DTC_CNT 81076504 1.0",
                    "01:24 LOW 81076504 4.0", "01:51 FUEL_TYP 04",
                    "09:02 VIN \(Hex.string(Fixtures.vinText.utf8))", "22:F40C RPM 0FA0 1000.0",
                    "62F19001", "01:0C RPM 1AF8 1726.0", "- ADAPTER_VOLTAGE  12.5",
                ])
            #expect(try store.trip(writer.trip).readings == 9)
            let speed = try #require(
                readings.signals.first { $0.dataID == DataID(.currentData, 0x0C) })
            #expect(speed.readings == 2 && speed.maximum == 1726)
            #expect(try store.check() == [])
        }
    }
}
