import Accessory
import Adapters
import Diagnostics
import OBDCore
import ScanTool
import Synchronization
import SystemIO

/// The state that a session's thread shares with other threads.
final class SessionCore: Sendable {
    /// A command from other threads to the session's thread.
    enum Command: Sendable {
        case ask(AdapterRequest, Promise<Answer>)
        case poll(PollPlan, PollStream?)
        case pausePoll
        case resumePoll
        case cancelPoll
        /// The reader of a stream has left.
        case leave(PollStream)
        case endListening
        /// Hears the bus until the end of the session; a session that only listens receives the frames that pass these
        /// filters, empty = all frames.
        case listen([CANFilter])
        case stop

        /// Whether the session listens no longer after this command.
        var endsListening: Bool {
            switch self {
            case .endListening, .stop: true
            case .ask, .poll, .pausePoll, .resumePoll, .cancelPoll, .leave, .listen: false
            }
        }
    }

    private struct Shared {
        var commands: [Command] = []
        var events: [(time: Instant, event: ScanEvent)] = []
        var link: LinkInformation?
        var memory: AdapterMemory
        var heard = HeardECUs()
        var statistics = SessionStatistics()
        var report: PollReport?
        var roundTrips = RoundTrips()
        var begun: Instant?
        var latest: Instant?
        var end: ScanError??

        /// Drops the oldest events and puts events with the number of frames and of other events in their place.
        mutating func dropEvents(_ count: Int) {
            var lost = 0
            var frames = 0
            for (_, event) in events.prefix(count) {
                switch event {
                case .didLoseEvents(let earlier): lost += earlier
                case .didLoseFrames(let earlier): frames += earlier
                case .didProgress(.heardFrame): frames += 1
                default: lost += 1
                }
            }
            let time = events[count - 1].time
            var news: [(time: Instant, event: ScanEvent)] = []
            if lost > 0 { news.append((time, .didLoseEvents(lost))) }
            if frames > 0 { news.append((time, .didLoseFrames(frames))) }
            events.replaceSubrange(..<count, with: news)
        }
    }

    /// The most events in the queue; older ones are dropped.
    ///
    /// As many frames as a busy bus has in ten seconds, so that a slow terminal or disk costs none.
    static let eventLimit = 65_536

    private let shared: Mutex<Shared>
    private let stateCode = Atomic<Int>(0)
    /// Signalled if there are commands or the end was requested.
    let wake: EventDescriptor
    /// Signalled if there are events.
    let news: EventDescriptor
    /// Stays signalled after the end was requested; used to wait outside the runner's loop.
    let stop: EventDescriptor
    /// Stays signalled after the thread has ended.
    let done: EventDescriptor

    init(memory: AdapterMemory) throws(SystemError) {
        shared = Mutex(Shared(memory: memory))
        wake = try EventDescriptor()
        news = try EventDescriptor()
        stop = try EventDescriptor()
        done = try EventDescriptor()
    }

    // MARK: Commands

    /// Sends a command to the thread; false if the session has ended.
    func send(_ command: Command) -> Bool {
        let isTaken = shared.withLock { shared in
            guard shared.end == nil else { return false }
            shared.commands.append(command)
            return true
        }
        if isTaken { wake.signal() }
        return isTaken
    }

    /// Asks the thread to end.
    func requestStop() {
        stop.signal()
        _ = send(.stop)
    }

    /// Removes and returns all commands, in order.
    func takeCommands() -> [Command] {
        shared.withLock { shared in
            let commands = shared.commands
            shared.commands = []
            return commands
        }
    }

    // MARK: Reports

    var state: StateKind {
        let code = stateCode.load(ordering: .relaxed)
        return StateKind.allCases.indices.contains(code) ? StateKind.allCases[code] : .initializing
    }

    func publish(_ state: StateKind) {
        let code =
            switch state {
            case .initializing: 0
            case .idle: 1
            case .waiting: 2
            case .processing: 3
            case .error: 4
            }
        stateCode.store(code, ordering: .relaxed)
    }

    func publish(_ link: LinkInformation, memory: AdapterMemory) {
        shared.withLock { shared in
            shared.link = link
            shared.memory = memory
        }
    }

    var link: LinkInformation? { shared.withLock { $0.link } }
    var memory: AdapterMemory { shared.withLock { $0.memory } }

    func publish(_ heard: HeardECUs) { shared.withLock { $0.heard = heard } }
    var heard: HeardECUs { shared.withLock { $0.heard } }

    func publish(_ event: ScanEvent, at time: Instant) {
        let wasEmpty = shared.withLock { shared in
            let wasEmpty = shared.events.isEmpty
            if shared.events.count >= Self.eventLimit {
                shared.dropEvents(Self.eventLimit / 2)
            }
            shared.events.append((time, event))
            return wasEmpty
        }
        if wasEmpty { news.signal() }
    }

