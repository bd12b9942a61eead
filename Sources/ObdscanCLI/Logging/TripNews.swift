import Adapters
import TripStore
import VehicleReports

extension TripNews {
    /// The message for a notice; nil = none.
    init?(_ notice: TripWriter.Notice) {
        self.init(notice) { Failure($0).message }
    }
}

/// The text in a trip's row for a failed set-up.
@Sendable func setupFault(_ failure: InitialisationFailure) -> String {
    Failure(failure, accessory: "the adapter").message
}
