public import Diagnostics
import Foundation
import GRDB
public import OBDCore

/// Any record of a trip.
public enum TripRecord: Hashable, Sendable {
    /// A reading, a monitor, a test result, a code or a message.
    case item(DiagnosticItem)
    /// An event, including refusals and decoding errors.
    case event(TripEvent)
    /// The user's note.
    case note(String)
    /// The vehicle's position.
    case position(Position)
    /// An ECU's answer to a request for its codes of a status.
    case codeList(ECUAddress?, CodeReport.Kind, codes: Int)
}

extension TripReadings {
    /// Whether the trip has any record at the times of the selection, of whatever signal.
    public func hasRecords() throws(StoreError) -> Bool {
        try store.read { database in
            try (["reading"] + OtherRecords.readers.map(\.table)).contains { table in
                try Bool.fetchOne(
                    database,
                    sql: """
                        SELECT EXISTS
                            (SELECT * FROM \(table) WHERE trip = ? AND t BETWEEN ? AND ?)
                        """, arguments: [trip.id, times.lowerBound, times.upperBound]) ?? false
            }
        }
    }

    /// Calls `body` with all records of the trip in the order of time; stops at the first error.
    ///
    /// The times of the selection apply to all records, its signals and ECU only to readings.
    public func forEachRecord(
        _ body: (_ time: UTC, _ record: TripRecord) throws -> Void
    ) throws {
        let start = trip.start.microseconds
        try store.reading { database in
            var others = try OtherRecords(trip: trip.id, times: times, in: database)
            try forEachRow(in: database) { row in
                while let next = try others.next(before: (row.t, row.sequence)) {
                    try body(UTC(microseconds: start &+ next.t), next.record)
                }
                try body(UTC(microseconds: start &+ row.t), .item(.reading(row.reading)))
            }
            while let next = try others.next(before: (.max, .max)) {
                try body(UTC(microseconds: start &+ next.t), next.record)
            }
        }
    }
}

/// All records of a trip except readings, merged from several tables in the order of their keys.
struct OtherRecords {
    struct Record {
        var t: Int64
        var sequence: Int64
        var record: TripRecord
    }

    private struct Source {
        var rows: RowCursor
        var read: (Row) -> TripRecord?
        var next: Record?

        mutating func advance() throws {
            next = nil
            while let row = try rows.next() {
                guard let record = read(row) else { continue }
                next = Record(t: row["t"], sequence: row["sequence"], record: record)
                return
            }
        }
    }

    private var sources: [Source] = []

    /// The tables except that of notes, whose times may be missing.
    fileprivate static var readers: [(table: String, read: (Row) -> TripRecord?)] {
        [
            ("monitor", monitor), ("monitor_test", monitorTest), ("code_report", code),
            ("code_list", codeList), ("message", message), ("event", event),
            ("position", position),
        ]
    }

