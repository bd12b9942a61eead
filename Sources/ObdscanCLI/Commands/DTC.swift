import ArgumentParser
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import SystemIO
import VehicleReports
import VehicleScan

/// `obdscan dtc`: trouble codes.
struct DTCCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dtc",
        abstract: "Read, explain and clear trouble codes.",
        discussion: """
            EXAMPLES
              obdscan dtc                                   codes of every ECU
              obdscan dtc --all-modules                     codes of every module
              obdscan dtc --batch cars.txt --to codes.csv   many vehicles into one table
              obdscan dtc explain                           causes, and whether to drive on
              obdscan dtc explain P0301 SPN100/FMI1         offline
              obdscan dtc clear                             asks first
              obdscan dtc history                           when they came and went
              obdscan dtc report --to car.html              one page to print
            """,
        subcommands: [
            DTCListCommand.self, DTCClearCommand.self, DTCExplainCommand.self,
            DTCHistoryCommand.self, DTCReportCommand.self,
        ],
        defaultSubcommand: DTCListCommand.self)
}

/// `obdscan dtc list`.
struct DTCListCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Read stored, pending and permanent codes of every ECU.",
        discussion: """
            Reads the three lists one by one, so an ECU that refuses one list still reports the \
            others. "no codes" means that the lists arrived and are empty. If a list is missing or \
            damaged, or is the answer to another request, obdscan says so and exits with 75 (or \
            with the code of the fault that explains it).

            After the codes it prints whether you may drive on, and what the codes mean together. \
            "obdscan dtc explain" says why, and what to check first.

            With --all-modules it asks every address at which a module may be: 11-bit identifiers \
            700 to 7FF, 29-bit identifiers 18DAxxF1, and every target address of ISO 14230 (KWP). \
            This takes about half a minute and at most two minutes. It only uses services that \
            read: TesterPresent (3E), then the module's codes (19 02, or 18 00 of KWP), and the \
            module's own name. Afterwards the adapter's header, filter and flow control are \
            restored. ISO 9141-2 and SAE J1850 have no such addresses; in SAE J1939 every ECU \
            answers anyway. Modules behind a gateway that blocks requests, and modules that need a \
            special initialisation, are not found.

            With --to the codes of one vehicle are written as a CSV table, and --append adds the \
            rows of the next vehicle to it.

            With --batch every adapter and recorded conversation in a list is read into one table. \
            They are read at the same time (at most 64), so one that hangs does not delay the \
            others; the rows are in the order of the list. A line of the list is DEVICE [LABEL], \
            where the path of a recorded conversation is enough; # begins a comment. A list - is \
            standard input. The columns are time, device, label, vin, odometerKm, ecu, ecuName, \
            light, status, code, failureType, statusByte, description, driveOn, error: a row for \
            each code, a row without a code for each ECU that has none, and a row with an error \
            for each device that failed. The results of each vehicle are stored in the database, \
            as without --batch.

            EXAMPLES
              obdscan dtc list -d /dev/ttyUSB0
              obdscan dtc list --exit-code --quiet && echo clean
              obdscan dtc list --all-modules
              obdscan dtc list --to codes.csv --append --label "bay 3"
              obdscan dtc list --batch fleet.txt --to codes.csv
            """)

    @Flag(help: "Ask every module, not only emissions ECUs.")
    var allModules = false

    @Flag(help: "Exit with 1 if there are codes.")
    var exitCode = false

    @Option(
        help: ArgumentHelp(
            "Read every device in a list; - is standard input.", valueName: "list"),
        completion: .file())
    var batch: String?

    @Option(
        help: ArgumentHelp("Write a CSV table to this file.", valueName: "file"),
        completion: .file())
    var to: String?

    @Flag(help: "Add rows to the table of --to instead of replacing it.")
    var append = false

    @Option(help: ArgumentHelp("Fill the column label with this text.", valueName: "text"))
    var label: String?

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if append && to == nil { throw ValidationError("--append needs --to FILE") }
        if label != nil && (to == nil && output.format != .csv || batch != nil) {
            throw ValidationError(
                batch == nil ? "--label needs --to FILE" : "the list of --batch has the labels")
        }
        if to != nil && output.format == .json {
            throw ValidationError("--to writes CSV: leave --json out")
        }
        if allModules && vehicle.ecu != nil {
            throw ValidationError("--all-modules asks every ECU: leave --ecu out")
        }
        if batch != nil && (vehicle.record != nil || vehicle.device != nil) {
            throw ValidationError("--batch LIST names its devices: leave out -d and --record")
        }
    }

    func run() throws {
        if let batch {
            try runBatch(batch)
            return
        }
        let table = try loadTable(tables)
        var hasCodes = false
        var failure: Failure?
        try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .maybeSilent())) {
            connection in
            let services = try connection.services()
            let scan = try self.scan(connection, services)
            hasCodes = scan.hasCodes(table)
            failure = scan.failure(connection)
            var writer = TextOutput.standard
            let printer = CodePrinter(
                output, table: table, knowledge: CodeKnowledge(texts: try loadCodeTexts()),
                explanations: scan.codes.isEmpty ? nil : try loadCodeExplanations(),
                accessory: connection.accessory)
            var car = CodeBatch.Car(device: connection.accessory, label: label)
            if output.format == .csv || to != nil { try complete(&car, connection, services) }
            let time = connection.utc(scan.time)
            if let to {
                try write(
                    CodeBatch.rows(scan, of: car, printer.knowledge, table, time: time), to: to)
            } else if output.format != .text || !output.quiet {
                try printer.print(scan, of: car, at: time, to: &writer)
            }
            try writer.flush()
            ScanRecord.keep(
                scan.asked, lists: scan.lists, connection, services, vehicle.database, output)
        }
        if let failure { throw failure }
        if exitCode && hasCodes { throw Failure.silent(.findings) }
    }

    /// Everything that the ECUs of one vehicle say.
    private func scan(
        _ connection: Vehicle, _ services: VehicleServices
    ) throws -> CodeScan {
        var scan = try CodeScan(connection, in: services)
        if allModules { try addModules(to: &scan, connection, services) }
        if let failure = connection.failure(of: scan.asked) { throw failure }
        return scan
    }

    private func addModules(
        to scan: inout CodeScan, _ connection: Vehicle, _ services: VehicleServices
    ) throws {
        let known =
            connection.scan.link?.capabilities.vehicleProtocol
            ?? services.first?.answer.exchange.vehicleProtocol
        guard let known else {
            output.note("The vehicle protocol is not known: set it with --protocol.")
            return
        }
        let line = WalkLine(output)
        defer { line.clear() }
        guard let found = try ModuleScan(connection, on: known, progress: line.show) else {
            output.note(
                known == .j1939
                    ? "In SAE J1939 every ECU was asked already."
                    : "\(known.title) has no addresses of modules to ask.")
            return
        }
        scan.modules = found.modules
        if found.unasked > 0 {
            output.note("Time ran out before \(found.unasked) addresses were asked.")
        }
    }

    /// Writes the table of one vehicle to a file.
    private func write(_ rows: [Row], to path: String) throws {
        try OutputFile.check(
            path, isNoneOf: [vehicle.database.file, OutputFile.replayed(vehicle.device)])
        let file = try CodeBatch.open(path, appends: append)
        defer { close(file.descriptor) }
        var writer = TextOutput(descriptor: file.descriptor)
        var table = RowWriter(.csv, columns: CodeBatch.columns, hasHeading: file.hasHeading)
        for row in rows { try writer.print(row, &table) }
        try writer.append { table.finish(&$0) }
        try writer.flush()
        let codes = rows.count { !$0["code"].isNull }
        output.note("\(path): \(codes) \(codes == 1 ? "code" : "codes") written")
    }

    /// Asks for what a table says of the vehicle besides its codes.
    private func complete(
        _ car: inout CodeBatch.Car, _ connection: Vehicle, _ services: VehicleServices
    ) throws(VehicleError) {
        car.vin = try connection.vin(by: services.profiles)?.text
        car.odometer = try connection.odometer(in: services)
    }

    private func runBatch(_ path: String) throws {
        let list =
            path == "-"
            ? try contents(of: STDIN_FILENO, "standard input") : try contents(of: path)
        let entries = CodeBatch.entries(String(decoding: list, as: UTF8.self))
        if entries.isEmpty { output.note("\(path): the list names no device.") }
        let table = try loadTable(tables)
        let knowledge = CodeKnowledge(texts: try loadCodeTexts())
        var file = (descriptor: STDOUT_FILENO, hasHeading: false)
        if let to {
            try OutputFile.check(
                to, isNoneOf: [path] + entries.map { OutputFile.replayed($0.device) })
            file = try CodeBatch.open(to, appends: append)
        }
        defer { if to != nil { close(file.descriptor) } }
        let hasFindings = try CodeBatchRun(entries, to: file, output).run { entry, inbox in
            try read(entry, table, knowledge, inbox)
        }
        if exitCode && hasFindings { throw Failure.silent(.findings) }
    }

    private func read(
        _ entry: CodeBatch.Entry, _ table: PIDTable, _ knowledge: CodeKnowledge,
        _ inbox: SignalInbox
    ) throws -> CodeBatchRun.Findings {
        let options = VehicleOptions(device: entry.device, link: vehicle.link)
        var needs = SessionNeeds(vehicle: .maybeSilent(), inbox: inbox)
        needs.accessory = entry.accessory
        var findings = CodeBatchRun.Findings(rows: [])
        try withVehicle(options, output, table, needs) { connection in
            let services = try connection.services()
            let scan = try self.scan(connection, services)
            var car = CodeBatch.Car(device: entry.accessory, label: entry.label)
            try complete(&car, connection, services)
            findings.rows = CodeBatch.rows(
                scan, of: car, knowledge, table, time: connection.utc(scan.time))
            findings.failure = scan.failure(connection)
            ScanRecord.keep(
                scan.asked, lists: scan.lists, connection, services, vehicle.database, output)
        }
        return findings
    }
}
