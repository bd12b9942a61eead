import OBDCore
import Publishing
import Synchronization
import SystemIO
import TripStore

package enum SinkEnd: Hashable, Sendable {
    case drained
    case stopped
    /// The server could not be reached for a long time; with the reason.
    case unreachable(String)
    /// The user must change something on the server or in the settings; with the server's message.
    case refused(WriteDecision.StopReason, String)
    /// The sink can have only one vehicle, and the trips are of these.
    case severalVehicles([String])
    /// The trip database, or the file of cursors, cannot be used.
    case store(StoreError)
    /// The library cannot be used.
    case engine(EngineError)
}

package struct SinkReport: Hashable, Sendable {
    /// Number of accepted lines or messages.
    package var delivered = 0
    /// Number of refused lines or messages.
    package var refused = 0
    /// Requests, or connections.
    package var attempts = 0
    /// The current fault; nil = none.
    package var fault: String?
    /// The result of the last command that a broker forwarded; nil = there was none.
    package var command: String?
    /// Trips that are kept back.
    package var held = HeldTrips()
    /// Whether the file of cursors cannot be written, so that data is sent again after a restart.
    package var isForgetful = false
    /// How the sink ended; nil = it still runs.
    package var end: SinkEnd?

    /// A report of a sink that has not started.
    package init() {}
}

/// A report that one thread writes and another one reads.
package final class SinkState: Sendable {
    private let report = Mutex(SinkReport())
    /// Raised when more than a count of sent lines changes.
    private let changed: EventDescriptor?

    /// An empty report; `changed` is raised when more than a count of sent lines changes.
    package init(changed: EventDescriptor? = nil) { self.changed = changed }

    package var current: SinkReport { report.withLock { $0 } }

    func change(_ body: (inout SinkReport) -> Void) {
        let isNews = report.withLock { report in
            var before = report
            body(&report)
            (before.delivered, before.attempts) = (report.delivered, report.attempts)
            return before != report
        }
        // Several hundred batches per second would each wake up a thread without any news.
        if isNews { changed?.signal() }
    }

    /// Runs a sink to its end.
    func end(_ run: () throws -> SinkEnd) {
        let end: SinkEnd
        do {
            end = try run()
        } catch let error as StoreError {
            end = .store(error)
        } catch let error as EngineError {
            end = .engine(error)
        } catch {
            end = .unreachable("\(error)")
        }
        change { $0.end = end }
    }
}

/// Delivers trips as line protocol over HTTP, on its own thread.
package struct LineSink: Sendable {
    package var name: String
    package var address: SinkAddress
    /// The settings of the connection.
    package var setup: HTTPClient.Setup
    package var selection: SinkSelection
    package var database: String
    /// Whether the sink ends when all data is delivered.
    package var drains: Bool
    /// The least time between two points for A Better Route Planner.
    package var every = Duration.seconds(5)
    /// Sends the state of this computer; nil = it is not sent.
    package var heartbeat: Heartbeat?
    var connection: @Sendable (HTTPClient.Setup) throws -> any ServerConnection = {
        try HTTPClient($0)
    }
    /// The number of consecutive failures after which a drain ends.
    package static let mostFailures = 5
    /// The greatest number of lines in a request.
    package static let batchLines = 5_000
    /// If a request has at most this many refused lines, they are searched; more are only counted.
    static let mostSought = 16
    /// The greatest size of a request before compression; unit: bytes.
    package static let batchBytes = 1_000_000

    package init(
        name: String, address: SinkAddress, setup: HTTPClient.Setup, selection: SinkSelection,
        database: String, drains: Bool
    ) {
        self.name = name
        self.address = address
        self.setup = setup
        self.selection = selection
        self.database = database
        self.drains = drains
    }

    /// Delivers until all data is sent or `stop` is raised.
    ///
    /// `wake` is raised when the database changes.
    package func run(
        _ deliveries: DeliveryStore, _ state: SinkState, stop: EventDescriptor,
        wake: EventDescriptor
    ) {
        state.end {
            var run = try LineSinkRun(self, deliveries, state, stop: stop, wake: wake)
            return try run.run()
        }
    }
}

