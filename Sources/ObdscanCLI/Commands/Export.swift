import ArgumentParser
import Diagnostics
import Glibc
import OBDCore
import PIDTables
import TripExport
import TripStore

/// `obdscan export`: trips into files.
struct ExportCommand: ParsableCommand, OutputCommand {
    /// How CSV is laid out.
    enum Layout: String, Choice {
        /// A column a signal, a line a point in time.
        case wide
        /// A line a reading, with the keys of the JSON object as columns.
        case long
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write trips to CSV or JSON Lines.",
        discussion: """
            JSON Lines hold everything of a trip in the order of time: readings, monitors, test \
            results, codes, refusals, events, positions and notes; with --signal readings alone. CSV \
            holds readings.

            The format follows the file's ending (.csv, .jsonl, .ndjson, .json) or --format. Without \
            a trip the latest one is taken, without --to standard output. A file appears whole or \
            not at all.

            EXAMPLES
              obdscan export --to trip.csv
              obdscan export 12 13 --to trips.jsonl
              obdscan export 12 --layout long --signal RPM --signal VSS --to speeds.csv
            """)

    @Argument(help: ArgumentHelp("Numbers or names of trips.", valueName: "trip"))
    var trips: [TripReference] = []

    @Option(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
    var to: String?

    @Option(help: "How CSV is laid out; several trips are always long.")
    var layout: Layout?

    @Option(
        name: .customLong("signal"),
        help: ArgumentHelp("Only this signal; may be repeated.", valueName: "signal"))
    var signals: [String] = []

    @Option(help: ArgumentHelp("Only this ECU.", valueName: "id"))
    var ecu: ECUOption?

    @Flag(help: "Print times as seconds since the trip's start (CSV).")
    var relative = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if trips.count > 1 && layout == .wide {
            throw ValidationError("several trips fit no wide table: leave --layout wide out")
        }
    }

    func run() throws {
        let isCSV = try writesCSV()
        let store = try database.open(.readOnly)
        let ids =
            trips.isEmpty
            ? [try store.latestTrip()] : try trips.map { try $0.number(in: store) }
        var selection = TripReadings.Selection()
        selection.signals = signals
        selection.ecu = ecu?.address
        let all = try ids.map { id in
            try mapped { () throws(StoreError) in try store.readings(ofTrip: id, selection) }
        }
        try OutputFile.write(to) { writer in
            for (index, readings) in all.enumerated() {
                if isCSV {
                    try writeCSV(readings, isFirst: index == 0, &writer)
                } else {
                    try writeJSON(readings, &writer)
                }
            }
        }
    }

    /// Whether the file's ending or the option asks for CSV.
    private func writesCSV() throws(Failure) -> Bool {
        switch output.format {
        case .csv: return true
        case .json: return false
        case .text: break
        }
        guard let to else { return true }
        let ending = to.split(separator: ".").last.map { $0.lowercased() } ?? ""
        switch ending {
        case "csv": return true
        case "jsonl", "ndjson", "json": return false
        default:
            throw Failure(
                "\(to): no format goes by this ending",
                hint: "use .csv or .jsonl, or --format csv|json", status: .usage)
        }
    }

    private func writeCSV(
        _ readings: TripReadings, isFirst: Bool, _ writer: inout TextOutput
    ) throws {
        let times: TimeStyle = relative ? .seconds(since: readings.trip.start) : .utc
        let isWide = (layout ?? (trips.count > 1 ? .long : .wide)) == .wide
        if isWide {
            var csv = CSVWide(
                table: readings.table,
                columns: readings.signals.map { CSVWide.Column($0.signal, ecu: $0.ecu) },
                units: output.units, times: times)
            try writer.append { csv.appendHeader(to: &$0) }
            try readings.forEach { time, reading in
                try writer.append { csv.append(reading, time: time, to: &$0) }
            }
            try writer.append { csv.finish(&$0) }
        } else {
            var csv = CSVLong(table: readings.table, units: output.units, times: times)
            if isFirst { try writer.append { csv.appendHeader(to: &$0) } }
            try readings.forEach { time, reading in
                try writer.append { csv.append(reading, time: time, to: &$0) }
            }
        }
    }

