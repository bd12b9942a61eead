import Diagnostics
import OBDCore
import ScanSession
import Synchronization
import TripStore

/// Listens to what a vehicle answers and knows when the drive is over.
final class DriveWatch: ReadingSink {
    private let rule: Mutex<TripEndRule>

    /// A watch that begins at `start`: a vehicle that never answers is off too.
    init(_ limits: TripEndRule.Limits, start: Instant) {
        var rule = TripEndRule(limits: limits)
        rule.takeAnswer(at: start)
        self.rule = Mutex(rule)
    }

    /// It never refuses.
    var spaceDescriptor: Int32? { nil }

    func offer(_ batch: ReadingBatch) -> Bool {
        if batch.messages.isEmpty { return true }
        rule.withLock { rule in
            rule.takeAnswer(at: batch.answered)
            for case .reading(let reading) in batch.items {
                guard case .number(let value) = reading.value else { continue }
                switch reading.dataID {
                case DataID(.currentData, 0x0C): rule.take(engineSpeed: value, at: batch.answered)
                case DataID(.currentData, 0x0D): rule.take(speed: value, at: batch.answered)
                default: continue
                }
            }
        }
        return true
    }

    /// When to look again: the drive is not over before.
    var deadline: Instant? { rule.withLock { $0.deadline } }

    /// The end, if the drive is over at `now`.
    func end(by now: Instant) -> TripEndRule.End? { rule.withLock { $0.end(by: now) } }
}