/// The state of a sink's thread.
private struct LineSinkRun {
    let sink: LineSink
    let deliveries: DeliveryStore
    let state: SinkState
    let stop: EventDescriptor
    let wake: EventDescriptor
    let client: any ServerConnection
    let feed: SinkFeed
    var pacer = RetryPacer()
    /// Whether the server accepted a heartbeat of this run.
    private var wasAccepted = false
    var heartbeat: Heartbeat?
    /// The size limit of a request; reduced after the server found a request too large.
    var byteLimit = LineSink.batchBytes
    /// When the next point for A Better Route Planner is due; nil = at once.
    var pointDue: Instant?
    /// The next batch, made and compressed while the last one was under way.
    var prepared: (batch: FeedBatch, body: HTTPBody?)?

    init(
        _ sink: LineSink, _ deliveries: DeliveryStore, _ state: SinkState, stop: EventDescriptor,
        wake: EventDescriptor
    ) throws {
        self.sink = sink
        heartbeat = sink.heartbeat
        self.deliveries = deliveries
        self.state = state
        self.stop = stop
        self.wake = wake
        client = try sink.connection(sink.setup)
        feed = try SinkFeed(
            database: sink.database, deliveries: deliveries, sink: sink.name,
            selection: sink.selection, limit: LineSink.batchLines)
    }

    mutating func run() throws -> SinkEnd {
        heartbeat?.begin(at: SystemClock.now(), drains: sink.drains)
        while true {
            if stop.isRaised { return .stopped }
            wake.take()
            try feed.refresh(now: SystemClock.utc)
            // The adapter may have moved to another vehicle since the start.
            if !feed.surplus.isEmpty { return .severalVehicles(feed.surplus) }
            let held = feed.held
            if state.current.held != held { state.change { $0.held = held } }
            if let end = beat() { return end }
            while let (batch, body) = try prepared ?? prepare() {
                prepared = nil
                if let end = try deliver(batch, body) ?? beat() { return end }
                if stop.isRaised { return .stopped }
            }
            if sink.drains {
                if heartbeat?.end() == true, let end = beat() { return end }
                return .drained
            }
            wait(for: .seconds(1), orWake: true)
        }
    }

    /// Sends the state of this computer if it is due; it has no cursor, and the next one replaces it.
    ///
    /// - Returns: why the sink cannot go on; nil = it can.
    private mutating func beat() -> SinkEnd? {
        guard heartbeat?.isDue(at: SystemClock.now()) == true, let heartbeat else { return nil }
        let machine = heartbeat.state(
            sink.database, deliveries, sink: sink.name, hasHistory: true)
        client.post(
            machine.line(tags: sink.selection.machineTags)[...], to: sink.address.writeURL)
        guard let answer = client.answer(stop: stop) else { return .stopped }
        switch WriteDecision(answer) {
        case .accepted:
            pacer.succeed()
            // An earlier run of the program may have stored a fault.
            if wasAccepted, state.current.fault == nil { return nil }
            wasAccepted = true
            try? deliveries.note(acceptedBy: sink.name, at: SystemClock.utc)
            state.change { $0.fault = nil }
        case .acceptedInPart(_, let words), .halve(let words, _), .again(let words, _): note(words)
        case .stop(let why, let words):
            note(words)
            return .refused(why, words)
        }
        return nil
    }

    /// The next batch; nil = there is none at the moment.
    private func prepare() throws -> (batch: FeedBatch, body: HTTPBody?)? {
        if let pointDue, !sink.drains, SystemClock.now() < pointDue { return nil }
        guard let batch = try feed.next() else { return nil }
        let isWhole = ItemForm(sink.address.kind) == nil && batch.lines.count <= byteLimit
        return (batch, isWhole ? HTTPBody(compressing: batch.lines[...]) : nil)
    }

