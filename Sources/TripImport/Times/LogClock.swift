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

    /// The points in time at which the clock on the wall shows a time, in their order: in local time, or in
    /// the zone of that name; nil for an unknown zone.
    typealias Wall = (UTC, _ zone: String?) -> [UTC]?

    private let wallTime: Wall
    var form = Form.time
    /// How numbers of the time column read.
    var numbers = DecimalRule.any
    /// Whether seconds of ``Form/sinceStart(second:)`` count from midnight, not from the beginning.
    private var countsFromMidnight = false
    /// When the log begins in local time, according to the log or another source.
    private(set) var beginning: WallClock?
    /// Whether a line of the log contains its beginning.
    private var saysBeginning = false
    /// Whether a time depends on a beginning that no line contains.
    private(set) var assumesBeginning = false
    /// The time by which local time of the log is ahead of UTC, if another clock of the log shows it; unit:
    /// µs.
    private var zone: Int64?
    /// Whether a time was read in local time, because no clock of the log had shown a zone yet.
    private var usedLocalTime = false
    /// The zone that another clock showed after times that had been read in local time.
    private(set) var lateZone: Int64?
    /// Whether a time of day counts from the beginning; nil before the first one.
    private var countsFromBeginning: Bool?
    /// The other clock beside the next time.
    private var other: (wall: UTC, zone: ZoneText, text: String)?
    /// The end of the text with the zone, `GMT+02:00 2021`; an unchanged end means an unchanged zone.
    private var zoneText: [UInt8] = []
    /// The last time of day in seconds, and the number of midnights since the beginning.
    private var lastOfDay: (seconds: Double, days: Int64)?
    /// The last time.
    private var last: UTC?
    /// Whether the log begins in the second pass of the hour that autumn repeats, as an earlier reading has found.
    private let beginsInSecondPass: Bool
    /// The last time on the wall, while all times of the log have two meanings.
    private(set) var repeated: UTC?
    /// Whether the log continues without a break where the repeated hour ends, although its first times were taken
    /// for those of the first pass.
    private(set) var showsSecondPass = false

    /// The order of day and month that the dates of the log show.
    private(set) var order: DateOrder
    /// A clock that counts, and may start again within the log.
    private(set) var stopwatch: Stopwatch
    /// Why the last time could not be read; a part of a sentence.
    private var reason: String?
    /// The days or zones that the last time may mean.
    private var days: [String] = []
    private var zones: [String] = []

    init(_ wallTime: @escaping Wall, beginning: WallClock? = nil, _ findings: ImportFindings) {
        self.wallTime = wallTime
        self.beginning = beginning
        beginsInSecondPass = findings.beginsInSecondPass
        order = DateOrder(findings.isMonthFirst)
        stopwatch = Stopwatch(findings.restarts)
        zone = findings.zone
    }

    private func localTime(_ wall: UTC) -> [UTC] { wallTime(wall, nil) ?? [] }

    /// Sets the beginning from a line of the log.
    mutating func begins(at found: WallClock) {
        // Keep the time in the file name if the line contains only the day.
        guard found.seconds != nil || beginning?.midnight != found.midnight,
            found != beginning || !saysBeginning
        else { return }
        beginning = found
        saysBeginning = true
        countsFromBeginning = nil
        stopwatch.beginsAnew()
    }

    /// Whether the clock of a log that counts has started again with the last time.
    var hasRestarted: Bool { stopwatch.hasRestarted }

    /// Says that another part of the log begins with the next time.
    mutating func partBegins() { stopwatch.partBegins() }

    /// Takes seconds as counted from the midnight before the beginning.
    mutating func countFromMidnight() {
        countsFromMidnight = true
    }

    /// Whether times of this clock need a day that no line contains.
    func needsDay(_ text: String) -> Bool {
        guard beginning == nil else { return false }
        if let number = number(text) {
            if case .sinceStart(let second) = form {
                return Self.since1970(number * second, scales: [1]) == nil
            }
            return abs(number) < Self.least
        }
        if case .sinceStart = form { return Self.duration(text) != nil }
        return DateText.timeOfDay(text) != nil
    }

    /// The message about a text that is not a time, or needs a day or a zone.
    func fault(_ text: String, line: Int) -> ImportFault {
        if needsDay(text) { return .noDay(line: line) }
        var fault = ImportFault(line: line, reason: reason ?? "time \"\(text)\" is not a date")
        (fault.days, fault.zones) = (days, zones)
        return fault
    }

    /// The number in a cell of the time column; if nothing settles a sign, it is the decimal one.
    private func number(_ text: String) -> Double? {
        CSVNumber.decimal(text, numbers) ?? CSVNumber.decimal(text)
    }

    /// Rows out of order differ by less; unit: µs.
    private static let disorder: Int64 = 600_000_000
    /// A log without a break has steps of at most a minute; unit: µs.
    private static let longestStep: Int64 = 60_000_000
    /// Smaller numbers of seconds do not count from 1970.
    private static let least = 1e8

    /// The time for seconds, milliseconds, microseconds or nanoseconds since 1970; nil for other numbers.
    ///
    /// No log is older than 2001. A smaller number counts in another unit from another time.
    private static func since1970(_ number: Double, scales: [Double] = [1, 1e3, 1e6, 1e9]) -> UTC? {
        for scale in scales where (978_307_200..<4_102_444_800).contains(number / scale) {
            return UTC(microseconds: Int64((number / scale * 1e6).rounded()))
        }
        return nil
    }

    /// Seconds of `00:03:28`; nil for anything else.
    static func duration(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hours = Int(parts[0]), (0..<10_000).contains(hours),
            let minutes = Int(parts[1]), (0..<60).contains(minutes),
            let seconds = CSVNumber.decimal(parts[2]), (0..<60).contains(seconds)
        else { return nil }
        return Double(hours * 3600 + minutes * 60) + seconds
    }

    /// The point in time for a text in a log; nil if it is not valid or its day is unknown.
    ///
    /// The clock accepts ISO 8601 with a zone, or without one in local time; seconds, milliseconds and
    /// microseconds since 1970; dates as in ``DateText``; a time of day; and time since the log began.
    mutating func utc(_ text: String, line: Int) -> UTC? {
        (reason, days, zones) = (nil, [], [])
        stopwatch.endsRestart()
        let found = converted(text, line)
        last = found ?? last
        return found
    }

    private mutating func converted(_ text: String, _ line: Int) -> UTC? {
        if case .sinceStart(let second) = form {
            if let number = number(text) {
                return Self.since1970(number * second, scales: [1])
                    ?? afterBeginning(number * second, line: line)
            }
            if let passed = Self.duration(text) { return afterBeginning(passed, line: line) }
            return dated(text, line)
        }
        if text.hasSuffix("Z"), let utc = UTC(text) { return utc }
        if let found = DateText.timeOfDay(text) {
            guard let beginning else { return nil }
            if countsFromBeginning(found.seconds) {
                return afterBeginning(found.seconds, line: line)
            }
            assumesBeginning = !saysBeginning
            return utc(
                beginning.midnight + continued(found.seconds), found.zone ?? beginning.zone)
        }
        if let number = number(text) {
            return abs(number) < Self.least
                ? afterBeginning(number, line: line) : Self.since1970(number)
        }
        return dated(text, line)
    }

    /// Whether times of day count from the beginning, as the first one shows.
    ///
    /// `00:00:00.083` counts if a line lets the log begin at 10:47, because no clock shows that time soon after.
    private mutating func countsFromBeginning(_ seconds: Double) -> Bool {
        if let countsFromBeginning { return countsFromBeginning }
        let start = beginning?.seconds
        let distance = start.map { seconds < $0 ? seconds + 86_400 - $0 : 0 } ?? 0
        let counts = saysBeginning && seconds < Self.hour && distance > Self.hour
        countsFromBeginning = counts
        // The first row may be after the next midnight.
        if !counts, lastOfDay == nil { lastOfDay = start.map { ($0, 0) } }
        return counts
    }

    /// The first row follows the beginning within this time; unit: s.
    private static let hour = 3_600.0

    /// Seconds since the first midnight for seconds of a day.
    private mutating func continued(_ seconds: Double) -> Double {
        var days = lastOfDay?.days ?? 0
        if let lastOfDay {
            let step = seconds - lastOfDay.seconds
            // A step back by more than half a day means the next day. A row out of order may be from before
            // midnight.
            if step < -43_200 {
                days += 1
            } else if step > 82_800, days > 0 {
                days -= 1
            }
        }
        lastOfDay = (seconds, days)
        return Double(days) * 86_400 + seconds
    }

    /// The time for a text with a day.
    private mutating func dated(_ text: String, _ line: Int) -> UTC? {
        // A day without a time is its beginning.
        guard let found = DateText(text), let day = theDay(of: found, line) else { return nil }
        return utc(day.midnight + (found.seconds ?? 0), found.zone)
    }

    /// The day that a text means here; nil if nothing decides between several days.
    private mutating func theDay(of found: DateText, _ line: Int) -> DateText.Day? {
        let days = found.days
        if days.count == 1, let shown = days[0].isMonthFirst { order.take(shown) }
        guard days.count > 1 else { return days.first }
        reason =
            "\"\(found.unclear)\" may be \(days.map(\.meaning).joined(separator: ", or "))"
        self.days = days.map { String($0.midnight.text.prefix(10)) }
        // A log lasts no longer than some days.
        let near = days.filter { day in
            beginning.map {
                (0...3 * 86_400_000_000).contains(
                    day.midnight.microseconds - $0.midnight.microseconds)
            } ?? false
        }
        let nearest = near.count == 1 ? near[0] : nil
        guard found.isOrderUnclear else { return nearest }
        let fault = fault(found.unclear, line: line)
        // Most programs that write AM and PM in capital letters write dates as in the United States.
        let isUsual: Bool? = found.hasCapitalHalf ? true : nil
        let isMonthFirst = order.isMonthFirst(fitting: nearest?.isMonthFirst ?? isUsual, fault)
        // The day is chosen, so that a message about the zone does not offer days.
        (reason, self.days) = (nil, [])
        return days.first { $0.isMonthFirst == isMonthFirst }
    }

    /// Takes another clock of the log beside the next time, if it has a zone.
    mutating func takeOther(_ text: String) {
        other = nil
        if zone != nil, text.utf8.suffix(zoneText.count).elementsEqual(zoneText) { return }
        guard let found = DateText(text), found.days.count == 1, let day = found.days.first,
            let seconds = found.seconds, let zone = found.zone
        else { return }
        other = (day.midnight + seconds, zone, text)
    }

    /// The point in time so many seconds after the beginning; nil if the beginning is unknown.
    mutating func afterBeginning(_ seconds: Double, line: Int) -> UTC? {
        guard let beginning, abs(seconds) < 1e9 else { return nil }
        assumesBeginning = !saysBeginning
        if countsFromMidnight, !countsFromBeginning(seconds) {
            let wall = beginning.midnight + continued(seconds)
            let found = beginning.zone == nil ? local(wall, nil) : utc(wall, beginning.zone)
            last = found ?? last
            return found
        }
        // A stopwatch does not follow changes of local time.
        let start = beginning.midnight + (beginning.seconds ?? 0)
        let passed = stopwatch.seconds(seconds, line: line)
        if let zone = beginning.zone { return utc(start, in: zone).map { $0 + passed } }
        return (localTime(start).first ?? skipped(start, nil).utc) + passed
    }

    /// UTC for a time of the clock on the wall, in its zone or that of the log, else in local time; nil if the
    /// zone is not clear.
    private mutating func utc(_ wall: UTC, _ zone: ZoneText?) -> UTC? {
        // A satellite clock without a fix shows another time, whose zone may differ.
        if let other, other.wall.microseconds(since: wall).magnitude < 1_800_000_000 {
            guard let utc = utc(wall, in: other.zone) else { return nil }
            let shift = wall.microseconds(since: utc)
            if self.zone == nil, usedLocalTime { lateZone = shift }
            self.zone = shift
            zoneText = Array(other.text.utf8.suffix(14))
        }
        if let zone { return utc(wall, in: zone) }
        guard let shift = self.zone else {
            usedLocalTime = true
            return local(wall, nil)
        }
        return UTC(microseconds: wall.microseconds - shift)
    }

    /// UTC for a time of the clock on the wall in a zone; nil if the zone is not clear.
    private mutating func utc(_ wall: UTC, in zone: ZoneText) -> UTC? {
        switch zone.meaning {
        case .shift(let shift): return UTC(microseconds: wall.microseconds - shift)
        case .place(let name):
            if wallTime(wall, name) != nil { return local(wall, name) }
            reason = "this system does not know the time zone \"\(zone.text)\""
        case .unknown: reason = "\"\(zone.text)\" after the time is not a time zone"
        case .several(let candidates):
            // Zones whose clocks differ from UTC by that at this time, and of these the one of this system.
            let possible = candidates.filter {
                wallTime(wall, $0.place)?.contains(
                    UTC(microseconds: wall.microseconds - $0.shift)) ?? true
            }
            let here = localTime(wall)
            let fitting = possible.filter {
                here.contains(UTC(microseconds: wall.microseconds - $0.shift))
            }
            if fitting.count == 1 {
                return UTC(microseconds: wall.microseconds - fitting[0].shift)
            }
            let offered = possible.isEmpty ? candidates : possible
            let meanings = offered.map(\.text).joined(separator: ", or ")
            reason = "time zone \"\(zone.text)\" may be \(meanings)"
            zones = offered.map(\.place)
        }
        return nil
    }

    /// UTC for a local time, or for one in another zone.
    ///
    /// The rows of a log are in the order of recording, so a step back to a time that autumn repeats is
    /// the second time. A log that begins in the repeated hour begins in the first pass, unless it continues
    /// without a break after the second one. A time that spring skips shows a clock that did not follow the change.
    private mutating func local(_ wall: UTC, _ name: String?) -> UTC {
        let found = wallTime(wall, name) ?? []
        guard let first = found.first else {
            let (utc, shift) = skipped(wall, name)
            zone = shift
            return utc
        }
        guard let second = found.last, second != first else {
            if let repeated, (0...Self.longestStep).contains(wall.microseconds(since: repeated)) {
                showsSecondPass = true
            }
            repeated = nil
            return first
        }
        guard let last else {
            repeated = wall
            return beginsInSecondPass ? second : first
        }
        if last.microseconds(since: first) > Self.disorder {
            repeated = nil
            return second
        }
        if let repeated { self.repeated = max(repeated, wall) }
        return first
    }

    /// UTC for a time that spring skips, with the distance from UTC before the change; unit: µs.
    private func skipped(_ wall: UTC, _ name: String?) -> (utc: UTC, shift: Int64) {
        let dayBefore = wall + -90_000
        let shift = wallTime(dayBefore, name)?.first.map { dayBefore.microseconds(since: $0) } ?? 0
        return (UTC(microseconds: wall.microseconds - shift), shift)
    }

    /// The day and time in a line; nil for a line without them, or with a day that is not clear.
    ///
    /// Examples: `# StartTime = 02/03/2026 11:20:39.6323 AM`, `Nov 9, 2025`. A program may have its own
    /// order of day and month.
    static func beginning(in line: String, isMonthFirst: Bool?) -> WallClock? {
        guard let found = DateText(line, isLine: true) else { return nil }
        var days = found.days
        if days.count > 1, found.isOrderUnclear {
            let order = isMonthFirst ?? (found.hasCapitalHalf ? true : nil)
            days = days.filter { $0.isMonthFirst == order }
        }
        guard days.count == 1, let day = days.first else { return nil }
        return WallClock(day.midnight, seconds: found.seconds, zone: found.zone)
    }

    static func day(_ year: String, _ month: Int, _ day: Int) -> UTC? {
        year.count == 4 ? UTC("\(year)-\(two(month))-\(two(day))") : nil
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension UTC {
    /// The time so many seconds later.
    fileprivate static func + (time: UTC, seconds: Double) -> UTC {
        UTC(microseconds: time.microseconds + Int64((seconds * 1e6).rounded()))
    }
}
