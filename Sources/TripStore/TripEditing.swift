public import Diagnostics
public import OBDCore

/// Why trips cannot be joined, split or restored.
public enum TripEditFault: Error, Hashable, Sendable {
    /// The database cannot be used.
    case store(StoreError)
    /// The later trip begins before the earlier one ends.
    case overlap(Int64, Int64)
    /// Another trip of the vehicle lies between them.
    case between(Int64, joining: [Int64])
    /// The trip's clock was not set, so the time between the trips is unknown.
    case clock(Int64)
    /// The trips are of two vehicles.
    case vehicles(Int64, Int64)
    /// The point lies outside the trip.
    case outside(Int64)
    /// There is no edit to undo.
    case nothingToUndo
}

extension TripStore {
    /// Tables whose rows belong to a trip and a time.
    private static let timed = [
        "reading", "monitor", "monitor_test", "code_report", "code_list", "message", "event",
        "position", "note",
    ]

    /// Joins several trips, all or none, as one edit that can be undone.
    ///
    /// All must have ended. Their tags and notes are kept. Rows keep their UTC time, their order and
    /// their raw bytes.
    ///
    /// - Returns: The number of the earliest trip, which stays.
    @discardableResult
    public func joinTrips(_ ids: [Int64]) throws(TripEditFault) -> Int64 {
        var trips: [TripSummary] = []
        for id in ids { trips.append(try ended(id)) }
        if let unset = trips.first(where: { $0.isClockSet == false }) { throw .clock(unset.id) }
        trips.sort { ($0.start, $0.id) < ($1.start, $1.id) }
        guard let first = trips.first else { throw .nothingToUndo }
        for (earlier, later) in zip(trips, trips.dropFirst()) {
            guard earlier.id != later.id, later.start >= earlier.end else {
                throw .overlap(earlier.id, later.id)
            }
        }
        for later in trips.dropFirst() {
            let earlier = trips.prefix { $0.id != later.id }.last { $0.vin != nil }
            if let earlier, let vin = later.vin, vin != earlier.vin {
                throw .vehicles(earlier.id, later.id)
            }
        }
        if let between = try tripBetween(trips) {
            throw .between(between, joining: trips.map(\.id))
        }
        var meeting: (Int64, Int64)?
        do throws(TripEditFault) {
            try edit { database in
                var batch: Int64?
                for (earlier, later) in zip(trips, trips.dropFirst()) {
                    let shift = later.start.microseconds(since: first.start)
                    guard try !Self.hasRows(first.id, from: shift, in: database) else {
                        meeting = (earlier.id, later.id)
                        throw StoreError.unknownTrip(later.id, path: path)
                    }
                    let edit = try Self.join(
                        first.id, later.id, shift: shift, batch: batch, in: database)
                    batch = batch ?? edit
                }
                try TripFigures.addUp(first.id, in: database)
            }
        } catch {
            if let meeting { throw .overlap(meeting.0, meeting.1) }
            throw error
        }
        return first.id
    }

    /// A drive of the same vehicle that began between the first and the last of `joined`; nil = none.
    private func tripBetween(_ joined: [TripSummary]) throws(TripEditFault) -> Int64? {
        guard let first = joined.first, let last = joined.last else { return nil }
        var filter = TripFilter()
        filter.from = first.end
        filter.to = last.start
        let vin = joined.lazy.compactMap(\.vin).first
        do throws(StoreError) {
            return try trips(filter).first { trip in
                trip.vin == vin && trip.start >= first.end && !joined.contains { $0.id == trip.id }
            }?.id
        } catch {
            throw .store(error)
        }
    }

    /// Appends a trip to an earlier one; returns the edit's number.
    private static func join(
        _ first: Int64, _ second: Int64, shift: Int64, batch: Int64?, in database: Database
    ) throws -> Int64 {
        let edit = try TripEdits.record(
            .join, trip: first, other: second, cut: shift, batch: batch, in: database)
        try move(from: second, to: first, by: shift, in: database)
        try database.execute(
            """
            UPDATE note SET trip = :first WHERE trip = :second;
            INSERT OR IGNORE INTO trip_tag (trip, tag)
                SELECT :first, tag FROM trip_tag WHERE trip = :second;
            UPDATE trip SET (vehicle, name, duration, end_reason) =
                (SELECT coalesce(trip.vehicle, other.vehicle),
                    coalesce(trip.name, other.name), other.duration + :shift,
                    other.end_reason FROM trip AS other WHERE other.id = :second)
                WHERE id = :first;
            DELETE FROM trip WHERE id = :second;
            """, ["first": first, "second": second, "shift": shift])
        return edit
    }

