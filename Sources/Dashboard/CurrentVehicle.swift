import Glibc
import Synchronization
import SystemIO
import VehicleScan

/// The vehicle while there is a session with it; for questions besides the poll.
package final class CurrentVehicle: Sendable {
    private struct Question {
        var inbox: SignalInbox?
        var isOver = false
    }

    private let connection = Mutex<Vehicle?>(nil)
    private let question = Mutex(Question())

    /// There is no session yet.
    package init() {}

    /// The session; nil while there is none.
    package var current: Vehicle? {
        get { connection.withLock { $0 } }
        set { connection.withLock { $0 = newValue } }
    }

    /// A question begins, which `inbox` breaks off; false = none is asked any more.
    package func begin(_ inbox: SignalInbox) -> Bool {
        question.withLock { question in
            if question.isOver { return false }
            question.inbox = inbox
            return true
        }
    }

    /// The question has its answer, or none.
    package func finish() { question.withLock { $0.inbox = nil } }

    /// Breaks off the question that is under way.
    package func breakOff() { question.withLock { $0.inbox?.pass(SIGTERM) } }

    /// Breaks off the question that is under way, and lets no other begin.
    package func end() {
        question.withLock { question in
            question.isOver = true
            question.inbox?.pass(SIGTERM)
        }
    }
}
