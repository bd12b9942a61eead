import SystemIO

/// The result of merging another database.
public struct Merged: Hashable, Sendable {
    /// The new trips' numbers.
    public var trips: [Int64] = []
    /// The number of trips that were in this database before, whole or as parts of others.
    public var known = 0
    /// The number of known trips with more readings there than here.
    public var longer = 0
    /// The number of trips that are still being recorded.
    public var open = 0
    /// The vehicles that could not keep their name, because another vehicle here has it; by VIN.
    public var unnamed: [String: String] = [:]
}

extension TripStore {
    /// Copies everything that the database at `other` has and this one does not have; all or
    /// nothing.
    ///
    /// A trip is identified by its two clocks at its start, so merging again adds nothing; one that
    /// was exported and imported elsewhere by its readings. With `only`, just these trips are copied, and only those codes of the history that they reported.
    /// A database with an older schema is read through a copy next to this one. `progress` gets the
    /// number of finished trips and of all trips.
    ///
    /// - Parameter isOneName: whether the names of two vehicles would be mistaken for each other.
    public func merge(
        from other: String, only: [Int64]? = nil,
        progress: (_ done: Int, _ of: Int) -> Void = { _, _ in },
        isOneName: (String, String) -> Bool = { $0 == $1 }
    ) throws(StoreError) -> Merged {
        // A database that SQLite can open only through a special name cannot be attached.
        var needsCopy = ReadOnlyPlace.name(of: other) != other
        do {
            let source = try TripStore(path: other, access: .readOnly, limits: limits)
            needsCopy = needsCopy || source.hasWaitingCopies
        } catch .older {
            needsCopy = true
        }
        guard needsCopy else { return try merge(attaching: other, only, isOneName, progress) }
        let folder: WorkFolder
        do throws(WorkFolder.Fault) {
            folder = try WorkFolder(beside: path)
        } catch {
            throw .cannotCreate(path: path, errno: error.errno)
        }
        try copy(other, to: folder.database)
        return try merge(attaching: folder.database, only, isOneName, progress)
    }

    private func merge(
        attaching source: String, _ only: [Int64]?, _ isOneName: (String, String) -> Bool,
        _ progress: (_ done: Int, _ of: Int) -> Void
    ) throws(StoreError) -> Merged {
        try write { database in
            try database.execute("ATTACH ? AS other", [Connection.name(ofFile: source)])
            defer { try? database.execute("DETACH other") }
            return try database.transaction {
                try Merger(only: only).run(
                    in: database, isOneName: isOneName, progress: progress)
            }
        }
    }

    /// Copies a database and migrates the copy, which only its owner can read.
    private func copy(_ path: String, to copy: String) throws(StoreError) {
        try Self.createFile(copy)
        do {
            let source = try Self.connect(path, access: .readOnly, limits: Limits())
            let target = try Connection(copy)
            try source.backup(to: target)
            try target.close()
        } catch {
            throw StoreError(error, path: path)
        }
        var limits = Limits()
        limits.memory = self.limits.memory
        let store = try TripStore(path: copy, limits: limits)
        // A killed process may have left the newest rows in memory.
        store.takeCopies(of: path)
    }
}

private struct Merger {
    /// Tables whose rows belong to a trip and a time; `note` has its own numbering.
    private static let timed = [
        "monitor", "monitor_test", "code_report", "code_list", "message", "event", "position",
    ]

    let only: [Int64]?

