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
    /// The identity of the log of a bus that the trip is from, whatever tables decode it; nil for another file.
    public var log: String?
    /// The time of the last entry.
    public var end: UTC
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
        end = start
        self.source = source
    }
}

/// What a trip got from another import of its log.
public struct ImportedAddition: Hashable, Sendable {
    /// The trip's number.
    public var trip: Int64
    /// Number of readings.
    public var readings = 0
    /// The short names of the signals that the trip did not have.
    public var signals: Set<String> = []
}

/// Stores trips from files within one transaction.
public struct TripImporter {
    private let database: Database
    private let table: PIDTable
    private var rows: RowWriter?
    private var row: RowStatement?
    private var start = UTC(microseconds: 0)
    /// What the known trip already has; nil for a new trip.
    private var had: Set<Had>?
    /// What known trips got until now.
    public private(set) var additions: [ImportedAddition] = []

    /// A record that an ECU gave, or a signal of what it sends by itself.
    private struct Had: Hashable {
        var ecu: String?
        var record: DataID?
        /// Nil for an answer: decoding its bytes again finds all of its signals.
        var signal: String?

        init(_ ecu: String?, _ record: DataID?, _ signal: String) {
            self.ecu = ecu
            self.record = record
            // Frames and parameter groups have the numbers of no service.
            let isAnswer = record.map { $0.service < .negativeResponse } ?? false
            self.signal = isAnswer ? nil : signal
        }
    }

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
    ///
    /// A known trip from a log of a bus gets the signals that it does not have: another table may decode more of
    /// the log.
    public mutating func begin(_ trip: ImportedTrip) throws -> Begun {
        try end()
        if let known = try knownPart(trip) {
            if case .known(let id) = known { try beginAdding(trip, to: id) }
            return known
        }
        if let known = try known(trip) { return known }
        let vehicle = try trip.vin.map {
            try Vehicles.id(of: $0, seen: trip.start, in: database)
        }
        try database.execute(
            """
            INSERT INTO trip (purpose, vehicle, start, monotonic, name, source)
            VALUES ('import', ?, ?, 0, ?, ?)
            """,
            [vehicle, trip.start.microseconds, trip.name, trip.log ?? trip.source])
        let id = database.lastInsertedRowID
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
    /// digest counts.
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
                    OR (\(StoredContents.candidates))
            UNION ALL
            SELECT trip, 0, NULL, 1 FROM trip_edit WHERE action = 'join'
                AND json_extract(before, '$[1].trip.source') = :source
            """,
            ["source": trip.source, "first": first])
        while let row = try found.next() {
            let id: Int64 = try row["id"]
            guard try row["same"] as Bool? == true || holds(id, from: row["start"]) else {
                continue
            }
            return try row.isNull("deleted") ? .known(id) : .deleted(id)
        }
        return nil
    }

    /// The trip from the same log at the same time.
    private func knownPart(_ trip: ImportedTrip) throws -> Begun? {
        guard let log = trip.log else { return nil }
        let found = try database.cursor(
            """
            SELECT id, deleted FROM trip
                WHERE (source = :log OR id IN (SELECT trip FROM trip_edit WHERE action = 'join'
                        AND json_extract(before, '$[1].trip.source') = :log))
                    AND start <= :last AND start + duration >= :first
                ORDER BY deleted IS NOT NULL, id LIMIT 1
            """,
            [
                "log": log, "first": trip.start.microseconds,
                "last": trip.end.microseconds,
            ])
        guard let row = try found.next() else { return nil }
        let id: Int64 = try row["id"]
        return try row.isNull("deleted") ? .known(id) : .deleted(id)
    }

    /// Prepares a known trip for the signals that it does not have.
    private mutating func beginAdding(_ trip: ImportedTrip, to id: Int64) throws {
        let first =
            try database.value(
                Int64.self, "SELECT start FROM trip WHERE id = ?", [id]) ?? trip.start.microseconds
        start = UTC(microseconds: min(first, trip.start.microseconds))
        if start.microseconds < first {
            try Self.begin(id, earlierBy: first - start.microseconds, in: database)
        }
        var had: Set<Had> = []
        let channels = try database.cursor(
            """
            SELECT ecu, service, identifier, signal FROM channel
                WHERE id IN (SELECT channel FROM trip_channel WHERE trip = ?)
            """, [id])
        while let row = try channels.next() {
            var record: DataID?
            if let service = try row["service"] as UInt8?,
                let identifier = try row["identifier"] as UInt32?
            {
                record = DataID(Service(service), identifier)
            }
            had.insert(Had(try row["ecu"], record, try row["signal"]))
        }
        let last = try database.value(
            Int64.self, "SELECT max(sequence) FROM reading WHERE trip = ?", [id])
        try database.execute(
            """
            CREATE TEMP TABLE IF NOT EXISTS undecoded (t, payload);
            DELETE FROM undecoded;
            """)
        self.had = had
        additions.append(ImportedAddition(trip: id))
        rows = RowWriter(
            addingTo: id, anchor: TimeAnchor(monotonic: .zero, utc: start), after: last ?? 0,
            table: table)
        row = try RowWriter.insertReading(in: database)
    }

    /// Moves the start of a trip, whose rows keep their UTC time.
    private static func begin(_ trip: Int64, earlierBy step: Int64, in database: Database) throws {
        // Two steps, because a row may not have the time of another one in between.
        let far: Int64 = 1 << 60
        for table in TripStore.timed {
            try database.execute(
                "UPDATE \(table) SET t = t + ? WHERE trip = ?", [step + far, trip])
            try database.execute("UPDATE \(table) SET t = t - ? WHERE trip = ?", [far, trip])
        }
        try database.execute(
            "UPDATE trip SET start = start - ?1, duration = duration + ?1 WHERE id = ?2",
            [step, trip])
    }

    /// The part of an entry that a known trip does not have; nil = it has all.
    ///
    /// A record that the trip has is left out, too: its bytes are stored, and decoding again finds all of its
    /// signals.
    private mutating func missing(_ entry: TripEntry, at time: UTC) throws -> TripEntry? {
        guard let had, case .items(let items) = entry else { return nil }
        var new: [DiagnosticItem] = []
        for item in items {
            switch item {
            case .message(let message):
                try database.execute(
                    "INSERT INTO undecoded VALUES (?, ?)",
                    [time.microseconds - start.microseconds, message.payload])
            case .reading(let reading):
                let signal = table[reading.signal].id
                if had.contains(Had(reading.ecu?.description, reading.dataID, signal)) { continue }
                additions[additions.count - 1].readings += 1
                additions[additions.count - 1].signals.insert(signal)
                new.append(item)
            case .code, .monitor, .monitorTest, .negativeResponse, .error: continue
            }
        }
        return new.isEmpty ? nil : .items(new)
    }

    /// Stores one entry of the current trip.
    public mutating func store(_ entry: TripEntry, at time: UTC) throws {
        guard row != nil else { return }
        var entry = entry
        if had != nil {
            guard let missing = try missing(entry, at: time) else { return }
            entry = missing
        }
        let passed = Duration.microseconds(time.microseconds &- start.microseconds)
        guard var statement = row else { return }
        try rows?.store(entry, at: .zero + passed, &statement, in: database)
        row = statement
    }

    /// Closes the current trip at its last entry.
    public mutating func end() throws {
        guard let trip = rows?.trip else { return }
        if had == nil {
            try rows?.storeFigures(in: database)
            try Trips.close(trip, .imported, in: database)
        } else {
            try endAdding(to: trip)
        }
        rows = nil
        row = nil
    }
}

extension TripImporter {
    /// Removes the answers that a table decodes now, and adds up the trip.
    private mutating func endAdding(to trip: Int64) throws {
        had = nil
        if additions.last?.readings == 0 {
            additions.removeLast()
            return
        }
        try database.execute(
            """
            DELETE FROM message WHERE trip = :trip AND NOT EXISTS (SELECT * FROM undecoded
                WHERE undecoded.t = message.t AND undecoded.payload = message.payload);
            UPDATE trip SET duration = max(duration,
                    (SELECT coalesce(max(t), 0) FROM reading WHERE trip = :trip))
                WHERE id = :trip;
            """, ["trip": trip])
        try TripFigures.addUp(trip, in: database)
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
