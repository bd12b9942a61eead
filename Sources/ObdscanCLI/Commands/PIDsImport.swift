import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import SystemIO
import TableImport

extension TableFormat: Choice {}
extension TableExport.Form: Choice {}

/// `obdscan pids import`.
struct PIDsImportCommand: RuledCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a PID table of another program's list of signals.",
        discussion: """
            Reads signal sets of OBDb, extended PIDs of Torque, vehicle profiles of WiCAN, lists of \
            A Better Routeplanner, and DBC files: diagnostic answers, messages that ECUs send by \
            themselves, and parameter groups of SAE J1939. The table goes to standard output, the \
            report to standard error.

            Each equation is compared with its row on made-up bytes, and both must agree. A row \
            that has no exact equivalent is left out, and the report names it with its line and \
            the reason. Rows are marked as unverified until recorded answers agree. Only requests \
            that read are taken. Sessions and other steps before a request are kept as notes and \
            never sent.

            Rows that repeat obdscan's own table of services 01 and 09 are left out without --all. \
            Exits with 65 when no row is usable.

            \(Self.ruleText)

            EXAMPLES
              obdscan pids import battery.csv --to battery.pids
              obdscan pids import default.json --year 2021 --tests tests/test_cases
              obdscan pids import --check profile.json
              obdscan read ev-soc --pids battery.csv
            """)

    @Argument(
        help: ArgumentHelp("Files, or folders of them.", valueName: "file"), completion: .file())
    var paths: [String]

    @Option(
        help: ArgumentHelp(
            "Expect this form (default: what the file's contents show).", valueName: "form"))
    var from: TableFormat?

    @Option(
        help: ArgumentHelp("Import only the rows for this model year.", valueName: "year"))
    var year: Int?

    @Option(
        help: ArgumentHelp(
            "Ask this ECU if the source names none: 7E4.", valueName: "address"))
    var header: String?

    @Option(
        help: ArgumentHelp(
            "Compare with the recorded answers of OBDb in this folder.", valueName: "folder"),
        completion: .directory)
    var tests: String?

    @Option(
        help: ArgumentHelp(
            "Write the table to this file.",
            discussion:
                "A name that ends in / is a folder for one table per source. An earlier table of this "
                + "command is replaced; any other file stays.",
            valueName: "file"),
        completion: .file(extensions: ["pids"]))
    var to: String?

    @Flag(help: "List the result of each row, and write no table.")
    var check = false

    @Flag(help: "Import rows that repeat obdscan's own table, too.")
    var all = false

    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--check and --to exclude each other") { $0.check && $0.to != nil }
    ]

    func validate() throws {
        try checkRules()
        if let year, !(1980...2100).contains(year) {
            throw ValidationError("\(year) is not a model year")
        }
        if let header, ECUAddress(header) == nil {
            throw ValidationError("\"\(header)\" is not an address like 7E4 or 18DA10F1")
        }
        if paths.isEmpty { throw ValidationError("name a file") }
    }

    func run() throws {
        var run = TableImportRun(format: from, tests: tests)
        run.options.year = year
        run.options.header = header.flatMap { ECUAddress($0) }
        if !all { try run.leaveOutBuiltIn() }
        var files: [(path: String, name: String)] = []
        for path in paths { files += try run.files(at: path) }
        let (sources, unread) = try run.read(files)
        for file in unread {
            if files.count == 1 { throw Failure(file.fault) }
            output.note(Failure(file.fault).message)
        }
        if let to, Files.isFolder(to) || to.hasSuffix("/") {
            try writeEach(sources, run, to)
            return
        }
        let table = run.table(sources)
        try report(table, to: nil)
        guard table.takenCount > 0 else { throw Failure.silent(.badData) }
        if check { return }
        try OutputFile.check(
            to, endsIn: ["pids"], what: "the file is a PID table",
            hint: "name a file that ends in .pids")
        try OwnFile.table.check(mayReplace: to)
        let text = try checked(table, path: to ?? "table")
        if let to, !OutputFile.isStandardOutput(to) {
            for source in sources { try refuse(to, source.path) }
            try OutputFile.write(to, bytes: text)
        } else {
            var writer = TextOutput.standard
            try writer.append { $0 += text }
            try writer.flush()
        }
    }

    private func refuse(_ path: String, _ source: String) throws {
        try OutputFile.check(path, isNoneOf: [source])
    }

    /// Writes one table per source, with the same name.
    private func writeEach(
        _ sources: [(source: ImportedSource, contents: [UInt8], path: String)],
        _ run: TableImportRun, _ folder: String
    ) throws {
        guard Files.isFolder(folder) else {
            throw Failure(
                "\(folder) is not a folder", hint: "mkdir \(folder)", status: .cannotCreate)
        }
        var names: Set<String> = []
        var taken = 0
        for source in sources {
            let table = run.table([source])
            try report(table, to: nil)
            guard table.takenCount > 0 else { continue }
            taken += table.takenCount
            var name = ""
            for character in source.source.file {
                name.append(
                    character.isLetter || character.isNumber || "-_.".contains(character)
                        ? character : "-")
            }
            var path = name
            var number = 2
            while !names.insert(path).inserted {
                path = "\(name)-\(number)"
                number += 1
            }
            path = "\(folder)/\(path).pids"
            try OwnFile.table.check(mayReplace: path)
            let text = try checked(table, path: path)
            try OutputFile.write(path, bytes: text)
        }
        guard taken > 0 else { throw Failure.silent(.badData) }
    }

    /// The table's text, after checking that `pids lint` accepts it.
    private func checked(_ table: ImportedTable, path: String) throws(Failure) -> [UInt8] {
        let text = Array(table.text.utf8)
        let findings = PIDTables.lint([TableFile(path: path, contents: text)])
        if let finding = findings.first(where: \.isError) {
            throw Failure(
                "the table that was made is wrong: \(finding.description)",
                hint: "this is a fault of obdscan; please report it with the source", status: .bug)
        }
        return text
    }

    // MARK: Report

    private func report(_ table: ImportedTable, to _: String?) throws {
        if check {
            var writer = TextOutput.standard
            var rows = RowPrinter(CheckedRow.shape, output.form)
            for row in CheckedRow.all(of: table) { try writer.print(row, &rows) }
            try writer.finish(&rows)
            try writer.flush()
        } else {
            for finding in table.findings {
                output.note("\(finding.file):\(finding.line): \(finding.name): \(finding.reason)")
            }
        }
        let what =
            table.origins.count == 1
            ? "\(table.origins[0].file): \(table.origins[0].format.title)"
            : "\(table.origins.count) files"
        output.note("\(what), \(table.takenCount) of \(table.rowCount) rows taken")
        let recorded = table.recorded
        if tests != nil {
            output.note(
                "recorded values: \(recorded.agree) agree, \(recorded.differ) differ, "
                    + "\(recorded.clamped) were cut to a range by their recorder, "
                    + "\(recorded.unusable) are in answers that are not whole")
        }
        let licences = Set(table.origins.compactMap(\.format.licence)).sorted()
        if !licences.isEmpty {
            output.note("licence of the source: \(licences.joined(separator: ", "))")
        }
    }
}
