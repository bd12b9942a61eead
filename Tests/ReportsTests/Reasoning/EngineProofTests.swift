import Glibc
import Testing

@testable import PIDTables
@testable import Reports
@testable import Simulator

/// The figures of docs/reliability.md about causes: drives of the engine model, judged as any trip.
///
///     OBDSCAN_PROOF=11-14 swift test -c release -Xswiftc -enable-testing --filter 'Causes on the engine model'
///
/// prints the table for four seeds: each has 50 healthy drives, and each fault in three sizes.
@Suite struct `Causes on the engine model` {
    /// What the literature calls odd: limits below and above, `nan` for none.
    ///
    /// A fault is detectable if one feature is beyond its limit by the 95 % bound of its mean: neither causes nor
    /// probabilities take part.
    static let odd: [(id: String, low: Double, high: Double)] = [
        ("trim.idle", -10, 10), ("trim.raised", -10, 10), ("trim.cruise", -10, 10),
        ("trim.idle-raised", -8, 8), ("trim.idle-cruise", -8, 8), ("trim.raised-cruise", -8, 8),
        ("trim.b1-b2", -8, 8), ("k.cruise", 0.84, 1.11), ("k.idle", 0.84, 1.25),
        ("map.idle", .nan, 60), ("map.off-baro", -6, 6), ("lambda.pull", .nan, 0.08),
        ("lean.pull", .nan, 2.5), ("front.delay", .nan, 4), ("front.range", 0.05, .nan),
        ("rear.range", 0.03, .nan), ("rear.ratio", .nan, 0.7), ("ect.low", 75, .nan),
        ("ect.cruise", 75, 108), ("ect.max", .nan, 108), ("soak.ect", -12, 12),
        ("soak.iat", -12, 12), ("iat.road", -12, 60), ("iat.step", .nan, 20),
        ("ect.step", .nan, 15), ("v.low", 12.4, .nan), ("v.run", 12.4, 15.2),
        ("v.max", .nan, 15.6), ("v.crank", 9, .nan), ("v.rest", 11.4, 13.4),
        ("rpm.idle.sd", .nan, 35), ("map.full", .nan, 8), ("air.full", 0.65, .nan),
        ("load.full", 85, .nan),
    ]

    static func isDetectable(_ verdict: DriveVerdict) -> Bool {
        odd.contains { limit in
            guard let feature = verdict.features.first(where: { $0.id == limit.id }) else {
                return false
            }
            return feature.bounds.high < limit.low || feature.bounds.low > limit.high
        }
    }

    static func verdict(_ drive: EngineDrive, _ table: CauseTable = Causes.table) -> DriveVerdict {
        judged(drive, table).shown
    }

    /// The verdict that is shown, and the one about the whole drive.
    private static func judged(
        _ drive: EngineDrive, _ table: CauseTable = Causes.table
    ) -> (shown: DriveVerdict, whole: DriveVerdict) {
        var watches = [DriveWatch()] + DriveWatch.later(seconds: drive.seconds)
        drive.run { value, quantity, t in
            for place in watches.indices { watches[place].take(value, quantity, t: t) }
        }
        return (
            DriveVerdict(watches[0], later: Array(watches[1...]), table),
            DriveVerdict(watches[0], table)
        )
    }

    /// The seeds that the environment names.
    private static let seeds: ClosedRange<UInt64>? = {
        guard let text = getenv("OBDSCAN_PROOF").map({ String(cString: $0) }) else { return nil }
        let ends = text.split(separator: "-").compactMap { UInt64($0) }
        guard let first = ends.first, let last = ends.last, first <= last else { return nil }
        return first...last
    }()

    private struct Score {
        var drives = 0, detectable = 0, first = 0, among = 0, wrong = 0, unclear = 0, nothing = 0
    }

