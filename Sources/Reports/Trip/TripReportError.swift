import Formats
import OBDCore

/// Why the stored data cannot answer a request.
package enum TripReportError: Explained, Hashable, Sendable {
    /// A trip has no numbers for the named signal.
    ///
    /// `near` is a signal of the trip with a similar name, if the trip has one.
    case noNumbers(trip: Int64, signal: String, near: String?)
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
    /// The filled amount is so small that the error of the filling decides about the calibration.
    case tooLittleFilled(amount: Double, unit: String, UnitSystem)
    /// The calculated amount differs too much from the filled one for a calibration.
    case noMatterOfCalibration(calculated: Double, unit: String, UnitSystem)
}

extension TripReportError {
    /// The stored data does not contain what the report needs.
    package var explanation: Explanation {
        switch self {
        case .noNumbers(let trip, let signal, let near):
            return Explanation(
                "trip \(trip) has no numbers of \(signal)",
                hint: (near.map { "did you mean \($0)? " } ?? "")
                    + "\"obdscan trips show \(trip)\" lists its signals", .usage)
        case .severalTripsInWideCSV(let trips):
            return Explanation(
                "a wide table holds one trip, and \(trips.count) were chosen",
                hint: "leave out --layout wide and --every, or name one trip, such as \(trips[0])",
                .usage)
        case .tooLongForSheet:
            return Explanation(
                "these trips have more lines than a sheet can hold (1,048,575)",
                hint: "use --every, --signal or --from and --until, or write CSV", .usage)
        case .severalTripsInKML:
            return Explanation(
                "KML holds one trip", hint: "export trips one by one, or as GPX", .usage)
        case .noPositions(let trips):
            let what = trips.count == 1 ? "trip \(trips[0]) has" : "these trips have"
            return Explanation(
                "\(what) no positions",
                hint: "JSON Lines hold everything, long CSV (--layout long) every reading",
                .noInput)
        case .severalVehicles(let count):
            return Explanation(
                "these trips are of \(count) vehicles",
                hint: "a fill-up belongs to one: --vehicle VIN", .usage)
        case .noSumOfFuel:
            return Explanation(
                "these trips used litres and kilograms, which cannot be added",
                hint: "name only trips with the same fuel", .usage)
        case .noFuel:
            return Explanation(
                "no calculated fuel to compare with",
                hint:
                    "name trips that used fuel: \"obdscan trips fuel TRIP\" shows how much",
                .noInput)
        case .silentTrip(let trip):
            return Explanation(
                "trip \(trip) has no fuel data, so the sum is too small",
                hint: "leave out trips whose fuel is not known, and calibrate with others",
                .noInput)
        case .tooLittleFilled(let amount, let unit, let units):
            let (filled, least) = (
                TripFuel.amount(amount, unit, units),
                TripFuel.amount(FuelReport.Calibration.least, unit, units)
            )
            return Explanation(
                "\(filled) are too little for a calibration: two fillings to one mark may differ "
                    + "by \(TripFuel.amount(1, unit, units))",
                hint: "drive until \(least) or more fit in, and name all trips since then",
                .usage)
        case .noMatterOfCalibration(let amount, let unit, let units):
            let calculated = TripFuel.amount(amount, unit, units)
            return Explanation(
                "calculated were \(calculated): such a difference cannot come from calibration alone",
                hint: "name exactly the trips between the two fill-ups", .usage)
        }
    }
}
