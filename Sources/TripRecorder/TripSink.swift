import Accessory
import Diagnostics
import OBDCore
import ScanSession
import Synchronization
import SystemIO
import TripStore

/// Passes batches to a trip's writer without losing any.
///
/// When the queue is full, polling stops until it has space.
public final class TripSink: ReadingSink {
    private struct Begun: Sendable {
        var trip: TripWriter
        var start: Instant
        var silence: SilenceWatch
        var readings = 0
    }

    private let begun = Mutex<Begun?>(nil)
    private let space: EventDescriptor

    /// A sink without a trip.
    public init() throws(SystemError) {
        space = try EventDescriptor()
    }

    /// Becomes readable when the writer has room again.
    public var spaceDescriptor: Int32? { space.descriptor }

    /// The number of readings that the trip has taken.
    public var readings: Int { begun.withLock { $0?.readings ?? 0 } }

    /// Starts to pass answers from `start` on to `trip`.
    ///
    /// `period` is the polling interval, nil = continuously.
    public func begin(_ trip: TripWriter, at start: Instant, asked period: Duration?) {
        begun.withLock {
            $0 = Begun(trip: trip, start: start, silence: SilenceWatch(asked: period))
        }
    }

    /// Stops passing answers on.
    public func end() {
        begun.withLock { $0 = nil }
    }

    /// Wakes the session after the writer has room again.
    public func announceSpace() {
        space.signal()
    }

    /// Passes the batch to the trip; false = the queue is full, and the batch must be offered again.
    public func offer(_ batch: ReadingBatch) -> Bool {
        guard
            let trip = begun.withLock({ $0.flatMap { batch.answered >= $0.start ? $0.trip : nil } })
        else { return true }
        let faults = batch.faults
        let isTaken: Bool
        if faults.isEmpty && batch.voltage == nil {
            isTaken = batch.items.isEmpty || trip.offer(batch.items, at: batch.answered)
        } else {
            var entries: [TripEntry] = batch.items.isEmpty ? [] : [.items(batch.items)]
            if let voltage = batch.voltage { entries.append(.voltage(voltage)) }
            entries += faults.map { .event($0) }
            isTaken = trip.offer(.together(entries), at: batch.answered)
        }
        if isTaken { count(batch) }
        return isTaken
    }

    /// Counts the readings, and records a silence that is over.
    ///
    /// If the queue is full, the row of the silence is lost and no reading.
    private func count(_ batch: ReadingBatch) {
        let readings = batch.items.count { if case .reading = $0 { true } else { false } }
        begun.withLock { begun in
            begun?.readings += readings
            guard !batch.messages.isEmpty, let gap = begun?.silence.answered(at: batch.answered)
            else { return }
            _ = begun?.trip.offer(.event(gap.event), at: gap.start)
        }
    }
}
