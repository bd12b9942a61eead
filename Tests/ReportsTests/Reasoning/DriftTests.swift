import PIDTables
import Testing

@testable import Reports

/// The self-starting sum and its announcements, by simulated vehicles.
@Suite struct `Drift of a vehicle` {
    private typealias Random = SimulatedBattery.Random

    /// Simulated elsewhere, with another program: drives learnt, shift in standard deviations, and the share found
    /// within 3, 5, 8 and 15 drives with thresholds of 8 and 10.
    @Test(arguments: [
        (5, 4.0, [0.0, 6, 52, 84], [0.0, 0, 3, 36]), (10, 4, [7, 65, 99, 100], [0, 10, 74, 98]),
        (30, 3, [14, 79, 99, 100], [1, 35, 94, 100]),
        (30, 5, [86, 100, 100, 100], [20, 100, 100, 100]),
        (100, 4, [84, 100, 100, 100], [21, 100, 100, 100]),
    ])
    func `a shift is found as often as another simulation says, within 10 points`(
        _ learnt: Int, _ shift: Double, _ eight: [Double], _ ten: [Double]
    ) {
        let seeds = 2000
        // The number of seeds by the drive at which the threshold is reached.
        var reached = [[Int]](repeating: [Int](repeating: 0, count: 16), count: 2)
        for seed in 1...seeds {
            var random = Random(UInt64(seed))
            var sum = DriftSum(floor: 1)
            for _ in 0..<learnt { sum.take(random.normal()) }
            var isFound = [false, false]
            for drive in 1...15 {
                sum.take(random.normal() + shift)
                for (place, threshold) in [8.0, 10].enumerated()
                where !isFound[place] && sum.rise >= threshold {
                    isFound[place] = true
                    reached[place][drive] += 1
                }
            }
        }
        for (place, row) in [eight, ten].enumerated() {
            for (drives, share) in zip([3, 5, 8, 15], row) {
                let own = 100 * Double(reached[place][...drives].reduce(0, +)) / Double(seeds)
                #expect(abs(own - share) <= 10, "\(place) \(drives): \(own), not \(share)")
            }
        }
    }

    @Test(arguments: [(8.0, 6.0), (10, 1.5)])
    func `300 drives without a change seldom reach a threshold`(
        _ threshold: Double, _ most: Double
    ) {
        var reached = 0
        for seed in 1...1000 {
            var random = Random(UInt64(seed))
            var sum = DriftSum(floor: 1)
            var isReached = false
            for _ in 0..<300 {
                sum.take(random.normal())
                isReached = isReached || max(sum.rise, sum.fall) >= threshold
            }
            if isReached { reached += 1 }
        }
        #expect(Double(reached) / 10 <= most, "\(reached)")
    }

    /// Quantiles of Student's t from printed tables, and those of the normal distribution.
    @Test(arguments: [
        (2.228, 10.0, 1.960), (2.571, 5, 1.960), (2.750, 30, 2.576), (-1.812, 10, -1.645),
        (0, 7, 0),
    ])
    func `a number of Student's t becomes a normal one`(
        _ t: Double, _ freedom: Double, _ normal: Double
    ) {
        #expect(abs(DriftSum.normal(t, freedom: freedom) - normal) < 0.02)
    }

    /// Values that never change have no deviation of their own; a step of rounding must not be a change.
    @Test func `rounded values keep the deviation of the floor`() {
        var sum = DriftSum(floor: 0.7)
        for drive in 0..<200 { sum.take(drive % 50 == 49 ? 33 : 32) }
        #expect(max(sum.rise, sum.fall) < 4 && sum.deviation > 0.1)
        #expect(sum.count == 200)
    }

    @Test func `a value that is no number is not taken`() {
        var sum = DriftSum(floor: 1)
        sum.take(.nan)
        sum.take(.infinity)
        #expect(sum.count == 0)
        sum.take(1e300)
        sum.take(-1e300)
        #expect(sum.rise.isFinite && sum.fall.isFinite)
    }

    /// Summer and winter differ by ten deviations; within each nothing changes.
    @Test func `seasons are no change if the outside temperature is known`() {
        var (known, unknown) = (DriftSum(floor: 1), DriftSum(floor: 1))
        var random = Random(3)
        var (highest, highestUnknown) = (0.0, 0.0)
        for drive in 0..<240 {
            let isWinter = drive / 60 % 2 == 1
            let value = random.normal() + (isWinter ? 10 : 0)
            known.take(value, in: isWinter ? 0 : 2)
            unknown.take(value)
            highest = max(highest, known.rise, known.fall)
            highestUnknown = max(highestUnknown, unknown.rise, unknown.fall)
        }
        #expect(highest < 8 && highestUnknown > 10, "\(highest) \(highestUnknown)")
    }

