import Formats
import OBDCore

/// Parses times in logs: complete ones, times of an unnamed day, and times since the log began.
struct LogClock {
    /// The format of the time column.
    enum Form: Hashable {
        /// A point in time, or a time of day.
        case time
        /// Time since the log began, in units of this fraction of a second.
        case sinceStart(second: Double)
    }

    /// Converts local time to UTC.
    private let localTime: (UTC) -> UTC
    var form = Form.time
    /// When the log begins in local time, according to the log or another source.
    private(set) var beginning: WallClock?
    /// Whether a line of the log contains its beginning.
    private var saysBeginning = false
    /// Whether a time depends on a beginning that no line contains.
    private(set) var assumesBeginning = false
    /// The last time of day in seconds, and the number of midnights since the beginning.
    private var lastOfDay: (seconds: Double, days: Int64)?

    init(_ localTime: @escaping (UTC) -> UTC, beginning: WallClock? = nil) {
        self.localTime = localTime
        self.beginning = beginning
    }

    /// The number of a month from the first letters of its name in one of several languages.
    static func month(_ name: some StringProtocol) -> Int? {
        let name = name.lowercased()
        guard name.count >= 3 else { return nil }
        return months.firstIndex { $0.contains { name.hasPrefix($0) } }.map { $0 + 1 }
    }

    // English, German, French, Spanish, Italian, Portuguese, Dutch, Polish.
    private static let months: [[String]] = [
        ["jan", "jän", "ene", "gen", "sty"], ["feb", "fév", "fev", "lut"],
        ["mar", "mär", "mrz", "maa", "mrt"], ["apr", "avr", "abr", "kwi"],
        ["may", "mai", "mei", "mag", "maj"], ["jun", "juin", "giu", "cze"],
        ["jul", "juil", "lug", "lip"], ["aug", "aoû", "aou", "ago", "sie"],
        ["sep", "set", "wrz"], ["oct", "okt", "out", "ott", "paź"], ["nov", "lis"],
        ["dec", "dez", "déc", "dic", "gru"],
    ]

    /// Sets the beginning from a line of the log.
    mutating func begins(at found: WallClock) {
        // Keep the time in the file name if the line contains only the day.
        guard found.seconds != nil || beginning?.midnight != found.midnight else { return }
        beginning = found
        saysBeginning = true
    }

    /// Whether times of this clock need a day that no line contains.
    func needsDay(_ text: String) -> Bool {
        beginning == nil && (form != .time || WallClock.seconds(text) != nil)
    }