    @Test(.enabled(if: seeds != nil, "OBDSCAN_PROOF is not set"))
    func `the table of proof`() {
        var healthy = Score()
        var faults = Score()
        var each: [(name: String, score: Score)] = []
        /// Stated from 0.9, 0.75, 0.5 and 0.
        var stated = [(drives: Int, right: Int, sum: Double)](repeating: (0, 0, 0), count: 4)
        /// The same with each fault as frequent as its cause in the files; the drives of one cause share its prior.
        var weighed = [(all: Double, right: Double, sum: Double)](repeating: (0, 0, 0), count: 4)
        for seed in Self.seeds ?? 1...1 {
            for number in 0..<50 {
                let verdict = Self.verdict(
                    EngineDrive(seed: seed * 100_000 + 90_000 + UInt64(number)))
                healthy.drives += 1
                if Self.isDetectable(verdict) { healthy.detectable += 1 }
                if !verdict.causes.isEmpty { healthy.wrong += 1 }
                if verdict.kind == .unclear { healthy.unclear += 1 }
            }
            for (place, fault) in EngineDrive.faults.enumerated() {
                if place == each.count { each.append((fault.name, Score())) }
                for size in 0..<3 {
                    let drive = EngineDrive(
                        seed: seed * 100_000 + UInt64(place * 10 + size), fault: fault, size: size)
                    let (verdict, whole) = Self.judged(drive)
                    let named = verdict.causes.map(\.cause.id)
                    let isFirst = named.first != nil && named.first == drive.cause
                    let isAmong = drive.cause.map(named.contains) ?? false
                    var score = Score(drives: 1)
                    if drive.cause != nil, Self.isDetectable(whole) {
                        score.detectable = 1
                        score.first = isFirst ? 1 : 0
                        score.among = isAmong ? 1 : 0
                    }
                    if !named.isEmpty, !isAmong { score.wrong = 1 }
                    if verdict.kind == .unclear { score.unclear = 1 }
                    if verdict.kind == .nothing { score.nothing = 1 }
                    Self.add(score, to: &faults)
                    Self.add(score, to: &each[place].score)
                    guard let first = verdict.causes.first else { continue }
                    let bin = [0.9, 0.75, 0.5, 0].firstIndex { first.probability >= $0 } ?? 3
                    stated[bin].drives += 1
                    stated[bin].right += isFirst ? 1 : 0
                    stated[bin].sum += first.probability
                    guard let cause = drive.cause.flatMap({ Causes.table[cause: $0] }) else {
                        continue
                    }
                    let faults = EngineDrive.faults.count { $0.cause == cause.id }
                    let weight = cause.frequency.prior / Double(max(faults, 1))
                    weighed[bin].all += weight
                    weighed[bin].right += isFirst ? weight : 0
                    weighed[bin].sum += weight * first.probability
                }
            }
        }
        print("healthy: \(healthy)")
        print("faults: \(faults)")
        for (name, score) in each { print("  \(name): \(score)") }
        for (bin, one) in stated.enumerated() where one.drives > 0 {
            print("  from \([0.9, 0.75, 0.5, 0][bin]): \(one)")
        }
        for (bin, one) in weighed.enumerated() where one.all > 0 {
            print(
                "  as frequent as stated, from \([0.9, 0.75, 0.5, 0][bin]): "
                    + "stated \(one.sum / one.all), right \(one.right / one.all)")
        }
        #expect(healthy.wrong == 0)
        #expect(faults.wrong * 20 < faults.drives)
    }

    private static func add(_ one: Score, to sum: inout Score) {
        sum.drives += one.drives
        sum.detectable += one.detectable
        sum.first += one.first
        sum.among += one.among
        sum.wrong += one.wrong
        sum.unclear += one.unclear
        sum.nothing += one.nothing
    }

    @Test func `a drive of the engine model has its signals in the order of time`() {
        let drive = EngineDrive(seed: 3)
        var last: Int64 = 0
        var seen: Set<DriveQuantity> = []
        var isOrdered = true
        drive.run { value, quantity, t in
            isOrdered = isOrdered && t >= last && value.isFinite
            last = t
            seen.insert(quantity)
        }
        #expect(isOrdered)
        #expect(seen == drive.signals)
        #expect(last > 600_000_000)
    }

    /// Each is beyond doubt, and shows that faults reach the readings: one drive each of an engine with an air meter.
    @Test(arguments: [("alternator", 2), ("dead rear sensor", 2)])
    func `a gross fault of the engine model is named`(name: String, size: Int) throws {
        let fault = try #require(EngineDrive.faults.first { $0.name == name })
        let named = (1...3).map {
            Self.verdict(EngineDrive(seed: UInt64($0), fault: fault, size: size)).causes.first?
                .cause
                .id
        }
        #expect(named.contains(fault.cause))
        #expect(named.allSatisfy { $0 == nil || $0 == fault.cause })
    }
}
