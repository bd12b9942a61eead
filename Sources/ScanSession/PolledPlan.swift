import Diagnostics
import OBDCore

/// The plan of a session's poll, and which of its events were already reported.
///
/// A class, because each access to an optional plan would copy the plan. The plan never leaves the session's
/// thread.
final class PolledPlan {
    var plan: PollPlan
    /// Whether the plan detects that the vehicle is parked.
    let watchesMotion: Bool
    /// Whether the vehicle is currently left alone.
    private(set) var rests: Bool
    /// Requests that could not be sent and were already reported.
    private var notSent: Set<VehicleRequest> = []

    init(_ plan: PollPlan) {
        self.plan = plan
        watchesMotion = plan.watchesMotion
        rests = plan.isResting
    }

    /// Events about the beginning and the end of a rest.
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

    /// Records a request that cannot be sent; returns it if it was not reported yet.
    func noteNotSent(_ request: VehicleRequest) -> VehicleRequest? {
        var request = request
        request.id = RequestID(rawValue: 0)
        request.expectedFrames = nil
        return notSent.insert(request).inserted ? request : nil
    }
}
