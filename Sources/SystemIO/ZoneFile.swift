import OBDCore

/// A time zone of the system's tz database (RFC 9636).
package struct ZoneFile {
    /// The seconds since 1970 at which the distance from UTC changes, in their order.
    private var changes: [Int64] = []
    /// The distance after each change; unit: s.
    private var shifts: [Int64] = []
    /// The distance before the first change; unit: s.
    private var first: Int64 = 0
    /// The rule after the last change.
    private var rule: ZoneRule?

    /// The zone of a name such as `Europe/Berlin`; nil if the system does not have it.
    package init?(named name: String) {
        let letters = name.utf8.allSatisfy {
            ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x2B && $0 <= 0x39 && $0 != 0x2E)
                || $0 == 0x5F
        }
        guard letters, !name.hasPrefix("/"),
            let file = try? InputFile(path: "/usr/share/zoneinfo/" + name),
            let bytes = try? file.beginning()
        else { return nil }
        self.init(bytes)
    }

    /// The zone of a file with 64-bit times; nil for another file.
    package init?(_ bytes: [UInt8]) {
        // The first part has 32-bit times.
        guard let old = Header(bytes[...]), old.version >= 0x32,
            let header = Header(bytes.dropFirst(old.size(ofTime: 4))), header.types > 0
        else { return nil }
        let start = old.size(ofTime: 4) + Header.length
        let end = start - Header.length + header.size(ofTime: 8)
        guard end <= bytes.count else { return nil }
        let kinds = start + header.changes * 8
        let types = kinds + header.changes
        func shift(_ type: Int) -> Int64? {
            type < header.types
                ? Int64(Int32(truncatingIfNeeded: Self.number(bytes[(types + type * 6)...], 4)))
                : nil
        }
        for index in 0..<header.changes {
            guard let shift = shift(Int(bytes[kinds + index])) else { return nil }
            changes.append(Self.number(bytes[(start + index * 8)...], 8))
            shifts.append(shift)
        }
        first = shift(0) ?? 0
        // A line between two line feeds.
        let text = bytes[end...].dropFirst().prefix { $0 != 0x0A }
        rule = ZoneRule(String(decoding: text, as: UTF8.self))
        if rule == nil, !text.isEmpty { return nil }
    }

    /// How far clocks are ahead of UTC; unit: s.
    package func shift(at second: Int64) -> Int64 {
        if let last = changes.last, second < last {
            let after = changes.firstIndex { second < $0 } ?? 0
            return after == 0 ? first : shifts[after - 1]
        }
        return rule?.shift(at: second) ?? shifts.last ?? first
    }

    /// A number with the highest byte first.
    fileprivate static func number(_ bytes: ArraySlice<UInt8>, _ count: Int) -> Int64 {
        bytes.prefix(count).reduce(0) { $0 << 8 | Int64($1) }
    }

    private struct Header {
        static let length = 44
        let version: UInt8
        let changes, types: Int
        private let others: Int
        private let leaps: Int

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= Self.length, bytes.starts(with: "TZif".utf8) else { return nil }
            version = bytes[bytes.startIndex + 4]
            let counts = (0..<6).map { ZoneFile.number(bytes.dropFirst(20 + $0 * 4), 4) }
            guard counts.allSatisfy({ $0 < 100_000 }) else { return nil }
            // Indicators of UTC and of standard time, leap seconds, changes, types, letters.
            (changes, types, leaps) = (Int(counts[3]), Int(counts[4]), Int(counts[2]))
            others = Int(counts[0] + counts[1] + counts[5])
        }

        /// The size of the part; unit: bytes.
        func size(ofTime time: Int) -> Int {
            Self.length + changes * (time + 1) + types * 6 + leaps * (time + 4) + others
        }
    }
}

