public import Diagnostics
import GRDB
public import OBDCore

/// A trip that comes from a file.
public struct ImportedTrip: Hashable, Sendable {
    /// Its first moment.
    public var start: UTC
    /// The vehicle, where the file tells it.
    public var vin: VIN?
    /// What it is called.
    public var name: String?
    /// Words to find it by.
    public var tags: [String] = []
    /// Digest of what the file says, so that it is known again.
    public var source: String
    /// Number of readings.
    public var readings = 0

    /// A trip of which the rest is set afterwards.
    public init(start: UTC, source: String) {
        self.start = start
        self.source = source
    }
}

/// Stores trips from files, within one transaction.
public struct TripImporter {
    private let database: Database
    private let table: PIDTable
    private var rows: RowWriter?
    private var row: RowStatement?
    private var start = UTC(microseconds: 0)

    fileprivate init(database: Database, table: PIDTable) {
        self.database = database
        self.table = table
    }

    /// Begins a trip; returns its number, nil when it is here already: what is then stored until
    /// the next one goes nowhere.
    public mutating func begin(_ trip: ImportedTrip) throws -> Int64? {
        try end()
        let known = try Int64.fetchOne(
            database,
            sql: """
                SELECT id FROM trip WHERE source = :source
                    OR (start = :start AND readings = :readings AND readings > 0)
                """,
            arguments: [
                "source": trip.source, "start": trip.start.microseconds,
                "readings": trip.readings,
            ])
        guard known == nil else { return nil }
        let vehicle = try trip.vin.map {
            try Vehicles.id(of: $0, seen: trip.start, in: database)
        }
        try database.execute(
            sql: """
                INSERT INTO trip (purpose, vehicle, start, monotonic, name, source)
                VALUES ('import', ?, ?, 0, ?, ?)
                """,
            arguments: [vehicle, trip.start.microseconds, trip.name, trip.source])
        let id = database.lastInsertedRowID
        for tag in Set(trip.tags) where !tag.isEmpty {
            try database.execute(
                sql: "INSERT INTO trip_tag (trip, tag) VALUES (?, ?)", arguments: [id, tag])
        }
        start = trip.start
        rows = RowWriter(
            trip: id, anchor: TimeAnchor(monotonic: .zero, utc: trip.start), table: table)
        row = try RowWriter.insertReading(in: database)
        return id
    }

    /// Stores one entry of the trip that was begun.
    public mutating func store(_ entry: TripEntry, at time: UTC) throws {
        guard row != nil else { return }
        let passed = Duration.microseconds(time.microseconds &- start.microseconds)
        guard var statement = row else { return }
        try rows?.store(entry, at: .zero + passed, &statement, in: database)
        row = statement
    }

    /// Closes the trip at its last entry.
    public mutating func end() throws {
        guard let trip = rows?.trip else { return }
        try rows?.storeFigures(in: database)
        try Trips.close(trip, .imported, in: database)
        rows = nil
        row = nil
    }
}

extension TripStore {
    /// Stores trips from a file, all or nothing.
    ///
    /// `table` names the signals of the readings. What `body` itself throws passes unchanged.
    public func importing<Value>(
        table: PIDTable, _ body: (inout TripImporter) throws -> Value
    ) throws -> Value {
        guard access == .readWrite else { throw StoreError.readOnly(path: path) }
        do {
            return try queue.writeWithoutTransaction { database in
                var value: Value?
                try database.inTransaction(.immediate) {
                    var importer = TripImporter(database: database, table: table)
                    value = try body(&importer)
                    try importer.end()
                    return .commit
                }
                guard let value else { throw StoreError.locked(path: path) }
                return value
            }
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        }
    }
}
