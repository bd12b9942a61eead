import Diagnostics
import Dispatch
import OBDCore
import Testing

@testable import TripStore

@Suite struct WriteQueueTests {
    private let limits = TripWriter.Limits(waiting: 10, held: 20)

    /// Offers `count` entries of five items each.
    private func offer(_ queue: inout WriteQueue, _ count: Int = 1) -> [WriteQueue.Answer] {
        (0..<count).map { number in
            queue.offer(
                .items(Array(repeating: Fixtures.rpm(800), count: 5)),
                at: Instant(nanoseconds: Int64(number)), on: .zero)
        }
    }

    private func take(_ queue: inout WriteQueue, isDue: Bool) throws -> WriteQueue.Work {
        let work = queue.work(isDue: isDue)
        return try #require(work)
    }

    /// The number of items to store now; nil = none yet.
    private func look(_ queue: inout WriteQueue, isDue: Bool) -> Int? {
        queue.work(isDue: isDue)?.items
    }

    @Test func `the first entry and a half full queue wake the writer`() {
        var queue = WriteQueue(limits: limits)
        #expect(queue.offer(.voltage(12), at: .zero, on: .zero) == .takenAndDue)
        #expect(queue.offer(.voltage(12), at: .zero, on: .zero) == .taken)
        #expect(offer(&queue) == [.takenAndDue])
        #expect(queue.offer(.voltage(12), at: .zero, on: .zero) == .taken)
        #expect(queue.offer(.items([]), at: .zero, on: .zero) == .taken)
        #expect(queue.items == 8)
    }

    @Test func `the oldest entry decides when to store, also after a failed attempt`() throws {
        var queue = WriteQueue(limits: limits)
        let moments = (1...3).map { Instant(nanoseconds: $0 * 1_000_000_000) }
        #expect(queue.oldest == nil)
        for moment in moments.prefix(2) {
            _ = queue.offer(.voltage(12), at: .zero, on: moment)
            #expect(queue.oldest == moments[0])
        }
        let work = try take(&queue, isDue: true)
        #expect(queue.oldest == nil)
        _ = queue.offer(.voltage(12), at: .zero, on: moments[2])
        #expect(queue.oldest == moments[2])
        _ = queue.failed(work, .full(path: "x"))
        #expect(queue.oldest == moments[0])
    }

    @Test func `a full queue refuses entries, and announces space when it is emptied`() throws {
        var queue = WriteQueue(limits: limits)
        #expect(offer(&queue, 3) == [.takenAndDue, .taken, .full])
        let work = try take(&queue, isDue: false)
        #expect(work.items == 10 && work.makesSpace && queue.items == 0)
        #expect(offer(&queue) == [.takenAndDue])
        #expect(queue.stored(work) == [])
        let next = try take(&queue, isDue: true)
        #expect(!next.makesSpace)
    }

    @Test func `a batch larger than the queue is taken when the queue is empty`() {
        var queue = WriteQueue(limits: limits)
        let large = TripEntry.items(Array(repeating: Fixtures.rpm(800), count: 50))
        #expect(queue.offer(large, at: .zero, on: .zero) == .takenAndDue)
        #expect(queue.offer(large, at: .zero, on: .zero) == .full)
    }

    @Test func `a few entries wait for their deadline, a flush or an end does not wait`() throws {
        var queue = WriteQueue(limits: limits)
        #expect(look(&queue, isDue: true) == nil)
        _ = queue.offer(.voltage(12), at: .zero, on: .zero)
        #expect(look(&queue, isDue: false) == nil)
        #expect(look(&queue, isDue: true) == 1)
        #expect(queue.requestFlush(DispatchSemaphore(value: 0)) == true)
        let flushed = try take(&queue, isDue: false)
        #expect(flushed.flushes.count == 1)
        #expect(queue.requestEnd(.stopped, at: .zero) == true)
        #expect(queue.requestEnd(.stopped, at: .zero) == false)
        let last = try take(&queue, isDue: false)
        #expect(last.ending?.reason == .stopped)
        #expect(queue.stored(last) == [])
        #expect(queue.offer(.voltage(12), at: .zero, on: .zero) == .full)
        #expect(queue.requestFlush(DispatchSemaphore(value: 0)) == false)
    }

