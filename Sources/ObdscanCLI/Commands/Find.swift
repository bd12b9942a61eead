import ArgumentParser
import Diagnostics
import Formats
import PIDTables
import Reports
import SystemIO
import TripImport
import TripStore
import VehicleScan

/// `obdscan find`: finds the bits of a signal on a bus by its known course.
struct FindCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find the bits of a signal in the frames of a bus.",
        discussion: """
            Compares known values of a signal, such as the speed from OBD or numbers noted from \
            the dashboard, with the bits of all frames in a log of a CAN bus. It prints the \
            identifier, the bits and the formula that give these values, as a table that \
            "obdscan decode --table" reads. It sends nothing.

            --known is a CSV file. Its first column is the time, the next one has the values; \
            FILE.csv:COLUMN names another column. Times are dates, seconds since 1970, or \
            seconds from the first frame (from the clock of the log, if the log counts from its beginning). \
            Values may be rounded, rare (one in two seconds is enough) and up to one second \
            late or early. A unit in brackets in the heading, or --unit, is the unit of the table; \
            mph, mi, °F and psi become metric. trip:12:speed takes a signal of a recorded trip.

            The known values must move, up and down several times, or other numbers fit them, too. \
            Counters and checksums are left out. Messages whose bits depend on a switch are \
            searched for each of its values. Numbers of up to 32 bits are found, flags \
            and states are not.

            A wrong row is worse than none: without bits that give nearly all values, it says \
            "nothing found" and exits with 65. "other fields move alike" counts other bits that give \
            the values too: the speeds of four wheels, or a copy in another message. Test the row \
            on another drive: --check does so, and leaves out candidates that the second log refutes.

            \(Self.ruleText)

            EXAMPLES
              obdscan find speed --in candump.log --known obd.csv
              obdscan find speed --in candump.log --known trip:12:speed > speed.pids
              obdscan find rpm --in a.log --known a.csv --check b.log --check-known b.csv
              obdscan decode --table speed.pids candump.log
            """)

    @Argument(help: ArgumentHelp("The name for the signal.", valueName: "signal"))
    var signal: String

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("Search in this log of a bus.", valueName: "log"), completion: .file())
    var log: String

    @Option(
        help: ArgumentHelp(
            "Take the values of FILE.csv or trip:NUMBER:SIGNAL.",
            discussion: "FILE.csv:COLUMN names the column.", valueName: "values"),
        completion: .file())
    var known: String

    @Option(help: ArgumentHelp("Set the unit of the known values.", valueName: "unit"))
    var unit: String?

    @Option(
        help: ArgumentHelp("Search only the frames of this bus of the log.", valueName: "name"))
    var channel: String?

    @Option(
        help: ArgumentHelp(
            "Leave out the bits of this PID table or DBC file.",
            discussion: "May be repeated.", valueName: "file"),
        completion: .file())
    var table: [String] = []

    @Option(help: ArgumentHelp("Show at most this many candidates.", valueName: "number"))
    var top = 5

    @Option(
        help: ArgumentHelp("Test the candidates on this log.", valueName: "log"),
        completion: .file())
    var check: String?

    @Option(
        help: ArgumentHelp(
            "Take the known values for --check from here.",
            discussion: "As for --known.", valueName: "values"),
        completion: .file())
    var checkKnown: String?

    @OptionGroup var tables: TableOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--top needs 1 or more") { $0.top < 1 },
        OptionRule("--check needs --check-known, and --check-known needs --check") {
            ($0.check == nil) != ($0.checkKnown == nil)
        },
    ]

    func run() throws {
        let values = try values(known)
        var bits: KnownBits?
        if !table.isEmpty {
            bits = KnownBits(try loadTable(tables, adding: table))
        }
        let bus = try readLog(log)
        var second: (log: BusLog, values: KnownValues)?
        if let check, let checkKnown {
            second = (try readLog(check), try self.values(checkKnown))
        }
        let found: FoundSignal
        do throws(KnownValues.Fault) {
            found = try FoundSignal(
                signal, values, in: bus, known: bits, most: top, check: second)
        } catch {
            throw Failure(error, at: known)
        }
        var writer = TextOutput.standard
        if output.format == .text {
            try writer.write(found.text)
        } else {
            var table = RowWriter(output.format, kinds: FoundSignal.keys)
            for row in found.rows { try writer.print(row, &table) }
        }
        try writer.flush()
        if !found.isFound { throw Failure(found.explanation) }
    }

    /// The known values that an option names.
    private func values(_ place: String) throws -> KnownValues {
        if place.hasPrefix("trip:") { return try tripValues(place) }
        var (file, column) = (place, String?.none)
        if !Files.exists(place), let mark = place.lastIndex(of: ":") {
            file = String(place[..<mark])
            column = String(place[mark...].dropFirst())
        }
        let bytes = try contents(of: file)
        do throws(KnownValues.Fault) {
            let values = try KnownValues(csv: bytes, column: column, unit: unit)
            if values.leftOut > 0 {
                output.note("\(file): \(values.leftOut) rows have no time or no number")
            }
            return values
        } catch {
            throw Failure(error, at: file)
        }
    }

    private func tripValues(_ place: String) throws -> KnownValues {
        let words = place.split(separator: ":", maxSplits: 2).map(String.init)
        guard words.count == 3, let trip = TripReference(argument: words[1]) else {
            throw Failure(
                "\"\(place)\" names no signal of a trip", hint: "write trip:12:speed",
                status: .usage)
        }
        let store = try database.open(.readOnly)
        let readings = try store.readings(ofTrip: try trip.number(in: store))
        do {
            return try KnownValues(
                of: readings,
                names: [words[2]] + [SignalNames.standardSignal(words[2])].compactMap(\.self))
        } catch let fault as KnownValues.Fault {
            throw Failure(fault, at: place)
        }
    }

    private func readLog(_ file: String) throws -> BusLog {
        let input = try InputFile(path: file)
        guard let form = FrameLogForm(beginning: try input.beginning()) else {
            throw Failure(
                "\(file) is not a log of a CAN bus",
                hint: "candump, GVRET, ASC, TRC, CRTD and tables of frames are read",
                status: .badData)
        }
        var log = BusLog(form, channel: channel)
        try input.forEachPiece { log.read($0) }
        log.finish()
        guard log.recording.frames > 0 else {
            throw Failure(
                "\(file): no line could be read as a frame"
                    + (channel.map { " of \"\($0)\"" } ?? ""),
                hint: log.unreadable > 0 ? "the frames need times" : nil, status: .badData)
        }
        if log.unreadable > 0 {
            output.note("\(file): \(log.unreadable) lines could not be read")
        }
        return log
    }
}