    /// Sends a batch until the server has all of it that it takes; nil = it has.
    ///
    /// `body` is all of it, compressed.
    private mutating func deliver(_ batch: FeedBatch, _ body: HTTPBody?) throws -> SinkEnd? {
        // Traccar takes one position per request, a webhook one event.
        let form = ItemForm(sink.address.kind)
        var lines = LineBatch(batch.lines, limit: form == nil ? byteLimit : 1)
        let isPoint = sink.address.kind.isABRP
        if isPoint, batch.count > 0 { pointDue = SystemClock.now() + sink.every }
        var uncounted = 0
        var reason = ""
        while let part = lines.next {
            if let form {
                client.post(part.dropLast(), as: form, to: sink.address.writeURL)
            } else if let body, part.count == batch.lines.count {
                client.post(body, to: sink.address.writeURL)
            } else {
                client.post(part, to: sink.address.writeURL)
            }
            state.change { $0.attempts += 1 }
            if prepared == nil, !isPoint { prepared = try prepare() }
            guard let answer = client.answer(stop: stop) else { return .stopped }
            switch WriteDecision(answer, of: sink.address.kind) {
            case .accepted:
                pacer.succeed()
                lines.accept()
            case .acceptedInPart(let refused, let words):
                pacer.succeed()
                if refused >= lines.count {
                    lines.refuseAll(words)
                } else if refused <= LineSink.mostSought {
                    // The server keeps the good lines, so sending halves again changes nothing.
                    lines.halve(words)
                } else {
                    lines.accept()
                    uncounted += refused
                    reason = words
                }
            case .halve(let words, let isTooLarge):
                pacer.succeed()
                if isTooLarge { byteLimit = max(1_000, min(byteLimit, part.count) / 2) }
                lines.halve(words)
                // The request is wrong and not the lines, so keep the lines.
                if lines.isHopeless {
                    note(words)
                    return .refused(.everyLine, words)
                }
            case .stop(let why, let words):
                note(words)
                return .refused(why, words)
            case .again(let words, let after):
                let pause = pacer.fail(random: .random(in: 0...1), least: after)
                note(words)
                if sink.drains, client.isCertificateFault { return .refused(.certificate, words) }
                if sink.drains,
                    pacer.failures >= LineSink.mostFailures
                        || pause > RetryPacer.longest * 1.2
                {
                    return .unreachable(words)
                }
                wait(for: pause, orWake: false)
                if stop.isRaised { return .stopped }
                // The state may be newer by now, so a new point is made of all that the service does not have.
                if isPoint, !sink.drains {
                    try feed.takeBack(batch.key)
                    return nil
                }
            }
        }
        acknowledge(batch, lines.refused, uncounted, reason)
        return nil
    }

    private func acknowledge(
        _ batch: FeedBatch, _ refused: [LineBatch.Refused], _ uncounted: Int, _ reason: String
    ) {
        var list = refused.map { (payload: $0.line, reason: $0.reason) }
        // The server does not report which lines it refused.
        if uncounted > 0 { list.append((Array("\(uncounted) lines".utf8), reason)) }
        var isStored = true
        do throws(StoreError) {
            let now = SystemClock.utc
            try deliveries.acknowledge(
                batch.key, batch.table, batch.cursor, refused: list,
                uncounted: max(0, uncounted - 1), by: sink.name, at: now)
            if let settled = batch.settled {
                try deliveries.settle(batch.key, readings: settled, for: sink.name)
            }
        } catch {
            isStored = false
        }
        state.change {
            $0.delivered += batch.count - refused.count - uncounted
            $0.refused += refused.count + uncounted
            $0.fault = nil
            $0.isForgetful = !isStored
        }
    }

    private func note(_ words: String) {
        try? deliveries.note(fault: words, of: sink.name, at: SystemClock.utc)
        state.change { $0.fault = words }
    }

    private func wait(for pause: Duration, orWake: Bool) {
        var list = WaitList()
        _ = list.add(stop.descriptor)
        if orWake { _ = list.add(wake.descriptor) }
        list.add(deadline: SystemClock.now() + pause)
        list.wait()
    }
}
