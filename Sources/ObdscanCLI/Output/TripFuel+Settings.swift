import FuelFigures
import Settings
import TripReports
import TripStore

extension TripFuel {
    /// What of an engine the user told, for the vehicle of a trip.
    static func profile(of trip: TripSummary) -> FuelProfile {
        UserSettings.current.fuelProfile(of: trip.vin)
    }
}
