public import Diagnostics
import Dispatch
public import OBDCore
import Synchronization
import SystemIO

/// Stores one trip on its own thread with about one transaction per second, or fewer.
///
/// A transaction begins early enough for the oldest entry to be on the disk one second after it
/// arrived, or after ``Limits/commitEvery``. If transactions are rarer than that, entries can be
/// copied to memory meanwhile, where they outlive this process.
///
/// ``offer(_:at:)-([DiagnosticItem],_)`` never waits for the disk. It puts entries into a bounded
/// queue or returns false, and a notice announces free space. If the disk fails, committed entries
/// are safe, and new ones stay in memory, up to a limit, until storing works again. Dropped entries
/// are announced and stored as a gap. Call ``end(_:at:)``, or the trip stays open.
public final class TripWriter: Sendable {
    /// Limits of memory and time.
    public struct Limits: Hashable, Sendable {
        /// The time within which an entry is on the disk, if the disk's speed is steady.
        ///
        /// A power cut may lose the entries of this time.
        public var commitEvery: Duration
        /// Whether entries are copied to memory at once, where they outlive the process.
        ///
        /// An entry that cannot be copied is on the disk after ``uncopied``.
        public var copies: Bool
        /// The time within which an entry is on the disk if it cannot be copied to memory.
        static let uncopied = Duration.seconds(1)
        /// The greatest number of items that wait while the disk works.
        public var waiting: Int
        /// The greatest number of items in memory while the disk fails.
        public var held: Int
        /// The longest pause between two attempts while the disk fails; the first pause is one
        /// second.
        public var retryAtMost: Duration

        /// Limits; the defaults need about 2 MB, and 50 MB while the disk fails.
        public init(
            commitEvery: Duration = .seconds(1), copies: Bool = false, waiting: Int = 8000,
            held: Int = 200_000, retryAtMost: Duration = .seconds(30)
        ) {
            self.commitEvery = commitEvery
            self.copies = copies
            self.waiting = waiting
            self.held = held
            self.retryAtMost = retryAtMost
        }

        /// Limits for a trip in `store` with commits at this interval.
        ///
        /// Rarer commits than one per second spare memory cards. Entries are copied to memory meanwhile
        /// where there is such memory, so that only a power cut loses them.
        public static func recording(
            every interval: Duration?, to store: TripStore
        ) -> Limits {
            var limits = Limits()
            if let interval { limits.commitEvery = interval }
            if limits.commitEvery > uncopied, store.canCopyToMemory {
                limits.copies = true
                // A minute of 200 readings per second.
                limits.waiting = 24_000
            }
            return limits
        }
    }

    /// A message for the owner, sent on the writer's thread.
    ///
    /// The receiver must not call ``flush()`` or ``end(_:at:)`` there.
    public enum Notice: Hashable, Sendable {
        /// There is space again for entries that were refused.
        case space
        /// Storing failed; this many items are in memory.
        ///
        /// Sent after each failed attempt.
        case holding(StoreError, items: Int)
        /// The limit was reached: this many of the oldest items were dropped since the last
        /// attempt.
        case dropped(items: Int)
        /// Storing works again.
        case recovered
        /// Items that violate the schema were left out; with SQLite's message.
        case rejected(items: Int, message: String)
        /// The database's files were removed or replaced during the recording, which continues as
        /// given.
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
    /// A semaphore would wait by the wall clock, for days if that is set back.
    private let wake: EventDescriptor
    private let finished = DispatchSemaphore(value: 0)

    init(
        trip: Int64, anchor: TimeAnchor, clock: TripClock?, table: PIDTable, store: TripStore,
        limits: Limits,
        notify: @escaping @Sendable (Notice) -> Void
    ) throws(StoreError) {
        self.trip = trip
        self.anchor = anchor
        self.store = store
        self.limits = limits
        self.notify = notify
        queue = Mutex(WriteQueue(limits: limits))
        let path = store.place.withLock { $0.path }
        let transactions: TripTransactions
        do {
            wake = try EventDescriptor()
            transactions = try TripTransactions(
                of: store, RowWriter(trip: trip, anchor: anchor, clock: clock, table: table),
                copies: limits.copies)
        } catch {
            throw StoreError(error, path: path)
        }
        do {
            try SystemThread(named: "trip writer") { [self] in run(transactions) }.detach()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    // MARK: From other threads

    /// Takes the items of messages at `instant`; false = full, try again after ``Notice/space``.
    ///
    /// A batch that is larger than the whole queue is accepted when the queue is empty. After the
    /// end, nothing is accepted.
    public func offer(_ items: [DiagnosticItem], at instant: Instant) -> Bool {
        offer(.items(items), at: instant)
    }

    /// Takes one entry; false = full, try again after ``Notice/space``.
    public func offer(_ entry: TripEntry, at instant: Instant) -> Bool {
        let answer = queue.withLock { $0.offer(entry, at: instant, on: SystemClock.now()) }
        switch answer {
        case .taken: return true
        case .takenAndDue:
            wake.signal()
            return true
        case .full: return false
        }
    }

    /// Waits until all accepted entries are on the disk.
    ///
    /// Throws the error if storing failed; the entries are kept in memory then.
    public func flush() throws(StoreError) {
        let done = DispatchSemaphore(value: 0)
        guard queue.withLock({ $0.requestFlush(done) }) else { return }
        wake.signal()
        done.wait()
        if let failure = queue.withLock({ $0.failure }) { throw failure }
    }

    /// Stores the remaining entries, closes the trip and ends the thread.
    ///
    /// Throws ``StoreError/lost(entries:_:)`` if the last entries cannot be stored.
    public func end(_ reason: EndReason, at instant: Instant) throws(StoreError) {
        guard queue.withLock({ $0.requestEnd(reason, at: instant) }) else { return }
        wake.signal()
        finished.wait()
        if let failure = queue.withLock({ $0.failure }) { throw failure }
    }

    // MARK: On its own thread

    private func run(_ transactions: consuming TripTransactions) {
        var transactions = transactions
        var steps = WriterSteps(limits)
        while true {
            var waiting = WaitList()
            _ = waiting.add(wake.descriptor)
            waiting.add(deadline: steps.due)
            waiting.add(deadline: steps.copyDue)
            waiting.wait()
            wake.take()
            if steps.take(queue, into: store, by: &transactions, notify: notify) {
                finished.signal()
                return
            }
        }
    }
}
