public import Diagnostics
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

    /// A row that is not a reading.
    public enum Item: Sendable {
        /// A position.
        case position(Position)
        /// An event.
        case event(TripEvent)
        /// A trouble code that an ECU reported.
        case code(CodeReport)
    }

    /// The table; the raw value is stored with the cursors.
    public enum Table: String, CaseIterable, Sendable {
        case readings, positions, events, codes
    }

    /// The trip as it was when the rows were read.
    public let trip: TripSummary
    /// The cursor after the rows.
    public let cursor: TripCursor
    /// The positions, the events or the codes.
    public let items: [(time: UTC, item: Item)]
    /// Whether there are no more rows in this table.
    public let isComplete: Bool
}

/// Reads what comes after cursors, one trip after the other.
///
/// It keeps the signals of the last trip while the database does not change, because reading them
/// takes as long as reading a thousand rows.
public final class TripTailReader {
    private let store: TripStore
    private var known: (version: Int64, readings: TripReadings)?

    /// A reader of a trip database.
    public init(_ store: TripStore) { self.store = store }

    /// Reads the next rows of a trip's table, at most `limit` of them; nil if the trip does not
    /// exist any more.
    ///
    /// Readings, their signals and the trip's totals come from one transaction. The cost does not
    /// depend on the length of the trip, unless rows came late.
    ///
    /// - Parameters:
    ///   - hasRaw: whether readings have their raw bytes.
    ///   - begin: receives the table of the readings that follow, before the first of them and
    ///     each time that it is read again.
    ///   - take: receives each reading.
    public func read(
        _ table: TripTail.Table, ofTrip id: Int64, after cursor: TripCursor, limit: Int,
        hasRaw: Bool = false, begin: (PIDTable) -> Void = { _ in },
        take: (UTC, borrowing Reading) -> Void = { _, _ in }
    ) throws(StoreError) -> TripTail? {
        try store.read { database in
            guard let trip = try trip(id, in: database) else { return nil }
            var position = TailPosition(trip: trip, cursor: cursor, limit: limit)
            switch table {
            case .readings:
                let readings = try readings(of: trip, in: database, begin)
                try position.readReadings(readings, hasRaw: hasRaw, in: database, take)
            case .positions: try position.readOthers("position", in: database)
            case .events: try position.readOthers("event", in: database)
            case .codes: try position.readOthers("code_report", in: database)
            }
            return TripTail(
                trip: trip, cursor: position.cursor, items: position.items,
                isComplete: position.count < limit)
        }
    }

    /// Reads readings from a trip's end backwards, without their raw bytes; those that came late
    /// are among them by their time.
    ///
    /// - Parameters:
    ///   - since: the time of the first reading to read; unit: µs since the trip's start.
    ///   - begin: receives the table of the readings, as in ``read(_:ofTrip:after:limit:hasRaw:begin:take:)``.
    ///   - take: receives each reading, and returns whether to continue.
    public func readNewest(
        ofTrip id: Int64, since: Int64, begin: (PIDTable) -> Void,
        take: (UTC, borrowing Reading) -> Bool
    ) throws(StoreError) {
        try store.read { database in
            guard let trip = try trip(id, in: database) else { return }
            try readings(of: trip, in: database, begin).newest(since: since, in: database) {
                take(UTC(microseconds: trip.start.microseconds &+ $0.t), $0.reading)
            }
        }
    }

    private func trip(_ id: Int64, in database: Database) throws -> TripSummary? {
        try database.row(
            "\(Trips.summary) WHERE trip.id = ? AND deleted IS NULL", [id], isCached: true
        ).map(Trips.summary)
    }

    /// The trip's signals, which only another connection can change.
    private func readings(
        of trip: TripSummary, in database: Database, _ begin: (PIDTable) -> Void
    ) throws -> TripReadings {
        let version = try database.value(
            Int64.self, "PRAGMA data_version", isCached: true)
        if let known, known.version == version, known.readings.trip.id == trip.id,
            store.access == .readOnly
        {
            return known.readings
        }
        let readings = try TripReadings(trip: trip, selection: .init(), store: store, in: database)
        known = version.map { ($0, readings) }
        begin(readings.table)
        return readings
    }
}

extension TripReadings {
    private func rows(hasRaw: Bool = false, where condition: String) -> String {
        """
        SELECT t, sequence, channel, value, \(hasRaw ? "raw" : "NULL"), detail FROM reading
        WHERE trip = ? AND \(condition)
        """
    }

    /// Calls `body` with up to `limit` rows in order after a cursor; returns their number.
    fileprivate func rows(
        after cursor: TripCursor, limit: Int, hasRaw: Bool, in database: Database,
        _ body: (borrowing Stored) throws -> Void
    ) throws -> Int {
        var count = 0
        // SQLite would compare each row with a condition on (t, sequence), or on sequence alone.
        for (condition, arguments) in [
            ("t = ? AND sequence > ? ORDER BY sequence", [cursor.t, cursor.sequence]),
            ("t > ? ORDER BY t, sequence", [cursor.t]),
        ] where count < limit {
            try scan(
                rows(hasRaw: hasRaw, where: condition),
                Arguments(([trip.id] + arguments).map { .integer($0) }), in: database
            ) {
                if $0.sequence > TripTail.firstLateSequence { return true }
                count += 1
                try body($0)
                return count < limit
            }
        }
        return count
    }

    /// Calls `body` with up to `limit` late rows; returns their number.
    fileprivate func lateRows(
        after late: Int64, limit: Int, hasRaw: Bool, in database: Database,
        _ body: (borrowing Stored) throws -> Void
    ) throws -> Int {
        var count = 0
        try scan(
            rows(hasRaw: hasRaw, where: "sequence > ? ORDER BY sequence LIMIT ?"),
            [trip.id, late, Int64(limit)], in: database
        ) {
            count += 1
            try body($0)
            return true
        }
        return count
    }

    /// Calls `body` with the rows since a time, the last one first, until it returns false.
    fileprivate func newest(
        since t: Int64, in database: Database, _ body: (borrowing Stored) throws -> Bool
    ) throws {
        try scan(
            rows(where: "t >= ? ORDER BY t DESC, sequence DESC"), [trip.id, t], in: database, body)
    }
}

/// The position of a reader in one table of a trip.
private struct TailPosition {
    let trip: TripSummary
    var cursor: TripCursor
    let limit: Int
    var count = 0
    var items: [(time: UTC, item: TripTail.Item)] = []

    private func time(_ t: Int64) -> UTC { UTC(microseconds: trip.start.microseconds &+ t) }

    mutating func readReadings(
        _ readings: TripReadings, hasRaw: Bool, in database: Database,
        _ take: (UTC, borrowing Reading) -> Void
    ) throws {
        count = try readings.rows(after: cursor, limit: limit, hasRaw: hasRaw, in: database) {
            take(time($0.t), $0.reading)
            cursor.t = $0.t
            cursor.sequence = $0.sequence
        }
        cursor.rows += count
        // Only the count shows that rows came late, because no index covers them.
        guard count < limit, trip.readings > cursor.rows else { return }
        let late = try readings.lateRows(
            after: cursor.late, limit: limit - count, hasRaw: hasRaw, in: database
        ) {
            take(time($0.t), $0.reading)
            cursor.late = $0.sequence
        }
        cursor.rows += late
        count += late
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
        count += 1
        switch row.record {
        case .position(let position): items.append((time(row.t), .position(position)))
        case .event(let event): items.append((time(row.t), .event(event)))
        case .item(.code(let report)): items.append((time(row.t), .code(report)))
        default: break
        }
    }
}