    @Test
    func `entries that cannot be stored wait in order, and the oldest are dropped at the limit`()
        throws
    {
        var queue = WriteQueue(limits: limits)
        let full = StoreError.full(path: "x")
        _ = offer(&queue, 2)
        let work = try take(&queue, isDue: true)
        _ = offer(&queue, 1)
        #expect(queue.failed(work, full) == [.holding(full, items: 15)])
        #expect(queue.failure == full)
        // After a failure nothing is refused. 15 + 10 items are one entry more than the limit of
        // 20.
        #expect(offer(&queue, 2) == [.taken, .taken])
        #expect(queue.items == 20)
        #expect(queue.dropped.items == 5)
        // Half a queue does not cause another attempt. Only time does.
        #expect(look(&queue, isDue: false) == nil)
        let again = try take(&queue, isDue: true)
        #expect(again.items == 20 && again.dropped.items == 5)
        #expect(
            queue.failed(again, full) == [.holding(full, items: 20), .dropped(items: 5)])
        let third = try take(&queue, isDue: true)
        #expect(third.dropped.items == 5)
        #expect(third.batches.map(\.instant.nanoseconds) == [1, 0, 0, 1])
        #expect(queue.stored(third) == [.recovered])
        #expect(queue.dropped.items == 0 && queue.failure == nil)
        #expect(offer(&queue, 3) == [.takenAndDue, .taken, .full])
    }

    @Test func `after a failed flush without entries, the next entry is stored at once`() throws {
        var queue = WriteQueue(limits: limits)
        let isWaitedFor = queue.requestFlush(DispatchSemaphore(value: 0))
        #expect(isWaitedFor)
        let work = try take(&queue, isDue: false)
        _ = queue.failed(work, .full(path: "x"))
        #expect(offer(&queue, 2) == [.takenAndDue, .taken])
    }

    @Test func `entries dropped before and during a failed attempt are added up`() throws {
        var queue = WriteQueue(limits: limits)
        let full = StoreError.full(path: "x")
        _ = offer(&queue)
        _ = queue.failed(try take(&queue, isDue: true), full)
        #expect(offer(&queue, 6).allSatisfy { $0 == .taken })
        let work = try take(&queue, isDue: true)
        #expect(work.dropped.items == 15)
        // During the attempt, more items come than the queue can hold together with it.
        _ = offer(&queue, 2)
        let notices = queue.failed(work, full)
        #expect(notices == [.holding(full, items: 20), .dropped(items: 25)])
        #expect(queue.dropped.items == 25)
    }

    @Test func `the queue needs limited memory, however many entries are dropped`() throws {
        var queue = WriteQueue(limits: limits)
        _ = offer(&queue)
        _ = queue.failed(try take(&queue, isDue: true), .full(path: "x"))
        for number in 0..<10_000 {
            _ = queue.offer(.voltage(12), at: Instant(nanoseconds: Int64(number)), on: .zero)
            #expect(queue.items <= 20)
        }
        let work = try take(&queue, isDue: true)
        #expect(work.items == 20 && work.batches.count == 20)
        #expect(work.dropped.items == 10_000 + 5 - 20)
        #expect(work.batches.last?.instant.nanoseconds == 9_999)
    }

    @Test func `an end that cannot be stored reports the number of lost entries`() throws {
        var queue = WriteQueue(limits: limits)
        _ = offer(&queue)
        #expect(queue.requestEnd(.stopped, at: .zero) == true)
        let work = try take(&queue, isDue: false)
        #expect(queue.failed(work, .full(path: "x")) == [])
        #expect(queue.failure == .lost(entries: 5, .full(path: "x")))
        #expect(queue.offer(.voltage(12), at: .zero, on: .zero) == .full)
    }

    @Test func `a full queue accepts a note, which stays when other entries are dropped`() throws {
        var queue = WriteQueue(limits: limits)
        #expect(offer(&queue, 3) == [.takenAndDue, .taken, .full])
        #expect(queue.offer(.note("mark 1"), at: .zero, on: .zero) == .taken)
        #expect(queue.offer(.voltage(12), at: .zero, on: .zero) == .full)
        let work = try take(&queue, isDue: false)
        #expect(work.items == 11 && work.batches.last?.entry == .note("mark 1"))
        // Notes are limited, too, because a program could send marks without end.
        for _ in 0..<25 { _ = queue.offer(.note("x"), at: .zero, on: .zero) }
        #expect(queue.items == 20)

        let full = StoreError.full(path: "x")
        queue = WriteQueue(limits: limits)
        #expect(queue.offer(.note("first"), at: .zero, on: .zero) == .takenAndDue)
        _ = queue.failed(try take(&queue, isDue: true), full)
        _ = offer(&queue, 5)
        let second = try take(&queue, isDue: true)
        #expect(second.batches.first?.entry == .note("first"))
        #expect(second.items == 21 && second.dropped.items == 5)
        _ = queue.offer(.note("second"), at: .zero, on: .zero)
        _ = offer(&queue, 5)
        _ = queue.failed(second, full)
        let third = try take(&queue, isDue: true)
        let notes = third.batches.compactMap { batch in
            if case .note(let text) = batch.entry { text } else { nil }
        }
        #expect(notes == ["first", "second"])
        #expect(third.batches.map(\.items).reduce(0, +) == third.items)
    }
}

