import Diagnostics
import Foundation
import OBDCore
import Testing

@testable import TripStore

@Suite struct MigrationTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Schemas")

    /// A database that a released version wrote: a drive and a scan of codes of the simulated
    /// vehicle, a note, a gap, an adapter, and a vehicle with a name.
    private func old(_ version: String, in scratch: Scratch) throws {
        try FileManager.default.copyItem(
            at: Self.folder.appending(path: "\(version).db"),
            to: URL(filePath: scratch.path()))
    }

    @Test func `every older schema has a stored database`() throws {
        let kept = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(kept == (1..<Migrations.newest).map { "000\($0).db" })
    }

    /// A different SQLite may store a statement in other words.
    ///
    /// Then the databases are compared column by column.
    @Test func `migrations/schema.sql equals the schema after all migrations`() throws {
        let made = try Connection().access { database in
            try Migrations.run(on: database, from: 0)
            return try SchemaCheck.text(in: database)
        }
        guard made != Migrations.schema else { return }
        if ProcessInfo.processInfo.environment["OBDSCAN_SNAPSHOTS"] == "write" {
            let file = Self.folder.appending(path: "../../../migrations/schema.sql")
            try Data(made.utf8).write(to: file.standardizedFileURL)
            Issue.record("migrations/schema.sql has been written anew: look at the change")
        } else {
            Issue.record("migrations/schema.sql is out of date; OBDSCAN_SNAPSHOTS=write writes it")
        }
    }

    @Test func `a database of version 1 keeps everything`() throws {
        let scratch = try Scratch()
        try old("0001", in: scratch)
        #expect(throws: StoreError.older(path: scratch.path(), version: 1)) {
            try TripStore(path: scratch.path(), access: .readOnly)
        }
        let store = try TripStore(path: scratch.path())
        #expect(try store.check() == [])
        let trips = try store.trips(.init(withScans: true))
        #expect(trips.map(\.readings) == [100, 6])
        #expect(trips[0].tags == ["kept"] && trips[0].name == nil && trips[0].idleSeconds == nil)
        #expect(try store.notes(ofTrip: 1).map(\.text) == ["rain"])
        #expect(try store.vehicles().compactMap(\.name) == ["Car"])
        #expect(try store.accessories().map(\.lineRate) == [38400])
        var kinds: [String: Int] = [:]
        for trip in trips {
            try store.readings(ofTrip: trip.id).forEachRecord { _, record in
                switch record {
                case .item(.reading): kinds["reading", default: 0] += 1
                case .item(.code): kinds["code", default: 0] += 1
                case .event(let event): kinds[event.kind.rawValue, default: 0] += 1
                default: kinds["other", default: 0] += 1
                }
            }
        }
        #expect(kinds["reading"] == 106 && kinds["gap"] == 1 && kinds["code"] == 5)
        // The codes that the old database knew become the beginning of their history.
        let history = try store.codeHistory()
        #expect(history.count == 5 && history.allSatisfy { $0.changes.count == 1 && $0.isPresent })
        #expect(history.allSatisfy { $0.changes[0].time == $0.firstSeen })
        #expect(try store.splitTrip(1, by: .init(silence: .seconds(60))) == [])
        try store.deleteTrips([1])
        #expect(try store.undoEdit().trip == 1)
    }

    /// The test ID, the value, and the limits of the simulated vehicle.
    ///
    /// A limit at the end of 16 bits means that there is none.
    @Test func `in a database of version 2 the ends of a scaling no longer count as limits`() throws
    {
        let scratch = try Scratch()
        try old("0002", in: scratch)
        let store = try TripStore(path: scratch.path())
        #expect(try store.check() == [])
        #expect(try store.trips().map(\.readings) == [17])
        #expect(try store.notes(ofTrip: 1).map(\.text) == ["rain"])
        let margins = try scratch.sql { database in
            try database.rows(
                """
                SELECT tid, minimum, maximum, margin FROM monitor_tests
                WHERE monitor NOT LIKE 'Misfire cylinder _' OR monitor LIKE '% 1'
                """
            ).map { row in
                try "\(row["tid"] as String) "
                    + ["minimum", "maximum", "margin"].map { name in
                        try (row[name] as Double?).map { "\(($0 * 10).rounded() / 10)" } ?? "-"
                    }.joined(separator: " ")
            }
        }
        #expect(
            margins == [
                "05 - 400.0 282.0", "07 - 300.0 140.0", "08 600.0 - 160.0", "80 - 0.7 -0.1",
                "81 -500.0 -125.0 175.0", "82 3.0 40.0 9.0", "0B - - -", "0C - - -",
            ])
    }

    @Test func `a database of version 3 gets times in seconds and numbers with a type`() throws {
        let scratch = try Scratch()
        try old("0003", in: scratch)
        let store = try TripStore(path: scratch.path())
        #expect(try store.check() == [])
        #expect(try store.notes(ofTrip: 1).map(\.text) == ["rain"])
        try scratch.sql { database in
            let row = try #require(
                try database.row(
                    """
                    SELECT count(*) AS rows, count(number) AS numbers,
                        sum(abs(epoch - strftime('%s', time)) >= 1) AS wrong,
                        sum(unit = 'rpm' AND number IS NOT value) AS different
                    FROM readings WHERE trip = 1
                    """))
            // One reading has no value.
            let valued = try database.value(
                Int.self, "SELECT count(*) FROM reading WHERE trip = 1 AND detail IS NULL")
            let numbers: Int = try row["numbers"]
            #expect(numbers > 0 && numbers == valued)
            #expect(try row["different"] as Int == 0 && row["wrong"] as Int == 0)
            let samples = try database.value(
                Int.self, "SELECT count(*) FROM samples WHERE trip = 1")
            #expect(samples == valued)
            let trip = try #require(
                try database.row(
                    "SELECT end_epoch - start_epoch - seconds AS gap FROM trips WHERE id = 1"))
            #expect(try abs(trip["gap"] as Double) < 1e-5)
        }
    }

    @Test func `a database of version 4 keeps events and edits, and its trips have no clock state`()
        throws
    {
        let scratch = try Scratch()
        try old("0004", in: scratch)
        let store = try TripStore(path: scratch.path())
        #expect(try store.check() == [])
        #expect(try store.trips().map(\.id) == [1, 4, 3])
        #expect(try store.trips().allSatisfy { $0.isClockSet == nil })
        #expect(try store.notes(ofTrip: 1).map(\.text) == ["rain"])
        #expect(try store.eventCounts(ofTrip: 1).map(\.kind) == [.gap])
        #expect(try store.codeHistory().count == 5)
        #expect(try store.undoEdit() == TripEdit(action: .delete, trip: 2, others: []))
        #expect(try store.undoEdit() == TripEdit(action: .split, trip: 1, others: [4]))
        #expect(try store.trips().map(\.id) == [1, 2, 3])
        #expect(try store.trip(1).readings == 23)
        // Numbers of edits and trips go on.
        try store.deleteTrips([3])
        #expect(try store.undoEdit().trip == 3)
        let writer = try Fixtures.begin(store)
        try writer.end(.stopped, at: Fixtures.after(1))
        #expect(writer.trip == 5)
    }

    @Test func `a database of version 5 keeps its trips, and holds nothing`() throws {
        let scratch = try Scratch()
        try old("0005", in: scratch)
        let store = try TripStore(path: scratch.path())
        #expect(try store.check() == [])
        #expect(try store.trips().map(\.readings) == [373])
        #expect(try store.trips().allSatisfy { $0.isClockSet == true && $0.tags == ["kept"] })
        #expect(try store.notes(ofTrip: 1).map(\.text) == ["rain"])
        let writer = try Fixtures.begin(store)
        #expect(writer.offer(.held(.event(.init(.gap, text: "gap"))), at: Fixtures.after(1)))
        try writer.end(.stopped, at: Fixtures.after(2))
        #expect(try store.eventCounts(ofTrip: writer.trip).map(\.kind) == [.gap])
    }

    @Test func `a database of version 6 keeps its trips, and has measured none`() throws {
        let scratch = try Scratch()
        try old("0006", in: scratch)
        let store = try TripStore(path: scratch.path())
        #expect(try store.check() == [])
        #expect(try store.trips(.init(withScans: true)).map(\.readings) == [463, 10])
        #expect(try store.trips().map(\.tags) == [["kept"]])
        #expect(try store.notes(ofTrip: 1).map(\.text) == ["rain"])
        #expect(try store.measures(ofRevision: 1).isEmpty)
        store.keep([(try store.trip(1), "a")], ofRevision: 1)
        #expect(try store.measures(ofRevision: 1) == [1: "a"])
    }
}
