import Formats
import OBDCore

/// A day, optionally with a time and a zone, in the spelling of any program.
struct DateText {
    /// A day that the text may mean.
    struct Day: Hashable {
        /// The beginning of the day, as if the clock showed UTC.
        var midnight: UTC
        /// The meaning for people: `July in Polish`, `2 January`.
        var meaning: String
        /// Whether the month is first, in a date of numbers.
        var isMonthFirst: Bool?
    }

    /// The day; several if the text may mean each of them.
    private(set) var days: [Day] = []
    /// The words that have several meanings.
    private(set) var unclear = ""
    /// Seconds since midnight; nil without a time.
    private(set) var seconds: Double?
    /// The zone of the clock, if the text names one.
    private(set) var zone: ZoneText?
    /// Whether the clock has twelve hours, and shows that in capital letters as in the United States.
    private(set) var hasCapitalHalf = false

    /// Whether the text is a date in numbers whose day and month may be exchanged.
    var isOrderUnclear: Bool { days.count > 1 && days.allSatisfy { $0.isMonthFirst != nil } }

    /// Reads a cell, or a line that contains a date among a few words; nil without a date.
    ///
    /// Examples: `2026-11-21T08:15:02+01:00`, `21.11.2026 08:15`, `1/2/2024 8:00:04 AM`,
    /// `12-marrask.-2014 13:40:39.474`, `Wed Feb 23 06:41:05 GMT+08:00 2022`, `Jul 16, 2017 2:47:57 PM`.
    ///
    /// In a cell, no word may remain: a word after the time is its zone, and others are days of the week.
    init?(_ text: String, isLine: Bool = false) {
        var (text, comment) = (text, "")
        if !isLine, text.last == ")" || text.last == "]",
            let open = text.lastIndex(of: text.last == ")" ? "(" : "["), open > text.startIndex
        {
            // The zone again, or its name: `08:15:02 +0100 (CET)`, `08:15:02+01:00[Europe/Berlin]`.
            comment = String(text[open...].dropFirst().dropLast())
            text = String(text[..<open])
        }
        var words = Self.words(text, isLine: isLine)
        guard words.count <= 8 else { return nil }
        var day: Int?
        var year: String?
        var months: (name: Substring, found: [MonthNames.Meaning])?
        var half: String?
        while let word = words.first {
            words.removeFirst()
            let lower = word.lowercased()
            if seconds == nil, let clock = Self.clock(word, isLine: isLine) {
                seconds = clock.seconds
                zone = clock.zone ?? zone
                if let found = clock.half {
                    half = found.lowercased()
                    hasCapitalHalf = found == "AM" || found == "PM"
                }
            } else if seconds != nil, half == nil,
                ["am", "pm", "a.m.", "p.m.", "a.", "p."].contains(lower)
            {
                half = lower.hasPrefix("a") ? "am" : "pm"
                hasCapitalHalf = word == "AM" || word == "PM"
                if lower.count == 2, lower.hasSuffix("."), words.first == "m." {
                    words.removeFirst()
                }
            } else if seconds != nil, zone == nil, let shift = ZoneText.shift(word) {
                zone = ZoneText(word, .shift(shift))
            } else if days.isEmpty, let found = Self.date(word, isLine: isLine) {
                (days, unclear) = (found, String(word))
            } else if months.map({ DayNames.contains($0.name) }) ?? true,
                case let found = MonthNames.meanings(word), !found.isEmpty
            {
                // `mar. 5 mars`: a Tuesday in March.
                months = (word, found)
            } else if word.utf8.count == 4, Int(word) != nil, year == nil {
                year = String(word)
            } else if word.utf8.count <= 3, day == nil,
                let number = Int(word.hasSuffix(".") ? word.dropLast() : word), number > 0,
                number < 32
            {
                day = number
            } else if Self.others.contains(lower) {
                continue
            } else if !isLine {
                if seconds != nil, zone == nil, !DayNames.contains(word) {
                    zone = ZoneText(word)
                } else if !DayNames.contains(word) {
                    return nil
                }
            }
        }
        if zone == nil, !comment.isEmpty {
            guard seconds != nil else { return nil }
            zone = ZoneText(comment[...])
        }
        if days.isEmpty, let months, let day, let year {
            days = months.found.compactMap { Self.day(year, $0, day) }
            unclear = String(months.name)
        } else if !isLine, day != nil || year != nil || months != nil {
            return nil
        }
        guard !days.isEmpty else { return nil }
        if let half, let shown = seconds {
            guard half.hasPrefix("p") || shown < 46_800 else { return nil }
            if half.hasPrefix("p"), shown < 43_200 { seconds = shown + 43_200 }
            if half.hasPrefix("a"), shown >= 43_200 { seconds = shown - 43_200 }
        }
    }

    /// A time without a day, such as `8:30:00 AM` or `08:15:02+01:00`; nil for anything else.
    static func timeOfDay(_ text: String) -> (seconds: Double, zone: ZoneText?)? {
        // Most cells are numbers.
        guard text.utf8.contains(0x3A) else { return nil }
        guard let found = DateText("2000-01-01 " + text), let seconds = found.seconds,
            found.days.count == 1, found.days[0].midnight.microseconds == 946_684_800_000_000,
            !text.contains("-01-01")
        else { return nil }
        return (seconds, found.zone)
    }

    // MARK: Words

