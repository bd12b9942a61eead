import Diagnostics
import OBDCore
import ScanSession
import Synchronization

/// Detects the end of a drive from the vehicle's answers.
public final class TripEndDetector: ReadingSink {
    private let rule: Mutex<TripEndRule>
    private let table: PIDTable
    private let standstill: Duration?

    /// A detector that begins at `start`; a vehicle that never answers counts as off, too.
    public init(_ limits: TripEndRule.Limits, table: PIDTable, start: Instant) {
        self.table = table
        standstill = limits.standstill
        var rule = TripEndRule(limits: limits)
        rule.takeAnswer(at: start)
        self.rule = Mutex(rule)
    }

    /// Nil, because the detector never refuses a batch.
    public var spaceDescriptor: Int32? { nil }

    /// Records an answer; always returns true.
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

    /// When to check again after `now`: the drive cannot be over before.
    ///
    /// If the vehicle stops after `now`, the limit of standstill may be reached before
    /// the limit of silence.
    public func deadline(from now: Instant) -> Instant? {
        guard let deadline = rule.withLock({ $0.deadline }) else { return nil }
        return standstill.map { min(deadline, now + $0) } ?? deadline
    }

    /// The end, if the drive is over at `now`.
    public func end(by now: Instant) -> TripEndRule.End? { rule.withLock { $0.end(by: now) } }
}
