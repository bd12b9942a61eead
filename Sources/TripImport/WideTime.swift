import Formats
import OBDCore

/// Times as logs write them.
struct WideTime {
    /// What clocks on the wall show, as UTC.
    private let localTime: (UTC) -> UTC

    init(_ localTime: @escaping (UTC) -> UTC) { self.localTime = localTime }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// The point in time that a log's text means; nil for what is none.
    ///
    /// ISO 8601 with a zone, or without one in local time; seconds since 1970; Torque's
    /// `21-Nov-2026 08:15:02.123` in local time.
    func utc(_ text: String) -> UTC? {
        if let utc = UTC(text), text.hasSuffix("Z") { return utc }
        if let seconds = CSVReader.number(text) {
            // Below, it counts from something else than 1970.
            guard seconds > 1e8, seconds < 1e11 else { return nil }
            return UTC(microseconds: Int64((seconds * 1e6).rounded()))
        }
        let parts = text.split(separator: " ", maxSplits: 1)
        let date = parts.first?.split(separator: "-") ?? []
        if parts.count == 2, date.count == 3,
            let month = Self.months.firstIndex(of: date[1].lowercased().prefix(3).description)
        {
            let two = { (text: String) in text.count < 2 ? "0" + text : text }
            return local(
                "\(date[2])-\(two(String(month + 1)))-\(two(String(date[0])))T\(parts[1])")
        }
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

    /// A time of the clock on the wall, or of UTC with a Z; a day without a time is its beginning.
    private func local(_ text: String) -> UTC? {
        if text.hasSuffix("Z") { return UTC(text) }
        return UTC(text.count > 10 ? text + "Z" : text).map(localTime)
    }
}
