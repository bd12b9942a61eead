import Glibc
public import OBDCore
import SystemIO

/// Records which data of a trip database was delivered to which sink, in a separate file next to
/// it.
///
/// A delivering process only reads the trip database, so that a recording never waits for it. If
/// this file is lost, everything is delivered again.
public final class DeliveryStore: Sendable {
    /// Identifies a trip; the number alone could mean another trip in another database.
    public struct TripKey: Hashable, Sendable {
        /// The trip's number.
        public var trip: Int64
        /// When the trip began.
        public var start: UTC

        /// A trip by number and beginning.
        public init(trip: Int64, start: UTC) {
            self.trip = trip
            self.start = start
        }

        /// A trip.
        public init(_ trip: TripSummary) { self.init(trip: trip.id, start: trip.start) }
    }

    /// The names under which a trip is delivered; a repeated delivery uses the same ones.
    public struct Identity: Hashable, Sendable {
        /// The vehicle's name in the sink.
        public var vehicle: String
        /// The VIN; nil if it is unknown.
        public var vin: String?

        /// An identity with these names.
        public init(vehicle: String, vin: String?) {
            self.vehicle = vehicle
            self.vin = vin
        }
    }

    /// How far a trip was delivered.
    public struct Progress: Hashable, Sendable {
        /// The names of the trip.
        public var identity: Identity
        /// The cursor in each table.
        public var cursors: [TripTail.Table: TripCursor] = [:]
        /// The trip's number of readings when all of it had been delivered; nil = data was left.
        public var settled: Int?

        /// No data was delivered yet.
        public init(identity: Identity) { self.identity = identity }
    }

    /// A line that a server refused.
    public struct Refusal: Hashable, Sendable {
        /// The number of the refusal.
        public var id: Int64
        /// The trip of the line.
        public var key: TripKey
        /// When the server refused it.
        public var time: UTC
        /// The line as it was sent.
        public var payload: [UInt8]
        /// The server's error message.
        public var reason: String
    }

    /// The state of a sink.
    public struct Sink: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Its address, without secrets.
        public var target: String
        /// When it last accepted data.
        public var acknowledged: UTC?
        /// The number of refused lines.
        public var refused: Int
        /// The last error; nil = none since it last accepted data.
        public var fault: String?
        /// When the error happened.
        public var faultTime: UTC?
        /// Whether a process delivers to it at present.
        public var isActive: Bool

        init(
            name: String, target: String, acknowledged: UTC?, refused: Int, fault: String?,
            faultTime: UTC?, isActive: Bool
        ) {
            self.name = name
            self.target = target
            self.acknowledged = acknowledged
            self.refused = refused
            self.fault = fault
            self.faultTime = faultTime
            self.isActive = isActive
        }

