import Diagnostics
import Foundation
import OBDCore
import Testing

@testable import TripStore

/// Positions and events of a time in which another vehicle may be connected.
@Suite struct HeldRowsTests {
    private let scratch: Scratch
    private let store: TripStore

    init() throws {
        scratch = try Scratch()
        store = try TripStore(path: scratch.path())
    }

    private func place(_ latitude: Double) throws -> TripEntry {
        .position(try #require(Position(latitude: latitude, longitude: 8)))
    }

    /// The latitudes and the texts of events of a trip by their time.
    private func contents(_ trip: Int64) throws -> [String] {
        var found: [String] = []
        try store.readings(ofTrip: trip).forEachRecord { time, record in
            let seconds = (time.microseconds - Fixtures.anchor.utc.microseconds) / 1_000_000
            switch record {
            case .position(let position): found.append("\(seconds) \(position.latitude)")
            case .event(let event): found.append("\(seconds) \(event.text)")
            default: return
            }
        }
        return found
    }

    private func waiting() throws -> [Int] {
        try scratch.sql { database in
            try HeldRows.tables.map {
                try database.value(Int.self, "SELECT count(*) FROM \($0) WHERE settled = 0") ?? -1
            }
        }
    }

    private func rows() throws -> Int {
        try scratch.sql { database in
            try HeldRows.tables.reduce(0) {
                try $0 + (database.value(Int.self, "SELECT count(*) FROM \($1)") ?? -1)
            }
        }
    }

    /// A trip with a place, and with two places and an event that wait on the disk.
    private func hold() throws -> TripWriter {
        let writer = try Fixtures.begin(store)
        #expect(writer.offer(try place(1), at: Fixtures.after(1)))
        #expect(writer.offer(.held(try place(2)), at: Fixtures.after(2)))
        let gap = TripEvent(.gap, text: "no position", duration: .seconds(1))
        #expect(writer.offer(.held(.event(gap)), at: Fixtures.after(3)))
        #expect(writer.offer(.held(try place(4)), at: Fixtures.after(4)))
        try writer.flush()
        #expect(try contents(writer.trip) == ["1 1.0"])
        #expect(try waiting() == [1, 2])
        return writer
    }

    @Test(
        arguments: [
            (true, ["1 1.0", "2 2.0", "3 no position", "4 4.0", "5 5.0"]),
            (false, ["1 1.0", "5 5.0"]),
        ] as [(Bool, [String])])
    func `a trip gets what waits if its vehicle is the same`(
        isSame: Bool, expected: [String]
    ) throws {
        let writer = try hold()
        #expect(writer.offer(.settleHeld(keeps: isSame), at: Fixtures.after(5)))
        #expect(writer.offer(try place(5), at: Fixtures.after(5)))
        try writer.flush()
        #expect(try contents(writer.trip) == expected)
        #expect(try waiting() == [0, 0])
        // A second loss.
        #expect(writer.offer(.held(try place(6)), at: Fixtures.after(6)))
        #expect(writer.offer(.settleHeld(keeps: false), at: Fixtures.after(7)))
        try writer.end(.stopped, at: Fixtures.after(8))
        #expect(try contents(writer.trip) == expected)
        #expect(try rows() == 0)
        #expect(try store.check() == [])
    }

    /// A reader may have read rows with later times before.
    @Test func `a trip whose process died gets what waits, and its readers do, too`() throws {
        let writer = try hold()
        let clock = TripEvent(.clockSet, text: "clock")
        #expect(writer.offer(.event(clock), at: Fixtures.after(9)))
        try writer.flush()
        var cursors: [TripTail.Table: TripCursor] = [:]
        func tail(_ table: TripTail.Table) throws -> Int {
            let tail = try #require(
                try TripTailReader(store).read(
                    table, ofTrip: writer.trip, after: cursors[table] ?? TripCursor(), limit: 100))
            cursors[table] = tail.cursor
            return tail.items.count
        }
        #expect(try tail(.positions) == 1 && tail(.events) == 1)
        try scratch.sql { try $0.execute("UPDATE trip SET writer = 'boot:1:1'") }
        for _ in 0..<2 {
            let next = try TripStore(path: scratch.path())
            #expect(try next.trip(writer.trip).endReason == .crashed)
            #expect(
                try contents(writer.trip)
                    == ["1 1.0", "2 2.0", "3 no position", "4 4.0", "9 clock"])
            #expect(try rows() == 0)
            #expect(try next.check() == [])
            next.closeFile()
        }
        #expect(try tail(.positions) == 2 && tail(.events) == 1)
        #expect(try tail(.positions) == 0 && tail(.events) == 0)
    }

    @Test func `a trip that ends without a word gets what waits, and its last time`() throws {
        let writer = try hold()
        try writer.end(.linkLost, at: Fixtures.after(1))
        #expect(try contents(writer.trip) == ["1 1.0", "2 2.0", "3 no position", "4 4.0"])
        #expect(try store.trip(writer.trip).seconds == 4)
    }
}
