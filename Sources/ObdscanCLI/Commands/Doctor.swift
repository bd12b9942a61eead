import ArgumentParser
import Settings
import TripExport

/// `obdscan doctor`: why an accessory or a vehicle does not answer.
struct DoctorCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why an accessory or vehicle does not answer, and how to mend it.",
        discussion: """
            Walks from the device file through permissions, link, adapter, voltage and bus to the \
            ECUs, says what it found at each step, and stops at the first fault with the fix. \
            Nothing is changed.

            With --adapter it also tries what the adapter really is and can do: which commands of \
            its claimed version answer, how fast it is, whether count digit, several PIDs a request, \
            headers and long messages work. What the adapter speaks is always detected; unlike \
            elsewhere, --adapter takes no value here.

            EXAMPLES
              obdscan doctor
              obdscan doctor -d /dev/ttyUSB0 --adapter
              obdscan doctor --format json -d tcp:192.168.0.10:35000
            """)

    @Option(
        name: [.short, .customLong("device")],
        help: ArgumentHelp("The accessory, as in other commands.", valueName: "accessory"),
        completion: .file())
    var device: String?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp("The vehicle protocol to try alone.", valueName: "protocol"))
    var vehicleProtocol: ProtocolOption?

    @Option(
        help: ArgumentHelp(
            "Write every byte with its time to a file (obdscan-transcript(5)).", valueName: "file"),
        completion: .file())
    var record: String?

    @Flag(help: "Grade the adapter: what it claims, what it can do, how fast it is.")
    var adapter = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadTable(tables)
        let printer = DoctorPrinter(output, grades: adapter)
        let run = DoctorRun(
            vehicle, output, grades: adapter,
            tell: { try printer.print($0) }, tellGrade: { try printer.print($0) })
        if let failure = try run.run(table) { throw Failure.silent(failure.status) }
        output.note("everything works")
    }

    private var vehicle: VehicleOptions {
        VehicleOptions(
            device: device,
            link: LinkOptions(
                vehicleProtocol: vehicleProtocol, record: record, database: database))
    }
}
