import Testing

@testable import PIDTables
@testable import Reports

/// Codes, the light and results of monitors are evidence beside the readings, in the same inference.
@Suite struct `Codes, lights and tests as evidence` {
    typealias Status = DriveRecord.Status
    typealias Result = DriveRecord.Result

    static func record(
        _ codes: [(String, Status)] = [], lamp: Bool? = nil, _ results: [Result] = []
    ) -> DriveRecord {
        var record = DriveRecord()
        record.isLampOn = lamp
        for (code, status) in codes { record.add(code, status) }
        for result in results { record.add(result) }
        return record
    }

    private func verdict(
        _ changes: [String: Double], _ record: DriveRecord, without: Set<String> = [],
        turns: Double = 0
    ) -> DriveVerdict {
        var numbers = Causes.healthy.merging(changes) { $1 }
            .filter { !without.contains($0.key) }
            .mapValues { Measured(value: $0, seconds: 900, from: 1, to: 2) }
        numbers.merge(record.numbers(Causes.table, turns: turns)) { $1 }
        return DriveVerdict(
            numbers: numbers, traits: ["petrol", "meter", "engine"], record: record, Causes.table)
    }

    /// Two ECUs may list one code, one of them in an older list.
    @Test func `the status of a code has the day of the list with that status`() {
        var record = DriveRecord()
        let later = DriveRecord.Moment(day: "2026-11-24", isEarlier: false)
        let earlier = DriveRecord.Moment(day: "2026-11-20", isEarlier: true)
        record.add("P0420", .pending, other: later)
        record.add("P0420", .stored, other: earlier)
        record.add("P0420", .pending, other: later)
        #expect(record.codes.map(\.status) == [.stored])
        #expect(record.codes.first?.other == earlier && !record.complains)
    }

    @Test func `a vehicle without codes, lights or tests does not change a verdict`() {
        for planted in Causes.planted where !planted.isDensity {
            let plain = verdict(planted.changes, DriveRecord(), without: planted.without)
            var read = DriveRecord()
            read.hasReadCodes = true
            read.isLampOn = false
            let known = verdict(planted.changes, read, without: planted.without)
            #expect(plain.kind == known.kind)
            #expect(plain.inference.healthy == known.inference.healthy)
            #expect(plain.inference.other == known.inference.other)
        }
    }

    /// A leak that the readings alone do not prove: 7.5 % at idle, 1 % at steady speed.
    private let small = [
        "trim.idle": 7.5, "trim.raised": 2.5, "trim.cruise": 1.5, "k.idle": 0.91,
        "test.fuel": 0.5,
    ]

    struct Step: Sendable, CustomTestStringConvertible {
        var code: String
        var status: Status
        var testDescription: String { "\(code) \(status)" }
    }

    /// What the codes of a cause say, they say of it; a pending one says less than a stored one.
    @Test(arguments: [
        Step(code: "P0171", status: .permanent), Step(code: "P0171", status: .pending),
        Step(code: "P0171", status: .stored),
    ])
    func `a code makes its causes likelier`(_ step: Step) {
        let with = verdict(small, Self.record([(step.code, step.status)]))
        let before = verdict(small, DriveRecord())
        func probability(_ verdict: DriveVerdict, _ id: String) -> Double {
            verdict.inference.candidates.first { $0.cause.id == id }?.probability ?? 0
        }
        #expect(probability(with, "vacuum-leak") > 2 * probability(before, "vacuum-leak"))
        #expect(probability(with, "thermostat-open") < probability(before, "thermostat-open") * 2)
        #expect(with.inference.healthy < before.inference.healthy)
        // A symptom is no proof: what must be seen is still not there.
        #expect(with.causes.isEmpty)
        #expect(with.kind == (step.status == .stored ? .unclear : .nothing))
    }

