import OBDCore
import ScanSession
import SystemIO
import Testing

@testable import VehicleScan

@Suite struct `A queue of batches` {
    private func batch() -> ReadingBatch {
        ReadingBatch(
            id: RequestID(rawValue: 0), exchange: Exchange(), asked: .zero, answered: .zero,
            messages: [], items: [], voltage: 12)
    }

    @Test func `a full queue refuses batches until the queue's limit is removed`() throws {
        let queue = try BatchQueue(capacity: 2, full: .refuse)
        #expect(queue.offer(batch()) && queue.offer(batch()))
        #expect(!queue.offer(batch()))
        queue.openWide()
        // The thread that waits for room wakes up, and batches under way are taken.
        var waiting = WaitList()
        let space = waiting.add(try #require(queue.spaceDescriptor))
        waiting.add(deadline: SystemClock.now() + .seconds(5))
        waiting.wait()
        #expect(waiting.isReady(space))
        #expect(queue.offer(batch()) && queue.offer(batch()))
        var taken: [ReadingBatch] = []
        #expect(queue.take(&taken) == 0 && taken.count == 4)
    }
}
