import Accessory
public import Adapters
public import Diagnostics
public import OBDCore
public import ScanTool
import Synchronization
import SystemIO

/// A scan tool that works with one adapter on its own thread.
///
/// All members may be called from any thread. Events are reported to observers and by ``nextEvents(_:)``,
/// whose descriptor can be used in `poll` together with others.
public final class ScanSession: Sendable {
    private let core: SessionCore
    private let thread: Mutex<SystemThread?>
    /// A moment on both clocks.
    public let anchor: TimeAnchor

    private init(core: SessionCore, thread: SystemThread, anchor: TimeAnchor) {
        self.core = core
        self.thread = Mutex(thread)
        self.anchor = anchor
    }

    deinit {
        core.requestStop()
        thread.withLock { thread in
            thread?.detach()
            thread = nil
        }
    }

    /// Opens the adapter, sets it up, and returns when it is ready.
    ///
    /// - Parameters:
    ///   - configuration: the adapter and how to communicate with it.
    ///   - decoder: decodes replies into readings.
    ///   - sinks: receive the results of polled requests.
    ///   - observers: receive events on the session's thread.
    ///   - interrupt: a descriptor (signalfd) that ends the wait when it becomes readable.
    /// - Throws: ``ScanError``; ``ScanError/interrupted`` if `interrupt` became readable.
    public static func start(
        _ configuration: SessionConfiguration, decoder: ResponseDecoder,
        sinks: [any ReadingSink] = [], observers: [any ScanObserver] = [],
        interruptedBy interrupt: Int32? = nil
    ) throws(ScanError) -> ScanSession {
        guard configuration.onlyListens else {
            return try start(
                configuration, dialect: configuration.knownDialect, decoder: decoder, sinks: sinks,
                observers: observers, interruptedBy: interrupt)
        }
        return try start(
            configuration, dialect: Listening(configuration.knownDialect), decoder: decoder,
            sinks: sinks, observers: observers, interruptedBy: interrupt)
    }

    /// Starts a session with `dialect`, ignoring the one in the configuration.
    public static func start(
        _ configuration: SessionConfiguration, dialect: some AdapterDialect,
        decoder: ResponseDecoder, sinks: [any ReadingSink] = [],
        observers: [any ScanObserver] = [], interruptedBy interrupt: Int32? = nil
    ) throws(ScanError) -> ScanSession {
        let anchor = TimeAnchor(
            monotonic: SystemClock.now(),
            utc: UTC(microseconds: SystemClock.utcNanoseconds() / 1000))
        let session: ScanSession
        let ready: Promise<Void>
        do {
            let made = try SessionCore(memory: configuration.memory ?? AdapterMemory())
            let ticket = try Promise<Void>()
            let thread = try SystemThread {
                var runner = Runner(
                    core: made, configuration: configuration, dialect: dialect, decoder: decoder,
                    sinks: sinks, observers: observers, ready: ticket)
                runner.run()
            }
            ready = ticket
            session = ScanSession(core: made, thread: thread, anchor: anchor)
        } catch {
            throw .system(call: error.call, errno: error.errno)
        }
        do {
            try ready.wait(interruptedBy: interrupt)
        } catch {
            session.stop()
            throw error
        }
        return session
    }

    // MARK: Requests

    /// Sends one request and waits for its answer; it is sent before the next request of a poll.
    ///
    /// The session replaces the identifier of the request.
    public func ask(
        _ request: AdapterRequest, interruptedBy interrupt: Int32? = nil
    ) throws(ScanError) -> Answer {
        try begin(request).ticket.wait(interruptedBy: interrupt)
    }

    /// Sends one request, like ``ask(_:interruptedBy:)``, and returns at once.
    public func begin(_ request: AdapterRequest) throws(ScanError) -> PendingAnswer {
        let ticket: Promise<Answer>
        do {
            ticket = try Promise()
        } catch {
            throw .system(call: error.call, errno: error.errno)
        }
        guard core.send(.ask(request, ticket)) else { throw core.endReason ?? .stopped }
        return PendingAnswer(ticket: ticket)
    }

