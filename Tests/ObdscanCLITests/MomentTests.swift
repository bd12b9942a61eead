import OBDCore
import SystemIO
import Testing

@testable import ObdscanCLI
@testable import TripStore

@Suite struct `Moments and months in arguments` {
    @Test(arguments: [
        ("2026-11", "2026-11-01", "2026-12-01"), ("2026-12", "2026-12-01", "2027-01-01"),
    ])
    func `a month ends where the next one begins`(text: String, start: String, end: String) throws {
        let month = try #require(TripMonth(argument: text))
        #expect(month.start == utc(onTheWall: try #require(UTC(start))))
        #expect(month.end == utc(onTheWall: try #require(UTC(end))))
    }

    @Test(arguments: [
        ("this", "2026-01-31 23:59:59", "2026-01"), ("last", "2026-01-01 00:00:00", "2025-12"),
        ("last", "2026-12-31 12:00:00", "2026-11"),
    ])
    func `this month and last month follow local time`(
        word: String, now: String, month: String
    ) throws {
        #expect(TripMonth(argument: word, now: now) == TripMonth(argument: month))
        #expect(TripMonth(argument: month) != nil)
    }

    @Test(arguments: ["2026-13", "2026-1", "26-11", "2026", "2026-11-01", "+026-11"])
    func `text that is not a month is refused`(text: String) {
        #expect(TripMonth(argument: text) == nil)
    }

    @Test(arguments: [
        ("2026-11-21", "2026-11-21T00:00:00Z"), ("2026-11", "2026-11-01T00:00:00Z"),
        ("2026-11-21T08:15", "2026-11-21T08:15:00Z"),
        ("2026-11-21 08:15:02", "2026-11-21T08:15:02Z"),
    ])
    func `a moment is in local time`(text: String, wall: String) throws {
        let moment = try #require(TripMoment(argument: text))
        #expect(try moment.time() == utc(onTheWall: try #require(UTC(wall))))
    }

    @Test func `a moment with a Z is in UTC`() throws {
        let moment = try #require(TripMoment(argument: "2026-11-21T08:15:02Z"))
        #expect(try moment.time() == UTC("2026-11-21T08:15:02Z"))
    }

    @Test func `days and clock times count from today`() throws {
        let today = try #require(TripMoment(argument: "today")).time()
        let yesterday = try #require(TripMoment(argument: "Yesterday")).time()
        let clock = try #require(TripMoment(argument: "00:00")).time()
        #expect(clock == today)
        #expect(localTime(today).hasSuffix(" 00:00:00"))
        // A day with a change of the clock has 23 or 25 hours.
        let hours = (today.microseconds - yesterday.microseconds) / 3_600_000_000
        #expect((23...25).contains(hours))
        let past = (SystemClock.utc.microseconds - today.microseconds) / 3_600_000_000
        #expect((0...25).contains(past))
    }

    @Test func `"now" is the current moment`() throws {
        let now = try #require(TripMoment(argument: "now")).time()
        #expect((0...60_000_000).contains(SystemClock.utc.microseconds - now.microseconds))
    }

    @Test func `a moment after the start needs a trip`() throws {
        let moment = try #require(TripMoment(argument: "+12m"))
        let start = try #require(UTC("2026-11-21T08:00:00Z"))
        #expect(try moment.time(since: start) == UTC("2026-11-21T08:12:00Z"))
        #expect(throws: Failure.self) { try moment.time() }
    }

    @Test func `a time with a unit counts back from now, except within a trip`() throws {
        let moment = try #require(TripMoment(argument: "7d"))
        let then = try moment.time()
        let past = (SystemClock.utc.microseconds - then.microseconds) / 1_000_000
        #expect((604_800...604_860).contains(past))
        let start = try #require(UTC("2026-11-21T08:00:00Z"))
        #expect(throws: Failure.self) { try moment.time(since: start) }
    }

    @Test(arguments: ["1", "365", "0d", "23h", "1s", "-1d", "d", ""])
    func `an age for deleting trips is not short and has a unit`(text: String) {
        #expect(AgeArgument(argument: text) == nil)
    }

    @Test(arguments: [("1d", 86_400), ("365d", 31_536_000), ("48h", 172_800)])
    func `trips are deleted from the begin of a day`(text: String, seconds: Int64) {
        #expect(AgeArgument(argument: text)?.duration == .seconds(seconds))
    }

    @Test(arguments: [
        "", "2026", "2026-13", "2026-1-1", "tomorrow", "25:00", "8:15", "+", "2026-11-21T",
    ])
    func `text that is not a moment is refused`(text: String) {
        #expect(TripMoment(argument: text) == nil)
    }
}
