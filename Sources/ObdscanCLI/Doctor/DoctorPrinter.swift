import Formats
import Glibc
import Reports
import SystemIO
import VehicleScan

/// Prints the doctor's findings, each step as soon as it is finished.
final class DoctorPrinter {
    private let output: OutputOptions
    private let palette: Palette
    private let columns: Int?
    private var writer = TextOutput.standard

    private var rows: RowWriter

    /// A printer; `further` are the keys of other kinds of rows in the same table.
    init(_ output: OutputOptions, further: [[String]] = []) {
        self.output = output
        palette = output.palette()
        columns = output.columns
        rows =
            further.isEmpty
            ? RowWriter(output.format, columns: Check.keys)
            : RowWriter(output.format, kinds: [Check.keys] + further)
    }

    /// Prints a row; text output ignores it.
    func print(_ row: Row) throws {
        try writer.print(row, &rows)
        try writer.flush()
    }

    func print(_ check: Check) throws {
        try writer.print(check.row, &rows)
        if output.format == .text { try writer.write(check.text(palette, columns: columns)) }
        try writer.flush()
    }

    func print(_ grade: AdapterGrade) throws {
        try writer.print(grade.row, &rows)
        if output.format == .text {
            try writer.write("\n" + grade.text(palette, columns: columns))
        }
        try writer.flush()
    }
}
