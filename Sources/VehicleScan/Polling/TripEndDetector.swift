import Diagnostics
import OBDCore
import ScanSession
import Synchronization

/// Listens to what a vehicle answers and knows when the drive is over.
public final class TripEndDetector: ReadingSink {
    private let rule: Mutex<TripEndRule>
    private let table: PIDTable
    private let standstill: Duration?

    /// A watch that begins at `start`: a vehicle that never answers is off too.
    public init(_ limits: TripEndRule.Limits, table: PIDTable, start: Instant) {
        self.table = table
        standstill = limits.standstill
        var rule = TripEndRule(limits: limits)
        rule.takeAnswer(at: start)
        self.rule = Mutex(rule)
    }

    /// It never refuses.
    public var spaceDescriptor: Int32? { nil }

    /// Takes note of what was answered; it is never without room.
    public func offer(_ batch: ReadingBatch) -> Bool {
        if batch.messages.isEmpty { return true }
        rule.withLock { rule in
            rule.takeAnswer(at: batch.answered)
            for case .reading(let reading) in batch.items {
                rule.take(reading, in: table, at: batch.answered)
            }
        }
        return true
    }

    /// When to look again, seen from `now`: the drive is not over before.
    ///
    /// A vehicle that begins to stand after `now` may have stood for long enough before no ECU has
    /// answered for long enough.
    public func deadline(from now: Instant) -> Instant? {
        guard let deadline = rule.withLock({ $0.deadline }) else { return nil }
        return standstill.map { min(deadline, now + $0) } ?? deadline
    }

    /// The end, if the drive is over at `now`.
    public func end(by now: Instant) -> TripEndRule.End? { rule.withLock { $0.end(by: now) } }
}