    /// Sends a monitor request and returns when it has ended.
    ///
    /// Received lines are reported as ``ScanProgress/heard(_:)`` and ``ScanProgress/heardFrame(_:)``. For
    /// this, the configuration has to queue ``ScanEvent/Kinds/progress``. Other queued events are taken as
    /// well.
    ///
    /// - Parameters:
    ///   - request: the request that makes the adapter monitor the bus.
    ///   - interrupt: a descriptor; when it becomes readable, the adapter is stopped and its prompt awaited.
    ///   - isInterrupted: called in that case, to read from the descriptor.
    ///   - heard: receives the events; an error that it throws also ends the monitoring.
    public func listen(
        _ request: AdapterRequest, interruptedBy interrupt: Int32,
        isInterrupted: () -> Void, heard: ([(time: Instant, event: ScanEvent)]) throws -> Void
    ) throws -> Answer {
        let ticket: Promise<Answer>
        do {
            ticket = try Promise()
        } catch {
            throw ScanError.system(call: error.call, errno: error.errno)
        }
        guard core.send(.ask(request, ticket)) else { throw core.endReason ?? .stopped }
        var set = PollSet()
        var events: [(time: Instant, event: ScanEvent)] = []
        var fault: (any Error)?
        var isOver = false
        while !isOver {
            set.removeAll()
            let answer = set.add(ticket.descriptor)
            set.add(core.news.descriptor)
            let stop = set.add(fault == nil ? interrupt : -1)
            do {
                try set.wait(until: nil)
            } catch {
                throw ScanError.system(call: error.call, errno: error.errno)
            }
            isOver = set.isReadable(answer)
            if set.isReadable(stop) {
                isInterrupted()
                _ = core.send(.endListening)
            }
            events.removeAll(keepingCapacity: true)
            core.takeEvents(&events)
            do {
                if fault == nil { try heard(events) }
            } catch {
                fault = error
                _ = core.send(.endListening)
            }
        }
        if let fault { throw fault }
        return try ticket.wait(interruptedBy: nil)
    }

    /// Hears the bus until the session ends, and passes what its listener decodes to the sinks.
    ///
    /// Returns at once. ``ScanEvent/pollDidFinish`` reports an adapter that cannot listen. A session that does not
    /// only listen hears the frames of its configuration beside its requests.
    ///
    /// - Parameter filters: the frames to receive if the session only listens; empty = all.
    public func hear(_ filters: [CANFilter] = []) {
        _ = core.send(.listen(filters))
    }

    /// Polls by `plan` until it is done or cancelled or the session stops; replaces an earlier poll.
    ///
    /// Returns at once; ``ScanEvent/pollDidFinish`` or ``ScanEvent/scanDidCancel`` reports the end.
    public func poll(_ plan: PollPlan) {
        _ = core.send(.poll(plan, nil))
    }

    /// Polls by `plan` for a stream.
    func poll(_ plan: PollPlan, for stream: PollStream) {
        if !core.send(.poll(plan, stream)) { stream.finish(core.endReason) }
    }

    /// Ends the poll whose stream has no reader any more, unless another poll has replaced it.
    func leave(_ stream: PollStream) { _ = core.send(.leave(stream)) }

    /// Pauses a poll after the current request, until ``resumePoll()``.
    public func pausePoll() { _ = core.send(.pausePoll) }

    /// Continues a paused poll.
    public func resumePoll() { _ = core.send(.resumePoll) }

    /// Ends a poll after the current request; the next poll continues its statistics.
    public func cancelPoll() {
        _ = core.send(.cancelPoll)
    }

    /// Ends the session in order.
    ///
    /// The stop interrupts the current request, waits for the adapter's prompt, and closes everything.
    ///
    /// Returns when the session has ended.
    public func stop() {
        core.requestStop()
        let mine = thread.withLock { thread in
            let mine = thread
            thread = nil
            return mine
        }
        if let mine {
            mine.join()
        } else {
            var set = PollSet()
            set.add(core.done.descriptor)
            _ = try? set.wait(until: nil)
        }
    }

    // MARK: Events

    /// Readable while events are queued; for `poll` together with other descriptors.
    ///
    /// The session owns and closes the descriptor.
    public var eventDescriptor: Int32 { core.news.descriptor }

    /// Appends the queued events with their times, oldest first.
    public func nextEvents(_ events: inout [(time: Instant, event: ScanEvent)]) {
        core.takeEvents(&events)
    }

    /// The facts about the link; nil before the adapter is set up.
    public var link: LinkInformation? { core.link }

    /// The statistics of the session so far.
    public var statistics: SessionStatistics { core.statistics }

    /// How the latest poll spent its time; nil until it has ended.
    public var report: PollReport? { core.report }

    /// The facts to remember about the adapter.
    public var memory: AdapterMemory { core.memory }

    /// The ECUs that have sent a message since the session began.
    public var heard: HeardECUs { core.heard }

    /// The state of the scan tool.
    public var state: StateKind { core.state }
}
