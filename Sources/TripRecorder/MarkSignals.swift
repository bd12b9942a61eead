import Glibc
import Synchronization
import SystemIO

/// SIGUSR1, which marks the moment in every trip that is being recorded.
///
/// Create the object before any thread exists, like every ``SignalInbox``.
public final class MarkSignals: Sendable {
    private let signals: SignalInbox
    private let trips = Mutex<[Int64: @Sendable () -> Void]>([:])

    /// From then on, the signal does not end the process.
    public init() throws(SystemError) { signals = try SignalInbox([SIGUSR1]) }

    /// Becomes readable when a signal is pending.
    public var descriptor: Int32 { signals.descriptor }

    /// Starts to mark a trip; `tell` is called with each mark, nil = the queue was full.
    public func begin(
        _ recording: TripRecording, tell: @escaping @Sendable (TripRecording.Mark?) -> Void
    ) {
        trips.withLock { trips in
            // Discard signals from before the first trip.
            if trips.isEmpty { while signals.next() != nil {} }
            trips[recording.number] = { tell(recording.mark()) }
        }
    }

    /// Stops marking a trip.
    public func end(_ recording: TripRecording) {
        _ = trips.withLock { $0.removeValue(forKey: recording.number) }
    }

    /// Marks the moment if a signal is pending.
    public func take() {
        while signals.next() != nil {
            for mark in trips.withLock({ $0.sorted { $0.key < $1.key } }) { mark.value() }
        }
    }
}
