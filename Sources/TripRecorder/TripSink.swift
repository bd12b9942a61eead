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
        /// The doubt of what the trip's writer holds; nil = it holds nothing.
        var stored: VehicleDoubt.Mark?
        /// What came after the link was back, in the order of its arrival.
        var held: [Held] = []
        /// The batch that the queue refused, and that the session offers again.
        var refused: ReadingBatch?
    }

    /// Entries of the time in which the connected vehicle was unknown.
    fileprivate struct Held: Sendable {
        enum Item: Sendable {
            case batch(ReadingBatch)
            case entry(TripEntry, Instant)
        }

        var item: Item
        var doubt: VehicleDoubt.Mark
    }

    /// The greatest number of answers, events and positions until the VIN arrives; further events and positions are
    /// refused.
    fileprivate static let mostHeld = 100_000

    private let begun = Mutex<Begun?>(nil)
    /// Batches before a trip that begins with the first value; nil = they belong to no trip.
    private let early: Mutex<[ReadingBatch]?>
    /// How much time of such batches is kept; nil = all.
    private let earlyLimit = Mutex<Duration?>(nil)
    /// From when on answers belong to the next trip of a session; nil = its first trip.
    private let border = Mutex<Instant?>(nil)
    /// How much time of such batches is kept between two trips of a session.
    package static let earlyTime = Duration.seconds(10)
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

    /// Keeps the batches of the last seconds for the next trip: the answer that shows the beginning of a drive
    /// arrives before the trip can begin.
    package func awaitTrip() {
        earlyLimit.withLock { $0 = Self.earlyTime }
        early.withLock { $0 = [] }
    }

    /// Drops answers that belong to no drive, because they arrived before this time.
    ///
    /// Later answers belong to the next trip, also one that the session has not offered yet.
    package func dropEarly(before time: Instant) {
        border.withLock { $0 = time }
        early.withLock { $0?.removeAll { $0.answered < time } }
    }

    /// Becomes readable when the first value is there.
    package var firstDescriptor: Int32 { value.descriptor }

    /// The time of the first value that arrived before the trip, or else that from which on values belong to it;
    /// nil if neither is known.
    package var first: Instant? {
        early.withLock { $0?.first?.answered } ?? border.withLock { $0 }
    }

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
    /// What happens during a `doubt` waits for its end: on the disk as long as the link is lost, and in memory after
    /// that. If the vehicle is another one, the trip gets nothing of that time. If the trip ends before that is known,
    /// even by a power cut, it gets what happened without a link.
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
            for var batch in early {
                $0?.hidePositions(of: &batch)
                _ = $0?.take(batch)
            }
        }
    }

    /// Stops passing answers on, and wakes the session if it waits for room.
    ///
    /// The trip gets the batches that it has not taken yet; for this, the call waits for the disk.
    public func end() {
        let begun = begun.withLock { $0.take() }
        // From here on, the session is not refused any more.
        space.signal()
        guard var begun, begun.refused != nil || begun.isHolding else { return }
        begun.dropOthers()
        // If the disk fails, the queue has no limit for the batches.
        repeat {
            try? begun.trip.flush()
        } while begun.passHeld(all: true)
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
            begun?.hidePositions(of: &batch)
            return begun?.take(batch) ?? true
        }
    }

    private func keepEarly(_ batch: ReadingBatch) {
        let hasValue = batch.items.contains { if case .reading = $0 { true } else { false } }
        let time = earlyLimit.withLock { $0 }
        let isKept = early.withLock { early in
            guard hasValue, early != nil else { return false }
            early?.append(batch)
            if let time { early?.removeAll { batch.answered - $0.answered > time } }
            return true
        }
        if isKept { value.signal() }
    }

    /// Stores an event or a position; false = the queue is full.
    @discardableResult package func take(_ entry: TripEntry, at time: Instant) -> Bool {
        begun.withLock { $0?.take(entry, at: time) } ?? true
    }
}

extension TripSink.Begun {
    fileprivate mutating func hidePositions(of batch: inout ReadingBatch) {
        let items = positions?.allowed(batch.items, at: batch.answered, minute: currentMinute())
        if let items { batch.items = items }
    }

    fileprivate mutating func take(_ batch: ReadingBatch) -> Bool {
        if let mark = doubt?.mark(at: batch.answered) {
            held.append(.init(item: .batch(batch), doubt: mark))
            return true
        }
        passHeld()
        let isTaken = !isFull && pass(batch)
        refused = isTaken ? nil : batch
        return isTaken
    }

    fileprivate mutating func take(_ entry: TripEntry, at time: Instant) -> Bool {
        guard let mark = doubt?.mark(at: time) else {
            passHeld()
            return trip.offer(entry, at: time)
        }
        // What a doubt that is over has left comes first.
        passHeld()
        if !mark.isBack, held.isEmpty {
            stored = mark
            return trip.offer(.held(entry), at: time)
        }
        guard held.count < TripSink.mostHeld else { return false }
        held.append(.init(item: .entry(entry, time), doubt: mark))
        return true
    }

    fileprivate var isHolding: Bool { stored != nil || !held.isEmpty }

    /// Decides about what the writer holds: it is this vehicle's unless the vehicle is another one since.
    private mutating func settle() {
        guard let mark = stored else { return }
        stored = nil
        let isOther = doubt?.isOther == true && !isProven(mark)
        _ = trip.offer(.settleHeld(keeps: !isOther), at: SystemClock.now())
    }

    private func isProven(_ mark: VehicleDoubt.Mark) -> Bool { doubt?.isProven(mark) ?? true }

    /// Whether something waits that belongs to this vehicle.
    private var isFull: Bool { held.first.map { isProven($0) } ?? false }

    private func isProven(_ held: TripSink.Held) -> Bool { isProven(held.doubt) }

    /// Passes on what was held, as far as it is this vehicle's or `all` is true; whether there is more and some
    /// was passed on.
    @discardableResult
    fileprivate mutating func passHeld(all: Bool = false) -> Bool {
        if let stored, all || isProven(stored) { settle() }
        var count = 0
        for next in held {
            guard all || isProven(next) else { break }
            let isTaken =
                switch next.item {
                case .batch(let batch): pass(batch)
                case .entry(let entry, let time): trip.offer(entry, at: time)
                }
            guard isTaken else { break }
            count += 1
        }
        held.removeFirst(count)
        return count > 0 && !held.isEmpty
    }

    /// Drops what another vehicle may have caused.
    fileprivate mutating func dropOthers() {
        guard let doubt else { return }
        let isOther = doubt.isOther
        held.removeAll { !doubt.isProven($0.doubt) && (isOther || $0.doubt.isBack) }
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
