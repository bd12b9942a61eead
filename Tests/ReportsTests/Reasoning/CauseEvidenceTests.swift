import Testing

@testable import PIDTables
@testable import Reports

/// What names a cause, and what must not: readings by hand, from the physics that the causes' comments state.
@Suite struct `Evidence for causes` {
    private static let density: Set<String> = ["petrol", "density", "engine"]

    private func named(
        _ changes: [String: Double], without: Set<String> = [],
        traits: Set<String> = ["petrol", "meter", "engine"]
    ) -> [String] {
        Causes.verdict(changes, without: without, traits: traits).causes.map(\.cause.id)
    }

    // MARK: Pressure in the manifold

    /// 8 kPa more than there are, which is 100 * 8 / (MAP - 4) too much fuel.
    ///
    /// The ECU took its air pressure from the same sensor.
    private static let highSensor = [
        "map.off-baro": 0.0, "map.idle": 39, "map.raised": 37, "density.idle": 39,
        "density.raised": 37, "density.cruise": 53, "density.pull": 103, "trim.idle": -23,
        "trim.closed": -23, "trim.raised": -24, "trim.cruise": -16, "trim.pull": -8,
    ]

    @Test func `a sensor that agrees with its own air pressure may still be wrong`() {
        #expect(named(Self.highSensor, traits: Self.density).contains("map-offset"))
        let rest = Self.highSensor.merging(["map.off-baro": 8]) { $1 }
        #expect(named(rest, traits: Self.density).first == "map-offset")
    }

    /// Without a meter the ratio of idle and road tells; with one, the pressure makes no mixture.
    @Test(arguments: [
        (["trim.idle": 26.0, "trim.cruise": 14, "trim.raised": 27], true),
        (["trim.idle": 14, "trim.cruise": 14, "trim.raised": 14], false),
    ])
    func `a sensor that reads low is lean most where the pressure is lowest`(
        _ trims: [String: Double], _ isSensor: Bool
    ) {
        let low = [
            "map.off-baro": 0.0, "map.idle": 24, "map.raised": 22, "density.idle": 24,
            "density.raised": 22, "density.cruise": 39,
        ].merging(trims) { $1 }
        let found = named(
            low.merging(["trim.closed": trims["trim.idle"] ?? 0]) { $1 },
            without: ["trim.pull", "rail.cruise", "rail.error"], traits: Self.density)
        #expect((found.first == "map-offset") == isSensor, "\(found)")
        #expect(!named(trims).contains("map-offset"))
    }

    /// 15 kPa too high: (45 - 8) / (60 - 8) of the air at steady speed.
    ///
    /// If the meter agrees with the fuel, and full throttle with the meter, the pressure is wrong and not the engine.
    @Test func `normal air at full throttle tells a high sensor from late valves`() {
        let unknown: Set<String> = ["map.off-baro", "map.full", "air.full"]
        let open = named(
            [
                "k.cruise": 0.69, "k.idle": 0.86, "map.idle": 46, "map.raised": 44,
                "pressure.cruise": 60, "load.full": 100,
            ], without: unknown)
        #expect(open.contains("map-offset"))
        let weak = named(
            [
                "k.cruise": 0.69, "k.idle": 0.8, "map.idle": 44, "map.raised": 36,
                "pressure.cruise": 60, "load.full": 85,
            ], without: unknown)
        #expect(weak == ["timing-off"])
    }

    @Test func `a pressure sensor that was wrong before the start does not hide the verdict`() {
        var changes = Self.highSensor
        changes["air.unrest"] = 0.6
        #expect(named(changes, traits: Self.density).isEmpty)
        changes["map.off-baro"] = 8
        #expect(named(changes, traits: Self.density).first == "map-offset")
    }

    // MARK: Leaks and drops

    private static let leak = [
        "trim.idle": 36.0, "trim.raised": 11, "trim.cruise": 5.5, "trim.pull": 1, "k.idle": 0.72,
        "k.raised": 0.94, "k.cruise": 0.92, "k.full": 1.05,
    ]

    @Test func `a leak matters less, the more air the engine takes`() {
        #expect(named(Self.leak).first == "vacuum-leak")
        let flat = Self.leak.merging(["trim.raised": 35]) { $1 }
        #expect(!named(flat).contains("vacuum-leak"))
    }

    /// Air conditioning raises the pressure at idle, and so does exhaust gas, which brings no air.
    @Test func `a load at idle hides no large leak`() {
        let loaded = ["map.idle": 48.0]
        #expect(named(Self.leak.merging(loaded) { $1 }).contains("vacuum-leak"))
        let small = Self.leak.merging(["trim.idle": 11, "trim.raised": 3, "trim.cruise": 1]) { $1 }
        #expect(!named(small.merging(loaded) { $1 }).contains("vacuum-leak"))
    }

