public import Diagnostics
import OBDCore

/// The result of decoding a trip again.
public struct Redecoded: Hashable, Sendable {
    /// Records that the new table decoded.
    public var decoded = 0
    /// Formerly unknown messages that are readings now.
    public var found = 0
    /// Records that did not change.
    ///
    /// Their services need the whole message for decoding, or the new table does not contain them.
    public var kept = 0
    /// Signals whose readings changed, by short name.
    public var changes: [String: Change] = [:]

    /// The changes of a signal's readings.
    public struct Change: Hashable, Sendable {
        /// Readings with another value, or with a value instead of none.
        public var changed = 0
        /// New readings.
        public var added = 0
        /// Removed readings.
        public var removed = 0
        /// The first reading with another value.
        public var example: Example?
    }

    /// An old and a new value.
    public struct Example: Hashable, Sendable {
        /// The old value.
        public var before: String
        /// The new value.
        public var after: String
    }
}

/// A row of `reading` without conversion.
struct StoredRow {
    /// The reason why there is no number, or the text.
    enum Detail: Hashable {
        case text(String)
        case reason(Int64)
    }

    var t: Int64
    var sequence: Int64
    var channel: Int64
    var value: Double?
    var raw: [UInt8]?
    var detail: Detail?

    /// The value as text, for comparison and output.
    var text: String {
        switch detail {
        case .text(let text): text
        case .reason(let reason):
            Reading.Missing(stored: reason)?.rawValue ?? "none"
        case nil: Self.text(of: value ?? .nan)
        }
    }

    /// The same text for the value of a reading.
    static func text(of value: Reading.Value) -> String {
        switch value {
        case .number(let value): text(of: value)
        case .flag(let value): text(of: value ? 1 : 0)
        case .label(let code): text(of: Double(code))
        case .text(let text): text
        case .supportMap(let raw): text(of: Double(raw))
        case .missing(let reason, _): reason.rawValue
        }
    }

    private static func text(of value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? value.description
    }
}

extension TripStore {
    /// Decodes a trip's raw bytes again with another table; all or nothing.
    ///
    /// Only readings change. A record that the new table cannot decode keeps its old readings. If
    /// `keeps` is false, nothing is stored and the result only shows what would change.
    public func redecode(
        trip id: Int64, table: PIDTable, monitors: MonitorTables, keeps: Bool = true
    ) throws(StoreError) -> Redecoded {
        _ = try endedTrip(id)
        let old = try readings(ofTrip: id)
        return try write { database in
            var redecoder = Redecoder(old, table: table, monitors: monitors)
            try database.transaction(keeps: keeps) { try redecoder.run(in: database) }
            return redecoder.result
        }
    }
}

private struct Redecoder {
    private let old: TripReadings
    private let table: PIDTable
    private var rows: RowWriter
    private var decoder: ResponseDecoder
    private var decoded: [DiagnosticItem] = []
    private(set) var result = Redecoded()

    init(_ old: TripReadings, table: PIDTable, monitors: MonitorTables) {
        self.old = old
        self.table = table
        rows = RowWriter(trip: old.trip.id, anchor: old.trip.anchor, table: table)
        decoder = ResponseDecoder(table: table, monitors: monitors)
    }

    /// Collects new rows in a separate table, because the old ones are being read.
    mutating func run(in database: Database) throws {
        let trip = old.trip.id
        try database.execute(
            """
            CREATE TEMP TABLE redecoded (trip, t, sequence, channel, value, raw, detail);
            CREATE TEMP TABLE redecoded_message (t, sequence);
            """)
        var row = try RowStatement(
            "INSERT INTO redecoded VALUES (?, ?, ?, ?, ?, ?, ?)", in: database)
        let stored = try database.cursor(
            """
            SELECT t, sequence, channel, value, raw, detail, NULL AS ecu, NULL AS pgn,
                NULL AS payload FROM reading WHERE trip = ?1
            UNION ALL
            SELECT t, sequence, NULL, NULL, NULL, NULL, ecu, pgn, payload FROM message
                WHERE trip = ?1
            ORDER BY t, sequence
            """, [trip])
        var record: [StoredRow] = []
        while let next = try stored.next() {
            if let payload = try next["payload"] as [UInt8]? {
                try flush(&record, &row, in: database)
                try readMessage(next, payload, &row, in: database)
                continue
            }
            let found = try Self.storedRow(next)
            if found.raw != nil { try flush(&record, &row, in: database) }
            record.append(found)
        }
        try flush(&record, &row, in: database)
        try replace(in: database)
    }

    /// Records the differences between the old and the new readings.
    private mutating func compare(_ record: [StoredRow], with readings: [Reading]) {
        var before: [String: String] = [:]
        for row in record {
            guard let template = old.templates[row.channel] else { continue }
            before[old.table[template.signal].id] = row.text
        }
        for reading in readings {
            let signal = table[reading.signal].id
            let after = StoredRow.text(of: reading.value)
            guard let known = before.removeValue(forKey: signal) else {
                result.changes[signal, default: .init()].added += 1
                continue
            }
            guard known != after else { continue }
            result.changes[signal, default: .init()].changed += 1
            if result.changes[signal]?.example == nil {
                result.changes[signal]?.example = Redecoded.Example(before: known, after: after)
            }
        }
        for signal in before.keys { result.changes[signal, default: .init()].removed += 1 }
    }

