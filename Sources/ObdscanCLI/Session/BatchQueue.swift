import CAccessory
import Glibc
import ScanSession
import Synchronization

/// A bounded queue of batches from a session's thread to the thread that prints or draws them.
final class BatchQueue: ReadingSink {
    /// What happens to a batch for which there is no room.
    enum Full: Sendable {
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
    private let space: Int32
    /// Readable while batches wait.
    let descriptor: Int32

    /// A queue of at most `capacity` batches.
    init(capacity: Int = 256, full: Full) throws(Failure) {
        self.capacity = capacity
        self.full = full
        descriptor = ca_eventfd()
        space = full == .refuse ? ca_eventfd() : -1
        if descriptor < 0 || (full == .refuse && space < 0) {
            throw Failure("eventfd: \(describe(errno: errno))", status: .bug)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if space >= 0 { close(space) }
    }

    var spaceDescriptor: Int32? { full == .refuse ? space : nil }

    func offer(_ batch: ReadingBatch) -> Bool {
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
        if taken { _ = ca_eventfd_signal(descriptor) }
        return taken
    }

    /// Takes whatever is still offered, however slow the reader is: polling has come to its end, and
    /// nobody should wait for room.
    func openWide() {
        state.withLock { $0.isOpenWide = true }
        if space >= 0 { _ = ca_eventfd_signal(space) }
    }

    /// Takes everything that waits; returns how many batches were dropped since the last time.
    func take(_ batches: inout [ReadingBatch]) -> Int {
        _ = ca_eventfd_take(descriptor)
        let (dropped, refused) = state.withLock { state in
            batches.append(contentsOf: state.batches)
            state.batches.removeAll(keepingCapacity: true)
            defer { (state.dropped, state.refused) = (0, false) }
            return (state.dropped, state.refused)
        }
        if refused { _ = ca_eventfd_signal(space) }
        return dropped
    }
}
