/// An edit of trips.
public struct TripEdit: Hashable, Sendable {
    /// The action; the raw value is stored in the database.
    public enum Action: String, Hashable, Sendable {
        /// A trip was split.
        case split
        /// Two trips were joined.
        case join
        /// A trip was deleted.
        case delete
        /// A trip was too old to keep, and was deleted.
        case expire
        /// The times of a trip were moved.
        case shift
    }

    /// The action.
    public var action: Action
    /// The trip that stayed, or was deleted.
    public var trip: Int64
    /// The other trips: the new ones, the joined ones, or those that were deleted together.
    public var others: [Int64]
}

/// The edits of trips and how to undo them.
enum TripEdits {
    /// Records an edit before it is made; returns its number.
    ///
    /// `batch` is the number of the first edit if a command makes several.
    @discardableResult
    static func record(
        _ action: TripEdit.Action, trip: Int64, other: Int64? = nil, cut: Int64? = nil,
        batch: Int64? = nil, in database: Database
    ) throws -> Int64 {
        let columns = try database.columns(of: "trip")
        let row = columns.map { "'\($0)', \($0)" }.joined(separator: ", ")
        func state(_ parameter: String) -> String {
            """
            json_object('trip', (SELECT json_object(\(row)) FROM trip WHERE id = \(parameter)),
                'tags', (SELECT json_group_array(tag) FROM trip_tag WHERE trip = \(parameter)),
                'notes', (SELECT json_group_array(id) FROM note
                    WHERE trip = \(parameter) AND t IS NULL))
            """
        }
        try database.execute(
            """
            INSERT INTO trip_edit (time, action, trip, other, cut, batch, before)
            VALUES (CAST(strftime('%s', 'now') AS INTEGER) * 1000000, :action, :trip, :other,
                :cut, :batch, json_array(\(state(":trip")), \(state(":other"))))
            """,
            [
                "action": action.rawValue, "trip": trip, "other": other, "cut": cut,
                "batch": batch,
            ])
        return database.lastInsertedRowID
    }

    /// Undoes the last command's edits; nil if there are none.
    static func undo(
        in database: Database,
        move: (_ from: Int64, _ to: Int64, _ shift: Int64, _ start: Int64) throws -> Void
    ) throws -> TripEdit? {
        let last = try database.row("SELECT id, batch FROM trip_edit ORDER BY id DESC LIMIT 1")
        guard let last else { return nil }
        let first: Int64 = try last["batch"] ?? last["id"]
        let edits = try database.rows(
            "SELECT * FROM trip_edit WHERE id >= ? ORDER BY id DESC",
            [first])
        var undone: TripEdit?
        for edit in edits {
            guard let action = try edit["action"] as TripEdit.Action? else { continue }
            let trip: Int64 = try edit["trip"]
            let other: Int64? = try edit["other"]
            try takeBack(action, edit, trip, other ?? trip, in: database, move)
            if undone == nil { undone = TripEdit(action: action, trip: trip, others: []) }
            switch action {
            case .delete, .expire, .shift:
                if undone?.trip != trip { undone?.others.append(trip) }
            case .split, .join:
                if let other { undone?.others.append(other) }
            }
            try database.execute("DELETE FROM trip_edit WHERE id = ?", [edit["id"] as Int64])
        }
        undone?.others.sort()
        return undone
    }

    private static func takeBack(
        _ action: TripEdit.Action, _ edit: Row, _ trip: Int64, _ other: Int64,
        in database: Database,
        _ move: (_ from: Int64, _ to: Int64, _ shift: Int64, _ start: Int64) throws -> Void
    ) throws {
        let before: String = try edit["before"]
        let cut: Int64 = try edit["cut"] ?? 0
        switch action {
        case .delete, .expire:
            try database.execute("UPDATE trip SET deleted = NULL WHERE id = ?", [trip])
        case .shift:
            try ClockCorrection.move(trip, by: -cut, to: nil, in: database)
            try database.execute(
                """
                UPDATE trip SET clock = json_extract(:before, '$[0].trip.clock'),
                    boot_time = json_extract(:before, '$[0].trip.boot_time') WHERE id = :trip
                """, ["before": before, "trip": trip])
        case .split:
            try move(other, trip, cut, .min)
            try database.execute(
                """
                UPDATE note SET trip = :trip WHERE trip = :other;
                INSERT OR IGNORE INTO trip_tag (trip, tag)
                    SELECT :trip, tag FROM trip_tag WHERE trip = :other;
                DELETE FROM trip WHERE id = :other;
                UPDATE trip SET duration = json_extract(:before, '$[0].trip.duration')
                    WHERE id = :trip;
                """, ["trip": trip, "other": other, "before": before])
        case .join:
            let columns = try database.columns(of: "trip")
            let values = columns.map { "json_extract(:before, '$[1].trip.\($0)')" }
            try database.execute(
                """
                INSERT INTO trip (\(columns.joined(separator: ", ")))
                    VALUES (\(values.joined(separator: ", ")));
                """, ["before": before])
            try move(trip, other, -cut, cut)
            try database.execute(
                """
                UPDATE note SET trip = :other WHERE id IN
                    (SELECT value FROM json_each(:before, '$[1].notes'));
                DELETE FROM trip_tag WHERE trip = :trip
                    AND tag IN (SELECT value FROM json_each(:before, '$[1].tags'))
                    AND tag NOT IN (SELECT value FROM json_each(:before, '$[0].tags'));
                INSERT INTO trip_tag (trip, tag)
                    SELECT :other, value FROM json_each(:before, '$[1].tags');
                UPDATE trip SET vehicle = json_extract(:before, '$[0].trip.vehicle'),
                    name = json_extract(:before, '$[0].trip.name'),
                    duration = json_extract(:before, '$[0].trip.duration'),
                    end_reason = json_extract(:before, '$[0].trip.end_reason')
                    WHERE id = :trip;
                """, ["trip": trip, "other": other, "before": before])
            try TripFigures.addUp(other, in: database)
        }
        if action == .split || action == .join { try TripFigures.addUp(trip, in: database) }
    }
}
