import Accessory
import Diagnostics
import OBDCore
import ScanSession
import Synchronization
import SystemIO
import TripStore
import VehicleScan

/// Passes batches to a trip's writer without losing any.
///
/// When the queue is full, polling stops until it has space.
public final class TripSink: ReadingSink {
    fileprivate struct Begun: Sendable {
        var trip: TripWriter
        var start: Instant
        var silence: SilenceWatch
        var positions: VehiclePositions?
        var doubt: VehicleDoubt?
        var readings = 0
        /// What happened while it was unknown which vehicle is connected, in order.
        var held: [Held] = []
        /// The batch that the queue refused, and that the session offers again.
        var refused: ReadingBatch?
    }

    fileprivate enum Held: Sendable {
        case batch(ReadingBatch)
        case entry(TripEntry, Instant)
    }

    private let begun = Mutex<Begun?>(nil)
    /// Batches before a trip that begins with the first value; nil = they belong to no trip.
    private let early: Mutex<[ReadingBatch]?>
    private let space: EventDescriptor
    private let value: EventDescriptor

    /// A sink without a trip.
    public convenience init() throws(SystemError) {
        try self.init(keepsFirst: false)
    }

    /// A sink for a trip that begins with the first value, if `keepsFirst` is true.
    package init(keepsFirst: Bool) throws(SystemError) {
        space = try EventDescriptor()
        value = try EventDescriptor()
        early = Mutex(keepsFirst ? [] : nil)
    }

    /// Becomes readable when the first value is there.
    package var firstDescriptor: Int32 { value.descriptor }

    /// The time of the first value before the trip; nil = there is none.
    package var first: Instant? { early.withLock { $0?.first?.answered } }

    /// Becomes readable when the writer has room again.
    public var spaceDescriptor: Int32? { space.descriptor }

    /// The number of readings that the trip has taken.
    public var readings: Int { begun.withLock { $0?.readings ?? 0 } }

    /// Starts to pass answers from `start` on to `trip`.
    ///
    /// `period` is the polling interval, nil = continuously.
    public func begin(_ trip: TripWriter, at start: Instant, asked period: Duration?) {
        begin(trip, at: start, asked: period, hiding: nil, while: nil)
    }

    /// Starts to pass answers on without the positions that `positions` leaves out.
    ///
    /// What happens during a `doubt` waits for its end. Nothing of that time is stored if the trip ends before,
    /// because it may be another vehicle's.
    package func begin(
        _ trip: TripWriter, at start: Instant, asked period: Duration?,
        hiding positions: VehiclePositions?, while doubt: VehicleDoubt? = nil
    ) {
        begun.withLock {
            $0 = Begun(
                trip: trip, start: start, silence: SilenceWatch(asked: period),
                positions: positions, doubt: doubt)
            let early = early.withLock { early in
                defer { early = nil }
                return early ?? []
            }
            for batch in early { _ = $0?.take(batch) }
        }
    }

    /// Stops passing answers on, and wakes the session if it waits for room.
    ///
    /// The trip gets the batches that it has not taken yet; for this, the call waits for the disk.
    public func end() {
        let begun = begun.withLock { $0.take() }
        // From here on, the session is not refused any more.
        space.signal()
        guard var begun, begun.refused != nil || !begun.held.isEmpty else { return }
        // If the disk fails, the queue has no limit for the batches.
        try? begun.trip.flush()
        _ = begun.passHeld()
        if let batch = begun.refused { _ = begun.pass(batch) }
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
            guard let start = begun?.start else {
                keepEarly(batch)
                return true
            }
            guard batch.answered >= start else { return true }
            var batch = batch
            if let items = begun?.positions?.allowed(
                batch.items, at: batch.answered, minute: currentMinute())
            {
                batch.items = items
            }
            return begun?.take(batch) ?? true
        }
    }

    private func keepEarly(_ batch: ReadingBatch) {
        let hasValue = batch.items.contains { if case .reading = $0 { true } else { false } }
        let isKept = early.withLock { early in
            guard hasValue, early != nil else { return false }
            early?.append(batch)
            return true
        }
        if isKept { value.signal() }
    }

    /// Stores an event or a position; false = the queue is full.
    @discardableResult func take(_ entry: TripEntry, at time: Instant) -> Bool {
        begun.withLock { $0?.take(entry, at: time) } ?? true
    }
}

extension TripSink.Begun {
    fileprivate mutating func take(_ batch: ReadingBatch) -> Bool {
        if doubt?.concerns(batch.answered) == true {
            held.append(.batch(batch))
            return true
        }
        let isTaken = passHeld() && pass(batch)
        refused = isTaken ? nil : batch
        return isTaken
    }

    fileprivate mutating func take(_ entry: TripEntry, at time: Instant) -> Bool {
        // Without a link, no other vehicle can be the cause.
        if doubt?.isBack == true {
            held.append(.entry(entry, time))
            return true
        }
        _ = passHeld()
        return trip.offer(entry, at: time)
    }

    /// Passes on what was held, unless another vehicle may be the cause; false = the queue is full.
    fileprivate mutating func passHeld() -> Bool {
        while let next = held.first, doubt?.lost == nil {
            let isTaken =
                switch next {
                case .batch(let batch): pass(batch)
                case .entry(let entry, let time): trip.offer(entry, at: time)
                }
            guard isTaken else { return false }
            held.removeFirst()
        }
        return true
    }

    fileprivate mutating func pass(_ batch: ReadingBatch) -> Bool {
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
    private mutating func count(_ batch: ReadingBatch) {
        readings += batch.items.count { if case .reading = $0 { true } else { false } }
        guard !batch.messages.isEmpty, let gap = silence.answered(at: batch.answered) else {
            return
        }
        _ = trip.offer(.event(gap.event), at: gap.start)
    }
}
