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
import VehicleScan

/// `obdscan monitor`: what is said on the bus.
struct MonitorCommand: ParsableCommand, OutputCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Watch the frames of a CAN bus; sends no request.",
        discussion: """
            Prints each frame until Ctrl-C or --duration. On can: and slcan: nothing is sent, and \
            an slcan adapter only listens. An ELM327-class adapter is asked with AT MA, after it \
            has found the vehicle; most of them are too slow for a busy bus.

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
                filters: filters, log: log, output: output, rates: rates,
                interface: connection.accessory.interfaceName)
            try watch.run(connection, duration: duration?.duration)
        }
    }
}

extension String {
    /// A word without blanks, as a log names whence a frame came.
    fileprivate var interfaceName: String {
        let last = split(separator: ":").last.map(String.init) ?? self
        let word = last.split(separator: "/").last.map(String.init) ?? last
        let plain = word.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return plain.isEmpty ? "can" : plain
    }
}

/// A log that frames are appended to.
private final class FrameLog {
    let descriptor: Int32
    let path: String

    init(path: String) throws(Failure) {
        try OutputFile.check(
            path, endsIn: ["log", "candump", "txt"], what: "the log is text in the form of candump",
            hint: "Name a file that ends in .log.")
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw Failure(outputFile: path, errno: errno) }
    }

    deinit { close(descriptor) }
}

/// Frames of a bus, printed, logged or counted.
private struct BusWatch {
    /// How many frames an identifier had.
    struct Count {
        var id: ECUAddress
        var frames = 0
        var seconds = 0.0
    }

    let filters: [CANFilter]
    let log: FrameLog?
    let output: OutputOptions
    let rates: Bool
    let interface: String
    private var counts: [ECUAddress: Int] = [:]
    private var lost = 0
    private var rows: RowWriter
    /// Identifiers that are counted at most; a bus has 2,048 of 11 bits.
    private static let mostIdentifiers = 4_096
    /// Longer than anybody listens; unit of the number: seconds (three years).
    private static let endless = Duration.seconds(100_000_000)

    init(
        filters: [CANFilter], log: FrameLog?, output: OutputOptions, rates: Bool, interface: String
    ) {
        self.filters = filters
        self.log = log
        self.output = output
        self.rates = rates
        self.interface = interface
        rows = RowWriter(output.format, columns: ["time", "id", "data"])
    }

    mutating func run(_ connection: Vehicle, duration: Duration?) throws {
        if duration == nil, isatty(STDERR_FILENO) == 1 { output.note("Ctrl-C ends the listening.") }
        let request = AdapterRequest.monitor(
            id: RequestID(rawValue: 0), text: AdapterCommand.monitorEverything,
            atMost: duration ?? Self.endless)
        var writer = TextOutput.standard
        var logWriter = log.map { TextOutput(descriptor: $0.descriptor) }
        let begun = SystemClock.now()
        do {
            let answer = try connection.scan.listen(
                request, interruptedBy: connection.interrupt,
                isInterrupted: { _ = connection.inbox?.next() },
                heard: { time, event in
                    if case .didLoseEvents(let count) = event { lost += count }
                    guard case .didProgress(.heardFrame(let frame)) = event, let id = frame.id,
                        filters.isEmpty || filters.contains(where: { $0.passes(id) })
                    else { return }
                    try take(
                        CANFrame(id, InlineBytes(frame.data)), at: connection.utc(time), &writer,
                        &logWriter)
                    try writer.flush()
                })
            if !answer.reply.statuses.isEmpty {
                throw Failure(
                    "\(connection.accessory): the adapter stopped: "
                        + answer.reply.statuses.map(\.text).joined(separator: ", "),
                    hint: "an adapter on can: or slcan: keeps up with a busy bus",
                    status: .unavailable)
            }
        } catch ScanError.requestFailed(.notSent, _) {
            throw Failure(
                "\(connection.accessory): this adapter cannot listen to the bus",
                hint: "an ELM327, an OBDLink, slcan: and can: can", status: .unavailable)
        }
        try flushLog(&logWriter)
        if log == nil, !rates, output.format != .text {
            try writer.append { rows.finish(&$0) }
            try writer.flush()
        }
        if rates { try printRates((SystemClock.now() - begun).seconds, &writer) }
        guard lost == 0 else {
            throw Failure(
                "\(lost) frames came faster than they were read, and are missing",
                hint: "--id shows fewer frames; --to FILE is faster than a terminal",
                status: .cannotCreate)
        }
    }

    private mutating func take(
        _ frame: CANFrame, at time: UTC, _ writer: inout TextOutput, _ log: inout TextOutput?
    ) throws {
        if rates {
            if counts[frame.id] != nil || counts.count < Self.mostIdentifiers {
                counts[frame.id, default: 0] += 1
            }
        }
        if log != nil {
            let line = CandumpLine(time: time, interface: interface, frame: frame)
            do {
                try log?.writeLine(line.text)
            } catch OutputError.failed(let number) {
                throw Failure(outputFile: self.log?.path ?? "", errno: number)
            }
            return
        }
        if rates { return }
        switch output.format {
        case .text:
            let bytes = frame.data.map { Hex.string([$0]) }.joined(separator: " ")
            try writer.writeLine("\(frame.id.digits)  [\(frame.data.count)]  \(bytes)")
        case .json, .csv:
            try writer.print(
                ItemRows.frame(id: frame.id, data: Array(frame.data), time: time), &rows)
        }
    }

    private func flushLog(_ log: inout TextOutput?) throws {
        do {
            try log?.flush()
        } catch OutputError.failed(let number) {
            throw Failure(outputFile: self.log?.path ?? "", errno: number)
        }
    }

    private func printRates(_ seconds: Double, _ writer: inout TextOutput) throws {
        var printer = RowPrinter(Self.shape, output.form)
        for (id, frames) in counts.sorted(by: { $0.key < $1.key }) {
            try writer.append {
                printer.append(Count(id: id, frames: frames, seconds: seconds), to: &$0)
            }
        }
        try writer.append { printer.finish(&$0) }
        try writer.flush()
    }

    /// How often an identifier was on the bus.
    private static let shape = RowShape<Count>(
        "frameRate",
        [
            Field("id", "ID", style: .bold) { .text($0.id.digits) },
            Field("frames", "FRAMES", .right) { .integer($0.frames) },
            Field("perSecond", "PER SECOND", .right) { count in
                .number(
                    count.seconds > 0
                        ? (Double(count.frames) / count.seconds * 10).rounded() / 10 : 0)
            },
        ])
}
