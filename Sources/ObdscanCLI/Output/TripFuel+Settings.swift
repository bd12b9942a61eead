import FuelFigures
import Settings
import TripReports
import TripStore

extension TripFuel {
    /// The user's data about the engine, for the vehicle of a trip.
    static func profile(of trip: TripSummary) -> FuelProfile {
        UserSettings.current.fuelProfile(of: trip.vin)
    }
}
