import Accessory
import OBDCore
import ScanSession

/// A missing link, adapter or vehicle while readings are polled, and the remedy.
package enum VehicleLoss: Hashable, Sendable {
    /// The link to the adapter is lost.
    case link
    /// The adapter does not answer.
    case adapter
    /// The adapter answers, but the vehicle does not.
    case vehicle

    /// The meaning of a session's error for its user.
    package init(_ error: ScanError, at accessory: String) {
        self =
            switch error {
            case .accessory, .linkLost: .link
            default: error.explanation(at: accessory).isOfSilentVehicle ? .vehicle : .adapter
            }
    }

    /// What is missing.
    package var text: String {
        switch self {
        case .link: "link lost"
        case .adapter: "no answer from the adapter"
        case .vehicle: "no answer from the vehicle"
        }
    }

    /// The remedy for the user.
    package var remedy: String {
        switch self {
        case .link: "is the adapter plugged in and in reach?"
        case .adapter: "unplug the adapter and plug it in again"
        case .vehicle: "turn the ignition on"
        }
    }

    /// The shortest silence that counts as a loss, if readings are due at this interval.
    package static func limit(_ interval: Duration?) -> Duration {
        max(.seconds(5), (interval ?? .zero) * 3)
    }
}
