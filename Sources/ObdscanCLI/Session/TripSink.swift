import CAccessory
import Diagnostics
import Glibc
import OBDCore
import ScanSession
import Synchronization
import TripStore

/// Hands batches on to a trip's writer; nothing is lost: when the writer has no room, the vehicle
/// is asked for nothing until it has.
final class TripSink: ReadingSink {
    private let writer = Mutex<(trip: TripWriter, start: Instant)?>(nil)
    private let space: Int32

    /// A sink that has no trip yet.
    init() throws(Failure) {
        space = ca_eventfd()
        if space < 0 { throw Failure("eventfd: \(describe(errno: errno))", status: .bug) }
    }

    deinit {
        if space >= 0 { close(space) }
    }

    var spaceDescriptor: Int32? { space }

    /// What is answered from `start` on goes to `trip`.
    func begin(_ trip: TripWriter, at start: Instant) {
        writer.withLock { $0 = (trip, start) }
    }

    /// Tells the session that there is room again.
    func announceSpace() {
        _ = ca_eventfd_signal(space)
    }

    func offer(_ batch: ReadingBatch) -> Bool {
        guard let (trip, start) = writer.withLock({ $0 }), batch.answered >= start else {
            return true
        }
        if !batch.items.isEmpty, !trip.offer(batch.items, at: batch.answered) { return false }
        // A batch holds either items or a voltage; were there both, a lost voltage is no loss.
        if let voltage = batch.voltage {
            return trip.offer(.voltage(voltage), at: batch.answered) || !batch.items.isEmpty
        }
        return true
    }
}
