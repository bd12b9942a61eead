public import Diagnostics
import GRDB
import GRDBSQLite
public import OBDCore

/// The signals of a trip and what they add up to.
public struct TripSignal: Hashable, Sendable {
    /// Which readings of ``TripReadings/table`` are meant.
    public var signal: SignalIndex
    /// Who answered; nil where headers were off, and for the adapter's voltage.
    public var ecu: ECUAddress?
    /// The record; nil for the adapter's voltage.
    public var dataID: DataID?
    /// Freeze frame number.
    public var frame: UInt8?
    /// The code that froze the frame.
    public var dtc: DTC?
    /// Number of readings, with and without a value.
    public var readings: Int
    /// Smallest, largest and mean number; nil without any.
    public var minimum, maximum, mean: Double?
}

/// The readings of one trip, to be gone through once or often; nothing is loaded before.
///
/// Readings name their signals by ``table``, which holds them as the table of the trip's day
/// described them, one record a channel: it is for printing, not for decoding.
public struct TripReadings: Sendable {
    /// What to go through.
    public struct Selection: Hashable, Sendable {
        /// Not before this point.
        public var from: UTC?
        /// Not at or behind this point.
        public var to: UTC?
        /// Only these signals, by short name or name, case aside; empty = all.
        public var signals: [String] = []
        /// Only this ECU's.
        public var ecu: ECUAddress?
        /// Freeze frames too.
        public var includesFreezeFrames = true

        /// All readings; set what narrows them.
        public init() {}
    }

    /// The trip.
    public let trip: TripSummary
    /// The signals of the readings.
    public let table: PIDTable
    /// The signals that pass the selection, in the order in which they were first seen.
    public let signals: [TripSignal]

    let store: TripStore
    /// By channel number; what a reading of it has in common with all others.
    private let templates: [Int64: Reading]
    private let times: ClosedRange<Int64>
    private let isAll: Bool

    init(trip: TripSummary, selection: Selection, store: TripStore) throws(StoreError) {
        self.trip = trip
        self.store = store
        let start = trip.start.microseconds
        let from = selection.from?.microseconds.subtractingReportingOverflow(start).partialValue
        let to = selection.to?.microseconds.subtractingReportingOverflow(start).partialValue
        times = (from ?? .min)...Swift.max(from ?? .min, (to ?? .max) &- (to == nil ? 0 : 1))
        let channels = try store.read { try Self.channels(of: trip.id, in: $0) }
        var table = PIDTable()
        var signals: [TripSignal] = []
        var templates: [Int64: Reading] = [:]
        for channel in channels {
            let index = SignalIndex(rawValue: Int32(table.signals.count))
            table.add(
                channel.found.dataID ?? DataID(Service(0), 0), name: channel.signal.name,
                length: 0...0, signals: [channel.signal])
            guard Self.passes(channel, selection) else { continue }
            var found = channel.found
            found.signal = index
            signals.append(found)
            var template = Reading(
                ecu: found.ecu, dataID: found.dataID, signal: index, value: .flag(false),
                raw: [], line: 0)
            template.frame = found.frame
            template.dtc = found.dtc
            templates[channel.id] = template
        }
        self.table = table
        self.signals = signals
        self.templates = templates
        isAll = signals.count == channels.count
    }

    private struct Channel {
        var id: Int64
        var signal: Signal
        var found: TripSignal
    }

    private static func passes(_ channel: Channel, _ selection: Selection) -> Bool {
        if let ecu = selection.ecu, channel.found.ecu != ecu { return false }
        if !selection.includesFreezeFrames && channel.found.frame != nil { return false }
        if selection.signals.isEmpty { return true }
        let names = [channel.signal.id.lowercased(), channel.signal.name.lowercased()]
        return selection.signals.contains { names.contains($0.lowercased()) }
    }

