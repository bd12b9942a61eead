import ArgumentParser
import Formats
import Glibc
import Reports
import SystemIO

extension Delimiter: ExpressibleByArgument {}

/// Options that make a CSV table readable for the user's own programs.
struct TableStyleOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Write local times into the table.",
            discussion: "Times of codes are whole seconds; times of readings keep their fractions.")
    )
    var localTime = false

    @Option(
        help: ArgumentHelp(
            "Separate cells of CSV by this: , or ; or tab.", valueName: "character"))
    var delimiter: Delimiter?
}

/// The output file for codes of one or many vehicles.
struct CodeTableOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a table: .csv, .tsv, .jsonl or .xlsx.", valueName: "file"),
        completion: .file())
    var to: String?

    @Flag(help: "Add rows to the table of --to; do not replace it.")
    var append = false

    @Flag(help: "Write one row for each vehicle, not each code.")
    var oneRow = false

    @Option(help: ArgumentHelp("Fill the column label with this text.", valueName: "text"))
    var label: String?

    @OptionGroup var style: TableStyleOptions

    @Option(
        help: ArgumentHelp(
            "Write a page to print for each vehicle.",
            valueName: "folder"),
        completion: .directory)
    var report: String?
}

extension CodeTableOptions {
    /// The folder of pages; nil = none is wanted.
    func reports() throws(Failure) -> CarReports? {
        guard let report else { return nil }
        do throws(SystemError) {
            return try CarReports(report)
        } catch {
            throw Failure(outputFile: report, errno: error.errno)
        }
    }

    /// Opens the table; see ``CodeTable``.
    func open(appends: Bool, _ output: OutputOptions) throws -> CodeTable {
        try CodeTable(
            to, standard: STDOUT_FILENO, appends: appends, chosen: output.explicitFormat,
            format: output.format, subject: oneRow ? .vehicle : .code,
            isLocalTime: style.localTime, separator: style.delimiter)
    }
}
