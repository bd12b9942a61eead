public import OBDCore
import SystemIO

/// A point in time as a user types it.
///
/// Forms: `2026-11-21T08:15:02Z`, the same in local time without the Z, `2026-11-21`, the month
/// `2026-11`, `today`, `yesterday`, `08:15` of today, `7d` ago, or `+5m` after a trip's start.
public struct TripMoment: Hashable, Sendable {
    private enum Form: Hashable {
        case utc(UTC)
        case ago(Duration)
        case afterStart(Duration)
    }

    private let form: Form

    /// The point in time that a text means; nil for any other text.
    public init?(argument: String) {
        if argument.hasPrefix("+") {
            guard let lapse = Duration(text: String(argument.dropFirst())) else { return nil }
            form = .afterStart(lapse)
        } else if argument.lowercased() == "now" {
            form = .ago(.zero)
        } else if argument.hasSuffix("Z"), let utc = UTC(argument) {
            form = .utc(utc)
        } else if let wall = Self.wallTime(argument) {
            form = .utc(SystemIO.utc(onTheWall: wall))
        } else if argument.last?.isLetter == true, let ago = Duration(text: argument) {
            form = .ago(ago)
        } else {
            return nil
        }
    }

    /// The local time at a moment.
    private static func wallTime(_ text: String) -> UTC? {
        let today = localTime(SystemClock.utc).prefix(10)
        switch text.lowercased() {
        case "today": return UTC(today)
        case "yesterday":
            return UTC(today).map { $0.later(by: -86_400_000_000) }
        default: break
        }
        if text.utf8.count == 7 { return UTC(text + "-01") }
        let isClock = text.utf8.dropFirst(2).first == UInt8(ascii: ":")
        let whole = isClock ? "\(today)T\(text)" : text
        return UTC(whole.count > 10 ? whole + "Z" : whole)
    }

    /// Whether it counts from the start of a trip.
    public var isRelative: Bool { utc(since: nil) == nil }

    /// The point in time; nil without the start of a trip that it counts from, or with one if it counts
    /// from now.
    public func utc(since start: UTC?) -> UTC? {
        switch form {
        case .utc(let utc): utc
        case .ago(let ago):
            start == nil
                ? UTC(microseconds: SystemClock.utc.microseconds &- ago.nanoseconds / 1000) : nil
        case .afterStart(let lapse):
            start.map { UTC(microseconds: $0.microseconds &+ lapse.nanoseconds / 1000) }
        }
    }
}

/// A month in local time: `2026-11`, `this` or `last`.
public struct TripMonth: Hashable, Sendable {
    /// Its first moment.
    public let start: UTC
    /// The first moment of the next one.
    public let end: UTC

    /// The month that a text means; nil for any other text.
    public init?(argument: String) {
        self.init(argument: argument, now: localTime(SystemClock.utc))
    }

    /// - Parameter now: what the clock on the wall shows.
    init?(argument: String, now: String) {
        let isLast = argument == "last"
        let text = isLast || argument == "this" ? String(now.prefix(7)) : argument
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
            let year = Int(parts[0]), let month = Int(parts[1]), (1...12).contains(month),
            UTC("\(text)-01") != nil
        else { return nil }
        let months = year * 12 + month - 1 - (isLast ? 1 : 0)
        guard let first = UTC(Self.firstDay(months)), let next = UTC(Self.firstDay(months + 1))
        else { return nil }
        (start, end) = (utc(onTheWall: first), utc(onTheWall: next))
    }

    /// The first day of a month; unit: months since the year 0.
    private static func firstDay(_ months: Int) -> String {
        let (year, month) = (String(months / 12), months % 12 + 1)
        return String(repeating: "0", count: max(0, 4 - year.utf8.count)) + year
            + (month < 10 ? "-0" : "-") + "\(month)-01"
    }
}

/// The age from which trips are deleted: `365d`, `48h`.
///
/// A number alone would mean seconds, and `1` for a day would delete everything.
public struct AgeArgument: Hashable, Sendable {
    /// A day or more.
    public var duration: Duration

    /// The age that a text means; nil for any other text, and for less than a day.
    public init?(argument: String) {
        guard argument.last?.isLetter == true, let duration = Duration(text: argument),
            duration >= .seconds(86_400)
        else { return nil }
        self.duration = duration
    }
}
