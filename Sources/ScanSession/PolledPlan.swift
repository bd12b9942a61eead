import Diagnostics
import OBDCore

/// The plan that a session polls by, and what was told of it.
///
/// A class, because a look at an optional as large as a plan would copy it; it never leaves the session's
/// thread.
final class PolledPlan {
    var plan: PollPlan
    /// Whether it looks for a vehicle at rest.
    let watchesMotion: Bool
    /// Whether it leaves the vehicle alone.
    private(set) var rests: Bool
    /// Its requests that could not be sent, as far as that was told.
    private var notSent: Set<VehicleRequest> = []

    init(_ plan: PollPlan) {
        self.plan = plan
        watchesMotion = plan.watchesMotion
        rests = plan.isResting
    }

    /// Whether the vehicle is left alone from now on, or asked again.
    func takeBatteryNews(at time: Instant) -> [ScanEvent] {
        guard watchesMotion else { return [] }
        return plan.takeBatteryNews(at: time).map { news in
            switch news {
            case .rests(let rest):
                rests = true
                return .scanDidRest(rest)
            case .goesOn(let rest, _):
                rests = false
                return .scanDidWake(rest)
            }
        }
    }

    /// Takes note of a request that cannot be sent; returns it where that was not told yet.
    func noteNotSent(_ request: VehicleRequest) -> VehicleRequest? {
        var request = request
        request.id = RequestID(rawValue: 0)
        request.expectedFrames = nil
        return notSent.insert(request).inserted ? request : nil
    }
}
