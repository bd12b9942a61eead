import ArgumentParser
import Formats
import OBDCore
import PIDTables
import Reports
import SystemIO
import TripStore
import VehicleScan

/// `obdscan check`: compares what a used car says about its past.
struct CheckCommand: RuledCommand {
    var speaksWhenQuiet: Bool { to != nil }

    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a used car: what its modules say about its past.",
        discussion: """
            Reads, with the ignition on, everything that may contradict something else: codes and \
            when they were cleared, monitors, in-use counters, run time, lifetime distance, \
            calibrations, VINs and dates of every module, and odometers. It only reads, and takes \
            1 to 3 minutes. It asks for odometers of the manufacturer in the packs that the VIN \
            chooses. What was read is kept in the database, except of a simulated vehicle.

            Each finding names two facts with their sources, and honest reasons for them. A \
            contradiction means that both cannot hold for one vehicle with its own parts: for \
            example, an ECU has driven further than the dashboard shows. Odd means that one should \
            ask for the reason. A note is worth knowing. A replaced part contradicts, too: ask for \
            its paper, and name the part with --known.

            Agreement does not prove the mileage, because an odometer can be set in every module. \
            Distances in miles, blank values, and counters at their end are recognised before \
            anything is compared.

            \(Self.ruleText)

            EXAMPLES
              obdscan check --odometer 97310
              obdscan check --odometer 60500mi --vin 1HGCM82633A004352 --to check.html
              obdscan check --odometer 12000 --known cluster-replaced
              obdscan check --json -d replay:car.txt
            """)

    @Option(
        help: ArgumentHelp(
            "Compare with the dashboard: 97310, 60500mi.",
            discussion: "Without km or mi the number has the unit of --units.",
            valueName: "distance"), transform: OdometerOption.init)
    var odometer: OdometerOption?

    @Option(help: ArgumentHelp("Compare with the VIN on the windscreen.", valueName: "vin"))
    var vin: VINOption?

    @Option(
        help: ArgumentHelp(
            "Treat this reason as known: cluster-replaced.",
            discussion: "Contradictions that the reason explains become notes. The option "
                + "can be repeated.", valueName: "reason"))
    var known: [UsedCarExplanation] = []

    @Option(
        help: ArgumentHelp(
            "Write a page to this file: .html, .pdf.",
            discussion: "An earlier page is replaced; any other file stays.", valueName: "file"),
        completion: .file())
    var to: String?

    @Flag(help: "Exit with 1 if something contradicts or is odd.")
    var exitCode = false

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--to writes a page: leave --format and --json out") {
            $0.to != nil && $0.output.explicitFormat != nil
        },
        OptionRule("check asks every ECU: leave --ecu out") { $0.vehicle.ecu != nil },
    ]

    func run() throws {
        try OutputFile.check(
            to, isNoneOf: [vehicle.database.file, OutputFile.replayed(vehicle.device)])
        try PagePrinter.check(to)
        let table = try loadTable(tables, automatic: tables.automaticPacks)
        var isDoubtful = false
        try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .maybeSilent())) {
            connection in
            let services = try connection.services()
            let line = ModuleScanLine(output)
            defer { line.clear() }
            let shown = UsedCarScan.Shown(
                odometer: odometer?.kilometres(output.units),
                hasNamedUnit: odometer?.hasNamedUnit ?? false, windscreen: vin?.vin,
                earlier: { vin, time in
                    // A recording may be older than what the database has.
                    guard connection.key != nil,
                        let store = try? vehicle.database.open(.readOnly)
                    else { return nil }
                    return (try? store.odometer(ofVehicle: vin.text, at: time)) ?? nil
                })
            let scan = try UsedCarScan(
                connection, services, shown, try CodeWords(vehicle.database, connection),
                progress: line.show)
            line.clear()
            if let failure = connection.failure(of: scan.asked) { throw failure }
            let tables = PIDTables.vinTables()
            let report = UsedCarReport(
                scan, known: Set(known), make: { tables.title(of: $0) }, output.form)
            let grade = report.findings.grade
            isDoubtful = grade == .contradiction || grade == .odd
            try write(report)
            ScanRecord.keep(
                scan.asked, lists: scan.condition.codes.lists, of: scan.condition.vin, connection,
                services, vehicle.database, output)
        }
        if exitCode && isDoubtful { throw Failure.silent(.findings) }
    }

    private func write(_ report: UsedCarReport) throws {
        guard let to else {
            var writer = TextOutput.standard
            return try report.print(&writer)
        }
        try PagePrinter.write(report.page, to: to, "used car check", output)
    }
}

/// A distance as the dashboard shows it.
struct OdometerOption: Hashable, Sendable {
    private var number: Double
    private var isInMiles: Bool?

    /// Reads a distance; a point or a comma before three digits is a thousand to some and a fraction to others.
    init(_ argument: String) throws {
        var text = argument.lowercased().filter { $0 != " " }
        let units = [
            ("km", false), ("kilometres", false), ("kilometers", false), ("mi", true),
            ("mile", true), ("miles", true),
        ]
        if let (unit, isMile) = units.first(where: { text.drop { !$0.isLetter } == $0.0 }) {
            text.removeLast(unit.count)
            isInMiles = isMile
        }
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        if parts.count > 2 || parts.count == 2 && parts[1].count == 3 {
            throw ValidationError(
                "\(argument) has two meanings: write the distance without a point or comma, such as "
                    + parts.joined())
        }
        guard let number = Double(text), (0..<3_000_000).contains(number) else {
            throw ValidationError("\(argument) is not a distance: 97310, 60500mi")
        }
        self.number = number
    }

    /// Whether the user wrote the unit.
    var hasNamedUnit: Bool { isInMiles != nil }

    /// The distance in km; without a unit, the number has that of `units`.
    func kilometres(_ units: UnitSystem) -> Double {
        isInMiles ?? (units.conversion(from: "km")?.unit == "mi")
            ? number * UsedCarFindings.kilometresPerMile : number
    }
}

/// A whole VIN.
struct VINOption: ExpressibleByArgument, Hashable, Sendable {
    var vin: VIN

    init?(argument: String) {
        guard let vin = VIN(argument.uppercased().filter { $0 != " " }) else { return nil }
        self.vin = vin
    }
}

extension UsedCarExplanation: ExpressibleByArgument {
    /// The reason with this word; nil for any other word.
    public init?(argument: String) { self.init(word: argument) }

    /// All words.
    public static var allValueStrings: [String] { allCases.map(\.rawValue) }

    /// All words.
    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
