package import OBDCore
import Synchronization

/// Whether the adapter may be in another vehicle: from a lost link until the VIN has arrived again.
///
/// Answers of that time belong to the vehicle that the VIN names, so a trip and the output wait for the VIN.
package final class VehicleDoubt: Sendable {
    /// The doubt to which a moment belongs.
    package struct Mark: Hashable, Sendable {
        /// Doubts are counted from 1.
        package var number: Int
        /// Whether the link was back, so that a vehicle could answer.
        package var isBack: Bool
    }

    private struct State: Sendable {
        /// When the link was lost; nil = the vehicle is known.
        var lost: Instant?
        var isBack = false
        /// The number of the last doubt.
        var number = 0
        /// The last doubt after which the vehicle was the same.
        var proven = 0
        var isOther = false
    }

    private let state = Mutex(State())

    package init() {}

    /// When the link was lost; nil = there is no doubt.
    package var lost: Instant? { state.withLock { $0.lost } }

    /// Whether it is unknown which vehicle gave an answer at `time`.
    package func concerns(_ time: Instant) -> Bool { mark(at: time) != nil }

    /// The present doubt, if it concerns a moment.
    package func mark(at time: Instant) -> Mark? {
        state.withLock { state in
            guard let lost = state.lost, time > lost else { return nil }
            return Mark(number: state.number, isBack: state.isBack)
        }
    }

    /// Whether the vehicle was the same after a doubt.
    package func isProven(_ mark: Mark) -> Bool { state.withLock { mark.number <= $0.proven } }

    /// Whether the VIN of another vehicle has arrived.
    package var isOther: Bool { state.withLock { $0.isOther } }

    package func begin(at time: Instant) {
        state.withLock { state in
            guard state.lost == nil else { return }
            state.lost = time
            state.number += 1
        }
    }

    package func linkIsBack() { state.withLock { $0.isBack = $0.lost != nil } }

    /// The vehicle is the same.
    package func end() {
        state.withLock { state in
            (state.lost, state.isBack) = (nil, false)
            state.proven = state.number
        }
    }

    /// The vehicle is another one; the session ends.
    package func meetsOther() { state.withLock { $0.isOther = true } }
}
