import OBDCore
import ScanTool
import Synchronization

/// Notes that a transcript broke off, so that the session can continue and its user learns of the loss at the
/// end.
public final class RecordingWatch: ScanObserver {
    /// Only rare events.
    public let interests = ScanEvent.Kinds.milestones
    private let number = Mutex<Int32?>(nil)

    /// A watch over a session that has not begun.
    public init() {}

    /// Keeps the first error.
    public func scan(_ event: ScanEvent, at time: Instant) {
        if case .recordingFailed(let errno) = event { number.withLock { $0 = $0 ?? errno } }
    }

    /// The system's number of the first error; nil = the transcript is complete.
    public var errno: Int32? { number.withLock { $0 } }
}
