import Adapters
import TripStore
import VehicleReports

extension TripNews {
    /// What to say of a notice in the words of this program; nil = nothing.
    init?(_ notice: TripWriter.Notice) {
        self.init(notice) { Failure($0).message }
    }
}

/// What a trip's row says of a set-up that failed.
@Sendable func setupFault(_ failure: InitialisationFailure) -> String {
    Failure(failure, accessory: "the adapter").message
}