    private static func channels(of trip: Int64, in database: Database) throws -> [Channel] {
        var labels: [Int64: [(code: UInt64, label: String)]] = [:]
        for row in try Row.fetchAll(
            database,
            sql: """
                SELECT channel, code, label FROM channel_label
                WHERE channel IN (SELECT channel FROM trip_channel WHERE trip = ?)
                ORDER BY channel, code
                """, arguments: [trip])
        {
            guard let code = UInt64(exactly: row["code"] as Int64) else { continue }
            labels[row["channel"], default: []].append((code, row["label"]))
        }
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT channel.*, readings, numbers, total, minimum, maximum FROM trip_channel
                    JOIN channel ON channel.id = trip_channel.channel
                WHERE trip = ? ORDER BY channel.id
                """, arguments: [trip])
        return rows.map { row in
            let id: Int64 = row["id"]
            let service: Int? = row["service"]
            let identifier: Int64? = row["identifier"]
            var dataID: DataID?
            if let service, let identifier {
                dataID = DataID(
                    Service(UInt8(truncatingIfNeeded: service)),
                    UInt32(truncatingIfNeeded: identifier))
            }
            let numbers: Int64 = row["numbers"]
            let total: Double = row["total"]
            let frame: Int? = row["frame"]
            let signal = Signal(
                id: row["signal"], name: row["name"], bitOffset: 0, bitLength: 0,
                kind: Signal.Kind(stored: row["kind"]) ?? .bytes, unit: row["unit"],
                labels: labels[id] ?? [])
            return Channel(
                id: id, signal: signal,
                found: TripSignal(
                    signal: SignalIndex(rawValue: -1),
                    ecu: (row["ecu"] as String?).flatMap { ECUAddress($0) }, dataID: dataID,
                    frame: frame.map { UInt8(truncatingIfNeeded: $0) },
                    dtc: (row["dtc"] as String?).flatMap { DTC($0) }, readings: row["readings"],
                    minimum: row["minimum"], maximum: row["maximum"],
                    mean: numbers > 0 ? total / Double(numbers) : nil))
        }
    }

    // MARK: Going through

    /// Calls `body` with every reading in the order of time; stops at the first error.
    public func forEach(
        _ body: (_ time: UTC, _ reading: borrowing Reading) throws -> Void
    ) throws {
        let start = trip.start.microseconds
        try forEachRow { row in
            guard row.isSelected else { return }
            try body(UTC(microseconds: start &+ row.t), row.reading)
        }
    }

    /// One row as SQLite gives it.
    struct Stored {
        var t: Int64 = 0
        var sequence: Int64 = 0
        /// Whether it passes the selection; others are gone through for their raw bytes.
        var isSelected = false
        var reading = Reading(
            ecu: nil, dataID: nil, signal: SignalIndex(rawValue: 0), value: .flag(false), raw: [],
            line: 0)
    }

    func forEachRow(_ body: (borrowing Stored) throws -> Void) throws {
        // Which of the two `WHERE`s: a list of channels is worth it only for part of them, and
        // without the first signal of a record its raw bytes must be looked up.
        let filter =
            isAll
            ? ""
            : " AND channel IN ("
                + templates.keys.sorted().map(String.init)
                .joined(separator: ",") + ")"
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
        // By channel number, so that a row costs no dictionary.
        let largest = Int(templates.keys.max() ?? 0)
        var byChannel = [Reading?](repeating: nil, count: largest + 1)
        for (channel, template) in templates { byChannel[Int(channel)] = template }
        let kinds = table.signals.map(\.kind)
        let isVIN = table.signals.map { $0.id == "VIN" }

        try store.queue.read { database in
            let statement = try database.cachedStatement(sql: sql)
            let handle = statement.sqliteStatement
            sqlite3_bind_int64(handle, 1, trip.id)
            sqlite3_bind_int64(handle, 2, times.lowerBound)
            sqlite3_bind_int64(handle, 3, times.upperBound)
            defer { sqlite3_reset(handle) }
            var row = Stored()
            var bytes = InlineBytes()
            while true {
                let result = sqlite3_step(handle)
                if result == SQLITE_DONE { break }
                guard result == SQLITE_ROW else {
                    throw DatabaseError(
                        resultCode: ResultCode(
                            rawValue: sqlite3_extended_errcode(database.sqliteConnection)),
                        message: database.lastErrorMessage)
                }
                row.t = sqlite3_column_int64(handle, 0)
                row.sequence = sqlite3_column_int64(handle, 1)
                let channel = Int(sqlite3_column_int64(handle, 2))
                if sqlite3_column_type(handle, 4) != SQLITE_NULL {
                    bytes = InlineBytes(
                        UnsafeRawBufferPointer(
                            start: sqlite3_column_blob(handle, 4),
                            count: Int(sqlite3_column_bytes(handle, 4))))
                }
                guard channel < byChannel.count, let template = byChannel[channel] else {
                    continue
                }
                row.isSelected = true
                row.reading = template
                row.reading.raw = bytes
                let index = Int(template.signal.rawValue)
                row.reading.value = Self.value(kinds[index], handle)
                if isVIN[index], case .text(let text) = row.reading.value {
                    row.reading.checkDigit = VIN(text)?.hasValidCheckDigit
                }
                try body(row)
            }
        }
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
            return .text(sqlite3_column_text(handle, 5).map { String(cString: $0) } ?? "")
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

extension TripStore {
    /// The readings of a trip that `selection` lets through.
    public func readings(
        ofTrip id: Int64, _ selection: TripReadings.Selection = .init()
    ) throws(StoreError) -> TripReadings {
        try TripReadings(trip: try trip(id), selection: selection, store: self)
    }
}
