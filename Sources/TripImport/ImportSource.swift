import Diagnostics
import OBDCore

/// Facts about a log besides its bytes.
package struct ImportSource: Sendable {
    /// The file name without its folder; in many programs, only the file name contains the day.
    package var fileName = ""
    /// When the log begins in local time, according to the user.
    package var start: WallClock?
    /// The names of built-in signals by their names in the log.
    package var names: [String: String] = [:]
    /// The findings of an earlier reading: ``TripFileReader/findings``.
    package var findings = ImportFindings()
    /// The bus whose frames are read; nil = all.
    package var channel: String?
    /// The names of tests of service 06, which may occur in frames of a bus.
    package var monitors = MonitorTables()

    package init() {}

    /// The names in a file of the user with a line `NAME = SIGNAL` for each.
    ///
    /// - Throws: A fault for any other line, and for a signal that `table` does not have.
    package static func names(
        _ file: [UInt8], _ table: PIDTable
    ) throws(ImportFault) -> [String: String] {
        let known = Set(table.signals.flatMap { [$0.id] + $0.aliases }.map { $0.lowercased() })
        var names: [String: String] = [:]
        let lines = String(decoding: TextPieces.decoded(file), as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let line = String(line).withoutBlanks
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            // The name of a log may contain an equals sign, but a signal does not.
            guard let mark = line.lastIndex(of: "=") else {
                throw ImportFault(line: index + 1, reason: "\"\(line)\" is not NAME = SIGNAL")
            }
            let signal = String(line[line.index(after: mark)...]).withoutBlanks
            guard known.contains(signal.lowercased()) else {
                throw ImportFault(line: index + 1, reason: "unknown signal \"\(signal)\"")
            }
            names[String(line[..<mark]).withoutBlanks] = signal
        }
        return names
    }

    /// The time of the log's beginning and the source of the time; nil if unknown.
    var beginning: (clock: WallClock, from: AssumedDay.Source)? {
        if let start { return (start, .user) }
        return WallClock(inFileName: fileName).map { ($0, .fileName) }
    }
}

/// A day that no line of a log contains.
package struct AssumedDay: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        case fileName
        case user
    }

    /// `2026-11-21`.
    package var day: String
    package var source: Source
}

