import Accessory
public import ScanSession
import Synchronization
public import SystemIO

/// A bounded queue of batches from a session's thread to the thread that prints or displays them.
public final class BatchQueue: ReadingSink {
    /// The behaviour of a full queue.
    public enum Full: Sendable {
        /// The batch is refused and offered again: nothing is lost, and the vehicle is asked more slowly.
        case refuse
        /// The oldest batch is dropped and counted.
        case dropOldest
    }

    private struct State: Sendable {
        var batches: [ReadingBatch] = []
        var dropped = 0
        var refused = false
        /// Whether every batch is accepted, because polling has ended and no batch must be lost.
        var isOpenWide = false
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let full: Full
    private let arrived: EventDescriptor
    /// Nil if no batch is ever refused.
    private let space: EventDescriptor?

    /// A queue of up to `capacity` batches.
    public init(capacity: Int = 256, full: Full) throws(SystemError) {
        self.capacity = capacity
        self.full = full
        arrived = try EventDescriptor()
        space = full == .refuse ? try EventDescriptor() : nil
    }

    /// Readable while batches are queued.
    public var descriptor: Int32 { arrived.descriptor }

    /// Readable once there is space again; nil if no batch is ever refused.
    public var spaceDescriptor: Int32? { space?.descriptor }

    /// Accepts a batch; false if there is no space.
    public func offer(_ batch: ReadingBatch) -> Bool {
        let taken = state.withLock { state in
            if state.batches.count >= capacity, !state.isOpenWide {
                switch full {
                case .refuse:
                    state.refused = true
                    return false
                case .dropOldest:
                    state.batches.removeFirst()
                    state.dropped += 1
                }
            }
            state.batches.append(batch)
            return true
        }
        if taken { arrived.signal() }
        return taken
    }

    /// Accepts every further batch, however slow the reader is, because polling has ended and must not wait
    /// for space.
    public func openWide() {
        state.withLock { $0.isOpenWide = true }
        space?.signal()
    }

    /// Removes the queued batches that have no reading, so that they keep no room from others.
    public func dropWithoutReadings() {
        let refused = state.withLock { state in
            state.batches.removeAll { batch in
                !batch.items.contains { if case .reading = $0 { true } else { false } }
            }
            defer { state.refused = false }
            return state.refused
        }
        if refused { space?.signal() }
    }

    /// Removes all queued batches; returns how many were dropped since the last call.
    public func take(_ batches: inout [ReadingBatch]) -> Int {
        arrived.take()
        let (dropped, refused) = state.withLock { state in
            batches.append(contentsOf: state.batches)
            state.batches.removeAll(keepingCapacity: true)
            defer { (state.dropped, state.refused) = (0, false) }
            return (state.dropped, state.refused)
        }
        if refused { space?.signal() }
        return dropped
    }
}
