import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import TableImport

/// `obdscan pids export`.
struct PIDsExportCommand: ParsableCommand, OutputCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a PID table in the form of another program.",
        discussion: """
            Writes OBDb signal sets, Torque's extended PIDs or DBC to standard output. A signal \
            that the form cannot hold is left out, and the report names it. Exits with 65 when \
            nothing is left. A table that was imported keeps the licence of its source.

            EXAMPLES
              obdscan pids export mine.pids --as torque > mine.csv
              obdscan pids export mine.pids --as obdb > default.json
            """)

    @Argument(help: ArgumentHelp("The table.", valueName: "file"), completion: .file())
    var path: String

    @Option(
        name: .customLong("as"), help: ArgumentHelp("Write this form.", valueName: "form"))
    var form: TableExport.Form

    @OptionGroup var output: OutputOptions

    func run() throws {
        let files = try TableFile.all(at: path)
        let records = try PIDTables.records(in: files).map { record in
            TableExport.Record(
                record: PIDTable.Record(
                    dataID: record.dataID, name: record.name, length: record.length,
                    signals: 0..<Int32(record.signals.count), target: record.target,
                    responder: record.responder, years: record.years),
                signals: record.signals)
        }
        let export = TableExport(records, as: form)
        for signal in export.leftOut {
            output.note("\(signal.dataID) \(signal.signal): \(signal.reason)")
        }
        output.note("\(counted(export.count, "signal")) written, \(export.leftOut.count) left out")
        guard export.count > 0 else { throw Failure.silent(.badData) }
        var writer = TextOutput.standard
        try writer.write(export.text)
        try writer.flush()
    }
}
