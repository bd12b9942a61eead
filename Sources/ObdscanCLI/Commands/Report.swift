import Accessory
import Adapters
import ArgumentParser
import Diagnostics
import Formats
import Glibc
import OBDCore
import Reports
import Settings
import SystemIO

/// `obdscan report`: creates a bundle for a bug report.
struct ReportCommand: RuledCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Bundle what a bug report needs, with everything personal removed.",
        discussion: """
            Runs the doctor with the adapter's grade, reads vehicle information and codes, and \
            writes versions, findings and the recorded conversation into one text. VIN, serial \
            numbers of engine and adapter, Bluetooth addresses and the home folder are replaced by \
            X, also in hexadecimal. Read it before you publish it. Nothing is sent anywhere, \
            nothing is changed in the vehicle. A page about the vehicle to print is "obdscan dtc \
            report --to FILE". If the adapter cannot be opened, the text says why, \
            and the command fails.

            \(Self.ruleText)

            EXAMPLES
              obdscan report --to report.txt
              obdscan report -d /dev/ttyUSB0
            """)

    @Option(
        help: ArgumentHelp(
            "Write to this file instead of standard output.",
            discussion: "An earlier report is replaced; any other file stays.", valueName: "file"),
        completion: .file())
    var to: String?

    @Option(
        name: [.short, .customLong("device")],
        help: ArgumentHelp("Use this device, as in other commands.", valueName: "device"),
        completion: .file())
    var device: String?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp("Try only this vehicle protocol.", valueName: "protocol"))
    var vehicleProtocol: ProtocolOption?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("report writes text: leave --format and --json out") {
            $0.output.explicitFormat != nil
        }
    ]

    func run() throws {
        try OutputFile.check(to, isNoneOf: [database.file, OutputFile.replayed(device)])
        try OutputFile.checkText(to)
        try OwnFile.problem.check(mayReplace: to)
        let table = try loadTable(tables)
        let recording = try TemporaryFile()
        let options = VehicleOptions(
            device: device,
            link: LinkOptions(
                vehicleProtocol: vehicleProtocol, record: recording.path, database: database))
        var bundle = ReportBundle(try? options.address())
        var findings: [String] = []
        var isOpened = true
        var doctor = DoctorRun(
            options, output, grades: true,
            tell: {
                findings.append(Self.line($0.row))
                if !$0.isFine && $0.step < .adapter { isOpened = false }
            },
            tellGrade: { findings.append(Self.line($0.row)) })
        doctor.further = { try bundle.ask($0, $1) }
        output.note("asking the adapter and the vehicle …")
        let failure = try doctor.run(table)
        let text = bundle.text(
            findings: findings, recording: try contents(of: recording.path),
            version: ObdscanCommand.configuration.version, home: environment("HOME"))
        let path: String? = to
        try OutputFile.write(path) { file throws in try file.write(bytes: Array(text.utf8)) }
        if let to, !OutputFile.isStandardOutput(to) {
            output.note("\(to): read it before you publish it")
        }
        // If the adapter or vehicle does not answer, the user still needs the report.
        if let failure, !isOpened { throw failure }
    }

    private static func line(_ row: Row) -> String {
        var bytes: [UInt8] = []
        row.appendJSON(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A file that no other user can read, and that disappears with the process in any case.
private final class TemporaryFile {
    /// The path for opening the file; the file itself has no name any more.
    let path: String
    private let descriptor: Int32

    init() throws(Failure) {
        let folder = setting("TMPDIR") ?? "/tmp"
        var template = Array("\(folder)/obdscan-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        let name = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard descriptor >= 0 else { throw Failure(outputFile: name, errno: errno) }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        path = "/proc/self/fd/\(descriptor)"
    }

    deinit { close(descriptor) }
}
