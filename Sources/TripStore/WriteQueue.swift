import Diagnostics
import Dispatch
import OBDCore

/// What waits to be stored: a plain value, so that its rules can be tested without a disk or a
/// thread.
struct WriteQueue {
    struct Batch: Hashable, Sendable {
        var entry: TripEntry
        var instant: Instant
        var items: Int
    }

    /// Items that had to be dropped, and between which instants.
    struct Dropped: Hashable, Sendable {
        var items = 0
        var first = Instant.zero
        var last = Instant.zero

        mutating func add(_ batch: Batch) {
            if items == 0 { first = batch.instant }
            last = batch.instant
            items += batch.items
        }

        /// Takes `earlier` back, which could not be stored.
        mutating func putBefore(_ earlier: Dropped) {
            if earlier.items == 0 { return }
            if items == 0 { last = earlier.last }
            first = earlier.first
            items += earlier.items
        }
    }

    /// One transaction's worth.
    struct Work: Sendable {
        var batches: ArraySlice<Batch>
        var items: Int
        var oldest: DispatchTime?
        var dropped: Dropped
        var flushes: [DispatchSemaphore]
        var ending: Ending?
        /// Somebody was refused before and would be taken now.
        var makesSpace: Bool
    }

    struct Ending: Hashable, Sendable {
        var reason: EndReason
        var instant: Instant
    }

    enum Answer: Hashable {
        case taken
        /// Taken, and the writer should look: it is the first one, or there are many.
        case takenAndDue
        case full
    }

    private let limits: TripWriter.Limits
    /// What was dropped comes before `first`; it is cut off now and then.
    private var batches: [Batch] = []
    private var first = 0
    private(set) var items = 0
    /// When the oldest of what waits came; nil = nothing waits.
    private(set) var oldest: DispatchTime?
    private(set) var dropped = Dropped()
    /// Notes among what was dropped: they stay, and are the oldest of what waits.
    private var notes: [Batch] = []
    private static let notesKept = 1000
    /// Items that were dropped and not yet announced.
    private var unannounced = 0
    private var hasRefused = false
    private var flushes: [DispatchSemaphore] = []
    private var ending: Ending?
    private var hasEnded = false
    /// Why the last attempt to store failed; nil when it did not.
    private(set) var failure: StoreError?

    init(limits: TripWriter.Limits) { self.limits = limits }

    /// Takes an entry that comes now, which is `time`.
    mutating func offer(_ entry: TripEntry, at instant: Instant, on time: DispatchTime) -> Answer {
        let count = entry.items
        if ending != nil || hasEnded { return .full }
        if count == 0 { return .taken }
        if failure == nil && items > 0 && items + count > room(for: entry) {
            hasRefused = true
            return .full
        }
        let before = items
        batches.append(Batch(entry: entry, instant: instant, items: count))
        items += count
        if oldest == nil { oldest = time }
        if failure != nil {
            dropOldest()
            // What failed with nothing waiting is tried again with the first that does.
            return before == 0 ? .takenAndDue : .taken
        }
        let many = limits.waiting / 2
        return before == 0 || (before < many && items >= many) ? .takenAndDue : .taken
    }

    /// Notes are rare, and nobody offers them again: they wait behind a full queue.
    private func room(for entry: TripEntry) -> Int {
        if case .note = entry { return max(limits.waiting, limits.held) }
        return limits.waiting
    }

    /// Drops from the front until the limit is kept; the last batch stays.
    private mutating func dropOldest() {
        while items > limits.held, first < batches.count - 1 {
            if case .note = batches[first].entry, notes.count < Self.notesKept {
                notes.append(batches[first])
            } else {
                dropped.add(batches[first])
                unannounced += batches[first].items
            }
            items -= batches[first].items
            batches[first].entry = .items([])
            first += 1
        }
        if first > 1024 && first > batches.count / 2 {
            batches.removeSubrange(..<first)
            first = 0
        }
    }

    /// False when there is nothing left to wait for.
    mutating func requestFlush(_ done: DispatchSemaphore) -> Bool {
        guard !hasEnded else { return false }
        flushes.append(done)
        return true
    }

    /// False when the end has been asked for before.
    mutating func requestEnd(_ reason: EndReason, at instant: Instant) -> Bool {
        guard ending == nil, !hasEnded else { return false }
        ending = Ending(reason: reason, instant: instant)
        return true
    }

    /// What to store now; nil = nothing yet.
    mutating func work(isDue: Bool) -> Work? {
        let isMany = failure == nil && items >= limits.waiting / 2
        let isAsked = !flushes.isEmpty || ending != nil
        guard isAsked || (items > 0 && (isDue || isMany)) else { return nil }
        defer {
            batches = []
            notes = []
            first = 0
            items = 0
            oldest = nil
            dropped = Dropped()
            flushes = []
            hasRefused = false
        }
        return Work(
            batches: notes + batches[first...], items: notes.count + items, oldest: oldest,
            dropped: dropped, flushes: flushes, ending: ending,
            makesSpace: hasRefused && ending == nil)
    }

    /// The work is on the disk.
    mutating func stored(_ work: Work) -> [TripWriter.Notice] {
        var notices: [TripWriter.Notice] = []
        if failure != nil { notices.append(.recovered) }
        failure = nil
        if work.ending != nil { hasEnded = true }
        return notices
    }

    /// The work could not be stored: it goes back to the front.
    mutating func failed(_ work: Work, _ error: StoreError) -> [TripWriter.Notice] {
        failure = error
        if work.ending != nil {
            hasEnded = true
            if work.items > 0 { failure = .lost(entries: work.items, error) }
            return []
        }
        batches = Array(work.batches) + notes + batches[first...]
        items += work.items + notes.count
        notes = []
        first = 0
        oldest = work.oldest ?? oldest
        dropped.putBefore(work.dropped)
        dropOldest()
        var notices = [TripWriter.Notice.holding(error, items: items)]
        if unannounced > 0 {
            notices.append(.dropped(items: unannounced))
            unannounced = 0
        }
        if hasRefused {
            hasRefused = false
            notices.append(.space)
        }
        return notices
    }
}
