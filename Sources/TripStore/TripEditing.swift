import GRDB
public import OBDCore

/// Why trips cannot be joined, cut or had back.
public enum TripEditFault: Error, Hashable, Sendable {
    /// The database cannot be used.
    case store(StoreError)
    /// The later trip begins before the earlier one ends.
    case overlap(Int64, Int64)
    /// The trips are of two vehicles.
    case vehicles(Int64, Int64)
    /// The point lies outside the trip.
    case outside(Int64)
    /// There is no edit that could be taken back.
    case nothingToUndo
}

extension TripStore {
    /// Tables whose rows belong to a trip and a time.
    private static let timed = [
        "reading", "monitor", "monitor_test", "code_report", "code_list", "message", "event",
        "position", "note",
    ]

    /// Makes one trip of two, the earlier one's number stays.
    ///
    /// Both must have ended; tags and remarks of both are kept. Rows keep their civil time, their
    /// order and their raw bytes.
    public func joinTrips(_ one: Int64, _ other: Int64) throws(TripEditFault) {
        let (first, second) = try inOrder(one, other)
        let shift = second.start.microseconds.subtractingReportingOverflow(
            first.start.microseconds)
        guard first.id != second.id, !shift.overflow, second.start >= first.end else {
            throw .overlap(first.id, second.id)
        }
        if let left = first.vin, let right = second.vin, left != right {
            throw .vehicles(first.id, second.id)
        }
        try edit { database in
            try TripEdits.record(
                .join, trip: first.id, other: second.id, cut: shift.partialValue, in: database)
            try Self.move(from: second.id, to: first.id, by: shift.partialValue, in: database)
            try database.execute(
                sql: """
                    UPDATE note SET trip = :first WHERE trip = :second;
                    INSERT OR IGNORE INTO trip_tag (trip, tag)
                        SELECT :first, tag FROM trip_tag WHERE trip = :second;
                    UPDATE trip SET (vehicle, name, duration, end_reason) =
                        (SELECT coalesce(trip.vehicle, other.vehicle),
                            coalesce(trip.name, other.name), other.duration + :shift,
                            other.end_reason FROM trip AS other WHERE other.id = :second)
                        WHERE id = :first;
                    DELETE FROM trip WHERE id = :second;
                    """,
                arguments: [
                    "first": first.id, "second": second.id, "shift": shift.partialValue,
                ])
            try TripFigures.addUp(first.id, in: database)
        }
    }

    /// Cuts a trip in two; what is at or behind `time` becomes a trip of its own.
    ///
    /// Returns the new trip's number. It has the tags and the vehicle of the old one.
    public func splitTrip(_ id: Int64, at time: UTC) throws(TripEditFault) -> Int64 {
        let trip = try ended(id)
        guard time > trip.start, time < trip.end else { throw .outside(id) }
        let cut = time.microseconds - trip.start.microseconds
        return try edit { try Self.split(id, [Cut(end: cut, start: cut)], in: $0)[0] }
    }

    /// Cuts a trip wherever `rule` says that it had ended, as a recording with that rule would
    /// have been cut.
    ///
    /// Returns the new trips' numbers in the order of time; none where nothing was to cut.
    public func splitTrip(
        _ id: Int64, by rule: TripEndRule.Limits
    ) throws(TripEditFault) -> [Int64] {
        _ = try ended(id)
        return try edit { database in
            let cuts = try Self.cuts(of: id, by: rule, in: database)
            return try Self.split(id, cuts, in: database)
        }
    }

    /// Takes the last edit back; returns what it was.
    public func undoEdit() throws(TripEditFault) -> TripEdit {
        let undone = try edit { database in
            try TripEdits.undo(in: database) { from, to, shift, start in
                try Self.move(from: from, to: to, by: shift, startingAt: start, in: database)
            }
        }
        guard let undone else { throw .nothingToUndo }
        return undone
    }

    // MARK: Pieces

    /// Where a trip is cut: the first part ends, the second begins; µs of the trip.
    private struct Cut {
        var end: Int64
        var start: Int64
    }

