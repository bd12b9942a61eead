import CFloors
import Diagnostics
import Glibc
import OBDCore
import TripStore

/// Rows per second through the writer, compared with bind and step in C on the same schema.
enum StoreBench {
    static func run(rows: Int) throws {
        let scratch = Scratch()
        let ours = scratch.file("a.db")
        let theirs = scratch.file("b.db")
        for isChecked in [true, false] {
            let pair = try ObdscanBench.inTurn(
                {
                    remove(ours)
                    let store = try TripStore(path: ours)
                    return try Samples.write(rows: rows, to: store, clock: floor_now)
                },
                {
                    remove(theirs)
                    // A small trip creates the schema, trip 1 and its channels.
                    let store = try TripStore(path: theirs)
                    _ = try Samples.write(rows: 5, to: store, clock: floor_now)
                    execute(theirs, "DELETE FROM reading")
                    return floor_insert(theirs, rows, 10_000, isChecked ? 1 : 0)
                })
            let floor = isChecked ? "with foreign keys" : "without foreign keys"
            ObdscanBench.print(
                "store: C floor, \(floor)", Double(rows) / pair.floor, "rows/s")
            ObdscanBench.print(
                "store: TripWriter", Double(rows) / pair.ours, "rows/s",
                note: ObdscanBench.ratio(pair.floor / pair.ours))
        }
        ObdscanBench.print(
            "store: an item in memory", Double(MemoryLayout<DiagnosticItem>.stride), "bytes")
        try size(ours, rows: rows)
        try query(ours, rows: rows)
    }

    private static func size(_ path: String, rows: Int) throws {
        execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")
        var status = stat()
        stat(path, &status)
        ObdscanBench.print(
            "store: size on disk", Double(status.st_size) / Double(rows), "bytes/reading")
    }

    /// Reads a minute of one signal from the middle, with a warm cache.
    private static func query(_ path: String, rows: Int) throws {
        let store = try TripStore(path: path, access: .readOnly)
        let middle = Int64(rows / 10) * 100_000
        var selection = TripReadings.Selection()
        selection.signals = ["RPM"]
        selection.from = UTC(microseconds: Samples.anchor.utc.microseconds + middle)
        selection.to = UTC(microseconds: Samples.anchor.utc.microseconds + middle + 60_000_000)
        var times: [Double] = []
        var found = 0
        for _ in 0..<5 {
            let start = floor_now()
            found = 0
            try store.readings(ofTrip: 1, selection).forEach { _, _ in found += 1 }
            times.append(floor_now() - start)
        }
        ObdscanBench.print(
            "store: 60 s of one signal", times.sorted()[2] * 1000, "ms",
            note: "\(found) of \(rows) readings")
    }

    static func remove(_ path: String) {
        for end in ["", "-wal", "-shm"] { unlink(path + end) }
    }

    static func execute(_ path: String, _ sql: String) {
        _ = Command.run(["sqlite3", path, sql], output: nil)
    }
}
