import Glibc
import Synchronization
import SystemIO
import VehicleScan

/// The vehicle of the current session, for requests besides the poll.
package final class CurrentVehicle: Sendable {
    private struct Question {
        var inbox: SignalInbox?
        var isOver = false
    }

    private let connection = Mutex<Vehicle?>(nil)
    private let question = Mutex(Question())

    package init() {}

    /// The session; nil = none.
    package var current: Vehicle? {
        get { connection.withLock { $0 } }
        set { connection.withLock { $0 = newValue } }
    }

    /// Begins a request that `inbox` can cancel; false = no more requests are allowed.
    package func begin(_ inbox: SignalInbox) -> Bool {
        question.withLock { question in
            if question.isOver { return false }
            question.inbox = inbox
            return true
        }
    }

    /// Ends the request, with or without an answer.
    package func finish() { question.withLock { $0.inbox = nil } }

    package func breakOff() { question.withLock { $0.inbox?.pass(SIGTERM) } }

    /// Cancels the current request and allows no others.
    package func end() {
        question.withLock { question in
            question.isOver = true
            question.inbox?.pass(SIGTERM)
        }
    }
}
