import ArgumentParser
import Formats
import Reports
import Settings
import VehicleScan

/// `obdscan doctor`: finds out why an adapter or a vehicle does not answer.
struct DoctorCommand: ParsableCommand, OutputCommand {
    var speaksWhenQuiet: Bool { true }

    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why an adapter or vehicle does not answer.",
        discussion: """
            Checks the device file, permissions, link, adapter, voltage, bus and ECUs, in this \
            order. It prints what it found at each step, stops at the first fault and says how to \
            fix it. It changes nothing. With --adapter it also grades the adapter: which commands \
            of its claimed version answer, how fast it is alone, per request and while polling, \
            how many PIDs one request may have, and whether the count digit, headers and long \
            messages work. The figures hold for this adapter, this vehicle and this line rate. Here --adapter takes no value; the \
            dialect is always detected.

            EXAMPLES
              obdscan doctor
              obdscan doctor -d /dev/ttyUSB0 --adapter
              obdscan doctor --format json -d tcp:192.168.0.10:35000
            """)

    @Option(
        name: [.short, .customLong("device")],
        help: ArgumentHelp("Use this device, as in other commands.", valueName: "device"),
        completion: .file())
    var device: String?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp("Try only this vehicle protocol.", valueName: "protocol"))
    var vehicleProtocol: ProtocolOption?

    @Option(
        help: ArgumentHelp(
            "Write every byte with its time to this file.",
            discussion: "obdscan-transcript(5) describes the file.", valueName: "file"),
        completion: .file())
    var record: String?

    @Flag(help: "Grade the adapter: what it can do, and how fast.")
    var adapter = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadTable(tables)
        let printer = DoctorPrinter(output, further: adapter ? [AdapterGrade.keys] : [])
        var hasAdvice = false
        let run = DoctorRun(
            vehicle, output, grades: adapter,
            tell: {
                hasAdvice = hasAdvice || $0.fix != nil
                try printer.print($0)
            }, tellGrade: { try printer.print($0) })
        if let failure = try run.run(table) { throw Failure.silent(failure.status) }
        output.note(hasAdvice ? "no step failed; see the advice above" : "everything works")
    }

    private var vehicle: VehicleOptions {
        VehicleOptions(
            device: device,
            link: LinkOptions(
                vehicleProtocol: vehicleProtocol, record: record, database: database))
    }
}