    private func writeJSON(_ readings: TripReadings, _ writer: inout TextOutput) throws {
        let texts = PIDTables.codeTexts()
        var json = JSONLines(table: readings.table, units: output.units) { texts.text(of: $0) }
        if !signals.isEmpty {
            try readings.forEach { time, reading in
                try writer.append { json.append(reading, time: time, to: &$0) }
            }
            return
        }
        try readings.forEachRecord { time, record in
            if let ecu = ecu?.address, record.ecu != ecu { return }
            try writer.append { json.append(record, time: time, to: &$0) }
        }
    }
}

extension TripRecord {
    /// Whom it is from; nil for the adapter's and the user's own words.
    fileprivate var ecu: ECUAddress? {
        switch self {
        case .item(let item): item.ecu
        case .event(let event): event.ecu
        case .codeList(let ecu, _, _): ecu
        case .note, .position: nil
        }
    }
}

extension JSONLines {
    /// Appends whatever stands in a trip; what was a refusal or a fault when it was decoded is the
    /// same object as then.
    fileprivate mutating func append(
        _ record: TripRecord, time: UTC, to output: inout [UInt8]
    ) {
        switch record {
        case .item(let item): append(item, time: time, to: &output)
        case .note(let text): appendNote(text, time: time, to: &output)
        case .position(let place):
            var object = JSONObject()
            object.add("time", time)
            object.add("kind", "position")
            object.add("latitude", place.latitude)
            object.add("longitude", place.longitude)
            object.add("altitude", place.altitude)
            object.add("speed", place.speed)
            object.add("course", place.course)
            object.add("accuracy", place.accuracy)
            object.append(to: &output)
        case .codeList(let ecu, let kind, let count):
            var object = JSONObject()
            object.add("time", time)
            object.add("ecu", ecu?.description)
            object.add("kind", "codeList")
            object.add("list", kind.rawValue)
            object.add("codes", count)
            object.append(to: &output)
        case .event(let event):
            switch event.kind {
            case .negativeResponse:
                guard let service = event.service,
                    let nrc = event.code.flatMap({ Hex.bytes($0)?.first })
                else { break }
                append(
                    .negativeResponse(
                        NegativeResponse(service: service, nrc: NRC(rawValue: nrc)),
                        ecu: event.ecu, line: 0), time: time, to: &output)
                return
            case .linkError, .decodeError:
                appendError(
                    line: 0, reason: event.text, text: nil, ecu: event.ecu, time: time,
                    to: &output)
                return
            case .timeout, .adapterStatus, .linkLost, .reconnected, .gap, .codesCleared: break
            }
            appendEvent(
                event.kind.rawValue, text: event.text, ecu: event.ecu,
                seconds: event.duration?.seconds, time: time, to: &output)
        }
    }
}

/// A file that appears whole or not at all.
enum OutputFile {
    /// Writes what `body` writes to `path`, to standard output without one or for `-`.
    ///
    /// A file is written beside its place and moved there when it is complete; devices and pipes
    /// are written directly.
    static func write(
        _ path: String?, _ body: (inout TextOutput) throws -> Void
    ) throws {
        guard let path, path != "-" else {
            var writer = TextOutput.standard
            try body(&writer)
            try writer.flush()
            return
        }
        var status = stat()
        let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        let place = isSpecial ? path : path + ".partial"
        let flags = O_WRONLY | O_CLOEXEC | (isSpecial ? 0 : O_CREAT | O_TRUNC)
        let descriptor = open(place, flags, 0o644)
        guard descriptor >= 0 else { throw Failure(outputFile: path, errno: errno) }
        do {
            var writer = TextOutput(descriptor: descriptor)
            try body(&writer)
            try writer.flush()
        } catch {
            close(descriptor)
            if !isSpecial { unlink(place) }
            if case OutputError.failed(let number) = error {
                throw Failure(outputFile: path, errno: number)
            }
            throw error
        }
        let isWritten = close(descriptor) == 0 && (isSpecial || rename(place, path) == 0)
        guard isWritten else {
            let number = errno
            if !isSpecial { unlink(place) }
            throw Failure(outputFile: path, errno: number)
        }
    }
}
