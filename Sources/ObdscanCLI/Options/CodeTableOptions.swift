import ArgumentParser
import Formats
import Glibc
import Reports
import SystemIO
import TripStore
import VehicleScan

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

    @Flag(
        help: ArgumentHelp(
            "Name each vehicle in the database after its label.",
            discussion: "Then dtc report --of, --vehicle and lists know it by this name."))
    var nameVehicles = false

    @OptionGroup var style: TableStyleOptions

    @Flag(help: "Write the pages of --report as PDF, too.")
    var pdf = false

    @Option(
        help: ArgumentHelp(
            "Write a page to print for each vehicle.",
            valueName: "folder"),
        completion: .directory)
    var report: String?
}

extension CodeTableOptions {
    /// Why no name is stored of a device that needs a named database.
    private static let notStored =
        "Names are not stored: what a simulated or replayed device says is kept only if you name a "
        + "database (--db)"

    /// The folder of pages; nil = none is wanted.
    func reports() throws(Failure) -> CarReports? {
        guard let report else { return nil }
        // Refuse a PDF that no browser can print before the vehicle is asked.
        if pdf { try PagePrinter.check("\(report)/page.pdf") }
        do throws(SystemError) {
            return try CarReports(report)
        } catch {
            throw Failure(outputFile: report, errno: error.errno)
        }
    }

    /// Writes the page of a vehicle, and the same as PDF if that is wanted; returns the paths.
    func write(
        _ report: ConditionReport, to reports: CarReports, label: String?, vin: String?,
        cancelledBy inbox: SignalInbox?
    ) throws -> String {
        let path = try reports.write(report, label: label, vin: vin)
        guard pdf else { return path }
        let printed = path.dropLast(".html".count) + ".pdf"
        var report = report
        report.head.label = label
        try PagePrinter.write(report.page, to: String(printed), cancelledBy: inbox)
        return path + ", " + printed
    }

    /// Names a vehicle in the database after its label; returns why that is not possible.
    ///
    /// - Parameter labels: the labels of vehicles that were read before, by VIN. A second label for one of them
    ///   is probably that of a car into which the adapter was not plugged.
    func name(
        _ vin: String?, after label: String?, _ connection: Vehicle, _ database: DatabaseOptions,
        _ labels: [String: String] = [:]
    ) -> String? {
        guard nameVehicles, let label, !label.isEmpty else { return nil }
        guard ScanRecord.isWanted(connection, database) else { return Self.notStored }
        guard let vin else { return "\"\(label)\" is not stored: the vehicle reports no VIN" }
        if let other = labels[vin], other != label {
            return "\"\(label)\" is not stored: the vehicle with this VIN is \"\(other)\""
        }
        do {
            let store = try database.open(.readWrite)
            guard case .mistaken(let other) = try store.setName(label, of: vin) else { return nil }
            return "\"\(label)\" is not stored: it would be mistaken for \"\(other)\""
        } catch {
            return "\"\(label)\" is not stored: \(Failure(known: error)?.message ?? "\(error)")"
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
