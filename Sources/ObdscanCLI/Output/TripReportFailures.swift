import TripReports

extension Failure {
    /// The stored data lacks readings that the report needs.
    init(_ error: TripReportError) {
        switch error {
        case .noNumbers(let trip, let signal):
            self.init(
                "trip \(trip) has no numbers of \(signal)",
                hint: "\"obdscan trips show \(trip)\" lists its signals", status: .usage)
        case .severalTripsInWideCSV(let trips):
            self.init(
                "a wide table holds one trip, and \(trips.count) were chosen",
                hint: "leave out --layout wide and --every, or name one trip, such as \(trips[0])",
                status: .usage)
        case .tooLongForSheet:
            self.init(
                "these trips have more lines than a sheet can hold (1,048,575)",
                hint: "use --every, --signal or --from and --until, or write CSV", status: .usage)
        case .severalTripsInKML:
            self.init(
                "KML holds one trip", hint: "export trips one by one, or as GPX", status: .usage)
        case .noPositions(let trips):
            let what = trips.count == 1 ? "trip \(trips[0]) has" : "these trips have"
            self.init(
                "\(what) no positions", hint: "CSV and JSON Lines hold everything else",
                status: .noInput)
        case .severalVehicles(let count):
            self.init(
                "these trips are of \(count) vehicles",
                hint: "a fill-up belongs to one: --vehicle VIN", status: .usage)
        case .noSumOfFuel:
            self.init(
                "these trips used litres and kilograms, which cannot be added",
                hint: "name only trips with the same fuel", status: .usage)
        case .noFuel:
            self.init(
                "no calculated fuel to compare with",
                hint:
                    "name trips that used fuel: \"obdscan trips fuel TRIP\" shows how much",
                status: .noInput)
        case .silentTrip(let trip):
            self.init(
                "trip \(trip) has no fuel data, so the sum is too small",
                hint: "leave out trips whose fuel is not known, and calibrate with others",
                status: .noInput)
        case .noMatterOfCalibration(let amount, let unit, let units):
            let calculated = TripFuel.amount(amount, unit, units)
            self.init(
                "calculated were \(calculated): such a difference cannot come from calibration alone",
                hint: "name exactly the trips between the two fill-ups", status: .usage)
        }
    }
}
