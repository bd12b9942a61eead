import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import Reports
import SystemIO
import TripStore
import VehicleScan

/// `obdscan dtc report`.
struct DTCReportCommand: RuledCommand {
    var speaksWhenQuiet: Bool { to != nil }

    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract:
            "Report a vehicle's condition before and after a repair.",
        discussion: """
            Reads the vehicle and prints a verdict in one sentence, the codes, readiness and test \
            results. --to writes a page to print, which also explains each code and says what was \
            happening: .html is one file that loads nothing from the network; .pdf needs an \
            installed Chromium or Chrome. --customer, --plate, --order and --technician fill in its \
            head. The settings "workshop" and "logo" give the page a letterhead, lines for \
            missing data to fill in by hand, and lines to sign on. What was read is kept in the database. As \
            JSON and CSV it has a line for each light, code, frozen value, monitor and test; kind \
            says which.

            The paper of a .pdf is A4, or US Letter if the country of your locale (LC_PAPER, LANG) \
            uses it. PAPERSIZE=letter or PAPERSIZE=a4 in the environment overrides this.

            With --since it compares the vehicle with what the database knew at that moment: which \
            codes came, went or stayed, which monitors have run since, and how test results \
            changed. The repair of a code that went is proven if obdscan cleared it and its monitor \
            has run since, without the code and with test results within their limits. If the database had no reading at that moment, the first reading after it counts. \
            --since last is the last reading of the visit before: readings of the last two hours before \
            the newest one are the same visit. Without an earlier visit it is the first reading of this \
            one. A code that obdscan cleared in the last 30 days stays in the report, also if \
            it was cleared before that moment. With --until \
            or --of no vehicle is asked: all moments are from the database.

            \(Self.ruleText)

            EXAMPLES
              obdscan dtc report --to car.html
              obdscan dtc report --to car.pdf --customer "A. Driver" --order 4711
              obdscan dtc report --since clear --to repair.html
              obdscan dtc report --since 2026-11-01 --until 2026-11-21 --of van
            """)

    @Option(
        help: ArgumentHelp(
            "Write a page to this file.",
            discussion: "An earlier report is replaced; any other file stays.", valueName: "file"),
        completion: .file())
    var to: String?

    @Option(
        help: ArgumentHelp(
            "Compare with a moment: 2026-11-25, last or clear.",
            discussion:
                "last is the visit before; clear is when obdscan cleared the codes the last time.",
            valueName: "time"))
    var since: ComparedMoment?

    @Option(
        help: ArgumentHelp(
            "Take this moment from the database: 2026-11-21.", valueName: "time"))
    var until: TripMoment?

    @Option(
        help: ArgumentHelp(
            "Take the vehicle with this VIN or name from the database.", valueName: "vehicle"))
    var of: String?

    @Option(
        help: ArgumentHelp("Print this line in the head of the report.", valueName: "text"))
    var customer: String?

    @Option(help: ArgumentHelp("Print this number plate in the head.", valueName: "text"))
    var plate: String?

    @Option(help: ArgumentHelp("Print this number of the order in the head.", valueName: "text"))
    var order: String?

    @Option(help: ArgumentHelp("Print this name of the technician in the head.", valueName: "text"))
    var technician: String?

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--to writes a page: leave --format and --json out") {
            $0.to != nil && $0.output.explicitFormat != nil
        }
    ]

    func run() throws {
        try OutputFile.check(
            to, isNoneOf: [vehicle.database.file, OutputFile.replayed(vehicle.device)])
        try PagePrinter.check(to)
        let moment = try since?.fixed()
        let end = min(try until?.time() ?? SystemClock.utc, SystemClock.utc)
        if let moment, moment > end {
            throw Failure(
                "--since: \(localTime(moment)) is later than \(localTime(end))",
                hint: "an earlier moment: 2026-11-21, 7d (ago), yesterday", status: .usage)
        }
        if until != nil || of != nil { return try runOffline(end) }
        let table = try loadTable(tables, automatic: tables.automaticPacks)
        try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .maybeSilent())) {
            connection in
            let services = try connection.services()
            let scan = try CodeScan(connection, in: services)
            if let failure = scan.failure(connection) { throw failure }
            let words = try CodeWords(vehicle.database, connection)
            let condition = try ConditionScan(
                scan, connection, services, .report, words)
            var before: VehicleCondition?
            if let since {
                guard let vin = condition.vin else {
                    throw Failure(
                        "\(connection.accessory): the vehicle does not report its VIN, so it "
                            + "cannot be found in the database",
                        hint: "without --since it is reported as it is now", status: .noInput)
                }
                let store = try openDatabase(
                    keeps: ScanRecord.isWanted(connection, vehicle.database))
                let moment = try since.time(
                    of: vin.text, before: connection.utc(scan.time), in: store)
                before = try known(vin.text, at: moment, in: store)
            }
            try write(
                condition.report(
                    of: connection, before: before, customer: customer, vehicle.database,
                    output))
            ScanRecord.keep(
                condition.asked, lists: scan.lists, of: condition.vin, connection, services,
                vehicle.database, output)
        }
    }

    /// Writes a page or prints the report.
    private func write(_ report: ConditionReport) throws {
        var report = report
        (report.head.plate, report.head.order) = (plate, order)
        report.head.technician = technician
        guard let to else {
            var writer = TextOutput.standard
            return try report.print(&writer)
        }
        try PagePrinter.write(report.page, to: to, "vehicle report", output)
    }

    /// Opens the database, which a reading of the vehicle fills if that is kept.
    private func openDatabase(keeps: Bool = true) throws(Failure) -> TripStore {
        try vehicle.database.open(
            .readOnly,
            filledBy: keeps
                ? "\"obdscan dtc report\" reads a vehicle and keeps what it says (not of sim:)"
                : "what a simulated or replayed device says is kept only if you name a database")
    }

    /// The condition at `moment`, or else at the first reading after it; nil if there is none.
    private func known(
        _ name: String, at moment: UTC, in store: TripStore
    ) throws -> VehicleCondition? {
        let known = try mapped { () throws(StoreError) in
            try VehicleCondition.known(of: name, at: moment, in: store)
        }
        if known?.time != moment {
            output.note(
                "The database has nothing of \(name) before \(localTime(moment))"
                    + (known == nil
                        ? ", so there is nothing to compare with."
                        : ": compared with its first reading after that."))
        }
        return known
    }

    private func runOffline(_ end: UTC) throws {
        let store = try openDatabase()
        let name: String
        if let of {
            try store.check(vehicle: of)
            name = of
        } else {
            let entries = try store.codeHistory()
            let vehicles = Set(entries.compactMap(\.vin)).sorted()
            guard vehicles.count == 1, let only = vehicles.first else {
                throw Failure(
                    vehicles.isEmpty
                        ? "the database knows no vehicle's codes"
                        : "the database knows \(vehicles.count) vehicles",
                    hint: vehicles.isEmpty
                        ? "\"obdscan dtc\" reads and keeps them"
                        : "name one with --of: " + vehicles.prefix(5).joined(separator: ", "),
                    status: vehicles.isEmpty ? .noInput : .usage)
            }
            name = only
        }
        let now = try mapped { () throws(StoreError) in
            try VehicleCondition(of: name, at: end, in: store)
        }
        let read = try mapped { () throws(StoreError) in
            try store.lastScan(ofVehicle: name, until: end)
        }
        let before = try since.flatMap { since in
            let moment = try since.time(of: name, before: read ?? end, in: store)
            return try known(name, at: moment, in: store)
        }
        if now.isEmpty, before?.isEmpty ?? true {
            throw Failure(
                "nothing is known of \(name) until \(localTime(end))",
                hint: "\"obdscan dtc history\" shows what is", status: .noInput)
        }
        let stored = try mapped { () throws(StoreError) in try store.vehicle(name) }
        var report = ConditionReport(
            vehicle: stored?.vin?.text ?? name, accessory: nil, vehicleProtocol: nil,
            time: read ?? end,
            since: before?.time, lamps: now.lights,
            change: ConditionChange(before: before, now: now), frames: [],
            table: try loadTable(tables), texts: try loadCodeTexts(),
            explanations: try loadCodeExplanations(),
            head: ReportHead(
                customer: customer, vin: stored?.vin,
                odometer: try mapped { () throws(StoreError) in
                    try store.odometer(ofVehicle: name, at: end)
                }), output: output.form)
        report.names = try mapped { () throws(StoreError) in try store.names(ofVehicle: name) }
        report.lampsBefore = before?.lights ?? []
        report.head.name = stored?.name
        let past = try mapped { () throws(StoreError) in
            try ClearedCodes(of: name, until: end, in: store)
        }
        report.cleared = past.gone(from: now)
        try write(report)
    }
}
