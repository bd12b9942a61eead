import Accessory
import Diagnostics
import OBDCore
import ScanSession
import Synchronization
import SystemIO
import TripStore

/// Hands batches on to a trip's writer; nothing is lost: when the writer has no room, the vehicle
/// is asked for nothing until it has.
public final class TripSink: ReadingSink {
    private struct Begun: Sendable {
        var trip: TripWriter
        var start: Instant
        var silence: SilenceWatch
    }

    private let begun = Mutex<Begun?>(nil)
    private let space: EventDescriptor

    /// A sink that has no trip yet.
    public init() throws(SystemError) {
        space = try EventDescriptor()
    }

    /// Becomes readable when the writer has room again.
    public var spaceDescriptor: Int32? { space.descriptor }

    /// What is answered from `start` on goes to `trip`; `period` is how often something is asked,
    /// nil = always.
    public func begin(_ trip: TripWriter, at start: Instant, asked period: Duration?) {
        begun.withLock {
            $0 = Begun(trip: trip, start: start, silence: SilenceWatch(asked: period))
        }
    }

    /// What is answered from now on goes to no trip.
    public func end() {
        begun.withLock { $0 = nil }
    }

    /// Tells the session that there is room again.
    public func announceSpace() {
        space.signal()
    }

    /// Hands the batch on to the trip; false = there is no room, and it has to be offered again.
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
        if isTaken && !batch.messages.isEmpty { noteAnswer(at: batch.answered) }
        return isTaken
    }

    /// A silence that is over becomes a row; a full queue loses the row and not a reading.
    private func noteAnswer(at instant: Instant) {
        begun.withLock { begun in
            guard let gap = begun?.silence.answered(at: instant) else { return }
            _ = begun?.trip.offer(.event(gap.event), at: gap.start)
        }
    }
}
