public import Diagnostics
public import OBDCore

/// Statements about trips that are used in several places.
enum Trips {
    /// Ends a trip with what still waits for it, and adds its codes to the history.
    static func close(_ trip: Int64, _ reason: EndReason, in database: Database) throws {
        try HeldRows.release(trip, in: database)
        try database.execute(
            "UPDATE trip SET end_reason = ?, writer = NULL WHERE id = ?",
            [reason.rawValue, trip])
        try CodeHistory.take(trip, in: database)
        try database.execute(
            """
            UPDATE vehicle SET last_seen = max(last_seen,
                (SELECT start + duration FROM trip WHERE id = ?))
            WHERE id = (SELECT vehicle FROM trip WHERE id = ?)
            """, [trip, trip])
    }

    static let summary = """
        SELECT trip.id, purpose, vin, vehicle.name AS vehicleName, accessory.address AS accessory,
            start, monotonic, duration, distance, readings, end_reason, writer,
            trip.name AS name, driven,
            odometer_start, odometer_end, moving, idle, hard_brakings, hard_accelerations, clock,
            (SELECT group_concat(tag, char(31)) FROM trip_tag WHERE trip_tag.trip = trip.id) AS tags
        FROM trip LEFT JOIN vehicle ON vehicle.id = trip.vehicle
            LEFT JOIN accessory ON accessory.id = trip.accessory
        """

    /// The place of each trip in the order of time; unit: µs since 1970.
    ///
    /// A drive whose clock was not set comes after the drives that were recorded before it, and before those
    /// that were recorded after it; its own time says nothing.
    static let places = """
        (SELECT id, CASE WHEN clock = 'unset' AND id > 0 THEN coalesce(
            max(start) FILTER (\(isTimed)) OVER (ORDER BY id),
            min(start) FILTER (\(isTimed)) OVER (),
            min(start) FILTER (WHERE id > 0 AND clock = 'unset') OVER ())
        ELSE start END AS place FROM trip)
        """

    private static let isTimed = "WHERE id > 0 AND purpose = 'log' AND clock IS NOT 'unset'"

    /// A summary with its place in the order of time.
    static let placed =
        summary.replacing("trip.id, purpose", with: "trip.id, place, purpose")
        + " JOIN \(places) AS places ON places.id = trip.id"

    /// A trip without an end whose process died counts as crashed, even before that is stored.
    private static func endReason(_ row: Row) throws -> EndReason? {
        if let reason: String = try row["end_reason"] { return EndReason(rawValue: reason) }
        let writer: String? = try row["writer"]
        return writer.map { WriterIdentity(text: $0).isAlive } ?? false ? nil : .crashed
    }

    /// Three thousand years, so that times can be added and subtracted; unit: µs.
    static let longestTime: Int64 = 100_000_000_000_000_000

    static func summary(_ row: Row) throws -> TripSummary {
        // In a damaged file these may be any numbers.
        let start: Int64 = try row["start"]
        let duration = min(try row["duration"] as Int64, Self.longestTime)
        let tags: String? = try row["tags"]
        var summary = try TripSummary(
            id: row["id"], purpose: row["purpose"] ?? .log,
            vin: row["vin"], vehicleName: row["vehicleName"], accessory: row["accessory"],
            anchor: TimeAnchor(
                monotonic: row["monotonic"],
                utc: UTC(microseconds: min(max(start, -Self.longestTime), Self.longestTime))),
            seconds: Double(duration) / 1e6, distance: row["distance"], readings: row["readings"],
            endReason: endReason(row),
            tags: tags?.split(separator: "\u{1F}").map(String.init).sorted() ?? [])
        summary.isAbandoned = try summary.endReason != nil && row.isNull("end_reason")
        summary.name = try row["name"]
        summary.isClockSet = try (row["clock"] as String?).map { $0 == "set" }
        summary.driven = try row["driven"]
        let odometer: (Double?, Double?) = (
            try row["odometer_start"], try row["odometer_end"]
        )
        if let first = odometer.0, let last = odometer.1, first <= last {
            summary.odometer = first...last
        }
        summary.movingSeconds = try (row["moving"] as Int64?).map { Double($0) / 1e6 }
        summary.idleSeconds = try (row["idle"] as Int64?).map { Double($0) / 1e6 }
        summary.hardBrakings = try row["hard_brakings"]
        summary.hardAccelerations = try row["hard_accelerations"]
        return summary
    }
}

