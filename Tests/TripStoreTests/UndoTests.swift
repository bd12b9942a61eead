import Diagnostics
import OBDCore
import Testing

@testable import TripStore

@Suite struct UndoTests {
    /// A drive of two minutes, with a pause of 100 s after the first one.
    private func drive(_ store: TripStore, name: String? = "Sea") throws -> Int64 {
        let writer = try store.startTrip(
            TripStart(
                anchor: Fixtures.anchor, vin: VIN(Fixtures.vinText), tags: ["a"], name: name),
            table: Fixtures.table)
        for second in Array(0...60) + Array(160...220) {
            let speed = Fixtures.reading(Fixtures.speed, 0x0D, .number(60), [60])
            #expect(
                writer.offer(
                    [.reading(speed), Fixtures.rpm(900)], at: Fixtures.after(Double(second))))
        }
        #expect(writer.offer(.note("end"), at: Fixtures.after(220)))
        try writer.end(.vehicleOff, at: Fixtures.after(221))
        return writer.trip
    }

    /// All data that an edit must not change: time, order, raw bytes, remarks.
    private func data(_ scratch: Scratch) throws -> [String] {
        try scratch.sql { database in
            try database.values(
                String.self,
                """
                SELECT (start + t) || ' ' || channel || ' ' || coalesce(hex(raw), '-') || ' '
                    || coalesce(value, '-') FROM reading JOIN trip ON trip.id = trip ORDER BY start + t,
                    sequence
                """)
                + database.values(String.self, "SELECT text FROM note ORDER BY id")
        }
    }

    /// All data of trips, including the sums.
    private func trips(_ scratch: Scratch) throws -> [String] {
        try scratch.sql { database in
            try ["trip", "trip_tag", "trip_channel", "note"].flatMap { table in
                try database.rows("SELECT * FROM \(table) ORDER BY 1, 2").map {
                    row in
                    try row.columns.filter { $0 != "distance" && $0 != "driven" }
                        .map { "\($0) \(try row.text($0))" }.joined(separator: ", ")
                }
            }
        }
    }

    @Test func `a split is undone`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let id = try drive(store)
        let (before, all) = (try trips(scratch), try data(scratch))
        let cut = UTC(microseconds: Fixtures.start.microseconds + 30_500_000)
        let new = try store.splitTrip(id, at: cut)
        #expect(try store.trip(new).name == "Sea" && data(scratch) == all)
        #expect(
            try store.undoEdit() == TripEdit(action: .split, trip: id, others: [new]))
        #expect(try trips(scratch) == before && data(scratch) == all)
        #expect(throws: TripEditFault.nothingToUndo) { try store.undoEdit() }
        #expect(try store.check() == [])
    }

    @Test func `a join is undone, with the names, tags and notes of each trip`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let id = try drive(store)
        let cut = UTC(microseconds: Fixtures.start.microseconds + 100_000_000)
        let new = try store.splitTrip(id, at: cut)
        try store.setName("Back", ofTrip: new)
        try store.setTags(["a", "b"], ofTrip: new)
        try store.addNote("rain", toTrip: new)
        let (before, all) = (try trips(scratch), try data(scratch))
        try store.joinTrips([id, new])
        #expect(try store.trip(id).tags == ["a", "b"] && data(scratch) == all)
        #expect(try store.undoEdit() == TripEdit(action: .join, trip: id, others: [new]))
        #expect(try trips(scratch) == before && data(scratch) == all)
        #expect(try store.check() == [])
        // Now the split before the join is the last edit.
        #expect(try store.undoEdit().action == .split)
        #expect(try store.trips().map(\.id) == [id])
    }

    @Test func `deleted trips are not listed, and are restored together`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let ids = [try drive(store, name: "1"), try drive(store, name: nil), try drive(store)]
        try store.deleteTrips([ids[0], ids[2]])
        #expect(try store.trips().map(\.id) == [ids[1]])
        #expect(throws: StoreError.unknownTrip(ids[0], path: store.path)) {
            try store.readings(ofTrip: ids[0])
        }
        #expect(
            try store.undoEdit() == TripEdit(action: .delete, trip: ids[2], others: [ids[0]]))
        #expect(try store.trips().map(\.id) == ids)
        try store.deleteTrips([ids[1]])
        #expect(try store.purge() == 1)
        #expect(throws: TripEditFault.nothingToUndo) { try store.undoEdit() }
        #expect(try store.check() == [])
    }

    @Test func `a trip is split where a recording with the same rule would have ended`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let id = try drive(store)
        let before = try trips(scratch)
        let all = try data(scratch)
        #expect(try store.splitTrip(id, by: .init(silence: .seconds(101))) == [])
        let parts = try store.splitTrip(id, by: .init(silence: .seconds(60)))
        #expect(parts.count == 1)
        #expect(try store.trip(id).seconds == 60 && store.trip(parts[0]).seconds == 61)
        #expect(try data(scratch) == all)
        #expect(try store.undoEdit().others == parts)
        #expect(try trips(scratch) == before)
    }

    @Test func `the rule about standing still splits a trip where the vehicle moves again`() throws
    {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        for second in 0..<3000 {
            let stands = (500..<1500).contains(second) || (2000..<2100).contains(second)
            let speed = Fixtures.reading(
                Fixtures.speed, 0x0D, .number(stands ? 0 : 60), [stands ? 0 : 60])
            while !writer.offer([.reading(speed)], at: Fixtures.after(Double(second))) {
                try writer.flush()
            }
        }
        try writer.end(.stopped, at: Fixtures.after(3000))
        let parts = try store.splitTrip(writer.trip, by: .init(standstill: .seconds(600)))
        #expect(parts.count == 1)
        #expect(try store.trip(writer.trip).readings == 1500)
        #expect(try store.trip(parts[0]).readings == 1500)
    }

    @Test func `only old drives without name, tag and note are deleted`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let named = try drive(store)
        let writer = try Fixtures.begin(store)
        try writer.end(.stopped, at: Fixtures.after(1))
        let late = UTC(microseconds: Fixtures.start.microseconds + 1_000_000)
        #expect(try store.deleteTrips(endedBefore: late, now: Fixtures.start).deleted == [])
        let later = UTC(microseconds: Fixtures.start.microseconds + 1_000_000_000)
        #expect(
            try store.deleteTrips(endedBefore: later, now: Fixtures.start).deleted == [writer.trip])
        #expect(try store.trips().map(\.id) == [named])
    }

    /// Each of them is kept for one reason alone.
    @Test func `an old drive is kept for its name, tag, note, or a sink that waits for it`() throws
    {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        var drives: [Int64] = []
        for _ in 0..<4 {
            let writer = try Fixtures.begin(store)
            try writer.end(.stopped, at: Fixtures.after(1))
            drives.append(writer.trip)
        }
        try store.setTags(["holiday"], ofTrip: drives[0])
        try store.addNote("noise from the left", toTrip: drives[1])
        let named = try Fixtures.begin(store)
        try named.end(.stopped, at: Fixtures.after(1))
        try store.setName("to the sea", ofTrip: named.trip)
        // Only drives go, and only those that have ended.
        let others = try [TripStart.Purpose.import, .scan].map { purpose in
            let writer = try Fixtures.begin(store, purpose: purpose)
            try writer.end(.stopped, at: Fixtures.after(1))
            return writer.trip
        }
        let open = try Fixtures.begin(store)
        let later = UTC(microseconds: Fixtures.start.microseconds + 1_000_000_000)
        // A drive that is not old stays in any case.
        let expiry = try store.deleteTrips(
            endedBefore: later, except: [drives[2], named.trip, open.trip], now: Fixtures.start)
        #expect(expiry == .init(deleted: [drives[3]], kept: [drives[2]]))
        let kept = Set(try store.trips(.init(withScans: true)).map(\.id))
        #expect(kept == Set(drives.dropLast()).union(others).union([named.trip, open.trip]))
        try open.end(.stopped, at: Fixtures.after(2))
    }
}
