/// Rows of CSV (RFC 4180) from cells that are ready as text.
public enum CSVRow {
    /// Appends `cells` as one row.
    ///
    /// Text that a spreadsheet would take for a formula is defused; numbers stay numbers.
    public static func append(_ cells: [String], to output: inout [UInt8]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { output.append(0x2C) }
            if CSVReader.number(cell) != nil {
                output.append(contentsOf: cell.utf8)
            } else {
                CSVText.append(cell, to: &output)
            }
        }
        CSVText.endLine(&output)
    }
}
