import OBDCore
import Testing

@Suite struct `Civil time` {
    /// Seconds from `date -u -d … +%s` of GNU coreutils, then years with six digits.
    @Test(arguments: [
        ("1970-01-01T00:00:00.000000Z", Int64(0)), ("2000-02-29T12:00:00.000000Z", 951_825_600),
        ("1969-12-31T23:59:59.000000Z", -1), ("1900-03-01T00:00:00.000000Z", -2_203_891_200),
        ("2024-02-29T23:59:59.000000Z", 1_709_251_199),
        ("2026-11-21T08:15:02.000000Z", 1_795_248_902),
        ("9999-12-31T23:59:59.000000Z", 253_402_300_799),
        ("0000-01-01T00:00:00.000000Z", -62_167_219_200),
    ])
    func `dates match the calendar`(text: String, second: Int64) {
        let time = UTC(microseconds: second * 1_000_000)
        #expect(time.text == text)
        #expect(time.description == text)
        #expect(UTC(text) == time)
    }

    @Test(arguments: [
        ("2026-11-21", "2026-11-21T00:00:00.000000Z"),
        ("2026-11-21T08:15Z", "2026-11-21T08:15:00.000000Z"),
        ("2026-11-21 08:15:02Z", "2026-11-21T08:15:02.000000Z"),
        ("2026-11-21T08:15:02.5Z", "2026-11-21T08:15:02.500000Z"),
        ("2026-11-21T08:15:02.000001Z", "2026-11-21T08:15:02.000001Z"),
    ])
    func `shorter forms of a time are read`(text: String, whole: String) {
        #expect(UTC(text)?.text == whole)
    }

    @Test(arguments: [
        "", "2026", "2026-1-1", "2026-13-01", "2026-00-01", "2026-02-29", "1900-02-29",
        "2026-04-31", "2026-11-21T", "2026-11-21T8:15Z", "2026-11-21T24:00Z", "2026-11-21T08:60Z",
        "2026-11-21T08:15:60Z", "2026-11-21T08:15", "2026-11-21T08:15+01:00", "2026-11-21T08:15ZZ",
        "2026-11-21T08:15:02.Z", "2026-11-21T08:15:02.1234567Z", "2026-11-21X08:15Z", "+026-11-21",
    ])
    func `text that is not a time in UTC is refused`(text: String) {
        #expect(UTC(text) == nil)
    }

    /// Before 1970, microseconds also count forward within a second.
    @Test func `microseconds before 1970 count forward`() {
        #expect(UTC(microseconds: -1).text == "1969-12-31T23:59:59.999999Z")
        #expect(UTC(microseconds: -1_500_000).text == "1969-12-31T23:59:58.500000Z")
        #expect(UTC(microseconds: -1) < UTC(microseconds: 0))
    }

    /// ISO 8601 requires a sign before a year with more than four digits.
    @Test func `years outside four digits have a sign`() {
        #expect(UTC(microseconds: 253_402_300_800_000_000).text == "+10000-01-01T00:00:00.000000Z")
        #expect(UTC(microseconds: -62_167_219_200_000_001).text == "-1-12-31T23:59:59.999999Z")
        #expect(UTC(microseconds: .max).text.hasPrefix("+294247-01-10T04:00:54"))
        #expect(UTC(microseconds: .min).text.hasPrefix("-290308-12-21T19:59:05"))
    }

    @Test func `an anchor connects two clocks, within limits`() {
        let anchor = TimeAnchor(
            monotonic: Instant(nanoseconds: 5_000_000_000), utc: UTC(microseconds: 1_000_000))
        #expect(anchor.utc(at: Instant(nanoseconds: 5_000_000_000)) == UTC(microseconds: 1_000_000))
        #expect(anchor.utc(at: Instant(nanoseconds: 6_000_001_999)) == UTC(microseconds: 2_000_001))
        #expect(anchor.utc(at: .zero) == UTC(microseconds: -4_000_000))
        let late = TimeAnchor(monotonic: .zero, utc: UTC(microseconds: .max))
        #expect(late.utc(at: Instant(nanoseconds: 1000)) == UTC(microseconds: .max))
        let early = TimeAnchor(
            monotonic: Instant(nanoseconds: .max), utc: UTC(microseconds: .min))
        #expect(early.utc(at: Instant(nanoseconds: .min)) == UTC(microseconds: .min))
    }

    @Test func `durations are cut to nanoseconds, within limits`() {
        #expect(Duration.zero.nanoseconds == 0)
        #expect(Duration.milliseconds(-1500).nanoseconds == -1_500_000_000)
        #expect(Duration(secondsComponent: 0, attosecondsComponent: 999_999_999).nanoseconds == 0)
        #expect(Duration.seconds(3600).nanoseconds == 3_600_000_000_000)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect(
            Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 999_999_999_999_999_999)
                .nanoseconds == .max)
        #expect(
            Duration(
                secondsComponent: -9_223_372_036, attosecondsComponent: -999_999_999_999_999_999
            )
            .nanoseconds == .min)
        #expect(Duration.milliseconds(250).seconds == 0.25)
    }

    @Test func `instants beyond both limits become the limit`() {
        let first = Instant(nanoseconds: .min)
        #expect(first + .seconds(-1) == first)
        #expect(Instant(nanoseconds: .max) - first == .nanoseconds(Int64.max))
        #expect(first < .zero && !(Instant.zero < .zero))
    }
}
