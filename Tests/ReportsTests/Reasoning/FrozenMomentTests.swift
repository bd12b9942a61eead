import Testing

@testable import PIDTables
@testable import Reports

@Suite struct `The moment in which a code was set` {
    private static let idle: [DriveQuantity: Double] = [
        .engineSpeed: 780, .speed: 0, .coolant: 88, .load: 22, .fuelStatus: 2, .shortTrim1: 10,
        .longTrim1: 15, .manifold: 34,
    ]

    private func frame(
        _ changes: [DriveQuantity: Double] = [:], without: DriveQuantity? = nil,
        code: String = "P0171"
    ) -> FrozenMoment {
        var values = Self.idle.merging(changes) { $1 }
        if let without { values[without] = nil }
        return FrozenMoment(code: code, values: values)
    }

    struct Case: Sendable {
        var changes: [DriveQuantity: Double] = [:]
        var without: DriveQuantity?
        var place: DrivePlace?
        var words: String?
    }

    @Test(arguments: [
        Case(place: .idle, words: "at idle"),
        Case(changes: [.engineSpeed: 2_500], place: .raised, words: "at 2,500 rpm, standing"),
        Case(changes: [.engineSpeed: 1_800]),
        Case(
            changes: [.speed: 80, .engineSpeed: 2_100], place: .cruise, words: "while driving"),
        Case(
            changes: [.speed: 80, .engineSpeed: 3_000, .load: 90], place: .pull,
            words: "at full load"),
        Case(changes: [.speed: 20, .engineSpeed: 1_500]),
        Case(changes: [.coolant: 20], words: "with a cold engine"),
        Case(changes: [.engineSpeed: 0], words: "with the engine off"),
        Case(without: .coolant), Case(without: .engineSpeed), Case(without: .speed),
    ])
    func `its operating point follows from its values, or is unknown`(_ one: Case) {
        let frame = frame(one.changes, without: one.without)
        #expect(frame.place == one.place && frame.point == one.words)
        #expect((frame.numbers["trim.idle"] != nil) == (one.place == .idle))
        #expect((frame.numbers["map.idle"] != nil) == (one.place == .idle))
    }

    @Test func `a frame is named only if it describes its moment`() {
        let pressure = FrozenMoment(code: "P0171", values: [.manifold: 34])
        #expect(!pressure.isDescribed && !FrozenMoment(code: "P0171", values: [:]).isDescribed)
        for quantity in [DriveQuantity.engineSpeed, .speed, .coolant, .load] {
            #expect(FrozenMoment(code: "P0171", values: [quantity: 0]).isDescribed)
        }
        let trims: [DriveQuantity: Double] = [.fuelStatus: 2, .shortTrim1: 1, .longTrim1: 2]
        #expect(FrozenMoment(code: "P0171", values: trims).isDescribed)
    }

    /// 1.10 · 1.15 is 1.265.
    @Test func `both fuel trims count in closed loop only`() throws {
        let correction = try #require(frame().correction)
        #expect(abs(correction - 26.5) < 1e-9)
        for status in [1.0, 4, 8] { #expect(frame([.fuelStatus: status]).correction == nil) }
        #expect(frame([.fuelStatus: 16]).correction != nil)
        for quantity in [DriveQuantity.fuelStatus, .shortTrim1, .longTrim1] {
            #expect(frame(without: quantity).correction == nil)
        }
    }

    private func verdict(
        _ numbers: [String: Measured], _ frames: [FrozenMoment], traits: Set<String> = ["petrol"]
    ) -> DriveVerdict {
        var record = DriveRecord()
        for frame in frames { record.add(frame.code, .stored) }
        return DriveVerdict(
            numbers: numbers, traits: traits, record: record, past: .init(frames: frames),
            Causes.table)
    }

    @Test func `a frame counts where the drive shows nothing of its topic`() throws {
        let found = verdict([:], [frame(), frame([.shortTrim1: 0], code: "P0300")])
        let feature = try #require(found.features.first { $0.id == "trim.idle" })
        #expect(feature.frame == "P0171" && feature.error == 5 && feature.seconds == 0)
        #expect(abs(feature.value - 26.5) < 1e-9)
        // The bounds are 26.5 ± 1.96 · 5, and the range of 16 % ends at 8 %.
        #expect(abs(feature.excess - (26.5 - 9.8 - 8) / 16) < 1e-9)
        #expect(found.features.first { $0.id == "map.idle" }?.frame == "P0171")
        // A drive with a correction at steady speed says more than one moment; the pressure is another topic.
        let cruise = Measured(value: 2, error: 0.4, seconds: 300, from: 0, to: 300_000_000)
        let own = verdict(["trim.cruise": cruise], [frame()])
        #expect(own.features.compactMap(\.frame) == ["P0171"])
        #expect(own.features.map(\.id) == ["trim.cruise", "map.idle"])
        // One that is too short to count does not.
        var short = cruise
        short.seconds = 10
        #expect(
            verdict(["trim.cruise": short], [frame()]).features.contains { $0.id == "trim.idle" }
        )
        // A fuel that is not petrol alone has no healthy correction.
        #expect(verdict([:], [frame()], traits: []).features.isEmpty)
    }

    @Test func `a frame alone does not name a cause`() {
        for code in ["P0171", "P0300", "P0507"] {
            let found = verdict([:], [frame([:], code: code)])
            #expect(found.kind == .unclear, "\(code): \(found.text)")
        }
    }
}
