import Diagnostics
import Glibc
import OBDCore
import Reports
import ScanSession
import Synchronization
import SystemIO
import TripRecorder
import VehicleScan

/// The session and the trip of one device in `obdscan log`.
struct LogRecording: Sendable {
    var plan: LogPlan
    let vehicle: VehicleOptions
    /// The device as the user named it, if there are several; nil = there is one.
    let accessory: String?
    let inbox: SignalInbox
    /// Shows the progress; nil = this recording shows its progress itself if stderr is a terminal.
    var progress: LogProgress?

    /// Records until the end for any reason.
    ///
    /// - Throws: Why no trip could begin, or an error of printing; the outcome contains the end of
    ///   a trip.
    func run() throws -> LogOutcome {
        let begun = SystemClock.now()
        var current = self
        current.plan.heard = plan.heard?.fresh()
        var outcome = try current.recordVehicle()
        while outcome.meetsAnother {
            try outcome.printSummary(plan, of: accessory)
            let passed: Duration = SystemClock.now() - begun
            current.plan.duration = plan.duration.map { max(.zero, $0 - passed) }
            current.plan.heard = plan.heard?.fresh()
            outcome = try current.recordVehicle()
        }
        return outcome
    }

    private func recordVehicle() throws -> LogOutcome {
        let sink = try TripSink(keepsFirst: plan.hearsSignals)
        let prints = plan.output.format != .text
        let isWatched = prints || !plan.alarms.armed.isEmpty || plan.hearsSignals
        let queue = isWatched ? try BatchQueue(full: .refuse) : nil
        var sinks: [any ReadingSink] = [sink]
        let watch = plan.endLimits.map {
            TripEndDetector($0, table: plan.table, start: SystemClock.now())
        }
        if let watch { sinks.append(watch) }
        if let queue { sinks.append(queue) }
        let unsupported = try UnsupportedSignals(plan.table)
        if !plan.chosen.isEmpty { sinks.append(unsupported) }
        let lights = plan.readsCodes ? try LightChanges(plan.table) : nil
        if let lights { sinks.append(lights) }
        var needs = SessionNeeds(sinks: sinks, reconnect: .always, inbox: inbox)
        needs.accessory = accessory
        needs.hear(plan.heard)
        if !plan.onlyListens { plan.packs.add(to: &needs, for: plan.chosen) }
        needs.restsWhileVehicleIsOff = plan.battery != nil
        var outcome = LogOutcome()
        try withVehicle(vehicle, plan.output, plan.table, needs) { connection in
            outcome = try record(connection, sink, queue, watch, unsupported, lights)
        }
        return outcome
    }

    private func record(
        _ connection: Vehicle, _ sink: TripSink, _ queue: BatchQueue?, _ watch: TripEndDetector?,
        _ unsupported: UnsupportedSignals, _ lights: LightChanges?
    ) throws -> LogOutcome {
        let setup =
            try plan.onlyListens
            ? PollSetup(heard: plan.heard?.named ?? [])
            : polled(connection, watchesLight: lights != nil)
        var outcome = LogOutcome()
        let begun = SystemClock.now()
        if let end = try listen(connection, for: sink, queue) {
            connection.scan.stop()
            if let words = plan.heard?.listener.frames.lastNews() { note(words) }
            outcome.summary = PollSummary(statistics: connection.scan.statistics)
            outcome.patience = end.patience
            outcome.failure =
                switch end {
                case .failed(let error): Failure(error, at: connection.accessory)
                case .finished: Failure(BusWatch.Fault.cannotListen, at: connection.accessory)
                default:
                    Failure(
                        "\(connection.accessory): no trip was made, because no value was heard",
                        hint: "\"obdscan monitor\" shows the frames", status: .unavailable)
                }
            return outcome
        }
        progress?.begin(connection.scan)
        var session = PollSession(news: PollNews(accessory: connection.accessory))
        var (end, trip): (PollLoop.End, Int64)
        while true {
            (end, trip) = try TripRecording.run(plan.trip, on: connection, from: sink) { notice in
                if let news = TripNews(notice) { note(news.text) }
            } body: { recording in
                note(
                    "Trip \(recording.number) is being recorded in \(plan.trip.store.path)"
                        + (accessory == nil ? "; Ctrl-C ends it." : "."))
                plan.marks.begin(recording) { mark in
                    if LogProgress.isWatched(plan.output) { StatusLine.clear() }
                    note(TripRecording.Mark.words(mark))
                }
                defer { plan.marks.end(recording) }
                var rest = self
                let passed: Duration = SystemClock.now() - begun
                rest.plan.duration = plan.duration.map { max(.zero, $0 - passed) }
                return try rest.poll(
                    connection, setup, recording, &session, queue, watch, unsupported, lights)
            }
            if let words = end.words { note(words) }
            guard end.isBorder else { break }
            note(PollSummary.line(trip, plan.trip.store, plan.output))
            sink.awaitTrip()
            end = try awaitDrive(&session)
            guard case .vehicleIsOn(let time, afterLoss: false) = end else { break }
            sink.dropEarly(before: time + (.zero - .seconds(1)))
        }
        outcome.summary = PollSummary(statistics: connection.scan.statistics, trip: trip)
        outcome.summary.explain(connection, all: plan.explains, tellsPace: plan.output.verbose)
        outcome.summary.take(plan.trip.store, plan.output)
        outcome.summary.unsupported = unsupported.records
        outcome.summary.positions = plan.trip.receiver?.counts
        outcome.patience = end.patience
        switch end {
        case .otherVehicle: outcome.meetsAnother = true
        case .vehicleIsOn:
            // The adapter may be in another vehicle, which a new session finds out.
            connection.scan.stop()
            outcome.meetsAnother = true
        default: break
        }
        if end == .finished, plan.onlyListens {
            outcome.failure = Failure(BusWatch.Fault.cannotListen, at: connection.accessory)
        } else if case .failed(let error) = end {
            outcome.failure = Failure(error, at: connection.accessory)
        } else {
            outcome.failure = Failure(plan.trip.store.relocation)
        }
        return outcome
    }

