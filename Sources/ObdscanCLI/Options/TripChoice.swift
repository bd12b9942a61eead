import ArgumentParser
import TripStore

/// The options that choose trips, the same in every command for many trips.
struct TripChoice: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Choose trips of the vehicle with this VIN or name.", valueName: "vehicle"))
    var vehicle: String?

    @Option(help: ArgumentHelp("Choose trips with this tag.", valueName: "word"))
    var tag: String?

    @Option(
        help: ArgumentHelp(
            "Choose trips and readings since: 7d (ago), yesterday.", valueName: "time"))
    var from: TripMoment?

    @Option(
        help: ArgumentHelp(
            "Choose trips and readings before: 2026-11-25T15:43.", valueName: "time"))
    var until: TripMoment?

    @Option(
        help: ArgumentHelp("Choose a month: 2026-11, this or last.", valueName: "month"))
    var month: TripMonth?

    func validate() throws {
        if month != nil && (from != nil || until != nil) {
            throw ValidationError("--month leaves no room for --from and --until")
        }
    }

    /// Whether the options choose trips, and not only a part of one.
    var choosesTrips: Bool {
        let moments = [from, until].compactMap(\.self)
        return vehicle != nil || tag != nil || month != nil
            || !moments.isEmpty && !moments.contains(where: \.isRelative)
    }

    /// The numbers of the trips that the options choose, else of the named ones, else of the latest one.
    func numbers(of named: [TripReference], in store: TripStore) throws -> [Int64] {
        _ = try (from?.time(), until?.time())
        if choosesTrips { return try store.existing(filter()).map(\.id) }
        return named.isEmpty
            ? [try store.latestTrip()] : try named.map { try $0.number(in: store) }
    }

    /// The trips that the options choose; times after the start of a trip are not part of the choice.
    func filter(withScans: Bool = false) -> TripStore.TripFilter {
        var filter = TripStore.TripFilter(withScans: withScans)
        (filter.vehicle, filter.tag) = (vehicle, tag)
        filter.from = month?.start ?? from?.utc(since: nil)
        filter.to = month?.end ?? until?.utc(since: nil)
        return filter
    }
}
