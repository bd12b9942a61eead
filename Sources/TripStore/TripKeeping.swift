public import Diagnostics
public import OBDCore
public import SystemIO

extension TripStore {
    /// Hides trips; ``undoEdit()`` restores them, ``purge()`` deletes them permanently.
    public func deleteTrips(_ ids: [Int64]) throws(StoreError) {
        for id in ids {
            _ = try endedTrip(id)
        }
        try transaction { try Self.hide(ids, .delete, now: SystemClock.utc, in: $0) }
    }

    /// Deletes a trip with all its records permanently; its codes stay in the history.
    public func deleteTrip(_ id: Int64) throws(StoreError) {
        _ = try endedTrip(id)
        try transaction { try Self.purge([id], in: $0) }
    }

    /// Permanently deletes the hidden trips; returns their number.
    @discardableResult
    public func purge() throws(StoreError) -> Int {
        try transaction { database in
            let ids = try database.values(
                Int64.self, "SELECT id FROM trip WHERE deleted IS NOT NULL")
            try Self.purge(ids, in: database)
            return ids.count
        }
    }

    /// The outcome for the drives that were old enough to be deleted.
    public struct Expiry: Hashable, Sendable {
        /// The numbers of the deleted drives.
        public var deleted: [Int64]
        /// The numbers of the drives that stay although they are as old.
        public var kept: [Int64]
    }

    /// Deletes drives that ended before `time` and have no name, tag or note.
    ///
    /// Those of `except` stay. ``undoEdit()`` restores the deleted ones, until they are permanently deleted a
    /// week later.
    @discardableResult
    public func deleteTrips(
        endedBefore time: UTC, except kept: Set<Int64> = [], now: UTC
    ) throws(StoreError) -> Expiry {
        let forgotten = try read { database in
            try database.values(
                Int64.self,
                """
                SELECT trip.id FROM trip JOIN trip_edit ON trip_edit.trip = trip.id
                WHERE action = 'expire' AND deleted IS NOT NULL AND deleted < ?
                """, [now.microseconds &- Self.mourning])
        }
        for trip in forgotten { try deleteInSteps(trip) }
        return try transaction { database in
            let found = try database.values(
                Int64.self,
                """
                SELECT id \(Self.expendable) AND start + duration < ? ORDER BY id
                """, [time.microseconds])
            let expiry = Expiry(
                deleted: found.filter { !kept.contains($0) }, kept: found.filter(kept.contains))
            try Self.hide(expiry.deleted, .expire, now: now, in: database)
            return expiry
        }
    }

    /// Deletes the positions of the drives that ended before `time` for good, also of those that have a name.
    ///
    /// - Parameter kept: Trips whose positions stay.
    /// - Returns: The number of drives that had positions.
    public func deletePositions(
        endedBefore time: UTC, except kept: Set<Int64> = []
    ) throws(StoreError) -> Int {
        let found = try read { database in
            try database.values(
                Int64.self,
                """
                SELECT id FROM trip WHERE purpose = 'log' AND end_reason IS NOT NULL
                    AND clock IS NOT 'unset' AND start + duration < ?
                    AND EXISTS (SELECT * FROM position WHERE position.trip = trip.id)
                ORDER BY id
                """, [time.microseconds])
        }.filter { !kept.contains($0) }
        // One by one, so that the log of changes stays short.
        for id in found { try erasePositions(of: id) }
        return found.count
    }

    /// The drives that may be deleted without a question: `FROM trip WHERE …`.
    static let expendable = """
        FROM trip WHERE purpose = 'log' AND end_reason IS NOT NULL
            AND deleted IS NULL AND clock IS NOT 'unset' AND name IS NULL
            AND NOT EXISTS (SELECT * FROM trip_tag WHERE trip_tag.trip = trip.id)
            AND NOT EXISTS (SELECT * FROM note WHERE note.trip = trip.id)
        """

    /// Why the clock cannot say which drives are old.
    public enum ExpiryFault: Error, Hashable, Sendable {
        /// The clock of this machine is not set.
        case clockIsNotSet
        /// By the clock, the newest drive ended long ago: the clock may be far ahead.
        case clockIsAhead(newest: UTC)
    }

    /// Checks that the clock may decide which drives are old.
    public func checkThatDrivesExpire(by reading: ClockReading) throws(StoreError) -> ExpiryFault? {
        if !reading.isSet { return .clockIsNotSet }
        let newest = try read { database in
            try database.value(
                Int64.self,
                """
                SELECT max(start + duration) FROM trip WHERE purpose = 'log' AND deleted IS NULL
                    AND clock IS NOT 'unset'
                """)
        }
        guard let newest, reading.utc.microseconds &- newest > Self.longestRest else { return nil }
        return .clockIsAhead(newest: UTC(microseconds: newest))
    }

    /// Between two drives there may be so much time; unit: µs.
    private static let longestRest: Int64 = 31 * 86_400_000_000
    /// How long an expired trip can be restored; unit: µs.
    private static let mourning: Int64 = 7 * 86_400_000_000

