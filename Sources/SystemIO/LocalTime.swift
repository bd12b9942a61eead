import Glibc
import OBDCore

/// A time in the local time zone: `2026-11-21 09:15:02`.
public func localTime(_ utc: UTC) -> String {
    var second = time_t(utc.microseconds / 1_000_000)
    var parts = tm()
    guard localtime_r(&second, &parts) != nil else { return utc.text }
    let two = { (number: Int32) in (number < 10 ? "0" : "") + String(number) }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
        + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
}

/// How much local time is ahead of UTC at a point in time; unit: s.
public func localShift(_ utc: UTC) -> Int64 {
    var second = time_t(utc.microseconds / 1_000_000)
    var parts = tm()
    return localtime_r(&second, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
}

/// A local time without the date and with milliseconds: `09:15:02.123`.
public func localClock(_ utc: UTC) -> String {
    let milliseconds = (utc.microseconds % 1_000_000 + 1_000_000) / 1000 % 1000
    return localTime(utc).suffix(8) + "."
        + String(repeating: "0", count: 3 - String(milliseconds).count) + String(milliseconds)
}

/// Converts a local time to UTC.
public func utc(onTheWall wall: UTC) -> UTC {
    var second = time_t(wall.microseconds / 1_000_000)
    var parts = tm()
    guard gmtime_r(&second, &parts) != nil else { return wall }
    parts.tm_isdst = -1
    let local = Int64(mktime(&parts))
    return UTC(microseconds: local * 1_000_000 + wall.microseconds % 1_000_000)
}

/// The clocks on the walls of the world: those of this system, and those of its tz database.
public struct WallClocks {
    private var zones: [String: ZoneFile?] = [:]

    /// Clocks of zones that are read when they are needed.
    public init() {}

    /// The points in time at which clocks show a time, in their order.
    ///
    /// The clocks are local, or in the zone of this name, such as `Europe/Berlin`; nil for an unknown zone. There are
    /// two points in the hour that autumn repeats, and none in the one that spring skips.
    public mutating func moments(onTheWall wall: UTC, in name: String? = nil) -> [UTC]? {
        guard let name else { return Self.moments(onTheWall: wall, localShift) }
        let zone = zones[name] ?? ZoneFile(named: name)
        // A file of random data may have as many names as rows.
        if zones.count < 100 { zones[name] = .some(zone) }
        return zone.map { zone in
            Self.moments(onTheWall: wall) { zone.shift(at: $0.microseconds / 1_000_000) }
        }
    }

    private static func moments(onTheWall wall: UTC, _ shift: (UTC) -> Int64) -> [UTC] {
        // No zone is more than a day away from UTC, and none changes twice in three days.
        let shifts = Set(
            [-36, 36].map { (hours: Int64) in
                shift(UTC(microseconds: wall.microseconds + hours * 3_600_000_000))
            })
        return shifts.sorted(by: >).compactMap { ahead in
            let moment = UTC(microseconds: wall.microseconds - ahead * 1_000_000)
            return shift(moment) == ahead ? moment : nil
        }
    }
}
