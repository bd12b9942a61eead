import OBDCore
import Publishing
import Synchronization
import SystemIO
import TripStore

/// Reads trouble codes when a button is pressed, on its own thread, and at most once a minute.
final class CodeButton: Sendable {
    private struct State {
        var isBusy = false
        var last: Instant?
        var result: String?
    }

    private let state = Mutex(State())
    private let work: @Sendable (String) -> String
    private let wake: EventDescriptor

    init(readCodes work: @escaping @Sendable (String) -> String, wake: EventDescriptor) {
        self.work = work
        self.wake = wake
    }

    /// Begins to read the codes of a vehicle; else why not.
    ///
    /// `isRecording` is whether any trip of any vehicle is open, because its recorder may use the same
    /// adapter.
    func readCodes(
        of vehicle: String, latest trips: [TripSummary], now: Instant,
        isRecording: () -> Bool
    ) -> String? {
        let isTooEarly = state.withLock { state in
            state.isBusy || state.last.map { now - $0 < .seconds(60) } ?? false
        }
        if isTooEarly { return "the codes of \(vehicle) are not read more than once a minute" }
        if isRecording() {
            return "the codes of \(vehicle) are not read while a trip is recorded"
        }
        guard let adapter = trips.max(by: { $0.start < $1.start })?.accessory else {
            return "the codes of \(vehicle) are not read: its adapter is not known"
        }
        let mayBegin = state.withLock { state in
            if state.isBusy { return false }
            state.isBusy = true
            state.last = now
            return true
        }
        guard mayBegin else {
            return "the codes of \(vehicle) are not read more than once a minute"
        }
        do {
            // The thread ends by itself: the work has a deadline.
            try SystemThread { [self] in
                let words = work(adapter)
                state.withLock {
                    $0.isBusy = false
                    $0.result = "\(vehicle): \(words)"
                }
                wake.signal()
            }.detach()
        } catch {
            state.withLock { $0.isBusy = false }
            return "the codes of \(vehicle) are not read: \(error)"
        }
        return nil
    }

    /// The result of the work, once.
    func takeResult() -> String? {
        state.withLock { state in
            defer { state.result = nil }
            return state.result
        }
    }
}
