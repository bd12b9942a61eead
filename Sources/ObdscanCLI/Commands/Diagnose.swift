import ArgumentParser
import Formats
import OBDCore
import Reports
import SystemIO
import TripStore

/// `obdscan diagnose`.
struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Judge a recorded trip: is something off, and why?",
        discussion: """
            EXAMPLES
              obdscan diagnose
              obdscan diagnose --trip 12 --json
              obdscan diagnose causes
              obdscan diagnose causes vacuum-leak
            """,
        subcommands: [DiagnoseTripCommand.self, DiagnoseCausesCommand.self],
        defaultSubcommand: DiagnoseTripCommand.self)
}

/// `obdscan diagnose trip`: what the readings of a trip say about the vehicle.
struct DiagnoseTripCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip",
        abstract: "Judge a recorded trip.",
        discussion: """
            Finds operating points in the readings of a trip of any driver: idle, 2,500 rpm at \
            a standstill, steady speed, full load, and ignition on with the engine off. There it \
            measures the fuel correction (short and long trim together), the air meter against \
            pressure and speed, oxygen sensors, coolant, voltage, pressures and the unrest of the \
            idle, and compares each with what healthy vehicles show and with what each \
            cause predicts. Trouble codes, the check engine light and results of monitors (service 06) \
            of the trip, or of the nearest scan of the vehicle within a week, are evidence, too.

            It names a cause only if a healthy vehicle is improbable, and if each feature that the \
            cause requires is there by more than its error. It gives the evidence for and against \
            the cause, and the next test. Causes that look alike are named together. Otherwise it says that something is \
            off, or that nothing is odd. A stored code, the light or a failed monitor is never \
            "nothing odd". "Nothing odd" is about this drive only: a fault that \
            did not show in this drive is not found. Features that were not tested are listed with \
            the signals that they need. Flexible fuels, gas and hybrids are not judged where their values differ. A \
            probability is never certainty: make the test before you buy a part.

            For most features record RPM, VSS, ECT, IAT, MAF, MAP, BARO, AAT, LOAD_PCT, LOAD_ABS, \
            SHRTFT1, LONGFT1, FUELSYSA, LAMBDA, the oxygen sensors, EVAP_PCT and VPWR, about once \
            a second.

            FILES
              ~/.local/share/obdscan/causes/*.causes
                Your own causes; one of the same name replaces a built-in one.

            EXAMPLES
              obdscan diagnose
              obdscan diagnose --trip 12 --json
              obdscan log rpm vss ect iat maf map shrtft1 longft1 fuelsysa vpwr
            """)

    @Option(
        help: ArgumentHelp(
            "Judge this trip: its number, its name or latest.",
            discussion: "The option can be repeated. Without it, the latest trip is judged.",
            valueName: "trip"))
    var trip: [TripReference] = []

    @Flag(help: "Exit with 1 if a cause is named, or something is off.")
    var exitCode = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        let knowledge = try DriveKnowledge(causes: try loadCauses())
        var isOff = false
        var writer = TextOutput.standard
        var table = RowWriter(output.format, kinds: TripDiagnosis.keys)
        let numbers =
            trip.isEmpty
            ? [try store.latestTrip()]
            : try trip.map { try $0.text == "last" ? store.latestTrip() : $0.number(in: store) }
        for (place, number) in numbers.enumerated() {
            let found = try TripDiagnosis(
                of: try store.readings(ofTrip: number), in: store, knowledge)
            switch found.verdict.kind {
            case .cause, .several, .unclear: isOff = true
            case .nothing, .untestable: break
            }
            if output.format == .text {
                if place > 0 { try writer.write("\n") }
                try writer.write(found.text(output.form))
            } else {
                for row in found.rows { try writer.print(row, &table) }
            }
        }
        try writer.flush()
        if exitCode && isOff { throw Failure.silent(.findings) }
    }
}

/// `obdscan diagnose causes`.
struct DiagnoseCausesCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "causes",
        abstract: "List the causes that diagnose knows, or explain one.",
        discussion: """
            EXAMPLES
              obdscan diagnose causes
              obdscan diagnose causes vacuum-leak
            """)

    @Argument(help: ArgumentHelp("Explain this cause.", valueName: "cause"))
    var cause: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadCauses()
        guard let list = CauseList(table, id: cause) else {
            let known = table.causes.map(\.id)
            throw Failure(
                "the cause \"\(cause ?? "")\" is unknown",
                hint: (cause.flatMap { nearestName(to: $0, among: known) }
                    .map { "did you mean \($0)? " } ?? "")
                    + "list them: \"obdscan diagnose causes\"",
                status: .usage)
        }
        var writer = TextOutput.standard
        if output.format == .text {
            try writer.write(list.text(output.form))
        } else {
            var table = RowWriter(output.format, columns: CauseList.keys)
            for row in list.rows { try writer.print(row, &table) }
            try writer.append { table.finish(&$0) }
        }
        try writer.flush()
    }
}
