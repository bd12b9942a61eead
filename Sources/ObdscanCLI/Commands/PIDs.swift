import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import SystemIO
import TableImport
import VehicleScan

/// `obdscan pids`: the PID table.
struct PIDsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pids",
        abstract: "List, show and check the signals that obdscan knows, offline.",
        discussion: """
            obdscan-pids(5) describes the format of tables, and how to write your own.

            EXAMPLES
              obdscan pids                       every signal
              obdscan pids list temp             those whose name has "temp" in it
              obdscan pids show rpm 01:24        formula, range, source and examples
              obdscan pids packs                 tables of single makes and models
              obdscan pids count                 how much this build knows
              obdscan pids lint mine.pids        checks a table
              obdscan pids import battery.csv    makes a table of another program's list
            """,
        subcommands: [
            PIDsListCommand.self, PIDsShowCommand.self, PIDsPacksCommand.self,
            PIDsCountCommand.self, PIDsLintCommand.self, PIDsImportCommand.self,
            PIDsCompareCommand.self, PIDsExportCommand.self,
        ],
        defaultSubcommand: PIDsListCommand.self)
}

/// `obdscan pids list`.
struct PIDsListCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List signals.",
        discussion: """
            EXAMPLES
              obdscan pids list
              obdscan pids list oxygen voltage      names with both words
              obdscan pids list --service 09
              obdscan pids list --supported -d /dev/ttyUSB0
            """)

    @Argument(
        help: ArgumentHelp(
            "Words that the identifier, name or alias contains.",
            valueName: "word"))
    var words: [String] = []

    @Option(
        help: ArgumentHelp(
            "Show only signals of this service (mode): 01, 09, 22.", valueName: "hex"))
    var service: String?

    @Flag(help: "Ask the vehicle, and show only what it supports.")
    var supported = false

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadTable(tables)
        guard supported else {
            try Pager.print(output) { try list(table, to: &$0) }
            return
        }
        try withVehicle(vehicle, output, table) { connection in
            let services = try connection.services()
            var ids: Set<DataID> = []
            if services.profiles.contains(where: { !$0.announcesRecords }) {
                // No support map lists parameter groups, so each is requested once.
                for record in table.measuredGroups {
                    let asked = try connection.ask(record.dataID.requestPayload)
                    if asked.answer.reply.messages.contains(where: record.dataID.isAnswered(by:)) {
                        ids.insert(record.dataID)
                    }
                }
            }
            for id in try connection.supportedIDs(in: services, { .supportedPIDs($0) }).all {
                ids.insert(DataID(.currentData, UInt32(id)))
            }
            for id in try connection.supportedIDs(in: services, { .supportedInfoTypes($0) }).all {
                ids.insert(DataID(.vehicleInformation, UInt32(id)))
            }
            if ids.isEmpty, let failure = connection.failure(of: [services.first]) { throw failure }
            try Pager.print(output) { try list(table, only: ids, to: &$0) }
        }
    }

    /// Writes the list of `table`'s signals; `ids` restricts it to some records.
    func list(_ table: PIDTable, only ids: Set<DataID>? = nil, to writer: inout TextOutput) throws {
        let wanted = try service.map(parseService)
        var printer = RowPrinter(ListedSignal.shape, output.form, flexible: [2, 6])
        for record in table.records where wanted == nil || record.dataID.service == wanted {
            if let ids, !ids.contains(record.dataID) { continue }
            for index in record.signals {
                let signal = table[SignalIndex(rawValue: index)]
                guard signal.matches(words, in: record) else { continue }
                try writer.print(ListedSignal(signal, of: record.dataID), &printer)
            }
        }
        try writer.finish(&printer)
        try writer.flush()
        if printer.count == 0 {
            output.note(
                words.isEmpty
                    ? "No signal is known there."
                    : "No signal has \(words.joined(separator: " and ")) in its names.")
            if let file = words.last, !(OutputFile.ending(of: file) ?? "").isEmpty {
                output.note("\"obdscan pids lint \(shellWord(file))\" checks a table.")
            }
        }
    }

    private func parseService(_ text: String) throws(Failure) -> Service {
        guard let bytes = Hex.bytes(text), bytes.count == 1, let byte = bytes.first else {
            throw Failure(
                "\"\(text)\" is not a service", hint: "two hexadecimal digits: 01, 09, 22",
                status: .usage)
        }
        return Service(byte)
    }
}

