import Formats
import OBDCore

/// Which positions a trip does not record.
package struct PositionPrivacy: Hashable, Sendable {
    /// A part of each day by the clocks on the wall: `18:00-06:00` ends on the next morning.
    package struct Hours: Hashable, Sendable {
        /// The first minute of the day that belongs to it.
        package var begin: Int
        /// The first minute that no longer belongs to it.
        package var end: Int

        /// Parses `18:00-06:00`; nil for anything else, and without a length.
        package init?(_ text: String) {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let begin = Self.minute(parts[0]),
                let end = Self.minute(parts[1]), begin != end, begin < Self.day
            else { return nil }
            self.begin = begin
            self.end = end
        }

        private static let day = 24 * 60

        /// The form that ``init(_:)`` parses.
        package var text: String { Self.text(begin) + "-" + Self.text(end) }

        private static func text(_ minute: Int) -> String {
            [minute / 60, minute % 60].map { ($0 < 10 ? "0" : "") + String($0) }
                .joined(separator: ":")
        }

        private static func minute(_ text: Substring) -> Int? {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2,
                parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(isDigit) }),
                let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60,
                hour < 24 || (hour == 24 && minute == 0)
            else { return nil }
            return hour * 60 + minute
        }

        private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

        func contains(_ minute: Int) -> Bool {
            begin < end
                ? (begin..<end).contains(minute) : minute >= begin || minute < end
        }
    }

    /// A circle on the ground.
    package struct Zone: Hashable, Sendable {
        /// The middle; unit: degrees.
        package var latitude: Double
        package var longitude: Double
        /// Unit: m.
        package var radius: Double

        /// The least radius; a smaller circle would show the house.
        package static let leastRadius = 50.0

        /// Parses `48.137,11.576,500m`; nil for anything else.
        package init?(_ text: String) {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 3, let latitude = Fix.decimal(parts[0]),
                let longitude = Fix.decimal(parts[1]),
                let middle = Position(latitude: latitude, longitude: longitude)
            else { return nil }
            let isKilometres = parts[2].hasSuffix("km")
            guard parts[2].hasSuffix("m"),
                let length = Fix.decimal(parts[2].dropLast(isKilometres ? 2 : 1))
            else { return nil }
            let radius = isKilometres ? length * 1000 : length
            guard (Self.leastRadius...100_000).contains(radius) else { return nil }
            self.latitude = middle.latitude
            self.longitude = middle.longitude
            self.radius = radius
        }

        /// The form that ``init(_:)`` parses.
        package var text: String {
            let length = Int(exactly: radius).map { String($0) } ?? String(radius)
            return "\(latitude),\(longitude),\(length)m"
        }

        /// The length of a degree of latitude by the mean radius of the Earth, 6,371 km; unit: m.
        private static let degree = 111_194.93

        /// Whether a position is in the circle.
        ///
        /// The ground counts as flat, with the scale of the latitude nearest to a pole. A circle is then at least as large as on
        /// the sphere.
        func contains(_ position: Position) -> Bool {
            let north = (position.latitude - latitude) * Self.degree
            var turn = abs(position.longitude - longitude)
            if turn > 180 { turn = 360 - turn }
            let polar = max(abs(position.latitude), abs(latitude))
            let east = turn * Self.degree * TrackMap.cosine(polar)
            return north * north + east * east <= radius * radius
        }
    }

    /// Whether no position is recorded.
    package var isAlways = false
    package var hours: [Hours] = []
    package var zones: [Zone] = []

    /// Every position is recorded.
    package init() {}

    /// Whether a position is left out.
    ///
    /// - Parameter minute: The minute of the day by the clock on the wall; nil if it is not known, and then it
    ///   may be in the hours.
    func hides(_ position: Position, minute: Int?) -> Bool {
        isPrivate(minute: minute) || zones.contains { $0.contains(position) }
    }

    /// Whether each position is left out at this minute of the day.
    func isPrivate(minute: Int?) -> Bool {
        if isAlways { return true }
        if hours.isEmpty { return false }
        return minute.map { minute in hours.contains { $0.contains(minute) } } ?? true
    }
}
