import GRDB
public import OBDCore

extension TripReadings {
    /// Calls `body` with everything of the trip but its readings, in the order of time.
    public func forEachOtherRecord(
        _ body: (_ time: UTC, _ record: TripRecord) throws -> Void
    ) throws {
        let start = trip.start.microseconds
        try store.reading { database in
            var others = try OtherRecords(trip: trip.id, times: times, in: database)
            while let next = try others.next(before: (.max, .max)) {
                try body(UTC(microseconds: start &+ next.t), next.record)
            }
        }
    }
}
