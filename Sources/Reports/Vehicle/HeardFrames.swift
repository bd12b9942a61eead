import Formats
import OBDCore
import Synchronization

/// Notices that frames are heard of which no table has a value.
package final class HeardFrames: Sendable {
    private struct State: Sendable {
        var first: Instant?
        var count = 0
        var identifiers: Set<ECUAddress> = []
        var hasValues = false
        var isTold = false
    }

    private let state = Mutex(State())
    /// A table's messages come at least this often, if they come by themselves.
    private static let patience = Duration.seconds(5)
    private static let mostIdentifiers = 2048

    init() {}

    func count(_ id: ECUAddress, at time: Instant) {
        state.withLock { state in
            if state.hasValues { return }
            state.first = state.first ?? time
            state.count += 1
            if state.identifiers.count < Self.mostIdentifiers { state.identifiers.insert(id) }
        }
    }

    func findValue() {
        state.withLock { state in
            state.hasValues = true
            state.identifiers = []
        }
    }

    /// What is missing, once; nil = nothing, or it is too early to tell.
    package func news(at now: Instant) -> String? {
        news { now - $0 >= Self.patience }
    }

    /// What is missing at the end of the listening, however short it was.
    package func lastNews() -> String? { news { _ in true } }

    private func news(_ isTime: (Instant) -> Bool) -> String? {
        state.withLock { state in
            guard !state.hasValues, !state.isTold, let first = state.first, isTime(first) else {
                return nil
            }
            state.isTold = true
            let some = state.identifiers.sorted().prefix(4).map { "\($0)" }
            let isAll = some.count == state.identifiers.count
            return "\(counted(state.count, "frame")) with "
                + "\(counted(state.identifiers.count, "identifier")) (\(some.joined(separator: ", "))"
                + (isAll ? "" : " …")
                + ") were heard, and no table has a value of them: name a table with "
                + "--table FILE, such as a DBC file of the vehicle; \"obdscan monitor\" shows the frames"
        }
    }
}
