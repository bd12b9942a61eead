import Diagnostics
import OBDCore
import PIDTables
import Testing

@Suite struct `Excerpts of the embedded table` {
    static let all = Result { try PIDTables.standard() }

    /// A record with its signals.
    ///
    /// References count from the record's first signal.
    private static func whole(
        _ table: PIDTable, _ record: PIDTable.Record
    ) -> (PIDTable.Record, [Signal]) {
        let first = record.signals.lowerBound
        let from = { (index: SignalIndex) in SignalIndex(rawValue: index.rawValue - first) }
        let signals = record.signals.map { index in
            var signal = table[SignalIndex(rawValue: index)]
            signal.supportFlag = signal.supportFlag.map(from)
            if let condition = signal.condition {
                signal.condition?.signal = from(condition.signal)
            }
            if let operand = signal.formula?.operand {
                signal.formula?.operand?.signal = from(operand.signal)
            }
            return signal
        }
        var record = record
        record.signals = 0..<Int32(record.signals.count)
        return (record, signals)
    }

    @Test func `an excerpt has its records unchanged`() throws {
        let all = try Self.all.get()
        #expect(all.records.count > 200)
        for record in all.records where record.dataID != PIDTables.adapterVoltageID {
            let excerpt = try PIDTables.excerpt { $0 == record.dataID }
            #expect(excerpt.records.count == 2, "\(record.dataID)")
            let found = try #require(
                excerpt.record(record.dataID, from: record.responder), "\(record.dataID)")
            let (expected, actual) = (Self.whole(all, record), Self.whole(excerpt, found))
            #expect(expected.0 == actual.0)
            #expect(expected.1 == actual.1, "\(record.dataID)")
        }
    }

    @Test func `an excerpt with everything equals the whole table`() throws {
        let all = try Self.all.get()
        let excerpt = try PIDTables.excerpt { _ in true }
        #expect(excerpt.records == all.records)
        #expect(excerpt.signals == all.signals)
    }

    @Test func `an empty excerpt has the adapter's voltage`() throws {
        let excerpt = try PIDTables.excerpt { _ in false }
        #expect(excerpt.records.map(\.dataID) == [PIDTables.adapterVoltageID])
        #expect(excerpt.adapterVoltage != nil)
    }
}
