import ArgumentParser
import OBDCore
import SystemIO

/// A month in local time: `2026-11`.
struct TripMonth: ExpressibleByArgument, Hashable, Sendable {
    /// Its first moment.
    let start: UTC
    /// The first moment of the next one.
    let end: UTC

    init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
            let year = Int(parts[0]), let month = Int(parts[1]), (1...12).contains(month),
            let first = UTC("\(argument)-01"),
            let next = UTC(Self.firstDay(afterYear: year, month: month))
        else { return nil }
        (start, end) = (utc(onTheWall: first), utc(onTheWall: next))
    }

    private static func firstDay(afterYear year: Int, month: Int) -> String {
        let (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
        let digits = String(year)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
            + (month < 10 ? "-0" : "-") + "\(month)-01"
    }
}
