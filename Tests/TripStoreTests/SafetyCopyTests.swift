import Diagnostics
import Foundation
import OBDCore
import SystemIO
import Testing

@testable import TripStore

/// Trips whose newest rows are in memory and not in the database.
@Suite struct SafetyCopyTests {
    private let scratch: Scratch
    private let store: TripStore

    init() throws {
        scratch = try Scratch()
        store = try Self.open(scratch)
    }

    /// A folder of the test in place of the file system in memory.
    private static func open(
        _ scratch: Scratch, _ access: TripStore.Access = .readWrite
    ) throws -> TripStore {
        var limits = TripStore.Limits()
        limits.memory = scratch.url.path
        return try TripStore(path: scratch.path(), access: access, limits: limits)
    }

    private func begin(_ store: TripStore) throws -> TripWriter {
        try store.startTrip(
            TripStart(purpose: .log, anchor: Fixtures.anchor), table: Fixtures.table,
            limits: .init(commitEvery: .seconds(3600), copies: true))
    }

    /// The copies of a place's databases.
    private static func copies(_ place: Scratch) -> [String] {
        let folder = place.path("obdscan-\(geteuid())")
        return Files.names(in: folder).filter { !$0.hasSuffix("-journal") }.map {
            folder + "/" + $0
        }
    }

    /// The values of RPM in a database, in their order.
    private static func speeds(_ place: Scratch) throws -> [Double] {
        try place.sql {
            try $0.values(Double.self, "SELECT value FROM reading ORDER BY trip, t, sequence")
        }
    }

