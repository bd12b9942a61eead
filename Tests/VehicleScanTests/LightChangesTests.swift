import Diagnostics
import OBDCore
import PIDTables
import ScanSession
import Testing

@testable import VehicleScan

@Suite struct `Changes of the check engine light` {
    private let table: PIDTable
    private let changes: LightChanges

    init() throws {
        table = try PIDTables.standard()
        changes = try LightChanges(table)
    }

    /// An answer to PID 01 of each ECU, with its number of codes.
    private func offer(_ counts: [(ECUAddress?, Double)]) throws {
        let record = try #require(table.record(DataID(.currentData, 0x01)))
        let signal = try #require(
            record.signals.map { SignalIndex(rawValue: $0) }.first { table[$0].id == "DTC_CNT" })
        let items = counts.map { ecu, count in
            DiagnosticItem.reading(
                Reading(
                    ecu: ecu, dataID: record.dataID, signal: signal, value: .number(count), raw: [],
                    line: 0))
        }
        _ = changes.offer(
            ReadingBatch(
                id: RequestID(rawValue: 0), exchange: Exchange(), asked: .zero, answered: .zero,
                messages: [], items: items, voltage: nil))
    }

    @Test func `the first number of codes is not a change, and a change is reported once`() throws {
        let (engine, gearbox) = (ECUAddress("7E8"), ECUAddress("7E9"))
        try offer([(engine, 1)])
        try offer([(gearbox, 0)])
        try offer([(engine, 1), (gearbox, 0)])
        #expect(!changes.take().hasChanged)
        try offer([(gearbox, 2)])
        #expect(changes.take().hasChanged && !changes.take().hasChanged)
    }

    @Test func `ECUs without addresses are compared as one`() throws {
        for _ in 0..<3 { try offer([(nil, 2), (nil, 0)]) }
        #expect(!changes.take().hasChanged)
        try offer([(nil, 2), (nil, 1)])
        #expect(changes.take().hasChanged)
    }
}