    private static func cuts(
        of trip: Int64, by limits: TripEndRule.Limits, in database: Database
    ) throws -> [Cut] {
        var rule = TripEndRule(limits: limits)
        var cuts: [Cut] = []
        var previous: Int64?
        var last: Int64?
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT t, CASE WHEN service = 1 AND detail IS NULL THEN identifier END AS pid, value
                FROM reading JOIN channel ON channel.id = channel
                WHERE trip = ? AND service IS NOT NULL ORDER BY t, sequence
                """, arguments: [trip])
        while let row = try rows.next() {
            let t: Int64 = row["t"]
            let instant = Instant(nanoseconds: t &* 1000)
            if t != last { (previous, last) = (last, t) }
            let wasOver = rule.end(by: instant) != nil
            let wasSilent = limits.silence.map { limit in
                previous.map { .microseconds(t &- $0) >= limit } ?? false
            }
            rule.take(row["pid"], row["value"] ?? 0, at: instant)
            // However long it stands, the next drive begins when something turns again.
            let isOver = wasOver && rule.end(by: instant) == nil
            guard let previous, isOver || wasSilent == true, cuts.last?.start != t else {
                continue
            }
            cuts.append(Cut(end: previous, start: t))
            rule = TripEndRule(limits: limits)
            rule.take(row["pid"], row["value"] ?? 0, at: instant)
        }
        return cuts
    }

    /// Cuts from behind, so that earlier cuts stay where they are.
    private static func split(
        _ id: Int64, _ cuts: [Cut], in database: Database
    ) throws -> [Int64] {
        var numbers: [Int64] = []
        var batch: Int64?
        for cut in cuts.reversed() {
            try database.execute(
                sql: """
                    INSERT INTO trip (purpose, vehicle, accessory, start, monotonic, duration,
                        end_reason, name)
                    SELECT purpose, vehicle, accessory, start + :cut, monotonic + :cut * 1000,
                        duration - :cut, end_reason, name FROM trip WHERE id = :old
                    """, arguments: ["old": id, "cut": cut.start])
            let new = database.lastInsertedRowID
            let recorded = try TripEdits.record(
                .split, trip: id, other: new, cut: cut.start, batch: batch, in: database)
            batch = batch ?? recorded
            try database.execute(
                sql: """
                    INSERT INTO trip_tag (trip, tag) SELECT :new, tag FROM trip_tag
                        WHERE trip = :old;
                    UPDATE trip SET duration = :end WHERE id = :old;
                    """, arguments: ["old": id, "new": new, "end": cut.end])
            try move(from: id, to: new, by: -cut.start, startingAt: cut.start, in: database)
            try TripFigures.addUp(new, in: database)
            numbers.insert(new, at: 0)
        }
        if !cuts.isEmpty { try TripFigures.addUp(id, in: database) }
        return numbers
    }

    private func ended(_ id: Int64) throws(TripEditFault) -> TripSummary {
        do throws(StoreError) {
            let trip = try trip(id)
            guard trip.endReason != nil else { throw StoreError.tripIsOpen(id, path: path) }
            return trip
        } catch {
            throw .store(error)
        }
    }

    private func inOrder(
        _ one: Int64, _ other: Int64
    ) throws(TripEditFault) -> (TripSummary, TripSummary) {
        let left = try ended(one)
        let right = try ended(other)
        return left.start <= right.start ? (left, right) : (right, left)
    }

    private func edit<Value>(
        _ body: (Database) throws -> Value
    ) throws(TripEditFault) -> Value {
        do throws(StoreError) {
            return try transaction(body)
        } catch {
            throw .store(error)
        }
    }

    private static func move(
        from: Int64, to: Int64, by shift: Int64, startingAt: Int64 = .min, in database: Database
    ) throws {
        for table in timed {
            try database.execute(
                sql: "UPDATE \(table) SET trip = ?, t = t + ? WHERE trip = ? AND t >= ?",
                arguments: [to, shift, from, startingAt])
        }
    }
}
