import Diagnostics
import Foundation
import OBDCore
import Testing

@testable import TripStore

@Suite struct MemoryTests {
    private func at(_ day: Int64) -> UTC {
        UTC(microseconds: Fixtures.start.microseconds + day * 86_400_000_000)
    }

    @Test func `an adapter is remembered with all of its properties`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        var adapter = RememberedAccessory(address: "serial:/dev/serial/by-id/usb-FTDI-if00")
        adapter.lineRate = 115_200
        (adapter.name, adapter.firmware) = ("OBDLink SX", "4.3.0")
        adapter.quirks = ["noFrameCount", "echoStays"]
        adapter.vehicleProtocol = .can11At500
        try store.remember(adapter, seen: at(0))
        adapter.quirks = ["noFrameCount"]
        adapter.lineRate = nil
        try store.remember(adapter, seen: at(1))
        adapter.lastSeen = at(1)
        #expect(try store.accessory(at: adapter.address) == adapter)
        try store.remember(RememberedAccessory(address: "tcp:10.0.0.1:35000"), seen: at(2))
        #expect(
            try store.accessories().map(\.address) == ["tcp:10.0.0.1:35000", adapter.address])
    }
}

@Suite struct ViewTests {
    private func store(_ scratch: Scratch) throws {
        let store = try TripStore(path: scratch.path())
        var start = TripStart(anchor: Fixtures.anchor, vin: VIN(Fixtures.vinText), tags: ["home"])
        start.accessory = "sim:"
        let writer = try store.startTrip(start, table: Fixtures.table)
        #expect(writer.offer(TripTests.items, at: Fixtures.after(1.000001)))
        #expect(writer.offer(.voltage(12.3), at: Fixtures.after(2)))
        let event = TripEvent(.linkLost, text: "gone", duration: .milliseconds(1500))
        #expect(writer.offer(.event(event), at: Fixtures.after(3)))
        try writer.end(.stopped, at: Fixtures.after(60))
    }

    private func lines(_ scratch: Scratch, _ sql: String) throws -> [String] {
        try scratch.sql { database in
            try database.rows(sql).map { row in
                try row.columns.map { try row.text($0) }.joined(separator: "|")
            }
        }
    }

