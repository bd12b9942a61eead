import GRDB
import GRDBSQLite

extension TripReadings {
    /// Calls `body` with the numbers, flags (0, 1) and codes of some signals in the order of time.
    ///
    /// - Parameters:
    ///   - places: indices into ``signals``.
    ///   - body: gets the time since the trip's start in microseconds, the index into ``signals``,
    ///     and the value.
    public func forEachNumber(
        of places: [Int], _ body: (_ t: Int64, _ place: Int, _ value: Double) throws -> Void
    ) throws {
        var byChannel: [Int64: Int] = [:]
        for (channel, template) in templates {
            guard let place = places.first(where: { signals[$0].signal == template.signal }) else {
                continue
            }
            byChannel[channel] = place
        }
        guard !byChannel.isEmpty else { return }
        let channels = byChannel.keys.sorted().map(String.init).joined(separator: ",")
        try store.reading { database in
            let statement = try database.makeStatement(
                sql: """
                    SELECT t, channel, value FROM reading
                    WHERE trip = ? AND t BETWEEN ? AND ? AND channel IN (\(channels))
                        AND detail IS NULL AND value IS NOT NULL
                    ORDER BY t, sequence
                    """)
            let handle = statement.sqliteStatement
            sqlite3_bind_int64(handle, 1, trip.id)
            sqlite3_bind_int64(handle, 2, times.lowerBound)
            sqlite3_bind_int64(handle, 3, times.upperBound)
            while try database.step(handle) {
                guard let place = byChannel[sqlite3_column_int64(handle, 1)] else { continue }
                try body(sqlite3_column_int64(handle, 0), place, sqlite3_column_double(handle, 2))
            }
        }
    }
}
