import OBDCore
import PIDTables
import SystemIO
import TableImport

extension TableImportFault: Explained {
    /// Why files do not become a table.
    package var explanation: Explanation {
        switch self {
        case .unreadable(let path, let number):
            FileError.unreadable(path, errno: number).explanation
        case .tooManyFiles(let path, let most):
            Explanation(
                "\(path) holds more than \(most) files",
                hint: "name the folder of the tables", .usage)
        case .notAFolder(let path): Explanation("\(path) is not a folder", .noInput)
        case .noUsableRow(let path, let rows):
            Explanation(
                "\(path): none of \(rows) rows is usable",
                hint: "obdscan pids import --check \(path) says why", .badInput)
        case .noMessage(let path):
            Explanation(
                "\(path) has no message with a signal (BO_ and SG_)",
                hint: "is it a whole DBC file?", .badInput)
        case .foreign(let fault, let path): fault.explanation(at: path)
        case .table(let error): error.explanation
        }
    }
}

extension TableSource.Fault: ExplainedAt {
    /// Why a file is not a table of another program.
    package func explanation(at path: String) -> Explanation {
        switch self {
        case .unknownForm:
            Explanation(
                "\(path) is not a table that obdscan can import",
                hint: "obdscan pids import --help names the forms", .badInput)
        case .json(let line):
            Explanation("\(path):\(line): the JSON text ends or breaks here", .badInput)
        case .otherForm(let format):
            Explanation(
                "\(path) is a \(format.title)", hint: "use --from \(format.rawValue)",
                .badInput)
        case .tooLong:
            Explanation("\(path) is too long for a table", .badInput)
        }
    }
}