    init(trip: Int64, times: ClosedRange<Int64>, in database: Database) throws {
        for reader in Self.readers {
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT * FROM \(reader.table) WHERE trip = ? AND t BETWEEN ? AND ?
                    ORDER BY t, sequence
                    """, arguments: [trip, times.lowerBound, times.upperBound])
            sources.append(Source(rows: rows, read: reader.read))
        }
        let notes = try Row.fetchCursor(
            database,
            sql: """
                SELECT coalesce(t, 0) AS t, 0 AS sequence, text FROM note
                WHERE trip = ? AND coalesce(t, 0) BETWEEN ? AND ? ORDER BY t, id
                """, arguments: [trip, times.lowerBound, times.upperBound])
        sources.append(Source(rows: notes, read: { .note($0["text"]) }))
        for place in sources.indices { try sources[place].advance() }
    }

    /// The next record whose key is smaller than `key`.
    mutating func next(before key: (t: Int64, sequence: Int64)) throws -> Record? {
        var best: Int?
        var bestKey = key
        for (place, source) in sources.enumerated() {
            guard let next = source.next, (next.t, next.sequence) < bestKey else { continue }
            best = place
            bestKey = (next.t, next.sequence)
        }
        guard let best else { return nil }
        let found = sources[best].next
        try sources[best].advance()
        return found
    }

    // MARK: Rows

    /// The positions or events of one table that meet a condition.
    static func rows(
        _ table: String, _ condition: String, _ arguments: StatementArguments, in database: Database
    ) throws -> [Record] {
        let isPosition = table == "position"
        let rows = try Row.fetchCursor(
            database, sql: "SELECT * FROM \(table) WHERE \(condition)", arguments: arguments)
        var records: [Record] = []
        while let row = try rows.next() {
            guard let record = isPosition ? position(row) : event(row) else { continue }
            records.append(Record(t: row["t"], sequence: row["sequence"], record: record))
        }
        return records
    }

    private static func ecu(_ row: Row) -> ECUAddress? {
        (row["ecu"] as String?).flatMap { ECUAddress($0) }
    }

    private static func monitor(_ row: Row) -> TripRecord? {
        guard let scope = MonitorStatus.Scope(rawValue: row["scope"]),
            let monitor = MonitorStatus.Monitor(rawValue: row["monitor"])
        else { return nil }
        return .item(
            .monitor(
                MonitorStatus(
                    ecu: ecu(row), scope: scope, monitor: monitor, supported: row["supported"],
                    complete: row["complete"], line: 0)))
    }

    private static func monitorTest(_ row: Row) -> TripRecord? {
        let raw: [UInt8] = (row["raw"] as Data?).map { Array($0) } ?? []
        guard row.holdsBytes("tid", "mid", "component", "uas"), let tid: UInt8 = row["tid"] else {
            return nil
        }
        var result = MonitorTestResult(
            ecu: ecu(row), tid: tid, raw: InlineBytes(raw), line: 0)
        result.mid = row["mid"]
        result.monitor = row["monitor"]
        result.test = row["test"]
        result.component = row["component"]
        result.uas = row["uas"]
        result.value = row["value"]
        result.min = row["minimum"]
        result.max = row["maximum"]
        result.unit = row["unit"]
        result.passed = row["passed"]
        return .item(.monitorTest(result))
    }

    private static func code(_ row: Row) -> TripRecord? {
        guard
            row.holdsBytes(
                "failure_type", "occurrences", "conversion", "status_byte", "severity", "lamps"),
            let kind = CodeReport.Kind(rawValue: row["kind"]),
            let code = CodeReport.Code(
                stored: row["code"], failureType: row["failure_type"],
                occurrences: row["occurrences"], conversionMethod: row["conversion"])
        else { return nil }
        var report = CodeReport(ecu: ecu(row), kind: kind, code: code, line: 0)
        report.statusByte = row["status_byte"]
        report.severity = row["severity"]
        report.lamps = (row["lamps"] as UInt8?).map { CodeReport.Lamps(packed: $0) }
        return .item(.code(report))
    }

    private static func codeList(_ row: Row) -> TripRecord? {
        guard let kind = CodeReport.Kind(rawValue: row["kind"]) else { return nil }
        return .codeList(ecu(row), kind, codes: row["codes"])
    }

    private static func position(_ row: Row) -> TripRecord? {
        var position = Position(latitude: row["latitude"], longitude: row["longitude"])
        position?.altitude = row["altitude"]
        position?.speed = row["speed"]
        position?.course = row["course"]
        position?.accuracy = row["accuracy"]
        position?.fixTime = (row["fix_time"] as Int64?).map { UTC(microseconds: $0) }
        return position.map { .position($0) }
    }

    private static func message(_ row: Row) -> TripRecord? {
        let payload: Data = row["payload"]
        let group = (row["pgn"] as Int64?).flatMap { UInt32(exactly: $0) }
        return .item(
            .message(
                ECUMessage(
                    ecu: ecu(row), payload: Array(payload), parameterGroup: group)))
    }

    private static func event(_ row: Row) -> TripRecord? {
        guard row.holdsBytes("service"), let kind = TripEvent.Kind(rawValue: row["kind"]) else {
            return nil
        }
        let service: UInt8? = row["service"]
        let duration: Int64? = row["duration"]
        return .event(
            TripEvent(
                kind, text: row["text"], ecu: ecu(row), service: service.map { Service($0) },
                code: row["code"], duration: duration.map { .microseconds($0) }))
    }
}

extension Row {
    /// Whether these columns hold bytes or nothing; in a damaged file they may hold any number.
    func holdsBytes(_ names: String...) -> Bool {
        names.allSatisfy { name in (self[name] as Int64?).map { UInt8(exactly: $0) != nil } ?? true
        }
    }
}
