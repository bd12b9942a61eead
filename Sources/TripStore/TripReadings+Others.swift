public import OBDCore

extension TripReadings {
    /// The trip's notes about a time within the selection, in the order of time.
    public func timedNotes() throws(StoreError) -> [(time: UTC, text: String)] {
        try store.notes(ofTrip: trip.id).compactMap { note in
            guard let time = note.time,
                times.contains(time.microseconds &- trip.start.microseconds)
            else { return nil }
            return (time, note.text)
        }
    }

    /// The number of positions within the selection.
    public func positions() throws(StoreError) -> Int {
        try store.read { database in
            try database.value(
                Int.self, "SELECT count(*) FROM position WHERE trip = ? AND t BETWEEN ? AND ?",
                [trip.id, times.lowerBound, times.upperBound]) ?? 0
        }
    }

    /// Calls `body` with all records of the trip except readings, in the order of time.
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
