import Glibc
import SystemIO
import TripExport
import VehicleScan

/// Prints what the doctor finds, each step as soon as it is known.
final class DoctorPrinter {
    private let output: OutputOptions
    private let palette: Palette
    private let columns: Int?
    private var writer = TextOutput.standard

    init(_ output: OutputOptions) {
        self.output = output
        palette = output.palette()
        columns = output.columns
        if output.format == .csv { try? writer.writeLine("step,ok,found,fix") }
    }

    func print(_ check: Check) throws {
        switch output.format {
        case .text: try writer.write(check.text(palette, columns: columns))
        case .json:
            let object = check.object
            try writer.append { object.append(to: &$0) }
        case .csv:
            let cells = [check.step.rawValue, "\(check.isFine)", check.found, check.fix ?? ""]
            try writer.append { CSVRow.append(cells, to: &$0) }
        }
        try writer.flush()
    }

    func print(_ grade: AdapterGrade) throws {
        switch output.format {
        case .text: try writer.write("\n" + grade.text(palette, columns: columns))
        case .json:
            let object = grade.object
            try writer.append { object.append(to: &$0) }
        case .csv:
            let cells = ["grade", "", "\(grade.verdict.kind.rawValue): \(grade.summary)", ""]
            try writer.append { CSVRow.append(cells, to: &$0) }
        }
        try writer.flush()
    }
}
