import Diagnostics
import Formats
import OBDCore
import TableImport

/// A row of a source and its result.
package struct CheckedRow {
    private var file: String
    private var line: Int
    private var name: String
    private var id: DataID?
    private var signal: String?
    private var outcome: String
    private var reason: String?

    /// The result of each row of a table's sources, in their order.
    package static func all(of table: ImportedTable) -> [CheckedRow] {
        var rows = table.records.flatMap { record in
            record.rows.map { row in
                CheckedRow(
                    file: row.file, line: row.line, name: row.signal.name, id: record.dataID,
                    signal: row.signal.id, outcome: "taken")
            }
        }
        rows += table.findings.map { finding in
            CheckedRow(
                file: finding.file, line: finding.line, name: finding.name,
                outcome: finding.isLeftOut ? "left out" : "note", reason: finding.reason)
        }
        let order = Dictionary(
            table.origins.enumerated().map { ($1.file, $0) },
            uniquingKeysWith: { first, _ in first })
        return rows.sorted { left, right in
            (order[left.file] ?? 0, left.line, left.name, left.outcome)
                < (order[right.file] ?? 0, right.line, right.name, right.outcome)
        }
    }

    package static let shape = RowShape<CheckedRow>(
        "importedRow",
        [
            Field("file") { .text($0.file) },
            Field("line", "LINE", .right) { .integer($0.line) },
            Field("name", "NAME") { .text($0.name) },
            Field("service") { .text($0.id?.service.description) },
            Field("pid") { .text($0.id?.idText) },
            Field("signal", "SIGNAL", missing: "") { .text($0.signal) },
            Field("outcome", "OUTCOME") { .text($0.outcome) },
            Field("reason", "REASON", missing: "") { .text($0.reason) },
        ])
}
