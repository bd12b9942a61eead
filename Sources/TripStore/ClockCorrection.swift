import Diagnostics
import OBDCore
public import SystemIO

/// A trip whose times were put right.
public struct ClockCorrection: Hashable, Sendable {
    /// The trip's number.
    public var trip: Int64
    /// How much later it began than its clock had shown; negative = earlier.
    public var step: Duration

    /// Whether the clock was wrong by more than the drift of a clock.
    public var isNoticeable: Bool {
        (step.nanoseconds / 1000).magnitude >= TripClock.smallestStep.magnitude
    }

    /// `+2 d 3 h`.
    public var stepText: String { TripClock.Change.text(step.nanoseconds / 1000) }
}

extension TripStore {
    /// Trips that could not have happened before: 2026-01-01T00:00:00Z.
    private static let earliest: Int64 = 1_767_225_600_000_000
    /// A trip may end so much later than the clock shows; unit: µs.
    private static let greatestLead: Int64 = 60_000_000

    /// Whether ``settleClocks(by:)`` may have something to do.
    public func mayBeWrong(by reading: ClockReading) throws(StoreError) -> Bool {
        try read { database in
            try database.value(
                Bool.self,
                """
                SELECT EXISTS (SELECT 1 FROM trip WHERE clock = 'unset')
                    OR EXISTS (SELECT 1 FROM trip WHERE \(Self.isImpossible)) AND ?
                """,
                [
                    Self.earliest, reading.utc.microseconds &+ Self.greatestLead,
                    reading.isSet,
                ]) ?? false
        }
    }

    private static let isImpossible = """
        clock IS NULL AND purpose <> 'import' AND end_reason IS NOT NULL
            AND (start < ? OR start + duration > ?)
        """

    /// Puts the times right of finished trips whose clock was not set, as far as the time of their boot is
    /// known now.
    ///
    /// The boot is that of `reading`, if its clock is set, or that of a trip whose clock was. Each trip gets
    /// an event that says by how much it was moved. Trips in the future are marked.
    @discardableResult
    public func settleClocks(by reading: ClockReading) throws(StoreError) -> [ClockCorrection] {
        try transaction { database in
            if reading.isSet {
                try database.execute(
                    "UPDATE trip SET clock = 'unset' WHERE \(Self.isImpossible)",
                    [Self.earliest, reading.utc.microseconds &+ Self.greatestLead])
            }
            let rows = try database.rows(
                """
                SELECT id, boot_time, duration, CASE WHEN boot = ?1 THEN ?2 ELSE
                    (SELECT max(other.boot_time) FROM trip AS other
                        WHERE other.boot = trip.boot AND other.clock = 'set') END AS known
                FROM trip WHERE clock = 'unset' AND end_reason IS NOT NULL AND boot_time IS NOT NULL
                ORDER BY id
                """,
                [
                    reading.isSet ? reading.boot : nil, reading.bootTime.microseconds,
                ])
            return try rows.compactMap { row in
                guard let right = try row["known"] as Int64? else { return nil }
                let (trip, wrong): (Int64, Int64) = (try row["id"], try row["boot_time"])
                let step = right &- wrong
                try ClockCorrection.move(
                    trip, by: step, to: UTC(microseconds: right), in: database)
                if let event = TripClock.Change.corrected(step).event {
                    try database.execute(
                        """
                        INSERT INTO event (trip, t, sequence, kind, duration, text)
                        SELECT :trip, :t, coalesce(max(sequence), -1) + 1, :kind, :length, :text
                        FROM event WHERE trip = :trip AND t = :t
                        """,
                        [
                            "trip": trip, "t": try row["duration"] as Int64,
                            "kind": event.kind.rawValue, "length": Int64(step.magnitude),
                            "text": event.text,
                        ])
                }
                return ClockCorrection(trip: trip, step: .microseconds(step))
            }
        }
    }

