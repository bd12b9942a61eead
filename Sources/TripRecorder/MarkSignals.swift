import Glibc
import Synchronization
import SystemIO

/// SIGUSR1, which marks the moment in every trip that is being recorded.
///
/// Make it before any thread exists, as every ``SignalInbox``.
public final class MarkSignals: Sendable {
    private let signals: SignalInbox
    private let trips = Mutex<[Int64: @Sendable () -> Void]>([:])

    /// From now on the signal no longer ends the process.
    public init() throws(SystemError) { signals = try SignalInbox([SIGUSR1]) }

    /// Becomes readable when a signal waits.
    public var descriptor: Int32 { signals.descriptor }

    /// The trip is marked from now on; `tell` takes each mark, nil = there was no room.
    public func begin(
        _ recording: TripRecording, tell: @escaping @Sendable (TripRecording.Mark?) -> Void
    ) {
        trips.withLock { trips in
            // What came before there was a trip marks no moment of it.
            if trips.isEmpty { while signals.next() != nil {} }
            trips[recording.number] = { tell(recording.mark()) }
        }
    }

    /// The trip is over.
    public func end(_ recording: TripRecording) {
        _ = trips.withLock { $0.removeValue(forKey: recording.number) }
    }

    /// Marks the moment, if a signal waits.
    public func take() {
        while signals.next() != nil {
            for mark in trips.withLock({ $0.sorted { $0.key < $1.key } }) { mark.value() }
        }
    }
}
