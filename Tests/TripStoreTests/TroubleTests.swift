import Diagnostics
import Dispatch
import Foundation
import Glibc
import OBDCore
import Testing

@testable import TripStore

@Suite struct TroubleTests {
    private func fill(_ writer: TripWriter, seconds: Range<Int>) {
        for second in seconds {
            let items = (0..<10).map { _ in Fixtures.rpm(Double(second)) }
            #expect(writer.offer(items, at: Fixtures.after(Double(second))))
        }
    }

    @Test func `on a full disk stored rows stay, and new rows wait in memory for space`()
        throws
    {
        let scratch = try Scratch()
        let roomy = try TripStore(path: scratch.path())
        let old = try Fixtures.begin(roomy, waiting: 100_000)
        fill(old, seconds: 0..<2000)
        try old.end(.stopped, at: Fixtures.after(2000))
        try scratch.sql { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        let size =
            try scratch.sql {
                try $0.value(Int.self, "PRAGMA page_count") ?? 0
            } * 4096

        let notices = Notices()
        let store = try TripStore(path: scratch.path(), limits: .init(size: size + 16 * 4096))
        let writer = try Fixtures.begin(store, waiting: 5000, held: 8000, notices: notices)
        fill(writer, seconds: 0..<50)
        try writer.flush()
        let stored = try store.trip(writer.trip).readings
        #expect(stored == 500)

        let full = StoreError.full(path: scratch.path())
        fill(writer, seconds: 50..<450)
        #expect(throws: full) { try writer.flush() }
        // More items come than the queue would take while the disk works.
        fill(writer, seconds: 450..<1050)
        #expect(throws: full) { try writer.flush() }
        #expect(try store.trip(writer.trip).readings == stored)
        #expect(notices.all.contains(.holding(full, items: 4000)))
        #expect(notices.all.contains(.holding(full, items: 8000)))
        #expect(notices.all.contains(.dropped(items: 2000)))

        try roomy.deleteTrip(old.trip)
        try writer.flush()
        #expect(notices.all.last == .recovered)
        try writer.end(.stopped, at: Fixtures.after(1050))
        #expect(try store.trip(writer.trip).readings == 500 + 8000)
        var events: [(Int64, TripEvent)] = []
        try store.readings(ofTrip: writer.trip).forEachRecord { time, record in
            if case .event(let event) = record {
                events.append(
                    ((time.microseconds - Fixtures.start.microseconds) / 1_000_000, event))
            }
        }
        #expect(events.map(\.0) == [50])
        #expect(
            events.map(\.1) == [
                TripEvent(
                    .gap, text: "2000 entries could not be stored", duration: .seconds(199))
            ])
        #expect(try store.check() == [])
    }

