import Testing

@testable import PIDTables
@testable import Reports

@Suite struct `Drives` {
    /// A drive that obeys no engine but has the readings of one: cold start, idle, 2,500 rpm, town, road,
    /// and the ignition on with the engine off.
    struct Drive {
        /// The correction of the ECU in %, by operating point.
        var idle = -1.4, raised = -0.5, cruise = 0.0
        /// The noise of the short trim in %.
        var noise = 3.0
        var thermostat = 87.0
        var start = 20.0
        var ambient = 15.0
        var volts = 13.7
        var offset = 0.0
        var air = 101.0
        var idleUnrest = 6.0
        var without: Set<DriveQuantity> = []
        var others: [DriveQuantity: Double] = [:]
        /// Seconds between readings of a quantity.
        var step: Int64 = 1
        var seed: UInt64 = 1

        private mutating func random() -> Double {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(seed >> 33) / Double(1 << 31)
        }

        /// About normal, with this standard deviation.
        private mutating func spread(_ deviation: Double) -> Double {
            ((0..<6).reduce(0) { sum, _ in sum + random() } - 3) * deviation * 1.414
        }

        mutating func watch() -> DriveWatch {
            var watch = DriveWatch()
            var coolant = start
            var short = 0.0
            var all: [(DriveQuantity, Double)] = []
            for second in stride(from: Int64(0), to: 2_700, by: Int(step)) {
                let phase = second
                let isOff = phase < 15
                let isIdle = (15..<60).contains(phase) || (900..<1_020).contains(phase)
                let isRaised = (1_020..<1_060).contains(phase)
                let isRoad = phase >= 1_300
                let speed =
                    isOff || isIdle || isRaised
                    ? 0.0 : isRoad ? 90.0 : (20 + Double(phase % 40)).rounded()
                let rpm =
                    isOff
                    ? 0.0
                    : isIdle
                        ? 780 + spread(idleUnrest)
                        : isRaised ? 2_500 + spread(20) : isRoad ? 2_300.0 : 1_700 + spread(150)
                if !isOff { coolant += (thermostat - coolant) * 0.006 * Double(step) }
                let learnt = isIdle ? idle : isRaised ? raised : cruise
                short += (spread(noise) - short) * 0.5
                all = [
                    (.speed, speed), (.engineSpeed, rpm), (.coolant, coolant.rounded()),
                    (.longTrim1, isOff ? 0 : learnt), (.fuelStatus, isOff || coolant < 50 ? 1 : 2),
                    (.shortTrim1, isOff ? 0 : short),
                    (.voltage, (isOff ? 12.4 : volts) + spread(0.03)),
                    (.barometric, air), (.manifold, isOff ? air + offset : 32 + spread(1)),
                    (.ambient, ambient),
                ]
                all += others.map { ($0.key, $0.value) }
                for (place, one) in all.enumerated() where !without.contains(one.0) {
                    watch.take(one.1, one.0, t: second * 1_000_000 + Int64(place) * 20_000)
                }
            }
            return watch
        }

        mutating func verdict() -> DriveVerdict { DriveVerdict(watch(), Causes.table) }

        /// A healthy vehicle with the usual tolerances: meter 3 %, injectors 4 %, filling 5 %, E0 to E10, and
        /// the places, weather and batteries of many drivers.
        static func healthy(_ seed: UInt64) -> Drive {
            var drive = Drive()
            drive.seed = seed &* 7_919 &+ 13
            // Bounds, not deviations: beyond 20 % a vehicle is not healthy, whatever its tolerances.
            let within = { (bound: Double) in (2 * drive.random() - 1) * bound }
            let level = within(3) + within(4) + within(5) + drive.random() * 4
            drive.idle = level + drive.spread(2)
            drive.raised = level + drive.spread(1.2)
            drive.cruise = level + drive.spread(1.2)
            drive.noise = 2 + drive.random() * 3
            drive.thermostat = 80 + drive.random() * 22
            drive.start = -15 + drive.random() * 95
            drive.ambient = -15 + drive.random() * 55
            drive.volts = 13 + drive.random() * 1.9
            drive.offset = drive.spread(1.5)
            drive.air = 78 + drive.random() * 25
            drive.idleUnrest = 3 + drive.random() * 15
            drive.step = 2
            return drive
        }
    }

    @Test func `four hundred healthy drives are not accused`() {
        for seed in UInt64(1)...400 {
            var drive = Drive.healthy(seed)
            let verdict = drive.verdict()
            #expect(verdict.kind == .nothing, "\(seed): \(verdict.worst)")
            #expect(verdict.worst.isEmpty)
        }
    }

    /// Feeds a reading of each quantity each second; the body changes the values.
    private func watch(
        seconds: Int64, _ values: (Int64) -> [DriveQuantity: Double]
    ) -> DriveVerdict {
        var watch = DriveWatch()
        for second in 0..<seconds {
            for (quantity, value) in values(second).sorted(by: { $0.key.place < $1.key.place }
            ) {
                watch.take(value, quantity, t: second * 1_000_000)
            }
        }
        return DriveVerdict(watch, Causes.table)
    }