/// A day, optionally with a time, in local time.
package struct WallClock: Hashable, Sendable {
    /// The beginning of the day, as if the clock showed UTC.
    package var midnight: UTC
    /// Seconds since midnight; nil if only the day is known.
    package var seconds: Double?
    /// The zone of the clock, if the text beside the time names one; else local time.
    var zone: ZoneText?

    /// Reads `2026-11-21`, `2026-11-21T08:15` or `2026-11-21 08:15:02.5`; also `21.11.2026 08:15`,
    /// because the day is first in a date with dots.
    package init?(_ text: String) {
        let parts = text.split(whereSeparator: { $0 == "T" || $0 == " " })
        guard let day = parts.first else { return nil }
        let numbers = day.split(separator: ".", omittingEmptySubsequences: false)
        let dotted =
            numbers.count == 3 && numbers.allSatisfy { $0.utf8.count <= 4 }
            ? Int(numbers[0]).flatMap { day in
                Int(numbers[1]).flatMap { LogClock.day(String(numbers[2]), $0, day) }
            } : nil
        guard let midnight = dotted ?? (day.utf8.count == 10 ? UTC(day) : nil) else { return nil }
        self.midnight = midnight
        switch parts.count {
        case 1: break
        case 2:
            guard let seconds = Self.seconds(parts[1]) else { return nil }
            self.seconds = seconds
        default: return nil
        }
    }

    /// The time, as if the clock showed UTC; nil if only the day is known.
    var time: UTC? { seconds.map { midnight.later(bySeconds: $0) } }

    init(_ midnight: UTC, seconds: Double?, zone: ZoneText? = nil) {
        self.midnight = midnight
        self.seconds = seconds
        self.zone = zone
    }

    /// Parses the day and optionally the time in a file name; nil for a name without a day, or with one that may
    /// be two days.
    ///
    /// Examples: `2021-11-19 16-45-25.csv`, `trackLog-2022-Feb-23_06-34-27.csv`,
    /// `log_20260203_112039.csv`, `drive 25-12-2024 10-11-12.csv`.
    init?(inFileName name: String) {
        // Split the name into runs of digits and runs of letters.
        var words: [Substring] = []
        for part in name.split(whereSeparator: { !($0.isLetter || $0.isNumber) }) {
            var rest = part
            while let first = rest.first {
                let isNumber = first.isNumber
                let word = rest.prefix { $0.isNumber == isNumber }
                words.append(word)
                rest = rest.dropFirst(word.count)
            }
        }
        for index in words.indices {
            let rest = words[index...].dropFirst()
            if words[index].count == 8, words[index].first?.isNumber == true {
                let digits = words[index]
                let text =
                    "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
                guard let midnight = UTC(text) else { continue }
                self.init(midnight, seconds: rest.first.flatMap { Self.packed($0) })
                return
            }
            if rest.count >= 2, case let date = words[index..<index + 3],
                Self.isDayFirst(date, in: name)
            {
                guard let midnight = Self.day(date, in: name) else { return nil }
                let clock = Self.clock(words[(index + 3)...].prefix(5))
                self.init(midnight, seconds: clock.seconds, zone: clock.zone)
                return
            }
            guard words[index].count == 4, rest.count >= 2 else { continue }
            let parts = Array(rest.prefix(5))
            let month =
                MonthNames.month(parts[0]).map { $0 < 10 ? "0\($0)" : "\($0)" } ?? String(parts[0])
            guard month.count == 2, parts[1].count == 2,
                let midnight = UTC("\(words[index])-\(month)-\(parts[1])")
            else { continue }
            let clock = Self.clock(rest.dropFirst(2).prefix(5))
            self.init(midnight, seconds: clock.seconds, zone: clock.zone)
            return
        }
        return nil
    }

    /// The time in the words after a day, `08-15-02` or `T 08-15-02 Z`.
    private static func clock(
        _ words: ArraySlice<Substring>
    ) -> (seconds: Double?, zone: ZoneText?) {
        var words = words
        if let letter = words.first?.lowercased(), ["t", "at"].contains(letter) {
            words = words.dropFirst()
        }
        let clock = words.prefix(3)
        let isSplit = clock.count == 3 && clock.allSatisfy { $0.count == 2 }
        let seconds =
            isSplit
            ? Self.seconds(clock.joined(separator: ":")) : clock.first.flatMap { Self.packed($0) }
        let zone = words.dropFirst(isSplit ? 3 : 1).first.flatMap { word in
            ["z", "utc", "gmt"].contains(word.lowercased()) ? ZoneText(word[...]) : nil
        }
        return (seconds, seconds == nil ? nil : zone)
    }

    /// The text between two words of a name.
    private static func sign(_ first: Substring, _ second: Substring, _ name: String) -> Substring {
        name[first.endIndex..<second.startIndex]
    }

    /// Whether three words of a file name are a date with its year at the end, such as `25-12-2024`.
    private static func isDayFirst(_ words: ArraySlice<Substring>, in name: String) -> Bool {
        guard let first = words.first, let year = words.last, let second = words.dropFirst().first
        else { return false }
        let sign = sign(first, second, name)
        return first.count <= 2 && second.count <= 2 && ["-", ".", "_"].contains(sign)
            && sign == self.sign(second, year, name) && Int(first) != nil && Int(second) != nil
            && year.count == 4 && Int(year).map { (1990..<2100).contains($0) } ?? false
    }

    /// The day of a date with its year at the end; nil if it may be two days.
    private static func day(_ words: ArraySlice<Substring>, in name: String) -> UTC? {
        guard let first = words.first, let year = words.last, let second = words.dropFirst().first,
            let one = Int(first), let two = Int(second)
        else { return nil }
        let dayFirst = LogClock.day(String(year), two, one)
        // The day is first in a date with points.
        guard sign(first, second, name) != ".",
            let monthFirst = LogClock.day(String(year), one, two)
        else { return dayFirst }
        return dayFirst == nil || dayFirst == monthFirst ? monthFirst : nil
    }

    /// `112039`.
    private static func packed(_ digits: Substring) -> Double? {
        guard digits.count == 6 else { return nil }
        return seconds("\(digits.prefix(2)):\(digits.dropFirst(2).prefix(2)):\(digits.suffix(2))")
    }

    /// Seconds since midnight of `08:15`, `08:15:02` or `8:15:02.123`; nil for anything else.
    static func seconds(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3,
            parts.allSatisfy({ $0.utf8.first.map { (0x30...0x39).contains($0) } ?? false }),
            let hours = Int(parts[0]), hours < 24, let minutes = Int(parts[1]), minutes < 60
        else { return nil }
        var seconds = 0.0
        if parts.count == 3 {
            guard let found = CSVNumber.decimal(parts[2]), found < 60 else { return nil }
            seconds = found
        }
        return Double(hours * 3600 + minutes * 60) + seconds
    }
}