    @Test func `readings are readable from sqlite3`() throws {
        let scratch = try Scratch()
        try store(scratch)
        let found = try lines(
            scratch,
            """
            SELECT time, ecu, service, pid, frame, dtc, signal, value, unit, raw, status, code
            FROM readings
            """)
        let time = "2026-11-21T08:15:03.000001Z"
        #expect(
            found == [
                "\(time)|7E8|01|0C|-|-|RPM|1726.25|rpm|1AF9|-|-",
                "\(time)|7E8|01|01|-|-|MIL|1.0|-|81076504|-|-",
                "\(time)|7E8|01|01|-|-|DTC_CNT|1.0|-|81076504|-|-",
                "\(time)|7E8|01|51|-|-|FUEL_TYP|diesel|-|04|-|4",
                "\(time)|7E8|01|51|-|-|FUEL_TYP|-|-|C8|undefined|200",
                "\(time)|7E8|01|0C|-|-|RPM|-|rpm|01|tooShort|-",
                "\(time)|-|01|00|-|-|PIDSUP_00|3191781393.0|-|BE3EB811|-|3191781393",
                "\(time)|7E8|09|02|-|-|VIN|\(Fixtures.vinText)|-|"
                    + Hex.string(Fixtures.vinText.utf8) + "|-|-",
                "\(time)|7E8|02|0C|0|P0301|RPM|1726.0|rpm|1AF8|-|-",
                "2026-11-21T08:15:04.000000Z|-|-|-|-|-|ADAPTER_VOLTAGE|12.3|V||-|-",
            ])
    }

    @Test func `trips, signals, freeze frames, codes and events are readable from sqlite3`() throws
    {
        let scratch = try Scratch()
        try store(scratch)
        #expect(
            try lines(scratch, "SELECT * FROM trips") == [
                "1|log|\(Fixtures.vinText)|-|2026-11-21T08:15:02.000000Z|"
                    + "2026-11-21T08:16:02.000000Z|60.0|-|10|0|stopped|home"
                    + "|-|-|-|-|-|-|-|-|1795248902.0|1795248962.0|-"
            ])
        #expect(
            try lines(
                scratch,
                "SELECT ecu, service, signal, readings, minimum, maximum, mean FROM signals LIMIT 2"
            ) == ["7E8|01|RPM|2|1726.25|1726.25|1726.25", "7E8|01|MIL|1|1.0|1.0|1.0"])
        #expect(
            try lines(scratch, "SELECT frame, dtc, signal, value FROM freeze_frames")
                == ["0|P0301|RPM|1726.0"])
        #expect(
            try lines(scratch, "SELECT * FROM codes ORDER BY code") == [
                "\(Fixtures.vinText)|7E8|pending|P0301|11|2026-11-21T08:15:03Z|"
                    + "2026-11-21T08:15:03Z|1|1",
                "\(Fixtures.vinText)|18FECA00|stored|SPN609/FMI19|-|2026-11-21T08:15:03Z|"
                    + "2026-11-21T08:15:03Z|1|1",
            ])
        #expect(
            try lines(scratch, "SELECT time, kind, service, seconds, text FROM events")
                == ["2026-11-21T08:15:05.000000Z|linkLost|-|1.5|gone"])
    }

    @Test func `a range of time is found by the key, also through the view`() throws {
        let scratch = try Scratch()
        try store(scratch)
        let plan = try lines(
            scratch,
            """
            EXPLAIN QUERY PLAN SELECT time, value FROM readings
            WHERE trip = 1 AND signal = 'RPM' AND t BETWEEN 0 AND 60000000
            """)
        #expect(plan[0].hasSuffix("SEARCH r USING PRIMARY KEY (trip=? AND t>? AND t<?)"))
    }

    @Test(arguments: [
        "INSERT INTO reading VALUES (9, 0, 0, 1, 1.0, x'00', NULL)",
        "INSERT INTO reading VALUES (1, 0, 0, 99, 1.0, x'00', NULL)",
        "INSERT INTO reading VALUES (1, 0, 0, 1, NULL, x'00', NULL)",
        "INSERT INTO reading VALUES (1, 0, 0, 1, 'fast', x'00', NULL)",
        "INSERT INTO vehicle (vin, first_seen, last_seen) VALUES ('1HGCM82633A00435O', 0, 0)",
        "INSERT INTO vehicle (first_seen, last_seen) VALUES (0, 0)",
        "INSERT INTO trip (purpose, start, monotonic) VALUES ('party', 0, 0)",
        "UPDATE trip SET end_reason = 'bored'",
        "INSERT INTO event VALUES (1, 0, 0, 'party', NULL, NULL, NULL, NULL, '')",
    ]) func `the schema refuses impossible rows`(_ sql: String) throws {
        let scratch = try Scratch()
        try store(scratch)
        #expect(throws: DatabaseError.self) { try scratch.sql { try $0.execute(sql) } }
    }
}

@Suite struct ManualTests {
    /// The literal blocks of the page: SQL that readers will paste.
    private static var queries: [String] {
        get throws {
            let page = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../man/obdscan-db.5")
            let text = try String(contentsOf: page, encoding: .utf8)
            return text.components(separatedBy: ".Bd -literal -offset indent\n").dropFirst().map {
                String(
                    $0.prefix(upTo: ($0.range(of: ".Ed") ?? $0.endIndex..<$0.endIndex).lowerBound))
            }
        }
    }

    @Test func `every query of the manual page runs`() throws {
        let scratch = try Scratch()
        _ = try TripStore(path: scratch.path())
        let queries = try Self.queries
        #expect(queries.count == 12)
        for query in queries {
            try scratch.sql { _ = try $0.rows(query) }
        }
    }

    @Test func `every table, view and column of a view is in the manual page`() throws {
        let scratch = try Scratch()
        _ = try TripStore(path: scratch.path())
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../man/obdscan-db.5")
        let text = try String(contentsOf: page, encoding: .utf8)
        let words = Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        try scratch.sql { database in
            let names = try database.values(
                String.self, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
            ).filter { !$0.hasPrefix("sqlite_") }
            #expect(names.count > 20)
            for name in names { #expect(words.contains(name), "\(name)") }
            let columns = try database.values(
                String.self,
                """
                SELECT DISTINCT c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c
                WHERE s.type = 'view'
                """)
            for column in columns { #expect(words.contains(column), "\(column)") }
        }
    }
}
