package import OBDCore
import Synchronization

/// Whether the adapter may be in another vehicle: from a lost link until the VIN has arrived again.
///
/// Answers of that time belong to the vehicle that the VIN names, so a trip and the output wait for the VIN.
package final class VehicleDoubt: Sendable {
    private struct State: Sendable {
        /// When the link was lost; nil = the vehicle is known.
        var lost: Instant?
        /// Whether the link is back.
        var isBack = false
    }

    private let state = Mutex(State())

    package init() {}

    /// When the link was lost; nil = there is no doubt.
    package var lost: Instant? { state.withLock { $0.lost } }

    /// Whether it is unknown which vehicle gave an answer at `time`.
    package func concerns(_ time: Instant) -> Bool {
        state.withLock { state in state.lost.map { time > $0 } ?? false }
    }

    /// Whether a vehicle can answer, and it is unknown which one.
    package var isBack: Bool { state.withLock { $0.isBack } }

    func begin(at time: Instant) { state.withLock { $0.lost = $0.lost ?? time } }

    func linkIsBack() { state.withLock { $0.isBack = $0.lost != nil } }

    func end() { state.withLock { $0 = State() } }
}
