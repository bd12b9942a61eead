import Diagnostics
import OBDCore
import PIDTables
import Testing

@testable import TripStore

/// What was measured in a trip is kept until its readings change.
@Suite struct `Measures of trips` {
    private func trip(_ store: TripStore) throws -> Int64 {
        let writer = try Fixtures.begin(store)
        for second in 0..<100 {
            #expect(writer.offer([Fixtures.rpm(900)], at: Fixtures.after(Double(second))))
        }
        try writer.end(.stopped, at: Fixtures.after(100))
        return writer.trip
    }

    private func keep(_ ids: [Int64], in store: TripStore, _ text: String = "a 1") throws {
        store.keep(try ids.map { (try store.trip($0), text) }, ofRevision: 3)
    }

    private func kept(_ store: TripStore) throws -> [Int64] {
        try store.measures(ofRevision: 3).keys.sorted()
    }

    @Test func `a store that only reads keeps them, and another revision has its own`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let id = try trip(store)
        let reader = try TripStore(path: scratch.path(), access: .readOnly)
        try keep([id], in: reader)
        #expect(try store.measures(ofRevision: 3) == [id: "a 1"])
        #expect(try reader.measures(ofRevision: 4).isEmpty)
        store.keep([(try store.trip(id), "b 2")], ofRevision: 4)
        #expect(try reader.measures(ofRevision: 3).isEmpty)
        #expect(try reader.measures(ofRevision: 4) == [id: "b 2"])
        #expect(try store.check() == [])
    }

    @Test func `readings that change take them away`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let (id, other) = (try trip(store), try trip(store))
        let all = [id, other]
        try keep(all, in: store)
        // What does not change a reading keeps them.
        try store.setName("Sea", ofTrip: id)
        try store.setTags(["a"], ofTrip: id)
        try store.deleteTrips([id])
        _ = try store.undoEdit()
        #expect(try kept(store) == all)
        let cut = UTC(microseconds: Fixtures.start.microseconds + 50_500_000)
        let new = try store.splitTrip(id, at: cut)
        #expect(try kept(store) == [other])
        try keep([id, new, other], in: store)
        try store.joinTrips([id, new])
        #expect(try kept(store) == [other])
        try keep(all, in: store)
        _ = try store.undoEdit()
        #expect(try kept(store) == [other])
        try keep([id, new, other], in: store)
        _ = try store.undoEdit()
        #expect(try kept(store) == [other])
        try keep(all, in: store)
        _ = try store.redecode(
            trip: id, table: Fixtures.table, monitors: PIDTables.monitorTables(), keeps: false)
        #expect(try kept(store) == all)
        _ = try store.redecode(trip: id, table: Fixtures.table, monitors: PIDTables.monitorTables())
        #expect(try kept(store) == [other])
        try store.deleteTrips([other])
        _ = try store.purge()
        #expect(try kept(store).isEmpty)
        #expect(try store.check() == [])
    }

    @Test func `an open trip, and one that has changed meanwhile, keep nothing`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        try keep([writer.trip], in: store)
        #expect(try kept(store).isEmpty)
        try writer.end(.stopped, at: Fixtures.after(1))
        var old = try store.trip(writer.trip)
        old.readings += 1
        store.keep([(old, "a 1")], ofRevision: 3)
        #expect(try kept(store).isEmpty)
    }

    @Test func `a file that cannot be written, or another process writes, keeps nothing`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let id = try trip(store)
        try scratch.sql { database in
            try database.execute("BEGIN IMMEDIATE")
            try keep([id], in: store)
            try database.execute("ROLLBACK")
        }
        #expect(try kept(store).isEmpty)
    }
}