/// The rule of a time zone for all years: `CET-1CEST,M3.5.0,M10.5.0/3`.
package struct ZoneRule {
    /// A week's day in each year, and seconds after its midnight.
    private struct Day {
        var month, week, weekday, seconds: Int64

        /// Reads `M3.5.0`, `M10.5.0/3`.
        init?(_ text: Substring) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            let numbers = parts[0].dropFirst().split(separator: ".").compactMap { Int64($0) }
            guard text.first == "M", numbers.count == 3, (1...12).contains(numbers[0]),
                (1...5).contains(numbers[1]), (0...6).contains(numbers[2])
            else { return nil }
            (month, week, weekday) = (numbers[0], numbers[1], numbers[2])
            guard let found = parts.count == 1 ? 7200 : ZoneRule.seconds(parts[1]) else {
                return nil
            }
            seconds = found
        }

        /// Seconds since 1970 in a year, as if its clock showed UTC.
        func moment(in year: Int64) -> Int64 {
            let first = ZoneRule.day(year, month)
            // The first of January 1970 was a Thursday.
            let weekdayOfFirst = ((first + 4) % 7 + 7) % 7
            var day = first + (weekday - weekdayOfFirst + 7) % 7 + (week - 1) * 7
            let next = month == 12 ? ZoneRule.day(year + 1, 1) : ZoneRule.day(year, month + 1)
            while day >= next { day -= 7 }
            return day * 86_400 + seconds
        }
    }

    private let usual: Int64
    private let summer: (shift: Int64, start: Day, end: Day)?

    package init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        var rest = parts[0]
        guard Self.dropName(&rest), let west = Self.takeSeconds(&rest) else { return nil }
        usual = -west
        if rest.isEmpty, parts.count == 1 {
            summer = nil
            return
        }
        guard Self.dropName(&rest), parts.count == 3, let start = Day(parts[1]),
            let end = Day(parts[2])
        else { return nil }
        let shift = rest.isEmpty ? usual + 3600 : Self.seconds(rest).map { -$0 }
        guard let shift else { return nil }
        summer = (shift, start, end)
    }

    /// How far clocks are ahead of UTC; unit: s.
    package func shift(at second: Int64) -> Int64 {
        guard let summer else { return usual }
        let text = UTC(microseconds: (second + usual) * 1_000_000).text
        guard let year = Int64(text.prefix(4)) else { return usual }
        let start = summer.start.moment(in: year) - usual
        let end = summer.end.moment(in: year) - summer.shift
        let isSummer =
            start < end ? (start..<end).contains(second) : !(end..<start).contains(second)
        return isSummer ? summer.shift : usual
    }

    /// `CET`, `<+03>`.
    private static func dropName(_ text: inout Substring) -> Bool {
        let before = text.count
        if text.first == "<" {
            guard let end = text.firstIndex(of: ">") else { return false }
            text = text[end...].dropFirst()
        } else {
            text = text.drop { $0.isLetter }
        }
        return text.count < before
    }

    /// Takes `-1`, `3:30` from the beginning.
    private static func takeSeconds(_ text: inout Substring) -> Int64? {
        let digits = text.prefix { $0.isNumber || "+-:".contains($0) }
        text = text.dropFirst(digits.count)
        return seconds(digits)
    }

    /// Seconds of `-1`, `3:30`.
    private static func seconds(_ text: Substring) -> Int64? {
        let isMinus = text.first == "-"
        let parts = text.drop { $0 == "-" || $0 == "+" }.split(separator: ":").map { Int64($0) }
        guard (1...3).contains(parts.count), parts.allSatisfy({ ($0 ?? 1000) < 200 }) else {
            return nil
        }
        let units: [Int64] = [3600, 60, 1]
        let sum = zip(parts, units).reduce(0) { $0 + ($1.0 ?? 0) * $1.1 }
        return isMinus ? -sum : sum
    }

    /// Days since 1970 of the first day of a month.
    private static func day(_ year: Int64, _ month: Int64) -> Int64 {
        let text = "\(year)-\(month < 10 ? "0" : "")\(month)-01"
        return (UTC(text)?.microseconds ?? 0) / 86_400_000_000
    }
}
