import Diagnostics
import Glibc
import OBDCore
import ScanSession
import Synchronization
import TripStore

/// One accessory's part of `obdscan log`: its session and its trip.
struct LogRecording: Sendable {
    let plan: LogPlan
    let vehicle: VehicleOptions
    /// The accessory as it was named, where there are several; nil = there is one.
    let accessory: String?
    let inbox: SignalInbox
    /// Shows how it goes; nil = this recording does, where anybody watches.
    var progress: LogProgress?

    /// Records until the end, whoever or whatever brings it.
    ///
    /// - Throws: why no trip could begin, or what became of printing; what ended a trip is in the
    ///   outcome.
    func run() throws -> LogOutcome {
        let sink = try TripSink()
        let prints = plan.output.format != .text
        let queue = prints || !plan.alarms.armed.isEmpty ? try BatchQueue(full: .refuse) : nil
        var sinks: [any ReadingSink] = [sink]
        let watch = plan.endLimits.map { DriveWatch($0, table: plan.table, start: Clock.now) }
        if let watch { sinks.append(watch) }
        if let queue { sinks.append(queue) }
        var needs = SessionNeeds(sinks: sinks, reconnect: .always, inbox: inbox)
        needs.accessory = accessory
        needs.take(plan.chosen.isEmpty ? plan.packRecords : plan.chosen.compactMap(\.record))
        needs.restsWhileVehicleIsOff = plan.battery != nil
        var outcome = LogOutcome()
        try withVehicle(vehicle, plan.output, plan.table, needs) { connection in
            outcome = try record(connection, sink, queue, watch)
        }
        return outcome
    }

    private func record(
        _ connection: Connection, _ sink: TripSink, _ queue: BatchQueue?, _ watch: DriveWatch?
    ) throws -> LogOutcome {
        var setup = try PollSetup.make(
            plan.chosen, plan.packRecords, connection, every: plan.every, plan.output)
        setup.protectBattery(plan.battery, connection)
        // Adapter and vehicle are set up and what is there to ask is known: a trip begins when its
        // first reading could.
        let start = TripStart(
            anchor: connection.anchor(at: Clock.now), accessory: connection.key, tags: plan.tags,
            name: plan.name)
        let trip = try mapped { () throws(StoreError) in
            try plan.store.startTrip(start, table: plan.table, limits: plan.writerLimits) {
                notice in
                if case .space = notice { sink.announceSpace() }
                announce(notice)
            }
        }
        sink.begin(trip, at: start.anchor.monotonic, asked: plan.every)
        // The writer tells the sink, and the sink has the writer: neither would ever go.
        defer { sink.end() }
        note(
            "Trip \(trip.trip) is being recorded in \(plan.store.path)"
                + (accessory == nil ? "; Ctrl-C ends it." : "."))
        progress?.begin(connection.scan)
        try plan.receiver?.start { fix in
            guard let position = TripPosition(fix) else { return true }
            return trip.offer(.position(position), at: fix.arrived)
        } lost: { seconds, since in
            let gap = TripEvent(
                .gap, text: "no position for \(clockText(seconds))", duration: .seconds(seconds))
            _ = trip.offer(.event(gap), at: since)
        }
        defer { plan.receiver?.stop() }
        var outcome = LogOutcome()
        let end: PollLoop.End
        do {
            end = try poll(
                connection, setup, trip, queue, watch, since: start.anchor.monotonic)
        } catch {
            try? trip.end(.failed, at: Clock.now)
            throw error
        }
        plan.receiver?.stop()
        let last = end.instant ?? Clock.now
        try mapped { () throws(StoreError) in try trip.end(end.reason, at: last) }
        if let words = end.words { note(words) }
        outcome.summary = Summary(statistics: connection.scan.statistics, trip: trip.trip)
        outcome.summary.explain(connection, all: plan.explains)
        outcome.summary.positions = plan.receiver?.counts
        if case .failed(let error) = end {
            outcome.failure = Failure(error, accessory: connection.accessory)
        }
        return outcome
    }