    /// Smart regulation: 12.4 V, and 14.8 V for the twelve seconds of each overrun.
    @Test func `an alternator that charges only in overrun is healthy`() {
        let verdict = watch(seconds: 1_800) { second in
            [
                .engineSpeed: 2_000, .speed: 60, .coolant: 88 + Double(second % 2),
                .voltage: second % 60 < 12 ? 14.8 : 12.4,
            ]
        }
        #expect(verdict.kind != .unclear, "\(verdict.worst)")
    }

    /// A plug-in hybrid that does not answer for the engine speed while it drives by electricity.
    @Test func `coolant that cools in electric driving is healthy`() {
        let verdict = watch(seconds: 3_600) { second in
            var values: [DriveQuantity: Double] = [
                .speed: 90, .coolant: second < 1_200 ? 88 + Double(second % 2) : 55, .ambient: 10,
            ]
            if second < 1_200 { values[.engineSpeed] = 2_200 }
            return values
        }
        #expect(verdict.kind != .unclear, "\(verdict.worst)")
    }

    /// The ECU reads the air pressure once, and the vehicle descends 1,100 m before the engine stops.
    @Test func `a descent with an old air pressure is healthy`() {
        let verdict = watch(seconds: 1_260) { second in
            let stands = second >= 1_200
            return [
                .engineSpeed: stands ? 0 : 1_800, .speed: stands ? 0 : 50,
                .coolant: 88 + Double(second % 2), .barometric: 88,
                .manifold: stands ? 101 : 40 + Double(second % 3),
            ]
        }
        #expect(verdict.kind != .unclear, "\(verdict.worst)")
    }

    /// The coolant becomes hotter while the engine stands and the ignition is on.
    @Test func `heat after the engine was switched off is healthy`() {
        let verdict = watch(seconds: 1_200) { second in
            [
                .engineSpeed: second < 900 ? 2_000 : 0, .speed: second < 900 ? 50 : 0,
                .coolant: second < 900 ? 95 + Double(second % 2) : 122,
            ]
        }
        #expect(verdict.kind != .unclear, "\(verdict.worst)")
    }

    /// In open loop both trims stay at 0.
    @Test func `two cylinder banks without a fuel correction are not in closed loop`() {
        let verdict = watch(seconds: 1_200) { second in
            [
                .engineSpeed: 2_200, .speed: 90, .coolant: 88 + Double(second % 2),
                .shortTrim1: second < 5 ? 1 : 0, .longTrim1: 40, .shortTrim2: second < 5 ? 1 : 0,
                .longTrim2: 0,
            ]
        }
        #expect(verdict.kind != .unclear, "\(verdict.worst)")
    }

    /// Removing signals removes features, and never adds an accusation.
    @Test func `a drive with fewer signals is accused no more often`() {
        for quantity in DriveQuantity.allCases {
            var drive = Drive()
            drive.without = [quantity]
            #expect(drive.verdict().kind != .unclear)
            var faulty = Drive()
            (faulty.idle, faulty.raised, faulty.cruise) = (32, 11, 6)
            faulty.without = [quantity]
            let verdict = faulty.verdict()
            let isSeen = verdict.features.contains { $0.id == "trim.idle" }
            #expect((verdict.kind != .nothing) == isSeen)
            #expect(verdict.causes.allSatisfy { $0.cause.id == "exhaust-leak" })
        }
    }

    /// The air pressure is read once and holds for a minute.
    @Test func `no feature has data for longer than the drive`() {
        let verdict = watch(seconds: 9) { _ in [.engineSpeed: 800, .barometric: 98, .coolant: 88] }
        let air = verdict.features.first { $0.id == "baro" }
        #expect(air?.value == 98 && air?.seconds == 8)
        #expect(verdict.features.allSatisfy { $0.seconds <= 9 })
    }

    @Test func `each feature is measured at its own operating point`() throws {
        var drive = Drive()
        drive.idle = 6
        drive.raised = 2
        let verdict = drive.verdict()
        func value(_ id: String) throws -> Double {
            try #require(verdict.features.first { $0.id == id }).value
        }
        #expect(abs(try value("trim.idle") - 6) < 1.5)
        #expect(abs(try value("trim.raised") - 2) < 2)
        #expect(abs(try value("trim.idle-raised") - 4) < 2.5)
        #expect(abs(try value("trim.cruise")) < 1)
        #expect(abs(try value("ect.cruise") - 87) < 1)
        #expect(abs(try value("v.run") - 13.7) < 0.06)
        #expect(try value("map.off-baro") == 0)
        #expect(verdict.untested.contains { $0.measure.id == "trim.b1-b2" })
        #expect(verdict.untested.contains { $0.measure.id == "k.idle" })
        #expect(verdict.points.map(\.name) == ["idle", "raised", "cruise", "off"])
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var change: @Sendable (inout Drive) -> Void
        /// The worst feature, if no cause is named.
        var worst = ""
        var cause: String?
        /// What looks alike in this drive: an engine without a cold start, an air meter or a rear sensor.
        var twins: Set<String> = []
    }

