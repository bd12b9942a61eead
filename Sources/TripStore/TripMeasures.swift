extension TripStore {
    /// What this revision of the program measured in trips whose readings are the same since, by trip.
    public func measures(ofRevision revision: Int) throws(StoreError) -> [Int64: String] {
        try read { database in
            let rows = try database.rows(
                "SELECT trip, numbers FROM trip_measure WHERE revision = ?", [revision])
            return try Dictionary(
                rows.map { try ($0["trip"] as Int64, $0["numbers"] as String) },
                uniquingKeysWith: { one, _ in one })
        }
    }

    /// Keeps what this revision of the program measured in trips that have ended.
    ///
    /// Works beside a store that only reads. Where the file cannot be written, or another process writes at the moment,
    /// nothing is kept: it can be measured again.
    public func keep(_ measures: [(trip: TripSummary, numbers: String)], ofRevision revision: Int) {
        var limits = limits
        limits.patience = .milliseconds(100)
        guard !measures.isEmpty,
            let connection = try? Self.connect(currentPath, access: .readWrite, limits: limits)
        else { return }
        defer { try? connection.close() }
        try? connection.access { database in
            try database.transaction {
                for (trip, numbers) in measures {
                    try database.execute(
                        """
                        INSERT OR REPLACE INTO trip_measure (trip, revision, numbers)
                            SELECT id, ?2, ?3 FROM trip
                            WHERE id = ?1 AND end_reason IS NOT NULL AND readings = ?4
                        """, [trip.id, revision, numbers, trip.readings])
                }
            }
        }
    }
}
