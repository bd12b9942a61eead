import Diagnostics
import Dispatch
import OBDCore

/// The entries that wait to be stored.
///
/// It is a plain value, so that its rules can be tested without a disk or a thread.
struct WriteQueue {
    struct Batch: Hashable, Sendable {
        var entry: TripEntry
        var instant: Instant
        var items: Int
    }

    /// The number of dropped items, with the times of the first and last.
    struct Dropped: Hashable, Sendable {
        var items = 0
        var first = Instant.zero
        var last = Instant.zero

        mutating func add(_ batch: Batch) {
            if items == 0 { first = batch.instant }
            last = batch.instant
            items += batch.items
        }

        /// Adds `earlier`, which could not be stored, again.
        mutating func putBefore(_ earlier: Dropped) {
            if earlier.items == 0 { return }
            if items == 0 { last = earlier.last }
            first = earlier.first
            items += earlier.items
        }
    }

    struct Work: Sendable {
        var batches: ArraySlice<Batch>
        var items: Int
        var oldest: Instant?
        var dropped: Dropped
        var flushes: [DispatchSemaphore]
        var ending: Ending?
        /// Whether an entry was refused before and would be accepted now.
        var makesSpace: Bool
    }

    struct Ending: Hashable, Sendable {
        var reason: EndReason
        var instant: Instant
    }

    enum Answer: Hashable {
        case taken
        /// Accepted, and the writer should check now: it is the first entry, or there are many.
        case takenAndDue
        case full
    }

    private let limits: TripWriter.Limits
    /// The batches; those before `first` are dropped and removed from time to time.
    private var batches: [Batch] = []
    private var first = 0
    private(set) var items = 0
    /// When the oldest waiting entry arrived; nil = none waits.
    private(set) var oldest: Instant?
    private(set) var dropped = Dropped()
    /// Notes that were about to be dropped; they are kept as the oldest waiting entries.
    private var notes: [Batch] = []
    private static let notesKept = 1000
    /// The number of dropped items that were not announced yet.
    private var unannounced = 0
    private var hasRefused = false
    /// The number of the first batches that have a copy in memory.
    private var copied = 0
    /// When the oldest entry without a copy arrived; nil = there is none.
    private(set) var uncopiedSince: Instant?
    /// Whether the entries without a copy cannot have one.
    private var cannotCopy = false
    private var flushes: [DispatchSemaphore] = []
    private var ending: Ending?
    private var hasEnded = false
    /// Why the last attempt to store failed; nil if it succeeded.
    private(set) var failure: StoreError?

    init(limits: TripWriter.Limits) { self.limits = limits }

    /// Takes an entry that arrives at `time`.
    mutating func offer(_ entry: TripEntry, at instant: Instant, on time: Instant) -> Answer {
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
        let isFirst = before == 0 || (limits.copies && uncopiedSince == nil)
        if uncopiedSince == nil { uncopiedSince = time }
        if failure != nil {
            dropOldest()
            // If storing failed while no entry waited, the first new entry triggers the next
            // attempt.
            return before == 0 ? .takenAndDue : .taken
        }
        let many = limits.waiting / 2
        return isFirst || (before < many && items >= many) ? .takenAndDue : .taken
    }

    /// Whether there are batches to copy to memory.
    var hasUncopied: Bool {
        limits.copies && failure == nil && !cannotCopy && copied < batches.count
    }

    /// The batches to copy to memory now; empty = none.
    mutating func uncopied() -> [Batch] {
        guard hasUncopied else { return [] }
        let new = Array(batches[copied...])
        // So many are committed soon; to copy each of them would take longer.
        if new.reduce(0, { $0 + $1.items }) > Self.mostCopied { cannotCopy = true }
        return cannotCopy ? [] : new
    }

    /// Records that the next `count` batches, which waited at `time`, have a copy, or cannot have one.
    mutating func copied(_ count: Int, _ isDone: Bool, at time: Instant) {
        guard isDone else { return cannotCopy = true }
        copied += count
        uncopiedSince = copied < batches.count ? time : nil
    }

    private static let mostCopied = 500

    /// When the next transaction is due; nil = no entry waits.
    ///
    /// Entries without a copy in memory have less time.
    func due(within pace: CommitPace, uncopied quick: CommitPace) -> Instant? {
        guard let oldest else { return nil }
        let due = oldest + pace.wait
        guard limits.copies, let uncopiedSince else { return due }
        return min(due, uncopiedSince + quick.wait)
    }

    /// Notes, and decisions about what is held, are rare and are not offered again, so they may exceed the normal
    /// limit.
    private func room(for entry: TripEntry) -> Int {
        switch entry {
        case .note, .settleHeld: max(limits.waiting, limits.held)
        case .items, .voltage, .event, .vehicle, .position, .codeList, .together, .held:
            limits.waiting
        }
    }

    /// Drops the oldest batches until the limit is met; the last batch stays.
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

    /// Registers a flush; false if there is nothing to wait for.
    mutating func requestFlush(_ done: DispatchSemaphore) -> Bool {
        guard !hasEnded else { return false }
        flushes.append(done)
        return true
    }

    /// Registers the end; false if it was requested before.
    mutating func requestEnd(_ reason: EndReason, at instant: Instant) -> Bool {
        guard ending == nil, !hasEnded else { return false }
        ending = Ending(reason: reason, instant: instant)
        return true
    }

    /// The work to store now; nil = none yet.
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
            copied = 0
            uncopiedSince = nil
            cannotCopy = false
            dropped = Dropped()
            flushes = []
            hasRefused = false
        }
        return Work(
            batches: notes + batches[first...], items: notes.count + items, oldest: oldest,
            dropped: dropped, flushes: flushes, ending: ending,
            makesSpace: hasRefused && ending == nil)
    }

    /// Records that the work is on the disk.
    mutating func stored(_ work: Work) -> [TripWriter.Notice] {
        var notices: [TripWriter.Notice] = []
        if failure != nil { notices.append(.recovered) }
        failure = nil
        if work.ending != nil { hasEnded = true }
        return notices
    }

    /// Returns work that could not be stored to the front of the queue.
    ///
    /// - Parameter kept: the number of items that memory has after the end of the trip.
    mutating func failed(
        _ work: Work, _ error: StoreError, kept: Int = 0
    ) -> [TripWriter.Notice] {
        failure = error
        if work.ending != nil {
            hasEnded = true
            if kept > 0 {
                failure = .kept(entries: kept, lost: max(0, work.items - kept), error)
            } else if work.items > 0 {
                failure = .lost(entries: work.items, error)
            }
            return []
        }
        batches = Array(work.batches) + notes + Array(batches[first...])
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