    /// Each is a fault of the reference: a leak of 1.3 g/s at 4 g/s of idle air is +32 % there, a third at
    /// 2,500 rpm; a pump or meter changes all points alike.
    static let faults = [
        Fault(
            testDescription: "false air at idle",
            change: { ($0.idle, $0.raised, $0.cruise) = (32, 11, 6) },
            // An engine without an air meter sees the air of the manifold, so it is the exhaust.
            cause: "exhaust-leak"),
        Fault(
            testDescription: "dripping injector",
            change: { ($0.idle, $0.raised, $0.cruise) = (-28, -9, -3) }, worst: "trim.idle-cruise"),
        Fault(
            testDescription: "too little fuel at all points",
            change: { ($0.idle, $0.raised, $0.cruise) = (38, 38, 38) }, cause: "fuel-low",
            twins: ["injector-clogged"]),
        Fault(
            testDescription: "thermostat stuck open", change: { $0.thermostat = 64 },
            cause: "thermostat-open", twins: ["ect-offset"]),
        Fault(
            testDescription: "overheating", change: { $0.thermostat = 124 }, cause: "overheating",
            twins: ["ect-offset"]),
        Fault(testDescription: "no charging", change: { $0.volts = 12.1 }, cause: "undercharging"),
        Fault(testDescription: "overcharging", change: { $0.volts = 16.4 }, cause: "overcharging"),
        Fault(
            testDescription: "pressure sensor", change: { $0.offset = -14 }, worst: "map.off-baro"),
        Fault(
            testDescription: "rough idle", change: { $0.idleUnrest = 95 }, cause: "misfire-one"),
    ]

    @Test(arguments: faults)
    func `a gross fault is reported, with its cause if no other fault looks alike`(
        _ fault: Fault
    ) throws {
        var drive = Drive()
        fault.change(&drive)
        let verdict = drive.verdict()
        #expect(
            verdict.kind
                == (fault.cause == nil ? .unclear : fault.twins.isEmpty ? .cause : .several))
        #expect(verdict.causes.first?.cause.id == fault.cause)
        #expect(fault.twins.isSubset(of: verdict.causes.map(\.cause.id)))
        #expect(
            fault.cause != nil || verdict.worst.contains { $0.id == fault.worst },
            "\(verdict.worst)")
        #expect(verdict.worst.count <= 3)
    }

    @Test func `readings for which the limits do not fit are not judged`() {
        var flexible = Drive()
        (flexible.idle, flexible.cruise, flexible.others) = (30, 30, [.ethanol: 85])
        #expect(flexible.verdict().kind == .nothing)
        var gas = Drive()
        (gas.idle, gas.cruise, gas.others) = (30, 30, [.fuelType: 5])
        #expect(gas.verdict().kind == .nothing)
        var frost = Drive()
        (frost.thermostat, frost.ambient) = (64, -10)
        #expect(frost.verdict().kind == .nothing)
        var truck = Drive()
        truck.volts = 27.5
        #expect(truck.verdict().kind == .nothing)
        // A sensor that keeps the value of the running engine.
        var kept = Drive()
        kept.offset = -66
        #expect(kept.verdict().kind == .nothing)
        // A trim that never moves is a column without data.
        var flat = Drive()
        (flat.idle, flat.raised, flat.cruise, flat.noise) = (30, 30, 30, 0)
        #expect(flat.verdict().kind == .nothing)
    }

    @Test func `too few readings have no verdict`() {
        var watch = DriveWatch()
        #expect(DriveVerdict(watch, Causes.table).kind == .untestable)
        for second in 0..<30 {
            watch.take(800, .engineSpeed, t: Int64(second) * 1_000_000)
            watch.take(30, .shortTrim1, t: Int64(second) * 1_000_000)
        }
        watch.take(.nan, .coolant, t: 31_000_000)
        let verdict = DriveVerdict(watch, Causes.table)
        #expect(verdict.kind == .untestable)
        #expect(verdict.untested.count == Causes.table.measures.count { $0.limit != nil })
        #expect(
            verdict.untested.first { $0.measure.id == "map.off-baro" }?.needs == [
                "manifold", "barometric",
            ])
    }

    /// Gaps end a stretch: one reading every ten seconds has no operating point.
    @Test func `rare readings have no steady point`() {
        var drive = Drive()
        (drive.idle, drive.raised, drive.cruise, drive.step) = (40, 40, 40, 10)
        #expect(drive.verdict().kind != .unclear)
    }
}
