import Accessory
import Glibc
import OBDCore
import Synchronization
import SystemIO

/// Does the same with several accessories at once, each on its own thread: one that hangs keeps
/// no other waiting.
///
/// The thread that calls it waits, takes what came of each, and passes signals on.
struct AccessoryThreads<Outcome: Sendable> {
    /// How many run at the same time.
    var atOnce = 64
    /// Called once in a while, for a line that shows how it goes; nil = never.
    var period: Duration?
    /// Something else that is waited for, and what then is done; nil = nothing.
    var other: (descriptor: Int32, take: () -> Void)?

    private final class Finished: Sendable {
        let outcomes = Mutex<[(place: Int, outcome: Outcome)]>([])
        private let news: EventDescriptor

        init() throws(Failure) { news = try EventDescriptor.made() }

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

    /// Runs `body` for 0..<`count` and calls `ended` with what each came to, in the order in which
    /// they end.
    ///
    /// When `ended` throws, all are asked to stop as if by SIGTERM, and the error is thrown when they
    /// have.
    ///
    /// - Parameters:
    ///   - inbox: the process's signals; what comes is passed on to all, and no more are begun.
    ///   - body: gets its place and an inbox that tells it to stop.
    /// - Returns: the signal that asked for the end; nil = none did.
    func run(
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
