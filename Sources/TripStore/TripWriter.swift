public import Diagnostics
import Dispatch
import Foundation
import GRDB
public import OBDCore
import Synchronization

/// Stores one trip on its own thread, one transaction a second: it begins so early that the
/// oldest entry is on the disk a second after it came.
///
/// ``offer(_:at:)-([DiagnosticItem],_)`` never waits for the disk: it puts into a bounded queue or
/// says no, and announces by a notice when there is space again. When the disk fails, nothing that
/// was committed is lost, and what comes is held in memory, up to a limit, until it works again.
/// What had to be dropped is announced and stored as a gap. Call ``end(_:at:)``, or the trip stays
/// open.
public final class TripWriter: Sendable {
    /// How much is kept in memory and for how long.
    public struct Limits: Hashable, Sendable {
        /// How long after it came an entry is on the disk, at a disk of even speed: what a power cut
        /// may cost.
        public var commitEvery: Duration
        /// Items that wait at most while the disk works.
        public var waiting: Int
        /// Items that are held at most while it does not.
        public var held: Int
        /// The longest pause between two attempts while it does not; the first is a second.
        public var retryAtMost: Duration

        /// Limits; the defaults cost some 2 MB, and 50 MB when the disk fails.
        public init(
            commitEvery: Duration = .seconds(1), waiting: Int = 8000, held: Int = 200_000,
            retryAtMost: Duration = .seconds(30)
        ) {
            self.commitEvery = commitEvery
            self.waiting = waiting
            self.held = held
            self.retryAtMost = retryAtMost
        }
    }

    /// What its owner should know; announced on the writer's thread, from which neither a flush nor
    /// the end may be asked for.
    public enum Notice: Hashable, Sendable {
        /// Entries that were refused would be taken now.
        case space
        /// Storing failed; this many items are held in memory. Announced at each failed attempt.
        case holding(StoreError, items: Int)
        /// The limit is reached: this many of the oldest items were dropped since the last attempt.
        case dropped(items: Int)
        /// Storing works again.
        case recovered
        /// Items that contradict the schema were left out; SQLite's words.
        case rejected(items: Int, message: String)
        /// The database's files were taken away while it was written; it goes on as this says.
        case relocated(TripStore.Relocation)
    }

    /// The trip's number.
    public let trip: Int64
    /// The two clocks at its start.
    public let anchor: TimeAnchor

    private let store: TripStore
    private let limits: Limits
    private let notify: @Sendable (Notice) -> Void
    private let queue: Mutex<WriteQueue>
    private let wake = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)

    init(
        trip: Int64, anchor: TimeAnchor, table: PIDTable, store: TripStore, limits: Limits,
        notify: @escaping @Sendable (Notice) -> Void
    ) throws(StoreError) {
        self.trip = trip
        self.anchor = anchor
        self.store = store
        self.limits = limits
        self.notify = notify
        queue = Mutex(WriteQueue(limits: limits))
        let transactions: TripTransactions
        let place = store.place.withLock { $0 }
        do {
            transactions = TripTransactions(
                // A look for the trip in each transaction does what SQLite would do in each row.
                connection: try TripStore.connect(
                    place.path, access: .readWrite, limits: store.limits, checksForeignKeys: false),
                place: place.number,
                rows: RowWriter(trip: trip, anchor: anchor, table: table))
        } catch {
            throw StoreError(error, path: place.path)
        }
        let thread = Thread { [self] in run(transactions) }
        thread.name = "trip writer"
        thread.start()
    }

    // MARK: From other threads

    /// Takes what messages became at `instant`; false = full, offer it again after
    /// ``Notice/space``.
    ///
    /// A batch that is larger than the whole queue is taken when the queue is empty. After the end
    /// nothing is taken.
    public func offer(_ items: [DiagnosticItem], at instant: Instant) -> Bool {
        offer(.items(items), at: instant)
    }

    /// Takes one entry; false = full, offer it again after ``Notice/space``.
    public func offer(_ entry: TripEntry, at instant: Instant) -> Bool {
        let answer = queue.withLock { $0.offer(entry, at: instant, on: .now()) }
        switch answer {
        case .taken: return true
        case .takenAndDue:
            wake.signal()
            return true
        case .full: return false
        }
    }

    /// Waits until everything that was offered is on the disk.
    ///
    /// Throws what the disk says otherwise; the entries are then held, not lost.
    public func flush() throws(StoreError) {
        let done = DispatchSemaphore(value: 0)
        guard queue.withLock({ $0.requestFlush(done) }) else { return }
        wake.signal()
        done.wait()
        if let failure = queue.withLock({ $0.failure }) { throw failure }
    }

    /// Stores what is left, closes the trip and ends the thread.
    ///
    /// Throws ``StoreError/lost(entries:_:)`` when the last entries cannot be stored.
    public func end(_ reason: EndReason, at instant: Instant) throws(StoreError) {
        guard queue.withLock({ $0.requestEnd(reason, at: instant) }) else { return }
        wake.signal()
        finished.wait()
        if let failure = queue.withLock({ $0.failure }) { throw failure }
    }

    // MARK: On its own thread

    private func run(_ transactions: consuming TripTransactions) {
        var transactions = transactions
        /// When the next transaction is due; nil = nothing waits.
        var due: DispatchTime?
        var pace = CommitPace(limit: limits.commitEvery)
        var pause = Duration.seconds(1)
        while true {
            wake.wait(until: due)
            let now = DispatchTime.now()
            guard let work = queue.withLock({ $0.work(isDue: due.map { $0 <= now } ?? false) })
            else {
                if let oldest = queue.withLock({ $0.oldest }) {
                    due = due ?? oldest + pace.wait.dispatchInterval
                } else {
                    due = nil
                }
                continue
            }
            if work.makesSpace { notify(.space) }
            let (result, relocation) = store.store(work, by: &transactions)
            if let relocation { notify(.relocated(relocation)) }
            switch result {
            case .success(let rejected):
                due = nil
                pace.committed(in: DispatchTime.now().elapsed(since: now))
                pause = .seconds(1)
                announce(queue.withLock { $0.stored(work) })
                if rejected.items > 0 {
                    notify(.rejected(items: rejected.items, message: rejected.message))
                }
            case .failure(let error):
                let failure = StoreError(error, path: store.currentPath)
                due = now + pause.dispatchInterval
                pause = min(pause * 2, limits.retryAtMost)
                announce(queue.withLock { $0.failed(work, failure) })
            }
            for flush in work.flushes { flush.signal() }
            if work.ending != nil {
                transactions.close()
                finished.signal()
                return
            }
        }
    }

    private func announce(_ notices: [Notice]) {
        for notice in notices { notify(notice) }
    }
}

extension DispatchSemaphore {
    /// Waits for a signal, at most until `time`.
    fileprivate func wait(until time: DispatchTime?) {
        if let time {
            _ = wait(timeout: time)
        } else {
            wait()
        }
    }
}

extension DispatchTime {
    fileprivate func elapsed(since start: DispatchTime) -> Duration {
        .nanoseconds(Int64(clamping: uptimeNanoseconds) - Int64(clamping: start.uptimeNanoseconds))
    }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        .nanoseconds(Int(clamping: nanoseconds))
    }
}
