import ArgumentParser
import Diagnostics
import Glibc
import OBDCore
import ScanSession
import TripStore

/// `obdscan log`: records a trip.
struct LogCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Record a trip to the database.",
        discussion: """
            Records until Ctrl-C, SIGTERM or --duration, and closes the trip. A lost link is had \
            back and the same trip goes on. Without signals everything current that the vehicle \
            supports is recorded, what changes slowly less often. With --format json or csv every \
            reading is printed as well.

            With --until-off the trip also ends when no ECU has answered for a minute (--silence), \
            or when speed and engine speed have been 0 for ten minutes (--standstill). A vehicle \
            that tells no engine speed, as electric ones do, counts as one whose engine stands; \
            start-stop and hybrid vehicles are driving as long as they move, or stand for less than \
            that. The voltage plays no part: smart alternators let it fall while the engine runs. \
            Engine and vehicle speed are recorded even if others were named.

            What was recorded is stored once a second (--commit-every) and survives a power cut. \
            When the disk is full, cannot be written or another program holds the database, some \
            200,000 readings are held in memory, and stored as soon as that works again; what had to \
            be dropped is noted as a gap. --fast leaves it to the system when data reaches the disk: \
            a killed program loses nothing by it, a power cut everything since the last checkpoint, \
            some megabytes; the database stays sound. A longer --commit-every spares SD cards and \
            loses as much more.

            EXAMPLES
              obdscan log
              obdscan log --duration 30m rpm speed maf
              obdscan log --until-off --keep 365d
              obdscan log --tag commute --db ~/trips.db
            """)

    @Argument(help: ArgumentHelp("Signals to record; all without.", valueName: "signal"))
    var signals: [String] = []

    @Option(help: ArgumentHelp("End after so long: 90, 90s, 10m, 1h30m.", valueName: "time"))
    var duration: Lapse?

    @Option(
        help: ArgumentHelp(
            "Ask for each signal so often, not as often as the link allows.", valueName: "time"))
    var every: Lapse?

    @Flag(help: "End when the vehicle is off.")
    var untilOff = false

    @Option(
        help: ArgumentHelp(
            "With --until-off: off means no answer for so long (60s).", valueName: "time"))
    var silence: Lapse?

    @Option(
        help: ArgumentHelp(
            "With --until-off: off means speed and engine speed 0 for so long (10m).",
            valueName: "time"))
    var standstill: Lapse?

    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp("A word to find the trip by; may be repeated.", valueName: "word"))
    var tags: [String] = []

    @Option(help: ArgumentHelp("What the trip is called.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "First delete drives that ended longer ago and have no name, tag or note.",
            valueName: "time"))
    var keep: Lapse?

    @Option(
        help: ArgumentHelp(
            "Store what was read so often (1s): what a power cut may cost.", valueName: "time"))
    var commitEvery: Lapse?

    @Flag(help: "Leave it to the system when data reaches the disk.")
    var fast = false

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if !untilOff && (silence != nil || standstill != nil) {
            throw ValidationError("--silence and --standstill belong to --until-off")
        }
        if let commitEvery, commitEvery.duration > .seconds(3600) {
            throw ValidationError("--commit-every is an hour at most")
        }
    }

    func run() throws {
        let table = try loadTable(tables)
        let names = SignalNames(table)
        var selected = try signals.map { try names.find($0) }
        if untilOff && !signals.isEmpty {
            // The rule needs them; nothing is asked twice.
            for name in ["01:0C", "01:0D"] {
                let needed = try names.find(name)
                if !selected.contains(where: { $0.record?.dataID == needed.record?.dataID }) {
                    selected.append(needed)
                }
            }
        }
        let chosen = selected
        let packRecords = tables.packRecords(in: table)
        // Before the writer's thread exists: it inherits the mask.
        let signals = try SignalInbox(SignalInbox.endings)
        let store = try vehicle.database.open(
            .readWrite, limits: TripStore.Limits(isFast: fast))
        try clearOld(store)
        if let note = store.advice { output.note(note) }
        let sink = try TripSink()
        let queue = output.format == .text ? nil : try BatchQueue(full: .refuse)
        var sinks: [any ReadingSink] = [sink]
        var watch: DriveWatch?
        if untilOff {
            let limits = TripEndRule.Limits(
                silence: silence?.duration ?? .seconds(60),
                standstill: standstill?.duration ?? .seconds(600))
            let listener = DriveWatch(limits, start: Clock.now)
            sinks.append(listener)
            watch = listener
        }
        if let queue { sinks.append(queue) }
        var needs = SessionNeeds(sinks: sinks, reconnect: .always, inbox: signals)
        needs.take(chosen.isEmpty ? packRecords : chosen.compactMap(\.record))
        try withVehicle(vehicle, output, table, needs) { connection in
            let setup = try PollSetup.make(
                chosen, packRecords, connection, every: every?.duration, output)
            // Adapter and vehicle are set up and what is there to ask is known: a trip begins when
            // its first reading could.
            let start = TripStart(
                anchor: connection.anchor(at: Clock.now), accessory: connection.key, tags: tags,
                name: name)
            var limits = TripWriter.Limits()
            if let commitEvery { limits.commitEvery = commitEvery.duration }
            let chosenLimits = limits
            let trip = try mapped { () throws(StoreError) in
                try store.startTrip(start, table: table, limits: chosenLimits) { notice in
                    if case .space = notice { sink.announceSpace() }
                    output.announce(notice)
                }
            }
            sink.begin(trip, at: start.anchor.monotonic)
            output.note("Trip \(trip.trip) is being recorded in \(store.path); Ctrl-C ends it.")
            let run = LogRun(
                connection: connection, trip: trip, setup: setup, output: output, watch: watch,
                start: start.anchor.monotonic)
            let end: PollLoop.End
            do {
                end = try run.poll(queue, until: duration.map { Clock.now + $0.duration })
            } catch {
                try? trip.end(.failed, at: Clock.now)
                throw error
            }
            let last = end.instant ?? Clock.now
            try mapped { () throws(StoreError) in try trip.end(end.reason, at: last) }
            if let words = end.words { output.note(words) }
            try run.summarise()
            if case .failed(let error) = end {
                throw Failure(error, accessory: connection.accessory)
            }
        }
    }

    /// Keeps the retention limit.
    private func clearOld(_ store: TripStore) throws {
        guard let keep else { return }
        let limit = UTC(
            microseconds: Clock.utc.microseconds - keep.duration.nanoseconds / 1000)
        let gone = try mapped { () throws(StoreError) in
            try store.deleteTrips(endedBefore: limit)
        }
        if !gone.isEmpty { output.note("\(gone.count) old trips were deleted (--keep).") }
    }
}

