import Diagnostics
import OBDCore

/// Positions and events that happen while the link is lost.
///
/// They are on the disk like all other rows, so that a power cut does not lose them. They are no part of their trip
/// until it is known that the vehicle is the same after the link is back. If it is another one, they never are.
/// Nobody ever knows that of a trip whose process dies before. Such a trip gets them when it is closed, because no
/// other vehicle can answer without a link.
enum HeldRows {
    /// The tables, which have the columns of `event` and `position`.
    static let tables = ["held_event", "held_position"]

    /// What waits for a trip, in the order of its arrival.
    static func waiting(
        for trip: Int64, in database: Database
    ) throws -> [OtherRecords.Record] {
        try tables.flatMap { table in
            try OtherRecords.rows(
                table, "trip = ? AND settled = 0 ORDER BY sequence", [trip], in: database)
        }.sorted { $0.sequence < $1.sequence }
    }

    /// Records that a trip has got what waited, or never will.
    ///
    /// The rows stay until the trip ends: they may have a copy in memory, which a later process would take for
    /// rows that wait.
    static func settle(_ trip: Int64, in database: Database) throws {
        for table in tables {
            try database.execute(
                "UPDATE \(table) SET settled = 1 WHERE trip = ? AND settled = 0", [trip])
        }
    }

    /// Adds to a trip that ends what still waits.
    ///
    /// The rows are numbered as late ones, because rows with later times may have been read already.
    static func release(_ trip: Int64, in database: Database) throws {
        for (table, columns) in [
            ("event", "kind, ecu, service, code, duration, text"),
            ("position", "latitude, longitude, altitude, speed, course, accuracy, fix_time"),
        ] {
            try database.execute(
                """
                UPDATE trip SET duration = max(duration, coalesce(
                        (SELECT max(t) FROM held_\(table) WHERE trip = :trip AND settled = 0), 0))
                    WHERE id = :trip;
                INSERT INTO \(table) (trip, t, sequence, \(columns))
                    SELECT trip, t, row_number() OVER (ORDER BY sequence) + (
                            SELECT max(:first, coalesce(max(sequence), 0)) FROM \(table)
                                WHERE trip = :trip), \(columns)
                    FROM held_\(table) WHERE trip = :trip AND settled = 0;
                DELETE FROM held_\(table) WHERE trip = :trip;
                """, ["trip": trip, "first": TripTail.firstLateSequence])
        }
    }
}

extension RowWriter {
    /// Stores an entry that is no part of the trip yet.
    mutating func hold(_ entry: TripEntry, at instant: Instant, in database: Database) throws {
        let t = time(of: instant)
        switch entry {
        case .event(let event): try store(event, t: t, in: database, isHeld: true)
        case .position(let position):
            try store(position, t: t, in: database, isHeld: true)
            // The clock is that of this machine, whatever vehicle is connected.
            try followSatellites(position, at: instant, in: database)
        case .items, .voltage, .note, .vehicle, .codeList, .together, .held, .settleHeld: return
        }
    }

    /// Makes what was held a part of the trip, or leaves it out for ever.
    mutating func settleHeld(keeps: Bool, in database: Database) throws {
        // A copy in memory has no table of trips: it cannot settle anything, and this is committed soon.
        guard try tripExists(in: database) else { return }
        if keeps {
            for held in try HeldRows.waiting(for: trip, in: database) {
                switch held.record {
                case .event(let event): try store(event, t: held.t, in: database)
                case .position(let position): try store(position, t: held.t, in: database)
                default: continue
                }
            }
        }
        try HeldRows.settle(trip, in: database)
    }
}
