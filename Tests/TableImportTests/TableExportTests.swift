import Diagnostics
import OBDCore
import Testing

@testable import TableImport

@Suite struct TableExportTests {
    private func records(_ source: ImportedSource) -> [TableExport.Record] {
        Samples.table([source]).records.map { record in
            TableExport.Record(
                record: PIDTable.Record(
                    dataID: record.dataID, name: "", length: 1...4095,
                    signals: 0..<Int32(record.rows.count), target: record.target,
                    responder: record.responder, years: record.years),
                signals: record.rows.map(\.signal))
        }
    }

    /// An export that is imported again gives the same values for all data.
    @Test(arguments: TableExport.Form.allCases)
    func `A written table is read back unchanged`(form: TableExport.Form) throws {
        for sample in Samples.all {
            let records = records(try Samples.source(sample.text, sample.file))
            let export = TableExport(records, as: form)
            let signals = records.flatMap(\.signals)
            #expect(export.count + export.leftOut.count == signals.count)
            guard export.count > 0 else { continue }
            let again = try Samples.source(export.text, "again", ImportOptions())
            let rows = again.records.flatMap(\.rows)
            #expect(rows.count == export.count, "\(sample.file): \(again.findings)")
            for record in records {
                for signal in record.signals {
                    let names = [signal.id, "S" + signal.id]
                    let row = again.records.first { $0.dataID == record.record.dataID }?.rows
                        .first { names.contains($0.signal.id) }
                    guard let row else { continue }
                    // A DBC file may name some values of a number, but the signal stays a number.
                    if form == .dbc, signal.kind == .enumeration, signal.bitLength > 4 {
                        continue
                    }
                    for seed in 0..<64 {
                        let data = (0..<64).map {
                            UInt8(truncatingIfNeeded: ($0 + 3) * (seed * 7 + 1))
                        }
                        #expect(
                            Self.text(row.signal.value(in: data))
                                == Self.text(signal.value(in: data)),
                            "\(sample.file) \(form) \(signal.id)")
                    }
                }
            }
        }
    }

    /// A flag counts the same as a number of one bit.
    private static func text(_ value: Reading.Value) -> String {
        switch value {
        case .flag(let flag): flag ? "1" : "0"
        case .number(let number): "\((number * 1e6).rounded() / 1e6)".replacing(".0", with: "")
        default: "\(value)"
        }
    }

    @Test func `Rows that a format cannot hold are named`() throws {
        let records = records(try Samples.source(Samples.obdb))
        let export = TableExport(records, as: .torque)
        #expect(export.leftOut.map(\.signal).contains("CAR_NAME"))
    }
}
