import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import TripStore

/// Writes trips in the formats of `export`.
package struct TripFileWriter {
    package let parts: [TripReadings]
    let units: UnitSystem
    /// Called with the finished share, 0 to 1.
    package let progress: (Double) -> Void
    /// Whether only some signals were selected, so that only readings are written.
    package let isNarrowed: Bool
    /// Only data of this ECU; nil = all.
    package let ecu: ECUAddress?
    package private(set) var counts = Counts()
    /// Whether the table becomes a sheet, whose times have no zone.
    private var isSheet = false

    /// Counts of the data in a file.
    package struct Counts: Hashable, Sendable {
        package var trips = 0
        package var readings = 0
        package var positions = 0
        /// Number of positions in the rows of a table.
        package var rowPositions = 0
        /// Number of notes with a position.
        package var notes = 0

        package init() {}

        package init(trips: [TripSummary]) {
            self.trips = trips.count
            readings = trips.reduce(0) { $0 + $1.readings }
        }

        /// The counts for people; readings of a track are not counted separately.
        package var text: String {
            var parts = [counted(trips, "trip")]
            parts.append(
                positions > 0
                    ? counted(positions, "position") : counted(readings, "reading"))
            if rowPositions > 0 { parts.append(counted(rowPositions, "position")) }
            if notes > 0 { parts.append(counted(notes, "note")) }
            return parts.joined(separator: ", ")
        }
    }

    /// A writer that has not written anything yet.
    package init(
        parts: [TripReadings], units: UnitSystem, progress: @escaping (Double) -> Void,
        isNarrowed: Bool,
        ecu: ECUAddress?
    ) {
        self.parts = parts
        self.units = units
        self.progress = progress
        self.isNarrowed = isNarrowed
        self.ecu = ecu
    }

    // MARK: CSV

    package mutating func writeCSV(_ form: TripTableForm, _ file: inout TextOutput) throws {
        if !form.isWide(parts.count) { return try writeLong(form, &file) }
        // The columns of one trip are not those of another.
        if parts.count > 1 { throw TripReportError.severalTripsInWideCSV(parts.map(\.trip.id)) }
        for part in parts {
            if let every = form.every {
                try writeGrid(part, every: every, form, &file)
            } else {
                try writeWide(part, form, &file)
            }
        }
    }

    /// Writes one line per reading.
    private mutating func writeLong(_ form: TripTableForm, _ file: inout TextOutput) throws {
        for (index, part) in parts.enumerated() {
            var csv = CSVLong(
                table: part.table, units: units, times: form.times(since: part.trip.start),
                separator: form.delimiter.scalar,
                trip: parts.count > 1 ? (part.trip.id, part.trip.vin) : nil)
            if index == 0 { try file.append { csv.appendHeader(to: &$0) } }
            try forEach(part) { time, reading in
                try file.append { csv.append(reading, time: time, to: &$0) }
            }
        }
    }

    /// Writes a column per signal and a line per point in time.
    private mutating func writeWide(
        _ part: TripReadings, _ form: TripTableForm, _ file: inout TextOutput
    ) throws {
        let track = try track(part)
        var csv = CSVWide(
            table: track?.table ?? part.table, columns: columns(part) + (track?.columns ?? []),
            units: units, times: form.times(since: part.trip.start),
            separator: form.delimiter.scalar)
        let zone = form.zone(of: part.trip, isSheet: isSheet)
        try file.append { csv.appendHeader(zone: zone, to: &$0) }
        try forEach(part, track) { time, reading in
            try file.append { csv.append(reading, time: time, to: &$0) }
        }
        try file.append { csv.finish(&$0) }
    }

    /// Writes a column per signal and a line per interval of `every`.
    private mutating func writeGrid(
        _ part: TripReadings, every: Duration, _ form: TripTableForm, _ file: inout TextOutput
    ) throws {
        let start = part.trip.start
        let track = try track(part)
        var steps = part.signals.filter { $0.frame == nil }.map { part.knownStep(of: $0) ?? 0 }
        if let track { steps += track.columns.map { track.table[$0.signal].shownStep } }
        var csv = CSVGrid(
            table: track?.table ?? part.table, columns: columns(part) + (track?.columns ?? []),
            units: units, times: form.times(since: start), separator: form.delimiter.scalar,
            start: start, every: every, fill: form.fill, isExact: isSheet, steps: steps)
        let zone = form.zone(of: part.trip, isSheet: isSheet)
        try file.append { csv.appendHeader(zone: zone, to: &$0) }
        try forEach(part, track) { time, reading in
            var hasMore = true
            while hasMore {
                try file.append { hasMore = csv.advance(to: reading, time: time, &$0) }
            }
            try file.append { csv.append(reading, time: time, to: &$0) }
        }
        try file.append { csv.finish(&$0) }
    }

    /// The columns of a trip's positions; nil without positions, or if the user chose readings.
    private func track(_ part: TripReadings) throws -> PositionColumns? {
        guard !isNarrowed, ecu == nil, try part.positions() > 0 else { return nil }
        return PositionColumns(after: part.table)
    }

    /// Calls `body` with every reading that is not of a freeze frame, and with the positions as readings.
    private mutating func forEach(
        _ part: TripReadings, _ track: PositionColumns?,
        _ body: (UTC, borrowing Reading) throws -> Void
    ) throws {
        guard let track else { return try forEach(part, withFrames: false, body) }
        var (readings, positions) = (0, 0)
        let all = Double(max(1, part.trip.readings))
        try part.forEachRecord { time, record in
            switch record {
            case .item(.reading(let reading)) where reading.frame == nil:
                try body(time, reading)
                readings += 1
                if readings & 0xFFFF == 0 { progress(min(1, Double(readings) / all)) }
            case .position(let position):
                positions += 1
                for reading in track.readings(position) { try body(time, reading) }
            case .item, .event, .note, .codeList: return
            }
        }
        counts.trips += 1
        counts.readings += readings
        counts.rowPositions += positions
    }

    /// The columns of a trip, without freeze frames, which are not a course of a signal.
    private func columns(_ part: TripReadings) -> [CSVWide.Column] {
        part.signals.filter { $0.frame == nil }.map {
            CSVWide.Column($0.signal, ecu: $0.ecu, record: $0.dataID)
        }
    }

    /// Calls `body` with every reading, or those of no freeze frame, and reports the progress.
    mutating func forEach(
        _ part: TripReadings, withFrames: Bool = true,
        _ body: (UTC, borrowing Reading) throws -> Void
    ) throws {
        var count = 0
        let all = Double(max(1, part.trip.readings))
        try part.forEach { time, reading in
            guard withFrames || reading.frame == nil else { return }
            try body(time, reading)
            count += 1
            if count & 0xFFFF == 0 { progress(min(1, Double(count) / all)) }
        }
        counts.trips += 1
        counts.readings += count
    }

    // MARK: Sheets

    /// Writes the same table as a sheet for spreadsheet programs, with names and a summary.
    package mutating func writeSheet(_ form: TripTableForm, _ file: inout TextOutput) throws {
        final class Sheet {
            var rows: CSVSheet
            init(_ rows: CSVSheet) { self.rows = rows }
        }
        isSheet = true
        var form = form
        form.delimiter = .comma
        var headings: [String: CSVSheet.Heading] = [:]
        if form.isWide(parts.count), let part = parts.first {
            let track = try track(part)
            headings = CSVWide.sheetHeadings(
                table: track?.table ?? part.table,
                columns: columns(part) + (track?.columns ?? []), units: units)
        }
        let sheet = Sheet(CSVSheet(title: "trip", headings: headings))
        var table = TextOutput { sheet.rows.append($0) }
        try writeCSV(form, &table)
        try table.flush()
        sheet.rows.summary = summary
        let pieces = sheet.rows.finish()
        if sheet.rows.isTooLong { throw TripReportError.tooLongForSheet }
        for piece in pieces { try file.append { $0 += piece } }
    }

    /// Each trip with its times, and the range of each of its signals.
    private var summary: [[Workbook.Cell]] {
        var rows: [[Workbook.Cell]] = []
        let distance = units.conversion(from: "km")
        for part in parts {
            let trip = part.trip
            if !rows.isEmpty { rows.append([.empty]) }
            rows.append([.text("Trip"), .text(trip.title)])
            if let vin = trip.vin { rows.append([.text("VIN"), .text(vin)]) }
            rows.append([.text("Start (UTC)"), .time(trip.start)])
            rows.append([.text("End (UTC)"), .time(trip.end)])
            rows.append([
                .text("Duration (s)"),
                .rounded(
                    Double(trip.end.microseconds - trip.start.microseconds) / 1e6, decimals: 0),
            ])
            if let kilometres = trip.distance {
                rows.append([
                    .text("Distance (\(distance?.unit ?? "km"))"),
                    .rounded(distance?(kilometres) ?? kilometres, decimals: 1),
                ])
            }
            rows.append([.text("Readings"), .number(Double(trip.readings))])
            rows.append([])
            rows.append(
                ["Signal", "Unit", "ECU", "Readings", "Least", "Mean", "Greatest"].map {
                    Workbook.Cell.text($0)
                }
            )
            for found in part.signals where found.frame == nil { rows.append(row(found, part)) }
        }
        return rows
    }

    private func row(_ found: TripSignal, _ part: TripReadings) -> [Workbook.Cell] {
        let signal = part.table[found.signal]
        let conversion = signal.kind == .number ? units.conversion(from: signal.unit) : nil
        let places = decimals(forStep: signal.shownStep * (conversion?.factor ?? 1))
        var cells: [Workbook.Cell] = [
            .text(signal.name), .text(conversion?.unit ?? signal.unit),
            found.ecu.map { Workbook.Cell.text($0.printed) } ?? .empty,
            .number(Double(found.readings)),
        ]
        for value in [found.minimum, found.mean, found.maximum] {
            let shown = value.map { conversion?($0) ?? $0 }
            cells.append(shown.map { .rounded($0, decimals: places) } ?? .empty)
        }
        return cells
    }

    // MARK: JSON Lines

    /// Writes JSON Lines: all records of a trip, or readings only if signals were selected.
    package mutating func writeJSON(_ file: inout TextOutput) throws {
        let knowledge = CodeKnowledge()
        for part in parts {
            var json = JSONLines(table: part.table, units: units)
            let items = ItemRows(table: part.table, units: units, facts: knowledge.facts)
            if isNarrowed {
                try forEach(part) { time, reading in
                    try file.append { json.append(reading, time: time, to: &$0) }
                }
                continue
            }
            if ecu == nil {
                try file.append { part.trip.row.appendJSON(to: &$0) }
            }
            var (count, readings) = (0, 0)
            let all = Double(max(1, part.trip.readings))
            try part.forEachRecord { time, record in
                count += 1
                if count & 0xFFFF == 0 { progress(min(1, Double(count) / all)) }
                if let ecu, record.ecu != ecu { return }
                if case .item(.reading) = record { readings += 1 }
                try file.append { bytes in
                    if case .item(.reading(let reading)) = record {
                        json.append(reading, time: time, to: &bytes)
                    } else {
                        record.row(items, time: time).appendJSON(to: &bytes)
                    }
                }
            }
            counts.trips += 1
            counts.readings += readings
        }
    }

    // MARK: Tracks

    /// Writes GPX: positions with the values at each, and notes as waypoints.
    package mutating func writeGPX(_ file: inout TextOutput) throws {
        var hasBegun = false
        for note in try parts.flatMap(notes) {
            try file.append { bytes in
                if !hasBegun { GPX.begin(&bytes) }
                GPX.append(note, to: &bytes)
            }
            hasBegun = true
            counts.notes += 1
        }
        for part in parts {
            var values = TrackValues(table: part.table, columns: columns(part), units: units)
            var gpx = GPX(columns: values.columns)
            // Trips without positions are left out if there are several.
            let points = try forEachPoint(part, &values) { count, point, found in
                try file.append { bytes in
                    if !hasBegun { GPX.begin(&bytes) }
                    if count == 1 { gpx.beginTrack(name: part.trip.title, &bytes) }
                    gpx.append(point, found, to: &bytes)
                }
                hasBegun = true
            }
            guard points > 0 else { continue }
            try file.append { gpx.endTrack(&$0) }
            counts.trips += 1
            counts.positions += points
        }
        guard hasBegun else { throw TripReportError.noPositions(trips: parts.map(\.trip.id)) }
        try file.append { GPX.end(&$0) }
    }

    /// Writes KML with the same data for a single trip.
    package mutating func writeKML(_ file: inout TextOutput) throws {
        // A document has one schema, in which the columns of several trips would conflict.
        guard parts.count == 1, let part = parts.first else {
            throw TripReportError.severalTripsInKML
        }
        var values = TrackValues(table: part.table, columns: columns(part), units: units)
        var kml = KML(columns: values.columns)
        try file.append { kml.begin(&$0) }
        let points = try forEachPoint(part, &values) { _, point, found in kml.append(point, found) }
        guard points > 0 else { throw TripReportError.noPositions(trips: parts.map(\.trip.id)) }
        let notes = try notes(part)
        try file.append { bytes in
            kml.endTrack(name: part.trip.title, &bytes)
            for note in notes { kml.append(note, to: &bytes) }
            kml.end(&bytes)
        }
        counts.trips = 1
        counts.positions = points
        counts.notes = notes.count
    }

    /// The notes of a trip at known positions.
    private func notes(_ part: TripReadings) throws -> [TrackNote] {
        var waiting = try part.timedNotes()[...]
        if waiting.isEmpty { return [] }
        var notes = TrackNotes()
        try part.forEachOtherRecord { time, record in
            guard case .position(let position) = record else { return }
            while let note = waiting.first, note.time < time {
                notes.take(note: note.text, at: note.time)
                waiting.removeFirst()
            }
            notes.take(TrackPoint(position, time: time))
        }
        for note in waiting { notes.take(note: note.text, at: note.time) }
        return notes.finish()
    }

    /// Calls `body` with every position, its number from 1, and the values until then.
    /// - Returns: The number of positions.
    private func forEachPoint(
        _ part: TripReadings, _ values: inout TrackValues,
        _ body: (Int, TrackPoint, [TrackValues.Value]) throws -> Void
    ) throws -> Int {
        var count = 0
        try part.forEachRecord { time, record in
            switch record {
            case .item(.reading(let reading)): values.take(reading, at: time)
            case .position(let position):
                count += 1
                try body(count, TrackPoint(position, time: time), values.values(at: time))
            case .item, .event, .note, .codeList: return
            }
        }
        return count
    }

    // MARK: Line protocol

    package mutating func writeLineProtocol(_ file: inout TextOutput) throws {
        for part in parts {
            var lines = LineProtocol(
                table: part.table, units: units, trip: part.trip.id, vin: part.trip.vin,
                name: part.trip.name)
            if isNarrowed {
                try forEach(part) { time, reading in
                    try file.append { lines.append(reading, time: time, to: &$0) }
                }
                continue
            }
            var readings = 0
            try part.forEachRecord { time, record in
                if let ecu, record.ecu != ecu { return }
                try file.append { bytes in
                    switch record {
                    case .item(.reading(let reading)):
                        readings += 1
                        lines.append(reading, time: time, to: &bytes)
                    case .position(let position):
                        lines.append(TrackPoint(position, time: time), to: &bytes)
                    case .event(let event):
                        lines.append(
                            event: event.kind.rawValue, text: event.text, time: time, to: &bytes)
                    case .note(let text):
                        lines.append(event: "note", text: text, time: time, to: &bytes)
                    case .item(.code(let report)):
                        lines.append(
                            event: report.kind.rawValue + "Code", text: report.fullText,
                            time: time, to: &bytes)
                    case .item, .codeList: return
                    }
                }
            }
            counts.trips += 1
            counts.readings += readings
        }
    }
}

extension TrackPoint {
    /// A point for a stored position.
    package init(_ position: Position, time: UTC) {
        self.init(time: time, latitude: position.latitude, longitude: position.longitude)
        altitude = position.altitude
        speed = position.speed
        course = position.course
    }
}

extension TripSummary {
    /// How a trip is called in other programs.
    package var title: String { name ?? "Trip \(number), \(start.text.prefix(16))Z" }
}
