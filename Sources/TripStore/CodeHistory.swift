public import Diagnostics
public import OBDCore

/// A trouble code over all trips.
public struct CodeHistoryEntry: Hashable, Sendable {
    /// A change of a code: it appeared in the codes of a status, or disappeared from them.
    public struct Change: Hashable, Sendable {
        /// The time of the change.
        public var time: UTC
        /// Whether the code appeared.
        public var isPresent: Bool
    }

    /// The vehicle; nil if its VIN is unknown.
    public var vin: String?
    /// The owner's name for the vehicle, else its VIN.
    public var vehicle: String?
    /// The ECU that reported the code.
    public var ecu: ECUAddress?
    /// The status: stored, pending or permanent.
    public var kind: CodeReport.Kind
    /// The code.
    public var code: CodeReport.Code
    /// When it was first reported.
    public var firstSeen: UTC
    /// When it was last reported.
    public var lastSeen: UTC
    /// How often it was reported.
    public var reports: Int
    /// Appearances and disappearances, earliest first.
    public var changes: [Change] = []

    /// Whether the ECU reported the code when this status was last read.
    public var isPresent: Bool { changes.last?.isPresent ?? true }
}

extension TripStore {
    /// Every code, latest first; the trips that are being recorded count, too.
    ///
    /// `vehicle` is a VIN or a name and restricts the result to that vehicle.
    public func codeHistory(vehicle: String? = nil) throws(StoreError) -> [CodeHistoryEntry] {
        try read { database in
            var changes: [Int64: [CodeHistoryEntry.Change]] = [:]
            for row in try database.rows(
                "SELECT code, time, present FROM code_change ORDER BY code, time")
            {
                let change = try CodeHistoryEntry.Change(
                    time: row["time"], isPresent: row["present"])
                let code: Int64 = try row["code"]
                if changes[code]?.last?.isPresent != change.isPresent {
                    changes[code, default: []].append(change)
                }
            }
            let rows = try database.rows(
                """
                SELECT code.*, vin, vehicle.name AS name FROM code
                    LEFT JOIN vehicle ON vehicle.id = code.vehicle
                WHERE ?1 IS NULL OR vin = ?1 OR vehicle.name = ?1
                ORDER BY code.last_seen DESC, code.code, code.id
                """, [vehicle])
            var entries = try rows.compactMap { row -> CodeHistoryEntry? in
                guard try row.holdsBytes("failure_type"),
                    let kind = try row["kind"] as CodeReport.Kind?,
                    let code = try CodeReport.Code(
                        stored: row["code"], failureType: row["failure_type"], occurrences: nil,
                        conversionMethod: nil)
                else { return nil }
                return try CodeHistoryEntry(
                    vin: row["vin"], vehicle: row["name"] ?? row["vin"],
                    ecu: row["ecu"],
                    kind: kind, code: code, firstSeen: row["first_seen"],
                    lastSeen: row["last_seen"], reports: row["reports"],
                    changes: changes[row["id"]] ?? [])
            }
            try OpenCodes(vehicle: vehicle, in: database).add(to: &entries)
            return entries
        }
    }
}

extension TripStore {
    /// Whether the database has a vehicle with this VIN or name.
    public func knows(vehicle: String) throws(StoreError) -> Bool {
        try read { database in
            try database.value(
                Bool.self, "SELECT EXISTS (SELECT 1 FROM vehicle WHERE vin = ?1 OR name = ?1)",
                [vehicle]) ?? false
        }
    }

    /// Whether the stored codes of a vehicle were ever read; `vehicle` is a VIN or a name.
    ///
    /// Until then, an empty history says nothing about the vehicle.
    public func hasReadCodes(vehicle: String) throws(StoreError) -> Bool {
        try read { database in
            try database.value(
                Bool.self,
                """
                SELECT EXISTS (
                    SELECT 1 FROM code_list JOIN trip ON trip.id = code_list.trip
                        JOIN vehicle ON vehicle.id = trip.vehicle
                    WHERE kind = 'stored' AND (vehicle.vin = ?1 OR vehicle.name = ?1)
                    UNION ALL
                    SELECT 1 FROM code JOIN vehicle ON vehicle.id = code.vehicle
                    WHERE kind = 'stored' AND (vehicle.vin = ?1 OR vehicle.name = ?1))
                """, [vehicle]) ?? false
        }
    }
}

