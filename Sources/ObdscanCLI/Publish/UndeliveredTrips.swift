import Settings
import TripStore

extension TripStore {
    /// Whether the configuration names any sink that gets whole trips.
    var hasSinks: Bool { UserSettings.current.hasSinkOfReadings }

    /// The trips that configured sinks still need, each with those sinks.
    func undeliveredTrips() throws(StoreError) -> [Int64: [String]] {
        try undelivered(to: UserSettings.current.sinksOfTrips)
    }

    /// Refuses to delete one of these trips if a sink still needs it.
    func checkThatSinksHave(_ trips: [Int64]) throws {
        let owed = try undeliveredTrips()
        for trip in trips {
            guard let sinks = owed[trip] else { continue }
            throw Failure(
                "trip \(trip) is not delivered to \(sinks.joined(separator: ", "))",
                hint: "\"obdscan publish --drain\" delivers it; --force deletes it anyway",
                status: .declined)
        }
    }
}
