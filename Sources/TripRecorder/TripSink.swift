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
        var positions: VehiclePositions?
        var readings = 0
        /// The batch that the queue refused, and that the session offers again.
        var refused: ReadingBatch?
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
        begin(trip, at: start, asked: period, hiding: nil)
    }

    /// Starts to pass answers on without the positions that `positions` leaves out.
    package func begin(
        _ trip: TripWriter, at start: Instant, asked period: Duration?,
        hiding positions: VehiclePositions?
    ) {
        begun.withLock {
            $0 = Begun(
                trip: trip, start: start, silence: SilenceWatch(asked: period),
                positions: positions)
        }
    }

    /// Stops passing answers on, and wakes the session if it waits for room.
    ///
    /// The trip gets the batch that it refused before; for this, the call waits for the disk.
    public func end() {
        let begun = begun.withLock { $0.take() }
        // From here on, the session is not refused any more.
        space.signal()
        guard let begun, let batch = begun.refused else { return }
        // If the disk fails, the queue has no limit for the batch.
        try? begun.trip.flush()
        _ = Self.pass(batch, to: begun.trip)
    }

    /// Wakes the session after the writer has room again.
    public func announceSpace() {
        space.signal()
    }

    /// Passes the batch to the trip; false = the queue is full, and the batch must be offered again.
    ///
    /// The trip cannot end meanwhile: an ended trip refuses everything and never has room again.
    public func offer(_ batch: ReadingBatch) -> Bool {
        begun.withLock { begun in
            guard let trip = begun?.trip, let start = begun?.start, batch.answered >= start else {
                return true
            }
            var batch = batch
            if let items = begun?.positions?.allowed(
                batch.items, at: batch.answered, minute: currentMinute())
            {
                batch.items = items
            }
            let isTaken = Self.pass(batch, to: trip)
            begun?.refused = isTaken ? nil : batch
            if isTaken { Self.count(batch, &begun) }
            return isTaken
        }
    }

    private static func pass(_ batch: ReadingBatch, to trip: TripWriter) -> Bool {
        let faults = batch.faults
        if faults.isEmpty && batch.voltage == nil {
            return batch.items.isEmpty || trip.offer(batch.items, at: batch.answered)
        }
        var entries: [TripEntry] = batch.items.isEmpty ? [] : [.items(batch.items)]
        if let voltage = batch.voltage { entries.append(.voltage(voltage)) }
        entries += faults.map { .event($0) }
        return trip.offer(.together(entries), at: batch.answered)
    }

    /// Counts the readings, and records a silence that is over.
    ///
    /// If the queue is full, the row of the silence is lost and no reading.
    private static func count(_ batch: ReadingBatch, _ begun: inout Begun?) {
        begun?.readings += batch.items.count { if case .reading = $0 { true } else { false } }
        guard !batch.messages.isEmpty, let gap = begun?.silence.answered(at: batch.answered)
        else { return }
        _ = begun?.trip.offer(.event(gap.event), at: gap.start)
    }
}
