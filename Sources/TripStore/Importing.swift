public import Diagnostics
public import OBDCore

/// A trip from a file.
public struct ImportedTrip: Hashable, Sendable {
    /// Start of the trip.
    public var start: UTC
    /// The VIN, if the file contains it.
    public var vin: VIN?
    /// The trip's name.
    public var name: String?
    /// Tags for searching.
    public var tags: [String] = []
    /// Digest of the content, to recognise the trip when it is imported again.
    public var source: String
    /// Digest of the file, whatever options it is read with; nil if it does not matter.
    public var file: String?
    /// Number of readings.
    public var readings = 0
    /// Number of answers that no table decodes: two files may differ in them alone.
    public var undecoded = 0
    /// The time of the first reading; nil without readings.
    public var firstReading: UTC?
    /// Totals of the readings by ECU and signal, to distinguish files that begin alike.
    public var sums: [Channel: Sum] = [:]
    /// The numbers by ECU and signal in the order of time; nil for more than fit in memory.
    public var values: [Channel: [Double]]?

    /// A signal of an ECU.
    public struct Channel: Hashable, Sendable {
        /// The ECU as text; nil if unknown.
        public var ecu: String?
        /// The signal's short name.
        public var signal: String

        /// A signal by its short name and ECU.
        public init(ecu: String?, signal: String) {
            self.ecu = ecu
            self.signal = signal
        }
    }

    /// The totals of a signal's readings.
    public struct Sum: Hashable, Sendable {
        /// Number of readings, including those without a number.
        public var readings: Int
        /// Number of readings with a number.
        public var numbers: Int
        /// The sum of all numbers.
        public var total: Double

        /// The totals of one reading, or of `readings`.
        public init(readings: Int = 1, numbers: Int, total: Double) {
            self.readings = readings
            self.numbers = numbers
            self.total = total
        }

        /// Adds other readings.
        public static func += (sum: inout Sum, other: Sum) {
            sum.readings += other.readings
            sum.numbers += other.numbers
            sum.total += other.total
        }

        /// Whether a file with these totals holds the readings of a stored trip.
        ///
        /// Numbers may be rounded. In a table for people, a state is a text and not a number, and
        /// a value that the vehicle did not have is an empty cell.
        func isClose(to stored: Sum) -> Bool {
            guard numbers > 0 else { return readings <= stored.readings }
            return numbers == stored.numbers
                && abs(total - stored.total) <= 0.01 * (abs(total) + Double(numbers))
        }
    }

    /// A trip whose other properties are set later.
    public init(start: UTC, source: String) {
        self.start = start
        self.source = source
    }
}

/// Stores trips from files within one transaction.
public struct TripImporter {
    let database: Database
    private let table: PIDTable
    private var rows: RowWriter?
    private var row: RowStatement?
    private var start = UTC(microseconds: 0)
    /// The first trip that this importer has stored; nil before it.
    private var own: Int64?

    fileprivate init(database: Database, table: PIDTable) {
        self.database = database
        self.table = table
    }

    /// The result of beginning a trip.
    public enum Begun: Hashable, Sendable {
        /// The trip is new and has this number.
        case new(Int64)
        /// The database contains it already: under this number, or as a part of that trip.
        case known(Int64)
        /// The trip was deleted, but can be restored.
        case deleted(Int64)
    }

    /// Begins a trip; if it is known, the following entries are discarded until the next trip.
    public mutating func begin(_ trip: ImportedTrip) throws -> Begun {
        try end()
        if let known = try known(trip) { return known }
        let vehicle = try trip.vin.map {
            try Vehicles.id(of: $0, seen: trip.start, in: database)
        }
        try database.execute(
            """
            INSERT INTO trip (purpose, vehicle, start, monotonic, name, source, file)
            VALUES ('import', ?, ?, 0, ?, ?, ?)
            """,
            [vehicle, trip.start.microseconds, trip.name, trip.source, trip.file])
        let id = database.lastInsertedRowID
        own = own ?? id
        for tag in Set(trip.tags) where !tag.isEmpty {
            try database.execute("INSERT INTO trip_tag (trip, tag) VALUES (?, ?)", [id, tag])
        }
        start = trip.start
        rows = RowWriter(
            trip: id, anchor: TimeAnchor(monotonic: .zero, utc: trip.start), table: table)
        row = try RowWriter.insertReading(in: database)
        return .new(id)
    }