/// A trip that is being recorded.
private struct LogRun {
    let connection: Connection
    let trip: TripWriter
    let setup: PollSetup
    let output: OutputOptions
    let watch: DriveWatch?
    let start: Instant

    /// Polls until the end; `queue` holds what is printed as well.
    func poll(_ queue: BatchQueue?, until: Instant?) throws -> PollLoop.End {
        connection.scan.poll(setup.plan)
        if let vin = try connection.vin(by: setup.profiles) {
            _ = trip.offer(.vehicle(vin), at: Clock.now)
        }
        let showsProgress = !output.quiet && output.format == .text && isatty(STDERR_FILENO) == 1
        let clearProgress = { if showsProgress { writeToStandardError("\r\u{1B}[K") } }
        defer { clearProgress() }
        var writer = TextOutput.standard
        var lines = try ReadingLines(output, table: connection.table)
        var wasLost = false
        var news = PollNews(accessory: connection.accessory)
        var loop = PollLoop(connection, queue: queue, until: until, watch: watch)
        return try loop.run(every: showsProgress ? .seconds(1) : nil) {
            writeToStandardError("\r\(progress)\u{1B}[K")
        } event: { time, event in
            if let entry = event.entry(wasLost: &wasLost) {
                _ = trip.offer(.event(entry), at: time)
            }
            if let note = news.note(event) {
                clearProgress()
                output.note(note)
            }
        } batch: { batch in
            // What was asked before belongs to no trip, so it is not printed either.
            if batch.answered < start { return }
            let time = connection.utc(batch.answered)
            for item in batch.items { try lines.print(item, at: time, to: &writer) }
            if let voltage = batch.voltage {
                try lines.print(voltage: voltage, at: time, to: &writer)
            }
        } flush: {
            try writer.flush()
        }
    }

    /// What a person who watches sees of it.
    private var progress: String {
        let statistics = connection.scan.statistics
        return "\(clockText((Clock.now - start).seconds))  \(statistics.readings) readings  "
            + "\(fixed(statistics.readingsPerSecond, 1))/s"
    }

    /// Prints the figures.
    func summarise() throws {
        let summary = Summary(statistics: connection.scan.statistics, trip: trip.trip)
        guard output.format == .json else {
            output.note(summary.text)
            return
        }
        var writer = TextOutput.standard
        try writer.append { summary.append(to: &$0) }
        try writer.flush()
    }
}

extension PollLoop.End {
    /// What the database calls it.
    fileprivate var reason: EndReason {
        switch self {
        case .stopped: .stopped
        case .duration, .finished: .duration
        case .vehicleOff: .vehicleOff
        case .failed(.linkLost): .linkLost
        case .failed: .failed
        }
    }

    /// When the trip ended, where that was not just now.
    fileprivate var instant: Instant? {
        if case .vehicleOff(let end) = self { end.instant } else { nil }
    }

    /// Why the drive is over, for people.
    fileprivate var words: String? {
        guard case .vehicleOff(let end) = self else { return nil }
        switch end.rule {
        case .silence: return "The vehicle is off: no ECU answers any more."
        case .standstill: return "The vehicle is parked: speed and engine speed have been 0."
        }
    }
}

extension ScanEvent {
    /// What a trip should hold of the event; nil = nothing.
    fileprivate func entry(wasLost: inout Bool) -> TripEvent? {
        switch self {
        case .didTimeOut: return TripEvent(.timeout, text: "no complete answer in time")
        case .toolDidDisconnect(let error?):
            wasLost = true
            return TripEvent(.linkLost, text: Failure(error).message)
        case .toolDidInitialize(let link):
            defer { wasLost = false }
            return wasLost ? TripEvent(.reconnected, text: link.title) : nil
        case .scanDidStart, .scanDidPause, .scanDidCancel, .toolDidConnect, .toolDidDisconnect(nil),
            .toolDidFailToInitialize, .toolWillSleep, .didSendCommand, .didReceiveResponses,
            .didReceiveVoltage, .didReceiveError, .pollDidFinish, .didChangeState,
            .recordingFailed, .didProgress, .sessionDidEnd:
            return nil
        }
    }
}

extension OutputOptions {
    /// Tells what became of storing; on the writer's thread.
    fileprivate func announce(_ notice: TripWriter.Notice) {
        switch notice {
        case .space: return
        case .holding(let error, let items):
            note("\(Failure(error).message); \(items) readings are held in memory")
        case .dropped(let items): note("\(items) readings had to be dropped")
        case .recovered: note("storing works again")
        case .rejected(let items, let message): note("\(items) entries were left out: \(message)")
        }
    }
}
