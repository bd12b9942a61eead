import Accessory
import Adapters
import ArgumentParser
import Diagnostics
import Formats
import Glibc
import OBDCore
import ScanSession
import ScanTool
import SystemIO
import VehicleReports
import VehicleScan

/// `obdscan monitor`: shows the frames on the bus.
struct MonitorCommand: ParsableCommand, OutputCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Watch the frames of a CAN bus; sends no request.",
        discussion: """
            Prints each frame until Ctrl-C or --duration. On can: and slcan: nothing is sent, and \
            an slcan adapter only listens. An ELM327-class adapter is asked with AT MA, after it \
            has found the vehicle; most of them are too slow for a busy bus. With --id the adapter \
            itself leaves out the other frames (AT CF and AT CM, on an OBDLink STFPA and STM).

            --to writes a log in the form of candump -l, which obdscan decode and can-utils read.

            EXAMPLES
              obdscan monitor -d can:can0
              obdscan monitor -d slcan:/dev/ttyACM0 --id 7E8/7F8 --duration 10s
              obdscan monitor -d can:can0 --rates --duration 5s
              obdscan monitor -d can:can0 --to bus.log
            """)

    @Option(
        help: ArgumentHelp(
            "Show only this identifier; may be repeated.",
            discussion: "7E8 or 18DAF110; 7E8/7F8 has a mask of the bits that count.",
            valueName: "id"))
    var id: [String] = []

    @Option(
        help: ArgumentHelp("Stop after this time: 90s, 10m, 1h30m.", valueName: "time"))
    var duration: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Write the frames to a log in the form of candump -l.",
            valueName: "file"), completion: .file(extensions: ["log"]))
    var to: String?

    @Flag(help: "Print only the rate of each identifier at the end.")
    var rates = false

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        for text in id where CANFilter(text) == nil {
            throw ValidationError(
                "'\(printable(text))' is not an identifier: use 7E8, 7E8/7F8 or 18DAF110")
        }
    }

    func run() throws {
        var needs = SessionNeeds(vehicle: .optional)
        needs.listens = true
        needs.onlyListens = true
        let filters = id.compactMap { CANFilter($0) }
        let log = try to.map { path throws(Failure) in try FrameLog(path: path) }
        try withVehicle(vehicle, output, try loadTable(tables), needs) { connection in
            var watch = BusWatch(
                filters: filters, form: output.form, rates: rates,
                interface: connection.accessory.interfaceName,
                log: log.map { log in { try log.write($0) } })
            if duration == nil, isatty(STDERR_FILENO) == 1 {
                output.note("Ctrl-C ends the listening.")
            }
            var writer = TextOutput.standard
            do {
                try watch.run(connection, duration: duration?.duration, &writer)
            } catch let fault as BusWatch.Fault {
                try log?.flush()
                throw Failure(fault, accessory: connection.accessory)
            }
            try log?.flush()
        }
    }
}

extension String {
    /// The interface as a word without blanks, as a log names the source of a frame.
    fileprivate var interfaceName: String {
        let last = split(separator: ":").last.map(String.init) ?? self
        let word = last.split(separator: "/").last.map(String.init) ?? last
        let plain = word.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return plain.isEmpty ? "can" : plain
    }
}

/// A log to which frames are appended.
private final class FrameLog {
    private let descriptor: Int32
    private let path: String
    private var writer: TextOutput

    init(path: String) throws(Failure) {
        try OutputFile.check(
            path, endsIn: ["log", "candump", "txt"], what: "the log is text in the form of candump",
            hint: "name a file that ends in .log")
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        writer = TextOutput(descriptor: descriptor)
        if descriptor < 0 { throw Failure(outputFile: path, errno: errno) }
    }

    func write(_ line: String) throws {
        do throws(OutputError) { try writer.writeLine(line) } catch { throw fault(error) }
    }

    func flush() throws {
        do throws(OutputError) { try writer.flush() } catch { throw fault(error) }
    }

    private func fault(_ error: OutputError) -> any Error {
        if case .failed(let number) = error {
            Failure(outputFile: path, errno: number)
        } else {
            error
        }
    }

    deinit { close(descriptor) }
}

extension Failure {
    /// Why frames of a bus are missing.
    fileprivate init(_ fault: BusWatch.Fault, accessory: String) {
        switch fault {
        case .cannotListen:
            self.init(
                "\(accessory): this adapter cannot listen to the bus",
                hint: "an ELM327, an OBDLink, slcan: and can: can", status: .unavailable)
        case .adapterStopped(let statuses):
            self.init(
                "\(accessory): the adapter stopped: "
                    + statuses.map(\.text).joined(separator: ", "),
                hint: "an adapter on can: or slcan: keeps up with a busy bus",
                status: .unavailable)
        case .lostFrames(let count):
            self.init(
                "\(counted(count, "frame")) came faster than they were read, and are missing",
                hint: "--id shows fewer frames; --to FILE is faster than a terminal",
                status: .cannotCreate)
        }
    }
}
