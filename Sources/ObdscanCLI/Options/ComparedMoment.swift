import ArgumentParser
import OBDCore
import TripStore

/// The moment with which a report compares: a time, the visit before, or the last clearing.
enum ComparedMoment: ExpressibleByArgument, Hashable, Sendable {
    case time(TripMoment)
    /// When the vehicle's codes were read the last time in the visit before.
    case last
    /// When obdscan cleared the vehicle's codes the last time.
    case clear

    init?(argument: String) {
        switch argument.lowercased() {
        case "last": self = .last
        case "clear": self = .clear
        default:
            guard let moment = TripMoment(argument: argument) else { return nil }
            self = .time(moment)
        }
    }

    /// The time, if it does not depend on the vehicle.
    func fixed() throws(Failure) -> UTC? {
        if case .time(let moment) = self { try moment.time() } else { nil }
    }

    /// The time for the vehicle with this VIN or name, before its reading at `end`.
    func time(of vehicle: String, before end: UTC, in store: TripStore) throws(Failure) -> UTC {
        switch self {
        case .time(let moment): return try moment.time()
        case .last:
            let last = try mapped { () throws(StoreError) in
                try store.scanOfVisit(before: end, ofVehicle: vehicle)
            }
            if let last { return last }
            throw Failure(
                "the database has no earlier reading of \(vehicle)",
                hint: "without --since it is reported as it is now", status: .noInput)
        case .clear:
            // Clearing erases the state of the monitors and the test results.
            let before = try mapped { () throws(StoreError) in
                try store.momentBeforeClearing(ofVehicle: vehicle, until: end)
            }
            if let before { return before }
            throw Failure(
                "obdscan has not cleared the codes of \(vehicle)",
                hint: "--since last compares with the visit before", status: .noInput)
        }
    }
}
