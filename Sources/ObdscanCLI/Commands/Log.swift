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

            EXAMPLES
              obdscan log
              obdscan log --duration 30m rpm speed maf
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

    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp("A word to find the trip by; may be repeated.", valueName: "word"))
    var tags: [String] = []

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadTable(tables)
        let names = SignalNames(table)
        let selected = try signals.map { try names.find($0) }
        // Before the writer's thread exists: it inherits the mask.
        let signals = try SignalInbox(SignalInbox.endings)
        let store = try vehicle.database.open(.readWrite)
        let sink = try TripSink()
        let queue = output.format == .text ? nil : try BatchQueue(full: .refuse)
        var sinks: [any ReadingSink] = [sink]
        if let queue { sinks.append(queue) }
        let needs = SessionNeeds(sinks: sinks, reconnect: .always, inbox: signals)
        try withVehicle(vehicle, output, table, needs) { connection in
            let setup = try PollSetup.make(selected, connection, every: every?.duration, output)
            // Adapter and vehicle are set up and what is there to ask is known: a trip begins when
            // its first reading could.
            let start = TripStart(
                anchor: connection.anchor(at: Clock.now), accessory: connection.key, tags: tags)
            let trip = try mapped { () throws(StoreError) in
                try store.startTrip(start, table: table) { notice in
                    if case .space = notice { sink.announceSpace() }
                    output.announce(notice)
                }
            }
            sink.begin(trip, at: start.anchor.monotonic)
            output.note("Trip \(trip.trip) is being recorded in \(store.path); Ctrl-C ends it.")
            let run = LogRun(
                connection: connection, trip: trip, setup: setup, output: output,
                start: start.anchor.monotonic)
            let end: PollLoop.End
            do {
                end = try run.poll(queue, until: duration.map { Clock.now + $0.duration })
            } catch {
                try? trip.end(.failed, at: Clock.now)
                throw error
            }
            try mapped { () throws(StoreError) in try trip.end(end.reason, at: Clock.now) }
            try run.summarise()
            if case .failed(let error) = end {
                throw Failure(error, accessory: connection.accessory)
            }
        }
    }
}

/// A trip that is being recorded.
private struct LogRun {
    let connection: Connection
    let trip: TripWriter
    let setup: PollSetup
    let output: OutputOptions
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
        var lines = ReadingLines(output, table: connection.table)
        var wasLost = false
        var news = PollNews(accessory: connection.accessory)
        var loop = PollLoop(connection, queue: queue, until: until)
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
        case .failed(.linkLost): .linkLost
        case .failed: .failed
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
