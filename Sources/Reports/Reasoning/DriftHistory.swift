import PIDTables

/// The features of a vehicle's drives in the order of time, and which of them have changed.
///
/// A change is announced only after ``fewestDrives``, and only if its sum is beyond ``alone``, or beyond ``together``
/// while another feature of the same cause is, too: twenty features of 300 drives a year would give twelve false
/// announcements at the usual threshold of 5.
package struct DriftHistory: Sendable {
    /// What one drive showed.
    package struct Drive: Sendable {
        package var trip: Int64
        /// Microseconds since 1970.
        package var start: Int64
        package var features: [DriveFeature]
        /// Outside temperature; unit: °C, nil if it was not read.
        package var ambient: Double?
        /// For each cause the features that it raises (true) or lowers.
        package var causes: [String: [String: Bool]] = [:]

        package init(
            trip: Int64, start: Int64, features: [DriveFeature], ambient: Double? = nil,
            causes: [String: [String: Bool]] = [:]
        ) {
            self.trip = trip
            self.start = start
            self.features = features
            self.ambient = ambient
            self.causes = causes
        }
    }

    /// Why learning began again.
    package enum Reset: String, Hashable, Sendable {
        /// Codes were cleared, and with them what the engine had learnt.
        case cleared = "codes were cleared"
        /// The user says so.
        case repaired = "a trip has the tag repair"
        /// More than 60 days without a drive.
        case pause = "a pause of more than 60 days"
    }

    /// A feature that has changed.
    package struct Change: Hashable, Sendable {
        package var measure: CauseTable.Measure
        package var rises: Bool
        /// The means before and since the change.
        package var before, since: Double
        /// Drives with this feature: before the change, and since.
        package var drivesBefore, drivesSince: Int
        /// The first trip since the change, and the trip after which it was announced.
        package var firstTrip, announcedTrip: Int64
        /// The greatest sum.
        package var sum: Double
        /// The causes that explain it together with another change.
        package var causes: [String]
    }

    /// A feature on its way.
    package struct Feature: Hashable, Sendable {
        package var measure: CauseTable.Measure
        package var drives: Int
        package var mean, deviation: Double
        /// The sums of a rise and of a fall.
        package var rise, fall: Double
    }

    private struct Course {
        var measure: CauseTable.Measure
        var sum: DriftSum
        var values: [(trip: Int64, value: Double)] = []
        var announced: (trip: Int64, rises: Bool, since: Int, causes: [String])?
        var highest = 0.0
    }

    /// Nothing is announced after fewer drives: what five or ten drives teach finds almost nothing.
    package static let fewestDrives = 30
    /// A change of one feature is announced from this sum on: one false announcement in 70,000 drives.
    static let alone = 10.0
    /// A change of two features of one cause is announced from these sums on.
    static let together = 8.0
    /// A feature of a drive needs this much data; unit: s.
    private static let leastSeconds = 20.0
    private static let longestPause: Int64 = 60 * 86_400_000_000
    /// Extremes, the weather, and what the length of a night decides, say nothing about the vehicle's change.
    private static let ignored: Set<String> = [
        "baro", "ect.max", "ect.step", "ect.warmup", "iat.step", "soak.ect", "soak.iat", "v.low",
        "v.max",
    ]

    private var courses: [String: Course] = [:]
    private var last: Int64?
    /// Drives since learning began.
    package private(set) var drives = 0
    /// The first trip since learning began.
    package private(set) var firstTrip: Int64?
    /// Why learning began again at ``firstTrip``; nil if it is the vehicle's first trip.
    package private(set) var reset: Reset?

    package init() {}

    /// Forgets all that was learnt.
    package mutating func reset(_ reason: Reset) {
        guard drives > 0 else { return }
        self = DriftHistory()
        reset = reason
    }

    /// Takes the next drive; one without a feature does not count.
    package mutating func take(_ drive: Drive) {
        if let last, drive.start - last > Self.longestPause { reset(.pause) }
        last = drive.start
        let used = drive.features.filter { feature in
            feature.seconds >= Self.leastSeconds && feature.measure.healthy != nil
                && !Self.ignored.contains(feature.id)
        }
        guard !used.isEmpty else { return }
        drives += 1
        if firstTrip == nil { firstTrip = drive.trip }
        // Voltage, coolant and fuel follow the weather: only drives of one range of temperature are alike.
        let group = drive.ambient.flatMap { Int(exactly: ($0 / 10).rounded(.down)) }
        for feature in used {
            var course =
                courses[feature.id]
                ?? Course(
                    measure: feature.measure,
                    sum: DriftSum(
                        floor: Self.floor(feature.measure),
                        correlation: Self.correlation(feature.measure)))
            course.sum.take(feature.value, in: group)
            course.values.append((drive.trip, feature.value))
            courses[feature.id] = course
        }
        announce(drive)
    }

    private mutating func announce(_ drive: Drive) {
        var high: [String: Bool] = [:]
        for (id, course) in courses where course.sum.count >= Self.fewestDrives {
            if max(course.sum.rise, course.sum.fall) >= Self.together {
                high[id] = course.sum.rise >= course.sum.fall
            }
        }
        for (id, rises) in high {
            guard var course = courses[id] else { continue }
            let size = rises ? course.sum.rise : course.sum.fall
            course.highest = max(course.highest, size)
            let shared = drive.causes.filter { _, shifts in
                shifts[id] == rises
                    && high.contains { other, way in other != id && shifts[other] == way }
            }.map(\.key).sorted()
            if course.announced == nil, size >= Self.alone || !shared.isEmpty {
                let since = rises ? course.sum.riseSince : course.sum.fallSince
                course.announced = (drive.trip, rises, since, shared)
            } else if !shared.isEmpty {
                course.announced?.causes = shared
            }
            courses[id] = course
        }
    }

    /// The least deviation between drives that is assumed for a feature.
    ///
    /// Measured between 128 drives of one healthy car, or a quarter of the spread between vehicles.
    static func floor(_ measure: CauseTable.Measure) -> Double {
        if measure.topic == "fuel correction" { return 0.8 }
        switch measure.unit {
        case "°C": return 0.8
        case "V": return 0.05
        case "kPa": return 0.7
        default: return max((measure.healthy?.spread ?? 1) / 4, 1e-6)
        }
    }

    /// A tank of fuel lasts for several drives, so the corrections of successive drives are alike; their differences
    /// are not.
    static func correlation(_ measure: CauseTable.Measure) -> Double {
        measure.topic == "fuel correction" && measure.derived == nil ? 1.4 : 1
    }

    /// The drives that are missing before anything can be announced.
    package var missingDrives: Int { max(0, Self.fewestDrives - drives) }

    /// The announced changes, the greatest first.
    package var changes: [Change] {
        courses.values.compactMap { course -> Change? in
            guard let (trip, rises, since, causes) = course.announced else { return nil }
            let split = Self.split(course.values.map(\.value), from: since - 1, rises: rises)
            let before = course.values.prefix(split).map(\.value)
            let after = course.values.dropFirst(split)
            guard let first = after.first, !before.isEmpty else { return nil }
            return Change(
                measure: course.measure, rises: rises,
                before: before.reduce(0, +) / Double(before.count),
                since: after.reduce(0) { $0 + $1.value } / Double(after.count),
                drivesBefore: before.count, drivesSince: after.count, firstTrip: first.trip,
                announcedTrip: trip, sum: course.highest, causes: causes)
        }.sorted { ($0.sum, $1.measure.id) > ($1.sum, $0.measure.id) }
    }

    /// The number of values before a change: the split of the values into two means that explains most.
    ///
    /// The sum begins at `start` or before the change, because chance raises it a little, too.
    private static func split(_ values: [Double], from start: Int, rises: Bool) -> Int {
        let total = values.reduce(0, +)
        var (best, place, before) = (-Double.infinity, start, 0.0)
        for (index, value) in values.enumerated() {
            if index >= max(start, 1) {
                let (own, rest) = (Double(index), Double(values.count - index))
                let step = (total - before) / rest - before / own
                let size = step * step * own * rest
                if (step > 0) == rises, size > best { (best, place) = (size, index) }
            }
            before += value
        }
        return place
    }

    /// All features, by name.
    package var features: [Feature] {
        courses.values.map { course in
            Feature(
                measure: course.measure, drives: course.values.count,
                mean: course.values.reduce(0) { $0 + $1.value } / Double(course.values.count),
                deviation: course.sum.deviation, rise: course.sum.rise, fall: course.sum.fall)
        }.sorted { $0.measure.id < $1.measure.id }
    }
}
