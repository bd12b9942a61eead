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
    /// How far local time of the log is ahead of UTC, if another clock of the log says so; unit: µs.
    private var zone: Int64?
    /// What the other clock says beside the next time.
    private var other: (wall: UTC, zone: Int64, text: String)?
    /// The end of the text with the zone, `GMT+02:00 2021`: while it stays the same, so does the zone.
    private var zoneText: [UInt8] = []
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
        guard beginning == nil, form == .time else { return beginning == nil }
        let isCount = CSVNumber.decimal(text).map { abs($0) < Self.least } ?? false
        return isCount || WallClock.seconds(Self.splitZone(text).wall) != nil
    }

    /// Smaller numbers of seconds do not count from 1970.
    private static let least = 1e8

    /// The point in time for a text in a log; nil if it is not valid or its day is unknown.
    ///
    /// It accepts ISO 8601 with a zone, or without one in local time; seconds since 1970; Torque's
    /// `21-Nov-2026 08:15:02.123` and `21.11.2026 08:15:02`, day first; a time of day; and time since
    /// the log began.
    mutating func utc(_ text: String) -> UTC? {
        if case .sinceStart(let second) = form {
            return CSVNumber.decimal(text).flatMap { afterBeginning($0 * second) }
        }
        if text.hasSuffix("Z"), let utc = UTC(text) { return utc }
        let (wall, zone) = Self.splitZone(text)
        if let ofDay = WallClock.seconds(wall) {
            guard let beginning else { return nil }
            assumesBeginning = !saysBeginning
            var days = lastOfDay?.days ?? 0
            // A step back by more than half a day means the next day.
            if let lastOfDay, ofDay < lastOfDay.seconds - 43_200 { days += 1 }
            lastOfDay = (ofDay, days)
            return utc(
                UTC(
                    microseconds: beginning.midnight.microseconds + days * 86_400_000_000
                        + Int64((ofDay * 1e6).rounded())), zone)
        }
        if let seconds = CSVNumber.decimal(text) {
            guard abs(seconds) > Self.least else { return afterBeginning(seconds) }
            return seconds > 0 && seconds < 1e11
                ? UTC(microseconds: Int64((seconds * 1e6).rounded())) : nil
        }
        let parts = wall.split(separator: " ", maxSplits: 1)
        let date = parts.first?.split(separator: "-") ?? []
        if parts.count == 2, date.count == 3, let month = Self.month(date[1]) {
            let day = "\(date[2])-\(Self.two(month))-\(date[0].count < 2 ? "0" : "")\(date[0])"
            guard let found = UTC("\(day)T\(parts[1])Z") else { return nil }
            return utc(found, zone)
        }
        if let found = Self.zoneInside(text) { return utc(found.wall, found.zone) }
        guard wall.first?.isNumber == true else { return nil }
        // A day without a time is its beginning.
        let found =
            UTC(wall.utf8.count > 10 ? wall + "Z" : wall)
            ?? WallClock(String(wall)).map {
                UTC(microseconds: $0.midnight.microseconds + Int64(($0.seconds ?? 0) * 1e6))
            }
        guard let found else { return nil }
        return utc(found, zone)
    }

    /// Takes what another clock of the log says beside the next time, if it has a zone.
    mutating func takeOther(_ text: String) {
        other = nil
        if zone != nil, text.utf8.suffix(zoneText.count).elementsEqual(zoneText) { return }
        other = Self.zoneInside(text).flatMap { found in found.zone.map { (found.wall, $0, text) } }
    }

    /// The point in time so many seconds after the beginning; nil if that is unknown.
    private mutating func afterBeginning(_ seconds: Double) -> UTC? {
        guard let beginning, abs(seconds) < 1e9 else { return nil }
        assumesBeginning = !saysBeginning
        let passed = ((beginning.seconds ?? 0) + seconds) * 1e6
        return localTime(
            UTC(microseconds: beginning.midnight.microseconds + Int64(passed.rounded())))
    }

    /// UTC for a time of the clock on the wall, in its zone or that of the log, else in local time.
    private mutating func utc(_ wall: UTC, _ zone: Int64?) -> UTC {
        // A satellite clock without a fix shows another time, whose zone may differ.
        if let other, abs(other.wall.microseconds - wall.microseconds) < 1_800_000_000 {
            self.zone = other.zone
            zoneText = Array(other.text.utf8.suffix(14))
        }
        guard let shift = zone ?? self.zone else { return localTime(wall) }
        return UTC(microseconds: wall.microseconds - shift)
    }

    /// Splits `08:15:02+01:00`, `08:15:02 GMT+0100` or `08:15:02Z` into the time on the wall and how
    /// far it is ahead of UTC; unit: µs, nil without a zone.
    private static func splitZone(_ text: String) -> (wall: String, zone: Int64?) {
        guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
        var (rest, zone) = (text[...], Int64?.none)
        if let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }), sign > colon {
            guard let shift = shift(text[sign...]) else { return (text, nil) }
            (rest, zone) = (text[..<sign], shift)
        }
        for name in ["Z", "UTC", "GMT"] where rest.hasSuffix(name) {
            (rest, zone) = (rest.dropLast(name.count), zone ?? 0)
            break
        }
        return zone == nil ? (text, nil) : (String(rest).withoutBlanks, zone)
    }

    /// The shift of `+01:00` or `-0130`; unit: µs.
    private static func shift(_ text: Substring) -> Int64? {
        let digits = text.dropFirst().filter { $0 != ":" }
        guard text.first == "+" || text.first == "-", digits.count == 4, let number = Int64(digits),
            number >= 0, number < 2400, number % 100 < 60
        else { return nil }
        let shift = (number / 100 * 60 + number % 100) * 60_000_000
        return text.first == "+" ? shift : -shift
    }

    /// `Wed Feb 23 06:41:05 GMT+08:00 2022`; a zone that is only a name is the user's own.
    private static func zoneInside(_ text: String) -> (wall: UTC, zone: Int64?)? {
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 6, let month = Self.month(words[1]), let day = Int(words[2]),
            let seconds = WallClock.seconds(words[3]),
            let midnight = Self.day(words[5], month, day)
        else { return nil }
        let wall = UTC(microseconds: midnight.microseconds + Int64((seconds * 1e6).rounded()))
        let zone = words[4]
        guard zone.hasPrefix("GMT") || zone.hasPrefix("UTC") else { return (wall, nil) }
        if zone.count == 3 { return (wall, 0) }
        return shift(zone.dropFirst(3)).map { (wall, $0) }
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
        year.count == 4 ? UTC("\(year)-\(two(month))-\(two(day))") : nil
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
