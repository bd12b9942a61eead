import Diagnostics
import OBDCore
import PIDTables
import ScanSession
import Testing
import VehicleLink

@testable import Reports

/// Which ECU the coach of a live test hears.
@Suite struct `The readings of a live test` {
    private static let engine = ECUAddress(0x7E8, .can11)
    private static let transmission = ECUAddress(0x7E9, .can11)

    private let table: PIDTable

    init() throws { table = try PIDTables.standard() }

    private func reading(_ name: String, _ id: UInt8, _ value: Double, _ ecu: ECUAddress) throws
        -> DiagnosticItem
    {
        let dataID = DataID(.currentData, UInt32(id))
        let record = try #require(table.records.first { $0.dataID == dataID })
        let signal = try #require(
            record.signals.map { SignalIndex(rawValue: $0) }.first { table[$0].id == name })
        return .reading(
            Reading(
                ecu: ecu, dataID: dataID, signal: signal, value: .number(value), raw: [], line: 0))
    }

    private func batch(_ seconds: Int, _ items: [DiagnosticItem]) -> ReadingBatch {
        ReadingBatch(
            id: RequestID(rawValue: 1),
            exchange: Exchange(request: [0x01, 0x0C], vehicleProtocol: .can11At500),
            asked: .zero + .seconds(seconds), answered: .zero + .seconds(seconds), messages: [],
            items: items)
    }

    @Test func `a transmission that answers first does not hide the engine`() throws {
        var readings = TestReadings(table, try DriveKnowledge(causes: Causes.table))
        var coach = Coach(.init(.parked, .petrol))
        readings.feed(
            batch(
                0,
                [
                    try reading("RPM", 0x0C, 600, Self.transmission),
                    try reading("RPM", 0x0C, 700, Self.engine),
                ]), since: .zero, to: &coach)
        readings.feed(
            batch(
                1,
                [
                    try reading("VSS", 0x0D, 0, Self.engine),
                    try reading("ECT", 0x05, 90, Self.engine),
                    try reading("LOAD_PCT", 0x04, 20, Self.engine),
                ]), since: .zero, to: &coach)
        for second in 2..<9 {
            // A speed and a coolant that would end the test.
            readings.feed(
                batch(
                    second,
                    [
                        try reading("VSS", 0x0D, 0, Self.engine),
                        try reading("VSS", 0x0D, 50, Self.transmission),
                        try reading("ECT", 0x05, 120, Self.transmission),
                        try reading("ECT", 0x05, 90, Self.engine),
                    ]), since: .zero, to: &coach)
        }
        #expect(coach.results.map(\.step) == [.park] && coach.results.first?.skip == nil)
        #expect(coach.broken == nil)
    }

    @Test func `the coolant may come from any ECU if the engine tells none`() throws {
        var readings = TestReadings(table, try DriveKnowledge(causes: Causes.table))
        var coach = Coach(.init(.parked, .petrol))
        for second in 0..<3 {
            readings.feed(
                batch(
                    second,
                    [
                        try reading("RPM", 0x0C, 700, Self.engine),
                        try reading("ECT", 0x05, 116, Self.transmission),
                    ]), since: .zero, to: &coach)
        }
        #expect(coach.broken == .heat)
    }

    /// A pack's record of another ECU; 12 kPa are below every limit.
    @Test func `the oil pressure of a pack ends the test if the engine has none`() throws {
        let table = try PIDTables.load([], automatic: PIDTables.automaticPacks())
        var readings = TestReadings(table, try DriveKnowledge(causes: Causes.table))
        let record = try #require(
            table.records.first { $0.dataID == DataID(.readData, 0x1074) && !$0.packs.isEmpty })
        let signal = SignalIndex(rawValue: try #require(record.signals.first))
        #expect(table[signal].unit == "kPa")
        let oil = DiagnosticItem.reading(
            Reading(
                ecu: ECUAddress(0x708, .can11), dataID: record.dataID, signal: signal,
                value: .number(12), raw: [], line: 0))
        var coach = Coach(.init(.quick, .petrol))
        for second in 0..<12 {
            let engine = try reading("RPM", 0x0C, 700, Self.engine)
            readings.feed(batch(second, [engine, oil]), since: .zero, to: &coach)
            #expect(coach.isOver == (second >= 8), "\(second)")
        }
        #expect(coach.broken == .oil)
    }

    /// Monitor, test, scaling 24 (a count), value, limits (SAE J1979).
    @Test func `misfire counters are those of this driving cycle, of each cylinder`() throws {
        let payload: [UInt8] = [
            0x46, 0xA2, 0x0B, 0x24, 0x00, 0x07, 0, 0, 0xFF, 0xFF,
            0xA2, 0x0C, 0x24, 0x01, 0x2C, 0, 0, 0xFF, 0xFF,
        ]
        let general: [UInt8] = [0x46, 0xA1, 0x0C, 0x24, 0x01, 0x2C, 0, 0, 0xFF, 0xFF]
        func items(_ payload: [UInt8]) throws -> [DiagnosticItem] {
            var decoder = ResponseDecoder(table: table, monitors: try PIDTables.monitorTables())
            var items: [DiagnosticItem] = []
            decoder.decode(
                ECUMessage(ecu: Self.engine, payload: payload),
                in: Exchange(request: [0x06, payload[1]], vehicleProtocol: .can11At500), &items)
            return items
        }
        let first = try items(payload) + items(general)
        let found = TestReadings.misfires(in: first)
        #expect(found.map(\.monitor) == [0xA2] && found.first?.test.value == 300)
        let readings = TestReadings(table, try DriveKnowledge(causes: Causes.table))
        var coach = Coach(.init(.quick, .petrol))
        readings.feed(misfiresIn: first, at: .zero, since: .zero, to: &coach)
        #expect(coach.broken == nil)
        // The second reading: 100 more, and the engine has not turned since; 100 of 500 possible firings.
        var more = payload
        more[14] = 0x90
        readings.feed(misfiresIn: try items(more), at: .zero, since: .zero, to: &coach)
        #expect(coach.broken == .misfireRate)
    }
}
