import TableImport
import TableReports

extension Failure {
    /// Why files do not become a table.
    init(_ fault: TableImportFault) {
        switch fault {
        case .unreadable(let path, let number): self.init(inputFile: path, errno: number)
        case .tooManyFiles(let path, let most):
            self.init(
                "\(path) holds more than \(most) files",
                hint: "name the folder of the tables", status: .usage)
        case .notAFolder(let path): self.init("\(path) is not a folder", status: .noInput)
        case .noUsableRow(let path, let rows):
            self.init(
                "\(path): none of \(rows) rows is usable",
                hint: "obdscan pids import --check \(path) says why", status: .badData)
        case .foreign(let fault, let path): self.init(fault, of: path)
        case .table(let error): self.init(error)
        }
    }

    /// Why a file is not a table of another program.
    private init(_ fault: TableSource.Fault, of path: String) {
        switch fault {
        case .unknownForm:
            self.init(
                "\(path) is not a table that obdscan can import",
                hint: "obdscan pids import --help names the forms", status: .badData)
        case .json(let line):
            self.init("\(path):\(line): the JSON text ends or breaks here", status: .badData)
        case .otherForm(let format):
            self.init(
                "\(path) is a \(format.title)", hint: "use --from \(format.rawValue)",
                status: .badData)
        case .tooLong:
            self.init("\(path) is too long for a table", status: .badData)
        }
    }
}