    /// Listens until a table has a value of what is heard: with it a trip begins.
    ///
    /// - Returns: The reason why no value came; nil if a value came, or if the session polls.
    private func listen(
        _ connection: Vehicle, for sink: TripSink, _ queue: BatchQueue?
    ) throws -> PollLoop.End? {
        guard plan.onlyListens, let heard = plan.heard else { return nil }
        let until = plan.duration.map { SystemClock.now() + $0 }
        var news = PollNews(accessory: connection.accessory)
        var events: [(time: Instant, event: ScanEvent)] = []
        connection.scan.hear()
        while true {
            var waiting = WaitList()
            let signals = waiting.add(connection.interrupt)
            let told = waiting.add(connection.scan.eventDescriptor)
            let value = waiting.add(sink.firstDescriptor)
            waiting.add(deadline: until)
            waiting.add(deadline: SystemClock.now() + .seconds(1))
            waiting.wait()
            if waiting.isReady(value) { return nil }
            queue?.dropWithoutReadings()
            if waiting.isReady(signals), connection.inbox?.next() != nil { return .stopped }
            if waiting.isReady(told) {
                events.removeAll(keepingCapacity: true)
                connection.scan.nextEvents(&events)
            }
            for (_, event) in events {
                if let text = news.note(event) { note(text) }
                switch event {
                case .sessionDidEnd(let error): return .failed(error ?? .stopped)
                case .pollDidFinish: return .finished
                default: continue
                }
            }
            events.removeAll(keepingCapacity: true)
            let now = SystemClock.now()
            if let text = heard.listener.frames.news(at: now) { note(text) }
            if let until, now >= until { return .duration }
        }
    }

    /// The set-up for the records to request.
    private func polled(_ connection: Vehicle, watchesLight: Bool) throws -> PollSetup {
        let own = try plan.packs.settle(plan.chosen, on: connection) { plan.output.note($0) }
        var setup = try PollSetup.make(
            own.signals, own.records, connection, every: plan.trip.every
        ) {
            plan.output.note($0.text)
        }
        try connection.checkRecording(of: setup)
        setup.protectBattery(plan.battery, connection)
        if watchesLight { setup.watchLight(connection) }
        return setup
    }

    /// The part of a session that outlives its trips.
    private struct PollSession {
        /// The loop, once it has begun.
        var loop: PollLoop?
        var news: PollNews
        /// The newest batches before a drive: the first of them begin it.
        var early: [ReadingBatch] = []
    }

    /// How long a lost link ends a drive, like a standstill.
    private static let longestLoss = Duration.seconds(600)

    /// Waits for the next drive while the session leaves the vehicle alone, or looks for the link.
    private func awaitDrive(_ session: inout PollSession) throws -> PollLoop.End {
        guard var loop = session.loop else { return .finished }
        loop.border = .beginning
        (loop.identity, loop.codes, loop.others) = (nil, nil, [])
        session.early = []
        let end = try loop.run { _, event in
            if let text = session.news.note(event) { note(text) }
        } batch: { batch in
            session.early.removeAll { batch.answered - $0.answered > TripSink.earlyTime }
            session.early.append(batch)
        }
        session.loop = loop
        return end
    }