    func run(
        in database: Database, isOneName: (String, String) -> Bool,
        progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> Merged {
        try database.execute(
            """
            CREATE TEMP TABLE channel_map (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
            CREATE TEMP TABLE vehicle_map (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
            CREATE TEMP TABLE accessory_map (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
            """)
        defer {
            for table in ["channel_map", "vehicle_map", "accessory_map"] {
                try? database.execute("DROP TABLE temp.\(table)")
            }
        }
        let chosen = only.map { "AND id IN (\($0.map(String.init).joined(separator: ",")))" } ?? ""
        let trips = try database.rows(
            """
            SELECT id, start, purpose, readings, end_reason IS NULL AS open,
                (\(Self.sameTrip)) AS here
            FROM other.trip AS o WHERE deleted IS NULL \(chosen) ORDER BY start, id
            """)
        var merged = Merged()
        var news: [Int64] = []
        for row in trips {
            if try row["open"] as Bool {
                merged.open += 1
            } else if let here = try row["here"] as Int? ?? ofFile(row, in: database) {
                merged.known += 1
                if here < (try row["readings"]) { merged.longer += 1 }
            } else {
                news.append(try row["id"])
            }
        }
        let all = news.map(String.init).joined(separator: ",")
        merged.unnamed = try mapThings(trips: all, isOneName, in: database)
        for (index, trip) in news.enumerated() {
            merged.trips.append(try copy(trip, in: database))
            progress(index + 1, news.count)
        }
        if only == nil { try mergeCodes(in: database) }
        return merged
    }

    /// The readings of a trip in this database that is the trip `o` or contains it.
    ///
    /// They have the same clocks at the start, or the same boot of the same machine and the same
    /// adapter over the whole time.
    private static let sameTrip = """
        SELECT max(m.readings) FROM main.trip AS m
        LEFT JOIN main.accessory AS ma ON ma.id = m.accessory
        LEFT JOIN other.accessory AS oa ON oa.id = o.accessory
        WHERE (m.monotonic = o.monotonic AND m.purpose = o.purpose
                AND (m.start = o.start OR m.boot = o.boot))
            OR (m.source IS NOT NULL AND m.source = o.source)
            OR (o.monotonic <> 0 AND m.purpose = o.purpose AND ma.address IS oa.address
                AND (m.boot = o.boot
                    OR abs((m.start - m.monotonic / 1000) - (o.start - o.monotonic / 1000)) <= 2)
                AND o.monotonic >= m.monotonic - 2000
                AND o.monotonic / 1000 + o.duration <= m.monotonic / 1000 + m.duration + 2)
        """

    /// How many readings of this trip were stored by an import; nil if the trip is not here.
    ///
    /// An imported trip has other clocks and no adapter, and its file may lack texts. Either of the
    /// two may be the imported one.
    private func ofFile(_ trip: Row, in database: Database) throws -> Int? {
        let contents = try StoredContents(
            of: try trip["id"], from: try trip["start"], in: database, schema: "other")
        guard let first = contents.first else { return nil }
        let candidates = try database.cursor(
            """
            SELECT id, start, readings FROM main.trip WHERE \(StoredContents.candidates)
                AND (purpose = 'import' OR :purpose = 'import')
            """, ["first": first, "purpose": try trip["purpose"] as String])
        while let row = try candidates.next() {
            let stored = try StoredContents(of: row["id"], from: row["start"], in: database)
            guard
                stored.holds(contents.all, from: first)
                    || stored.first.map({ contents.holds(stored.all, from: $0) }) ?? false
            else { continue }
            let here = try StoredContents.Values(of: row["id"], in: database)
            let there = try StoredContents.Values(of: trip["id"], in: database, schema: "other")
            if here.hold(there.all) || there.hold(here.all) {
                return try row["readings"]
            }
        }
        return nil
    }

    /// Finds the vehicles, adapters and channels of these trips in this database, or copies them.
    ///
    /// - Returns: The vehicles that could not keep their name.
    private func mapThings(
        trips: String, _ isOneName: (String, String) -> Bool, in database: Database
    ) throws -> [String: String] {
        let unnamed = try mapVehicles(needed("vehicle", by: trips), isOneName, in: database)
        try mapAccessories(needed("accessory", by: trips), in: database)
        try mapChannels(trips: trips, in: database)
        return unnamed
    }

    /// The condition that a row belongs to one of these trips; empty if all trips are merged.
    private func needed(_ column: String, by trips: String) -> String {
        only == nil ? "" : "WHERE id IN (SELECT \(column) FROM other.trip WHERE id IN (\(trips)))"
    }

    private func mapVehicles(
        _ condition: String, _ isOneName: (String, String) -> Bool, in database: Database
    ) throws -> [String: String] {
        var unnamed: [String: String] = [:]
        for row in try database.rows("SELECT id, vin, name FROM other.vehicle \(condition)") {
            let old: Int64 = try row["id"]
            let found = try database.value(
                Int64.self,
                """
                SELECT id FROM main.vehicle WHERE vin = ?1 OR (?1 IS NULL AND vin IS NULL
                    AND name = ?2)
                """, [try row["vin"] as String?, try row["name"] as String?])
            let new = try found ?? copyRow("vehicle", old, in: database)
            try database.execute("INSERT INTO temp.vehicle_map VALUES (?, ?)", [old, new])
            try database.execute(
                """
                UPDATE main.vehicle SET (first_seen, last_seen) = (SELECT
                    min(vehicle.first_seen, o.first_seen), max(vehicle.last_seen, o.last_seen)
                    FROM other.vehicle AS o WHERE o.id = ?) WHERE id = ?
                """, [old, new])
            if found == nil { try copyECUs(ofVehicle: old, to: new, in: database) }
            guard let name = try row["name"] as String? else { continue }
            // Otherwise a sink would get two vehicles as one.
            let others = try database.values(
                String.self,
                "SELECT coalesce(name, vin) FROM main.vehicle WHERE id <> ?", [new])
            let isTaken = others.contains { isOneName($0, name) }
            if isTaken {
                if found == nil {
                    try database.execute(
                        "UPDATE main.vehicle SET name = NULL WHERE id = ?", [new])
                }
                let kept = try database.value(
                    String.self, "SELECT name FROM main.vehicle WHERE id = ?", [new])
                if kept == nil, let vin = try row["vin"] as String? { unnamed[vin] = name }
            } else {
                try database.execute(
                    "UPDATE main.vehicle SET name = ? WHERE id = ? AND name IS NULL", [name, new])
            }
        }
        return unnamed
    }

    private func mapAccessories(_ condition: String, in database: Database) throws {
        for row in try database.rows("SELECT id, address FROM other.accessory \(condition)") {
            let old: Int64 = try row["id"]
            let found = try database.value(
                Int64.self, "SELECT id FROM main.accessory WHERE address = ?",
                [try row["address"] as String])
            let new = try found ?? copyRow("accessory", old, in: database)
            try database.execute("INSERT INTO temp.accessory_map VALUES (?, ?)", [old, new])
            guard found == nil else { continue }
            try database.execute(
                """
                UPDATE main.accessory SET vehicle = (SELECT new FROM temp.vehicle_map
                    WHERE old = vehicle) WHERE id = :new;
                INSERT INTO main.accessory_quirk (accessory, quirk)
                    SELECT :new, quirk FROM other.accessory_quirk WHERE accessory = :old;
                """, ["new": new, "old": old])
        }
    }

    private func mapChannels(trips: String, in database: Database) throws {
        try database.execute(
            """
            INSERT OR IGNORE INTO main.channel
                (ecu, service, identifier, frame, dtc, signal, name, unit, kind)
            SELECT ecu, service, identifier, frame, dtc, signal, name, unit, kind
                FROM other.channel WHERE id IN
                (SELECT channel FROM other.trip_channel WHERE trip IN (\(trips)));
            INSERT INTO temp.channel_map SELECT o.id, m.id FROM other.channel AS o
                JOIN main.channel AS m ON m.signal = o.signal
                AND coalesce(m.ecu, '') = coalesce(o.ecu, '')
                AND coalesce(m.service, -1) = coalesce(o.service, -1)
                AND coalesce(m.identifier, -1) = coalesce(o.identifier, -1)
                AND coalesce(m.frame, -1) = coalesce(o.frame, -1)
                AND coalesce(m.dtc, '') = coalesce(o.dtc, '')
                AND m.name = o.name AND m.unit = o.unit AND m.kind = o.kind;
            INSERT OR IGNORE INTO main.channel_label (channel, code, label)
                SELECT new, code, label FROM other.channel_label JOIN temp.channel_map
                    ON old = channel;
            """)
    }

    private func copyECUs(
        ofVehicle old: Int64, to new: Int64, in database: Database
    ) throws {
        for row in try database.rows("SELECT id FROM other.ecu WHERE vehicle = ?", [old]) {
            let ecu: Int64 = try row["id"]
            try database.execute(
                """
                INSERT INTO main.ecu (vehicle, address, name)
                SELECT ?, address, name FROM other.ecu WHERE id = ?
                """, [new, ecu])
            let copy = database.lastInsertedRowID
            for table in ["ecu_support", "ecu_calibration"] {
                let columns = try Self.columns(of: table, but: ["ecu"], in: database)
                try database.execute(
                    """
                    INSERT INTO main.\(table) (ecu, \(columns))
                    SELECT ?, \(columns) FROM other.\(table) WHERE ecu = ?
                    """, [copy, ecu])
            }
        }
    }

    private func copyRow(_ table: String, _ id: Int64, in database: Database) throws -> Int64 {
        let references = table == "accessory" ? ["id", "vehicle"] : ["id"]
        let columns = try Self.columns(of: table, but: references, in: database)
        let vehicle = table == "accessory" ? ", vehicle" : ""
        let mapped =
            table == "accessory"
            ? ", (SELECT new FROM temp.vehicle_map WHERE old = vehicle)" : ""
        try database.execute(
            """
            INSERT INTO main.\(table) (\(columns)\(vehicle))
            SELECT \(columns)\(mapped) FROM other.\(table) WHERE id = ?
            """, [id])
        return database.lastInsertedRowID
    }

    private func copy(_ trip: Int64, in database: Database) throws -> Int64 {
        let columns = try Self.columns(
            of: "trip", but: ["id", "vehicle", "accessory", "writer"], in: database)
        let purpose = try database.value(
            String.self, "SELECT purpose FROM other.trip WHERE id = ?", [trip])
        let number = try purpose.flatMap(TripStart.Purpose.init).flatMap {
            try Trips.number(for: $0, in: database)
        }
        try database.execute(
            """
            INSERT INTO main.trip (id, vehicle, accessory, \(columns))
            SELECT :number, (SELECT new FROM temp.vehicle_map WHERE old = vehicle),
                (SELECT new FROM temp.accessory_map WHERE old = accessory), \(columns)
            FROM other.trip WHERE id = :trip
            """, ["number": number, "trip": trip])
        let new = database.lastInsertedRowID
        try database.execute(
            """
            INSERT INTO main.reading (trip, t, sequence, channel, value, raw, detail)
                SELECT :new, t, sequence, map.new, value, raw, detail FROM other.reading
                JOIN temp.channel_map AS map ON map.old = channel
                WHERE trip = :old ORDER BY t, sequence;
            INSERT INTO main.trip_channel
                (trip, channel, readings, numbers, total, minimum, maximum)
                SELECT :new, map.new, readings, numbers, total, minimum, maximum
                FROM other.trip_channel JOIN temp.channel_map AS map ON map.old = channel
                WHERE trip = :old;
            INSERT INTO main.trip_tag (trip, tag)
                SELECT :new, tag FROM other.trip_tag WHERE trip = :old;
            INSERT INTO main.note (trip, t, text)
                SELECT :new, t, text FROM other.note WHERE trip = :old ORDER BY id;
            """, ["new": new, "old": trip])
        for table in Self.timed {
            let columns = try Self.columns(of: table, but: ["trip"], in: database)
            try database.execute(
                """
                INSERT INTO main.\(table) (trip, \(columns))
                SELECT ?, \(columns) FROM other.\(table) WHERE trip = ?
                """, [new, trip])
        }
        try CodeHistory.take(new, in: database)
        return new
    }

    /// Copies the other code history as far as it covers trips that are already deleted.
    private func mergeCodes(in database: Database) throws {
        try database.execute(
            """
            INSERT INTO main.code
                (vehicle, ecu, kind, code, failure_type, first_seen, last_seen, reports)
            SELECT map.new, ecu, kind, code, failure_type, first_seen, last_seen, reports
            FROM other.code LEFT JOIN temp.vehicle_map AS map ON map.old = vehicle
            WHERE true
            ON CONFLICT DO UPDATE SET
                first_seen = min(first_seen, excluded.first_seen),
                last_seen = max(last_seen, excluded.last_seen),
                reports = max(reports, excluded.reports);
            INSERT OR IGNORE INTO main.code_change (code, time, present)
            SELECT m.id, c.time, c.present FROM other.code_change AS c
                JOIN other.code AS o ON o.id = c.code
                LEFT JOIN temp.vehicle_map AS map ON map.old = o.vehicle
                JOIN main.code AS m ON coalesce(m.vehicle, 0) = coalesce(map.new, 0)
                AND coalesce(m.ecu, '') = coalesce(o.ecu, '') AND m.kind = o.kind
                AND m.code = o.code
                AND coalesce(m.failure_type, -1) = coalesce(o.failure_type, -1);
            """)
    }

    /// The columns of a table, as a list for SQL.
    private static func columns(
        of table: String, but left: [String], in database: Database
    ) throws -> String {
        try database.columns(of: table).filter { !left.contains($0) }
            .joined(separator: ", ")
    }
}