    /// Whether a trip has a row at or after `t`, which could conflict with rows of another trip.
    private static func hasRows(_ trip: Int64, from t: Int64, in database: Database) throws -> Bool
    {
        let found = timed.map { "EXISTS (SELECT * FROM \($0) WHERE trip = :trip AND t >= :t)" }
        return try database.value(
            Bool.self, "SELECT \(found.joined(separator: " OR "))",
            ["trip": trip, "t": t]) ?? false
    }

    /// Splits a trip; everything at or after `time` becomes its own trip.
    ///
    /// Returns the new trip's number. The new trip has the tags and the vehicle of the old one.
    public func splitTrip(_ id: Int64, at time: UTC) throws(TripEditFault) -> Int64 {
        let trip = try ended(id)
        guard time > trip.start, time < trip.end else { throw .outside(id) }
        let cut = time.microseconds(since: trip.start)
        return try edit { try Self.split(id, [Cut(end: cut, start: cut)], in: $0)[0] }
    }

    /// Splits a trip wherever a recording with `rule` would have ended.
    ///
    /// Returns the new trips' numbers in the order of time; empty if there is nothing to split.
    public func splitTrip(
        _ id: Int64, by rule: TripEndRule.Limits
    ) throws(TripEditFault) -> [Int64] {
        _ = try ended(id)
        return try edit { database in
            let cuts = try Self.cuts(of: id, by: rule, in: database)
            return try Self.split(id, cuts, in: database)
        }
    }

    /// Undoes the last edit and returns it.
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

    /// Where a trip is split: the end of the first part and the start of the second; µs of the
    /// trip.
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
        let rows = try database.cursor(
            """
            SELECT t, CASE WHEN detail IS NULL AND kind = 'number'
                THEN \(TripMeter.Role.sql) END AS role, value
            FROM reading JOIN channel ON channel.id = channel
            WHERE trip = ? AND service IS NOT NULL ORDER BY t, sequence
            """, [trip])
        while let row = try rows.next() {
            let t: Int64 = try row["t"]
            let instant = Instant(nanoseconds: t &* 1000)
            if t != last { (previous, last) = (last, t) }
            let wasOver = rule.end(by: instant) != nil
            let wasSilent = limits.silence.map { limit in
                previous.map { .microseconds(t &- $0) >= limit } ?? false
            }
            let role = try (row["role"] as Int64?).flatMap { TripMeter.Role(rawValue: $0) }
            rule.take(role, try row["value"] ?? 0, at: instant)
            // However long the standstill is, the next drive begins when the wheels or the engine
            // turn again.
            let isOver = wasOver && rule.end(by: instant) == nil
            guard let previous, isOver || wasSilent == true, cuts.last?.start != t else {
                continue
            }
            cuts.append(Cut(end: previous, start: t))
            rule = TripEndRule(limits: limits)
            rule.take(role, try row["value"] ?? 0, at: instant)
        }
        return cuts
    }

    /// Splits from the end, so that earlier split points stay valid.
    private static func split(
        _ id: Int64, _ cuts: [Cut], in database: Database
    ) throws -> [Int64] {
        var numbers: [Int64] = []
        var batch: Int64?
        for cut in cuts.reversed() {
            try database.execute(
                """
                INSERT INTO trip (purpose, vehicle, accessory, start, monotonic, duration,
                    end_reason, name, boot, boot_time, clock)
                SELECT purpose, vehicle, accessory, start + :cut, monotonic + :cut * 1000,
                    duration - :cut, end_reason, name, boot, boot_time, clock FROM trip WHERE id = :old
                """, ["old": id, "cut": cut.start])
            let new = database.lastInsertedRowID
            let recorded = try TripEdits.record(
                .split, trip: id, other: new, cut: cut.start, batch: batch, in: database)
            batch = batch ?? recorded
            try database.execute(
                """
                INSERT INTO trip_tag (trip, tag) SELECT :new, tag FROM trip_tag
                    WHERE trip = :old;
                UPDATE trip SET duration = :end WHERE id = :old;
                """, ["old": id, "new": new, "end": cut.end])
            try move(from: id, to: new, by: -cut.start, startingAt: cut.start, in: database)
            try TripFigures.addUp(new, in: database)
            numbers.insert(new, at: 0)
        }
        if !cuts.isEmpty { try TripFigures.addUp(id, in: database) }
        return numbers
    }

    private func ended(_ id: Int64) throws(TripEditFault) -> TripSummary {
        do throws(StoreError) {
            return try endedTrip(id)
        } catch {
            throw .store(error)
        }
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
                "UPDATE \(table) SET trip = ?, t = t + ? WHERE trip = ? AND t >= ?",
                [to, shift, from, startingAt])
        }
    }
}