    func takeEvents(_ events: inout [(time: Instant, event: ScanEvent)]) {
        news.take()
        let taken = shared.withLock { shared in
            let taken = shared.events
            shared.events = []
            return taken
        }
        events.append(contentsOf: taken)
    }

    // MARK: Statistics

    /// Counts a request that was written.
    func noteRequest(records: Int, at time: Instant) {
        shared.withLock { shared in
            shared.statistics.requests += 1
            shared.statistics.batched = max(shared.statistics.batched, records)
            shared.begun = shared.begun ?? time
            shared.latest = time
        }
    }

    func noteReply(
        after roundTrip: Duration?, readings: Int, errors: Int, timedOut: Bool, at time: Instant
    ) {
        shared.withLock { shared in
            if let roundTrip { shared.roundTrips.record(roundTrip) }
            shared.statistics.readings += readings
            shared.statistics.errors += errors
            if timedOut { shared.statistics.timeouts += 1 }
            // The adapter measures its voltage without a request to the vehicle.
            shared.begun = shared.begun ?? time
            shared.latest = time
        }
    }

    /// Counts readings that no request asked for.
    func noteHeard(readings: Int, at time: Instant) {
        shared.withLock { shared in
            shared.statistics.readings += readings
            shared.begun = shared.begun ?? time
            shared.latest = time
        }
    }

    func resetStatistics() {
        shared.withLock { shared in
            shared.statistics = SessionStatistics()
            shared.report = nil
            shared.roundTrips = RoundTrips()
            shared.begun = nil
            shared.latest = nil
        }
    }

    func publish(_ report: PollReport) { shared.withLock { $0.report = report } }
    var report: PollReport? { shared.withLock { $0.report } }

    func noteErrors(_ count: Int) { shared.withLock { $0.statistics.errors += count } }
    func noteError() { shared.withLock { $0.statistics.errors += 1 } }
    func noteUnasked(_ bytes: Int) {
        shared.withLock { $0.statistics.unaskedBytes += bytes }
    }
    func noteLostFrames(_ count: Int) {
        shared.withLock { $0.statistics.lostFrames += count }
    }
    func noteReconnect() { shared.withLock { $0.statistics.reconnects += 1 } }

    var statistics: SessionStatistics {
        shared.withLock { shared in
            var statistics = shared.statistics
            if let begun = shared.begun, let latest = shared.latest {
                statistics.seconds = (latest - begun).seconds
            }
            statistics.roundTripP50 = shared.roundTrips.percentile(0.50)?.seconds
            statistics.roundTripP95 = shared.roundTrips.percentile(0.95)?.seconds
            statistics.roundTripP99 = shared.roundTrips.percentile(0.99)?.seconds
            return statistics
        }
    }

    // MARK: End

    /// Ends the session: no command is accepted any more, and all waiting callers get an answer.
    func end(_ error: ScanError?) {
        let waiting = shared.withLock { shared in
            shared.end = .some(error)
            let waiting = shared.commands
            shared.commands = []
            return waiting
        }
        for command in waiting {
            switch command {
            case .ask(_, let ticket): ticket.fulfil(.failure(error ?? .stopped))
            case .poll(_, let stream): stream?.finish(error == .stopped ? nil : error)
            case .pausePoll, .resumePoll, .cancelPoll, .leave, .endListening, .listen, .stop: break
            }
        }
        done.signal()
    }

    /// Why the session ended; nil if it has not ended.
    var endReason: ScanError? {
        shared.withLock { shared in shared.end.map { $0 ?? .stopped } }
    }
}

/// Lets a caller wait for a result from the thread.
final class Promise<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, ScanError>?>(nil)
    private let arrived: EventDescriptor

    init() throws(SystemError) {
        arrived = try EventDescriptor()
    }

    /// Sets the result; only the first one counts.
    func fulfil(_ answer: Result<Value, ScanError>) {
        result.withLock { $0 = $0 ?? answer }
        arrived.signal()
    }

    /// Readable once there is a result.
    ///
    /// The promise owns and closes the descriptor.
    var descriptor: Int32 { arrived.descriptor }

    /// The result; nil until there is one.
    func value() throws(ScanError) -> Value? { try result.withLock { $0 }?.get() }

    /// Waits for the result, or until `interrupt` becomes readable.
    func wait(interruptedBy interrupt: Int32?) throws(ScanError) -> Value {
        var set = PollSet()
        set.add(arrived.descriptor)
        set.add(interrupt ?? -1)
        do {
            try set.wait(until: nil)
        } catch {
            throw .system(call: error.call, errno: error.errno)
        }
        guard let result = result.withLock({ $0 }) else { throw .interrupted }
        return try result.get()
    }
}
