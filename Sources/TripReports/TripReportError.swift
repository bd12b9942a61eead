import Formats

/// Why the stored data cannot answer a request.
public enum TripReportError: Error, Hashable, Sendable {
    /// A trip has no numbers of a signal that was named.
    case noNumbers(trip: Int64, signal: String)
    /// KML holds one trip.
    case severalTripsInKML
    /// The trips have no positions.
    case noPositions(trips: [Int64])
    /// A fill-up is of one vehicle, and the trips are of this many.
    case severalVehicles(_ count: Int)
    /// The trips used fuels in litres and in kilograms.
    case noSumOfFuel
    /// The trips burnt nothing that could be compared.
    case noFuel
    /// A trip says nothing about fuel, so that a sum would be too small.
    case silentTrip(_ trip: Int64)
    /// What was calculated is so far from what was filled in that no calibration explains it.
    case noMatterOfCalibration(calculated: Double, unit: String, UnitSystem)
}