    // MARK: History

    private static let day: Int64 = 86_400_000_000

    private static let measures = Result { try PIDTables.causes().measures }

    private func features(_ values: [String: Double]) throws -> [DriveFeature] {
        let measures = try Self.measures.get()
        return try values.sorted { $0.key < $1.key }.map { id, value in
            let measure = try #require(measures.first { $0.id == id })
            return DriveFeature(
                measure: measure, value: value, error: 0.1, seconds: 60, from: 0, to: 60_000_000)
        }
    }

    /// One drive a day; `shift` is added to `map.idle` and `k.idle` from drive `from` on, in deviations.
    private func history(
        drives: Int, from first: Int, shift: Double, seed: UInt64 = 1, both: Bool = false,
        explained: Bool = false
    ) throws -> DriftHistory {
        var random = Random(seed)
        var history = DriftHistory()
        for drive in 1...drives {
            let isShifted = drive >= first
            let value = { (random: inout Random, isOn: Bool) in
                random.normal() + (isShifted && isOn ? shift : 0)
            }
            let idle = 0.7 * value(&random, true)
            let cruise = 0.8 * value(&random, both)
            history.take(
                DriftHistory.Drive(
                    trip: Int64(drive), start: Int64(drive) * Self.day,
                    features: try features(["map.idle": 32 + idle, "ect.cruise": 90 + cruise]),
                    causes: explained
                        ? ["invented": ["map.idle": true, "ect.cruise": true]] : [:]))
        }
        return history
    }

    @Test func `a change is announced with its means and its first trip`() throws {
        let history = try history(drives: 55, from: 41, shift: 5)
        let change = try #require(history.changes.first)
        #expect(history.changes.count == 1 && change.measure.id == "map.idle" && change.rises)
        #expect(abs(change.before - 32) < 0.4 && abs(change.since - 35.5) < 0.5)
        #expect((40...42).contains(change.firstTrip) && (43...48).contains(change.announcedTrip))
        #expect(change.drivesBefore + change.drivesSince == 55)
    }

    @Test func `nothing is announced before 30 drives, and it says how many are missing`() throws {
        let early = try history(drives: 29, from: 11, shift: 8)
        #expect(early.changes.isEmpty && early.missingDrives == 1 && early.drives == 29)
        let later = try history(drives: 29, from: 100, shift: 0)
        #expect(later.changes.isEmpty && later.missingDrives == 1)
        #expect(try history(drives: 30, from: 100, shift: 0).missingDrives == 0)
    }

    /// Two features reach 8 sooner than one reaches 10, but only if one cause explains both.
    @Test func `two features of one cause are announced sooner`() throws {
        var (sooner, drives) = (0, 0)
        for seed in 1...30 {
            let alone = try history(drives: 60, from: 41, shift: 3, seed: UInt64(seed), both: true)
            let shared = try history(
                drives: 60, from: 41, shift: 3, seed: UInt64(seed), both: true, explained: true)
            let first = alone.changes.map(\.announcedTrip).min() ?? 99
            let second = shared.changes.map(\.announcedTrip).min() ?? 99
            #expect(second <= first)
            if second < first { sooner += 1 }
            drives += Int(second)
            #expect(shared.changes.allSatisfy { $0.causes == ["invented"] })
            #expect(alone.changes.allSatisfy { $0.causes.isEmpty })
        }
        #expect(sooner >= 15 && drives / 30 < 49, "\(sooner) \(drives / 30)")
    }

    @Test func `a healthy vehicle is not announced in 128 drives of 30 vehicles`() throws {
        var announced = 0
        for seed in 1...30 {
            let found = try history(drives: 128, from: 999, shift: 0, seed: UInt64(seed))
            announced += found.changes.count
        }
        #expect(announced <= 1, "\(announced)")
    }

    /// A drive a day with the generator's voltage at each; the group is that of the temperature.
    private func history(_ drives: [(volts: Double, ambient: Double)]) throws -> DriftHistory {
        var random = Random(11)
        var history = DriftHistory()
        for (index, drive) in drives.enumerated() {
            history.take(
                DriftHistory.Drive(
                    trip: Int64(index + 1), start: Int64(index + 1) * Self.day,
                    features: try features(["v.run": drive.volts + 0.03 * random.normal()]),
                    ambient: drive.ambient))
        }
        return history
    }

    /// Summer at 13.6 V, winter at 14.4: the fall to 14.0 in winter is one although summer was lower.
    @Test func `the means of a change are those of its temperatures`() throws {
        let drives =
            [(Int, Double, Double)]([(30, 13.6, 25), (6, 14.4, -5), (12, 14.0, -5)])
            .flatMap { Array(repeating: (volts: $0.1, ambient: $0.2), count: $0.0) }
        let history = try history(drives)
        let change = try #require(history.changes.first)
        #expect(history.changes.count == 1 && !change.rises && change.firstTrip == 37)
        #expect(abs(change.before - 14.4) < 0.04 && abs(change.since - 14.0) < 0.03)
        #expect(change.drivesBefore == 6 && change.drivesSince == 12)
    }

