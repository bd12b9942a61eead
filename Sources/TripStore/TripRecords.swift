public import Diagnostics
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
                try database.value(
                    Bool.self,
                    """
                    SELECT EXISTS
                        (SELECT * FROM \(table) WHERE trip = ? AND t BETWEEN ? AND ?)
                    """, [trip.id, times.lowerBound, times.upperBound]) ?? false
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
        var rows: Rows
        var read: (Row) throws -> TripRecord?
        var next: Record?

        mutating func advance() throws {
            next = nil
            while let row = try rows.next() {
                guard let record = try read(row) else { continue }
                next = try Record(t: row["t"], sequence: row["sequence"], record: record)
                return
            }
        }
    }

    private var sources: [Source] = []

    /// The tables except that of notes, whose times may be missing.
    fileprivate static var readers: [(table: String, read: (Row) throws -> TripRecord?)] {
        [
            ("monitor", monitor), ("monitor_test", monitorTest), ("code_report", code),
            ("code_list", codeList), ("message", message), ("event", event),
            ("position", position),
        ]
    }

    init(trip: Int64, times: ClosedRange<Int64>, in database: Database) throws {
        for reader in Self.readers {
            let rows = try database.cursor(
                """
                SELECT * FROM \(reader.table) WHERE trip = ? AND t BETWEEN ? AND ?
                ORDER BY t, sequence
                """, [trip, times.lowerBound, times.upperBound])
            sources.append(Source(rows: rows, read: reader.read))
        }
        let notes = try database.cursor(
            """
            SELECT coalesce(t, 0) AS t, 0 AS sequence, text FROM note
            WHERE trip = ? AND coalesce(t, 0) BETWEEN ? AND ? ORDER BY t, id
            """, [trip, times.lowerBound, times.upperBound])
        sources.append(Source(rows: notes, read: { .note(try $0["text"]) }))
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

    /// The rows of one table that meet a condition.
    static func rows(
        _ table: String, _ condition: String, _ arguments: Arguments, in database: Database
    ) throws -> [Record] {
        let like = HeldRows.tables.contains(table) ? table.dropFirst("held_".count) : table[...]
        guard let read = readers.first(where: { $0.table == like })?.read else { return [] }
        let rows = try database.cursor("SELECT * FROM \(table) WHERE \(condition)", arguments)
        var records: [Record] = []
        while let row = try rows.next() {
            guard let record = try read(row) else { continue }
            records.append(try Record(t: row["t"], sequence: row["sequence"], record: record))
        }
        return records
    }

    private static func ecu(_ row: Row) throws -> ECUAddress? {
        try row["ecu"]
    }

    private static func monitor(_ row: Row) throws -> TripRecord? {
        guard let scope = try row["scope"] as MonitorStatus.Scope?,
            let monitor = try row["monitor"] as MonitorStatus.Monitor?
        else { return nil }
        return .item(
            .monitor(
                try MonitorStatus(
                    ecu: ecu(row), scope: scope, monitor: monitor, supported: row["supported"],
                    complete: row["complete"], line: 0)))
    }

    private static func monitorTest(_ row: Row) throws -> TripRecord? {
        let raw: [UInt8] = try row["raw"] ?? []
        guard try row.holdsBytes("tid", "mid", "component", "uas"), let tid: UInt8 = try row["tid"]
        else {
            return nil
        }
        var result = try MonitorTestResult(
            ecu: ecu(row), tid: tid, raw: InlineBytes(raw), line: 0)
        result.mid = try row["mid"]
        result.monitor = try row["monitor"]
        result.test = try row["test"]
        result.component = try row["component"]
        result.uas = try row["uas"]
        result.value = try row["value"]
        result.min = try row["minimum"]
        result.max = try row["maximum"]
        result.unit = try row["unit"]
        result.passed = try row["passed"]
        return .item(.monitorTest(result))
    }

    private static func code(_ row: Row) throws -> TripRecord? {
        guard
            try row.holdsBytes(
                "failure_type", "occurrences", "conversion", "status_byte", "severity", "lamps"),
            let kind = try row["kind"] as CodeReport.Kind?,
            let code = try CodeReport.Code(
                stored: row["code"], failureType: row["failure_type"],
                occurrences: row["occurrences"], conversionMethod: row["conversion"])
        else { return nil }
        var report = try CodeReport(ecu: ecu(row), kind: kind, code: code, line: 0)
        report.statusByte = try row["status_byte"]
        report.severity = try row["severity"]
        report.lamps = try (row["lamps"] as UInt8?).map { CodeReport.Lamps(packed: $0) }
        return .item(.code(report))
    }

    private static func codeList(_ row: Row) throws -> TripRecord? {
        guard let kind = try row["kind"] as CodeReport.Kind? else { return nil }
        return try .codeList(ecu(row), kind, codes: row["codes"])
    }

    private static func position(_ row: Row) throws -> TripRecord? {
        var position = try Position(latitude: row["latitude"], longitude: row["longitude"])
        position?.altitude = try row["altitude"]
        position?.speed = try row["speed"]
        position?.course = try row["course"]
        position?.accuracy = try row["accuracy"]
        position?.fixTime = try row["fix_time"]
        return position.map { .position($0) }
    }

    private static func message(_ row: Row) throws -> TripRecord? {
        let payload: [UInt8] = try row["payload"]
        let group = try (row["pgn"] as Int64?).flatMap { UInt32(exactly: $0) }
        return .item(
            .message(
                try ECUMessage(
                    ecu: ecu(row), payload: payload, parameterGroup: group)))
    }

    private static func event(_ row: Row) throws -> TripRecord? {
        guard try row.holdsBytes("service"), let kind = try row["kind"] as TripEvent.Kind? else {
            return nil
        }
        let service: UInt8? = try row["service"]
        let duration: Int64? = try row["duration"]
        return try .event(
            TripEvent(
                kind, text: row["text"], ecu: ecu(row), service: service.map { Service($0) },
                code: row["code"], duration: duration.map { .microseconds($0) }))
    }
}

extension Row {
    /// Whether these columns hold bytes or nothing; in a damaged file they may hold any number.
    func holdsBytes(_ names: String...) throws -> Bool {
        try names.allSatisfy { name in
            (try self[name] as Int64?).map { UInt8(exactly: $0) != nil } ?? true
        }
    }
}