    /// Polls until the end; `queue` contains the data to print, too.
    private func poll(
        _ connection: Vehicle, _ setup: PollSetup, _ recording: TripRecording,
        _ session: inout PollSession, _ queue: BatchQueue?, _ watch: TripEndDetector?,
        _ unsupported: UnsupportedSignals, _ lights: LightChanges?
    ) throws -> PollLoop.End {
        let start = recording.start
        let until = plan.duration.map { SystemClock.now() + $0 }
        unsupported.begin(setup)
        if !setup.listens, session.loop == nil { setup.begin(on: connection.scan) }
        let showsProgress = accessory == nil && LogProgress.isWatched(plan.output)
        let clearProgress = { if showsProgress { StatusLine.clear() } }
        defer { clearProgress() }
        var lines = try ReadingLines(plan.output, table: connection.table, device: accessory)
        var recording = recording
        var bell = plan.alarms.bell(
            connection.table, plan.output.units, accessory: accessory, for: setup, note: note
        ) { $0.print(plan.output) }
        let prints = plan.output.format != .text
        let isRecorded = connection.isRecorded
        var loop =
            session.loop
            ?? PollLoop(
                connection, queue: queue, until: until, watch: watch,
                printer: prints ? plan.printer : nil)
        defer { session.loop = loop }
        if !setup.listens { loop.identity = VINQuery(connection, by: setup.profiles) }
        if plan.splitsDrives {
            let silent = (plan.battery ?? .init()).silence
            loop.border = .end(lost: Self.longestLoss, silent: silent)
        }
        if let lights {
            loop.codes = CodeWatch(connection, by: setup.profiles, lights) { [recording] list in
                recording.take(list)
            }
        }
        // If there are several devices, the code that waits for all of them marks all.
        if accessory == nil { loop.others.append((plan.marks.descriptor, plan.marks.take)) }
        loop.others.append(
            (
                unsupported.descriptor,
                {
                    guard
                        let text = unsupported.note(connection.table, isRecorded: isRecorded)
                    else { return }
                    clearProgress()
                    note(text)
                }
            ))
        let frames = plan.heard?.frames(of: setup)
        defer {
            if let text = frames?.lastNews() {
                clearProgress()
                note(text)
            }
        }
        func take(_ batch: ReadingBatch) throws {
            // Batches before the start do not belong to the trip, so they are not printed either.
            if batch.answered < start { return }
            bell?.take(batch)
            if setup.listens, let vin = batch.items.vin { recording.take(vin) }
            guard prints else { return }
            let time = connection.utc(batch.answered)
            try plan.printer.print { writer, hasHeading in
                lines.hasHeading = hasHeading
                for item in batch.items {
                    try lines.print(item, at: time, to: &writer)
                }
                if let voltage = batch.voltage {
                    try lines.print(voltage: voltage, at: time, to: &writer)
                }
                hasHeading = lines.hasHeading
            }
        }
        for batch in session.early { try take(batch) }
        return try loop.run(every: showsProgress || frames != nil ? .seconds(1) : nil) {
            if let text = frames?.news(at: SystemClock.now()) {
                clearProgress()
                note(text)
            }
            if showsProgress { LogProgress.show(connection.scan.statistics, since: start) }
        } vehicle: { vin in
            recording.take(vin)
        } event: { time, event in
            recording.take(event, at: time)
            if let text = session.news.note(event) {
                clearProgress()
                note(text)
            }
        } batch: {
            try take($0)
        }
    }

    // MARK: Messages

    /// A note, with the device's name if there are several.
    private func note(_ text: String) {
        plan.output.remark(accessory.map { "\($0): \(text)" } ?? text)
    }
}

extension LogOutcome {
    /// Prints the summary; `accessory` is the device if there are several.
    func printSummary(_ plan: LogPlan, of accessory: String?) throws {
        guard plan.output.format == .json else {
            for line in summary.lines {
                plan.output.remark(accessory.map { "\($0): \(line)" } ?? line)
            }
            return
        }
        let error = accessory == nil ? nil : failure?.message
        try plan.printer.print { writer, _ in
            try writer.print(summary.row(of: accessory, error: error), .json)
        }
    }
}

extension PollLoop.End {
    /// Why the drive is over, for people.
    var words: String? {
        switch self {
        case .vehicleOff(let end) where end.rule == .silence: "The vehicle is off: no ECU answers."
        case .vehicleOff: "The vehicle is parked: speed and engine speed have been 0."
        case .otherVehicle(let vin, _): "The adapter is in another vehicle now (VIN \(vin.text))."
        case .linkStaysLost: "The link was lost for ten minutes or longer."
        case .vehicleStaysSilent:
            "The vehicle is off: since the link was lost, no ECU has answered for a minute or longer."
        case .stopped, .duration, .finished, .failed, .vehicleRests, .vehicleIsOn: nil
        }
    }
}