    /// Both seasons rise by 0.4 V.
    ///
    /// Before it 20 drives were warm and 20 cold, since then 5 warm and 15 cold: the mean before is
    /// (5 · 13.6 + 15 · 14.4) / 20 = 14.2.
    @Test func `the mean before a change has the weights of the groups since`() throws {
        let seasons = [(20, 13.6, 25.0), (20, 14.4, -5), (5, 14.0, 25), (15, 14.8, -5)]
        let drives = seasons.flatMap {
            Array(repeating: (volts: $0.1, ambient: $0.2), count: $0.0)
        }
        let change = try #require(history(drives).changes.first)
        #expect(change.rises && (40...42).contains(change.firstTrip))
        #expect(abs(change.before - 14.2) < 0.04 && abs(change.since - 14.6) < 0.04)
        #expect(change.drivesBefore == 40 && change.drivesSince == 20)
    }

    @Test(arguments: [(3, 1, 0), (60, 0, 1)])
    func `a change ends when the feature has returned`(
        _ drives: Int, _ changes: Int, _ returned: Int
    ) throws {
        let course = [(32, 13.6), (6, 14.0), (drives, 13.6)].flatMap {
            Array(repeating: (volts: $0.1, ambient: 25.0), count: $0.0)
        }
        let history = try history(course)
        #expect(history.changes.count == changes && history.returned.count == returned)
        #expect(history.changes.allSatisfy { $0.since > $0.before })
    }

    /// The sum forgets a change that lasts, because its mean learns; the announcement must not.
    @Test func `a change that lasts stays announced`() throws {
        let course = [(32, 13.6), (200, 14.0)].flatMap {
            Array(repeating: (volts: $0.1, ambient: 25.0), count: $0.0)
        }
        let history = try history(course)
        let change = try #require(history.changes.first)
        #expect(history.returned.isEmpty && change.rises && change.drivesSince == 200)
        #expect(abs(change.before - 13.6) < 0.02 && abs(change.since - 14.0) < 0.02)
    }

    /// After a rise of 6 drives the voltage stays below what it was at first.
    @Test func `no announced change has means that contradict it`() throws {
        let course = [(32, 13.6), (6, 14.0), (60, 13.5)].flatMap {
            Array(repeating: (volts: $0.1, ambient: 25.0), count: $0.0)
        }
        let history = try history(course)
        #expect(history.changes.allSatisfy { ($0.since > $0.before) == $0.rises })
        #expect(!history.changes.contains { $0.rises })
    }

    @Test func `40 drives that share no feature 30 times can announce nothing`() throws {
        var history = DriftHistory()
        for drive in 1...40 {
            let id = drive % 2 == 0 ? "map.idle" : "ect.cruise"
            history.take(
                DriftHistory.Drive(
                    trip: Int64(drive), start: Int64(drive) * Self.day,
                    features: try features([id: 50])))
        }
        #expect(history.drives == 40 && history.missingDrives == 10 && history.unjudged == 2)
    }

    @Test func `a pause and a reset begin anew`() throws {
        var history = try history(drives: 40, from: 31, shift: 8)
        #expect(!history.changes.isEmpty)
        let late = DriftHistory.Drive(
            trip: 90, start: 101 * Self.day, features: try features(["map.idle": 38]))
        history.take(late)
        #expect(history.drives == 1 && history.reset == .pause && history.firstTrip == 90)
        #expect(history.changes.isEmpty && history.missingDrives == 29)
        history.reset(.cleared)
        #expect(history.drives == 0 && history.reset == .cleared && history.firstTrip == nil)
    }

    @Test func `a drive without a feature does not count`() throws {
        var history = DriftHistory()
        history.take(DriftHistory.Drive(trip: 1, start: 0, features: []))
        // Air pressure is the weather's.
        history.take(
            DriftHistory.Drive(trip: 2, start: Self.day, features: try features(["baro": 99])))
        #expect(history.drives == 0 && history.features.isEmpty && history.firstTrip == nil)
    }

    @Test func `corrections of successive drives are alike, and their differences are not`() throws
    {
        let measures = try PIDTables.causes().measures
        let level = try #require(measures.first { $0.id == "trim.idle" })
        let difference = try #require(measures.first { $0.id == "trim.idle-cruise" })
        #expect(DriftHistory.correlation(level) == 1.4)
        #expect(DriftHistory.correlation(difference) == 1)
        #expect(DriftHistory.floor(level) == 0.8)
    }
}
