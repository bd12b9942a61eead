/// The time of an item of a log, as the log shows it.
public enum RecordedTime: Hashable, Sendable {
    /// A clock that counts since 1970, or a text with its time zone.
    case utc(UTC)
    /// A day and a time of day of an unknown time zone, as if they were UTC.
    case local(UTC)
    /// The time of an unknown day; unit: microseconds since midnight.
    case timeOfDay(Int64)
    /// The time since the log began, or since the frame before; unit: microseconds.
    case elapsed(Int64)
}
