import Glibc
import OBDCore
import Synchronization

/// Runs the same work several times at once, each on its own thread, so that a thread that hangs does not
/// delay the others.
///
/// The calling thread waits, collects the results, and forwards signals.
public struct ThreadGroup<Outcome: Sendable> {
    /// How many threads run at the same time.
    public var atOnce: Int
    /// The interval for a progress line; nil for none.
    public var period: Duration?
    /// Another descriptor to wait for, with its action; nil for none.
    public var other: (descriptor: Int32, take: () -> Void)?

    /// A group with this many threads at the same time.
    public init(atOnce: Int = 64) { self.atOnce = atOnce }

    private final class Finished: Sendable {
        let outcomes = Mutex<[(place: Int, outcome: Outcome)]>([])
        private let news: EventDescriptor

        init() throws(SystemError) { news = try EventDescriptor() }

        var descriptor: Int32 { news.descriptor }

        func put(_ outcome: Outcome, at place: Int) {
            outcomes.withLock { $0.append((place, outcome)) }
            news.signal()
        }

        func take() -> [(place: Int, outcome: Outcome)] {
            news.take()
            return outcomes.withLock { outcomes in
                defer { outcomes = [] }
                return outcomes
            }
        }
    }

    /// Runs `body` for 0..<`count` and calls `ended` with each result, in the order in which they end.
    ///
    /// If `ended` throws, all threads are asked to stop as if by SIGTERM, and the error is thrown once they
    /// have stopped.
    ///
    /// - Parameters:
    ///   - inbox: the signals of the process, which are forwarded to all threads; no further threads are
    ///     started then.
    ///   - body: gets the number of its thread and an inbox that asks it to stop.
    /// - Returns: the signal that ended the run; nil if there was none.
    public func run(
        _ count: Int, inbox: SignalInbox, tick: () -> Void = {},
        ended: (Int, Outcome) throws -> Void,
        body: @escaping @Sendable (Int, SignalInbox) -> Outcome
    ) throws -> Int32? {
        let finished = try Finished()
        var running: [Int: (thread: SystemThread, inbox: SignalInbox)] = [:]
        var begun = 0
        var signal: Int32?
        var fault: (any Error)?
        var nextTick = period.map { SystemClock.now() + $0 }
        while true {
            while begun < count, running.count < atOnce, signal == nil, fault == nil {
                let place = begun
                do {
                    let relay = try SignalInbox.relay()
                    let thread = try SystemThread { finished.put(body(place, relay), at: place) }
                    running[place] = (thread, relay)
                } catch {
                    fault = error
                }
                if fault != nil { Self.stop(running.values.map(\.inbox), SIGTERM) }
                begun += 1
            }
            if running.isEmpty { break }
            var waiting = WaitList()
            let signals = waiting.add(inbox.descriptor)
            let news = waiting.add(finished.descriptor)
            let another = other.map { waiting.add($0.descriptor) }
            waiting.add(deadline: nextTick)
            waiting.wait()
            if waiting.isReady(signals), let number = inbox.next() {
                signal = signal ?? number
                Self.stop(running.values.map(\.inbox), number)
                SignalInbox.letEndingsThrough()
            }
            if let another, waiting.isReady(another) { other?.take() }
            for (place, outcome) in waiting.isReady(news) ? finished.take() : [] {
                running.removeValue(forKey: place)?.thread.join()
                if fault != nil { continue }
                do {
                    try ended(place, outcome)
                } catch {
                    fault = error
                    Self.stop(running.values.map(\.inbox), SIGTERM)
                }
            }
            if let due = nextTick, let period, SystemClock.now() >= due {
                tick()
                nextTick = SystemClock.now() + period
            }
        }
        if let fault { throw fault }
        return signal
    }

    private static func stop(_ inboxes: [SignalInbox], _ number: Int32) {
        for inbox in inboxes { inbox.pass(number) }
    }
}
