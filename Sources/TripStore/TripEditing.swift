import GRDB
public import OBDCore

/// Why trips cannot be joined or cut.
public enum TripEditFault: Error, Hashable, Sendable {
    /// The database cannot be used.
    case store(StoreError)
    /// The later trip begins before the earlier one ends.
    case overlap(Int64, Int64)
    /// The trips are of two vehicles.
    case vehicles(Int64, Int64)
    /// The point lies outside the trip.
    case outside(Int64)
}

extension TripStore {
    /// Tables whose rows belong to a trip and a time.
    private static let timed = [
        "reading", "monitor", "monitor_test", "code_report", "message", "event", "note",
    ]

    /// Makes one trip of two, the earlier one's number stays.
    ///
    /// Both must have ended; tags and remarks of both are kept.
    public func joinTrips(_ one: Int64, _ other: Int64) throws(TripEditFault) {
        let (first, second) = try inOrder(one, other)
        let shift = second.start.microseconds.subtractingReportingOverflow(
            first.start.microseconds)
        guard first.id != second.id, !shift.overflow, second.start >= first.end else {
            throw .overlap(first.id, second.id)
        }
        if let left = first.vin, let right = second.vin, left != right {
            throw .vehicles(first.id, second.id)
        }
        try edit { database in
            try Self.move(from: second.id, to: first.id, by: shift.partialValue, in: database)
            try database.execute(
                sql: """
                    UPDATE note SET trip = :first WHERE trip = :second;
                    INSERT OR IGNORE INTO trip_tag (trip, tag)
                        SELECT :first, tag FROM trip_tag WHERE trip = :second;
                    UPDATE trip SET (vehicle, duration, end_reason) =
                        (SELECT coalesce(trip.vehicle, other.vehicle), other.duration + :shift,
                            other.end_reason FROM trip AS other WHERE other.id = :second)
                        WHERE id = :first;
                    DELETE FROM trip WHERE id = :second;
                    """,
                arguments: [
                    "first": first.id, "second": second.id, "shift": shift.partialValue,
                ])
            try Self.addUp(first.id, in: database)
        }
    }

    /// Cuts a trip in two; what is at or behind `time` becomes a trip of its own.
    ///
    /// Returns the new trip's number. It has the tags and the vehicle of the old one.
    public func splitTrip(_ id: Int64, at time: UTC) throws(TripEditFault) -> Int64 {
        let trip = try ended(id)
        guard time > trip.start, time < trip.end else { throw .outside(id) }
        let cut = time.microseconds - trip.start.microseconds
        return try edit { database in
            try database.execute(
                sql: """
                    INSERT INTO trip (purpose, vehicle, accessory, start, monotonic, duration,
                        end_reason)
                    SELECT purpose, vehicle, accessory, start + :cut, monotonic + :cut * 1000,
                        duration - :cut, end_reason FROM trip WHERE id = :old
                    """, arguments: ["old": id, "cut": cut])
            let new = database.lastInsertedRowID
            try database.execute(
                sql: """
                    INSERT INTO trip_tag (trip, tag) SELECT :new, tag FROM trip_tag WHERE trip = :old;
                    UPDATE trip SET duration = :cut WHERE id = :old;
                    """, arguments: ["old": id, "new": new, "cut": cut])
            try Self.move(from: id, to: new, by: -cut, startingAt: cut, in: database)
            try Self.addUp(id, in: database)
            try Self.addUp(new, in: database)
            return new
        }
    }

    // MARK: Pieces

    private func ended(_ id: Int64) throws(TripEditFault) -> TripSummary {
        do throws(StoreError) {
            let trip = try trip(id)
            guard trip.endReason != nil else { throw StoreError.tripIsOpen(id, path: path) }
            return trip
        } catch {
            throw .store(error)
        }
    }

    private func inOrder(
        _ one: Int64, _ other: Int64
    ) throws(TripEditFault) -> (TripSummary, TripSummary) {
        let left = try ended(one)
        let right = try ended(other)
        return left.start <= right.start ? (left, right) : (right, left)
    }

    private func edit<Value>(
        _ body: (Database) throws -> Value
    ) throws(TripEditFault) -> Value {
        do throws(StoreError) {
            return try transaction(body)
        } catch {
            throw .store(error)
        }
    }

    private static func move(
        from: Int64, to: Int64, by shift: Int64, startingAt: Int64 = .min, in database: Database
    ) throws {
        for table in timed {
            try database.execute(
                sql: "UPDATE \(table) SET trip = ?, t = t + ? WHERE trip = ? AND t >= ?",
                arguments: [to, shift, from, startingAt])
        }
    }

    /// Adds a trip's readings up anew.
    private static func addUp(_ trip: Int64, in database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM trip_channel WHERE trip = :trip;
                INSERT INTO trip_channel (trip, channel, readings, numbers, total, minimum, maximum)
                    SELECT trip, channel, count(*), count(number), total(number), min(number),
                        max(number)
                    FROM (SELECT trip, channel, CASE WHEN detail IS NULL THEN value END AS number
                        FROM reading WHERE trip = :trip)
                    GROUP BY channel;
                """, arguments: ["trip": trip])
        var meter = DistanceMeter()
        let meters = try Row.fetchCursor(
            database,
            sql: """
                SELECT t, channel, identifier, value FROM reading
                    JOIN channel ON channel.id = channel
                WHERE trip = ? AND service = 1 AND identifier IN (13, 166) AND detail IS NULL
                ORDER BY t, sequence
                """, arguments: [trip])
        while let row = try meters.next() {
            meter.add(
                row["value"], row["identifier"] == 13 ? .speed : .odometer,
                channel: row["channel"], t: row["t"])
        }
        try database.execute(
            sql: """
                UPDATE trip SET distance = :distance, readings =
                    (SELECT coalesce(sum(readings), 0) FROM trip_channel WHERE trip = :trip)
                WHERE id = :trip
                """, arguments: ["trip": trip, "distance": meter.distance])
    }
}
