import OBDCore

/// The cells of a table of measured values: a time and numbers.
package enum SampleText {
    /// The time of a cell: a date, a time of day, or a number; nil for any other text.
    ///
    /// Numbers from 2001 on count seconds, milliseconds or microseconds since 1970. Smaller ones count from the
    /// beginning of a log, in units of `unit` microseconds.
    package static func time(_ text: String, unit: Double = 1e6) -> RecordedTime? {
        if let number = CSVNumber.decimal(text) {
            for scale in [1e6, 1e3, 1] {
                let found = number * scale
                if found >= 978_307_200e6, found < 4_000_000_000e6 {
                    return .utc(UTC(microseconds: Int64(found.rounded())))
                }
            }
            let passed = (number * unit).rounded()
            return passed.magnitude < 1e15 ? .elapsed(Int64(passed)) : nil
        }
        if let found = DateText(text), found.days.count == 1, let day = found.days.first,
            let seconds = found.seconds
        {
            let wall = day.midnight.microseconds + Int64((seconds * 1e6).rounded())
            guard let zone = found.zone else { return .local(UTC(microseconds: wall)) }
            guard case .shift(let shift) = zone.meaning else { return nil }
            return .utc(UTC(microseconds: wall - shift))
        }
        return DateText.timeOfDay(text).map { .timeOfDay(Int64(($0.seconds * 1e6).rounded())) }
    }

    /// The number of a cell; nil for any other text.
    package static func number(_ text: String) -> Double? { CSVNumber.decimal(text) }
}

extension FrameLogReader {
    /// When a log whose times count from its beginning began, as the clock on the wall showed it; nil if the log does
    /// not say so.
    package var began: UTC? { isRelative == true ? beginning?.time : nil }

    /// Whether times count from the beginning of the log.
    package var isCounting: Bool { isRelative == true }

    /// Whether times count from midnight.
    package var countsDays: Bool { countsFromMidnight }
}