    /// Moves the times of trips by hand, as one edit that can be undone; their clocks count as set then.
    ///
    /// A user's estimate for one trip does not apply to the other trips of its boot.
    public func shiftTrips(_ ids: [Int64], by step: Duration) throws(StoreError) {
        let ids = Set(ids).sorted()
        for id in ids {
            _ = try endedTrip(id)
        }
        let step = step.nanoseconds / 1000
        try transaction { database in
            var batch: Int64?
            for id in ids {
                let edit = try TripEdits.record(
                    .shift, trip: id, cut: step, batch: batch, in: database)
                batch = batch ?? edit
                try ClockCorrection.move(id, by: step, to: nil, in: database)
            }
        }
    }
}

extension ClockCorrection {
    /// Moves a trip in time with what the histories of codes and vehicles know by it.
    ///
    /// - Parameter bootTime: when the boot began; nil if unknown.
    static func move(
        _ trip: Int64, by step: Int64, to bootTime: UTC?, in database: Database
    ) throws {
        try database.execute(
            """
            UPDATE OR REPLACE code_change SET time = time + :step
            WHERE code IN (SELECT code.id FROM code JOIN trip
                    ON coalesce(code.vehicle, 0) = coalesce(trip.vehicle, 0)
                    WHERE trip.id = :trip AND trip.end_reason IS NOT NULL)
                AND time IN (SELECT start + t FROM code_report JOIN trip ON trip.id = trip
                        WHERE trip = :trip
                    UNION SELECT start + t FROM code_list JOIN trip ON trip.id = trip
                        WHERE trip = :trip);
            UPDATE trip SET start = start + :step, clock = 'set',
                boot_time = :boot WHERE id = :trip;
            """, ["trip": trip, "step": step, "boot": bootTime?.microseconds])
        // The first or the last sight of a code may have been in this trip.
        let codes = try database.rows(
            """
            SELECT code.id, code.first_seen, code.last_seen, min(start + t) AS first,
                max(start + t) AS last,
                min(CASE WHEN trip.id = :trip THEN start + t END) AS own_first,
                max(CASE WHEN trip.id = :trip THEN start + t END) AS own_last
            FROM code JOIN code_report AS r ON code.kind = r.kind AND code.code = r.code
                AND coalesce(code.ecu, '') = coalesce(r.ecu, '')
                AND coalesce(code.failure_type, -1) = coalesce(r.failure_type, -1)
            JOIN trip ON trip.id = r.trip AND end_reason IS NOT NULL
                AND coalesce(code.vehicle, 0) = coalesce(trip.vehicle, 0)
            GROUP BY code.id HAVING own_first IS NOT NULL
            """, ["trip": trip])
        for row in codes {
            let (first, last): (Int64, Int64) = (try row["first_seen"], try row["last_seen"])
            let own: (first: Int64, last: Int64) = (try row["own_first"], try row["own_last"])
            try database.execute(
                "UPDATE code SET first_seen = ?, last_seen = ? WHERE id = ?",
                [
                    first == own.first &- step ? try row["first"] as Int64 : min(first, own.first),
                    last == own.last &- step ? try row["last"] as Int64 : max(last, own.last),
                    try row["id"] as Int64,
                ])
        }
        for thing in ["vehicle", "accessory"] {
            try database.execute(
                """
                UPDATE \(thing) SET
                    first_seen = CASE WHEN first_seen BETWEEN own.start - :step
                            AND own.start + own.duration - :step
                        THEN (SELECT min(start) FROM trip WHERE \(thing) = own.\(thing))
                        ELSE min(first_seen, own.start) END,
                    last_seen = CASE WHEN last_seen BETWEEN own.start - :step
                            AND own.start + own.duration - :step
                        THEN (SELECT max(start + duration) FROM trip WHERE \(thing) = own.\(thing))
                        ELSE max(last_seen, own.start + own.duration) END
                FROM trip AS own WHERE own.id = :trip AND own.\(thing) = \(thing).id
                """, ["trip": trip, "step": step])
        }
    }
}
