import Accessory
public import Adapters
public import Diagnostics
public import OBDCore
public import ScanTool
import Synchronization
import SystemIO

/// A scan tool at work on one accessory, on its own thread.
///
/// All members may be called from any thread. What happens is told by ``nextEvents(_:)``, whose
/// descriptor can be in a `poll` beside others, and by observers.
public final class ScanSession: Sendable {
    private let core: SessionCore
    private let thread: Mutex<SystemThread?>
    /// One moment on both clocks.
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

    /// Opens the accessory, sets the adapter up and returns when it is ready.
    ///
    /// - Parameters:
    ///   - configuration: which accessory, and how it is spoken to.
    ///   - decoder: makes readings of replies.
    ///   - sinks: take what replies to polls bring.
    ///   - observers: are told what happens, on the session's thread.
    ///   - interrupt: a descriptor (signalfd) that ends the waiting when it becomes readable.
    /// - Throws: ``ScanError``; ``ScanError/interrupted`` when `interrupt` became readable.
    public static func start(
        _ configuration: SessionConfiguration, decoder: ResponseDecoder,
        sinks: [any ReadingSink] = [], observers: [any ScanObserver] = [],
        interruptedBy interrupt: Int32? = nil
    ) throws(ScanError) -> ScanSession {
        try start(
            configuration, dialect: configuration.knownDialect, decoder: decoder, sinks: sinks,
            observers: observers, interruptedBy: interrupt)
    }

    /// Starts a session that speaks `dialect`, whatever the configuration says.
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

    /// Sends one request and waits for its answer; goes before whatever a poll has in mind.
    ///
    /// The request's own identifier is replaced by one of the session's.
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

    /// Sends a request that listens to the bus and returns when that is over.
    ///
    /// What is heard comes as ``ScanProgress/heard(_:)`` and ``ScanProgress/heardFrame(_:)``, for
    /// which the configuration has to queue ``ScanEvent/Kinds/progress``. Other events that wait
    /// are taken, too.
    ///
    /// - Parameters:
    ///   - request: what makes the adapter listen.
    ///   - interrupt: a descriptor; when it becomes readable, the adapter is stopped and its prompt
    ///     awaited.
    ///   - isInterrupted: is called then, to take what is readable.
    ///   - heard: takes the events; what it throws ends the listening as well.
    public func listen(
        _ request: AdapterRequest, interruptedBy interrupt: Int32,
        isInterrupted: () -> Void, heard: (Instant, ScanEvent) throws -> Void
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
                if fault == nil { for (time, event) in events { try heard(time, event) } }
            } catch {
                fault = error
                _ = core.send(.endListening)
            }
        }
        if let fault { throw fault }
        return try ticket.wait(interruptedBy: nil)
    }

    /// Polls by `plan` until it is done, cancelled or the session stops; replaces an earlier poll.
    ///
    /// Returns at once; the end is told by ``ScanEvent/pollDidFinish`` or ``ScanEvent/scanDidCancel``.
    public func poll(_ plan: PollPlan) { _ = core.send(.poll(plan)) }

    /// Holds a poll after the request under way, until ``resumePoll()``.
    public func pausePoll() { _ = core.send(.pausePoll) }

    /// Goes on with a paused poll.
    public func resumePoll() { _ = core.send(.resumePoll) }

    /// Ends a poll after the request under way; the figures go on with the next one.
    public func cancelPoll() { _ = core.send(.cancelPoll) }

    /// Ends the session in order: the request under way is interrupted, the adapter's prompt
    /// awaited, everything closed.
    ///
    /// Returns when it is done, or at once when it was.
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

    // MARK: What happens

    /// Readable while events wait; for `poll` beside other descriptors.
    ///
    /// Belongs to the session.
    public var eventDescriptor: Int32 { core.news.descriptor }

    /// Appends the events that wait, oldest first, each with its time.
    public func nextEvents(_ events: inout [(time: Instant, event: ScanEvent)]) {
        core.takeEvents(&events)
    }

    /// What is known of the link; nil before the adapter is set up.
    public var link: LinkInformation? { core.link }

    /// What the session did so far.
    public var statistics: SessionStatistics { core.statistics }

    /// Where the time of the latest poll went; nil until it is over.
    public var report: PollReport? { core.report }

    /// What to remember of the adapter.
    public var memory: AdapterMemory { core.memory }

    /// The state of the scan tool.
    public var state: StateKind { core.state }
}