        /// A sink to which nothing was ever delivered.
        public init(name: String, target: String) {
            self.init(
                name: name, target: target, acknowledged: nil, refused: 0, fault: nil,
                faultTime: nil, isActive: false)
        }
    }

    /// The path of this file for a trip database: `obdscan.db` has `obdscan.publish.db`.
    public static func path(of database: String) -> String {
        (database.hasSuffix(".db") ? String(database.dropLast(3)) : database) + ".publish.db"
    }

    /// The number of refused lines to keep for each sink; the rest is only counted.
    static let mostRefusals = 10_000
    private static let applicationID: Int32 = 0x4F42_4450  // OBDP

    /// The file.
    public let path: String
    private let queue: Connection
    private let canWrite: Bool

    /// Whether the disk has no room for the file, so that everything that is noted is lost with the process.
    public let isInMemory: Bool

    /// Opens the file; with `readWrite` it is created if missing.
    ///
    /// - Parameter orInMemory: on a full disk, continue in memory with what the file holds.
    public init(
        path: String, access: TripStore.Access, orInMemory: Bool = false
    ) throws(StoreError) {
        self.path = path
        canWrite = access == .readWrite
        if !canWrite, Glibc.access(path, F_OK) != 0 { throw .unseen(path) }
        do throws(StoreError) {
            queue = try Self.opened(path, canWrite: canWrite)
            isInMemory = false
        } catch {
            guard orInMemory, error.isFullDisk else { throw error }
            queue = try Self.copied(from: path)
            isInMemory = true
        }
    }

    private static func opened(_ path: String, canWrite: Bool) throws(StoreError) -> Connection {
        if canWrite { try TripStore.createFile(path) }
        do {
            let queue = try Connection(
                path, .init(isReadOnly: !canWrite, patience: .seconds(3)), prepare: limit)
            try queue.access { database in
                // A power cut may reset cursors; the sink then receives the same data again.
                if canWrite { try database.execute("PRAGMA synchronous = NORMAL") }
                try prepare(database, path, canWrite: canWrite)
                // A full disk shows itself before anything is sent.
                if canWrite { try database.execute("PRAGMA user_version = 1") }
            }
            return queue
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// A database in memory with what the file at `path` holds, as far as it can be read.
    private static func copied(from path: String) throws(StoreError) -> Connection {
        do {
            let queue = try Connection(prepare: limit)
            let name = ReadOnlyPlace.nameWithoutHelp(path)
            let source = try? Connection(name, .init(isReadOnly: true, isName: true)) { database in
                try limit(database)
                if ReadOnlyPlace.isExclusive(name) {
                    try database.execute("PRAGMA locking_mode = EXCLUSIVE")
                }
            }
            try? source?.backup(to: queue)
            try? source?.close()
            try queue.access { try prepare($0, path, canWrite: true) }
            return queue
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func limit(_ database: Database) throws {
        try database.execute("PRAGMA trusted_schema = OFF")
        database.setLargestValue(64 << 20)
    }

    private static func prepare(_ database: Database, _ path: String, canWrite: Bool) throws {
        let state = (
            try database.value(Int32.self, "PRAGMA application_id") ?? 0,
            try database.value(Int.self, "SELECT count(*) FROM sqlite_schema") ?? 0
        )
        if state.0 == applicationID { return }
        guard state == (0, 0) else { throw StoreError.foreign(path: path) }
        guard canWrite else { throw StoreError.empty(path: path) }
        try database.execute("PRAGMA journal_mode = WAL")
        try database.transaction { try database.execute(schema) }
    }

    private static let schema = """
        PRAGMA application_id = \(applicationID);
        CREATE TABLE IF NOT EXISTS sink (
            name TEXT PRIMARY KEY, target TEXT NOT NULL, acknowledged INTEGER,
            refused INTEGER NOT NULL DEFAULT 0, fault TEXT, fault_time INTEGER, owner TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS delivery (
            sink TEXT NOT NULL REFERENCES sink ON DELETE CASCADE, trip INTEGER NOT NULL,
            start INTEGER NOT NULL, vehicle TEXT NOT NULL, vin TEXT, settled INTEGER,
            PRIMARY KEY (sink, trip, start)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS cursor (
            sink TEXT NOT NULL, trip INTEGER NOT NULL, start INTEGER NOT NULL,
            records TEXT NOT NULL, t INTEGER NOT NULL, sequence INTEGER NOT NULL,
            late INTEGER NOT NULL, handed INTEGER NOT NULL,
            PRIMARY KEY (sink, trip, start, records),
            FOREIGN KEY (sink, trip, start) REFERENCES delivery ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS refusal (
            id INTEGER PRIMARY KEY AUTOINCREMENT, sink TEXT NOT NULL REFERENCES sink ON DELETE CASCADE,
            trip INTEGER NOT NULL, start INTEGER NOT NULL, time INTEGER NOT NULL,
            payload TEXT NOT NULL, reason TEXT NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS refusal_by_sink ON refusal (sink);
        CREATE TABLE IF NOT EXISTS component (
            sink TEXT NOT NULL REFERENCES sink ON DELETE CASCADE, vehicle TEXT NOT NULL,
            id TEXT NOT NULL, platform TEXT NOT NULL, PRIMARY KEY (sink, vehicle, id)
        ) STRICT, WITHOUT ROWID;
        """

    private func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do { return try queue.read(body) } catch { throw StoreError(error, path: path) }
    }

    private func write(_ body: (Database) throws -> Void) throws(StoreError) {
        do {
            try queue.access { database in
                try database.transaction { try body(database) }
            }
        } catch { throw StoreError(error, path: path) }
    }

    // MARK: Sinks

    /// Claims a sink for this process.
    ///
    /// - Throws: `locked`, if another running process has claimed it.
    public func claim(_ sink: String, target: String) throws(StoreError) {
        let own = WriterIdentity.current()?.text
        try write { database in
            let owner = try database.value(
                String.self, "SELECT owner FROM sink WHERE name = ?", [sink])
            if let owner, owner != own, WriterIdentity(text: owner).isAlive {
                throw StoreError.locked(path: path)
            }
            try database.execute(
                """
                INSERT INTO sink (name, target, owner) VALUES (?1, ?2, ?3)
                ON CONFLICT DO UPDATE SET target = ?2, owner = ?3
                """, [sink, target, own])
        }
    }

    /// Releases a sink.
    public func release(_ sink: String) throws(StoreError) {
        try write {
            try $0.execute(
                "UPDATE sink SET owner = NULL WHERE name = ? AND owner = ?",
                [sink, WriterIdentity.current()?.text])
        }
    }

    /// All sinks by name.
    public func sinks() throws(StoreError) -> [Sink] {
        try read { database in
            try database.rows("SELECT * FROM sink ORDER BY name").map { row in
                let owner: String? = try row["owner"]
                return try Sink(
                    name: row["name"], target: row["target"],
                    acknowledged: row["acknowledged"],
                    refused: row["refused"], fault: row["fault"],
                    faultTime: row["fault_time"],
                    isActive: owner.map { WriterIdentity(text: $0).isAlive } ?? false)
            }
        }
    }

    /// Records an error of a sink.
    public func note(fault: String, of sink: String, at time: UTC) throws(StoreError) {
        try write {
            try $0.execute(
                "UPDATE sink SET fault = ?, fault_time = ? WHERE name = ?",
                [fault, time.microseconds, sink])
        }
    }

    /// Records that a sink works, and that it took data that has no cursor.
    public func note(acceptedBy sink: String, at time: UTC) throws(StoreError) {
        try write {
            try $0.execute(
                """
                UPDATE sink SET acknowledged = ?, fault = NULL, fault_time = NULL WHERE name = ?
                """, [time.microseconds, sink])
        }
    }

    /// Whether any trip was ever delivered to a sink; a broker may get only states.
    public func hasTrips(of sink: String) throws(StoreError) -> Bool {
        try read {
            try $0.value(
                Bool.self, "SELECT EXISTS (SELECT 1 FROM delivery WHERE sink = ?)",
                [sink]) ?? false
        }
    }

    /// Forgets a sink with its cursors and refusals; false if the sink is unknown.
    public func forget(_ sink: String) throws(StoreError) -> Bool {
        var found = false
        try write { database in
            try database.execute("DELETE FROM sink WHERE name = ?", [sink])
            found = database.changesCount > 0
        }
        return found
    }

    // MARK: Cursors

    /// How far each trip was delivered to a sink.
    public func progress(of sink: String) throws(StoreError) -> [TripKey: Progress] {
        try read { database in
            var found: [TripKey: Progress] = [:]
            func key(_ row: Row) throws -> TripKey {
                try TripKey(trip: row["trip"], start: row["start"])
            }
            for row in try database.rows("SELECT * FROM delivery WHERE sink = ?", [sink]) {
                var progress = try Progress(
                    identity: Identity(vehicle: row["vehicle"], vin: row["vin"]))
                progress.settled = try row["settled"]
                found[try key(row)] = progress
            }
            for row in try database.rows("SELECT * FROM cursor WHERE sink = ?", [sink]) {
                guard let table = try row["records"] as TripTail.Table? else { continue }
                var cursor = TripCursor()
                cursor.t = try row["t"]
                cursor.sequence = try row["sequence"]
                cursor.late = try row["late"]
                cursor.rows = try row["handed"]
                found[try key(row)]?.cursors[table] = cursor
            }
            return found
        }
    }

    /// Fixes the names of a trip before any of its data is sent.
    public func begin(_ key: TripKey, _ identity: Identity, to sink: String) throws(StoreError) {
        try write {
            try $0.execute(
                """
                INSERT OR IGNORE INTO delivery (sink, trip, start, vehicle, vin)
                VALUES (?, ?, ?, ?, ?)
                """,
                [
                    sink, key.trip, key.start.microseconds, identity.vehicle, identity.vin,
                ])
        }
    }

    /// Records the data that a sink accepted, and the lines of it that it refused.
    public func acknowledge(
        _ key: TripKey, _ table: TripTail.Table, _ cursor: TripCursor,
        refused: [(payload: [UInt8], reason: String)] = [], uncounted: Int = 0, by sink: String,
        at time: UTC
    ) throws(StoreError) {
        try write { database in
            try database.executeCached(
                """
                INSERT OR REPLACE INTO cursor
                    (sink, trip, start, records, t, sequence, late, handed)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    sink, key.trip, key.start.microseconds, table.rawValue, cursor.t,
                    cursor.sequence, cursor.late, cursor.rows,
                ])
            try database.executeCached(
                """
                UPDATE sink SET acknowledged = ?, fault = NULL, fault_time = NULL,
                    refused = refused + ? WHERE name = ?
                """, [time.microseconds, refused.count + uncounted, sink])
            if refused.isEmpty { return }
            for (payload, reason) in refused {
                try database.execute(
                    """
                    INSERT INTO refusal (sink, trip, start, time, payload, reason)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                    [
                        sink, key.trip, key.start.microseconds, time.microseconds,
                        String(decoding: payload, as: UTF8.self), reason,
                    ])
            }
            try database.execute(
                """
                DELETE FROM refusal WHERE sink = ?1 AND id <= (SELECT max(id) FROM refusal
                    WHERE sink = ?1) - ?2
                """, [sink, Self.mostRefusals])
        }
    }

    /// Records that all readings of a trip were delivered.
    public func settle(_ key: TripKey, readings: Int, for sink: String) throws(StoreError) {
        try write {
            try $0.execute(
                """
                UPDATE delivery SET settled = ? WHERE sink = ? AND trip = ? AND start = ?
                """, [readings, sink, key.trip, key.start.microseconds])
        }
    }

    /// Restarts the delivery of a trip from its beginning.
    public func rewind(_ key: TripKey, for sink: String) throws(StoreError) {
        try write {
            try $0.execute(
                "DELETE FROM delivery WHERE sink = ? AND trip = ? AND start = ?",
                [sink, key.trip, key.start.microseconds])
        }
    }

    // MARK: Home Assistant

    /// The entities that were ever announced to Home Assistant: identifier and platform.
    public func components(
        of vehicle: String, sink: String
    ) throws(StoreError) -> [String: String] {
        try read { database in
            let rows = try database.rows(
                "SELECT id, platform FROM component WHERE sink = ? AND vehicle = ?",
                [sink, vehicle])
            return Dictionary(try rows.map { (try $0["id"], try $0["platform"]) }) { $1 }
        }
    }

    /// The vehicles that were announced to Home Assistant.
    public func announcedVehicles(sink: String) throws(StoreError) -> [String] {
        try read {
            try $0.values(
                String.self,
                "SELECT DISTINCT vehicle FROM component WHERE sink = ? ORDER BY vehicle",
                [sink])
        }
    }

    /// Records the entities that are announced to Home Assistant.
    public func keep(
        components: [String: String], of vehicle: String, sink: String
    ) throws(StoreError) {
        try write { database in
            for (id, platform) in components {
                try database.execute(
                    "INSERT OR REPLACE INTO component VALUES (?, ?, ?, ?)",
                    [sink, vehicle, id, platform])
            }
        }
    }

    /// Forgets the entities of a vehicle that Home Assistant has no more.
    public func forgetComponents(of vehicle: String, sink: String) throws(StoreError) {
        try write {
            try $0.execute(
                "DELETE FROM component WHERE sink = ? AND vehicle = ?",
                [sink, vehicle])
        }
    }

    // MARK: Refusals

    /// The lines that a sink refused, the oldest first.
    public func refusals(of sink: String) throws(StoreError) -> [Refusal] {
        try read { database in
            try database.rows(
                "SELECT * FROM refusal WHERE sink = ? ORDER BY id",
                [sink]
            ).map { row in
                let text: String = try row["payload"]
                return try Refusal(
                    id: row["id"],
                    key: TripKey(trip: row["trip"], start: row["start"]),
                    time: row["time"], payload: Array(text.utf8),
                    reason: row["reason"])
            }
        }
    }

    /// Removes refusals that the sink has accepted later.
    public func removeRefusals(_ ids: [Int64], of sink: String) throws(StoreError) {
        try write { database in
            for id in ids {
                try database.execute("DELETE FROM refusal WHERE id = ?", [id])
            }
            try database.execute(
                "UPDATE sink SET refused = max(0, refused - ?) WHERE name = ?",
                [ids.count, sink])
        }
    }
}
