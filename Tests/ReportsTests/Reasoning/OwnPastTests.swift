import Testing

@testable import PIDTables
@testable import Reports

@Suite struct `The vehicle's own past` {
    private static let day: Int64 = 86_400_000_000

    private static let table = """
        measure a : a
          healthy 0 spread 2 tails 6
          limit -4..4
        cause big : big
          common
          severity m 4 8 12 g/s
          expect a + m
          must a above 4
          next : look
          drive weeks
          source 1
        """

    private func usual(_ mean: Double, _ deviation: Double, _ drives: Int)
        -> [String: DriftHistory.Usual]
    {
        ["a": .init(mean: mean, deviation: deviation, drives: drives, since: 0)]
    }

    /// By hand: 24 drives of 3 against 8 drives' weight of 0 are 24 · 3 / 32; the spread is √((8 · 2² + 23 · 1²) / 31),
    /// at least 1 and at most 2, which are half and all of the table's.
    @Test(arguments: [
        (3.0, 1.0, 24, 2.25, 1.331_988_6), (-1, 0.1, 92, -0.92, 1), (2, 9, 12, 1.2, 2),
        (0, 0, 10, 0, 1.371_988_7),
    ])
    func `eight drives' weight of all vehicles is mixed with the vehicle's own drives`(
        _ mean: Double, _ deviation: Double, _ drives: Int, _ centre: Double, _ spread: Double
    ) throws {
        let table = try CauseTable(Self.table)
        let mixed = table.with(usual(mean, deviation, drives))
        let measure = try #require(mixed[measure: "a"])
        let healthy = try #require(measure.healthy)
        #expect(abs(healthy.centre - centre) < 1e-6 && abs(healthy.spread - spread) < 1e-6)
        #expect(healthy.tails == 6 && measure.limit == -4...4)
        #expect(
            table.with(["b": .init(mean: 1, deviation: 1, drives: 20, since: 0)])[measure: "a"]?
                .healthy?.centre == 0)
    }

    private func verdict(_ value: Double, _ usual: [String: DriftHistory.Usual]) throws
        -> DriveVerdict
    {
        DriveVerdict(
            numbers: ["a": Measured(value: value, error: 0.5, seconds: 60)], traits: [],
            past: .init(usual: usual), try CauseTable(Self.table))
    }

    /// The probabilities are Python's, from Student's t with 15 % of the shift in the scale, priors 0.02 and 0.03.
    @Test func `what is usual speaks against a cause, and what has changed for it`() throws {
        for (own, healthy, cause) in [
            ([:], 0.801013859, 0.156870341), (usual(3.5, 1, 40), 0.918107401, 0.047365526),
            (usual(-1, 0.5, 40), 0.154653689, 0.734093049),
        ] as [([String: DriftHistory.Usual], Double, Double)] {
            let found = try verdict(6, own)
            #expect(abs(found.inference.healthy - healthy) < 1e-6, "\(found.inference.healthy)")
            let probability = try #require(found.inference.candidates.first).probability
            #expect(abs(probability - cause) < 1e-6, "\(probability)")
            #expect(found.features.first?.usual == own["a"])
        }
    }

    private func history(_ values: [Double], from first: Int64 = 0) -> DriftHistory {
        var history = DriftHistory()
        var measure = CauseTable.Measure(id: "a", name: "a")
        measure.healthy = .init(centre: 0, spread: 2, tails: 6)
        measure.limit = -4...4
        for (place, value) in values.enumerated() {
            let feature = DriveFeature(
                measure: measure, value: value, error: 0, seconds: 60, from: 0, to: 1)
            history.take(
                .init(
                    trip: Int64(place + 1), start: (first + Int64(place)) * Self.day,
                    features: [feature]))
        }
        return history
    }

    @Test func `ten drives within the healthy range show what is usual`() throws {
        // Ten drives of 1 and 3 in turn: mean 2, standard deviation √(10 / 9).
        let ten = (0..<10).map { $0 % 2 == 0 ? 1.0 : 3 }
        let found = try #require(history(ten, from: 5).usual(at: 20 * Self.day)["a"])
        #expect(found.mean == 2 && found.drives == 10 && found.since == 5 * Self.day)
        #expect(abs(found.deviation - 1.054_092_6) < 1e-6)
        #expect(history(Array(ten.dropLast())).usual(at: 20 * Self.day).isEmpty)
        // A fault of nine drives is not usual; one of ten of twenty drives leaves nothing usual.
        let faulty = history(ten + Array(repeating: 12, count: 9)).usual(at: 20 * Self.day)
        #expect(faulty["a"]?.mean == 2 && faulty["a"]?.drives == 10)
        #expect(history(ten + Array(repeating: 12, count: 10)).usual(at: 21 * Self.day).isEmpty)
        // After more than 60 days, and after a clear, nothing is usual.
        #expect(history(ten).usual(at: 69 * Self.day)["a"] != nil)
        #expect(history(ten).usual(at: 70 * Self.day).isEmpty)
        var cleared = history(ten)
        cleared.reset(.cleared)
        #expect(cleared.usual(at: 10 * Self.day).isEmpty)
        #expect(DriftHistory().usual(at: 0).isEmpty)
    }

    /// Twelve drives of a vehicle with other noise, weather and fuel, the first of them the least warm.
    private func past(_ vehicle: PlantedDrive) -> [String: DriftHistory.Usual] {
        var history = DriftHistory()
        for place in 0..<12 {
            var drive = vehicle
            drive.seed = vehicle.seed &+ UInt64(place) &* 104_729
            drive.fuel = 0.98 + Double(place % 5) / 100
            drive.ambient = vehicle.ambient + Double(place % 7) - 3
            let verdict = DriveVerdict(drive.watch(), Causes.table)
            history.take(
                .init(
                    trip: Int64(place), start: Int64(place) * Self.day, features: verdict.features))
        }
        return history.usual(at: 12 * Self.day)
    }

    @Test func `a healthy vehicle with a past is not accused, with the next fuel neither`() {
        for seed in UInt64(1)...20 {
            var drive = PlantedDrive.healthy(seed)
            let usual = past(drive)
            #expect(usual["trim.cruise"]?.drives ?? 0 >= 10)
            drive.seed = seed &* 15_485_863
            // A fuel with 10 % of ethanol more or less.
            drive.fuel += seed % 2 == 0 ? 0.04 : -0.04
            let verdict = DriveVerdict(drive.watch(), past: .init(usual: usual), Causes.table)
            #expect(verdict.kind == .nothing, "\(seed): \(verdict.text)")
        }
    }

    @Test(arguments: [
        (PlantedDrive.Fault.leak(0.9), "vacuum-leak"), (.meter(0.74), "meter-low"),
        (.drip(0.08), "injector-leak"), (.manifold(11), "map-offset"),
    ])
    func `a fault after a healthy past is found as often as without it, and no other one`(
        _ fault: PlantedDrive.Fault, _ cause: String
    ) {
        var (with, without) = (0, 0)
        for seed in UInt64(501)...504 {
            var drive = PlantedDrive.healthy(seed)
            (drive.hasMeter, drive.knowsLitres) = (true, true)
            (drive.hasPulls, drive.hasRaised) = (true, true)
            (drive.step, drive.ambient, drive.litres) = (1, 12, 1.6)
            let usual = past(drive)
            drive.fault = fault
            let watch = drive.watch()
            let own = DriveVerdict(watch, past: .init(usual: usual), Causes.table)
            let all = DriveVerdict(watch, Causes.table)
            if own.causes.first?.cause.id == cause { with += 1 }
            if all.causes.first?.cause.id == cause { without += 1 }
            let named = own.causes.map(\.cause.id)
            #expect(named.isEmpty || named.contains(cause), "\(seed): \(own.text)")
        }
        #expect(with >= without, "\(with) and \(without)")
    }
}
