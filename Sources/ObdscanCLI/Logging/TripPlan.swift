import OBDCore
import Settings
import Synchronization
import TripRecorder
import TripStore

extension TripRecording.Plan {
    /// A trip in the database of the options, with the receiver of the configuration.
    static func opened(
        _ database: DatabaseOptions, every period: Duration?,
        note: @escaping @Sendable (String) -> Void
    ) throws -> Self {
        let receiver = try PositionReceiver.chosen(nil, note: note)
        let store = try database.openForTrips(note: note)
        var plan = Self(
            store: store, every: period,
            limits: .recording(every: UserSettings.current.commitEvery, to: store),
            receiver: receiver)
        plan.privacy = UserSettings.current.privacy
        return plan
    }
}

extension DatabaseOptions {
    /// Opens the database for new trips, and passes its notes on.
    func openForTrips(
        limits: TripStore.Limits = .init(), note: (String) -> Void
    ) throws -> TripStore {
        let store = try open(.readWrite, limits: limits)
        try store.settleClocks(note)
        if let advice = store.advice { note(advice) }
        for copy in store.copiesLeft { note(copy.text) }
        return store
    }
}

/// A plan that was made before its trip may begin, so that an error of the database is printed at once.
final class WaitingPlan: Sendable {
    private let plan: Mutex<TripRecording.Plan?>

    init(_ plan: TripRecording.Plan?) { self.plan = Mutex(plan) }

    /// The plan, once; then nil.
    func take() -> TripRecording.Plan? {
        plan.withLock { plan in
            defer { plan = nil }
            return plan
        }
    }
}
