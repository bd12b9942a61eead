import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripReports
import TripStore
import VehicleScan

/// `obdscan dtc report`.
struct DTCReportCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract:
            "Report codes, freeze frame, readiness and test results, before and after a repair.",
        discussion: """
            Reads the vehicle and prints what it says; --to writes a page to print instead, one \
            HTML file that loads nothing from anywhere. What was read is kept in the database. As \
            JSON and CSV it has a line for each light, code, frozen value, monitor and test; kind \
            says which.

            With --since it compares the vehicle with what the database knew at that moment: which \
            codes came, went or stayed, which monitors have run since, and how test results \
            changed. With --until as well no vehicle is asked: both moments are from the database.

            EXAMPLES
              obdscan dtc report --to car.html
              obdscan dtc report --since 2026-11-21 --to repair.html
              obdscan dtc report --since 2026-11-01 --until 2026-11-21 --of 1HGCM82633A004352
            """)

    @Option(
        help: ArgumentHelp("Write a page to this file.", valueName: "file"), completion: .file())
    var to: String?

    @Option(help: ArgumentHelp("Compare with this moment.", valueName: "time"))
    var since: TripMoment?

    @Option(
        help: ArgumentHelp(
            "Compare this moment, from the database, instead of the vehicle.", valueName: "time"))
    var until: TripMoment?

    @Option(
        help: ArgumentHelp(
            "With --until: the vehicle with this VIN or name.", valueName: "vehicle"))
    var of: String?

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if until != nil && since == nil { throw ValidationError("--until belongs to --since") }
        if of != nil && until == nil { throw ValidationError("--of belongs to --until") }
        if to != nil && output.format != .text {
            throw ValidationError("--to writes a page: leave --format out")
        }
    }

    func run() throws {
        try OutputFile.check(
            to, isNoneOf: [vehicle.database.file, OutputFile.replayed(vehicle.device)])
        try OutputFile.checkPage(to)
        if let until {
            try runOffline(try until.time())
            return
        }
        let table = try loadTable(tables)
        try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .maybeSilent())) {
            connection in
            let services = try connection.services()
            let scan = try CodeScan(connection, in: services)
            if let failure = scan.failure(connection) { throw failure }
            let tests = try connection.monitorTests(in: services)
            var frames: [QueryResult] = []
            if services.profiles != [.onUDS] {
                frames = try FrameScan(0, connection, in: services).asked
            }
            if services.profiles.contains(.onUDS) {
                frames += try SnapshotScan(scan.codes, connection, record: nil).asked
            }
            let vin = try connection.vin(by: services.profiles)
            let time = connection.utc(scan.time)
            let now = VehicleCondition(
                time: time, codes: scan.codes,
                items: (scan.status + tests).flatMap(\.answer.items))
            var before: VehicleCondition?
            if let moment = try since?.time() {
                guard let vin else {
                    throw Failure(
                        "\(connection.accessory): the vehicle does not report its VIN, so it "
                            + "cannot be found in the database",
                        hint: "without --since it is reported as it is now", status: .noInput)
                }
                before = try known(vin.text, at: moment)
            }
            let lamps = scan.ecus.compactMap { ecu in scan.lampIsOn(ecu, table).map { (ecu, $0) } }
            let report = ConditionReport(
                vehicle: vin?.text, accessory: connection.accessory,
                vehicleProtocol: connection.scan.link?.capabilities.vehicleProtocol?.title,
                time: time, since: before?.time, lamps: lamps,
                change: ConditionChange(before: before, now: now),
                frames: frames.flatMap(\.answer.items), table: table, texts: try loadCodeTexts(),
                output: output.form)
            try write(report)
            ScanRecord.keep(
                scan.asked + tests + frames, lists: scan.lists, connection, services,
                vehicle.database, output)
        }
    }

    /// Writes a page, or prints.
    private func write(_ report: ConditionReport) throws {
        guard let to else {
            var writer = TextOutput.standard
            return try report.print(&writer)
        }
        let bytes = report.page.bytes
        try OutputFile.write(to) { file in try file.write(bytes: bytes) }
        if let size = OutputFile.size(of: to) {
            output.note("\(to): vehicle report, \(byteText(size))")
        }
    }

    private func openDatabase() throws(Failure) -> TripStore {
        try vehicle.database.open(
            .readOnly, filledBy: "obdscan dtc report reads a vehicle and keeps what it says")
    }

    private func condition(
        of name: String, at moment: UTC, in store: TripStore
    ) throws(Failure) -> VehicleCondition {
        try mapped { () throws(StoreError) in
            try VehicleCondition(of: name, at: moment, in: store)
        }
    }

    private func known(_ name: String, at moment: UTC) throws -> VehicleCondition {
        let store = try openDatabase()
        let condition = try condition(of: name, at: moment, in: store)
        if condition.isEmpty {
            output.note(
                "Nothing is known of \(name) at \(localTime(moment)): everything read now counts as new."
            )
        }
        return condition
    }

    private func runOffline(_ end: UTC) throws {
        guard let begin = try since?.time() else { return }
        let store = try openDatabase()
        let name: String
        if let of {
            name = of
        } else {
            let entries = try mapped { () throws(StoreError) in try store.codeHistory() }
            let vehicles = Set(entries.compactMap(\.vin)).sorted()
            guard vehicles.count == 1, let only = vehicles.first else {
                throw Failure(
                    vehicles.isEmpty
                        ? "the database knows no vehicle's codes"
                        : "the database knows \(vehicles.count) vehicles",
                    hint: vehicles.isEmpty
                        ? "obdscan dtc reads and keeps them"
                        : "name one with --of: " + vehicles.prefix(5).joined(separator: ", "),
                    status: vehicles.isEmpty ? .noInput : .usage)
            }
            name = only
        }
        let before = try condition(of: name, at: begin, in: store)
        let now = try condition(of: name, at: end, in: store)
        if before.isEmpty && now.isEmpty {
            throw Failure(
                "nothing is known of \(name) until \(localTime(end))",
                hint: "obdscan dtc history shows what is", status: .noInput)
        }
        let report = ConditionReport(
            vehicle: name, accessory: nil, vehicleProtocol: nil, time: end, since: begin,
            lamps: [], change: ConditionChange(before: before, now: now), frames: [],
            table: try loadTable(tables), texts: try loadCodeTexts(), output: output.form)
        try write(report)
    }
}
