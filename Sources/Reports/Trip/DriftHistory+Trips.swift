import OBDCore
import SystemIO
import TripStore

extension DriftHistory {
    /// The drives of a vehicle in the order of time, measured once and then kept in the database.
    init(
        _ trips: [TripSummary], in store: TripStore, _ knowledge: DriveKnowledge
    ) throws {
        self.init()
        let known = try store.measures(ofRevision: DriveWatch.revision)
        var new: [(trip: TripSummary, numbers: String)] = []
        for trip in trips.sorted(by: { ($0.start, $0.id) < ($1.start, $1.id) }) {
            if let reason = try Self.reset(at: trip, in: store) {
                reset(reason)
                // A clear within a drive makes the drive itself one of two states.
                if reason == .cleared { continue }
            }
            guard trip.purpose != .scan, trip.isClockSet != false else { continue }
            var drive = known[trip.id].flatMap(MeasuredDrive.init(text:))
            if drive == nil {
                let measured = MeasuredDrive(
                    try TripDiagnosis.watch(store.readings(ofTrip: trip.id), knowledge))
                new.append((trip, measured.text))
                drive = measured
            }
            if let drive { take(Drive(drive, of: trip, knowledge)) }
        }
        store.keep(new, ofRevision: DriveWatch.revision)
    }

    /// Why learning begins again at a trip; nil = it goes on.
    static func reset(at trip: TripSummary, in store: TripStore) throws -> Reset? {
        let isCleared = try store.eventCounts(ofTrip: trip.id).contains { $0.kind == .codesCleared }
        if isCleared { return .cleared }
        return trip.tags.contains { $0.lowercased() == "repair" } ? .repaired : nil
    }
}

extension DriftHistory.Drive {
    fileprivate init(
        _ drive: MeasuredDrive, of trip: TripSummary, _ knowledge: DriveKnowledge
    ) {
        let verdict = DriveVerdict(
            numbers: drive.numbers, traits: drive.traits, knowledge.causes)
        var causes: [String: [String: Bool]] = [:]
        for candidate in verdict.inference.candidates {
            for feature in verdict.features {
                guard let expected = candidate.expected[feature.id],
                    let healthy = feature.measure.healthy,
                    abs(expected - healthy.centre) > healthy.spread / 2
                else { continue }
                causes[candidate.cause.id, default: [:]][feature.id] = expected > healthy.centre
            }
        }
        self.init(
            trip: trip.id, start: trip.start.microseconds, features: verdict.features,
            ambient: drive.numbers["ambient"]?.value, causes: causes)
    }
}
