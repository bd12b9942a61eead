public import Diagnostics
import GRDB
public import OBDCore

/// How far the records of one table of a trip were delivered.
///
/// A trip's rows are stored in the order of their keys (t, sequence), so everything after a key is
/// new. Rows with an earlier time than their predecessor have their own increasing sequence and a
/// separate cursor.
public struct TripCursor: Hashable, Sendable {
    /// The key of the last row in order; unit of `t`: µs since the trip's start.
    public var t = Int64.min, sequence: Int64 = -1
    /// The sequence of the last late row.
    public var late: Int64 = TripTail.firstLateSequence
    /// The number of delivered rows, in order and late.
    public var rows = 0

    /// A cursor at the beginning of a trip.
    public init() {}
}

/// The part of a trip after a cursor.
public struct TripTail: Sendable {
    /// Rows with a sequence above this one came late.
    static let firstLateSequence: Int64 = 1_000_000

    /// A delivered row.
    public enum Item: Sendable {
        /// A reading, of a signal of ``table``.
        case reading(Reading)
        /// A position.
        case position(Position)
        /// An event.
        case event(TripEvent)
    }

    /// The table; the raw value is stored with the cursors.
    public enum Table: String, CaseIterable, Sendable {
        case readings, positions, events
    }

    /// The trip as it was when the rows were read.
    public let trip: TripSummary
    /// The signals of the readings.
    public let table: PIDTable
    /// The cursor after the rows.
    public let cursor: TripCursor
    /// The rows, at most as many as requested.
    public let items: [(time: UTC, item: Item)]
    /// Whether there are no more rows in this table.
    public let isComplete: Bool
}

extension TripStore {
    /// The next rows of a trip's table, at most `limit` of them; nil if the trip does not exist any
    /// more.
    ///
    /// Readings, their signals and the trip's totals come from one transaction. The cost does not
    /// depend on the length of the trip, unless rows came late. `lateSince` leaves out late readings
    /// before that time, so that a reader of a trip's end does not search its beginning; unit: µs
    /// since the trip's start.
    public func tail(
        ofTrip id: Int64, _ table: TripTail.Table, after cursor: TripCursor, limit: Int,
        lateSince: Int64 = .min
    ) throws(StoreError) -> TripTail? {
        try read { database in
            let found = try Row.fetchOne(
                database, sql: "\(Trips.summary) WHERE trip.id = ? AND deleted IS NULL",
                arguments: [id])
            guard let trip = found.map(Trips.summary) else { return nil }
            var reader = TailReader(trip: trip, cursor: cursor, limit: limit)
            switch table {
            case .readings:
                try reader.readReadings(self, lateSince: lateSince, in: database)
            case .positions: try reader.readOthers("position", in: database)
            case .events: try reader.readOthers("event", in: database)
            }
            return TripTail(
                trip: trip, table: reader.table, cursor: reader.cursor, items: reader.items,
                isComplete: reader.items.count < limit)
        }
    }
}

extension TripReadings {
    /// Calls `body` with up to `limit` rows in order after a cursor; returns their number.
    fileprivate func rows(
        after cursor: TripCursor, limit: Int, in database: Database,
        _ body: (borrowing Stored) throws -> Void
    ) throws -> Int {
        var count = 0
        try scan(
            """
            SELECT t, sequence, channel, value, raw, detail FROM reading
            WHERE trip = ? AND (t, sequence) > (?, ?) AND sequence <= \(TripTail.firstLateSequence)
            ORDER BY t, sequence LIMIT ?
            """, [trip.id, cursor.t, cursor.sequence, Int64(limit)], in: database
        ) {
            count += 1
            try body($0)
        }
        return count
    }

    /// Calls `body` with up to `limit` late rows; returns their number.
    fileprivate func lateRows(
        after late: Int64, since t: Int64, limit: Int, in database: Database,
        _ body: (borrowing Stored) throws -> Void
    ) throws -> Int {
        var count = 0
        try scan(
            """
            SELECT t, sequence, channel, value, raw, detail FROM reading
            WHERE trip = ? AND t >= ? AND sequence > ? ORDER BY sequence LIMIT ?
            """, [trip.id, t, late, Int64(limit)], in: database
        ) {
            count += 1
            try body($0)
        }
        return count
    }
}

/// Collects the rows of one tail.
private struct TailReader {
    let trip: TripSummary
    var cursor: TripCursor
    let limit: Int
    var table = PIDTable()
    var items: [(time: UTC, item: TripTail.Item)] = []

    init(trip: TripSummary, cursor: TripCursor, limit: Int) {
        self.trip = trip
        self.cursor = cursor
        self.limit = limit
        items.reserveCapacity(limit)
    }

    private func time(_ t: Int64) -> UTC { UTC(microseconds: trip.start.microseconds &+ t) }

    mutating func readReadings(
        _ store: TripStore, lateSince: Int64, in database: Database
    ) throws {
        let readings = try TripReadings(trip: trip, selection: .init(), store: store, in: database)
        table = readings.table
        let rows = try readings.rows(after: cursor, limit: limit, in: database) {
            items.append((time($0.t), .reading($0.reading)))
            cursor.t = $0.t
            cursor.sequence = $0.sequence
        }
        cursor.rows += rows
        // Only the count shows that rows came late, because no index covers them.
        guard rows < limit, trip.readings > cursor.rows else { return }
        cursor.rows += try readings.lateRows(
            after: cursor.late, since: lateSince, limit: limit - rows, in: database
        ) {
            items.append((time($0.t), .reading($0.reading)))
            cursor.late = $0.sequence
        }
    }

    mutating func readOthers(_ name: String, in database: Database) throws {
        let first = TripTail.firstLateSequence
        let inOrder = try OtherRecords.rows(
            name,
            """
            trip = ? AND (t, sequence) > (?, ?) AND sequence <= \(first)
            ORDER BY t, sequence LIMIT ?
            """, [trip.id, cursor.t, cursor.sequence, limit], in: database)
        for row in inOrder {
            take(row)
            cursor.t = row.t
            cursor.sequence = row.sequence
        }
        // These tables are small: a trip has at most one position per second.
        if inOrder.count < limit {
            let late = try OtherRecords.rows(
                name, "trip = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                [trip.id, cursor.late, limit - inOrder.count], in: database)
            for row in late {
                take(row)
                cursor.late = row.sequence
            }
        }
    }

    private mutating func take(_ row: OtherRecords.Record) {
        cursor.rows += 1
        switch row.record {
        case .position(let position): items.append((time(row.t), .position(position)))
        case .event(let event): items.append((time(row.t), .event(event)))
        default: break
        }
    }
}
