import Diagnostics
import Foundation
import OBDCore
import SystemIO
import Testing

@testable import Engines
@testable import TripStore

/// Records that a sink still needs though it has all readings of their trip.
@Suite final class OwedRecordsTests {
    private let path = NSTemporaryDirectory() + "owed-\(UUID().uuidString)"
    private var database: String { path + "/obdscan.db" }

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private func trip(_ store: TripStore) throws -> TripWriter {
        let anchor = TimeAnchor(monotonic: SystemClock.now(), utc: SystemClock.utc)
        return try store.startTrip(
            TripStart(anchor: anchor, vin: VIN("1HGCM82633A004352")), table: PIDTable())
    }

    /// Everything that the sink needs, which it then has; the totals of trips are another matter.
    private func lines(_ feed: SinkFeed, _ deliveries: DeliveryStore) throws -> [String] {
        try feed.refresh(now: SystemClock.utc)
        var found: [String] = []
        while let batch = try feed.next() {
            found += String(decoding: batch.lines, as: UTF8.self).split(separator: "\n").map {
                String($0.prefix { $0 != "," })
            }
            try deliveries.acknowledge(
                batch.key, batch.table, batch.cursor, by: "sink", at: SystemClock.utc)
            if let settled = batch.settled {
                try deliveries.settle(batch.key, readings: settled, for: "sink")
            }
        }
        return found.filter { $0 != "obd_trip" }
    }

    private func feed() throws -> (SinkFeed, DeliveryStore) {
        let deliveries = try DeliveryStore(
            path: DeliveryStore.path(of: database), access: .readWrite)
        try deliveries.claim("sink", target: "influx+http://localhost")
        var selection = SinkSelection()
        selection.hasPosition = true
        return (
            try SinkFeed(
                database: database, deliveries: deliveries, sink: "sink", selection: selection,
                limit: 100), deliveries
        )
    }

    @Test func `a trip of a dead process stays undelivered until its rows in memory are stored`()
        throws
    {
        let store = try TripStore(path: database)
        let writer = try trip(store)
        #expect(writer.offer(.voltage(12.5), at: writer.anchor.monotonic + .seconds(1)))
        try writer.flush()
        let died = "UPDATE trip SET writer = 'dead:1:1'"
        try Connection(database).access { try $0.execute(died) }
        let (feed, deliveries) = try feed()
        #expect(try lines(feed, deliveries) == ["obd"])
        #expect(try store.trip(writer.trip).isAbandoned)
        #expect(try store.undelivered(to: ["sink"]) == [writer.trip: ["sink"]])
        // What the next start of `log` takes may have no reading.
        try Connection(database).access {
            try $0.execute(
                """
                INSERT INTO code_report (trip, t, sequence, kind, code)
                VALUES (1, 2000000, 5, 'stored', 'P0301');
                UPDATE trip SET end_reason = 'crashed', writer = NULL;
                """)
        }
        #expect(try lines(feed, deliveries) == ["obd_code"])
        #expect(try store.undelivered(to: ["sink"]).isEmpty)
        #expect(try lines(feed, deliveries) == [])
    }

    @Test func `a drive with positions and without readings is undelivered until it is delivered`()
        throws
    {
        let store = try TripStore(path: database)
        let empty = try trip(store)
        try empty.end(.stopped, at: empty.anchor.monotonic + .seconds(9))
        let writer = try trip(store)
        let position = try #require(Position(latitude: 50, longitude: 8))
        #expect(writer.offer(.position(position), at: writer.anchor.monotonic + .seconds(1)))
        try writer.end(.stopped, at: writer.anchor.monotonic + .seconds(9))
        #expect(try store.undelivered(to: ["sink"]) == [writer.trip: ["sink"]])
        let (feed, deliveries) = try feed()
        #expect(try lines(feed, deliveries) == ["position"])
        #expect(try store.undelivered(to: ["sink"]).isEmpty)
    }
}