/// Adds a trip's codes to the history.
enum CodeHistory {
    /// The greatest time between the two lists of one read; unit: µs.
    fileprivate static let longestRead: Int64 = 10_000_000

    /// Adds the codes of a trip that ends to the history.
    static func take(_ trip: Int64, in database: Database) throws {
        try database.execute(
            """
            INSERT INTO code (vehicle, ecu, kind, code, failure_type, first_seen, last_seen,
                reports)
            SELECT trip.vehicle, ecu, kind, code, failure_type, min(start + t),
                max(start + t), count(*)
            FROM code_report JOIN trip ON trip.id = code_report.trip
            WHERE trip.id = ?
            GROUP BY ecu, kind, code, failure_type
            ON CONFLICT DO UPDATE SET
                first_seen = min(first_seen, excluded.first_seen),
                last_seen = max(last_seen, excluded.last_seen),
                reports = reports + excluded.reports
            """, [trip])
        // A reported code is present.
        let named = try database.rows(
            """
            SELECT code.id, start + t AS time, 1 AS present
            FROM code_report AS r JOIN trip ON trip.id = r.trip JOIN code
                ON coalesce(code.vehicle, 0) = coalesce(trip.vehicle, 0)
                    AND coalesce(code.ecu, '') = coalesce(r.ecu, '') AND code.kind = r.kind
                    AND code.code = r.code
                    AND coalesce(code.failure_type, -1) = coalesce(r.failure_type, -1)
            WHERE r.trip = ?
            """, [trip])
        // A code that is missing in its list when that was read is absent. SAE J1939 splits the
        // list in two, active codes (DM1) and others (DM2), which are read one after the other
        // within a few seconds.
        let missing = try database.rows(
            """
            SELECT code.id, start + l.t AS time, 0 AS present
            FROM code_list AS l JOIN trip ON trip.id = l.trip JOIN code
                ON coalesce(code.vehicle, 0) = coalesce(trip.vehicle, 0)
                    AND coalesce(code.ecu, '') = coalesce(l.ecu, '') AND code.kind = l.kind
                    AND code.first_seen < start + l.t
            WHERE l.trip = ? AND NOT EXISTS (SELECT * FROM code_report AS r
                WHERE r.trip = l.trip
                    AND (r.t = l.t OR r.code LIKE 'SPN%' AND abs(r.t - l.t) <= \(longestRead)
                        AND NOT EXISTS (SELECT * FROM code_list AS m WHERE m.trip = l.trip
                            AND coalesce(m.ecu, '') = coalesce(l.ecu, '') AND m.kind = l.kind
                            AND m.t > min(r.t, l.t) AND m.t < max(r.t, l.t)))
                    AND coalesce(r.ecu, '') = coalesce(l.ecu, '') AND r.kind = l.kind
                    AND r.code = code.code
                    AND coalesce(r.failure_type, -1) = coalesce(code.failure_type, -1))
            """, [trip])
        let changes = try (named + missing).sorted {
            try ($0["time"] as Int64) < ($1["time"] as Int64)
        }
        for change in changes {
            // Only what differs from the state before is a change.
            try database.execute(
                """
                INSERT OR IGNORE INTO code_change (code, time, present)
                SELECT :id, :time, :present WHERE :present IS NOT coalesce(
                    (SELECT present FROM code_change WHERE code = :id AND time <= :time
                        ORDER BY time DESC LIMIT 1), 0)
                """,
                [
                    "id": try change["id"] as Int64, "time": try change["time"] as Int64,
                    "present": try change["present"] as Int64,
                ])
        }
    }
}

/// The codes of trips that are being recorded, which are not in the history yet.
private struct OpenCodes {
    private struct Source: Hashable {
        var vin: String?
        var vehicle: String?
        var ecu: ECUAddress?
        var kind: CodeReport.Kind