    /// Repeats until another thread has done something.
    private func eventually<Value>(_ found: () throws -> Value?) async throws -> Value {
        for _ in 0..<1500 {
            if let value = try found() { return value }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw StoreError.missing(path: "it did not happen within 30 s")
    }

    /// A trip with one committed reading, 800, and `count` readings in memory, 900 and so on.
    private func record(_ count: Int, in store: TripStore? = nil) async throws -> TripWriter {
        let writer = try begin(store ?? self.store)
        #expect(writer.offer([Fixtures.rpm(800)], at: Fixtures.after(1)))
        // Its channel is new, so it cannot be copied.
        _ = try await eventually { try Self.speeds(scratch) == [800] ? true : nil }
        for number in 0..<count {
            let time = Fixtures.after(2 + Double(number))
            #expect(writer.offer([Fixtures.rpm(900 + Double(number))], at: time))
        }
        return writer
    }

    /// What a kill would leave: the database and the copy with `count` rows, in another place.
    ///
    /// `sql` changes the database.
    private func killed(_ count: Int, _ sql: String = "") async throws -> Scratch {
        let place = try Scratch()
        try Connection(scratch.path()).access { source in
            let target = try Connection(place.path())
            try target.access {
                try source.backup(to: $0)
                try $0.execute(
                    "UPDATE trip SET writer = 'boot:1:1' WHERE end_reason IS NULL; " + sql)
            }
            try target.close()
        }
        let folder = place.path("obdscan-\(geteuid())")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let name = SafetyCopy.Name(
            inode: Files.inode(place.path()), trip: 1,
            monotonic: Fixtures.anchor.monotonic.nanoseconds)
        let copy = "\(folder)/\(name.text)"
        _ = try await eventually { () -> Bool? in
            guard let path = Self.copies(scratch).first else { return nil }
            for end in ["", "-journal"] {
                try? FileManager.default.removeItem(atPath: copy + end)
                try FileManager.default.copyItem(atPath: path + end, toPath: copy + end)
            }
            // It may have been copied in the middle of a transaction.
            let rows = try? Connection(copy).access {
                try $0.execute("UPDATE source SET writer = 'boot:1:1'")
                return try $0.value(Int.self, "SELECT count(*) FROM reading")
            }
            return rows == count ? true : nil
        }
        return place
    }

    @Test func `rows in memory are stored once by the next process after a kill`() async throws {
        let writer = try await record(3)
        let event = TripEvent(.timeout, text: "no answer")
        #expect(writer.offer(.event(event), at: Fixtures.after(60)))
        #expect(writer.offer([Fixtures.rpm(903)], at: Fixtures.after(5)))
        let place = try await killed(4)
        #expect(try Self.speeds(scratch) == [800])
        let copy = try #require(Self.copies(place).first)
        let kept = try Data(contentsOf: URL(filePath: copy))
        for _ in 0..<2 {
            let next = try Self.open(place)
            let trip = try next.trip(1)
            #expect(trip.endReason == .crashed)
            #expect(trip.readings == 5 && trip.seconds == 60)
            #expect(try Self.speeds(place) == [800, 900, 901, 902, 903])
            #expect(try next.eventCounts(ofTrip: 1).map(\.count) == [1])
            #expect(try next.check() == [])
            #expect(next.copiesLeft == [])
            #expect(Self.copies(place) == [])
            // A kill between the commit and the removal of the copy leaves the copy.
            next.closeFile()
            try kept.write(to: URL(filePath: copy))
        }
        try writer.end(.stopped, at: Fixtures.after(61))
        #expect(try Self.speeds(scratch) == [800, 900, 901, 902, 903])
        #expect(try store.trip(1).endReason == .stopped)
    }

    /// The number of positions that a database's trip has.
    private static func positions(_ place: Scratch) throws -> Int? {
        try place.sql { try $0.value(Int.self, "SELECT count(*) FROM position") }
    }

    /// A position of a time in which another vehicle may be connected.
    @Test func `what is held is taken after a kill, and not again after it was settled`()
        async throws
    {
        let writer = try await record(0)
        let position = try #require(Position(latitude: 50, longitude: 8))
        #expect(writer.offer(.held(.position(position)), at: Fixtures.after(3)))
        #expect(writer.offer([Fixtures.rpm(900)], at: Fixtures.after(4)))
        let place = try await killed(1)
        #expect(try Self.positions(place) == 0)
        let copy = try #require(Self.copies(place).first)
        let kept = try Data(contentsOf: URL(filePath: copy))
        _ = try Self.open(place)
        #expect(try Self.positions(place) == 1)

        #expect(writer.offer(.settleHeld(keeps: true), at: Fixtures.after(5)))
        try writer.flush()
        #expect(try Self.positions(scratch) == 1)
        // A kill between the commit and the removal of the copy.
        let later = try await killed(0)
        let old = try #require(Self.copies(later).first)
        try kept.write(to: URL(filePath: old))
        let next = try Self.open(later)
        #expect(next.copiesLeft == [])
        #expect(try Self.positions(later) == 1)
        #expect(try Self.speeds(later) == [800, 900])
        try writer.end(.stopped, at: Fixtures.after(6))
        #expect(try Self.positions(scratch) == 1)
    }

    @Test func `the copy is empty after a commit, and gone after the end`() async throws {
        let writer = try await record(3)
        _ = try await killed(3)
        try writer.flush()
        _ = try await killed(0)
        #expect(writer.offer([Fixtures.rpm(910)], at: Fixtures.after(9)))
        _ = try await killed(1)
        try writer.end(.stopped, at: Fixtures.after(10))
        #expect(Self.copies(scratch) == [])
        #expect(try Self.speeds(scratch) == [800, 900, 901, 902, 910])
    }

    @Test func `a note and a new channel are on the disk within a second`() async throws {
        let writer = try await record(2)
        #expect(writer.offer(.note("here"), at: Fixtures.after(5)))
        _ = try await eventually { try Self.speeds(scratch).count == 3 ? true : nil }
        #expect(writer.offer(.voltage(12.5), at: Fixtures.after(6)))
        _ = try await eventually { try Self.speeds(scratch).count == 4 ? true : nil }
        try writer.end(.stopped, at: Fixtures.after(7))
    }

    @Test func `without a copy in memory, readings are on the disk within a second`() async throws {
        try FileManager.default.createDirectory(
            atPath: scratch.path("obdscan-\(geteuid())"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o777])
        // Others could write there.
        chmod(scratch.path("obdscan-\(geteuid())"), 0o777)
        let writer = try await record(2)
        _ = try await eventually { try Self.speeds(scratch).count == 3 ? true : nil }
        #expect(Self.copies(scratch) == [])
        try writer.end(.stopped, at: Fixtures.after(7))
    }

    @Test func `the rows of a living process stay in memory`() async throws {
        let writer = try await record(2)
        let path = try await eventually { Self.copies(scratch).first }
        let other = try Self.open(scratch)
        #expect(!other.hasWaitingCopies && other.copiesLeft == [])
        #expect(Self.copies(scratch) == [path])
        #expect(try other.trip(1).endReason == nil)
        try writer.end(.stopped, at: Fixtures.after(9))
        #expect(try Self.speeds(scratch) == [800, 900, 901])
    }

    @Test func `a store that only reads does not touch the copy`() async throws {
        let writer = try await record(2)
        let place = try await killed(2)
        let reader = try Self.open(place, .readOnly)
        #expect(reader.hasWaitingCopies)
        #expect(Self.copies(place).count == 1)
        reader.takeWaitingCopies()
        #expect(!reader.hasWaitingCopies && reader.copiesLeft == [] && Self.copies(place) == [])
        #expect(try reader.trip(1).readings == 3)
        try writer.end(.stopped, at: Fixtures.after(9))
    }

    @Test(arguments: ["UPDATE trip SET monotonic = 7", "UPDATE trip SET writer = 'boot:2:2'"])
    func `rows of another trip are neither stored nor removed`(_ sql: String) async throws {
        let writer = try await record(2)
        let place = try await killed(2, sql)
        let next = try Self.open(place)
        #expect(try next.trip(1).readings == 1 && next.trip(1).endReason == .crashed)
        #expect(Self.copies(place).count == 1)
        try writer.end(.stopped, at: Fixtures.after(9))
    }

    @Test func `a damaged copy is reported and kept`() async throws {
        let writer = try await record(2)
        for damage in [Data("no database at all, but long enough".utf8), nil] {
            let place = try await killed(2)
            let path = try #require(Self.copies(place).first)
            let whole = try Data(contentsOf: URL(filePath: path))
            try (damage ?? whole.prefix(5000)).write(to: URL(filePath: path))
            let next = try Self.open(place)
            #expect(try next.trip(1).readings == 1 && next.trip(1).endReason == .crashed)
            #expect(next.copiesLeft.map(\.trip) == [1])
            #expect(next.copiesLeft.map(\.path) == [path] && Self.copies(place) == [path])
            #expect(try next.check() == [])
            let reader = try Self.open(place, .readOnly)
            reader.takeWaitingCopies()
            #expect(reader.copiesLeft == next.copiesLeft)
            #expect(reader.copiesLeft.first?.text.contains("rows of trip 1,") == true)
        }
        try writer.end(.stopped, at: Fixtures.after(9))
    }

    @Test func `a trip that another program closed gets its rows in memory unless it was edited`()
        async throws
    {
        let writer = try await record(2)
        let closed = "UPDATE trip SET end_reason = 'crashed', writer = NULL;"
        let place = try await killed(2, closed)
        #expect(try Self.open(place).trip(1).readings == 3)
        #expect(Self.copies(place) == [])
        let edit =
            "INSERT INTO trip_edit (time, action, trip, before) VALUES (1, 'shift', 1, '[]');"
        let changed = try await killed(2, closed + edit)
        let next = try Self.open(changed)
        #expect(try next.trip(1).readings == 1)
        #expect(next.copiesLeft.map(\.reason) == ["the trip was changed since"])
        #expect(Self.copies(changed).count == 1)
        try writer.end(.stopped, at: Fixtures.after(9))
    }

    @Test func `an edit of a trip whose process died first stores the trip's rows in memory`()
        async throws
    {
        let writer = try await record(3)
        let place = try await killed(3)
        let alive = try #require(WriterIdentity.current()?.text)
        try place.sql { try $0.execute("UPDATE trip SET writer = ?", [alive]) }
        let next = try Self.open(place)
        #expect(try next.trip(1).endReason == nil)
        try place.sql { try $0.execute("UPDATE trip SET writer = 'boot:1:1'") }
        let new = try next.splitTrip(1, at: Fixtures.start.later(by: 3_500_000))
        #expect(try next.trip(1).readings == 3 && next.trip(new).readings == 1)
        #expect(Self.copies(place) == [])
        try writer.end(.stopped, at: Fixtures.after(9))
    }

    @Test func `rows that a full disk refuses at the end stay in memory`() async throws {
        let size = try store.read { try $0.value(Int.self, "PRAGMA page_count") ?? 0 } * 4096
        var limits = TripStore.Limits(size: size)
        limits.memory = scratch.url.path
        let small = try TripStore(path: scratch.path(), limits: limits)
        let writer = try await record(300, in: small)
        let place = try await killed(300)
        #expect(throws: StoreError.self) { try writer.end(.stopped, at: Fixtures.after(999)) }
        #expect(Self.copies(scratch).count == 1)
        // The next start opens it anyway, because only a store that is open can make room.
        limits.memory = place.url.path
        let full = try TripStore(path: place.path(), limits: limits)
        #expect(try full.trip(1).isAbandoned && full.trip(1).readings == 1)
        full.closeFile()
        #expect(try Self.open(place).trip(1).readings == 301)
    }

    /// With a commit per second nothing is copied before.
    @Test(.enabled(if: access("/dev/shm", W_OK) == 0, "there is no file system in memory"))
    func `what a full disk refuses at the end goes to memory, and what cannot go there is counted`()
        throws
    {
        let memory = "/dev/shm/obdscan-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: memory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: memory) }
        let size = try store.read { try $0.value(Int.self, "PRAGMA page_count") ?? 0 } * 4096
        var limits = TripStore.Limits(size: size + 8 * 4096)
        limits.memory = memory
        let small = try TripStore(path: scratch.path(), limits: limits)
        let writer = try Fixtures.begin(small, waiting: 100_000)
        func fill(_ seconds: Range<Int>) {
            for second in seconds {
                let items = (0..<10).map { _ in Fixtures.rpm(Double(second)) }
                #expect(writer.offer(items, at: Fixtures.after(Double(second))))
            }
        }
        fill(0..<10)
        try writer.flush()
        fill(10..<1000)
        #expect(writer.offer(.note("rattles"), at: Fixtures.after(999)))
        let full = StoreError.full(path: scratch.path())
        #expect(throws: StoreError.kept(entries: 9900, lost: 1, full)) {
            try writer.end(.stopped, at: Fixtures.after(1000))
        }
        #expect(try store.trip(writer.trip).readings == 100)
        // The next program, with room: this one is alive, so its trip would be left alone.
        let folder = "\(memory)/obdscan-\(geteuid())"
        let copy = try #require(Files.names(in: folder).first { !$0.hasSuffix("-journal") })
        try Connection("\(folder)/\(copy)").access {
            try $0.execute("UPDATE source SET writer = 'boot:1:1'")
        }
        try scratch.sql { try $0.execute("UPDATE trip SET writer = 'boot:1:1'") }
        limits = TripStore.Limits()
        limits.memory = memory
        let next = try TripStore(path: scratch.path(), limits: limits)
        #expect(try next.trip(writer.trip).readings == 10_000)
        #expect(try next.check() == [])
        #expect(Files.names(in: folder).isEmpty)
    }

    @Test func `a merge and a recovery include the rows in memory, and keep their file`()
        async throws
    {
        let writer = try await record(3)
        let place = try await killed(3)
        var limits = TripStore.Limits()
        limits.memory = place.url.path
        let merged = try TripStore(path: place.path("merged.db"), limits: limits)
        #expect(try merged.merge(from: place.path()).trips == [1])
        #expect(try merged.trip(1).readings == 4 && merged.check() == [])
        let saved = try TripStore(path: place.path("saved.db"), limits: limits)
        try place.sql { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        #expect(try saved.salvage(from: place.path()).rows["reading"] == 4)
        #expect(try saved.trip(1).readings == 4 && saved.check() == [])
        #expect(Self.copies(place).count == 1)
        #expect(try Self.open(place).trip(1).readings == 4)
        try writer.end(.stopped, at: Fixtures.after(9))
    }
}
