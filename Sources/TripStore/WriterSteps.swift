import OBDCore
import Synchronization
import SystemIO

/// When a writer copies and commits what waits in its queue.
///
/// It is a plain value without a thread, so that a test can give the time.
struct WriterSteps {
    /// When the next transaction is due; nil = no entry waits.
    private(set) var due: Instant?
    /// When the next copy is due; nil = no entry needs one.
    private(set) var copyDue: Instant?
    private let limits: TripWriter.Limits
    private var lastCopy: Instant?
    private var pace: CommitPace
    private var quick: CommitPace
    private var pause = Duration.seconds(1)

    /// Entries of so much time are copied together.
    private static let copyPause = Duration.milliseconds(100)

    init(_ limits: TripWriter.Limits) {
        self.limits = limits
        pace = CommitPace(limit: limits.commitEvery)
        quick = CommitPace(limit: min(limits.commitEvery, TripWriter.Limits.uncopied))
    }

    /// Does what is due; whether the trip ended.
    mutating func take(
        _ queue: borrowing Mutex<WriteQueue>, into store: TripStore,
        by transactions: inout TripTransactions, clock: () -> Instant = SystemClock.now,
        notify: (TripWriter.Notice) -> Void
    ) -> Bool {
        let now = clock()
        guard let work = queue.withLock({ $0.work(isDue: due.map { $0 <= now } ?? false) })
        else {
            if lastCopy.map({ now >= $0 + Self.copyPause }) ?? true,
                Self.copy(queue, by: &transactions, at: now)
            {
                lastCopy = now
            }
            copyDue =
                queue.withLock { $0.hasUncopied } ? lastCopy.map { $0 + Self.copyPause } : nil
            due = queue.withLock {
                let next = $0.due(within: pace, uncopied: quick)
                // After a failure, the next attempt has its own time.
                return $0.failure != nil && next != nil ? due ?? next : next
            }
            return false
        }
        if work.makesSpace { notify(.space) }
        let (result, relocation) = store.store(work, by: &transactions)
        if let relocation { notify(.relocated(relocation)) }
        switch result {
        case .success(let rejected):
            due = nil
            let time = clock() - now
            pace.committed(in: time)
            quick.committed(in: time)
            pause = .seconds(1)
            for notice in queue.withLock({ $0.stored(work) }) { notify(notice) }
            if rejected.items > 0 {
                notify(.rejected(items: rejected.items, message: rejected.message))
            }
        case .failure(let error):
            let failure = StoreError(error, path: store.currentPath)
            due = now + pause
            pause = min(pause * 2, limits.retryAtMost)
            let kept = work.ending == nil ? 0 : transactions.keep(work.batches)
            for notice in queue.withLock({ $0.failed(work, failure, kept: kept) }) {
                notify(notice)
            }
        }
        for flush in work.flushes { flush.signal() }
        guard work.ending != nil else { return false }
        transactions.close(keeps: queue.withLock { $0.failure != nil })
        return true
    }

    /// Copies entries to memory; whether there were any.
    private static func copy(
        _ queue: borrowing Mutex<WriteQueue>, by transactions: inout TripTransactions,
        at now: Instant
    ) -> Bool {
        let batches = queue.withLock { $0.uncopied() }
        if batches.isEmpty { return false }
        let isDone = transactions.copy(batches)
        queue.withLock { $0.copied(batches.count, isDone, at: now) }
        return true
    }
}
