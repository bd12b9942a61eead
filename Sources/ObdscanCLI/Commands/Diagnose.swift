import ArgumentParser
import Formats
import Reports
import SystemIO
import TripStore

/// `obdscan diagnose`: what the readings of a trip say about the vehicle.
struct DiagnoseCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Judge a recorded trip: is something off?",
        discussion: """
            Finds operating points in the readings of a trip of any driver: idle, 2,500 rpm at \
            a standstill, steady speed, and ignition on with the engine off. There it measures the \
            fuel correction (short and long trim together), coolant, voltage, air pressure and the \
            unrest of the idle, and compares each with what healthy vehicles show.

            It says that something is off only if a value is far outside of that: beyond every \
            usual tolerance of sensors, injectors and fuel, with the error of its mean in its \
            favour. It names no cause. "Nothing odd" is about this drive only: a fault that did \
            not show in it is not found, and what was not tested is listed with the signals that \
            it needs. Flexible fuels, gas and hybrids are not judged where their values differ.

            For most features record RPM, VSS, ECT, SHRTFT1, LONGFT1, FUELSYSA, VPWR, MAP, BARO and \
            AAT, about once a second.

            \(Self.ruleText)

            EXAMPLES
              obdscan diagnose --trip 12
              obdscan diagnose --trip latest --json
              obdscan log rpm vss ect shrtft1 longft1 fuelsysa vpwr map baro aat
            """)

    @Option(
        help: ArgumentHelp(
            "Judge this trip: its number, its name or latest.",
            discussion: "The option can be repeated.", valueName: "trip"))
    var trip: [TripReference] = []

    @Flag(help: "Exit with 1 if something is off.")
    var exitCode = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("name a trip with --trip") { $0.trip.isEmpty }
    ]

    func run() throws {
        let store = try database.open(.readOnly)
        var isOff = false
        var writer = TextOutput.standard
        var table = RowWriter(output.format, kinds: TripDiagnosis.keys)
        for (place, reference) in trip.enumerated() {
            let number =
                reference.text == "last" ? try store.latestTrip() : try reference.number(in: store)
            let found = try TripDiagnosis(of: try store.readings(ofTrip: number))
            if found.verdict.kind == .unclear { isOff = true }
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