    /// The point in time for a text in a log; nil if it is not valid or its day is unknown.
    ///
    /// It accepts ISO 8601 with a zone, or without one in local time; seconds since 1970; Torque's
    /// `21-Nov-2026 08:15:02.123` in local time; a time of day; and time since the log began.
    mutating func utc(_ text: String) -> UTC? {
        if case .sinceStart(let second) = form {
            guard let beginning, let passed = CSVNumber.decimal(text), abs(passed * second) < 1e9
            else { return nil }
            assumesBeginning = !saysBeginning
            let start = beginning.midnight.microseconds
            return localTime(
                UTC(
                    microseconds: start
                        + Int64(((beginning.seconds ?? 0) * 1e6 + passed * second * 1e6).rounded()))
            )
        }
        if let ofDay = WallClock.seconds(text) {
            guard let beginning else { return nil }
            assumesBeginning = !saysBeginning
            var days = lastOfDay?.days ?? 0
            // A step back by more than half a day means the next day.
            if let lastOfDay, ofDay < lastOfDay.seconds - 43_200 { days += 1 }
            lastOfDay = (ofDay, days)
            return localTime(
                UTC(
                    microseconds: beginning.midnight.microseconds + days * 86_400_000_000
                        + Int64((ofDay * 1e6).rounded())))
        }
        if let utc = UTC(text), text.hasSuffix("Z") { return utc }
        if let seconds = CSVReader.number(text) {
            // Smaller numbers do not count from 1970.
            guard seconds > 1e8, seconds < 1e11 else { return nil }
            return UTC(microseconds: Int64((seconds * 1e6).rounded()))
        }
        let parts = text.split(separator: " ", maxSplits: 1)
        let date = parts.first?.split(separator: "-") ?? []
        if parts.count == 2, date.count == 3, let month = Self.month(date[1]) {
            let two = { (text: String) in text.count < 2 ? "0" + text : text }
            return local("\(date[2])-\(two(String(month)))-\(two(String(date[0])))T\(parts[1])")
        }
        if let found = withZoneInside(text) { return found }
        // `+01:00` after the seconds.
        if text.count > 16, let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }),
            text.distance(from: text.startIndex, to: sign) > 10
        {
            let zone = text[sign...].dropFirst().split(separator: ":")
            guard zone.count == 2, let hours = Int64(zone[0]), let minutes = Int64(zone[1]),
                hours < 24, minutes < 60, let wall = UTC(String(text[..<sign]) + "Z")
            else { return nil }
            let shift = (hours * 60 + minutes) * 60_000_000
            return UTC(microseconds: wall.microseconds + (text[sign] == "+" ? -shift : shift))
        }
        guard text.count >= 10, text.first?.isNumber == true else { return nil }
        return local(text)
    }

    /// `Wed Feb 23 06:41:05 GMT+08:00 2022`; a zone that is only a name is the user's own.
    private func withZoneInside(_ text: String) -> UTC? {
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 6, let month = Self.month(words[1]), let day = Int(words[2]),
            let seconds = WallClock.seconds(words[3]),
            let midnight = Self.day(words[5], month, day)
        else { return nil }
        let wall = UTC(microseconds: midnight.microseconds + Int64((seconds * 1e6).rounded()))
        let zone = words[4]
        guard zone.hasPrefix("GMT") || zone.hasPrefix("UTC") else { return localTime(wall) }
        guard let sign = zone.dropFirst(3).first else { return wall }
        let parts = zone.dropFirst(4).split(separator: ":")
        guard sign == "+" || sign == "-", parts.count == 2, let hours = Int64(parts[0]), hours < 24,
            let minutes = Int64(parts[1]), minutes < 60
        else { return nil }
        let shift = (hours * 60 + minutes) * 60_000_000
        return UTC(microseconds: wall.microseconds + (sign == "+" ? -shift : shift))
    }

    /// A time of the clock on the wall, or of UTC with a Z; a day without a time is its beginning.
    private func local(_ text: String) -> UTC? {
        if text.hasSuffix("Z") { return UTC(text) }
        return UTC(text.count > 10 ? text + "Z" : text).map(localTime)
    }

    /// The day and time in a line; nil for a line without them.
    ///
    /// Examples: `# StartTime = 02/03/2026 11:20:39.6323 AM` (month first), `Nov 9, 2025`.
    static func beginning(in line: String) -> WallClock? {
        let words = line.split(whereSeparator: { " ,=#\t;".contains($0) }).map(String.init)
        for (index, word) in words.enumerated() {
            let rest = words[index...].dropFirst()
            let numbers = word.split(separator: "/")
            if numbers.count == 3, let month = Int(numbers[0]), let day = Int(numbers[1]),
                numbers[2].count == 4, let midnight = Self.day(String(numbers[2]), month, day)
            {
                guard let clock = rest.first else { return WallClock(midnight, seconds: nil) }
                guard var seconds = WallClock.seconds(clock) else {
                    return WallClock(midnight, seconds: nil)
                }
                if let half = rest.dropFirst().first?.lowercased() {
                    if half == "pm", seconds < 43_200 { seconds += 43_200 }
                    if half == "am", seconds >= 43_200 { seconds -= 43_200 }
                }
                return WallClock(midnight, seconds: seconds)
            }
            if let month = Self.month(word), word.count <= 9, rest.count >= 2, words.count <= 5,
                let day = rest.first.flatMap({ Int($0) }),
                let midnight = Self.day(rest.dropFirst().first ?? "", month, day)
            {
                return WallClock(midnight, seconds: nil)
            }
            if let clock = WallClock(word), words.count <= 6 {
                return WallClock(
                    clock.midnight,
                    seconds: clock.seconds ?? rest.first.flatMap { WallClock.seconds($0) })
            }
        }
        return nil
    }

    static func day(_ year: String, _ month: Int, _ day: Int) -> UTC? {
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return year.count == 4 ? UTC("\(year)-\(two(month))-\(two(day))") : nil
    }
}
