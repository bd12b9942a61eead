/// Calculates a trip's totals from its rows.
enum TripFigures {
    /// Calculates a trip's totals again, after its readings have changed; what was measured in them goes.
    static func addUp(_ trip: Int64, in database: Database) throws {
        try database.execute(
            """
            DELETE FROM trip_measure WHERE trip = :trip;
            DELETE FROM trip_channel WHERE trip = :trip;
            INSERT INTO trip_channel (trip, channel, readings, numbers, total, minimum, maximum)
                SELECT trip, channel, count(*), count(number), total(number), min(number),
                    max(number)
                FROM (SELECT trip, channel, CASE WHEN detail IS NULL THEN value END AS number
                    FROM reading WHERE trip = :trip)
                GROUP BY channel;
            """, ["trip": trip])
        var meter = TripMeter()
        let meters = try database.cursor(
            """
            SELECT t, channel, \(TripMeter.Role.sql) AS role, value FROM reading
                JOIN channel ON channel.id = channel
            WHERE trip = ? AND role IS NOT NULL AND detail IS NULL AND channel.kind = 'number'
            ORDER BY t, sequence
            """, [trip])
        while let row = try meters.next() {
            guard let role = TripMeter.Role(rawValue: try row["role"]) else { continue }
            try meter.add(row["value"], role, channel: row["channel"], t: row["t"])
        }
        var row = try RowStatement(
            """
            UPDATE trip SET distance = ?, driven = ?, odometer_start = ?, odometer_end = ?,
                moving = ?, idle = ?, hard_brakings = ?, hard_accelerations = ?, readings =
                (SELECT coalesce(sum(readings), 0) FROM trip_channel WHERE trip_channel.trip = ?9)
            WHERE id = ?9
            """, in: database)
        row.bind(meter)
        row.bind(trip)
        try row.run()
    }
}
