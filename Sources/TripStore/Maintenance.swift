import SystemIO

extension TripStore {
    /// The result of a check.
    public struct CheckResult: Hashable, Sendable {
        /// The faults in words; empty = none.
        public var faults: [String]
        /// Version of the schema.
        public var version: Int
        /// Numbers of trips, of scans (records of reading and clearing codes), and of the readings
        /// of both; nil if they cannot be counted.
        public var trips: Int?, scans: Int?, readings: Int?
        /// Bytes of the file, and how many of them deleted rows left free.
        public var size: Int, free: Int
    }

    /// Checks the file with SQLite's own check, then the sums and keys.
    /// - Returns: The faults in words; empty = none.
    public func check() throws(StoreError) -> [String] {
        do {
            return try read { database in
                let found = try database.values(String.self, "PRAGMA integrity_check")
                    .filter { $0 != "ok" }
                // Damaged pages would fail the other checks, too.
                return try found.isEmpty ? Self.contradictions(in: database) : found
            }
        } catch StoreError.damaged(_, let message) {
            return [message]
        }
    }

    /// Runs ``check()`` and adds the figures of the database.
    public func examine() throws(StoreError) -> CheckResult {
        let faults = try check()
        return try read { database in
            func number(_ sql: String) -> Int? { try? database.value(Int.self, sql) }
            let page = number("PRAGMA page_size") ?? 0
            return CheckResult(
                faults: faults, version: number("PRAGMA user_version") ?? 0,
                trips: number(
                    "SELECT count(*) FROM trip WHERE deleted IS NULL AND purpose <> 'scan'"),
                scans: number(
                    "SELECT count(*) FROM trip WHERE deleted IS NULL AND purpose = 'scan'"),
                readings: number("SELECT sum(readings) FROM trip WHERE deleted IS NULL") ?? 0,
                size: (number("PRAGMA page_count") ?? 0) * page,
                free: (number("PRAGMA freelist_count") ?? 0) * page)
        }
    }

    /// Whether the write-ahead log has changes that the file of the database alone does not have.
    ///
    /// See https://sqlite.org/walformat.html: the shared memory has the number of frames in the log, and of
    /// those that were copied to the file. Without shared memory, nothing shows that any were copied.
    public var holdsUnwrittenChanges: Bool {
        guard let size = OutputFile.size(of: path + "-wal"), size > 32 else { return false }
        guard let memory = try? Files.beginning(of: path + "-shm", limit: 100), memory.count == 100
        else { return true }
        func number(at place: Int) -> UInt32 {
            memory.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) }
        }
        return number(at: 16) > number(at: 96)
    }

    /// Checks our own invariants; each is a query for rows that violate it.
    private static func contradictions(in database: Database) throws -> [String] {
        var faults = try database.rows("PRAGMA foreign_key_check").map {
            "a row of \(try $0["table"] as String) belongs to nothing"
        }
        // Sums and rows are written in one transaction, so open trips are consistent, too.
        let rules: [(fault: String, trips: String)] = [
            (
                "counts other readings than it has",
                """
                SELECT id FROM trip WHERE readings <>
                    (SELECT count(*) FROM reading WHERE trip = trip.id)
                """
            ),
            (
                "has sums of other readings than it has",
                """
                SELECT id FROM trip WHERE readings <> (SELECT coalesce(sum(c.readings), 0)
                    FROM trip_channel AS c WHERE c.trip = trip.id)
                """
            ),
            (
                "ends before its last reading",
                """
                SELECT id FROM trip WHERE end_reason IS NOT NULL AND duration <
                    (SELECT max(t) FROM reading WHERE trip = trip.id)
                """
            ),
            (
                "has a record without its raw bytes",
                """
                SELECT DISTINCT trip FROM reading AS r WHERE raw IS NULL AND NOT EXISTS
                    (SELECT * FROM reading AS f WHERE f.trip = r.trip AND f.t = r.t
                        AND f.sequence < r.sequence AND f.raw IS NOT NULL)
                """
            ),
        ]
        // Trips that are being deleted in steps.
        let going = Set(
            try database.values(
                Int64.self,
                """
                SELECT id FROM trip WHERE deleted IS NOT NULL AND NOT EXISTS
                    (SELECT * FROM trip_edit AS e WHERE e.trip = trip.id OR e.other = trip.id)
                """))
        for rule in rules {
            for trip in try database.values(Int64.self, rule.trips) where !going.contains(trip) {
                faults.append("trip \(trip) \(rule.fault)")
            }
        }
        for row in try database.rows("SELECT id, code FROM code WHERE first_seen > last_seen") {
            let code: String = try row["code"]
            faults.append("code \(code) was last seen before it was first seen")
        }
        return faults
    }

    /// Returns the space of deleted rows to the disk; deleted trips cannot be restored afterwards.
    public func compact() throws(StoreError) {
        try purge()
        try write { database in
            try database.execute("VACUUM")
            try database.execute("PRAGMA optimize")
            try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Closes the file; the last connection writes the write-ahead log into it.
    ///
    /// If a thread still holds the store when the process ends, the log stays next to the database.
    /// No row is lost by that, but a copy of the database file alone would miss some.
    public func closeFile() { try? queue.close() }

    /// Puts everything into a single file and closes it; the store cannot be used afterwards.
    public func closeForMoving() throws(StoreError) {
        try write { try $0.execute("PRAGMA journal_mode = DELETE") }
        do {
            try queue.close()
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
