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

    /// What is usual for this vehicle.
    package struct Usual: Hashable, Sendable {
        package var mean, deviation: Double
        /// The drives that show it.
        package var drives: Int
        /// The start of the first of them; microseconds since 1970.
        package var since: Int64

        package init(mean: Double, deviation: Double, drives: Int, since: Int64) {
            (self.mean, self.deviation) = (mean, deviation)
            (self.drives, self.since) = (drives, since)
        }
    }

    private struct Value {
        var trip: Int64
        /// Microseconds since 1970.
        var start: Int64
        /// Drives of one group are alike; nil if nothing is known of the group.
        var group: Int?
        var value: Double
    }

    private struct Course {
        var measure: CauseTable.Measure
        var sum: DriftSum
        var values: [Value] = []
        var announced: (trip: Int64, rises: Bool, since: Int, causes: [String])?
        var highest = 0.0
    }

    /// Nothing is announced after fewer drives: what five or ten drives teach finds almost nothing.
    package static let fewestDrives = 30
    /// A change of one feature is announced from this sum on: one false announcement in 70,000 drives.
    static let alone = 10.0
    /// A change of two features of one cause is announced from these sums on.
    static let together = 8.0
    /// A change has ended after this number of drives without it.
    private static let fewestReturned = 5
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
                && feature.value.isFinite && !Self.ignored.contains(feature.id)
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
            course.values.append(
                Value(
                    trip: drive.trip, start: drive.start, group: group, value: feature.value))
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
            let since = rises ? course.sum.riseSince : course.sum.fallSince
            let shared = drive.causes.filter { _, shifts in
                shifts[id] == rises
                    && high.contains { other, way in other != id && shifts[other] == way }
            }.map(\.key).sorted()
            // A sum that has begun anew is another change.
            if let announced = course.announced,
                (announced.rises, announced.since) == (rises, since)
            {
                course.highest = max(course.highest, size)
                if !shared.isEmpty { course.announced?.causes = shared }
            } else if size >= Self.alone || !shared.isEmpty {
                course.highest = size
                course.announced = (drive.trip, rises, since, shared)
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

    /// The drives that are missing before any feature can be announced.
    package var missingDrives: Int {
        max(0, Self.fewestDrives - (courses.values.map(\.sum.count).max() ?? 0))
    }

    /// The features that too few drives have for an announcement.
    package var unjudged: Int { courses.values.count { $0.sum.count < Self.fewestDrives } }

    /// The announced changes that last, the greatest first.
    package var changes: [Change] {
        courses.values.compactMap { course -> Change? in
            guard let announced = course.announced, let step = Self.step(course), step.lasts else {
                return nil
            }
            return Change(
                measure: course.measure, rises: announced.rises, before: step.before,
                since: step.since, drivesBefore: step.drivesBefore, drivesSince: step.drivesSince,
                firstTrip: step.firstTrip, announcedTrip: announced.trip, sum: course.highest,
                causes: announced.causes)
        }.sorted { ($0.sum, $1.measure.id) > ($1.sum, $0.measure.id) }
    }

    /// The features that had changed and are again what they were, by name.
    package var returned: [CauseTable.Measure] {
        courses.values.filter { Self.step($0)?.lasts == false }.map(\.measure)
            .sorted { $0.id < $1.id }
    }

    /// The means on both sides of an announced change, and whether it lasts.
    private struct Step {
        var before, since: Double
        var drivesBefore, drivesSince: Int
        var firstTrip: Int64
        var lasts: Bool
    }

    /// The change of a course, within the groups that have drives before it and since; nil without such a group.
    private static func step(_ course: Course) -> Step? {
        guard let announced = course.announced else { return nil }
        let split = Self.split(course.values, from: announced.since - 1, rises: announced.rises)
        var before: [Int?: Total] = [:]
        for value in course.values.prefix(split) {
            before[value.group, default: Total()].add(value.value)
        }
        let after = course.values.dropFirst(split).filter { before[$0.group] != nil }
        guard let first = after.first else { return nil }
        // Each group counts as often before the change as since.
        let count = Double(after.count)
        let mean = after.reduce(0) { $0 + (before[$1.group]?.mean ?? 0) } / count
        let since = after.reduce(0) { $0 + $1.value } / count
        let groups = Set(after.map(\.group))
        let number = before.reduce(0) { $0 + (groups.contains($1.key) ? $1.value.count : 0) }
        let shifts = after.map { value in
            (value.value - (before[value.group]?.mean ?? 0)) * (announced.rises ? 1 : -1)
        }
        return Step(
            before: mean, since: since, drivesBefore: Int(number), drivesSince: after.count,
            firstTrip: first.trip, lasts: shifts.reduce(0, +) > 0 && !hasEnded(shifts))
    }

    /// Whether the last of the shifts are less than half of those before them.
    ///
    /// The shifts are cut where a level for the first of them, and none for the rest, explains most.
    private static func hasEnded(_ shifts: [Double]) -> Bool {
        var (best, place, level, sum) = (-Double.infinity, shifts.count, 0.0, 0.0)
        for (index, shift) in shifts.enumerated() {
            sum += shift
            let own = Double(index + 1)
            if sum > 0, sum * sum / own > best {
                (best, place, level) = (sum * sum / own, index + 1, sum / own)
            }
        }
        let rest = shifts.dropFirst(place)
        guard rest.count >= fewestReturned else { return false }
        return rest.reduce(0, +) / Double(rest.count) < level / 2
    }

    /// A sum of values.
    private struct Total {
        var count = 0.0
        var sum = 0.0
        var mean: Double { sum / count }

        mutating func add(_ value: Double) {
            count += 1
            sum += value
        }

        mutating func remove(_ value: Double) {
            count -= 1
            sum -= value
        }
    }

    /// The number of values before a change: the split that explains most if each group has a mean and all have one step.
    ///
    /// The sum begins at `start` or before the change, because chance raises it a little, too.
    private static func split(_ values: [Value], from start: Int, rises: Bool) -> Int {
        var (before, after): ([Int?: Total], [Int?: Total]) = ([:], [:])
        for value in values { after[value.group, default: Total()].add(value.value) }
        var (best, place) = (-Double.infinity, start)
        for (index, value) in values.enumerated() {
            if index >= max(start, 1) {
                var (step, weight) = (0.0, 0.0)
                for (group, own) in before {
                    guard let rest = after[group], rest.count > 0 else { continue }
                    let share = own.count * rest.count / (own.count + rest.count)
                    step += share * (rest.mean - own.mean)
                    weight += share
                }
                if weight > 0, (step > 0) == rises, step * step / weight > best {
                    (best, place) = (step * step / weight, index)
                }
            }
            before[value.group, default: Total()].add(value.value)
            after[value.group]?.remove(value.value)
        }
        return place
    }

    /// Fewer drives do not show what is usual.
    private static let fewestUsual = 10

    /// What is usual for this vehicle at a time, by feature.
    ///
    /// Drives outside the range of healthy vehicles do not count: a fault that lasted for weeks is not usual. Where they
    /// are half or more, nothing is known.
    package func usual(at time: Int64) -> [String: Usual] {
        guard let last, time - last <= Self.longestPause else { return [:] }
        return courses.compactMapValues { course in
            guard let limit = course.measure.limit else { return nil }
            let own = course.values.filter { limit.contains($0.value) }
            guard let first = own.first, own.count >= Self.fewestUsual,
                2 * own.count > course.values.count
            else { return nil }
            let count = Double(own.count)
            let mean = own.reduce(0) { $0 + $1.value } / count
            let squares = own.reduce(0) { $0 + ($1.value - mean) * ($1.value - mean) }
            return Usual(
                mean: mean, deviation: (squares / (count - 1)).squareRoot(), drives: own.count,
                since: first.start)
        }
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
