public import Diagnostics
import GRDB
import GRDBSQLite
public import OBDCore

extension TripReadings {
    /// Calls `body` with every reading in the order of time; stops at the first error.
    public func forEach(
        _ body: (_ time: UTC, _ reading: borrowing Reading) throws -> Void
    ) throws {
        let start = trip.start.microseconds
        try store.reading { database in
            try forEachRow(in: database) { row in
                try body(UTC(microseconds: start &+ row.t), row.reading)
            }
        }
    }

    /// One row from SQLite.
    struct Stored {
        var t: Int64 = 0
        var sequence: Int64 = 0
        var reading = Reading(
            ecu: nil, dataID: nil, signal: SignalIndex(rawValue: 0), value: .flag(false), raw: [],
            line: 0)
    }

    func forEachRow(
        in database: Database, _ body: (borrowing Stored) throws -> Void
    ) throws {
        // Without the first signal of a record, its raw bytes must be looked up.
        let channels = templates.keys.sorted().map(String.init).joined(separator: ",")
        let filter = isAll ? "" : " AND channel IN (\(channels))"
        let raw =
            isAll
            ? "raw"
            : """
            coalesce(raw, (SELECT f.raw FROM reading AS f WHERE f.trip = r.trip AND f.t = r.t
                AND f.sequence < r.sequence AND f.raw IS NOT NULL
                ORDER BY f.sequence DESC LIMIT 1))
            """
        let sql = """
            SELECT t, sequence, channel, value, \(raw), detail FROM reading AS r
            WHERE trip = ? AND t BETWEEN ? AND ?\(filter) ORDER BY t, sequence
            """
        try scan(sql, [trip.id, times.lowerBound, times.upperBound], in: database) {
            try body($0)
            return true
        }
    }

    /// Calls `body` with the rows of a statement that selects t, sequence, channel, value, raw, detail,
    /// until it returns false.
    func scan(
        _ sql: String, _ arguments: [Int64], in database: Database,
        _ body: (borrowing Stored) throws -> Bool
    ) throws {
        // Indexed by channel number, so that a row needs no dictionary access.
        let largest = Int(templates.keys.max() ?? 0)
        guard largest < 10_000_000 else {
            throw StoreError.damaged(path: store.path, message: "channel \(largest)")
        }
        var places = [Int](repeating: -1, count: largest + 1)
        // One row per channel, because most of a reading is the same in all rows of a channel.
        var rows = [Stored](repeating: Stored(), count: table.signals.count)
        for (channel, template) in templates {
            let place = Int(template.signal.rawValue)
            places[Int(channel)] = place
            rows[place].reading = template
        }
        let kinds = table.signals.map(\.kind)
        let isVIN = table.signals.map { $0.id == "VIN" }

        let statement = try database.cachedStatement(sql: sql)
        let handle = statement.sqliteStatement
        for (index, argument) in arguments.enumerated() {
            sqlite3_bind_int64(handle, Int32(index + 1), argument)
        }
        defer { sqlite3_reset(handle) }
        var bytes = InlineBytes()
        while try database.step(handle) {
            let channel = Int(sqlite3_column_int64(handle, 2))
            if sqlite3_column_type(handle, 4) != SQLITE_NULL {
                bytes = Self.blob(handle, 4)
            }
            guard places.indices.contains(channel), places[channel] >= 0 else { continue }
            let place = places[channel]
            rows[place].t = sqlite3_column_int64(handle, 0)
            rows[place].sequence = sqlite3_column_int64(handle, 1)
            rows[place].reading.raw = bytes
            rows[place].reading.value = Self.value(kinds[place], handle)
            if isVIN[place] {
                rows[place].reading.checkDigit =
                    if case .text(let text) = rows[place].reading.value {
                        VIN(text)?.hasValidCheckDigit
                    } else {
                        nil
                    }
            }
            guard try body(rows[place]) else { return }
        }
    }

    @inline(__always)
    private static func blob(_ handle: OpaquePointer, _ column: Int32) -> InlineBytes {
        let blob = UnsafeRawBufferPointer(
            start: sqlite3_column_blob(handle, column),
            count: Int(sqlite3_column_bytes(handle, column)))
        var bytes = InlineBytes()
        for byte in blob { bytes.append(byte) }
        return bytes
    }

    @inline(__always)
    private static func value(_ kind: Signal.Kind, _ handle: OpaquePointer) -> Reading.Value {
        switch sqlite3_column_type(handle, 5) {
        case SQLITE_NULL: break
        case SQLITE_INTEGER:
            let code: UInt64? =
                sqlite3_column_type(handle, 3) == SQLITE_NULL
                ? nil : UInt64(exactly: sqlite3_column_double(handle, 3))
            let reason = Reading.Missing(stored: sqlite3_column_int64(handle, 5))
            return .missing(reason ?? .undefined, code: code)
        default:
            let text = UnsafeBufferPointer(
                start: sqlite3_column_text(handle, 5), count: Int(sqlite3_column_bytes(handle, 5)))
            return .text(String(decoding: text, as: UTF8.self))
        }
        let number = sqlite3_column_double(handle, 3)
        switch kind {
        case .number: return .number(number)
        case .flag: return .flag(number != 0)
        case .enumeration:
            return UInt64(exactly: number).map { .label(code: $0) } ?? .number(number)
        case .supportMap:
            return UInt32(exactly: number).map { .supportMap(raw: $0) } ?? .number(number)
        case .code, .text, .bytes: return .number(number)
        }
    }
}
