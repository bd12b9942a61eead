public import Diagnostics
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
        _ sql: String, _ arguments: Arguments, in database: Database,
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

        let statement = try database.statement(sql, arguments, isCached: true)
        defer { statement.reset() }
        let row = statement.current
        var bytes = InlineBytes()
        while try statement.step() {
            let channel = Int(row.integer(2))
            if !row.isNull(4) {
                bytes = Self.bytes(row.blob(4))
            }
            guard places.indices.contains(channel), places[channel] >= 0 else { continue }
            let place = places[channel]
            rows[place].t = row.integer(0)
            rows[place].sequence = row.integer(1)
            rows[place].reading.raw = bytes
            rows[place].reading.value = Self.value(kinds[place], row)
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
    private static func bytes(_ blob: UnsafeRawBufferPointer) -> InlineBytes {
        var bytes = InlineBytes()
        for byte in blob { bytes.append(byte) }
        return bytes
    }

    @inline(__always)
    private static func value(_ kind: Signal.Kind, _ row: CurrentRow) -> Reading.Value {
        if !row.isNull(5) {
            guard row.isInteger(5) else { return .text(row.text(5)) }
            let code = row.isNull(3) ? nil : UInt64(exactly: row.real(3))
            let reason = Reading.Missing(stored: row.integer(5))
            return .missing(reason ?? .undefined, code: code)
        }
        let number = row.real(3)
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
