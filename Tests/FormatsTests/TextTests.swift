import Foundation
import OBDCore
import TestSupport
import Testing

@testable import Formats

@Suite struct NumberTextTests {
    private func text(_ value: Double) -> String {
        Fixtures.text { NumberText.append(value, to: &$0) }
    }

    static let cases: [(Double, String)] = [
        (0, "0"), (-0.0, "0"), (1726, "1726"), (-40, "-40"), (0.1, "0.1"), (-0.25, "-0.25"),
        (365.2, "365.2"), (99.99, "99.99"), (0.000001, "1e-06"), (1.0 / 3, "0.3333333333333333"),
        (1e15, "1000000000000000"), (1e16, "1e+16"), (999_999_999_999_999, "999999999999999"),
        (1e300, "1e+300"),
        (62.13711922373339, "62.13711922373339"), (.leastNonzeroMagnitude, "5e-324"),
        (0.30000000000000004, "0.30000000000000004"), (1234567.0625, "1234567.0625"),
    ]

    @Test(arguments: cases) func `a number is the shortest text that reads back exactly`(
        _ value: Double, _ expected: String
    ) throws {
        // For a small number, Swift may print an exponent. Plain digits are right, too.
        let text = text(value)
        #expect(Double(text) == value)
        if value != 0.000001 { #expect(text == expected) }
    }

    /// Every quotient that the scaling of a signal can give, and random bit patterns.
    @Test func `half a million numbers read back exactly and are no longer than Swift's own`() {
        var random = SeededGenerator(seed: 1)
        var wrong = 0
        for _ in 0..<250_000 {
            let raw = Double(Int32(truncatingIfNeeded: random.next()))
            let divisor = Double(
                [1, 2, 4, 10, 16, 100, 255, 256, 1000, 32768][Int(random.next() % 10)])
            for value in [raw / divisor, Double(bitPattern: random.next())] where value.isFinite {
                let text = text(value)
                if Double(text) != value || text.utf8.count > value.description.utf8.count {
                    wrong += 1
                }
            }
        }
        #expect(wrong == 0)
    }

    @Test(arguments: [0, 9, 10, -1, 1234567890123, Int64.max, .min])
    func `whole numbers are printed like Swift prints them`(_ value: Int64) {
        #expect(Fixtures.text { NumberText.append(value, to: &$0) } == "\(value)")
    }

    @Test func `infinite and undefined numbers have no text`() {
        #expect(text(.nan) == "" && text(.infinity) == "")
    }
}

@Suite struct JSONTextTests {
    @Test func `quotes, backslashes and control characters are escaped`() {
        #expect(
            Fixtures.text { JSONText.append("a\"b\\c\n\r\t\u{0}\u{1F}\u{7F}é€", to: &$0) }
                == #""a\"b\\c\n\r\t\u0000\u001F\u007Fé€""#)
    }

    @Test func `characters that control a terminal or reverse text are escaped`() {
        #expect(
            Fixtures.text { JSONText.append("\u{9B}31m \u{202E}é\u{FEFF}", to: &$0) }
                == #""\u009B31m \u202Eé\uFEFF""#)
    }

    /// An adapter may send any bytes in any order, including text that is not UTF-8.
    @Test func `a JSON reader gets back the same text, whatever its bytes`() throws {
        var random = SeededGenerator(seed: 2)
        for round in 0..<2000 {
            let bytes = (0..<Int(random.next() % 40)).map { _ -> UInt8 in
                let byte = UInt8(truncatingIfNeeded: random.next())
                return round % 2 == 0 ? byte : byte & 0x7F
            }
            let text = String(decoding: bytes, as: UTF8.self)
            var output: [UInt8] = []
            JSONText.append(text, to: &output)
            #expect(output.allSatisfy { $0 >= 0x20 })
            let back = try JSONSerialization.jsonObject(
                with: Data(output), options: .fragmentsAllowed)
            #expect((back as? String)?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        }
    }
}

@Suite struct UTCTests {
    private static func foundation(_ time: UTC) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss"
        let second = (Double(time.microseconds) / 1e6).rounded(.down)
        return formatter.string(from: Date(timeIntervalSince1970: second))
    }

    /// `date -u -d @N +%FT%TZ` of GNU coreutils.
    static let cases: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
        (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
        (1_795_248_902_123_456, "2026-11-21T08:15:02.123456Z"),
        (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
        (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
        (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        (253_402_300_800_000_000, "+10000-01-01T00:00:00.000000Z"),
    ]

    @Test(arguments: cases) func `known dates are printed and read`(
        _ microseconds: Int64, _ text: String
    ) {
        let time = UTC(microseconds: microseconds)
        #expect(time.text == text)
        if !text.hasPrefix("+") { #expect(UTC(text) == time) }
        var cached = TimeText()
        #expect(Fixtures.text { cached.append(time, to: &$0) } == text)
    }

    @Test func `the days of eight centuries match Foundation's calendar`() {
        // Start in 1600: before October 1582, Foundation's calendar is the Julian one.
        var random = SeededGenerator(seed: 3)
        for day in stride(from: Int64(-135_140), to: 157_000, by: 97) {
            let clock = Int64(random.next() % 86_400_000_000)
            let time = UTC(microseconds: day * 86_400_000_000 + clock)
            #expect(time.text.prefix(19) == Self.foundation(time))
            #expect(UTC(time.text) == time)
        }
    }

    @Test func `times in the same second and decreasing times are printed correctly`() {
        var cached = TimeText()
        for step: Int64 in [0, 1, 999_999, 1_000_000, 5, -1, -1_000_001, 86_400_000_000] {
            let time = UTC(microseconds: 1_795_248_902_000_000 + step)
            #expect(Fixtures.text { cached.append(time, to: &$0) } == time.text)
        }
    }

    @Test(arguments: [
        "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-32", "2026-01-01T24:00Z",
        "2026-01-01T00:60Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.1234567Z",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+01:00", "2026-01-01T00:00:00", "",
        "2026-1-1", "2026-01-01Z", "２026-01-01",
    ]) func `a date that does not exist or has another zone is refused`(_ text: String) {
        #expect(UTC(text) == nil)
    }

    @Test func `shorter forms of a date are read`() {
        #expect(UTC("2000-02-29")?.text == "2000-02-29T00:00:00.000000Z")
        #expect(UTC("2000-02-29 12:30Z")?.text == "2000-02-29T12:30:00.000000Z")
        #expect(UTC("2000-02-29T12:30:05.5Z")?.text == "2000-02-29T12:30:05.500000Z")
    }

    @Test func `an anchor converts monotonic time to civil time, within limits`() {
        let anchor = TimeAnchor(
            monotonic: Instant(nanoseconds: 5_000), utc: UTC(microseconds: 1_000_000))
        #expect(anchor.utc(at: Instant(nanoseconds: 12_999)).microseconds == 1_000_007)
        #expect(anchor.utc(at: Instant(nanoseconds: 0)).microseconds == 999_995)
        let late = TimeAnchor(monotonic: .zero, utc: UTC(microseconds: .max - 1))
        #expect(late.utc(at: Instant(nanoseconds: .max)).microseconds == .max)
        let early = TimeAnchor(monotonic: Instant(nanoseconds: .max), utc: UTC(microseconds: 0))
        #expect(early.utc(at: Instant(nanoseconds: .min)).microseconds == .min / 1000)
    }
}
