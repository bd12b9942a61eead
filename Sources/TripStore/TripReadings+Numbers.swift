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
        try forEachValue(of: places, where: " AND detail IS NULL AND value IS NOT NULL") {
            t, place, value in
            if let value { try body(t, place, value) }
        }
    }

    /// Calls `body` with each flag (0, 1) and code of some signals in the order of time.
    ///
    /// A code without a name is a code, too. Nil for a reading that has no code, which also ends the state before.
    public func forEachState(
        of places: [Int], _ body: (_ t: Int64, _ place: Int, _ code: Double?) throws -> Void
    ) throws { try forEachValue(of: places, where: "", body) }

    private func forEachValue(
        of places: [Int], where condition: String,
        _ body: (_ t: Int64, _ place: Int, _ value: Double?) throws -> Void
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
            let statement = try database.statement(
                """
                SELECT t, channel, value FROM reading
                WHERE trip = ? AND t BETWEEN ? AND ? AND channel IN (\(channels))\(condition)
                ORDER BY t, sequence
                """, [trip.id, times.lowerBound, times.upperBound])
            let row = statement.current
            while try statement.step() {
                guard let place = byChannel[row.integer(1)] else { continue }
                try body(row.integer(0), place, row.isNull(2) ? nil : row.real(2))
            }
        }
    }
}
