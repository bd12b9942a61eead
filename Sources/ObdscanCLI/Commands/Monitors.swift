import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import ScanSession
import SystemIO
import TripStore
import VehicleScan

/// `obdscan monitors`: shows readiness and test results.
struct MonitorsCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitors",
        abstract: "Show readiness for inspection, and test results of monitors.",
        discussion: """
            Shows for each ECU which monitors have run since the codes were cleared and in this \
            driving cycle (PIDs 01 and 41), then every test result of service (mode) 06 with its \
            limits. A vehicle that speaks SAE J1979-2 (OBDonUDS) reports the same in identifier \
            F501 and in the codes of each readiness group. For a failed test it says by how much \
            the value misses the limit, and what to check.

            The verdict comes first, then when codes were cleared. "complete" means that a monitor \
            has run since then, and proves nothing beside a code that is still there. For each code \
            it says what proves its repair: the monitor that tests it has run since codes were \
            cleared, the code did not come back, and its test results are within their limits. \
            Misfire, fuel system and components are tested all the time, so a drive proves \
            their repair, and the flag does not.

            It says which monitors have not run, how to drive so that they complete, and which rule \
            of an inspection applies: that of the US EPA (40 CFR 85.2222) for cars and light trucks \
            by model year, and none for electric vehicles, motorcycles and heavy vehicles. Other \
            states and countries have their own rules. --exit-code is stricter: a vehicle is not \
            ready if any supported monitor is incomplete, or if it reports none.

            What is read from a real adapter is stored in the database. --trend asks no vehicle: \
            it prints every stored result with its margin to the nearest limit, as a share of the \
            allowed range, to show what is about to fail.

            \(Self.ruleText)

            EXAMPLES
              obdscan monitors
              obdscan monitors --trend
              obdscan monitors --readiness --exit-code && echo ready
            """)

    @Flag(help: "Show readiness only, no test results.")
    var readiness = false

    @Flag(help: "Show how stored results moved towards their limits.")
    var trend = false

    @Option(
        name: .customLong("vehicle"),
        help: ArgumentHelp(
            "Show only the trend of the vehicle with this VIN or name.", valueName: "vehicle"))
    var known: String?

    @Flag(
        help: ArgumentHelp(
            "Exit with 1 if a monitor has not run since a clear.",
            discussion: "Only monitors that the vehicle supports count."))
    var exitCode = false

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--vehicle needs --trend") { $0.known != nil && !$0.trend }
    ]

    func run() throws {
        if trend { return try printTrend() }
        let table = try loadTable(tables)
        var isReady = true
        try Pager.print(output) { writer in
            try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .maybeSilent())) {
                connection in
                let services = try connection.services()
                let (asked, sinceClear) = try MonitorAnswers.ask(
                    connection, services, readiness: readiness, output.form,
                    try AnswerPrinter(output, table: table, kinds: MonitorAnswers.kinds),
                    try CodeWords(vehicle.database, connection), &writer)
                isReady = sinceClear.incomplete.isEmpty && !sinceClear.supported.isEmpty
                ScanRecord.keep(asked, connection, services, vehicle.database, output)
                let said = asked.contains {
                    $0.answer.items.contains(where: MonitorReport.concerns)
                }
                if !said {
                    throw connection.failure(of: asked)
                        ?? Failure(
                            "\(connection.accessory): no ECU reports its monitors",
                            hint: "turn the ignition on; vehicles before OBD-II have none",
                            status: .timedOut)
                }
            }
        }
        if exitCode && !isReady { throw Failure.silent(.findings) }
    }

    private func printTrend() throws {
        let store = try vehicle.database.open(
            .readOnly,
            filledBy: "\"obdscan monitors\" reads a vehicle's test results and keeps them")
        let points = try store.monitorTrend(vehicle: known)
        if points.isEmpty {
            output.note(
                known.map { "No test results of a vehicle called \"\($0)\" are stored." }
                    ?? "No test results are kept yet.")
        }
        let names = try store.names(ofVehicles: points.map(\.vin))
        try Pager.print(output) {
            try MonitorTrendReport(points: points, names: names, output: output.form).print(&$0)
        }
    }
}