        init(vin: String?, vehicle: String?, ecu: ECUAddress?, kind: CodeReport.Kind) {
            self.vin = vin
            self.vehicle = vehicle
            self.ecu = ecu
            self.kind = kind
        }

        init(_ row: Row, _ kind: CodeReport.Kind) throws {
            try self.init(
                vin: row["vin"], vehicle: row["name"] ?? row["vin"], ecu: row["ecu"], kind: kind)
        }
    }

    private var reports: [(source: Source, code: CodeReport.Code, time: UTC)] = []
    private var lists: [(source: Source, codes: Int, time: UTC)] = []

    init(vehicle: String?, in database: Database) throws {
        func rows(_ table: String, _ columns: String) throws -> [Row] {
            try database.rows(
                """
                SELECT \(columns), ecu, kind, start + t AS time, vin, vehicle.name AS name
                FROM \(table) JOIN trip ON trip.id = trip LEFT JOIN vehicle ON vehicle.id = trip.vehicle
                WHERE end_reason IS NULL AND deleted IS NULL
                    AND (?1 IS NULL OR vin = ?1 OR vehicle.name = ?1)
                ORDER BY time, sequence
                """, [vehicle])
        }
        for row in try rows("code_report", "code, failure_type") {
            guard try row.holdsBytes("failure_type"),
                let kind = try row["kind"] as CodeReport.Kind?,
                let code = try CodeReport.Code(
                    stored: row["code"], failureType: row["failure_type"], occurrences: nil,
                    conversionMethod: nil)
            else { continue }
            reports.append((try Source(row, kind), code, try row["time"]))
        }
        for row in try rows("code_list", "codes") {
            guard let kind = try row["kind"] as CodeReport.Kind? else { continue }
            lists.append((try Source(row, kind), try row["codes"], try row["time"]))
        }
    }

    /// Adds the reports, and the absence of codes that are missing in a list.
    func add(to entries: inout [CodeHistoryEntry]) {
        if reports.isEmpty && lists.isEmpty { return }
        for (source, code, time) in reports {
            let place =
                entries.firstIndex { Self.source(of: $0) == source && $0.code == code }
                ?? entries.endIndex
            if place == entries.endIndex {
                entries.append(
                    CodeHistoryEntry(
                        vin: source.vin, vehicle: source.vehicle, ecu: source.ecu,
                        kind: source.kind,
                        code: code, firstSeen: time, lastSeen: time, reports: 0))
            }
            entries[place].reports += 1
            entries[place].lastSeen = max(entries[place].lastSeen, time)
            entries[place].changes.append(.init(time: time, isPresent: true))
        }
        for (source, codes, time) in lists {
            let own = reports.filter { $0.source == source }
            // The codes of a list may be stored a moment later.
            guard own.count(where: { $0.time == time }) >= codes else { continue }
            for place in entries.indices
            where Self.source(of: entries[place]) == source && entries[place].firstSeen < time {
                let code = entries[place].code
                let isListed = own.contains {
                    $0.code == code && ($0.time == time || isSplit(source, code, $0.time, time))
                }
                if !isListed { entries[place].changes.append(.init(time: time, isPresent: false)) }
            }
        }
        for place in entries.indices {
            var changes: [CodeHistoryEntry.Change] = []
            for change in entries[place].changes.sorted(by: { $0.time < $1.time })
            where changes.last?.isPresent != change.isPresent {
                changes.append(change)
            }
            entries[place].changes = changes
        }
        entries.sort { ($1.lastSeen, $0.code.text) < ($0.lastSeen, $1.code.text) }
    }

    /// Whether a report and a list belong to one list of SAE J1939, which is split in two.
    private func isSplit(
        _ source: Source, _ code: CodeReport.Code, _ report: UTC, _ list: UTC
    ) -> Bool {
        guard case .j1939 = code,
            abs(report.microseconds(since: list)) <= CodeHistory.longestRead
        else { return false }
        return !lists.contains {
            $0.source == source && $0.time > min(report, list) && $0.time < max(report, list)
        }
    }

    private static func source(of entry: CodeHistoryEntry) -> Source {
        Source(vin: entry.vin, vehicle: entry.vehicle, ecu: entry.ecu, kind: entry.kind)
    }
}