/// `obdscan pids lint`.
struct PIDsLintCommand: ParsableCommand, OutputCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check PID tables.",
        discussion: """
            Without a file the embedded table, the packs, the texts of trouble codes and the \
            causes of diagnose are checked. An error is a row that would be decoded wrongly; a warning is a row with \
            little evidence. Exits with 65 when there are errors.

            EXAMPLES
              obdscan pids lint mine.pids
              obdscan pids lint ~/.local/share/obdscan/pids --format json
            """)

    @Argument(
        help: ArgumentHelp("Tables, or folders of them.", valueName: "file"), completion: .file())
    var paths: [String] = []

    @OptionGroup var output: OutputOptions

    func run() throws {
        var files: [TableFile] = []
        var findings: [TableFinding] = []
        for path in paths {
            if path.hasSuffix(".causes") {
                let text = String(decoding: try contents(of: path), as: UTF8.self)
                findings += PIDTables.lintCauses(text, path: path)
            } else if let table = try foreign(path) {
                findings += TableImportRun.findings(in: table, path)
                if table.takenCount > 0 {
                    files.append(TableFile(path: path, contents: Array(table.text.utf8)))
                }
            } else {
                files += try TableFile.all(at: path)
            }
        }
        findings += paths.isEmpty ? PIDTables.lintStandard() : PIDTables.lint(files)
        var writer = TextOutput.standard
        for hidden in PIDTables.hidden(by: files) {
            output.note(
                "\(hidden.file):\(hidden.line): \(hidden.record) replaces the built-in record, so "
                    + "\(hidden.signals.joined(separator: ", ")) \(hidden.signals.count == 1 ? "is" : "are") "
                    + "gone; to keep one, add it to yours: obdscan pids show \(hidden.signals[0])")
        }
        try report(findings, to: &writer)
    }

    /// The table of another program at `path`; nil for one of ours, and for a folder.
    private func foreign(_ path: String) throws(Failure) -> ImportedTable? {
        guard !Files.isFolder(path) else { return nil }
        let contents = try ObdscanCLI.contents(of: path)
        do throws(TableImportFault) {
            return try TableImportRun.table(of: contents, path)
        } catch {
            throw Failure(error)
        }
    }

    /// Writes the findings; throws a ``Failure`` if there are errors among them.
    func report(_ findings: [TableFinding], to writer: inout TextOutput) throws {
        var rows = RowWriter(output.format, columns: ["file", "line", "severity", "reason"])
        for finding in findings { try print(finding, &rows, to: &writer) }
        try writer.append { rows.finish(&$0) }
        try writer.flush()
        let errors = findings.count { $0.isError }
        if output.format == .text {
            let warnings = findings.count - errors
            output.note(
                counted(errors, "error") + ", "
                    + counted(warnings, "warning"))
        }
        if errors > 0 { throw Failure.silent(.badData) }
    }

    private func print(
        _ finding: TableFinding, _ rows: inout RowWriter, to writer: inout TextOutput
    ) throws(OutputError) {
        let severity = finding.isError ? "error" : "warning"
        try writer.print(
            Row(
                "finding",
                [
                    "file": .text(finding.file), "line": .integer(finding.line),
                    "severity": .text(severity), "reason": .text(finding.reason),
                ]), &rows)
        guard output.format == .text else { return }
        let palette = output.palette()
        try writer.writeLine(
            printable("\(finding.file):\(finding.line): ")
                + palette(finding.isError ? .bad : .warning, severity)
                + printable(": \(finding.reason)"))
    }
}
