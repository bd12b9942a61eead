package import Diagnostics
package import OBDCore
package import ScanSession
import Synchronization
package import SystemIO

/// Finds the named signals that the vehicle does not support while it is polled.
///
/// Silence about one signal means that only after the vehicle has answered another request, and only
/// the second time: a single answer may be lost or late.
package final class UnsupportedSignals: ReadingSink {
    private struct State: Sendable {
        var setup: PollSetup?
        /// The named signals without a reading and without a report.
        var open: Set<SignalIndex> = []
        /// The number of unanswered requests for each record.
        var misses: [DataID: Int] = [:]
        /// The records to which no ECU has an answer.
        var missed: Set<DataID> = []
        /// The records in ``missed`` at the last report.
        var reported: Set<DataID> = []
        var isAnswered = false
        /// Whether a record was missed since the last report.
        var hasNews = false
    }

    private static let missesBeforeReport = 2

    private let state = Mutex(State())
    private let table: PIDTable
    private let found: EventDescriptor

    /// A sink that ignores every batch until ``begin(_:)``.
    package init(_ table: PIDTable) throws(SystemError) {
        self.table = table
        found = try EventDescriptor()
    }

    /// Becomes readable when ``take()`` has signals to report.
    package var descriptor: Int32 { found.descriptor }

    /// Nil, because the object never refuses a batch.
    package var spaceDescriptor: Int32? { nil }

    package var records: Set<DataID> { state.withLock { $0.reported } }

    /// Watches the named signals of `setup`.
    package func begin(_ setup: PollSetup) {
        let measured = setup.named.filter { $0 != table.adapterVoltage }
        state.withLock { $0 = State(setup: setup, open: Set(measured)) }
    }

    /// Looks for answers and missing ones; always returns true.
    package func offer(_ batch: ReadingBatch) -> Bool {
        let hasNews = state.withLock { state in
            guard let setup = state.setup, !state.open.isEmpty else { return false }
            for case .reading(let reading) in batch.items {
                // A message that an ECU sends without being asked answers no request.
                if batch.exchange.request != nil { state.isAnswered = true }
                state.open.remove(reading.signal)
            }
            for want in setup.missed(in: batch) {
                state.misses[want.dataID, default: 0] += 1
                guard state.misses[want.dataID] == Self.missesBeforeReport else { continue }
                state.missed.insert(want.dataID)
                state.hasNews = true
            }
            return state.isAnswered && state.hasNews
        }
        if hasNews { found.signal() }
        return true
    }

    /// The signals that were found since the last call, in the order of their names.
    ///
    /// A signal that several records have is only reported when all of them were missed.
    package func take() -> [SignalIndex] {
        found.take()
        return state.withLock { state in
            guard let setup = state.setup, state.isAnswered else { return [] }
            state.hasNews = false
            let signals = setup.named.filter { signal in
                state.open.contains(signal)
                    && setup.wants.allSatisfy {
                        state.missed.contains($0.dataID)
                            || !PollSetup.signals(of: $0, table).contains(signal)
                    }
            }
            state.open.subtract(signals)
            if !signals.isEmpty { state.reported = state.missed }
            return signals
        }
    }
}