    /// The ECU found the fault by its own limit: then a weak reading of the same fault is enough, and a reading that
    /// contradicts is not.
    @Test func `a code that names the fault replaces a feature that the cause requires`() {
        let cool = ["ect.low": 76.0, "ect.cruise": 76, "ect.max": 80]
        let stored = Self.record([("P0128", .stored)])
        #expect(verdict(cool, DriveRecord()).kind == .nothing)
        #expect(verdict(cool, stored).causes.map(\.cause.id) == ["thermostat-open"])
        let warm = verdict([:], stored)
        #expect(warm.kind == .unclear && warm.causes.isEmpty)
        #expect(
            warm.text == "Something is off: P0128 is stored, but these readings do not say why.")
        #expect(verdict(cool, Self.record([("P0128", .permanent)])).causes.isEmpty)
    }

    @Test func `a code that belongs to no cause is reported without a cause`() {
        let found = verdict([:], Self.record([("P0606", .stored), ("P0442", .pending)]))
        #expect(found.kind == .unclear && found.causes.isEmpty)
        #expect(found.record.notes == ["P0606 is stored", "P0442 is pending"])
        #expect(verdict([:], Self.record([("P0606", .pending)])).kind == .nothing)
    }

    @Test func `a check engine light without a code is reported without a cause`() {
        var record = Self.record(lamp: true)
        let unread = verdict([:], record)
        #expect(unread.kind == .unclear && unread.causes.isEmpty)
        #expect(
            unread.text
                == "Something is off: the check engine light is on, no code was read, but these readings do not say why."
        )
        record.hasReadCodes = true
        #expect(record.notes == ["the check engine light is on, no code is stored"])
        // Without any reading, too.
        let blind = DriveVerdict(numbers: [:], traits: [], record: record, Causes.table)
        #expect(blind.kind == .unclear)
        #expect(DriveVerdict(numbers: [:], traits: [], Causes.table).kind == .untestable)
        #expect(verdict([:], Self.record(lamp: false)).kind == .nothing)
    }

    /// The light does not name a cause that the readings do not show.
    @Test func `for a healthy engine only a cause's own code names the cause`() {
        let codes = Causes.table.causes.flatMap { $0.own + $0.codes }
        for code in Set(codes) {
            let found = verdict([:], Self.record([(code, .stored)], lamp: true))
            // What touches no reading of the healthy engine may be right: then only its own code names it.
            for cause in found.causes {
                #expect(cause.cause.own.contains(code), "\(code): \(found.text)")
            }
        }
    }

    @Test func `misfire counters name the cylinder's fault`() {
        func counter(_ count: Double) -> DriveRecord {
            Self.record(
                [],
                [2, 3, 4, 5].map { cylinder in
                    Result(
                        monitor: UInt8(0xA0 + cylinder), test: 0x0C,
                        value: cylinder == 3 ? count : 2, low: nil, high: nil, t: 0)
                })
        }
        // 15,000 strokes at least: 20 misfires are usual, 900 are 6 %.
        let usual = verdict([:], counter(20))
        #expect(usual.kind == .nothing)
        let many = verdict(["rpm.idle.sd": 24], counter(900))
        #expect(many.causes.map(\.cause.id) == ["misfire-one"])
        let feature = many.features.first { $0.id == "misfire.rate" }
        #expect(abs((feature?.value ?? 0) - 6) < 0.01)
        // Ten hours of driving have more strokes.
        #expect(verdict([:], counter(900), turns: 900_000).kind == .nothing)
    }

    @Test func `a monitor that failed by its own limit is reported, a passed one is weak evidence`()
    {
        func catalyst(_ value: Double) -> DriveRecord {
            Self.record(
                [],
                [
                    Result(
                        monitor: 0x21, test: 0x80, name: "catalyst", value: value, low: nil,
                        high: 0.8, t: 0)
                ])
        }
        let worn = ["rear.ratio": 0.45, "rear.sd": 0.11, "rear.cruise": 0.55]
        #expect(verdict(worn, DriveRecord()).causes.isEmpty)
        #expect(verdict(worn, catalyst(0.95)).causes.map(\.cause.id) == ["catalyst"])
        #expect(verdict([:], catalyst(0.7)).kind == .nothing)
        let failed = verdict([:], catalyst(1.2))
        #expect(failed.kind == .unclear)
        #expect(failed.record.notes == ["its own test failed (catalyst)"])
        // What the readings prove stays proved after a monitor that passed before the fault began.
        let planted = Causes.planted.first { $0.cause == "catalyst" }
        #expect(
            verdict(planted?.changes ?? [:], catalyst(0.2)).causes.map(\.cause.id) == ["catalyst"])
    }

    /// Each line of a cause about monitors: with the planted fault, a failed test makes it likelier than one that passed.
    @Test func `a failed monitor test is evidence for its causes`() throws {
        for planted in Causes.planted where !planted.isDensity {
            let cause = try #require(Causes.table[cause: planted.cause])
            for expect in cause.expects {
                let measure = try #require(Causes.table[measure: expect.feature])
                guard let monitor = measure.monitors.min() else { continue }
                let weights = [0.4, 1.2].map { value in
                    let result = Result(
                        monitor: monitor, test: 0x0C,
                        value: measure.reads == .misfires ? 1_000 * value : value, low: nil,
                        high: 1, t: 0)
                    let found = verdict(planted.changes, Self.record([], [result]))
                    let own = found.inference.candidates.first { $0.cause.id == cause.id }
                    return own?.weights[measure.id] ?? 0
                }
                if measure.reads == .strain { #expect(weights[0] < 0 && weights[0] > -1.5) }
                #expect(weights[1] > 3, "\(cause.id): \(weights)")
            }
        }
    }

    @Test(arguments: [
        (5.0, 0.0, 10.0, 0.0), (10, 0, 10, 1), (12, 0, 10, 1.4), (90, 0, 10, 2), (0, 0, 10, 1),
    ])
    func `the strain of a test result is its distance to the limit`(
        _ value: Double, _ low: Double, _ high: Double, _ wanted: Double
    ) {
        let result = Result(monitor: 1, test: 1, value: value, low: low, high: high, t: 0)
        #expect(abs((result.strain ?? -1) - wanted) < 1e-12)
    }

    @Test func `one limit is enough for a strain, without limits there is no strain`() {
        func strain(_ value: Double, _ low: Double?, _ high: Double?) -> Double? {
            Result(monitor: 1, test: 1, value: value, low: low, high: high, t: 0).strain
        }
        #expect(strain(3, nil, 4) == 0.75)
        #expect(strain(3, 2, nil) == 0.5)
        #expect(strain(1, 2, nil) == 1.5)
        #expect(strain(1, nil, nil) == nil)
        #expect(strain(-1, 0, nil) == 2)
        #expect(strain(1, 0, nil) == nil)
    }

    /// What an earlier scan said may be repaired since: it is evidence with its day, no complaint, and no proof.
    @Test func `a code of an earlier day does not count as a code of today`() {
        func record(_ isEarlier: Bool) -> DriveRecord {
            var record = DriveRecord()
            let day = DriveRecord.Moment(day: "2026-11-20", isEarlier: isEarlier)
            record.add("P0128", .stored, other: day)
            record.add("P0301", .pending)
            return record
        }
        let cool = ["ect.low": 76.0, "ect.cruise": 76, "ect.max": 80]
        #expect(record(true).notes == ["P0128 was stored on 2026-11-20", "P0301 is pending"])
        #expect(verdict([:], record(true)).kind == .nothing)
        #expect(verdict(cool, record(true)).causes.isEmpty)
        #expect(verdict([:], record(false)).kind == .unclear)
        #expect(verdict(cool, record(false)).causes.map(\.cause.id) == ["thermostat-open"])
    }

    @Test func `each ECU has its own test results`() {
        func result(_ ecu: String, _ value: Double) -> Result {
            Result(ecu: ecu, monitor: 1, test: 1, value: value, low: nil, high: 1, t: 0)
        }
        let record = Self.record([], [result("7E8", 1.5), result("7E9", 0.2)])
        #expect(record.failed.map(\.ecu) == ["7E8"])
        #expect(record.has(result("7E9", 9)) && !record.has(result("7EA", 9)))
    }

    @Test func `the most serious status and the latest test result count`() {
        var record = Self.record([("P0301", .permanent), ("P0301", .stored), ("P0301", .pending)])
        #expect(record.codes == [.init(code: "P0301", status: .stored)])
        for value in [9.0, 0.1] {
            record.add(Result(monitor: 1, test: 1, value: value, low: nil, high: 1, t: 0))
        }
        #expect(record.failed.isEmpty)
    }
}
