import Diagnostics
import Foundation
import OBDCore
import Testing

@testable import TripStore

@Suite struct `Space for trips` {
    @Test(
        arguments: [
            ("500MB", 500_000_000), ("2GB", 2_000_000_000), ("1.5GB", 1_500_000_000),
            ("1MB", 1_000_000), ("1TB", 1_000_000_000_000),
            ("0.9MB", nil), ("500", nil), ("MB", nil), ("500kB", nil), ("-1GB", nil),
            ("nanMB", nil),
            ("infGB", nil), ("1e99GB", nil), ("", nil), ("10%", nil), ("5 GB", nil),
        ] as [(String, Int64?)])
    func `a size needs a unit, and is a megabyte or more`(text: String, bytes: Int64?) {
        #expect(SpaceArgument(argument: text)?.bytes == bytes)
        guard let bytes else { return }
        let again = SpaceArgument(argument: text).flatMap { SpaceArgument(argument: $0.text) }
        #expect(again?.bytes == bytes)
    }

    /// A drive that began at this time; unit: s after the others' beginning.
    private func drive(_ store: TripStore, at second: Int64, readings: Int = 1) throws -> Int64 {
        let start = UTC(microseconds: Fixtures.start.microseconds + second * 1_000_000)
        let anchor = TimeAnchor(monotonic: Fixtures.anchor.monotonic, utc: start)
        let writer = try Fixtures.begin(store, anchor: anchor, waiting: 100_000)
        for number in 0..<readings {
            #expect(
                writer.offer([Fixtures.rpm(900)], at: Fixtures.after(Double(number) / 1000)))
        }
        try writer.end(.stopped, at: Fixtures.after(1))
        return writer.trip
    }

    @Test func `positions are deleted by their age, also those of drives with a name`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        func drive(_ second: Int64) throws -> Int64 {
            let start = UTC(microseconds: Fixtures.start.microseconds + second * 1_000_000)
            let writer = try Fixtures.begin(
                store, anchor: TimeAnchor(monotonic: Fixtures.anchor.monotonic, utc: start))
            let position = try #require(Position(latitude: 48, longitude: 11))
            #expect(writer.offer([Fixtures.rpm(900)], at: Fixtures.after(0.5)))
            #expect(writer.offer(.position(position), at: Fixtures.after(1)))
            try writer.end(.stopped, at: Fixtures.after(2))
            return writer.trip
        }
        let (named, owed, young) = (try drive(0), try drive(10), try drive(20))
        try store.setName("holiday", ofTrip: named)
        let limit = Fixtures.start.later(by: 20_000_000)
        #expect(try store.deletePositions(endedBefore: limit, except: [owed]) == 1)
        let left = try scratch.sql {
            try $0.values(Int64.self, "SELECT trip FROM position ORDER BY trip")
        }
        #expect(left == [owed, young])
        #expect(try store.trip(named).readings == 1)
        #expect(try store.deletePositions(endedBefore: limit, except: [owed]) == 0)
    }

    @Test func `no byte of a deleted position stays in the files`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        // What the library does by itself depends on how it was built.
        try store.write { try $0.execute("PRAGMA secure_delete = OFF") }
        let writer = try Fixtures.begin(store)
        let (latitude, longitude) = (48.137_251, 11.575_482)
        for second in 0..<400 {
            let position = try #require(Position(latitude: latitude, longitude: longitude))
            #expect(writer.offer(.position(position), at: Fixtures.after(Double(second))))
        }
        try writer.end(.stopped, at: Fixtures.after(400))
        func isStored() throws -> Bool {
            try ["", "-wal"].contains { ending in
                let url = URL(filePath: scratch.path() + ending)
                guard FileManager.default.fileExists(atPath: url.path) else { return false }
                let bytes = try Data(contentsOf: url)
                return [latitude, longitude].contains { number in
                    let stored = withUnsafeBytes(of: number.bitPattern.bigEndian) { Data($0) }
                    return bytes.range(of: stored) != nil
                }
            }
        }
        #expect(try isStored())
        #expect(try store.deletePositions(endedBefore: Fixtures.start.later(by: 1 << 40)) == 1)
        #expect(try !isStored())
        let usual = try store.write { try $0.value(Int64.self, "PRAGMA secure_delete") }
        #expect(usual == 0, "deleting whole trips stays fast")
    }

    /// The trips in the file, deleted ones too.
    private func all(_ scratch: Scratch) throws -> [Int64] {
        try scratch.sql { try $0.values(Int64.self, "SELECT id FROM trip ORDER BY id") }
    }

    /// Deletes until no trip is left that may go, because the disk stays full.
    private func clear(
        _ store: TripStore, except kept: Set<Int64> = [], mayDelete: Bool = true
    ) throws -> TripStore.Clearing? {
        try store.makeRoom(1 << 40, except: { kept }, mayDelete: mayDelete, disk: { 0 })
    }

    @Test func `the oldest delivered drives are deleted first, and only as many as needed`() throws
    {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        // The numbers are not the order: trips are imported and merged.
        let newest = try drive(store, at: 3000)
        let oldest = try drive(store, at: 0)
        let owed = try drive(store, at: 1000)
        let middle = try drive(store, at: 2000)
        var free: Int64 = 0
        let enough = try store.makeRoom(5, except: { [owed] }, disk: { 5 })
        #expect(enough == nil)
        #expect(try store.makeRoom(5, except: { [owed] }, disk: { nil }) == nil)
        let one = try #require(
            try store.makeRoom(1 << 40, except: { [owed] }) {
                // The disk is found to have room after the first drive is gone.
                free = (try? all(scratch).count) == 3 ? 1 << 40 : 0
                return free
            })
        #expect(one.trips == [oldest] && one.forgotten == 0 && one.room >= 1 << 40)
        let rest = try #require(try clear(store, except: [owed]))
        #expect(rest.trips == [middle, newest] && rest.room < 1 << 40)
        #expect(try all(scratch) == [owed])
        #expect(throws: TripEditFault.nothingToUndo) { try store.undoEdit() }
    }

    /// Each of them is kept for one reason alone.
    @Test func `no trip is deleted that is open, named, tagged, noted, read or of a wrong clock`()
        throws
    {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let named = try drive(store, at: 0)
        let tagged = try drive(store, at: 1)
        let noted = try drive(store, at: 2)
        let unset = try drive(store, at: 3)
        try store.setName("to the sea", ofTrip: named)
        try store.setTags(["holiday"], ofTrip: tagged)
        try store.addNote("noise", toTrip: noted)
        try scratch.sql {
            try $0.execute("UPDATE trip SET clock = 'unset' WHERE id = ?", [unset])
        }
        let scan = try Fixtures.begin(store, purpose: .scan)
        try scan.end(.stopped, at: Fixtures.after(1))
        let open = try Fixtures.begin(store)
        let kept = [named, tagged, noted, unset, scan.trip, open.trip]
        #expect(try clear(store)?.trips == [])
        #expect(try all(scratch) == kept.sorted())
        try open.end(.stopped, at: Fixtures.after(2))
        #expect(try clear(store)?.trips == [open.trip])
    }

    @Test func `trips that were deleted before are erased first, and no others without a sink`()
        throws
    {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let drives = [try drive(store, at: 0), try drive(store, at: 1), try drive(store, at: 2)]
        try store.deleteTrips([drives[2]])
        let first = try #require(try clear(store, mayDelete: false))
        #expect(first.forgotten == 1 && first.trips == [])
        #expect(try all(scratch) == [drives[0], drives[1]])
        #expect(throws: TripEditFault.nothingToUndo) { try store.undoEdit() }
    }

    @Test func `a long trip is deleted in steps that keep the write-ahead log short`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let long = try drive(store, at: 0, readings: 50_000)
        let before = try #require(try store.room(disk: 0))
        var logs: [UInt64] = []
        #expect(
            try store.makeRoom(1 << 40, except: { [] }) {
                let log = try? FileManager.default.attributesOfItem(atPath: store.path + "-wal")
                logs.append(log?[.size] as? UInt64 ?? 0)
                return 0
            }?.trips == [long])
        // Only before the first step there was the log of the recording.
        #expect(logs.count > 2 && logs.dropFirst().allSatisfy { $0 == 0 })
        // Its pages are free for other readings.
        #expect(try #require(try store.room(disk: 0)) > before + 500_000)
        #expect(try store.check() == [])
    }

    @Test func `after an interrupted deletion the trip is not shown, restored or called a fault`()
        throws
    {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let trip = try drive(store, at: 0, readings: 100)
        let other = try drive(store, at: 10)
        try scratch.sql { database in
            try database.execute("UPDATE trip SET deleted = start WHERE id = ?", [trip])
            try database.execute("DELETE FROM reading WHERE trip = ? AND t < 50000", [trip])
        }
        #expect(try store.trips().map(\.id) == [other])
        #expect(try store.check() == [])
        #expect(throws: TripEditFault.nothingToUndo) { try store.undoEdit() }
        #expect(try clear(store, except: [other])?.forgotten == 1)
        #expect(try all(scratch) == [other])
    }
}
