import Diagnostics
import Foundation
import OBDCore
import TestSupport
import Testing

@testable import TripStore

@Suite struct MaintenanceTests {
    /// A drive of `seconds` with ten readings per second.
    private static func drive(_ store: TripStore, start: Int64, seconds: Int) throws -> Int64 {
        let anchor = TimeAnchor(
            monotonic: Fixtures.anchor.monotonic,
            utc: UTC(microseconds: Fixtures.start.microseconds + start * 1_000_000))
        let writer = try Fixtures.begin(store, anchor: anchor, waiting: 1_000_000)
        for tenth in 0..<seconds * 10 {
            let time = Fixtures.after(Double(tenth) / 10)
            #expect(writer.offer([Fixtures.rpm(Double(tenth % 8000))], at: time))
        }
        #expect(writer.offer(.vehicle(try #require(VIN(Fixtures.vinText))), at: Fixtures.after(0)))
        var report = CodeReport(
            ecu: Fixtures.ecu, kind: .stored, code: .dtc(try #require(DTC("P0301"))), line: 0)
        report.statusByte = 0x2F
        #expect(writer.offer([.code(report)], at: Fixtures.after(1)))
        #expect(writer.offer(.event(TripEvent(.timeout, text: "t")), at: Fixtures.after(2)))
        let place = try #require(Position(latitude: 47.5, longitude: 8.5))
        #expect(writer.offer(.position(place), at: Fixtures.after(3)))
        try writer.end(.stopped, at: Fixtures.after(Double(seconds)))
        return writer.trip
    }

    /// A copy of the file alone would lack what the log holds.
    @Test func `a database includes changes that are not yet in its file`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        _ = try Self.drive(store, start: 0, seconds: 2)
        #expect(store.holdsUnwrittenChanges)
        let copy = scratch.path("copy.db")
        try FileManager.default.copyItem(atPath: scratch.path(), toPath: copy)
        try FileManager.default.copyItem(atPath: scratch.path() + "-wal", toPath: copy + "-wal")
        #expect(try TripStore(path: copy, access: .readOnly).holdsUnwrittenChanges)
        try store.compact()
        #expect(!store.holdsUnwrittenChanges)
    }

    private struct Kept: Hashable {
        let time: UTC
        let value: Reading.Value
        let raw: InlineBytes
    }

    /// All readings; a trip whose date is lost begins at its time of `starts`.
    private static func values(
        _ store: TripStore, starts: [Int64: UTC] = [:]
    ) throws -> Set<Kept> {
        var found: Set<Kept> = []
        for trip in try store.trips(.init(withScans: true)) {
            let lost = trip.start.microseconds == 0 ? starts[trip.id]?.microseconds ?? 0 : 0
            try store.readings(ofTrip: trip.id).forEach { time, reading in
                found.insert(
                    Kept(time: time.later(by: lost), value: reading.value, raw: reading.raw))
            }
        }
        return found
    }

    // MARK: Check

    @Test(arguments: [
        ("UPDATE trip SET readings = readings + 1", "trip 1 counts other readings than it has"),
        ("DELETE FROM trip_channel", "trip 1 has sums of other readings than it has"),
        ("UPDATE trip SET duration = 5", "trip 1 ends before its last reading"),
        ("UPDATE reading SET raw = NULL WHERE t = 0", "trip 1 has a record without its raw bytes"),
        (
            "UPDATE code SET first_seen = last_seen + 1",
            "code P0301 was last seen before it was first seen"
        ),
    ])
    func `a contradiction is found`(_ sql: String, _ fault: String) throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        _ = try Self.drive(store, start: 0, seconds: 10)
        #expect(try store.examine().faults == [])
        try scratch.sql { try $0.execute(sql) }
        #expect(try store.check().contains(fault))
    }

    @Test func `a check counts the same trips as the list of trips, and counts scans separately`()
        throws
    {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        _ = try Self.drive(store, start: 0, seconds: 1)
        for _ in 0..<2 {
            let scan = try Fixtures.begin(store, purpose: .scan)
            #expect(scan.offer([Fixtures.rpm(800)], at: Fixtures.after(0)))
            try scan.end(.stopped, at: Fixtures.after(1))
        }
        let result = try store.examine()
        #expect(result.trips == 1 && result.scans == 2 && result.readings == 12)
        #expect(try store.trips().count == 1)
        try store.deleteTrip(-1)
        #expect(try store.examine().scans == 1)
    }

