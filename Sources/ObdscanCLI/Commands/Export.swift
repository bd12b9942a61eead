import ArgumentParser
import Formats
import Glibc
import OBDCore
import PIDTables
import Reports
import SystemIO
import TripStore

extension TripFileFormat: Choice {}
extension TripTableForm.Layout: Choice {}
extension CSVGrid.Fill: Choice {}

/// Output options of `export`, which has its own formats.
struct ExportOutput: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Set the format (default: by the ending of the file).",
            discussion:
                "On standard output it is csv, or what the environment variable OBDSCAN_FORMAT says."
        ))
    var format: TripFileFormat?

    @Flag(name: .long, help: "Write JSON Lines; the same as --format json.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write values in these units (default: metric).",
            discussion: "OBDSCAN_UNITS and the configuration do not change it."))
    var units: UnitSystem = .metric

    @Flag(name: .shortAndLong, help: "Print errors only, no notes and no progress.")
    var quiet = false

    @Option(
        help: ArgumentHelp("Append a log of what happens to this file.", valueName: "file"),
        completion: .file())
    var logFile: String?
}

/// `obdscan export`: writes trips to files.
struct ExportCommand: RuledCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write trips to CSV, spreadsheets, JSON Lines, GPX, KML and other formats.",
        discussion: """
            The file's ending (.csv, .tsv, .xlsx, .jsonl, .ndjson, .json, .gpx, .kml, .lp, .db) or --format \
            sets the format. Without a trip it exports the latest one; --from and --until with a \
            date, --month, --vehicle, --tag and --all choose drives instead, of all vehicles and \
            together. Times also cut trips; +5m counts from the start of a trip. \
            Without --to, or with --to -, it writes to standard output. A file appears complete or \
            not at all. It replaces an earlier export in the same format, but no other file and no \
            database (.db). Standard \
            error says what was written.

            CSV is wide (one column per signal) or long (one line per reading). Wide CSV has a \
            line for each point in time at which something was read. With --every it has lines at \
            regular intervals, and --fill sets their values: the last value before, a straight \
            line between the values around it (at most a minute apart), or only the readings \
            until the next line; numbers are rounded to the step of their signal, \
            if obdscan's own table has it. The name of the first \
            column says which was used. Text that a \
            spreadsheet would take for a formula begins with an apostrophe. Positions are columns of a \
            wide table. With --local-time the first heading names the zone. A sheet (.xlsx) has \
            names in its headings, numbers with as many decimals as the signal has, the last value \
            of each second (--every sets another interval, --layout wide a row for each time), and \
            a second sheet, Summary; at most 1,048,575 lines.

            Programs that guess the type of a column read the ECU 7E8 as a number (7 with eight \
            zeros) and the PID 05 as 5. Declare these columns as text when you read long CSV. \
            DuckDB: read_csv('trip.csv', types = {'ecu': 'VARCHAR', 'service': 'VARCHAR', 'pid': \
            'VARCHAR', 'value': 'VARCHAR', 'raw': 'VARCHAR'}), then try_cast(value AS DOUBLE). \
            pandas: read_csv('trip.csv', dtype=str). Wide CSV needs no such declaration.

            JSON Lines and long CSV hold every reading; wide CSV and sheets leave some out, such as freeze \
            frames. JSON Lines hold everything in the order of time: the trip, readings, codes, monitors, \
            positions, events and notes. With --signal they hold readings only. GPX and KML hold the \
            positions with the values at each point, if they are at most 10 s old, and the notes \
            and marks as waypoints, at the position nearest in time, at most 5 s away. Line \
            protocol is what InfluxDB, VictoriaMetrics and Telegraf read, in nanoseconds. kuksa is \
            what the CSV provider of Eclipse Kuksa replays: signals that have a name in COVESA's \
            Vehicle Signal Specification, with the pauses between them. If several ECUs report one \
            of them, the first one counts; the light is on if any ECU says so, and codes of all ECUs are \
            added. A database (.db) holds the whole trips and can be merged elsewhere.

            \(Self.ruleText)

            EXAMPLES
              obdscan export --to trip.csv
              obdscan export 12 --every 100ms --fill linear --signal RPM --to trip.csv
              obdscan export 12 13 --to trips.jsonl
              obdscan export 12 --from +5m --until +10m --layout long --to part.csv
              obdscan export --from yesterday --until today --to yesterday.csv
              obdscan export --month 2026-11 --vehicle "Van 1" --to november.csv
              obdscan export 12 --to trip.gpx
              obdscan export --all --to - --format influx | curl --data-binary @- URL
            """)

    @Argument(help: ArgumentHelp("Numbers or names of trips.", valueName: "trip"))
    var trips: [TripReference] = []

    @Flag(
        help: ArgumentHelp(
            "Write all drives.",
            discussion: "A database gets what dtc, info and monitors recorded, too."))
    var all = false

    @OptionGroup var choice: TripChoice

    @Option(
        help: ArgumentHelp("Write to this file (default: standard output).", valueName: "file"),
        completion: .file())
    var to: String?

    @Option(help: "Lay CSV out wide or long; several trips are long.")
    var layout: TripTableForm.Layout?

    @Option(
        help: ArgumentHelp(
            "Write a line of wide CSV at this interval: 100ms, 1s.", valueName: "time"))
    var every: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Fill empty cells of wide CSV: last, linear or none.",
            discussion: "It needs --every."))
    var fill: CSVGrid.Fill?

    @Option(
        name: .customLong("signal"),
        help: ArgumentHelp("Write only this signal; may be repeated.", valueName: "signal"))
    var signals: [String] = []

    @Option(help: ArgumentHelp("Write only this ECU.", valueName: "id"))
    var ecu: ECUOption?

    @Flag(help: "Print times as seconds since the trip's start (CSV).")
    var relative = false

    @OptionGroup var style: TableStyleOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var form: ExportOutput

    /// The options of other commands, with the values that this command has.
    var output: OutputOptions {
        OutputOptions(format: .text, units: form.units, quiet: form.quiet, logFile: form.logFile)
    }

    static let rules: [OptionRule<Self>] = [
        OptionRule("--relative and --local-time exclude each other") {
            $0.relative && $0.style.localTime
        },
        OptionRule("--fill needs --every TIME") { $0.fill != nil && $0.every == nil },
        OptionRule("--every makes wide CSV: leave out --layout long") {
            $0.every != nil && $0.layout == .long
        },
        OptionRule("name trips, or choose them with --all, --tag or --vehicle") {
            !$0.trips.isEmpty && ($0.all || $0.choice.tag != nil || $0.choice.vehicle != nil)
        },
    ]

    func validate() throws {
        try checkRules()
        if form.json, let format = form.format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) exclude each other")
        }
    }

    /// Each name of `--signal`, with the names under which trips may store the signal.
    private func namedSignals() throws(Failure) -> [(name: String, recorded: [String])] {
        do throws(TableError) {
            let table = try PIDTables.standard()
            return signals.map { ($0, table.recordedNames(of: $0)) }
        } catch {
            throw Failure(error)
        }
    }

    func run() throws {
        let format = try chosenFormat()
        let needsCSV = style.delimiter != nil && format != .csv
        if needsCSV || style.localTime && !format.isTable {
            throw Failure(
                "\(needsCSV ? "--delimiter" : "--local-time") needs CSV, not \(format.rawValue)",
                hint: "name a file that ends in .csv, or set --format csv", status: .usage)
        }
        if format == .xlsx && (to == nil || to == "-") {
            throw Failure(
                "a sheet needs a file", hint: "name it with --to FILE.xlsx", status: .usage)
        }
        try OutputFile.check(to, isNoneOf: [database.file])
        if format != .sqlite { try OwnFile.trips(format).check(mayReplace: to) }
        let store = try database.open(.readOnly)
        let ids = try chosenTrips(store, withScans: all && format == .sqlite)
        try OutputFile.check(to, isNoneOf: store.files)
        if format == .sqlite {
            try writeDatabase(ids, store)
            return
        }
        let parts = try parts(of: ids, in: store)
        let progress = ProgressLine(output)
        var writer = TripFileWriter(
            parts: parts, units: form.units, progress: { progress.show($0, "exported") },
            isNarrowed: !signals.isEmpty, ecu: ecu?.address)
        try OutputFile.write(to) { file in
            switch format {
            case .csv: try writer.writeCSV(table(format, parts.count), &file)
            case .xlsx: try writer.writeSheet(table(format, parts.count), &file)
            case .json: try writer.writeJSON(&file)
            case .gpx: try writer.writeGPX(&file)
            case .kml: try writer.writeKML(&file)
            case .influx: try writer.writeLineProtocol(&file)
            case .kuksa: try writer.writeKuksa(&file)
            case .sqlite: break
            }
        }
        progress.clear()
        tell(writer.counts)
        if format == .csv || format == .xlsx {
            let positions =
                try parts.reduce(0) { try $0 + $1.positions() } - writer.counts.rowPositions
            if positions > 0 {
                output.note(
                    "\(counted(positions, "position")) left out: only a wide table of all signals "
                        + "holds them; --format gpx writes positions")
            }
        }
    }

    /// The chosen readings of trips.
    private func parts(of ids: [Int64], in store: TripStore) throws -> [TripReadings] {
        let named = try signals.isEmpty ? [] : namedSignals()
        var parts: [TripReadings] = []
        for id in ids {
            let start = try store.trip(id).start
            var selection = TripReadings.Selection()
            selection.signals = named.flatMap(\.recorded)
            selection.ecu = ecu?.address
            selection.from = choice.month?.start ?? choice.from?.utc(since: start)
            selection.to = choice.month?.end ?? choice.until?.utc(since: start)
            parts.append(try store.readings(ofTrip: id, selection))
        }
        if choice.from != nil || choice.until != nil || choice.month != nil {
            let whole = parts.map(\.trip)
            parts = try parts.filter { try $0.hasRecords() }
            if parts.isEmpty { throw Failure(noRecordsIn: whole) }
        }
        let found = Set(
            parts.flatMap { part in
                part.signals.map { part.table[$0.signal] }
                    .flatMap { [$0.id.lowercased(), $0.name.lowercased()] }
            })
        let missing = named.filter { found.isDisjoint(with: $0.recorded) }.map(\.name)
        if let first = missing.first {
            let known = try ids.flatMap { id in
                let whole = try store.readings(ofTrip: id)
                return whole.signals.map { whole.table[$0.signal].id }
            }
            let near = nearestName(to: first, among: known)
            throw Failure(
                "no trip has the signal \(missing.joined(separator: ", "))",
                hint: (near.map { "did you mean \($0)? " } ?? "")
                    + "\"obdscan trips show\" lists a trip's signals", status: .usage)
        }
        return parts
    }

    /// How CSV is laid out; a sheet of one trip has a row for each second.
    private func table(_ format: TripFileFormat, _ trips: Int) -> TripTableForm {
        let isSheet = format == .xlsx && trips == 1
        var form = TripTableForm()
        (form.layout, form.every, form.isRelative) = (layout, every?.duration, relative)
        (form.fill, form.isLocal) = (fill ?? form.fill, style.localTime)
        let ending = to.flatMap { OutputFile.ending(of: $0) }
        form.delimiter = style.delimiter ?? Delimiter(ending: ending)
        if isSheet, layout == nil, every == nil {
            (form.every, form.fill) = (TripTableForm.ofSheet.every, TripTableForm.ofSheet.fill)
        }
        return form
    }

    /// Reports the written data and the size of the file.
    private func tell(_ counts: TripFileWriter.Counts) {
        guard let to, let size = OutputFile.size(of: to) else { return }
        output.note("\(to): \(counts.text), \(byteText(size))")
    }

    private func chosenTrips(
        _ store: TripStore, withScans: Bool
    ) throws(Failure) -> [Int64] {
        if all || trips.isEmpty && choice.choosesTrips {
            try store.check(choice)
            return try store.existing(choice.filter(withScans: withScans)).map(\.id)
        }
        var ids: [Int64] = []
        for trip in trips {
            let id = try trip.number(in: store)
            if !ids.contains(id) { ids.append(id) }
        }
        return ids.isEmpty ? [try store.latestTrip()] : ids
    }

    /// The format of the option or the file name extension.
    private func chosenFormat() throws(Failure) -> TripFileFormat {
        let ending = to.flatMap { OutputFile.ending(of: $0) }
        if let format = form.json ? .json : form.format {
            // Kuksa's form has no ending of its own.
            if let to, let named = ending.flatMap({ TripFileFormat(ending: $0) }), named != format,
                format != .kuksa
            {
                throw Failure(CodeTable.Fault.otherForm(path: to, chosen: format.rawValue))
            }
            return format
        }
        guard let to, let ending else {
            return OutputOptions(format: nil).format == .json ? .json : .csv
        }
        guard let format = TripFileFormat(ending: ending) else {
            throw Failure(
                "\(to): unknown file ending",
                hint: "use .csv, .tsv, .xlsx, .jsonl, .gpx, .kml, .lp or .db, or set --format",
                status: .usage)
        }
        return format
    }

    /// Writes a new database with these trips.
    private func writeDatabase(_ ids: [Int64], _ store: TripStore) throws {
        guard let to, to != "-" else {
            throw Failure(
                "a database needs a file", hint: "name it with --to FILE.db", status: .usage)
        }
        if !signals.isEmpty || ecu != nil || choice.from != nil || choice.until != nil {
            throw Failure(
                "a database holds whole trips",
                hint: "leave out --signal, --ecu, --from and --until, or split the trip first",
                status: .usage)
        }
        guard access(to, F_OK) != 0 else {
            throw Failure(
                "\(to) exists already",
                hint:
                    "name a new file; \"obdscan db merge FILE\" adds the trips of a database to another",
                status: .cannotCreate)
        }
        let inbox = try SignalInbox(SignalInbox.endings)
        try OutputFile.writeDatabase(to) { place, cleanUp in
            let new = try TripStore(path: place)
            _ = try new.merge(from: store.path, only: ids) { _, _ in
                guard let signal = inbox.next() else { return }
                cleanUp()
                SignalInbox.die(of: signal)
            }
            try new.closeForMoving()
        }
        let trips = try mapped { () throws(StoreError) in
            var trips: [TripSummary] = []
            for id in ids { trips.append(try store.trip(id)) }
            return trips
        }
        tell(TripFileWriter.Counts(trips: trips))
    }
}
