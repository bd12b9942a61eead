import ArgumentParser
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import Reports
import SystemIO
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
              obdscan dtc --next --to codes.csv             one adapter for many cars
              obdscan dtc --batch cars.txt --to codes.csv   many adapters
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
struct DTCListCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Read stored, pending and permanent codes of every ECU.",
        discussion: """
            Reads the three lists one by one, so an ECU that refuses one list still reports the \
            others. "no codes" means that the lists arrived and are empty. If a list is missing or \
            damaged, or is the answer to another request, obdscan says so and exits with 75 (or \
            with the code of the fault that explains it).

            The verdict comes first, then when codes were cleared, and with which code to start if \
            some follow from others. A code that an ECU has in several lists is printed once, and the \
            most severe code comes first. Each code has the advice on driving, and the parts of \
            the proof of its repair that are known. "obdscan dtc explain" says why, and what to check first. \
            A monitor's test may fail before a code is set. dtc does not request the results, because they \
            take a request for each monitor: "obdscan monitors" shows them.

            With --all-modules it asks every address at which a module may be: 11-bit identifiers \
            700 to 7FF, 29-bit identifiers 18DAxxF1, and every target address of ISO 14230 (KWP). \
            This takes about half a minute and at most two minutes. It only uses services that \
            read: TesterPresent (3E), then the module's codes (19 02, or 18 00 of KWP), and the \
            module's own name. Afterwards the adapter's header, filter and flow control are \
            restored. ISO 9141-2 and SAE J1850 have no such addresses; in SAE J1939 every ECU \
            answers anyway. Modules behind a gateway that blocks requests, and modules that need a \
            special initialisation, are not found.

            With --to the codes are written as a table: CSV, JSON Lines (.jsonl) or a sheet \
            for spreadsheet programs (.xlsx). An earlier table of trouble codes is replaced, any other \
            file stays. --append adds rows to a table of CSV or JSON Lines. The columns are time, device, label, vin, odometerKm, ecu, ecuName, light, \
            status, code, failureType, statusByte, description, driveOn, error: a row for each \
            code, a row without a code for each ECU that has none, and a row with an error for \
            each vehicle that was not read. driveOn is stop, soon, weeks or note, and empty \
            for a code about which nothing is known.

            With --one-row the table has one row for each vehicle: time, device, label, vin, \
            odometerKm, light, codes, driveOn, unrated, error. light is on if it is on for any \
            ECU, codes has each code once, driveOn is the gravest advice, and unrated has the \
            codes about which nothing is known.

            With --next one adapter goes from car to car. obdscan asks you to plug it in and \
            press Enter, reads the codes, adds them to the table of --to, prints one line \
            about the car, and asks for the next one. It says when a car has the VIN of an \
            earlier one. What you type before Enter is the car's label. A car that cannot be \
            read can be tried again or skipped; the loop continues. --next never replaces a \
            table: if the file exists, its rows stay, as with --append, and obdscan says so. A \
            sheet (.xlsx) has to be a new file.

            With --batch every adapter and recorded conversation in a list is read into one \
            table. They are read at the same time (at most 64), so one that hangs does not \
            delay the others; the rows are in the order of the list, and a line is printed \
            about each vehicle when it was read. The table appears when all were read, and \
            replaces an older one. Ctrl-C ends the reading: the table then has the vehicles \
            that were read, and names the others. If none was read, an older table stays. Each \
            line of the list has a device and, if you like, a label; a device can also be the \
            path of a recorded conversation; # begins a comment. A list - is standard input. \
            The results of each vehicle are stored in the database, as without --batch.

            --report writes a page to print for each vehicle, as obdscan dtc report does, into a \
            folder; --pdf also prints it to PDF, which needs an installed Chromium or Chrome. With \
            --name-vehicles the label becomes the vehicle's name in the database: then "obdscan dtc \
            report --of NAME --since last" compares the vehicle with the visit before. In a round with --next \
            a second label does not rename a vehicle. Simulated and replayed vehicles are stored only \
            with --db FILE.

            \(Self.ruleText)

            EXAMPLES
              obdscan dtc list -d /dev/ttyUSB0
              obdscan dtc list --exit-code --quiet && echo clean
              obdscan dtc list --all-modules
              obdscan dtc list --to codes.csv --append --label "bay 3"
              obdscan dtc list --next --to yard.xlsx --local-time --report sheets
              obdscan dtc list --next --to yard.csv --one-row --name-vehicles
              obdscan dtc list --batch fleet.txt --to codes.csv
            """)

    var speaksWhenQuiet: Bool { batch != nil || table.to != nil || next }

    @Flag(help: "Ask every module, not only emissions ECUs.")
    var allModules = false

    @Flag(help: "Exit with 1 if there are codes.")
    var exitCode = false

    @Option(
        help: ArgumentHelp(
            "Read every device in a list; - is standard input.", valueName: "list"),
        completion: .file())
    var batch: String?

    @Flag(help: "Read one car after another into the table of --to.")
    var next = false

    @OptionGroup var table: CodeTableOptions
    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--append needs --to FILE") { $0.table.append && $0.table.to == nil },
        OptionRule("the list of --batch has the labels: leave --label out") {
            $0.table.label != nil && $0.batch != nil
        },
        OptionRule("--label needs --to FILE, --report FOLDER or --name-vehicles") {
            $0.table.label != nil && !$0.isTable && $0.table.report == nil
                && !$0.table.nameVehicles
        },
        OptionRule("--name-vehicles needs a label: --label TEXT, --next or --batch LIST") {
            $0.table.nameVehicles && $0.table.label == nil && !$0.next && $0.batch == nil
        },
        OptionRule("--pdf needs --report FOLDER") { $0.table.pdf && $0.table.report == nil },
        OptionRule("--local-time, --delimiter and --one-row need --to FILE or --format csv") {
            ($0.table.style.localTime || $0.table.style.delimiter != nil || $0.table.oneRow)
                && !$0.isTable
        },
        OptionRule("--to writes a table: leave --format text out") {
            $0.table.to != nil && $0.output.explicitFormat == .text
        },
        OptionRule("--all-modules asks every ECU: leave --ecu out") {
            $0.allModules && $0.vehicle.ecu != nil
        },
        OptionRule("--batch LIST names its devices: leave out -d and --record") {
            $0.batch != nil && ($0.vehicle.record != nil || $0.vehicle.device != nil)
        },
        OptionRule("--next and --batch exclude each other") { $0.next && $0.batch != nil },
        OptionRule("--next needs --to FILE or --report FOLDER") {
            $0.next && $0.table.to == nil && $0.table.report == nil
        },
        OptionRule("--record takes one vehicle: leave --next out") {
            $0.next && $0.vehicle.record != nil
        },
    ]

    private var isTable: Bool {
        table.to != nil || output.format == .csv || batch != nil || next
    }

    func run() throws {
        if let path = table.to {
            let form = try CodeTable.form(
                of: path, chosen: output.explicitFormat, standard: output.format)
            try OutputFile.checkFolder(of: path)
            try OutputFile.check(path, isNoneOf: [vehicle.database.file, batch])
            if !table.append, !next { try OwnFile.codes(form).check(mayReplace: path) }
        }
        if let batch {
            try runBatch(batch)
        } else if next {
            try runNext()
        } else {
            try runOnce()
        }
    }

    private func runOnce() throws {
        let pids = try loadTable(tables, automatic: tables.automaticPacks)
        let reports = try table.reports()
        // Refuse a table that cannot be extended before the vehicle is asked.
        let isThere = table.to.flatMap { OutputFile.size(of: $0) } != nil
        let known = table.append && isThere ? try openTable(appends: true, [vehicle.device]) : nil
        var hasCodes = false
        var failure: Failure?
        try withVehicle(vehicle, output, pids, SessionNeeds(vehicle: .maybeSilent())) {
            connection in
            let services = try connection.services()
            let scan = try self.scan(connection, services)
            hasCodes = scan.hasCodes(pids)
            failure = scan.failure(connection)
            let words = try CodeWords(vehicle.database, connection)
            let knowledge = CodeKnowledge(texts: words.texts)
            var car = CodeBatch.Car(device: connection.accessory, label: table.label)
            let time = connection.utc(scan.time)
            var asked = scan.asked
            if output.format == .csv || table.to != nil {
                asked += try car.complete(connection, services)
                let rows = CodeBatch.rows(scan, of: car, knowledge, pids, time: time)
                let file = try known ?? openTable(appends: table.append, [vehicle.device])
                try file.add(rows)
                try file.finish()
                if let sentence = file.sentence { output.note(sentence) }
            } else {
                var writer = TextOutput.standard
                let printer = CodePrinter(
                    output, table: pids, knowledge: knowledge, accessory: connection.accessory)
                let condition = try ConditionScan(
                    scan, connection, services, .codes, words)
                asked = condition.asked
                try printer.print(
                    scan, condition.findings(output.units), of: car, at: time, to: &writer)
                try writer.flush()
            }
            if let reports {
                let condition = try ConditionScan(
                    scan, connection, services, .report, words)
                output.note(
                    try table.write(
                        condition.report(of: connection, vehicle.database, output), to: reports,
                        label: table.label, vin: condition.vin?.text, cancelledBy: nil))
                asked = condition.asked
            }
            ScanRecord.keep(
                asked, lists: scan.lists, of: car.vin.flatMap { VIN($0) }, connection, services,
                vehicle.database, output)
            if let remark = table.name(
                car.vin ?? (try? connection.vin(by: services.profiles))?.text, after: table.label,
                connection, vehicle.database)
            {
                output.note(remark)
            }
        }
        if let failure { throw failure }
        if exitCode && hasCodes { throw Failure.silent(.findings) }
    }

    /// Opens the table, after checking that it is not an input file.
    private func openTable(appends: Bool, _ devices: [String?]) throws -> CodeTable {
        try OutputFile.check(
            table.to,
            isNoneOf: [vehicle.database.file, batch] + devices.map { OutputFile.replayed($0) })
        return try table.open(appends: appends, output)
    }

    /// Reads all codes of one vehicle.
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
        let line = ModuleScanLine(output)
        defer { line.clear() }
        guard let found = try ModuleScan(connection, on: known, progress: line.show) else {
            output.note(
                known == .j1939
                    ? "In SAE J1939 every ECU was asked already."
                    : "\(known.title) has no addresses of modules to ask.")
            return
        }
        scan.modules = found.modules
        scan.names = connection.ecuNames(of: scan.ecus, in: services)
        if found.unasked > 0 {
            output.note(
                "Time ran out before \(counted(found.unasked, "address was", "addresses were")) asked."
            )
        }
    }

    private func carScan(_ options: VehicleOptions) throws -> CarScan {
        CarScan(
            options: options, output: output,
            table: try loadTable(tables, automatic: tables.automaticPacks),
            knowledge: CodeKnowledge(texts: try loadCodeTexts()),
            read: { connection, services in try scan(connection, services) },
            reports: try table.reports(), form: table)
    }

    private func runNext() throws {
        // Report a wrong name before the user walks to a car.
        let device = vehicle.named(.current)
        if device != nil { _ = try vehicle.address() }
        let cars = try carScan(vehicle)
        // A round through the yard may last days, so a table of earlier cars is never replaced.
        let file = try table.to.map { _ in try openTable(appends: true, [vehicle.device]) }
        if let path = table.to, file?.hadRows == true, !table.append {
            output.note("\(path) exists: its rows stay, and new ones are added.")
        }
        let run = NextCarRun(
            read: { label, labels, inbox in
                try cars.findings(
                    of: device, label: label,
                    SessionNeeds(vehicle: .maybeSilent(), inbox: inbox), labels: labels)
            }, device: device ?? "adapter", label: table.label, output: output)
        let hasFindings = try run.run(file)
        if exitCode && hasFindings { throw Failure.silent(.findings) }
    }

    private func runBatch(_ path: String) throws {
        let list =
            path == "-"
            ? try contents(of: STDIN_FILENO, "standard input") : try contents(of: path)
        let entries = CodeBatch.entries(String(decoding: list, as: UTF8.self))
        if entries.isEmpty {
            throw Failure(
                "\(path): the list names no device",
                hint: "write one line for each car: its device, and a label if you like",
                status: .badData)
        }
        let cars = try carScan(vehicle)
        let file = try openTable(appends: table.append, entries.map(\.device))
        // A terminal shows the table itself, so lines per vehicle are not needed.
        let tells = table.to != nil || isatty(STDOUT_FILENO) == 0
        let hasFindings = try CodeBatchRun(entries, tells: tells, output).run(to: file) {
            entry, inbox in
            var needs = SessionNeeds(vehicle: .maybeSilent(), inbox: inbox)
            needs.accessory = entry.accessory
            var one = cars
            one.options = VehicleOptions(device: entry.device, link: vehicle.link)
            return try one.findings(of: entry.accessory, label: entry.label, needs)
        }
        if exitCode && hasFindings { throw Failure.silent(.findings) }
    }
}
