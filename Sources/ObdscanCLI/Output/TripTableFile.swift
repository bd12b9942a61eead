import Formats
import Reports
import SystemIO

/// A file that a report about trips goes to: a page, a sheet or a table, by its ending.
struct TripTableFile {
    private enum Form {
        case page, sheet, table
    }

    private let path: String
    private let form: Form

    /// Refuses other endings, and files that obdscan did not write; nil without a path.
    ///
    /// `name` is the report's name with its article.
    init?(_ path: String?, _ name: String, table: OwnFile) throws(Failure) {
        guard let path else { return nil }
        switch OutputFile.ending(of: path) {
        case "html", "htm", "pdf":
            try PagePrinter.check(path)
            form = .page
        case "xlsx":
            try OwnFile.trips(.xlsx).check(mayReplace: path)
            form = .sheet
        case "csv":
            try table.check(mayReplace: path)
            form = .table
        default:
            throw Failure("\(path): \(name) ends in .html, .pdf, .xlsx or .csv", status: .usage)
        }
        self.path = path
    }

    func write(
        page: @autoclosure () -> HTMLPage, sheet: @autoclosure () -> Workbook,
        csv: @autoclosure () -> [UInt8], _ content: String, _ output: OutputOptions
    ) throws {
        switch form {
        case .page: return try PagePrinter.write(page(), to: path, content, output)
        case .sheet: try OutputFile.write(path, bytes: sheet().bytes)
        case .table: try OutputFile.write(path, bytes: csv())
        }
        output.note("\(path): \(content)")
    }
}