extension Trips {
    /// The number of a new record of reading codes; nil = the database counts, as for drives.
    ///
    /// Drives have 1, 2, 3 and so on, whatever is read between them, so records of reading codes
    /// have -1, -2, -3. None is used twice: what was delivered is known by it.
    static func number(for purpose: TripStart.Purpose, in database: Database) throws -> Int64? {
        guard purpose == .scan else { return nil }
        let last = try database.value(
            Int64.self,
            """
            SELECT max((SELECT coalesce(-min(id), 0) FROM trip),
                coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'scan'), 0))
            """)
        let next = max(0, last ?? 0) + 1
        try database.execute("DELETE FROM sqlite_sequence WHERE name = 'scan'")
        try database.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('scan', ?)", [next])
        return -next
    }
}

extension TripSummary {
    /// Its number as users see and type it: 3 for a drive, scan3 for a record of reading codes.
    public var number: String { Self.text(ofNumber: id) }

    /// A trip's number as users see it.
    public static func text(ofNumber id: Int64) -> String {
        id < 0 ? "scan\(id.magnitude)" : String(id)
    }

    /// The number that is written so; nil = it is none.
    public static func number(_ text: String) -> Int64? {
        if let number = Int64(text) { return number }
        guard text.hasPrefix("scan"), let number = Int64(text.dropFirst(4)), number > 0 else {
            return nil
        }
        return -number
    }
}

extension TripStore {
    /// Begins a trip that this process writes.
    ///
    /// `table` contains the signals of the readings that will be stored.
    public func startTrip(
        _ start: TripStart, table: PIDTable, limits: TripWriter.Limits = .init(),
        notify: @escaping @Sendable (TripWriter.Notice) -> Void = { _ in }
    ) throws(StoreError) -> TripWriter {
        let (trip, anchor, clock) = try insertTrip(start)
        return try TripWriter(
            trip: trip, anchor: anchor, clock: clock, table: table, store: self, limits: limits,
            notify: notify)
    }