    private static let drops = [
        "trim.idle": -29.0, "trim.raised": -9, "trim.cruise": -4.5, "trim.pull": -1,
        "trim.closed": -29,
    ]

    @Test func `drops of fuel matter less, the more air the engine takes`() {
        #expect(named(Self.drops).first == "injector-leak")
        let flat = Self.drops.merging(["trim.raised": -28]) { $1 }
        #expect(!named(flat).contains("injector-leak"))
    }

    /// Exhaust gas counts as air only where the ECU computes the air from the pressure.
    @Test func `pressure at idle excludes drops of fuel only without an air meter`() {
        #expect(named(Self.drops.merging(["map.idle": 44]) { $1 }).contains("injector-leak"))
        let gas = Self.drops.merging(["map.idle": 44, "density.idle": 44]) { $1 }
        #expect(!named(gas, traits: Self.density).contains("injector-leak"))
    }

    // MARK: Fuel

    /// An ECU that corrects nothing at full throttle shows there what it corrects elsewhere: 0.9 / 0.88 - 0.9 = -0.11.
    @Test func `a rich pull is evidence for too much fuel`() {
        let rich = ["trim.idle": -12.0, "trim.raised": -12, "trim.cruise": -12, "trim.closed": -12]
        let unknown: Set<String> = [
            "trim.pull", "rail.cruise", "rail.error", "nb.pull", "air.full", "secondary.cruise",
        ]
        let pull = Causes.verdict(rich.merging(["lambda.pull": -0.11]) { $1 }, without: unknown)
        #expect(pull.causes.first?.cause.id == "fuel-high")
        let normal = Causes.verdict(rich.merging(["lambda.pull": 0]) { $1 }, without: unknown)
        #expect(normal.inference.healthy > 2 * pull.inference.healthy)
    }

    @Test(arguments: [(0.88, 0.74, true), (1.0, 0.74, false)])
    func `a lean mixture and a low meter are proof together`(
        _ ratio: Double, _ full: Double, _ isNamed: Bool
    ) {
        let found = named(
            [
                "trim.idle": 14, "trim.raised": 14, "trim.cruise": 14, "trim.pull": 14,
                "trim.closed": 14, "k.cruise": ratio, "air.full": full, "load.full": 88,
            ], without: ["rail.cruise", "rail.error"])
        #expect(found.contains("meter-low") == isNamed, "\(found)")
    }

    /// A pump that is nearly dead lacks fuel on the motorway, too, and never at idle.
    @Test(arguments: [(-1.0, true), (10, false)])
    func `a very weak pump may be lean at speed but not at idle`(_ idle: Double, _ isNamed: Bool) {
        let found = named(
            [
                "trim.idle": idle, "trim.closed": idle, "trim.cruise": 10, "lambda.pull": 0.3,
                "lean.pull": 6, "nb.pull": 0.1, "flow.cruise": 30,
            ], without: ["trim.raised", "trim.pull", "rail.cruise", "rail.error"])
        #expect(found.contains("fuel-weak") == isNamed, "\(found)")
    }

    @Test(arguments: [(0.88, true), (0.7, false)])
    func `a front sensor that reads lean makes the exhaust rich`(_ rear: Double, _ isNamed: Bool) {
        let found = named(
            [
                "trim.idle": 16, "trim.raised": 16, "trim.cruise": 16, "trim.closed": 16,
                "trim.pull": 16, "rear.cruise": rear,
            ], without: ["secondary.cruise", "rail.cruise", "rail.error"])
        #expect(found.contains("front-lean") == isNamed, "\(found)")
    }

    /// A dead cylinder leaves its work to the others, which need more air.
    @Test(arguments: [(102.0, true), (55, false)])
    func `a dead cylinder raises the pressure at idle`(_ unrest: Double, _ isNamed: Bool) {
        let found = named(["rpm.idle.sd": unrest, "map.idle": 52])
        #expect(found.contains("misfire-one") == isNamed, "\(found)")
    }

    // MARK: Voltage

    /// Without a rest voltage no reading tells a wrong reading from a wrong charge; with it, it does.
    @Test func `a voltage that is read wrong needs the voltage at rest`() {
        let high = ["v.run": 16.0, "v.max": 16.1, "v.low": 15.9]
        let both = Causes.verdict(high, without: ["v.rest", "v.crank"])
        #expect(both.kind == .several)
        #expect(both.causes.map(\.cause.id) == ["overcharging", "voltage-offset"])
        #expect(named(high.merging(["v.rest": 14.2]) { $1 }) == ["voltage-offset"])
        #expect(named(high) == ["overcharging"])
    }

    // MARK: Coolant