    private static func words(_ text: String, isLine: Bool) -> [Substring] {
        var words: [Substring] = []
        for part in text.split(whereSeparator: {
            $0.isWhitespace || isLine && ",=#;\"".contains($0)
        }) {
            var word = part
            while word.last == "," { word = word.dropLast() }
            // `2026-11-21T08:15:02`.
            if word.utf8.count > 11, let mark = word.firstIndex(of: "T"),
                word[..<mark].utf8.allSatisfy({ $0 >= 0x2D && $0 < 0x3A }),
                word[word.index(after: mark)...].first?.isNumber == true
            {
                words.append(word[..<mark])
                word = word[word.index(after: mark)...]
            }
            if word.contains(where: { $0.isLetter || $0.isNumber }) { words.append(word) }
        }
        return words
    }

    /// `8:30`, `08:15:02.123`, `8:30:00PM`, `08:15:02+01:00`, `08:15:02Z`.
    private static func clock(
        _ word: Substring, isLine: Bool
    ) -> (seconds: Double, half: String?, zone: ZoneText?)? {
        guard word.first?.isNumber == true, word.contains(":") else { return nil }
        // VCDS adds its licence number to the time: `19:02:31:12345`.
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        if isLine, parts.count == 4 {
            return WallClock.seconds(parts.prefix(3).joined(separator: ":")).map { ($0, nil, nil) }
        }
        if let seconds = WallClock.seconds(word) { return (seconds, nil, nil) }
        let end = word.firstIndex { !($0.isNumber || ":.,".contains($0)) } ?? word.endIndex
        guard let seconds = WallClock.seconds(word[..<end]) else { return nil }
        let rest = word[end...]
        if ["am", "pm"].contains(rest.lowercased()) { return (seconds, String(rest), nil) }
        return ZoneText.shift(rest).map { (seconds, nil, ZoneText(rest, .shift($0))) }
    }

    /// Words between day and time, and after a time.
    private static let others: Set<String> = [
        "de", "of", "den", "at", "um", "kl.", "à", "uhr", "h", "hrs", "г.", "г", "р.",
    ]

    // MARK: Dates

    /// `2026-11-21`, `21.11.2026`, `1/2/2024`, `23-feb.-2022`, `2022年2月23日`.
    private static func date(_ word: Substring, isLine: Bool) -> [Day]? {
        if let year = word.firstIndex(of: "年"), let month = word.firstIndex(of: "月"), year < month,
            word.last == "日", let number = Int(word[word.index(after: year)..<month]),
            let day = Int(word[word.index(after: month)...].dropLast())
        {
            return Self.day(
                String(word[..<year]), MonthNames.Meaning(month: number, languages: []), day
            ).map { [$0] }
        }
        for sign in ["-", "/", "."] as [Character] {
            let parts = word.split(separator: sign, omittingEmptySubsequences: false)
            guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { continue }
            if Int(parts[1]) == nil {
                // `23-feb.-2022`, also with the year first.
                guard sign == "-" else { continue }
                let isYearFirst = parts[0].utf8.count == 4
                guard let day = Int(parts[isYearFirst ? 2 : 0]) else { return nil }
                var year = String(parts[isYearFirst ? 0 : 2])
                // `14-AUG-16`.
                if !isYearFirst, !isLine, year.utf8.count == 2 { year = "20" + year }
                let days = MonthNames.meanings(parts[1]).compactMap { Self.day(year, $0, day) }
                return days.isEmpty ? nil : days
            }
            guard parts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x30 && $0 < 0x3A } }),
                let first = Int(parts[0]), let second = Int(parts[1]), let third = Int(parts[2])
            else { return nil }
            func numbered(_ year: Substring, _ month: Int, _ day: Int, _ isFirst: Bool?) -> Day? {
                guard (1...12).contains(month) else { return nil }
                var found = Self.day(
                    String(year), MonthNames.Meaning(month: month, languages: []), day)
                found?.isMonthFirst = isFirst
                return found
            }
            if parts[0].utf8.count == 4 {
                guard parts[1].utf8.count <= 2, parts[2].utf8.count <= 2 else { return nil }
                return numbered(parts[0], second, third, nil).map { [$0] }
            }
            // `02.03.24`; `24-03-02` may have the year first, and a line may have the number of a version.
            let isShort = parts[2].utf8.count == 2 && sign != "-" && !isLine
            guard parts[0].utf8.count <= 2, parts[1].utf8.count <= 2,
                isShort || parts[2].utf8.count == 4 && third > 31
            else { return nil }
            let year = isShort ? "20" + parts[2] : parts[2]
            // The day is first in a date with points.
            if sign == "." { return numbered(year, second, first, nil).map { [$0] } }
            let both = [
                numbered(year, second, first, false), numbered(year, first, second, true),
            ].compactMap(\.self)
            if both.isEmpty { return nil }
            return first == second
                ? [Day(midnight: both[0].midnight, meaning: both[0].meaning)] : both
        }
        return nil
    }

    private static func day(_ year: String, _ month: MonthNames.Meaning, _ day: Int) -> Day? {
        guard let midnight = LogClock.day(year, month.month, day) else { return nil }
        let name = MonthNames.english(month.month)
        let meaning =
            month.languages.isEmpty
            ? "\(day) \(name)" : "\(name) in \(month.languages.joined(separator: ", "))"
        return Day(midnight: midnight, meaning: meaning)
    }
}
