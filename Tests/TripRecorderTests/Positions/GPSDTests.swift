import OBDCore
import Testing

@testable import TripRecorder

@Suite struct `gpsd's JSON` {
    /// The example of gpsd_json(5).
    static let tpv = """
        {"class":"TPV","device":"/dev/pts/1","time":"2005-06-08T10:34:48.283Z","ept":0.005,\
        "lat":46.498293369,"lon":7.567411672,"alt":1343.127,"eph":36.000,"epv":32.321,\
        "track":10.3788,"speed":0.091,"climb":-0.085,"mode":3}
        """

    static func news(_ text: String, at instant: Instant = .zero) -> [GPSDReader.News] {
        var reader = GPSDReader()
        var news: [GPSDReader.News] = []
        reader.take((text + "\r\n").utf8, at: instant, &news)
        return news
    }

    static func fix(_ text: String) -> Fix? {
        for case .fix(let fix) in news(text) { return fix }
        return nil
    }

    @Test func `a report of time, position and velocity is a fix`() throws {
        let fix = try #require(Self.fix(Self.tpv))
        #expect(fix.position.latitude == 46.498293369)
        #expect(fix.position.longitude == 7.567411672)
        #expect(fix.position.altitude == 1343.127)
        #expect(fix.position.accuracy == 36)
        #expect(fix.position.course == 10.3788)
        // 0.091 m/s = 0.3276 km/h.
        #expect(try abs(#require(fix.position.speed) - 0.3276) < 1e-9)
        #expect(fix.position.fixTime?.text == "2005-06-08T10:34:48.283000Z")
    }

    @Test func `newer names, fixes in two dimensions and a course of 360° are read`() throws {
        let fix = try #require(
            Self.fix(
                #"{"class":"TPV","mode":3,"lat":-1,"lon":2,"alt":9,"altMSL":7.5,"track":360,"#
                    + #""epx":3,"epy":4}"#))
        #expect(fix.position.altitude == 7.5)
        #expect(fix.position.course == 0)
        #expect(fix.position.accuracy == 5)
        #expect(fix.position.speed == nil && fix.position.fixTime == nil)
        let flat = Self.fix(#"{"class":"TPV","mode":2,"lat":-1,"lon":2,"alt":9}"#)
        #expect(try #require(flat).position.altitude == nil)
    }

    @Test(arguments: [
        #"{"class":"TPV","mode":1}"#, #"{"class":"TPV","mode":1,"lat":1,"lon":2}"#,
        #"{"class":"TPV","mode":3,"lat":91,"lon":2}"#, #"{"class":"TPV","mode":3,"lat":"1"}"#,
        #"{"class":"SKY","satellites":[]}"#, #"{"class":"VERSION","release":"3.22"}"#,
        #"{"class":"DEVICES","devices":[{"path":"/dev/ttyUSB1"}]}"#, "{}", "[1]", "{", "\u{1B}[2J",
        #"{"class":"TPV","mode":3,"lat":1e999,"lon":2}"#, String(repeating: "[", count: 100_000),
    ])
    func `a report without time and position is not a fix`(text: String) {
        #expect(Self.news(text).isEmpty)
    }

    @Test func `errors of gpsd are reported`() {
        #expect(Self.news(#"{"class":"DEVICES","devices":[]}"#) == [.noReceiver])
        #expect(
            Self.news(#"{"class":"ERROR","message":"Unrecognized request"}"#)
                == [.refused("Unrecognized request")])
    }

    @Test func `the first of two receivers is used until it falls silent`() {
        var reader = GPSDReader()
        func takes(_ device: String, _ seconds: Int64) -> Bool {
            var news: [GPSDReader.News] = []
            let text = #"{"class":"TPV","device":"\#(device)","mode":2,"lat":1,"lon":2}"# + "\n"
            reader.take(text.utf8, at: Instant(nanoseconds: seconds * 1_000_000_000), &news)
            return !news.isEmpty
        }
        #expect(takes("a", 0))
        #expect(!takes("b", 1))
        #expect(takes("a", 2))
        #expect(!takes("b", 6))
        #expect(takes("b", 8))
        #expect(!takes("a", 9))
    }
}

@Suite struct `Fresh fixes` {
    private static func fix(arrived: Double, time: Double?) -> Fix? {
        guard var position = Position(latitude: 1, longitude: 2) else { return nil }
        position.fixTime = time.map { UTC(microseconds: 1_700_000_000_000_000 + Int64($0 * 1e6)) }
        return Fix(position, arrived: Instant(nanoseconds: Int64(arrived * 1e9)))
    }

    /// The verdict on each fix, in the order in which they come.
    private func judge(_ pairs: [(Double, Double?)]) throws -> [FreshFixes.Verdict] {
        var fresh = FreshFixes()
        return try pairs.map { try fresh.judge(#require(Self.fix(arrived: $0.0, time: $0.1))) }
    }

    @Test func `positions at steady intervals are fresh, whatever the clocks show`() throws {
        let steady = (0..<200).map { (Double($0) + 0.3, Double?(Double($0) - 86_400)) }
        #expect(try judge(steady).allSatisfy { $0 == .fresh })
        #expect(try judge([(1, nil), (2, nil)]) == [.fresh, .fresh])
    }

    @Test func `a position that waited for more than five seconds is stale`() throws {
        #expect(
            try judge([(0, 0), (1, 1), (6.9, 2), (8.1, 3), (8.2, 4), (8.3, 8)])
                == [.fresh, .fresh, .fresh, .stale, .fresh, .fresh])
    }

    @Test func `a repeated position is not a new fix`() throws {
        #expect(
            try judge([(0, 0), (1, 0), (2, 0), (3, 3)]) == [.fresh, .repeated, .repeated, .fresh])
    }

    @Test func `a receiver that sets its clock back is trusted after a minute`() throws {
        let pairs = (0..<130).map { second in
            let arrived = Double(second)
            return (arrived, Double?(second < 30 ? arrived : arrived - 100))
        }
        let verdicts = try judge(pairs)
        #expect(verdicts[30] == .stale)
        #expect(verdicts[95...].allSatisfy { $0 == .fresh })
    }
}

@Suite struct `Sources of positions` {
    @Test(arguments: [
        ("gpsd://localhost", "gpsd://localhost:2947"), ("gpsd:", "gpsd://localhost:2947"),
        ("gpsd://pi:3000", "gpsd://pi:3000"), ("gpsd://pi:3000/", "gpsd://pi:3000"),
        ("gpsd://[::1]", "gpsd://[::1]:2947"), ("gpsd://[::1]:5", "gpsd://[::1]:5"),
        ("serial:/dev/ttyUSB1?baud=4800", "/dev/ttyUSB1?baud=4800"),
        ("/dev/ttyACM0", "/dev/ttyACM0"), ("./track.nmea", "./track.nmea"),
    ])
    func `the text of each position source can be read and written`(text: String, canonical: String)
    {
        #expect(PositionSource(text)?.description == canonical)
    }

    @Test(arguments: [
        "", "ttyUSB1", "gpsd://pi:0", "gpsd://pi:x", "gpsd://::1", "serial:/dev/x?speed=1",
        "serial:/dev/x?baud=1", "gpsd://[::1", "http://x", "gpsd://a/b:1",
    ])
    func `text that is not a source of positions is refused`(text: String) {
        #expect(PositionSource(text) == nil)
    }
}
