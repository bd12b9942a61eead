import Settings
import SystemIO
import TripStore

/// Trips that a configured sink has not received yet.
struct UndeliveredTrips {
    /// By trip, the sinks that still need it.
    let sinks: [Int64: [String]]

    /// The undelivered trips of a database; none if no sink is configured or nothing was ever
    /// published.
    init(_ store: TripStore) throws(Failure) {
        // A broker that gets only the current state does not need trips.
        let configured = UserSettings.current.publish.filter { _, sink in
            sink.to?.kind.isMQTT == false || (sink.history ?? .off) != .off
        }.keys.sorted()
        let path = DeliveryStore.path(of: store.path)
        guard !configured.isEmpty, Files.exists(path) else {
            sinks = [:]
            return
        }
        sinks = try mapped { () throws(StoreError) in
            let deliveries = try DeliveryStore(path: path, access: .readOnly)
            let known = Set(try deliveries.sinks().map(\.name))
            var found: [Int64: [String]] = [:]
            for sink in configured where known.contains(sink) {
                for trip in try store.undelivered(to: sink, deliveries) {
                    found[trip, default: []].append(sink)
                }
            }
            return found
        }
    }

    /// Refuses to delete one of these trips.
    func check(_ trips: [Int64]) throws(Failure) {
        for trip in trips {
            guard let sinks = sinks[trip] else { continue }
            throw Failure(
                "trip \(trip) is not delivered to \(sinks.joined(separator: ", "))",
                hint: "obdscan publish --drain delivers it; --force deletes it anyway",
                status: .declined)
        }
    }
}