    @Test func `compacting frees the space of deleted rows`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let trip = try Self.drive(store, start: 0, seconds: 1000)
        let kept = try Self.drive(store, start: 2000, seconds: 1)
        let before = try store.examine().size
        try store.deleteTrips([trip])
        try store.compact()
        #expect(try store.examine().size < before / 2 && store.trips().map(\.id) == [kept])
        #expect(throws: TripEditFault.nothingToUndo) { try store.undoEdit() }
    }

    // MARK: Merge

    @Test func `a merge takes new trips once`() throws {
        let scratch = try Scratch()
        let here = try TripStore(path: scratch.path())
        let there = try TripStore(path: scratch.path("there.db"))
        _ = try Self.drive(here, start: 0, seconds: 5)
        _ = try Self.drive(there, start: 100, seconds: 5)
        let second = try Self.drive(there, start: 200, seconds: 10)
        try there.setTags(["sea"], ofTrip: second)
        let all = try Self.values(here).union(Self.values(there))
        let merged = try here.merge(from: there.path)
        #expect(merged.trips.count == 2 && merged.known == 0)
        #expect(try Self.values(here) == all && here.check() == [])
        #expect(try here.trips().map(\.tags) == [[], [], ["sea"]])
        #expect(try here.codeHistory().map(\.reports) == [3])
        #expect(try here.vehicles().count == 1)

        // Merge again, and in the other direction after both sides were split. No reading comes
        // twice.
        #expect(try here.merge(from: there.path) == Merged(known: 2))
        let cut = UTC(microseconds: Fixtures.start.microseconds + 204_000_000)
        _ = try there.splitTrip(second, at: cut)
        #expect(try here.merge(from: there.path) == Merged(known: 3))
        #expect(try there.merge(from: here.path).trips.count == 1)
        #expect(try Self.values(there) == all && there.check() == [])
        #expect(try here.codeHistory().map(\.reports) == [3])
    }

    @Test func `an older database is merged and stays unchanged`() throws {
        let scratch = try Scratch()
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Schemas/0001.db")
        let copy = URL(filePath: scratch.path("old.db"))
        try FileManager.default.copyItem(at: file, to: copy)
        let store = try TripStore(path: scratch.path())
        let merged = try store.merge(from: copy.path)
        #expect(merged.trips.count == 2)
        #expect(try Data(contentsOf: copy) == Data(contentsOf: file))
        #expect(try store.check() == [] && store.codeHistory().count == 5)
        #expect(
            try !FileManager.default.contentsOfDirectory(atPath: scratch.url.path).contains {
                $0.contains("merging")
            })
    }

    @Test func `two vehicles with the same name stay two vehicles, and one keeps the name`() throws
    {
        let scratch = try Scratch()
        let stores = try ["here.db", "there.db"].map { try TripStore(path: scratch.path($0)) }
        let vins = ["1HGCM82633A004352", "5XXBD1GA8LX000042"]
        for (store, vin) in zip(stores, vins) {
            let seconds = vin == vins[0] ? 0.0 : 1000
            let writer = try Fixtures.begin(
                store,
                anchor: TimeAnchor(
                    monotonic: Fixtures.after(seconds),
                    utc: Fixtures.start.later(bySeconds: seconds)))
            #expect(writer.offer(.vehicle(try #require(VIN(vin))), at: Fixtures.after(seconds)))
            #expect(writer.offer([Fixtures.rpm(800)], at: Fixtures.after(seconds + 1)))
            try writer.end(.stopped, at: Fixtures.after(seconds + 2))
            #expect(try store.setName(vin == vins[0] ? "Van 1" : "van-1", ofVehicle: vin) == .named)
        }
        let merged = try stores[0].merge(from: stores[1].path) { _, _ in
        } isOneName: {
            $0.lowercased().filter(\.isLetter) == $1.lowercased().filter(\.isLetter)
        }
        #expect(merged.unnamed == [vins[1]: "van-1"])
        let names = try stores[0].vehicles().map { "\($0.vin?.text ?? "") \($0.name ?? "-")" }
        #expect(names.sorted() == ["\(vins[0]) Van 1", "\(vins[1]) -"])
    }

    /// A batch reads its vehicles, and names them, at the same time.
    @Test func `if two vehicles get the same name at the same time, only one has the name`()
        async throws
    {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let vins = ["1HGCM82633A004352", "5XXBD1GA8LX000042"]
        for (index, vin) in vins.enumerated() {
            let seconds = Double(index) * 1000
            let writer = try Fixtures.begin(
                store,
                anchor: TimeAnchor(
                    monotonic: Fixtures.after(seconds),
                    utc: Fixtures.start.later(bySeconds: seconds)))
            #expect(writer.offer(.vehicle(try #require(VIN(vin))), at: Fixtures.after(seconds)))
            try writer.end(.stopped, at: Fixtures.after(seconds + 1))
        }
        let path = store.path
        for _ in 0..<20 {
            let results = try await withThrowingTaskGroup(of: TripStore.Naming.self) { group in
                for (vin, name) in zip(vins, ["Van 1", "van-1"]) {
                    group.addTask {
                        try TripStore(path: path).setName(name, ofVehicle: vin) {
                            $0.lowercased().filter(\.isLetter) == $1.lowercased().filter(\.isLetter)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count { $0 == .named } == 1, "\(results)")
            #expect(
                results.contains(.mistaken(for: "Van 1"))
                    || results.contains(.mistaken(for: "van-1")))
            for vin in vins { #expect(try store.setName("", ofVehicle: vin) == .named) }
        }
    }

    @Test func `a merge takes only the chosen trips`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        _ = try Self.drive(store, start: 0, seconds: 1)
        let wanted = try Self.drive(store, start: 100, seconds: 2)
        let one = try TripStore(path: scratch.path("one.db"))
        #expect(try one.merge(from: store.path, only: [wanted]).trips.count == 1)
        #expect(try one.trips().map(\.readings) == [20] && one.check() == [])
    }

    @Test func `a merge keeps names, and reports trips that are longer in the other database`()
        throws
    {
        let scratch = try Scratch()
        let here = try TripStore(path: scratch.path())
        let trip = try Self.drive(here, start: 0, seconds: 5)
        let there = try TripStore(path: scratch.path("there.db"))
        #expect(try there.merge(from: here.path).trips.count == 1)
        let vin = try #require(try there.trips().first?.vin)
        #expect(try there.setName("Van 3", ofVehicle: vin) == .named)
        try scratch.sql {
            try $0.execute(
                """
                DELETE FROM reading WHERE trip = :trip AND t > 3000000;
                UPDATE trip SET readings = (SELECT count(*) FROM reading WHERE trip = :trip)
                    WHERE id = :trip;
                """, ["trip": trip])
        }
        #expect(try here.merge(from: there.path) == Merged(known: 1, longer: 1))
        #expect(try there.merge(from: here.path) == Merged(known: 1))
        #expect(try here.vehicles().map(\.name) == ["Van 3"])
    }

    // MARK: Recover

    @Test func `a sound database is recovered completely`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        _ = try Self.drive(store, start: 0, seconds: 100)
        _ = try Self.drive(store, start: 200, seconds: 100)
        // The newest rows are only in the write-ahead log.
        let saved = try TripStore(path: scratch.path("saved.db"))
        let result = try saved.salvage(from: store.path)
        #expect(result.damagedPages == 0 && result.rejected == 0 && result.orphanPages == 0)
        #expect(result.missingPages == 0)
        #expect(try Self.values(saved) == Self.values(store) && saved.check() == [])
        #expect(try saved.trips() == store.trips())
        #expect(try saved.codeHistory() == store.codeHistory())
    }

    /// Raw bytes are with the first signal of a record.
    @Test func `records are sound after a recovery that lost their first rows`() throws {
        let scratch = try Scratch()
        do { _ = try Self.drive(try TripStore(path: scratch.path()), start: 0, seconds: 10) }
        try scratch.sql { try $0.execute("UPDATE reading SET raw = NULL WHERE t < 5000000") }
        let saved = try TripStore(path: scratch.path("saved.db"))
        _ = try saved.salvage(from: scratch.path())
        #expect(try saved.check() == [])
    }

    /// A part of a page is there, but the three after it are not.
    @Test func `a file that was cut off lacks pages that its header counts`() throws {
        let scratch = try Scratch()
        do { _ = try Self.drive(try TripStore(path: scratch.path()), start: 0, seconds: 300) }
        try scratch.sql { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        let bytes = try Data(contentsOf: URL(filePath: scratch.path()))
        let cut = scratch.path("cut.db")
        try bytes.dropLast(3 * 4096 + 1000).write(to: URL(filePath: cut))
        let saved = try TripStore(path: scratch.path("saved.db"))
        let result = try saved.salvage(from: cut)
        #expect(result.missingPages == 3 && result.pages == bytes.count / 4096 - 3)
    }

    /// The file of two drives, and their readings.
    private typealias Drives = (file: Data, values: Set<Kept>, starts: [Int64: UTC])

    private static let twoDrives = Result<Drives, any Error> {
        let scratch = try Scratch()
        var all: Set<Kept> = []
        var starts: [Int64: UTC] = [:]
        do {
            let store = try TripStore(path: scratch.path())
            _ = try drive(store, start: 0, seconds: 300)
            _ = try drive(store, start: 400, seconds: 300)
            all = try values(store)
            for trip in try store.trips() { starts[trip.id] = trip.start }
        }
        try scratch.sql { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        return (try Data(contentsOf: URL(filePath: scratch.path())), all, starts)
    }

    @Test(arguments: 0..<20)
    func `everything that can be read in a damaged file is saved`(_ seed: Int) throws {
        let scratch = try Scratch()
        let (whole, all, starts) = try Self.twoDrives.get()
        var bytes = whole
        var generator = SeededGenerator(seed: UInt64(seed))
        let pages = bytes.count / 4096
        let hit = Set((0..<5).map { _ in Int.random(in: 0..<pages, using: &generator) })
        for page in hit {
            for offset in 0..<4096 {
                bytes[page * 4096 + offset] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        if seed % 4 == 3 { bytes.removeLast(4096 * 3 + 1000) }
        try bytes.write(to: URL(filePath: scratch.path("damaged.db")))

        let saved = try TripStore(path: scratch.path("saved.db"))
        _ = try saved.salvage(from: scratch.path("damaged.db"))
        #expect(try saved.check() == [])
        // If the page of the trips is hit, their dates are lost, and nothing else.
        let found = try Self.values(saved, starts: starts)
        // A page has some hundred readings. Noise must not become readings.
        let lost = all.subtracting(found).count
        #expect(lost <= 9 * 330, "\(lost) of \(all.count), \(hit.sorted()) of \(pages) pages")
        #expect(found.subtracting(all).isEmpty)
    }

    @Test func `a recovery finds no trips in a file of noise`() throws {
        let scratch = try Scratch()
        var generator = SeededGenerator(seed: 7)
        let noise = Data((0..<40_960).map { _ in UInt8.random(in: 0...255, using: &generator) })
        try noise.write(to: URL(filePath: scratch.path("noise.db")))
        let saved = try TripStore(path: scratch.path())
        _ = try saved.salvage(from: scratch.path("noise.db"))
        #expect(try saved.trips(.init(withScans: true)).isEmpty && saved.check() == [])
        #expect(throws: StoreError.missing(path: scratch.path("none.db"))) {
            try saved.salvage(from: scratch.path("none.db"))
        }
    }

    /// Values from SQLite's own description of the record format.
    @Test func `records are read according to the file format, or not at all`() {
        typealias Page = BTreePage
        // The header has 7 bytes. The types are 0, 1, 4, 8, 13 + 2·2 = 17 (text of 2 bytes), 14
        // (blob of 1).
        let record: [UInt8] = [7, 0, 1, 4, 8, 17, 14, 0xFF, 0x80, 0, 0, 1, 0x4F, 0x42, 0xAA]
        #expect(
            Page.values(record) == [
                .null, .integer(-1), .integer(-0x7FFF_FFFF), .integer(0), .text("OB"),
                .blob([0xAA]),
            ])
        for count in 0..<record.count { #expect(Page.values(Array(record[..<count])) == nil) }
        #expect(Page.values(record + [0]) == nil)
        #expect(Page.values([2, 10]) == nil)
        let nine: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        var place = 0
        #expect(Page.varint(nine, &place) == -1 && place == 9)
        place = 0
        #expect(Page.varint([0x81, 0x00], &place) == 128)
    }
}
