/// Which signals measure a quantity, whatever their names: `pids/quantities.tsv`.
package struct QuantityTable: Sendable {
    package struct Row: Hashable, Sendable {
        package var quantity: String
        package var unit: String
        /// Short names in the standard table, the preferred first.
        package var signals: [String]
        var line: Int
    }

    package let rows: [Row]

    /// Reads a text; each line has a quantity, its unit and its signals, between tabs.
    package init(_ text: String) throws(CauseError) {
        var rows: [Row] = []
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            guard let first = line.first, first != "#" else { continue }
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard columns.count == 3, !columns[0].isEmpty, !columns[2].isEmpty else {
                throw CauseError(line: number, reason: "not a quantity, a unit and signals")
            }
            rows.append(
                Row(
                    quantity: String(columns[0]), unit: String(columns[1]),
                    signals: columns[2].split(separator: " ").map(String.init), line: number))
        }
        self.rows = rows
    }
}
