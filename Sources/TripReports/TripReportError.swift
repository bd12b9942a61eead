import Formats

/// Why the stored data cannot answer a request.
public enum TripReportError: Error, Hashable, Sendable {
    /// A trip has no numbers for the named signal.
    case noNumbers(trip: Int64, signal: String)
    /// Wide CSV can hold only one trip, and these were chosen.
    case severalTripsInWideCSV(_ trips: [Int64])
    /// A sheet holds at most 1,048,575 lines, and these trips have more.
    case tooLongForSheet
    /// KML can hold only one trip.
    case severalTripsInKML
    /// The trips have no positions.
    case noPositions(trips: [Int64])
    /// A fill-up belongs to one vehicle, but the trips are from this many.
    case severalVehicles(_ count: Int)
    /// The trips used fuels in litres and in kilograms.
    case noSumOfFuel
    /// The trips have no fuel that could be compared.
    case noFuel
    /// A trip has no data about fuel, so the sum would be too small.
    case silentTrip(_ trip: Int64)
    /// The calculated amount differs too much from the filled one for a calibration.
    case noMatterOfCalibration(calculated: Double, unit: String, UnitSystem)
}