    /// 119 °C on the road, held within 2 °C or within 12 °C.
    ///
    /// Only without a thermostat does the temperature wander; held at one level, it is true or read wrong.
    @Test func `a temperature that wanders is not a sensor that is off`() {
        for (changes, unknown, cause): ([String: Double], Set<String>, String) in [
            (["ect.low": 117, "ect.cruise": 118, "ect.max": 119], ["soak.ect"], "overheating"),
            // Coolant below 80 °C has no highest value.
            (["ect.low": 66, "ect.cruise": 66], ["soak.ect", "ect.max"], "thermostat-open"),
        ] {
            let wandering = named(changes.merging(["ect.range": 12]) { $1 }, without: unknown)
            #expect(wandering == [cause])
            let steady = named(changes.merging(["ect.range": 2]) { $1 }, without: unknown)
            #expect(steady == [cause, "ect-offset"])
        }
        // A thermostat of 100 °C is usual.
        let warm = Causes.verdict(["ect.low": 102, "ect.max": 104], without: ["soak.ect"])
        #expect(warm.kind == .nothing)
    }

    @Test func `a hot engine is named beside a sensor that reads hot`() {
        let verdict = Causes.verdict(
            ["ect.low": 117.0, "ect.cruise": 118, "ect.max": 119],
            without: ["soak.ect", "ect.range"])
        #expect(verdict.kind == .several)
        #expect(verdict.causes.map(\.cause.id) == ["overheating", "ect-offset"])
        // Their priors are 0.02 and 0.01, and nothing else is left to decide.
        let ratio = verdict.causes[0].probability / verdict.causes[1].probability
        #expect(abs(ratio - 2) < 1e-9)
        #expect(verdict.text.hasSuffix("These readings cannot tell them apart."))
        #expect(
            verdict.tests.map(\.test) == [
                "Before a cold start the sensors of coolant, intake and outside air must show the same."
            ])
        #expect(
            verdict.separating
                == "A trip that shows this would tell them apart: coolant less the air outside "
                + "and in the intake, before the start."
        )
    }

    /// Driving at one speed shows no regulation.
    @Test(arguments: [(false, 20.0), (true, nil)] as [(Bool, Double?)])
    func `the range of the coolant needs different speeds`(_ isSteady: Bool, _ wanted: Double?) {
        var watch = DriveWatch()
        for second in Int64(0)..<2_400 {
            let isFast = second % 600 >= 300 && !isSteady
            // It settles for the first ten minutes and wanders between 85 and 105 °C from then on.
            let celsius = second < 1_200 ? min(85, 20 + second) : isFast ? 105 : 85
            for (quantity, value): (DriveQuantity, Double) in [
                (.engineSpeed, 2_400 + Double(second % 2)), (.speed, isFast ? 110 : 80),
                (.ambient, 15), (.coolant, Double(celsius)),
            ] {
                watch.take(value, quantity, t: second * 1_000_000)
            }
        }
        #expect(watch.numbers["ect.range"]?.value == wanted)
    }

    // MARK: Control at its end

    /// Lambda is 0.9 instead of 1: that is no engine, unless the control takes away all the fuel that it may.
    @Test(arguments: [(-2.0, 1.0), (-24, nil)] as [(Double, Double?)])
    func `a control at the end of its range is no contradiction`(
        _ learnt: Double, _ wanted: Double?
    ) {
        var watch = DriveWatch()
        for second in Int64(0)..<400 {
            for (quantity, value): (DriveQuantity, Double) in [
                (.engineSpeed, 2_000), (.speed, 80), (.coolant, 90), (.fuelStatus, 2),
                (.longTrim1, learnt), (.shortTrim1, 0), (.commandedLambda, 1), (.lambda, 0.9),
            ] {
                watch.take(value, quantity, t: second * 1_000_000)
            }
        }
        #expect(watch.numbers["lambda.off"]?.value == wanted)
    }

    // MARK: Causes that a drive does not separate

    private static let twins = """
        measure a : a
          healthy 0 spread 1 tails 10
          limit -3..3
        measure b : b
          healthy 0 spread 1 tails 10
          limit -3..3
        cause one : one
          common
          severity m 6 20 40
          expect a + m
          must a above 3
          next : look
          drive weeks
          codes P0101
          source 1
        cause two : two
          usual
          severity m 6
          expect a + m
          expect b + m
          must a above 3
          alike one : measure b
          next : look
          drive weeks
          source 1
        """

    private func inference(_ values: [String: Double], _ text: String = twins) throws
        -> DriveInference
    {
        let table = try CauseTable(text)
        let features = values.compactMap { id, value -> (String, DriveFeature)? in
            table[measure: id].map {
                (
                    id,
                    DriveFeature(measure: $0, value: value, error: 0, seconds: 60, from: 0, to: 1)
                )
            }
        }
        return DriveInference(
            Dictionary(uniqueKeysWithValues: features), numbers: [:], traits: [], table)
    }

    /// Three severities against one would make the first three times less likely than its prior.
    @Test func `the number of tried severities does not decide`() throws {
        let found = try inference(["a": 6])
        #expect(found.inseparable == ["one", "two"])
        #expect(found.separating.map(\.id) == ["b"])
        let (one, two) = (found.candidates[0], found.candidates[1])
        #expect(one.cause.id == "one" && abs(one.probability / two.probability - 2) < 1e-9)
        #expect(abs(found.healthy + found.other + one.probability + two.probability - 1) < 1e-9)
    }

    @Test func `evidence decides where there is some`() throws {
        let apart = try inference(["a": 6, "b": 6])
        #expect(apart.inseparable.isEmpty && apart.separating.isEmpty)
        #expect(apart.candidates[0].cause.id == "two" && apart.candidates[0].probability > 0.9)
        let other = try inference(["a": 6, "b": 0])
        #expect(other.inseparable.isEmpty)
        #expect(other.candidates[0].cause.id == "one")
    }

    // MARK: Faults that begin in the drive

    /// 40 minutes of idle and road, with more or less fuel than usual from a moment on.
    private func watches(_ correction: Double, from begin: Int64) -> [DriveWatch] {
        var watches = [DriveWatch()] + DriveWatch.later(seconds: 2_400)
        for second in Int64(0)..<2_400 {
            let isIdle = second % 300 < 60
            let trim = second >= begin ? correction : 0
            for (quantity, value): (DriveQuantity, Double) in [
                (.engineSpeed, isIdle ? 780 : 2_300 + Double(second % 2)),
                (.speed, isIdle ? 0 : 90), (.coolant, 88 + Double(second % 2)), (.fuelStatus, 2),
                (.longTrim1, trim), (.shortTrim1, Double(second % 3) - 1), (.fuelType, 1),
                (.airFlow, isIdle ? 3 : 15 + Double(second % 2)), (.rearVoltage, 0.65),
            ] {
                for place in watches.indices {
                    watches[place].take(value, quantity, t: second * 1_000_000)
                }
            }
            // The voltage is not read any more in the later parts.
            guard second < 1_000 else { continue }
            for place in watches.indices {
                watches[place].take(14 + Double(second % 2) / 10, .voltage, t: second * 1_000_000)
            }
        }
        return watches
    }

    /// 34 % more fuel in the last sixth is 6 % in the mean of the drive, 11 % in its second half and 17 % in its last third.
    @Test func `a fault of the last minutes is found in the later part`() {
        let late = watches(34, from: 2_000)
        #expect(DriveVerdict(late[0], Causes.table).causes.isEmpty)
        let verdict = DriveVerdict(late[0], later: Array(late[1...]), Causes.table)
        #expect(verdict.causes.contains { $0.cause.id == "fuel-low" })
        #expect(verdict.since == 1_600_000_000)
        #expect(verdict.text.hasSuffix("This is judged by the later part of the trip alone."))
        // What the whole trip measured was tested, although the later part lacks some of the moments.
        let (whole, part) = (
            DriveVerdict(late[0], Causes.table), DriveVerdict(late[2], Causes.table)
        )
        #expect(verdict.untested == whole.untested && verdict.testedTopics == whole.testedTopics)
        #expect(part.untested.count > whole.untested.count)
    }

    @Test func `a healthy drive has no later part that is judged`() {
        let healthy = watches(0, from: 0)
        let verdict = DriveVerdict(healthy[0], later: Array(healthy[1...]), Causes.table)
        #expect(verdict.kind == .nothing && verdict.since == nil)
    }

    /// The whole trip decides where it has a cause, because it has more data.
    @Test func `a fault of the whole drive is judged by the whole drive`() {
        let all = watches(30, from: 0)
        let verdict = DriveVerdict(all[0], later: Array(all[1...]), Causes.table)
        #expect(!verdict.causes.isEmpty && verdict.since == nil)
    }

    /// Temperatures of the start say nothing about a sensor that fails on the road.
    @Test func `the later part has no readings of the start`() {
        var watch = DriveWatch(from: 100_000_000)
        for second in Int64(0)..<200 {
            for (quantity, value): (DriveQuantity, Double) in [
                (.engineSpeed, second < 10 ? 0 : 800), (.coolant, 20), (.intakeAir, 20),
                (.ambient, 20), (.voltage, second < 10 ? 12.4 : 14),
            ] {
                watch.take(value + (second == 150 ? 1 : 0), quantity, t: second * 1_000_000)
            }
        }
        let found = watch.numbers
        #expect(found["soak.ect"] == nil && found["soak.iat"] == nil && found["v.rest"] == nil)
        #expect(found["ect.step"]?.seconds ?? 0 > 0)
    }
}