    /// The row of a new trip, with the clocks at its start.
    func insertTrip(
        _ start: TripStart
    ) throws(StoreError) -> (trip: Int64, anchor: TimeAnchor, clock: TripClock?) {
        // The times of an import come from its file.
        let reading = start.purpose == .import ? nil : clock?()
        let clock = reading.map { TripClock(start.anchor, $0) }
        var anchor = start.anchor
        // The session may have begun before the clock was set.
        if let clock { anchor.utc = anchor.utc.later(by: clock.lag) }
        let trip = try transaction { database in
            let seen = anchor.utc
            let vehicle = try start.vin.map {
                try Vehicles.id(of: $0, seen: seen, in: database)
            }
            let accessory = try start.accessory.map {
                try Accessories.id(of: $0, seen: seen, in: database)
            }
            try database.execute(
                """
                INSERT INTO trip (id, purpose, vehicle, accessory, start, monotonic, writer, name,
                    boot, boot_time, clock)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    try Trips.number(for: start.purpose, in: database), start.purpose.rawValue,
                    vehicle, accessory, seen.microseconds,
                    start.anchor.monotonic.nanoseconds, WriterIdentity.current()?.text,
                    start.name.flatMap { $0.isEmpty ? nil : $0 }, reading?.boot,
                    clock?.bootTime.microseconds, clock.map { $0.isSet ? "set" : "unset" },
                ])
            let trip = database.lastInsertedRowID
            for tag in start.tags where !tag.isEmpty {
                try database.execute(
                    "INSERT OR IGNORE INTO trip_tag (trip, tag) VALUES (?, ?)",
                    [trip, tag])
            }
            return trip
        }
        return (trip, anchor, clock)
    }

    /// Ends trips whose process died at their last record, with the rows that it left in memory.
    func closeAbandonedTrips() throws(StoreError) {
        try takeCopies()
        let abandoned = try read { database in
            try database.rows("SELECT id, writer FROM trip WHERE end_reason IS NULL").filter {
                row in
                let writer: String? = try row["writer"]
                return !(writer.map { WriterIdentity(text: $0).isAlive } ?? false)
            }
        }
        if abandoned.isEmpty { return }
        try transaction { database in
            for row in abandoned { try Trips.close(try row["id"], .crashed, in: database) }
        }
    }

    /// A trip that may be changed, because nothing is recorded into it any more.
    func endedTrip(_ id: Int64) throws(StoreError) -> TripSummary {
        guard try trip(id).endReason != nil else { throw .tripIsOpen(id, path: path) }
        // Its process may have died since this store was opened.
        if access == .readWrite { try closeAbandonedTrips() }
        return try trip(id)
    }

    /// Which trips to list; nil = no restriction.
    public struct TripFilter: Hashable, Sendable {
        /// Whether scans from reading or clearing codes are included; drives, recorded and
        /// imported, always are.
        public var withScans: Bool
        /// Trips of the vehicle with this VIN or name.
        public var vehicle: String?
        /// Trips with this name.
        public var name: String?
        /// Trips that end after this time.
        public var from: UTC?
        /// Trips that begin before this time.
        public var to: UTC?
        /// Trips with this tag.
        public var tag: String?
        /// Trips whose name, tags or notes contain this text, ignoring case.
        public var search: String?
        /// Only this many of the latest trips.
        public var latest: Int?

        /// A filter for all drives.
        public init(withScans: Bool = false) { self.withScans = withScans }
    }

    /// The trips that match `filter`, earliest first.
    public func trips(_ filter: TripFilter = TripFilter()) throws(StoreError) -> [TripSummary] {
        try read { database in
            let rows = try database.rows(
                """
                SELECT * FROM (\(Trips.placed)
                    WHERE deleted IS NULL AND (?1 OR purpose <> 'scan')
                        AND (?2 IS NULL OR vin = ?2 OR vehicle.name = ?2)
                        AND (?3 IS NULL OR start + duration >= ?3)
                        AND (?4 IS NULL OR start < ?4)
                        AND (?5 IS NULL OR EXISTS (SELECT * FROM trip_tag
                            WHERE trip_tag.trip = trip.id AND tag = ?5))
                        AND (?7 IS NULL OR trip.name = ?7)
                        AND (?8 IS NULL OR instr(lower(trip.name), lower(?8))
                            OR EXISTS (SELECT * FROM trip_tag WHERE trip_tag.trip = trip.id
                                AND instr(lower(tag), lower(?8)))
                            OR EXISTS (SELECT * FROM note WHERE note.trip = trip.id
                                AND instr(lower(note.text), lower(?8))))
                    ORDER BY place DESC, trip.id DESC LIMIT ?6)
                ORDER BY place, id
                """,
                [
                    filter.withScans, filter.vehicle, filter.from?.microseconds,
                    filter.to?.microseconds, filter.tag, filter.latest ?? -1, filter.name,
                    filter.search,
                ])
            return try rows.map(Trips.summary)
        }
    }

    /// One trip; a deleted trip counts as unknown.
    public func trip(_ id: Int64) throws(StoreError) -> TripSummary {
        let found = try read { database in
            try database.row(
                "\(Trips.summary) WHERE trip.id = ? AND deleted IS NULL",
                [id]
            ).map(Trips.summary)
        }
        guard let found else { throw .unknownTrip(id, path: path) }
        return found
    }
}
