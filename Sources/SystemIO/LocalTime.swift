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

/// The points in time at which local clocks show a time, in their order.
///
/// There are two in the hour that autumn repeats, and none in the one that spring skips.
public func moments(onTheWall wall: UTC) -> [UTC] {
    // No zone is more than a day away from UTC, and none changes twice in three days.
    let shifts = Set(
        [-36, 36].map { (hours: Int64) in
            localShift(UTC(microseconds: wall.microseconds + hours * 3_600_000_000))
        })
    return shifts.sorted(by: >).compactMap { shift in
        let moment = UTC(microseconds: wall.microseconds - shift * 1_000_000)
        return localShift(moment) == shift ? moment : nil
    }
}