@Suite struct CopiedBatchesTests {
    private let slow = CommitPace(limit: .seconds(60))
    private let quick = CommitPace(limit: .seconds(1))

    private func moment(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test
    func `an entry without a copy is stored within a second, one with a copy within a minute`()
        throws
    {
        var queue = WriteQueue(limits: .init(copies: true))
        #expect(queue.offer(.voltage(1), at: .zero, on: moment(5)) == .takenAndDue)
        #expect(queue.due(within: slow, uncopied: quick) == moment(5) + quick.wait)
        let first = queue.uncopied()
        #expect(first.count == 1)
        // This one comes while the first is copied.
        #expect(queue.offer(.voltage(2), at: .zero, on: moment(6)) == .taken)
        queue.copied(1, true, at: moment(6))
        #expect(queue.hasUncopied)
        #expect(queue.due(within: slow, uncopied: quick) == moment(6) + quick.wait)
        #expect(queue.uncopied().map(\.entry) == [.voltage(2)])
        queue.copied(1, true, at: moment(6))
        #expect(!queue.hasUncopied && queue.uncopied().isEmpty)
        #expect(queue.due(within: slow, uncopied: quick) == moment(5) + slow.wait)
        // Each new entry without a copy is worth waking up for.
        #expect(queue.offer(.voltage(3), at: .zero, on: moment(7)) == .takenAndDue)
        queue.copied(1, false, at: moment(7))
        #expect(!queue.hasUncopied)
        #expect(queue.due(within: slow, uncopied: quick) == moment(7) + quick.wait)
        let work = queue.work(isDue: true)
        #expect(work?.items == 3)
        #expect(queue.due(within: slow, uncopied: quick) == nil)
        _ = queue.offer(.voltage(4), at: .zero, on: moment(8))
        #expect(queue.hasUncopied)
    }

    @Test func `many entries at once are not copied, and no entry is copied while the disk fails`()
        throws
    {
        var queue = WriteQueue(limits: .init(copies: true))
        let many = Array(repeating: Fixtures.rpm(800), count: 501)
        _ = queue.offer(.items(many), at: .zero, on: moment(1))
        #expect(queue.uncopied().isEmpty && !queue.hasUncopied)
        #expect(queue.due(within: slow, uncopied: quick) == moment(1) + quick.wait)
        let work = try #require(queue.work(isDue: true) as WriteQueue.Work?)
        _ = queue.failed(work, .full(path: "x"))
        _ = queue.offer(.voltage(1), at: .zero, on: moment(2))
        #expect(!queue.hasUncopied)
    }

    @Test func `without copies all entries have the same deadline`() {
        var queue = WriteQueue(limits: .init())
        _ = queue.offer(.voltage(1), at: .zero, on: moment(5))
        #expect(!queue.hasUncopied && queue.uncopied().isEmpty)
        #expect(queue.due(within: slow, uncopied: quick) == moment(5) + slow.wait)
        #expect(queue.offer(.voltage(2), at: .zero, on: moment(6)) == .taken)
    }
}
