import Glibc
import Synchronization
import SystemIO

/// SIGUSR1, which marks the moment in every trip that is being recorded.
///
/// Make it before any thread exists, as every ``SignalInbox``.
final class MarkSignals: Sendable {
    private let signals: SignalInbox
    private let trips = Mutex<[Int64: @Sendable () -> Void]>([:])

    /// From now on the signal no longer ends the process.
    init() throws(SystemError) { signals = try SignalInbox([SIGUSR1]) }

    /// Becomes readable when a signal waits.
    var descriptor: Int32 { signals.descriptor }

    /// The trip is marked from now on; `tell` is told what to say of it.
    func begin(_ recording: TripRecording, tell: @escaping @Sendable (String) -> Void) {
        trips.withLock { trips in
            // What came before there was a trip marks no moment of it.
            if trips.isEmpty { while signals.next() != nil {} }
            trips[recording.number] = { tell(recording.mark()) }
        }
    }

    /// The trip is over.
    func end(_ recording: TripRecording) {
        _ = trips.withLock { $0.removeValue(forKey: recording.number) }
    }

    /// Marks the moment, if a signal waits.
    func take() {
        while signals.next() != nil {
            for mark in trips.withLock({ $0.sorted { $0.key < $1.key } }) { mark.value() }
        }
    }
}