    private mutating func replace(in database: Database) throws {
        try database.execute(
            """
            DELETE FROM reading WHERE trip = :trip;
            INSERT INTO reading SELECT * FROM redecoded ORDER BY trip, t, sequence;
            DELETE FROM message WHERE trip = :trip AND (t, sequence) IN redecoded_message;
            DROP TABLE redecoded;
            DROP TABLE redecoded_message;
            """, ["trip": old.trip.id])
        // The kept rows did not pass through a meter, so all totals are calculated again.
        try TripFigures.addUp(old.trip.id, in: database)
    }

    private static func storedRow(_ row: Row) throws -> StoredRow {
        var detail: StoredRow.Detail?
        switch try row["detail"] as SQLValue {
        case .text(let text): detail = .text(text)
        case .integer(let reason): detail = .reason(reason)
        case .null, .real, .blob: break
        }
        return try StoredRow(
            t: row["t"], sequence: row["sequence"], channel: row["channel"], value: row["value"],
            raw: row["raw"], detail: detail)
    }

    /// Writes a record's new readings, or its old ones if there are no new ones.
    private mutating func flush(
        _ record: inout [StoredRow], _ row: inout RowStatement, in database: Database
    ) throws {
        defer { record.removeAll(keepingCapacity: true) }
        guard let first = record.first else { return }
        if let template = old.templates[first.channel],
            var readings = Self.message(template, first.raw ?? []).flatMap({ decode($0) })
        {
            for index in readings.indices { readings[index].dtc = template.dtc }
            compare(record, with: readings)
            try write(readings, t: first.t, sequence: first.sequence, &row, in: database)
            result.decoded += 1
            return
        }
        for kept in record {
            rows.advance(to: kept.t, sequence: kept.sequence)
            try rows.keep(kept, &row, in: database)
        }
        result.kept += 1
    }

    private mutating func readMessage(
        _ stored: Row, _ payload: [UInt8], _ row: inout RowStatement, in database: Database
    ) throws {
        let t: Int64 = try stored["t"]
        let sequence: Int64 = try stored["sequence"]
        let message = try ECUMessage(
            ecu: stored["ecu"], payload: payload,
            parameterGroup: stored["pgn"])
        guard let readings = decode(message) else { return }
        compare([], with: readings)
        try write(readings, t: t, sequence: sequence, &row, in: database)
        try database.execute("INSERT INTO redecoded_message VALUES (?, ?)", [t, sequence])
        result.found += 1
    }

    private mutating func write(
        _ readings: [Reading], t: Int64, sequence: Int64, _ row: inout RowStatement,
        in database: Database
    ) throws {
        rows.advance(to: t, sequence: sequence)
        var previous: Reading?
        for reading in readings {
            let shares = previous.map { RowWriter.isSameRecord($0, reading) } ?? false
            try rows.store(reading, sharesRaw: shares, t: t, &row, in: database)
            previous = reading
        }
    }

    /// The readings of a message; nil if it contains anything else or an error.
    private mutating func decode(_ message: ECUMessage) -> [Reading]? {
        decoded.removeAll(keepingCapacity: true)
        let family: VehicleProtocol.Family? = message.parameterGroup == nil ? nil : .j1939
        decoder.decode(message, in: Exchange(family: family), &decoded)
        var readings: [Reading] = []
        for item in decoded {
            switch item {
            case .reading(let reading): readings.append(reading)
            // These are stored in their own tables, and no signal table changes them.
            case .monitor: continue
            case .monitorTest, .code, .negativeResponse, .message, .error: return nil
            }
        }
        return readings.isEmpty ? nil : readings
    }

    /// The message that contained a record; nil for services whose answers contain more than
    /// records.
    private static func message(_ template: Reading, _ raw: [UInt8]) -> ECUMessage? {
        guard let id = template.dataID, !raw.isEmpty else { return nil }
        let low = UInt8(truncatingIfNeeded: id.id)
        switch id.service {
        case .currentData, .readLocalData:
            return ECUMessage(
                ecu: template.ecu, payload: [id.service.positiveResponse, low] + raw)
        case .freezeFrame:
            guard let frame = template.frame else { return nil }
            return ECUMessage(ecu: template.ecu, payload: [0x42, low, frame] + raw)
        case .readData:
            let high = UInt8(truncatingIfNeeded: id.id >> 8)
            return ECUMessage(ecu: template.ecu, payload: [0x62, high, low] + raw)
        case DataID.parameterGroups:
            return ECUMessage(ecu: template.ecu, payload: raw, parameterGroup: id.id)
        default: return nil
        }
    }
}
