import Diagnostics
import OBDCore

/// Rows of rare kinds: each has its own statement, prepared when needed.
extension RowWriter {
    mutating func store(
        _ monitor: MonitorStatus, t: Int64, in database: Database
    ) throws {
        var row = try RowStatement(
            """
            INSERT INTO monitor (trip, t, sequence, ecu, scope, monitor, supported, complete)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, in: database)
        bindKey(&row, t: t, monitor.ecu)
        row.bind(monitor.scope.rawValue)
        row.bind(monitor.monitor.rawValue)
        row.bind(monitor.supported)
        row.bind(monitor.complete)
        try row.run()
    }

    mutating func store(
        _ result: MonitorTestResult, t: Int64, in database: Database
    ) throws {
        var row = try RowStatement(
            """
            INSERT INTO monitor_test (trip, t, sequence, ecu, mid, monitor, tid, test, component,
                uas, value, minimum, maximum, unit, passed, raw)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: database)
        bindKey(&row, t: t, result.ecu)
        row.bind(result.mid)
        row.bind(result.monitor)
        row.bind(result.tid)
        row.bind(result.test)
        row.bind(result.component)
        row.bind(result.uas)
        row.bind(result.value)
        row.bind(result.min)
        row.bind(result.max)
        row.bind(result.unit)
        row.bind(result.passed)
        row.bind(blob: result.raw)
        try row.run()
    }

    mutating func store(_ report: CodeReport, t: Int64, in database: Database) throws {
        var row = try RowStatement(
            """
            INSERT INTO code_report (trip, t, sequence, ecu, kind, code, failure_type, status_byte,
                severity, occurrences, conversion, lamps)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: database)
        bindKey(&row, t: t, report.ecu)
        row.bind(report.kind.rawValue)
        row.bind(report.code.text)
        switch report.code {
        case .dtc(let code):
            row.bind(code.failureType)
            row.bind(report.statusByte)
            row.bind(report.severity)
            row.bindNull()
            row.bindNull()
        case .j1939(let code):
            row.bindNull()
            row.bind(report.statusByte)
            row.bind(report.severity)
            row.bind(code.occurrenceCount < 127 ? code.occurrenceCount : nil)
            row.bind(code.conversionMethod)
        }
        row.bind(report.lamps?.packed)
        try row.run()
    }

    /// Stores the number of codes with a status that an ECU reported.
    mutating func store(
        codes: Int, _ kind: CodeReport.Kind, of ecu: ECUAddress?, t: Int64, in database: Database
    ) throws {
        var row = try RowStatement(
            """
            INSERT INTO code_list (trip, t, sequence, ecu, kind, codes)
            VALUES (?, ?, ?, ?, ?, ?)
            """, in: database)
        bindKey(&row, t: t, ecu)
        row.bind(kind.rawValue)
        row.bind(Int64(codes))
        try row.run()
    }

    mutating func store(_ message: ECUMessage, t: Int64, in database: Database) throws {
        var row = try RowStatement(
            """
            INSERT INTO message (trip, t, sequence, ecu, pgn, payload) VALUES (?, ?, ?, ?, ?, ?)
            """, in: database)
        bindKey(&row, t: t, message.ecu)
        row.bind(message.parameterGroup.map { Int64($0) })
        row.bind(blob: message.payload)
        try row.run()
    }

    mutating func store(
        _ event: TripEvent, t: Int64, in database: Database, isHeld: Bool = false
    ) throws {
        let sql: StaticString =
            isHeld
            ? """
            INSERT INTO held_event (trip, t, sequence, ecu, kind, service, code, duration, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
            : """
            INSERT INTO event (trip, t, sequence, ecu, kind, service, code, duration, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        var row = try RowStatement(sql, in: database)
        bindKey(&row, t: t, isHeld: isHeld)
        row.bind(event.ecu?.description)
        row.bind(event.kind.rawValue)
        row.bind(event.service?.rawValue)
        row.bind(event.code)
        row.bind(event.duration.map { max(0, $0.nanoseconds / 1000) })
        row.bind(event.text)
        try row.run()
    }

    mutating func store(
        _ position: Position, t: Int64, in database: Database, isHeld: Bool = false
    ) throws {
        let sql: StaticString =
            isHeld
            ? """
            INSERT INTO held_position (trip, t, sequence, latitude, longitude, altitude, speed,
                course, accuracy, fix_time)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
            : """
            INSERT INTO position (trip, t, sequence, latitude, longitude, altitude, speed, course,
                accuracy, fix_time)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        var row = try RowStatement(sql, in: database)
        bindKey(&row, t: t, isHeld: isHeld)
        row.bind(position.latitude)
        row.bind(position.longitude)
        row.bind(position.altitude)
        row.bind(position.speed)
        row.bind(position.course)
        row.bind(position.accuracy)
        row.bind(position.fixTime?.microseconds)
        try row.run()
    }
}
