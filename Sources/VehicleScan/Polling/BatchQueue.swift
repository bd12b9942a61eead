import Accessory
public import ScanSession
import Synchronization
public import SystemIO

/// A bounded queue of batches from a session's thread to the thread that prints or draws them.
public final class BatchQueue: ReadingSink {
    /// What happens to a batch for which there is no room.
    public enum Full: Sendable {
        /// It is refused and offered again: nothing is lost, the vehicle is asked more slowly.
        case refuse
        /// The oldest one is dropped and counted.
        case dropOldest
    }

    private struct State: Sendable {
        var batches: [ReadingBatch] = []
        var dropped = 0
        var refused = false
        /// Whether everything is taken: no more is asked, and what came must not be lost.
        var isOpenWide = false
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let full: Full
    private let arrived: EventDescriptor
    /// Nil where nothing is ever refused.
    private let space: EventDescriptor?

    /// A queue of at most `capacity` batches.
    public init(capacity: Int = 256, full: Full) throws(SystemError) {
        self.capacity = capacity
        self.full = full
        arrived = try EventDescriptor()
        space = full == .refuse ? try EventDescriptor() : nil
    }

    /// Readable while batches wait.
    public var descriptor: Int32 { arrived.descriptor }

    /// Readable once there is room again; nil where nothing is ever refused.
    public var spaceDescriptor: Int32? { space?.descriptor }

    /// Takes a batch; false = there is no room for it.
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

    /// Takes whatever is still offered, however slow the reader is: polling has come to its end, and
    /// nobody should wait for room.
    public func openWide() {
        state.withLock { $0.isOpenWide = true }
        space?.signal()
    }

    /// Takes everything that waits; returns how many batches were dropped since the last time.
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
