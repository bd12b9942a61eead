import Accessory
import Adapters
import ArgumentParser
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import Reports
import ScanSession
import ScanTool
import SystemIO
import TerminalView
import VehicleScan

/// `obdscan monitor`: shows the frames on the bus.
struct MonitorCommand: RuledCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Watch the frames of a CAN bus.",
        discussion: """
            Prints each frame until Ctrl-C or --duration. Nothing is sent to the vehicle. An slcan \
            adapter listens only, and acknowledges nothing. An ELM327-class adapter listens with \
            AT MA for two seconds at each of the protocols 6, 7, 8 and 9 (or at that of --protocol) \
            until it hears frames; most of them are too slow for a busy bus. A SocketCAN interface \
            acknowledges the frames of others unless it is in listen-only mode; the first line says \
            so. With --id the adapter itself leaves out the other frames (AT CF and AT CM, on an \
            OBDLink STFPA and STM).

            Frames that came faster than they were read are counted, and the exit code is then 73. On \
            can: the number includes frames that the kernel or the interface lost. The kernel keeps \
            about 10,000 frames for root, and otherwise as many as net.core.rmem_max allows, \
            usually 500.

            With --table, and with signals or --values, it prints the values in the frames, one line \
            per change, as decode prints those of a log. A bus that speaks SAE J1939 needs no table. \
            Counters and checksums are left out unless they are named or --all prints each frame.

            --changes shows a line per identifier, with its rate and the age of its last frame. A byte that \
            changed within a second has a *, and one that changed within five a +. The key # marks \
            all changes so far as known. Then press a button in the vehicle: only the changes that the \
            button causes are marked. The key r forgets all changes, the space bar holds the view, q quits.

            --to writes a log in the form of candump -l, which obdscan decode and can-utils read. A \
            file that exists is refused (exit code 73), because a capture cannot be made again.

            EXAMPLES
              obdscan monitor -d can:can0
              obdscan monitor -d slcan:/dev/ttyACM0 --id 7E8/7F8 --duration 10s
              obdscan monitor -d can:can0 --rates --duration 5s
              obdscan monitor -d can:can0 --changes
              obdscan monitor -d can:can0 --time d --id 1A0
              obdscan monitor -d can:can0 --to bus.log
              obdscan monitor -d can:can0 --table car.dbc
              obdscan monitor -d can:can0 --table car.dbc Speed Motor.Torque
            """)

    @Argument(
        help: ArgumentHelp(
            "Print only the values of these signals.",
            discussion: "Message.Signal, or Signal for the signal of that name in each message.",
            valueName: "signal"))
    var signals: [String] = []

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

    @Option(
        help: ArgumentHelp(
            "Print the time of each frame as candump -t does.",
            discussion:
                "a is the time since 1970, d since the frame before, z since the first frame; all in seconds.",
            valueName: "a|d|z"))
    var time: FrameTime?

    @Flag(
        help: ArgumentHelp(
            "Print only the rate of each identifier at the end.",
            discussion: "CHANGED is hexadecimal; a bit that has changed is 1."))
    var rates = false

    @Flag(help: "Show the bytes that change, in a view of the whole bus.")
    var changes = false

    @Option(
        help: ArgumentHelp(
            "Print the values by this PID table or DBC file.",
            discussion: "May be repeated.", valueName: "file"),
        completion: .file())
    var table: [String] = []

    @Flag(help: "Print the values by the loaded tables.")
    var values = false

    @Flag(help: "Print the values of each frame, not only changes.")
    var all = false

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        for text in id where CANFilter(text) == nil {
            throw ValidationError(
                "'\(printable(text))' is not an identifier: use 7E8, 7E8/7F8 or 18DAF110")
        }
        try checkRules()
    }

    static let rules: [OptionRule<Self>] = [
        OptionRule("--rates counts frames; it prints no values") { $0.rates && $0.printsValues },
        OptionRule(
            "--changes is a view: --rates, --to, --time, --format and values do not go with it"
        ) {
            $0.changes
                && ($0.rates || $0.to != nil || $0.time != nil || $0.printsValues
                    || $0.output.format != .text)
        },
    ]

    /// Whether values are printed in place of frames.
    private var printsValues: Bool { values || all || !table.isEmpty || !signals.isEmpty }

    func run() throws {
        var needs = SessionNeeds(vehicle: .optional)
        needs.listens = true
        needs.onlyListens = true
        let filters = id.compactMap { CANFilter($0) }
        if changes { return try showChanges(filters, &needs) }
        let log = try to.map { path throws(Failure) in try FrameLog(path: path) }
        let loaded = try loadTable(tables, adding: table)
        let values = try printsValues ? values(by: loaded) : nil
        try withVehicle(vehicle, output, loaded, needs) { connection in
            let spoken = connection.scan.link?.capabilities.vehicleProtocol
            try log?.begin()
            defer {
                if let log, let to { output.note("\(to): \(counted(log.frames, "frame"))") }
            }
            var watch = BusWatch(
                filters: filters, form: output.form, rates: rates, times: time,
                interface: connection.accessory.interfaceName,
                log: log.map { log in { try log.write($0) } },
                values: values?(spoken?.family == .j1939 ? true : nil),
                note: { output.note($0) })
            if duration == nil, isatty(STDERR_FILENO) == 1 {
                output.note("Ctrl-C ends the listening.")
            }
            var writer = TextOutput.standard
            do {
                try watch.run(connection, duration: duration?.duration, &writer)
            } catch let fault as BusWatch.Fault {
                throw Failure(fault, at: connection.accessory)
            }
        }
    }

    /// Shows the bus in a view.
    private func showChanges(_ filters: [CANFilter], _ needs: inout SessionNeeds) throws {
        guard Terminal.takesScreens else {
            throw Failure(
                "--changes needs a terminal",
                hint: "--rates prints which bits have changed, --to FILE records the frames",
                status: .usage)
        }
        // Signals are blocked before any thread exists.
        needs.inbox = try .ofProcess()
        let screen = try SignalInbox(SignalInbox.screen)
        try withVehicle(vehicle, output, try loadTable(tables), needs) { connection in
            var view = BusScreen(
                connection, signals: screen,
                until: duration.map { SystemClock.now() + $0.duration },
                palette: output.form.palette
            ) { id in filters.isEmpty || filters.contains { $0.passes(id) } }
            var fault: BusWatch.Fault?
            do {
                let listening = try connection.scan.begin(
                    BusWatch.request(for: duration?.duration, filters))
                let statuses = try view.run(listening)?.reply.statuses ?? []
                if !statuses.isEmpty { fault = .adapterStopped(statuses) }
            } catch ScanError.requestFailed(.notSent, _) {
                fault = .cannotListen
            }
            if view.lost > 0 { fault = fault ?? .lostFrames(view.lost) }
            if let fault { throw Failure(fault, at: connection.accessory) }
        }
    }

    /// Makes the decoder of frames, once it is known whether the bus speaks SAE J1939.
    private func values(by loaded: PIDTable) throws -> (Bool?) -> BusValues {
        let choice = try BusValues.Choice(
            signals: signals, in: loaded, isEach: all,
            tables: table.map { path in path.split(separator: "/").last.map(String.init) ?? path })
        let knowledge = CodeKnowledge(texts: try loadCodeTexts())
        let monitors = try loadMonitorTables()
        return { isJ1939 in
            BusValues(output.form, loaded, monitors, knowledge, choice, isJ1939: isJ1939)
        }
    }
}

