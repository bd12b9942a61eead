import OBDCore
import SystemIO
import Testing

/// Distances from UTC that governments have set; summer time begins and ends at the seconds of their decrees.
@Suite struct `Time zones of the system` {
    @Test(arguments: [
        // 31 March 2024, 01:00 UTC; 27 October 2024, 01:00 UTC; and a year after the last entry of any file.
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2024-03-31T00:59:59Z", 60),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2024-03-31T01:00:00Z", 120),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2024-10-27T00:59:59Z", 120),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2024-10-27T01:00:00Z", 60),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-07-01T00:00:00Z", 120),
        // New York: the second Sunday of March, the first one of November.
        ("EST5EDT,M3.2.0,M11.1.0", "2024-03-10T06:59:59Z", -300),
        ("EST5EDT,M3.2.0,M11.1.0", "2024-03-10T07:00:00Z", -240),
        ("EST5EDT,M3.2.0,M11.1.0", "2024-11-03T05:59:59Z", -240),
        ("EST5EDT,M3.2.0,M11.1.0", "2024-11-03T06:00:00Z", -300),
        // Sydney: summer is at the turn of the year.
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-01-01T00:00:00Z", 660),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-07-01T00:00:00Z", 600),
        // Dublin's winter time is the exception.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2024-07-01T00:00:00Z", 60),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2024-12-01T00:00:00Z", 0),
        ("<+0545>-5:45", "2024-07-01T00:00:00Z", 345), ("MSK-3", "2024-07-01T00:00:00Z", 180),
    ])
    func `a rule has the time of each year`(_ rule: String, _ time: String, _ minutes: Int64) throws
    {
        let found = try #require(ZoneRule(rule))
        let second = try #require(UTC(time)).microseconds / 1_000_000
        #expect(found.shift(at: second) == minutes * 60)
    }

    @Test(arguments: ["", "CET", "CET-1CEST", "CET-1CEST,J60,J300", "CET-1CEST,M13.5.0,M10.5.0"])
    func `text that is not a rule is refused`(_ text: String) { #expect(ZoneRule(text) == nil) }

    /// A file in two parts: one change to an hour ahead of UTC at 1000 s, then the rule.
    private static func file(rule: String) -> [UInt8] {
        func header(_ counts: [UInt8]) -> [UInt8] {
            Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
                + counts.flatMap { [0, 0, 0, $0] }
        }
        let changes: [UInt8] = [0, 0, 0, 0, 0, 0, 0x03, 0xE8, 1]
        let types: [UInt8] = [0xFF, 0xFF, 0xF1, 0xF0, 0, 0, 0, 0, 0x0E, 0x10, 0, 0]
        // One list of parts: Swift 6.2 does not find the type of a long sum of arrays.
        let parts: [[UInt8]] = [
            header([0, 0, 0, 0, 1, 1]), [UInt8](repeating: 0, count: 7),
            header([0, 0, 0, 1, 2, 1]), changes, types, [0], Array("\n\(rule)\n".utf8),
        ]
        return parts.flatMap { $0 }
    }

    @Test func `a zone file lists the changes of the clock until its rule begins`() throws {
        let zone = try #require(ZoneFile(Self.file(rule: "X-2")))
        #expect([0, 999, 1000, 5000].map { zone.shift(at: $0) } == [-3600, -3600, 7200, 7200])
        let plain = try #require(ZoneFile(Self.file(rule: "")))
        #expect([999, 1000].map { plain.shift(at: $0) } == [-3600, 3600])
    }

    @Test func `a damaged file is not a zone`() {
        let whole = Self.file(rule: "X-2")
        for length in 0..<(whole.count - 5) {
            #expect(ZoneFile(Array(whole.prefix(length))) == nil)
        }
        #expect(ZoneFile(Self.file(rule: "nonsense")) == nil)
    }

    @Test(arguments: ["../../../etc/passwd", "/etc/localtime", "No/Such", "", "Europe"])
    func `an invalid name has no zone`(_ name: String) { #expect(ZoneFile(named: name) == nil) }

    @Test func `a local time has no moment, or two moments, when the clocks of its zone change`()
        throws
    {
        var clocks = WallClocks()
        // Minimal systems have no tz database.
        guard clocks.moments(onTheWall: UTC(microseconds: 0), in: "Europe/Berlin") != nil else {
            return
        }
        func count(_ time: String) throws -> [String] {
            let wall = try #require(UTC(time))
            return clocks.moments(onTheWall: wall, in: "Europe/Berlin")?.map(\.text) ?? []
        }
        #expect(try count("2024-03-31T02:30:00Z") == [])
        #expect(
            try count("2024-10-27T02:30:00Z") == [
                "2024-10-27T00:30:00.000000Z", "2024-10-27T01:30:00.000000Z",
            ])
        #expect(try count("1990-07-01T12:00:00Z") == ["1990-07-01T10:00:00.000000Z"])
        #expect(clocks.moments(onTheWall: UTC(microseconds: 0), in: "No/Such") == nil)
    }
}
