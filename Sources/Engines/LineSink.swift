import OBDCore
public import Publishing
import Synchronization
public import SystemIO
public import TripStore

/// How a sink ended.
public enum SinkEnd: Hashable, Sendable {
    /// All that was there is delivered.
    case drained
    /// It was stopped.
    case stopped
    /// The server could not be reached for long; why.
    case unreachable(String)
    /// The server demands something that its user must change; what it said.
    case refused(WriteDecision.StopReason, String)
    /// The trip database, or the file of cursors, cannot be used.
    case store(StoreError)
    /// The library cannot be used.
    case engine(EngineError)
}

/// What a sink did until now.
public struct SinkReport: Hashable, Sendable {
    /// Lines or messages that were taken.
    public var delivered = 0
    /// Those that were refused.
    public var refused = 0
    /// Requests, or connections.
    public var attempts = 0
    /// What goes wrong; nil = nothing.
    public var fault: String?
    /// Trips that are kept back.
    public var held = HeldTrips()
    /// The file of cursors cannot be written: more is repeated after a restart.
    public var isForgetful = false
    /// How it ended; nil = it goes on.
    public var end: SinkEnd?

    /// Nothing yet.
    public init() {}
}

/// A report that a thread writes and another one reads.
public final class SinkState: Sendable {
    private let report = Mutex(SinkReport())
    /// Raised with each change.
    private let changed: EventDescriptor?

    /// A report of nothing; `changed` is raised when it changes.
    public init(changed: EventDescriptor? = nil) { self.changed = changed }

    /// The report as it is.
    public var current: SinkReport { report.withLock { $0 } }

    func change(_ body: (inout SinkReport) -> Void) {
        report.withLock { body(&$0) }
        changed?.signal()
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

/// Delivers trips as line protocol over HTTP; runs on a thread of its own.
public struct LineSink: Sendable {
    /// Its name.
    public var name: String
    /// Where it is.
    public var address: SinkAddress
    /// How it is talked to.
    public var setup: HTTPClient.Setup
    /// What it gets.
    public var selection: SinkSelection
    /// The trip database.
    public var database: String
    /// Whether it ends when nothing is left.
    public var drains: Bool
    /// How often in a row a drain may fail.
    public static let mostFailures = 5
    /// Lines of a request.
    public static let batchLines = 5_000
    /// Up to so many refused lines of a request are looked for; more are only counted.
    static let mostSought = 16
    /// Bytes of a request before it is compressed.
    public static let batchBytes = 1_000_000

    /// A sink.
    public init(
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

    /// Delivers until nothing is left or `stop` is raised.
    ///
    /// `wake` is raised when the database has changed.
    public func run(
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
    let client: HTTPClient
    let feed: SinkFeed
    var pacer = RetryPacer()
    /// What the server takes at once; smaller after it said that something was too large.
    var byteLimit = LineSink.batchBytes
    /// The next batch, made while the last one was under way.
    var prepared: FeedBatch?

    init(
        _ sink: LineSink, _ deliveries: DeliveryStore, _ state: SinkState, stop: EventDescriptor,
        wake: EventDescriptor
    ) throws {
        self.sink = sink
        self.deliveries = deliveries
        self.state = state
        self.stop = stop
        self.wake = wake
        client = try HTTPClient(sink.setup)
        feed = try SinkFeed(
            database: sink.database, deliveries: deliveries, sink: sink.name,
            selection: sink.selection, limit: LineSink.batchLines)
    }

    mutating func run() throws -> SinkEnd {
        while true {
            if stop.isRaised { return .stopped }
            wake.take()
            try feed.refresh(now: SystemClock.utc)
            let held = feed.held
            if state.current.held != held { state.change { $0.held = held } }
            while let batch = try prepared ?? feed.next() {
                prepared = nil
                if let end = try deliver(batch) { return end }
                if stop.isRaised { return .stopped }
            }
            if sink.drains { return .drained }
            wait(for: .seconds(1), orWake: true)
        }
    }

    /// Sends a batch until the server has all of it that it takes; nil = it has.
    private mutating func deliver(_ batch: FeedBatch) throws -> SinkEnd? {
        var lines = LineBatch(batch.lines, limit: byteLimit)
        var uncounted = 0
        var reason = ""
        while let part = lines.next {
            client.post(part, to: sink.address.writeURL)
            state.change { $0.attempts += 1 }
            if prepared == nil { prepared = try feed.next() }
            guard let answer = client.answer(stop: stop) else { return .stopped }
            switch WriteDecision(answer) {
            case .accepted:
                pacer.succeed()
                lines.accept()
            case .acceptedInPart(let refused, let words):
                pacer.succeed()
                if refused >= lines.count {
                    lines.refuseAll(words)
                } else if refused <= LineSink.mostSought {
                    // It keeps the good ones: sending halves of them again changes nothing.
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
                // Something is wrong with the request, not with its lines: nothing is given up.
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
                if sink.drains,
                    client.isCertificateFault || pacer.failures >= LineSink.mostFailures
                        || pause > RetryPacer.longest * 1.2
                {
                    return .unreachable(words)
                }
                wait(for: pause, orWake: false)
                if stop.isRaised { return .stopped }
            }
        }
        acknowledge(batch, lines.refused, uncounted, reason)
        return nil
    }

    private func acknowledge(
        _ batch: FeedBatch, _ refused: [LineBatch.Refused], _ uncounted: Int, _ reason: String
    ) {
        var list = refused.map { (payload: $0.line, reason: $0.reason) }
        // The server does not say which lines they were.
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