    /// Searches the trip in the database.
    ///
    /// It compares the digest, also of parts that were joined to another trip. A trip that was
    /// recorded or comes from another file format has another digest: it is known if its first
    /// reading was at the same time and its readings are the same, as far as programs round them. Its start does
    /// not count, because a table of readings does not contain it. With answers that no table decodes, only the
    /// digest counts. So it does among the parts of one file, which are never the same trip.
    private func known(_ trip: ImportedTrip) throws -> Begun? {
        let first = trip.firstReading?.microseconds
        func holds(_ id: Int64, from start: Int64) throws -> Bool {
            guard let first, trip.undecoded == 0 else { return false }
            let stored = try StoredContents(of: id, from: start, in: database)
            guard stored.holds(trip.sums, from: first) else { return false }
            guard let values = trip.values else { return true }
            return try StoredContents.Values(of: id, in: database).hold(values)
        }
        let found = try database.cursor(
            """
            SELECT id, start, deleted, source IS :source AS same FROM trip
                WHERE source = :source
                    OR (\(StoredContents.candidates) AND (:own IS NULL OR id < :own))
            UNION ALL
            SELECT trip, 0, NULL, 1 FROM trip_edit WHERE action = 'join'
                AND json_extract(before, '$[1].trip.source') = :source
            ORDER BY same DESC
            """,
            ["source": trip.source, "first": first, "own": own])
        while let row = try found.next() {
            let id: Int64 = try row["id"]
            guard try row["same"] as Bool? == true || holds(id, from: row["start"]) else {
                continue
            }
            return try row.isNull("deleted") ? .known(id) : .deleted(id)
        }
        return nil
    }

    /// Stores one entry of the current trip.
    public mutating func store(_ entry: TripEntry, at time: UTC) throws {
        guard row != nil else { return }
        let passed = Duration.microseconds(time.microseconds &- start.microseconds)
        guard var statement = row else { return }
        try rows?.store(entry, at: .zero + passed, &statement, in: database)
        row = statement
    }

    /// Closes the current trip at its last entry.
    public mutating func end() throws {
        guard let trip = rows?.trip else { return }
        try rows?.storeFigures(in: database)
        try Trips.close(trip, .imported, in: database)
        rows = nil
        row = nil
    }
}

extension TripStore {
    /// Earlier imported trips that begin and end when this one does.
    ///
    /// The same file, imported with other options, has other readings and is another trip.
    public func imports(alongside trip: Int64) throws(StoreError) -> [Int64] {
        try read { database in
            try database.values(
                Int64.self,
                """
                SELECT other.id FROM trip JOIN trip AS other
                    ON other.start = trip.start AND other.duration = trip.duration
                    WHERE trip.id = ? AND other.id < trip.id AND other.purpose = 'import'
                        AND other.deleted IS NULL ORDER BY other.id
                """, [trip])
        }
    }

    /// Stores trips from a file, all or none of them.
    ///
    /// `table` contains the signals of the readings. Errors that `body` throws pass unchanged.
    public func importing<Value>(
        table: PIDTable, _ body: (inout TripImporter) throws -> Value
    ) throws -> Value {
        guard access == .readWrite else { throw StoreError.readOnly(path: path) }
        do {
            return try queue.access { database in
                try database.transaction {
                    var importer = TripImporter(database: database, table: table)
                    let value = try body(&importer)
                    try importer.end()
                    return value
                }
            }
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        }
    }
}