    @Test func `a trip that ends on a full disk reports the lost rows and keeps the stored rows`()
        throws
    {
        let scratch = try Scratch()
        let roomy = try TripStore(path: scratch.path())
        let size = try roomy.read { try $0.value(Int.self, "PRAGMA page_count") ?? 0 } * 4096
        var limits = TripStore.Limits(size: size + 8 * 4096)
        // Not a file system in memory.
        limits.memory = scratch.url.path
        let store = try TripStore(path: scratch.path(), limits: limits)
        let writer = try Fixtures.begin(store, waiting: 100_000)
        fill(writer, seconds: 0..<10)
        try writer.flush()
        fill(writer, seconds: 10..<1000)
        #expect(throws: StoreError.lost(entries: 9900, .full(path: scratch.path()))) {
            try writer.end(.stopped, at: Fixtures.after(1000))
        }
        #expect(!writer.offer([Fixtures.rpm(1)], at: Fixtures.after(1001)))
        #expect(try roomy.trip(writer.trip).readings == 100)
    }

    @Test func `while another program locks the database, rows are held in memory after a wait`()
        throws
    {
        let scratch = try Scratch()
        let store = try TripStore(
            path: scratch.path(), limits: .init(patience: .milliseconds(1)))
        let writer = try Fixtures.begin(store)
        fill(writer, seconds: 0..<5)
        try scratch.sql { database in
            try database.execute("BEGIN IMMEDIATE")
            #expect(throws: StoreError.locked(path: scratch.path())) { try writer.flush() }
            #expect(throws: StoreError.locked(path: scratch.path())) {
                try store.setTags(["a"], ofTrip: writer.trip)
            }
            try database.execute("COMMIT")
        }
        try writer.flush()
        try writer.end(.stopped, at: Fixtures.after(5))
        #expect(try store.trip(writer.trip).readings == 50)
    }

    @Test func `an impossible entry is left out, all other entries are stored`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let notices = Notices()
        let writer = try Fixtures.begin(store, notices: notices)
        fill(writer, seconds: 0..<2)
        let impossible = ECUMessage(ecu: nil, payload: [1], parameterGroup: .max)
        #expect(
            writer.offer(
                [Fixtures.rpm(1), .message(impossible), Fixtures.rpm(2)], at: Fixtures.after(2)))
        fill(writer, seconds: 3..<5)
        try writer.flush()
        guard case .rejected(let items, let message) = notices.all.first else {
            Issue.record("\(notices.all)")
            return
        }
        #expect(items == 3 && message.contains("pgn"))
        try writer.end(.stopped, at: Fixtures.after(5))
        #expect(try store.trip(writer.trip).readings == 40)
        #expect(try store.readings(ofTrip: writer.trip).signals.map(\.readings) == [40])
    }

    @Test func `nothing more is written to a trip that was deleted during its recording`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let notices = Notices()
        let writer = try Fixtures.begin(store, notices: notices)
        fill(writer, seconds: 0..<1)
        try writer.flush()
        try scratch.sql { try $0.execute("DELETE FROM trip") }
        fill(writer, seconds: 1..<3)
        let unknown = StoreError.unknownTrip(writer.trip, path: scratch.path())
        #expect(throws: unknown) { try writer.flush() }
        #expect(notices.all == [.holding(unknown, items: 20)])
        #expect(throws: StoreError.lost(entries: 20, unknown)) {
            try writer.end(.stopped, at: Fixtures.after(3))
        }
        #expect(try store.check() == [])
    }

    /// The child process stores ten seconds, offers ten more, and is killed.
    @Test func `a killed process loses only rows that it had not committed`() async throws {
        let scratch = try Scratch()
        let path = scratch.path()
        // The closure may capture nothing with Swift 6.2.
        setenv("OBDSCAN_KILLED_DATABASE", path, 1)
        defer { unsetenv("OBDSCAN_KILLED_DATABASE") }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let store = try TripStore(
                path: String(cString: getenv("OBDSCAN_KILLED_DATABASE")))
            let writer = try Fixtures.begin(store)
            for second in 0..<20 {
                if second == 10 { try writer.flush() }
                _ = writer.offer([Fixtures.rpm(Double(second))], at: Fixtures.after(Double(second)))
            }
            kill(getpid(), SIGKILL)
        }
        // A reader sees that the process crashed, but does not write that down.
        let reader = try TripStore(path: path, access: .readOnly)
        #expect(try reader.trip(1).endReason == .crashed)
        #expect(try reader.trips().map(\.endReason) == [.crashed])
        try scratch.sql { database in
            let reason = try database.value(String.self, "SELECT end_reason FROM trip")
            #expect(reason == nil)
        }
        let store = try TripStore(path: path)
        let trip = try store.trip(1)
        #expect(trip.endReason == .crashed && trip.readings == 10 && trip.seconds == 9)
        var found: [Double] = []
        try store.readings(ofTrip: 1).forEach { _, reading in
            if case .number(let value) = reading.value { found.append(value) }
        }
        #expect(found == (0..<10).map(Double.init))
        #expect(try store.check() == [])
    }

    @Test func `a trip whose process lives does not count as abandoned`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        fill(writer, seconds: 0..<1)
        try writer.flush()
        let second = try TripStore(path: scratch.path())
        #expect(try second.trip(writer.trip).endReason == nil)
        try writer.end(.stopped, at: Fixtures.after(1))
        #expect(try second.trip(writer.trip).endReason == .stopped)
    }

    @Test(arguments: ["", "x", "boot:1:1", "::", "boot:99999999999:1", "a:b:c:d"])
    func `a process with an impossible identity is not alive`(_ text: String) {
        #expect(!WriterIdentity(text: text).isAlive)
    }

    @Test func `a process is distinguished from a later process with the same number`() throws {
        let own = try #require(WriterIdentity.current())
        #expect(own.isAlive)
        #expect(!WriterIdentity(text: own.text + "1").isAlive)
    }

    @Test func `entries are stored without a flush`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let space = DispatchSemaphore(value: 0)
        let writer = try store.startTrip(
            TripStart(anchor: Fixtures.anchor), table: Fixtures.table,
            limits: .init(commitEvery: .milliseconds(1), waiting: 10)
        ) { if $0 == .space { space.signal() } }
        // Each offer has three items and the queue holds ten, so most offers wait for the writer.
        for second in 0..<50 {
            let items = [Fixtures.rpm(1), Fixtures.rpm(2), Fixtures.rpm(3)]
            while !writer.offer(items, at: Fixtures.after(Double(second))) { space.wait() }
        }
        try writer.end(.stopped, at: Fixtures.after(50))
        #expect(try store.trip(writer.trip).readings == 150)
    }
}
