import Adapters
import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import Reports
import SystemIO
import TripImport
import TripStore

/// `obdscan import`: reads logs of other programs and our own exports.
struct ImportCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Read logs and exports of obdscan and other programs.",
        discussion: """
            Reads obdscan's JSON Lines and CSV (long and wide), and the logs of other programs: \
            Car Scanner, Torque, OBD Fusion and OBDLink, BlueDriver, OBD Auto Doctor, RomRaider, \
            RaceChrono, TrackAddict, Harry's LapTimer, Freematics, AndrOBD, the database on a WiCAN's \
            memory card, and CSV with a time and one column per signal. A column is a PID of the \
            vehicle if the program says so, or if its name is that of a PID, no other column claims the same PID \
            and the PID can have all of its values. Any other column keeps its name: speeds of satellites, \
            calculated values and sensors of the phone are no answers of the vehicle. --map says what \
            names in other languages mean. A valid VIN in a column called VIN sets the trip's \
            vehicle. Units are converted to metric ones (--units us or imperial says which gallons \
            a file has). Times without a zone are local (the variable TZ). A zone may be a word: CET, EST, \
            GMT+2, Europe/Berlin. CST is a zone in China and in America: the local zone decides, else obdscan asks. \
            In dates with dots the day is first. In other dates of numbers the whole file shows the order; if it does not, \
            as in 2/3/2024, obdscan asks for the day (--date). AM or PM in capital letters says that the month is first. \
            If the clock of a file starts again, each part is a trip, 1 s after the one before.

            Many logs do not say their day, or only count seconds. obdscan takes the beginning from \
            the file's name, such as 2021-11-19 16-45-25.csv; --date sets the beginning of other files.

            Logs of a CAN bus are read too: candump, Vector ASC, PEAK TRC, OVMS CRTD, and tables with \
            columns for identifier and data, such as those of SavvyCAN, python-can, Kvaser and CSS \
            Electronics. obdscan takes the answers to OBD and UDS requests from \
            them, with the tables of --table and --pack. With a table or a DBC file, frames that \
            ECUs send by themselves get their values; known parameter groups of SAE J1939 get them \
            without a table. Of each signal, a value that changed is stored, but a number at most once \
            per second and any other value at most ten times per second. A value that stays is stored \
            every five seconds, and the state "not available" once. Counters and checksums are not stored.

            A file is stored completely or not at all. A file that cannot be used is named, and the \
            other files are imported; the exit code is that of the first such file. If a line of our own exports cannot be read, \
            obdscan names it and stores nothing of the file (exit code 65). Lines of other \
            programs that cannot be read, and cells that should be numbers and are not, are counted \
            and left out; a file of which nearly no line can be read is refused. Importing a file \
            again adds nothing. With other options that find more in it, such as --table or --map, the new trips \
            replace those of the earlier import; obdscan trips undo brings these back. If an earlier trip has a \
            name, a tag, a note or more readings, or was split, joined, shifted or published, obdscan stores \
            nothing and says which trip to delete first. To add another obdscan database, use obdscan db merge.

            EXAMPLES
              obdscan import trip.jsonl
              obdscan import trackLog.csv --name "To the sea"
              obdscan import drive.csv --date 2021-11-19
              obdscan import candump.log --pack hyundai-kia-ev
              obdscan trips list
            """)

    @Argument(help: ArgumentHelp("Files to read.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(help: ArgumentHelp("Name the trip.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Use this day for a log that does not name one.",
            discussion: "2021-11-19, or with the time \"2021-11-19 16:45\".",
            valueName: "day"))
    var date: String?

    @Option(
        name: .customLong("map"),
        help: ArgumentHelp(
            "Read the meaning of a log's names from this file.",
            discussion: "Each line is NAME = SIGNAL, such as Drehzahl = RPM.",
            valueName: "path"),
        completion: .file())
    var map: String?

    @Option(help: ArgumentHelp("Import only the frames of this channel.", valueName: "can0"))
    var channel: String?

    @Option(
        help: ArgumentHelp(
            "Add a PID table or a DBC file; may be repeated.", valueName: "file"),
        completion: .file())
    var table: [String] = []

    @OptionGroup var tables: TableOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let name { try TripReference.check(name: name) }
        if let date, WallClock(date) == nil {
            throw ValidationError("\"\(date)\" is not a day such as 2021-11-19")
        }
    }

    /// The options that apply to every file.
    private func source(_ table: PIDTable) throws -> ImportSource {
        var source = ImportSource()
        source.start = date.flatMap { WallClock($0) }
        source.channel = channel
        source.monitors = try loadMonitorTables()
        guard let map else { return source }
        let lines = try contents(of: map)
        do throws(ImportFault) {
            source.names = try ImportSource.names(lines, table)
        } catch {
            throw Failure(
                "\(map):\(error.line): \(error.reason)", hint: "obdscan pids list", status: .badData
            )
        }
        return source
    }

    func run() throws {
        try tables.checkThatPacksAreNamed()
        let table = try loadTable(tables, adding: table)
        var source = try source(table)
        var writer = TextOutput.standard
        var store: TripStore?
        var rows = RowWriter(
            output.format, columns: ["path", "trips", "known", "deleted", "replaced", "readings"])
        var faulty: [(file: String, failure: Failure)] = []
        for file in files {
            source.fileName = file.split(separator: "/").last.map(String.init) ?? file
            let found = try usable(file, &faulty) { try checked(file, table, source) }
            guard let run = found else { continue }
            for note in run.notes { output.note("\(file): \(note)") }
            let open = try store ?? database.open(.readWrite)
            store = open
            let progress = ProgressLine(output)
            let stored = try usable(file, &faulty) {
                defer { progress.clear() }
                return try run.store(in: open) { done, all in
                    progress.show(Double(done) / Double(max(all, done, 1)), "imported")
                }
            }
            guard let result = stored else { continue }
            if let name {
                for trip in result.trips {
                    try open.setName(name, ofTrip: trip)
                }
            }
            try print(file, result, &rows, &writer, open)
        }
        guard let first = faulty.first else { return }
        let names = faulty.map(\.file).joined(separator: ", ")
        output.note(
            "\(faulty.count) of \(files.count) files \(faulty.count == 1 ? "was" : "were") "
                + "not imported: \(names)")
        throw Failure.silent(first.failure.status)
    }

    /// The result of `body` for a file; nil if the file cannot be used and there are others, which do not
    /// depend on that file.
    private func usable<Value>(
        _ file: String, _ faulty: inout [(file: String, failure: Failure)],
        _ body: () throws -> Value
    ) throws -> Value? {
        var failure: Failure
        do {
            return try body()
        } catch let fault as Failure {
            failure = fault
        } catch let fault as FileError {
            failure = Failure(fault)
        } catch let fault as ImportFault where fault.isQuestion {
            let command = "obdscan import \(shellWord(file))"
            failure = Failure("\(file):\(fault.line): \(fault.reason)", status: .badData)
            // The days that a time may mean are the answers to its question.
            if let day = fault.days.first {
                let others = fault.days.dropFirst().map { ", or --date \($0)" }.joined()
                failure.hint = "\"\(command) --date \(day)\"\(others)"
            } else if let zone = fault.zones.first {
                let others = fault.zones.dropFirst().map { ", or TZ=\($0)" }.joined()
                failure.hint = "\"TZ=\(zone) \(command)\"\(others)"
            } else if fault.needsGallons {
                failure.hint = "\"\(command) --units us\", or --units imperial"
            } else {
                failure.message = "\(file): \(fault.reason)"
                failure.hint = command + " --date 2021-11-19"
            }
        } catch let fault as ReplacementFault {
            failure = Failure("\(file): \(fault.text)", hint: fault.hint, status: .badData)
        } catch let fault as ImportFault {
            failure = Failure(
                "\(file):\(fault.line): \(fault.reason)",
                hint: "nothing of the file was stored; correct or remove the line",
                status: .badData)
        }
        if files.count == 1 { throw failure }
        tellOnStandardError(failure.text)
        faulty.append((file, failure))
        return nil
    }

    /// A file that was read to its end without a fault.
    private func checked(
        _ file: String, _ table: PIDTable, _ source: ImportSource
    ) throws -> ImportRun {
        var input = try InputFile(path: file)
        var beginning = try input.beginning()
        if beginning.starts(with: "SQLite format 3".utf8), let log = try Self.memoryCard(file) {
            (input, beginning) = (InputFile(path: file, contents: log), log)
        }
        guard let format = ImportFormat(beginning) else {
            throw Self.failure(of: file, beginning)
        }
        let run = try ImportRun(
            input, format, standard: table, units: output.units, source: source)
        if run.isEmpty, let frames = run.frames { throw Self.failure(of: file, frames) }
        return run
    }

    /// The log on the memory card of a WiCAN adapter; nil for another database.
    private static func memoryCard(_ file: String) throws(Failure) -> [UInt8]? {
        do throws(WiCANLog.Fault) {
            return try WiCANLog.text(at: file)
        } catch {
            switch error {
            case .unreadable(let reason):
                throw Failure("\(file): the database cannot be read: \(reason)", status: .badData)
            case .tooLong:
                throw Failure("\(file) has more than ten million values", status: .badData)
            }
        }
    }

    /// Why frames of a bus make no trip.
    private static func failure(of file: String, _ frames: FrameCount) -> Failure {
        if frames.diagnostic == 0, frames.heard ?? 0 == 0 {
            return Failure(
                "\(file): \(frames.text)",
                hint: frames.all == 0
                    ? "a trip needs the time of each frame; \"obdscan decode\" reads logs without times, and "
                        + "\"obdscan import --help\" lists the forms"
                    : "record the bus while a scan tool asks the vehicle", status: .badData)
        }
        return Failure(
            "\(file): \(frames.text), "
                + "but no table decodes their answers",
            hint: "add a table with --table or --pack; 'obdscan pids packs' lists the packs",
            status: .badData)
    }

    /// Why a file with this beginning cannot be imported, and which command reads it.
    private static func failure(of file: String, _ beginning: [UInt8]) -> Failure {
        if beginning.isEmpty {
            return Failure("\(file) is empty", hint: "nothing was stored", status: .badData)
        }
        if beginning.starts(with: "SQLite format 3".utf8) {
            return Failure(
                "\(file) is a database",
                hint: "\"obdscan db merge \(file)\" adds its trips", status: .badData)
        }
        if let failure = BinaryFile.known(file, beginning) { return failure }
        if Transcript.isTranscript(beginning) {
            return Failure(
                "\(file) is a recorded conversation",
                hint:
                    "\"obdscan decode\" reads it; \"obdscan log -d replay:\(file)\" makes a trip of it",
                status: .badData)
        }
        return Failure(
            "\(file): this is not a log that obdscan knows, or it has no column with a time",
            hint: "\"obdscan import --help\" names the forms that are read", status: .badData)
    }

    private func print(
        _ file: String, _ result: ImportRun.Result, _ rows: inout RowWriter,
        _ writer: inout TextOutput, _ store: TripStore
    ) throws {
        try writer.print(result.row(path: file), &rows)
        if output.format == .text { try writer.writeLine(result.line(path: file)) }
        let codes = result.codes.isEmpty ? "" : "\"obdscan dtc history\" shows its trouble codes"
        if !codes.isEmpty { output.note("\(file): \(codes)") }
        for trip in result.trips {
            guard
                let other = try store.imports(alongside: trip).first(where: {
                    !result.trips.contains($0)
                })
            else { continue }
            output.note(
                "\(file): trip \(other) begins and ends at the same moments: if it is from the same "
                    + "file, \"obdscan trips delete \(other)\" removes it")
        }
        if !result.replaced.isEmpty {
            output.note(
                "\(file): \"obdscan trips undo\" brings back the trips that were replaced")
        }
        for trip in result.deleted {
            output.note(
                "\(file): trip \(trip) came from it and was deleted; \"obdscan trips undo\" brings back "
                    + "the last deletion, and db compact allows a new import")
        }
        try writer.flush()
    }
}

extension ReplacementFault {
    /// Why nothing was stored.
    fileprivate var text: String {
        switch self {
        case .edited(let trip):
            "trip \(trip) came from this file, and was edited since"
        case .published(let trip):
            "trip \(trip) came from this file, and was published"
        case .poorer(let trips, let before, let now):
            "an earlier import found \(counted(before, "reading")) (trip "
                + "\(trips.map(String.init).joined(separator: ", "))), this one \(now)"
        }
    }

    fileprivate var hint: String {
        let trips =
            switch self {
            case .edited(let trip), .published(let trip): [trip]
            case .poorer(let trips, _, _): trips
            }
        return "nothing was stored; \"obdscan trips delete "
            + trips.map(String.init).joined(separator: " ") + "\" makes room for the new trip"
    }
}
