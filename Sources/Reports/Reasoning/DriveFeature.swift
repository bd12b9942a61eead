import PIDTables

/// One robust number about a drive, such as the mean fuel correction at idle, beside what healthy vehicles
/// show.
package struct DriveFeature: Hashable, Sendable {
    package var measure: CauseTable.Measure
    package var value: Double
    /// The standard error of `value`.
    package var error: Double
    package var seconds: Double
    /// Microseconds since the start of the trip.
    package var from, to: Int64
    /// What is usual for this vehicle, by its own drives; nil if they do not show it.
    package var usual: DriftHistory.Usual?
    /// The code whose freeze frame has it, where the drive does not.
    package var frame: String?

    package var id: String { measure.id }

    /// The lowest and highest value that the readings allow, in 95 of 100 cases.
    package var bounds: (low: Double, high: Double) { (value - 1.96 * error, value + 1.96 * error) }

    /// How many times the width of the healthy range the value is outside, with its error in its favour; 0
    /// inside.
    package var excess: Double {
        guard let healthy = measure.limit else { return 0 }
        let width = healthy.upperBound - healthy.lowerBound
        return max(0, bounds.low - healthy.upperBound, healthy.lowerBound - bounds.high) / width
    }

    /// Whether no healthy vehicle has this value.
    package var isSurelyOff: Bool {
        guard let surely = measure.surely else { return false }
        return bounds.low > surely.upperBound || bounds.high < surely.lowerBound
    }
}

/// A measured number before it is compared with anything.
struct Measured: Hashable, Sendable {
    var value: Double
    var error = 0.0
    var seconds = 0.0
    var from: Int64 = 0
    var to: Int64 = 0

    /// A number about the whole time from `from` to `to`.
    static func span(_ value: Double, from: Int64, to: Int64) -> Self {
        Self(value: value, seconds: Double(to - from) / 1e6, from: from, to: to)
    }

    /// The duration of the data, at most the time between the first and the last of them.
    ///
    /// A value that was read once holds for a while, but not before the drive.
    var shown: Double { to > from ? min(seconds, Double(to - from) / 1e6) : seconds }

    /// The smaller of both durations, from the earlier start to the later end.
    static func combined(_ value: Double, _ error: Double, _ one: Self, _ other: Self) -> Self {
        Self(
            value: value, error: error, seconds: min(one.seconds, other.seconds),
            from: min(one.from, other.from), to: max(one.to, other.to))
    }

    static func - (one: Self, other: Self) -> Self {
        let error = (one.error * one.error + other.error * other.error).squareRoot()
        return combined(one.value - other.value, error, one, other)
    }

    static func / (one: Self, other: Self) -> Self? {
        guard one.value != 0, other.value != 0 else { return nil }
        let (a, b) = (one.error / one.value, other.error / other.value)
        let value = one.value / other.value
        return combined(value, abs(value) * (a * a + b * b).squareRoot(), one, other)
    }
}
