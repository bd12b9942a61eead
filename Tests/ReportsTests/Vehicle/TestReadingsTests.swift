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
}
