import Diagnostics
import OBDCore

extension VehicleError.Doubt {
    package var text: String {
        switch self {
        case .noAnswer: "no answer"
        case .incomplete: "no complete answer"
        case .damaged: "damaged answer"
        case .adapterSaid(let status): status.rawValue
        case .unusable: "unusable answer"
        case .otherRequest: "answer to another request"
        case .contradiction: "two different answers of one ECU"
        case .noProof(let ecu): "no proof from \(ecu)"
        }
    }
}

extension StandstillSignal {
    package var name: String {
        switch self {
        case .engineSpeed: "engine speed"
        case .vehicleSpeed: "vehicle speed"
        }
    }

    /// The meaning of a value that is not zero.
    package var motion: String {
        switch self {
        case .engineSpeed: "the engine runs"
        case .vehicleSpeed: "the vehicle moves"
        }
    }
}
