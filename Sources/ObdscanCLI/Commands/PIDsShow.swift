import ArgumentParser
import Diagnostics
import Formats
import PIDTables
import Reports
import SystemIO
import VehicleScan

/// `obdscan pids show`.
struct PIDsShowCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the table row of a signal, and the evidence for it.",
        discussion: """
            Signals are given as everywhere: RPM, rpm or 01:0C. Rows that no independent source \
            confirms are marked unverified.

            EXAMPLES
              obdscan pids show rpm
              obdscan pids show 01:24 --format json
            """)

    @Argument(help: ArgumentHelp("Signals or identifiers to show.", valueName: "id"))
    var ids: [String]

    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let files = try tables.files()
        let records = try PIDTables.records(files)
        let table = try PIDTables.load(files)
        try Pager.print(output) { try show(table, records, to: &$0) }
    }

    /// Writes what `records` contain about the signals in `table` with the given names.
    func show(_ table: PIDTable, _ records: [TableRecord], to writer: inout TextOutput) throws {
        let names = SignalNames(table)
        var printer = SignalDetailPrinter(output.form)
        for name in ids {
            let selected = try names.find(name)
            guard let record = selected.record else {
                try printer.printVoltage(to: &writer)
                continue
            }
            // If an identifier occurs several times, the last record counts.
            guard
                let detail = records.last(where: {
                    $0.dataID == record.dataID && $0.responder == record.responder
                })
            else { continue }
            let place = selected.signal.map { Int($0.rawValue - record.signals.lowerBound) }
            try printer.print(detail, only: place, to: &writer)
        }
        try writer.flush()
    }
}