    static func hide(
        _ ids: [Int64], _ action: TripEdit.Action, now: UTC, in database: Database
    ) throws {
        var batch: Int64?
        for id in ids {
            let edit = try TripEdits.record(action, trip: id, batch: batch, in: database)
            batch = batch ?? edit
            try database.execute(
                "UPDATE trip SET deleted = ? WHERE id = ?", [now.microseconds, id])
        }
    }

    static func purge(_ ids: [Int64], in database: Database) throws {
        for id in ids {
            try database.execute(
                """
                DELETE FROM trip WHERE id = :trip;
                DELETE FROM trip_edit WHERE trip = :trip OR other = :trip;
                """, ["trip": id])
        }
    }

    // MARK: Names, tags, remarks

    /// Sets the name of a trip; nil or an empty name removes it.
    public func setName(_ name: String?, ofTrip id: Int64) throws(StoreError) {
        _ = try trip(id)
        let name = name.flatMap { $0.isEmpty ? nil : $0 }
        try transaction { database in
            try database.execute("UPDATE trip SET name = ? WHERE id = ?", [name, id])
        }
    }

    /// The outcome of a vehicle's new name.
    public enum Naming: Hashable, Sendable {
        /// The vehicle has the name now.
        case named
        /// No vehicle has this VIN or name; one without a VIN keeps its name.
        case noVehicle
        /// The name was not stored, because it would be mistaken for this other vehicle's name or VIN.
        case mistaken(for: String)
    }

    /// Sets the name of the vehicle with this VIN or name; an empty name removes it.
    ///
    /// - Parameter isOneName: Whether a new name would be mistaken for this name or VIN of another vehicle. Check and
    ///   change are one transaction, because a batch names its vehicles at the same time.
    public func setName(
        _ name: String, ofVehicle vehicle: String,
        isOneName: (String, String) -> Bool = { $0 == $1 }
    ) throws(StoreError) -> Naming {
        try transaction { database in
            if !name.isEmpty {
                for row in try database.rows("SELECT vin, name FROM vehicle ORDER BY id") {
                    let known: (vin: String?, name: String?) = (try row["vin"], try row["name"])
                    let names = [known.name, known.vin].compactMap(\.self)
                    guard !names.contains(vehicle), names.contains(where: { isOneName(name, $0) })
                    else { continue }
                    return .mistaken(for: names[0])
                }
            }
            try database.execute(
                """
                UPDATE vehicle SET name = nullif(?1, '')
                WHERE (vin = ?2 OR name = ?2) AND (?1 <> '' OR vin IS NOT NULL)
                """, [name, vehicle])
            return database.changesCount > 0 ? .named : .noVehicle
        }
    }

    /// Replaces the tags of a trip.
    public func setTags(_ tags: [String], ofTrip id: Int64) throws(StoreError) {
        _ = try trip(id)
        try transaction { database in
            try database.execute("DELETE FROM trip_tag WHERE trip = ?", [id])
            for tag in tags where !tag.isEmpty {
                try database.execute(
                    "INSERT OR IGNORE INTO trip_tag (trip, tag) VALUES (?, ?)",
                    [id, tag])
            }
        }
    }

    /// A note about a trip.
    public struct Note: Hashable, Sendable {
        /// The time that the note is about; nil = the whole trip.
        public var time: UTC?
        /// The user's text.
        public var text: String
    }

    /// Adds a note about a whole trip or a moment of it.
    public func addNote(
        _ text: String, toTrip id: Int64, at time: UTC? = nil
    ) throws(StoreError) {
        let start = try trip(id).start
        try transaction { database in
            try database.execute(
                "INSERT INTO note (trip, t, text) VALUES (?, ?, ?)",
                [id, time.map { $0.microseconds &- start.microseconds }, text])
        }
    }

    /// A trip's notes, those about the whole trip first.
    public func notes(ofTrip id: Int64) throws(StoreError) -> [Note] {
        let start = try trip(id).start
        return try read { database in
            try database.rows(
                "SELECT t, text FROM note WHERE trip = ? ORDER BY t, id",
                [id]
            ).map { row in
                let t: Int64? = try row["t"]
                return try Note(
                    time: t.map { UTC(microseconds: start.microseconds &+ $0) }, text: row["text"])
            }
        }
    }

    /// The events of a trip by kind with their counts, the most frequent first.
    public func eventCounts(
        ofTrip id: Int64
    ) throws(StoreError) -> [(kind: TripEvent.Kind, count: Int)] {
        try read { database in
            try database.rows(
                """
                SELECT kind, count(*) AS count FROM event WHERE trip = ?
                GROUP BY kind ORDER BY count DESC, kind
                """, [id]
            ).compactMap { row in
                try (row["kind"] as TripEvent.Kind?).map { ($0, try row["count"]) }
            }
        }
    }
}
