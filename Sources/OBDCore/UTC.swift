/// A point in wall clock time, in Coordinated Universal Time; unit: microseconds since 1970-01-01T00:00Z.
///
/// There are no leap seconds, as in POSIX. To measure the time between events use ``Instant``, because this
/// clock may be set.
public struct UTC: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    /// A point in time; unit: microseconds since 1970.
    @inline(__always)
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// An earlier time is less than a later one.
    public static func < (left: UTC, right: UTC) -> Bool { left.microseconds < right.microseconds }

    /// The time from `other` to this time, in microseconds; saturates, because files may hold any time.
    package func microseconds(since other: UTC) -> Int64 {
        let gap = microseconds.subtractingReportingOverflow(other.microseconds)
        return gap.overflow ? (self < other ? .min : .max) : gap.partialValue
    }

    /// The time that is so many microseconds later; saturates.
    package func later(by microseconds: Int64) -> UTC {
        let sum = self.microseconds.addingReportingOverflow(microseconds)
        return UTC(microseconds: sum.overflow ? (microseconds < 0 ? .min : .max) : sum.partialValue)
    }

    /// The time that is so many seconds later; saturates.
    package func later(bySeconds seconds: Double) -> UTC {
        later(by: Int64(saturating: (seconds * 1e6).rounded()))
    }

    /// `2026-11-21T08:15:02.123456Z`.
    public var text: String {
        var output: [UInt8] = []
        output.reserveCapacity(27)
        append(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends ``text`` in ASCII; years outside 0000–9999 get a sign and the necessary number of digits.
    public func append(to output: inout [UInt8]) {
        var second = microseconds / 1_000_000
        var fraction = microseconds % 1_000_000
        if fraction < 0 {
            fraction += 1_000_000
            second -= 1
        }
        Self.appendSecond(second, to: &output)
        output.append(0x2E)
        Self.appendDigits(fraction, 6, to: &output)
        output.append(0x5A)
    }

    /// Appends `2026-11-21T08:15:02` for a number of seconds since 1970.
    public static func appendSecond(_ second: Int64, to output: inout [UInt8]) {
        var day = second / 86_400
        var clock = second % 86_400
        if clock < 0 {
            clock += 86_400
            day -= 1
        }
        let date = civil(day: day)
        if date.year < 0 || date.year > 9999 {
            output.append(date.year < 0 ? 0x2D : 0x2B)
            output.append(contentsOf: String(date.year.magnitude).utf8)
        } else {
            appendDigits(date.year, 4, to: &output)
        }
        output.append(0x2D)
        appendDigits(date.month, 2, to: &output)
        output.append(0x2D)
        appendDigits(date.day, 2, to: &output)
        output.append(0x54)
        appendDigits(clock / 3600, 2, to: &output)
        output.append(0x3A)
        appendDigits(clock / 60 % 60, 2, to: &output)
        output.append(0x3A)
        appendDigits(clock % 60, 2, to: &output)
    }

    @inline(__always)
    private static func appendDigits(_ value: Int64, _ count: Int, to output: inout [UInt8]) {
        var scale: Int64 = 1
        for _ in 1..<count { scale *= 10 }
        while scale > 0 {
            output.append(0x30 + UInt8(truncatingIfNeeded: value / scale % 10))
            scale /= 10
        }
    }

    /// The proleptic Gregorian date of a day counted from 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is the last day of its year and 400 years always
    /// have 146,097 days.
    static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * marchMonth + 2) / 5 + 1
        )
    }

    /// The day, counted from 1970-01-01, of a proleptic Gregorian date.
    static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Reads `2026-11-21`, `2026-11-21T08:15Z`, `…:02Z` or `…:02.123456Z`; a blank may replace the T.
    ///
    /// Nil for a date that does not exist, for more than six decimal places of a second, and for any zone
    /// except Z. The caller has to convert local time into UTC.
    public init?(_ text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        func number(_ digits: Int) -> Int64? {
            guard rest.count >= digits else { return nil }
            var value: Int64 = 0
            for character in rest.prefix(digits) {
                guard character >= 0x30, character <= 0x39 else { return nil }
                value = value * 10 + Int64(character - 0x30)
            }
            rest = rest.dropFirst(digits)
            return value
        }
        func skip(_ character: UInt8) -> Bool {
            guard rest.first == character else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), skip(0x2D), let month = number(2), skip(0x2D),
            let day = number(2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let dayNumber = Self.day(year: year, month: month, day: day)
        guard Self.civil(day: dayNumber) == (year, month, day) else { return nil }
        var clock: Int64 = 0
        if !rest.isEmpty {
            guard skip(0x54) || skip(0x20), let hour = number(2), skip(0x3A),
                let minute = number(2),
                hour < 24, minute < 60
            else { return nil }
            clock = (hour * 60 + minute) * 60_000_000
            if skip(0x3A) {
                guard let second = number(2), second < 60 else { return nil }
                clock += second * 1_000_000
                if skip(0x2E) {
                    let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }.count
                    guard (1...6).contains(digits), var fraction = number(digits) else {
                        return nil
                    }
                    for _ in digits..<6 { fraction *= 10 }
                    clock += fraction
                }
            }
            guard skip(0x5A), rest.isEmpty else { return nil }
        }
        self.init(microseconds: dayNumber * 86_400_000_000 + clock)
    }
}

extension Int64 {
    /// The whole number nearest to zero from `value`; the ends of the range for what lies beyond them, 0 for
    /// what is not a number.
    package init(saturating value: Double) {
        self =
            Int64(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
    }
}

extension UTC: CustomStringConvertible {
    /// ``text``.
    public var description: String { text }
}

/// The monotonic clock and the wall clock read at the same moment, once per session.
public struct TimeAnchor: Hashable, Sendable {
    /// The monotonic clock.
    public var monotonic: Instant
    /// The wall clock at the same moment.
    public var utc: UTC

    /// Creates an anchor from two clocks.
    public init(monotonic: Instant, utc: UTC) {
        self.monotonic = monotonic
        self.utc = utc
    }

    /// The wall clock time at `instant`, as if the wall clock had not been set since; saturates.
    @inline(__always)
    public func utc(at instant: Instant) -> UTC {
        let gap = instant.nanoseconds.subtractingReportingOverflow(monotonic.nanoseconds)
        let passed = gap.overflow ? (instant < monotonic ? Int64.min : .max) : gap.partialValue
        let sum = utc.microseconds.addingReportingOverflow(passed / 1000)
        return UTC(microseconds: sum.overflow ? (passed < 0 ? .min : .max) : sum.partialValue)
    }
}