    /// Polls until the end; `queue` holds what is printed as well.
    private func poll(
        _ connection: Connection, _ setup: PollSetup, _ trip: TripWriter, _ queue: BatchQueue?,
        _ watch: DriveWatch?, since start: Instant
    ) throws -> PollLoop.End {
        let until = plan.duration.map { Clock.now + $0 }
        connection.scan.poll(setup.plan)
        let showsProgress = accessory == nil && LogProgress.isWatched(plan.output)
        let clearProgress = { if showsProgress { StatusLine.clear() } }
        defer { clearProgress() }
        var writer = TextOutput.standard
        var lines = try ReadingLines(plan.output, table: connection.table, accessory: accessory)
        var outage = Outage()
        var news = PollNews(accessory: connection.accessory)
        var bell = plan.alarms.bell(
            connection.table, plan.output, accessory: accessory, for: setup
        ) { note($0) }
        let prints = plan.output.format != .text
        var loop = PollLoop(
            connection, queue: queue, until: until, watch: watch,
            identity: VINQuery(connection, by: setup.profiles), prints: prints)
        return try loop.run(every: showsProgress ? .seconds(1) : nil) {
            LogProgress.show(connection.scan.statistics, since: start)
        } vehicle: { vin in
            _ = trip.offer(.vehicle(vin), at: Clock.now)
        } event: { time, event in
            if let entry = event.entry(&outage, at: time) {
                _ = trip.offer(.event(entry), at: time)
            }
            if let text = news.note(event) {
                clearProgress()
                note(text)
            }
        } batch: { batch in
            // What was asked before belongs to no trip, so it is not printed either.
            if batch.answered < start { return }
            bell?.take(batch)
            guard prints else { return }
            let time = connection.utc(batch.answered)
            try plan.printer.print { hasHeading in
                lines.hasHeading = hasHeading
                for item in batch.items { try lines.print(item, at: time, to: &writer) }
                if let voltage = batch.voltage {
                    try lines.print(voltage: voltage, at: time, to: &writer)
                }
                hasHeading = lines.hasHeading
                // Somebody else's heading must not come first.
                if accessory != nil { try writer.flush() }
            }
        } flush: {
            try writer.flush()
        }
    }

    // MARK: What is said

    /// A note, with the accessory's name where there are several.
    private func note(_ text: String) {
        plan.output.note(accessory.map { "\($0): \(text)" } ?? text)
    }

    /// Tells what became of storing; on the writer's thread.
    private func announce(_ notice: TripWriter.Notice) {
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

/// Whether the link is lost, and since when.
private struct Outage {
    var since: Instant?
}

extension ScanEvent {
    /// What a trip should hold of the event; nil = nothing, or what the exchange's batch tells.
    fileprivate func entry(_ outage: inout Outage, at time: Instant) -> TripEvent? {
        switch self {
        case .toolDidDisconnect(let error?):
            outage.since = outage.since ?? time
            return TripEvent(.linkLost, text: Failure(error).message)
        case .toolDidInitialize(let link):
            guard let since = outage.since else { return nil }
            outage.since = nil
            return TripEvent(.reconnected, text: link.title, duration: time - since)
        case .toolDidFailToInitialize(let failure):
            if case .noVehicle(let status) = failure {
                return TripEvent(.adapterStatus, text: status.text, code: status.rawValue)
            }
            return TripEvent(.linkError, text: Failure(failure, accessory: "the adapter").message)
        case .didReceiveError(let report):
            return report.reason == .unresponsive
                ? TripEvent(.linkError, text: "the adapter gave no prompt, even interrupted") : nil
        case .toolWillSleep: return TripEvent(.adapterStatus, text: "about to sleep")
        case .scanDidRest(let rest):
            return TripEvent(.gap, text: "asking is paused: \(rest.reason)")
        case .scanDidWake(let rest):
            let length = time - rest.since
            return TripEvent(
                .gap, text: "asking goes on after \(clockText(length.seconds)): \(rest.wakeReason)",
                duration: length)
        case .scanDidStart, .scanDidPause, .scanDidCancel, .toolDidConnect, .toolDidDisconnect(nil),
            .didSendCommand, .didReceiveResponses, .didReceiveVoltage, .didTimeOut, .didNotSend,
            .pollDidFinish, .didChangeState, .recordingFailed, .didProgress, .sessionDidEnd:
            return nil
        }
    }
}
