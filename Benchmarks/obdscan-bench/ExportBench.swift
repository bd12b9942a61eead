import CFloors
import Diagnostics
import Formats
import Glibc
import OBDCore
import TripStore

/// Rows per second from database to file, compared with `sqlite3 -csv`.
enum ExportBench {
    static func run(rows: Int) throws {
        let scratch = Scratch()
        let path = scratch.file("a.db")
        let store = try TripStore(path: path)
        _ = try Samples.write(rows: rows, to: store, clock: floor_now)
        StoreBench.execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")

        let scan = try ObdscanBench.inTurn(
            {
                let start = floor_now()
                var sum = 0.0
                try store.readings(ofTrip: 1).forEach { _, reading in
                    if case .number(let value) = reading.value { sum += value }
                }
                return floor_now() - start
            }, { floor_scan(path) })
        ObdscanBench.print("export: C scan of the key", Double(rows) / scan.floor, "rows/s")
        ObdscanBench.print(
            "export: TripReadings.forEach", Double(rows) / scan.ours, "rows/s",
            note: ObdscanBench.ratio(scan.floor / scan.ours))

        let columns =
            "SELECT t, ecu, service, identifier, signal, name, value, unit, hex(raw)"
        let join =
            " FROM reading JOIN channel ON channel.id = channel WHERE trip = 1 ORDER BY t, sequence"
        let bare = "SELECT trip, t, sequence, channel, value FROM reading"
        for (name, sql) in [
            ("five bare columns", bare), ("our columns without ISO times", columns + join),
            ("the view with ISO times", "SELECT * FROM readings WHERE trip = 1"),
        ] {
            let floor = sqlite(path, sql, scratch)
            ObdscanBench.print("export: sqlite3 -csv, \(name)", Double(rows) / floor, "rows/s")
        }
        for (name, times) in [
            ("seconds", TimeStyle.seconds(since: Samples.anchor.utc)), ("ISO times", .utc),
        ] {
            let pair = try ObdscanBench.inTurn(
                { try csv(store, times, .metric, scratch) }, { sqlite(path, bare, scratch) })
            ObdscanBench.print(
                "export: CSV long, \(name)", Double(rows) / pair.ours, "rows/s",
                note: "\(ObdscanBench.ratio(pair.floor / pair.ours)) sqlite3 -csv, bare columns")
        }
        let us = try csv(store, .utc, .us, scratch)
        ObdscanBench.print("export: CSV long, US units", Double(rows) / us, "rows/s")
        let wide = try timed(store, scratch) { readings, output in
            var writer = CSVWide(
                table: readings.table, columns: readings.signals.map { .init($0.signal) })
            try readings.forEach { time, reading in
                writer.append(reading, time: time, to: &output.bytes)
                output.flushWhenLarge()
            }
            writer.finish(&output.bytes)
        }
        ObdscanBench.print("export: CSV wide", Double(rows) / wide, "readings/s")
        // The sheet of a spreadsheet has no more rows.
        let rowsOfSheet = min(rows, 1_000_000)
        let sheet = try timed(store, scratch) { readings, output in
            var writer = CSVLong(table: readings.table, units: .metric, times: .utc)
            var sheet = CSVSheet(title: "trip")
            var piece: [UInt8] = []
            var left = rowsOfSheet
            writer.appendHeader(to: &piece)
            try readings.forEach { time, reading in
                if left == 0 { return }
                left -= 1
                writer.append(reading, time: time, to: &piece)
                if piece.count >= 1 << 16 {
                    sheet.append(piece)
                    piece.removeAll(keepingCapacity: true)
                }
            }
            sheet.append(piece)
            for piece in sheet.finish() {
                output.bytes += piece
                output.flush()
            }
        }
        ObdscanBench.print("export: sheet", Double(rowsOfSheet) / sheet, "rows/s")
        let json = try timed(store, scratch) { readings, output in
            var writer = JSONLines(table: readings.table)
            try readings.forEach { time, reading in
                writer.append(reading, time: time, to: &output.bytes)
                output.flushWhenLarge()
            }
        }
        ObdscanBench.print("export: JSON Lines", Double(rows) / json, "rows/s")
        ObdscanBench.print("export: peak memory", Double(floor_peak_kilobytes()) / 1024, "MB")
    }

    private static func csv(
        _ store: TripStore, _ times: TimeStyle, _ units: UnitSystem, _ scratch: borrowing Scratch
    ) throws -> Double {
        try timed(store, scratch) { readings, output in
            var writer = CSVLong(table: readings.table, units: units, times: times)
            writer.appendHeader(to: &output.bytes)
            try readings.forEach { time, reading in
                writer.append(reading, time: time, to: &output.bytes)
                output.flushWhenLarge()
            }
        }
    }

    private static func timed(
        _ store: TripStore, _ scratch: borrowing Scratch,
        _ body: (TripReadings, inout Output) throws -> Void
    ) throws -> Double {
        let start = floor_now()
        var output = Output(scratch.file("out.csv"))
        try body(try store.readings(ofTrip: 1), &output)
        output.close()
        return floor_now() - start
    }

    private static func sqlite(
        _ path: String, _ sql: String, _ scratch: borrowing Scratch
    ) -> Double {
        let start = floor_now()
        _ = Command.run(["sqlite3", "-csv", path, sql], output: scratch.file("floor.csv"))
        return floor_now() - start
    }
}

/// A file with a buffer for large writes.
struct Output {
    var bytes: [UInt8] = []
    private let descriptor: Int32

    init(_ path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        bytes.reserveCapacity(1 << 17)
    }

    @inline(__always)
    mutating func flushWhenLarge() {
        if bytes.count >= 1 << 16 { flush() }
    }

    mutating func flush() {
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func close() {
        flush()
        Glibc.close(descriptor)
    }
}