extension FrameTime: ExpressibleByArgument {}

extension String {
    /// The interface as a word without blanks, as a log names the source of a frame.
    fileprivate var interfaceName: String {
        let last = split(separator: ":").last.map(String.init) ?? self
        let word = last.split(separator: "/").last.map(String.init) ?? last
        let plain = word.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return plain.isEmpty ? "can" : plain
    }
}

/// A new log of frames; a file that exists is never touched, because a capture cannot be made again.
private final class FrameLog {
    private var descriptor: Int32 = -1
    private let path: String
    /// The number of frames that were written.
    private(set) var frames = 0
    private var writer = TextOutput(descriptor: -1)

    init(path: String) throws(Failure) {
        try OutputFile.check(
            path, endsIn: ["log", "candump", "txt"], what: "the log is text in the form of candump",
            hint: "name a file that ends in .log")
        self.path = path
        if Files.isRegular(path) { throw Self.exists(path) }
        do throws(FileError) {
            try OutputFile.checkFolder(of: path)
        } catch {
            throw Failure(error)
        }
    }

    private static func exists(_ path: String) -> Failure {
        Failure(
            "\(path) exists already", hint: "name a file that does not", status: .cannotCreate)
    }

    /// Makes the file; devices and pipes are opened.
    func begin() throws(Failure) {
        let isNew = !Files.exists(path)
        descriptor = open(
            path, O_WRONLY | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : 0), 0o666)
        if descriptor < 0 {
            throw errno == EEXIST ? Self.exists(path) : Failure(outputFile: path, errno: errno)
        }
        // A file that another program has made meanwhile is a capture, too.
        var status = stat()
        if !isNew, fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT == S_IFREG {
            throw Self.exists(path)
        }
        writer = TextOutput(descriptor: descriptor)
    }

    /// Writes lines at once, so that none is lost however the program ends.
    func write(_ lines: [String]) throws {
        do throws(OutputError) {
            for line in lines { try writer.writeLine(line) }
            try writer.flush()
            frames += lines.count { $0.hasPrefix("(") }
        } catch {
            if case .failed(let number) = error { throw Failure(outputFile: path, errno: number) }
            throw error
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
