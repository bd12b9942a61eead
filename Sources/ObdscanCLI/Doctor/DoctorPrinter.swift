import Formats
import Glibc
import SystemIO
import VehicleReports
import VehicleScan

/// Prints what the doctor finds, each step as soon as it is known.
final class DoctorPrinter {
    private let output: OutputOptions
    private let palette: Palette
    private let columns: Int?
    private var writer = TextOutput.standard

    private var rows: RowWriter

    /// A printer; `further` are the keys of rows of other kinds that the same table has.
    init(_ output: OutputOptions, further: [[String]] = []) {
        self.output = output
        palette = output.palette()
        columns = output.columns
        rows =
            further.isEmpty
            ? RowWriter(output.format, columns: Check.keys)
            : RowWriter(output.format, kinds: [Check.keys] + further)
    }

    /// Prints a row; nothing in text.
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
