import OBDCore
import Testing

@testable import Reports

@Suite struct `Used cars` {
    /// Facts, and the findings that they must give: `grade id`, in the order of output.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var expected: [String]
        var known: Set<UsedCarExplanation> = []
        var facts: UsedCarFacts

        init(
            _ name: String, _ expected: [String], known: Set<UsedCarExplanation> = [],
            _ fill: (inout UsedCarFacts) -> Void
        ) {
            testDescription = name
            self.expected = expected
            self.known = known
            facts = UsedCarFacts()
            fill(&facts)
        }
    }

    private static func found(_ facts: UsedCarFacts, _ known: Set<UsedCarExplanation> = [])
        -> UsedCarFindings
    {
        UsedCarFindings(facts, known: known) { "\(Int($0.rounded())) km" }
    }

    @Test(
        arguments: distances + counters + clearing + clears + identity)
    func `every comparison gives its expected grade and no other finding`(_ one: Case) {
        let findings = Self.found(one.facts, one.known).findings
        #expect(findings.map { "\($0.grade.rawValue) \($0.id)" } == one.expected)
        for finding in findings {
            #expect(!finding.explains.isEmpty)
            #expect(finding.text.hasSuffix(".") && !finding.text.contains("  "))
            // Each honest reason, once known, makes the finding a note.
            for reason in finding.explains {
                let explained = Self.found(one.facts, [reason]).findings
                #expect(
                    explained.contains {
                        $0.id == finding.id && $0.grade == .note && $0.known == reason
                    })
            }
        }
    }

    private static let engine = ECUAddress(0x7E8, .can11)
    private static let gearbox = ECUAddress(0x7E9, .can11)
    private static let cluster = ECUAddress(0x77E, .can11)
    private static let brakes = ECUAddress(0x77D, .can11)

    private static func shown(_ km: Double) -> UsedCarFacts.Distance {
        .init(.shown, km, source: "dashboard")
    }
    private static func odometer(_ km: Double) -> UsedCarFacts.Distance {
        .init(.engine, km, ecu: engine, source: "7E8 01:A6")
    }
    private static func instruments(_ km: Double) -> UsedCarFacts.Distance {
        .init(.cluster, km, ecu: cluster, source: "77E 22:2203")
    }
    private static func lifetime(_ km: Double) -> UsedCarFacts.Distance {
        .init(.lifetime, km, ecu: engine, source: "7E8 09:17")
    }
    private static func ecu(
        _ address: ECUAddress? = engine, _ fill: (inout UsedCarFacts.ECU) -> Void
    ) -> UsedCarFacts.ECU {
        var ecu = UsedCarFacts.ECU(address)
        fill(&ecu)
        return ecu
    }
    private static func vin(_ text: String, _ ecu: ECUAddress? = engine, _ item: String = "09:02")
        -> UsedCarFacts.StoredVIN
    {
        .init(ecu: ecu, source: (ecu.map { "\($0) " } ?? "") + item, text.utf8)
    }

    // MARK: Distances

    /// A distance may exceed the odometer by 100 km and 1 %; odometers of modules may differ by 2 % and 50 km.
    static let distances: [Case] = [
        Case("the same odometers", []) { $0.distances = [shown(97_310), odometer(97_312.4)] },
        Case("the limit of the lifetime distance: 100,000 + 1,000 + 100", []) {
            $0.distances = [shown(100_000), lifetime(101_100)]
        },
        Case("a lifetime distance above the limit", ["contradiction lifetime-distance"]) {
            $0.distances = [shown(100_000), lifetime(101_101)]
        },
        Case("a lifetime distance above PID A6", ["contradiction lifetime-distance"]) {
            $0.distances = [odometer(97_310), lifetime(182_344.1)]
        },
        Case("PID A6 above the dashboard", ["contradiction lifetime-distance"]) {
            $0.distances = [shown(97_310), odometer(182_344)]
        },
        Case("a lifetime distance below the limit of 10 % and 200 km", []) {
            $0.distances = [shown(110_200), lifetime(100_000)]
        },
        Case("a lifetime distance that began late", ["odd lifetime-younger"]) {
            $0.distances = [shown(110_201), lifetime(100_000)]
        },
        Case("the limit between modules: 2 % of 100,000 and 50", []) {
            $0.distances = [instruments(97_950), odometer(100_000)]
        },
        Case("instruments below the engine", ["contradiction odometers-differ"]) {
            $0.distances = [instruments(97_949), odometer(100_000)]
        },
        Case("instruments above the engine", ["odd odometers-differ"]) {
            $0.distances = [instruments(100_000), odometer(97_949)]
        },
        Case("the dashboard above a module", ["odd odometers-differ"]) {
            $0.distances = [shown(120_000), odometer(60_000)]
        },
        Case("a dashboard in miles", ["note counts-miles"]) {
            $0.distances = [shown(60_000), odometer(96_560.6)]
        },
        Case("instruments in miles, to the rounding of 16 km", ["note counts-miles"]) {
            $0.distances = [instruments(60_000), odometer(96_576)]
        },
        Case("miles with a larger difference are odd", ["odd lifetime-distance"]) {
            $0.distances = [shown(60_000), odometer(98_000)]
        },
        Case("no longer miles", ["contradiction lifetime-distance"]) {
            $0.distances = [shown(60_000), odometer(98_700)]
        },
        Case(
            "a sleeping module and one that says FFFFFFFF",
            [
                "note odometer-blank", "note odometer-blank",
            ]
        ) {
            $0.distances = [shown(60_000), odometer(429_496_729.5), instruments(0)]
        },
        Case("a known cluster", ["note lifetime-distance"], known: [.clusterReplaced]) {
            $0.distances = [shown(12_000), odometer(182_344)]
        },
        // PID 31 counts in the ECU, so it is at most the odometer.
        Case(
            "more km since a clear than in the ECU's own odometer, which may count miles",
            [
                "odd counted-distance"
            ]
        ) {
            $0.distances = [odometer(30_000)]
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 30_401; $0.clearedWarmUps = 255
                }
            ]
        },
        // 30,000 mi are 48,280 km.
        Case("more km since a clear than miles can be", ["contradiction counted-distance"]) {
            $0.distances = [odometer(30_000)]
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 48_900; $0.clearedWarmUps = 255
                }
            ]
        },
        Case(
            "three bytes of ones are no odometer", ["note odometer-blank"]
        ) { $0.distances = [shown(60_000), odometer(1_677_721.5)] },
        Case("PID A6 in miles, which SAE J1979 does not have", ["odd counts-miles"]) {
            $0.distances = [odometer(60_000), lifetime(96_560.6)]
        },
        Case(
            "a dashboard whose unit the user named is not in miles", ["odd lifetime-distance"]
        ) {
            $0.distances = [
                .init(.shown, 60_000, source: "dashboard", hasNamedUnit: true), odometer(96_560.6),
            ]
        },
        Case("only the number of the user", []) { $0.distances = [shown(60_000)] },
        Case(
            "instruments of an older vehicle", ["note odometers-differ"], known: [.clusterReplaced]
        ) { $0.distances = [shown(150_000), odometer(97_310)] },
        Case("the limit: 30,000 + 300 + 100", []) {
            $0.distances = [odometer(30_000)]
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 30_400; $0.clearedWarmUps = 255
                }
            ]
        },
        Case("a dashboard that may be in miles", ["odd counted-distance"]) {
            $0.distances = [shown(30_000)]
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 48_000; $0.clearedWarmUps = 255
                }
            ]
        },
        Case("beyond miles, too", ["contradiction counted-distance"]) {
            $0.distances = [shown(30_000)]
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 49_000; $0.clearedWarmUps = 255
                }
            ]
        },
        Case(
            "more km since a clear than a dashboard in km, as the user says",
            ["contradiction counted-distance"]
        ) {
            $0.distances = [
                .init(.shown, 48_000, source: "dashboard", hasNamedUnit: true)
            ]
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 54_000; $0.clearedWarmUps = 255
                }
            ]
        },
        Case("exactly the number of miles, whatever unit the user named", ["odd counted-distance"])
        {
            $0.distances = [
                .init(.shown, 18_641, source: "dashboard", hasNamedUnit: true)
            ]
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 30_000; $0.clearedWarmUps = 255
                }
            ]
        },
        Case("an odometer below an earlier reading", ["contradiction odometer-fell"]) {
            $0.distances = [shown(97_310)]
            $0.earlierKilometres = 120_000
        },
        Case(
            "a used module below an earlier reading", ["odd odometers-differ", "odd odometer-fell"]
        ) {
            $0.distances = [shown(150_500), instruments(40_000)]
            $0.earlierKilometres = 150_000
        },
        Case("an earlier reading that may be the same in kilometres", ["odd odometer-fell"]) {
            $0.distances = [shown(60_000)]
            $0.earlierKilometres = 96_500
        },
        Case("an earlier reading at the end of its range", []) {
            $0.distances = [shown(97_310)]
            $0.earlierKilometres = 429_496_729.5
        },
        Case("an earlier reading that is lower", []) {
            $0.distances = [shown(97_310)]
            $0.earlierKilometres = 97_300
        },
        Case("a full counter", ["odd counted-distance"]) {
            $0.distances = [odometer(30_000)]
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 65_535; $0.clearedWarmUps = 255
                }
            ]
        },
        Case("three full counters of an ECU that does not count", ["note counted-distance"]) {
            $0.distances = [odometer(30_000)]
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 65_535; $0.clearedWarmUps = 255;
                    $0.clearedMinutes = 65_535
                }
            ]
        },
        Case("a distance of FFFF beside 40 warm-ups was never counted", []) {
            $0.distances = [odometer(30_000)]
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 65_535; $0.clearedWarmUps = 40
                }
            ]
        },
        Case(
            "the evaporative monitor decided before the vehicle was built",
            [
                "contradiction counted-distance"
            ]
        ) {
            $0.distances = [odometer(5_000)]
            $0.ecus = [ecu { $0.evaporativeKilometres = 9_000 }]
        },
        Case("nothing to compare with", []) {
            $0.ecus = [ecu { $0.clearedKilometres = 60_000 }]
        },
    ]

    // MARK: Counters

    static let counters: [Case] = [
        Case("the limit of 60 km for each ignition cycle", []) {
            $0.distances = [odometer(60_000)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 1_000; $0.conditions = 300
                }
            ]
        },
        Case("counters younger than the vehicle", ["odd counters-younger"]) {
            $0.distances = [odometer(60_001)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 1_000; $0.conditions = 300
                }
            ]
        },
        Case("an ECU that was replaced, with counters of 0", ["odd counters-younger"]) {
            $0.distances = [shown(97_000)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 0; $0.conditions = 0; $0.countsNothing = true
                }
            ]
        },
        Case("the same, known", ["note counters-younger"], known: [.ecuReplaced]) {
            $0.distances = [shown(97_000)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 0; $0.conditions = 0; $0.countsNothing = true
                }
            ]
        },
        Case("a gearbox that counts nothing while the engine does", []) {
            $0.distances = [odometer(60_000)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 6_000; $0.conditions = 2_000
                },
                ecu(gearbox) {
                    $0.ignitionCycles = 0; $0.countsNothing = true
                },
            ]
        },
        Case("a new vehicle", []) {
            $0.distances = [odometer(14)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 62; $0.conditions = 0
                }
            ]
        },
        Case("no drive that counts in 3,000 km", []) {
            $0.distances = [odometer(3_000)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 600; $0.conditions = 0
                }
            ]
        },
        Case("no drive that counts above 3,000 km", ["odd counters-younger"]) {
            $0.distances = [odometer(3_001)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 600; $0.conditions = 0
                }
            ]
        },
        Case("a plug-in hybrid whose engine hardly runs", []) {
            $0.isHybrid = true
            $0.distances = [odometer(40_000)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 4_000; $0.conditions = 0; $0.runSeconds = 100 * 3_600
                }
            ]
        },
        Case("the limit of 2.5 km for each ignition cycle", []) {
            $0.distances = [shown(50_000)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 20_000; $0.conditions = 5_000
                }
            ]
        },
        Case("counters older than the vehicle", ["odd counters-older"]) {
            $0.distances = [shown(49_999)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 20_000; $0.conditions = 5_000
                }
            ]
        },
        // SAE J1979: a numerator and the general denominator count once in a driving cycle at most.
        Case("the limit of the other counters: 2 % and 5", []) {
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 1_000; $0.highestCounter = ("CATCOMP1", 1_025)
                }
            ]
        },
        Case("more drives than ignition cycles", ["odd counters-exceed-cycles"]) {
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 1_000; $0.highestCounter = ("OBDCOND", 1_026)
                }
            ]
        },
        Case("ignition cycles at their end, below another counter", []) {
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 65_535; $0.highestCounter = ("EVAPCOMP", 65_535)
                }
            ]
        },
        // The example of info type 08 of a recorded Golf 7.
        Case("a numerator above its own denominator", []) {
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 1_676; $0.highestCounter = ("EGRCOMP", 1_346)
                }
            ]
        },
        Case("a counter at its end", []) {
            $0.distances = [shown(49_999)]
            $0.ecus = [
                ecu {
                    $0.ignitionCycles = 65_535; $0.conditions = 65_535
                }
            ]
        },
        // 15,000 h at 10 km/h are 150,000 km, three times 50,000.
        Case("the limit of engine hours", []) {
            $0.distances = [shown(50_000)]
            $0.ecus = [ecu { $0.runSeconds = 15_000 * 3_600 }]
        },
        Case("an engine that is older than the dashboard", ["odd counters-older"]) {
            $0.distances = [shown(49_999)]
            $0.ecus = [ecu { $0.runSeconds = 15_000 * 3_600 }]
        },
        Case("an engine younger than the dashboard", ["odd counters-younger"]) {
            $0.distances = [shown(60_001)]
            $0.ecus = [ecu { $0.runSeconds = 300 * 3_600 }]
        },
        Case("300 hours at 200 km/h", []) {
            $0.distances = [shown(60_000)]
            $0.ecus = [ecu { $0.runSeconds = 300 * 3_600 }]
        },
    ]

    // MARK: Clearing

    static let clearing: [Case] = [
        Case("cleared 99 km ago", ["note just-cleared"]) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 99; $0.clearedWarmUps = 30
                }
            ]
        },
        Case("cleared 100 km, 5 warm-ups and 120 minutes ago", []) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 100
                    $0.clearedWarmUps = 5
                    $0.clearedMinutes = 120
                }
            ]
        },
        Case("cleared 4 warm-ups ago", ["note just-cleared"]) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 900; $0.clearedWarmUps = 4
                }
            ]
        },
        Case("cleared 119 minutes ago", ["note just-cleared"]) {
            $0.ecus = [ecu { $0.clearedMinutes = 119 }]
        },
        Case("the battery was off", ["note battery-was-off"]) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 4_000
                    $0.clearedWarmUps = 120
                    $0.clearedMinutes = 0
                }
            ]
        },
        Case("permanent codes and the light off", ["odd permanent-codes"]) {
            $0.ecus = [
                ecu {
                    $0.permanentCodes = ["P0420"]; $0.lightIsOn = false
                }
            ]
        },
        Case("permanent codes and the light on", []) {
            $0.ecus = [
                ecu {
                    $0.permanentCodes = ["P0420"]; $0.lightIsOn = true
                }
            ]
        },
        Case("monitors that did not run in 501 km and 26 warm-ups", ["odd monitors-incomplete"]) {
            $0.ecus = [
                ecu {
                    $0.incomplete = ["catalyst"]
                    $0.clearedKilometres = 501
                    $0.clearedWarmUps = 26
                }
            ]
        },
        Case("the same in 500 km", []) {
            $0.ecus = [
                ecu {
                    $0.incomplete = ["catalyst"]
                    $0.clearedKilometres = 500
                    $0.clearedWarmUps = 26
                }
            ]
        },
        Case("the same in 25 warm-ups", []) {
            $0.ecus = [
                ecu {
                    $0.incomplete = ["catalyst"]
                    $0.clearedKilometres = 501
                    $0.clearedWarmUps = 25
                }
            ]
        },
        Case("only the evaporative monitor", ["note monitors-incomplete"]) {
            $0.ecus = [
                ecu {
                    $0.incomplete = ["evaporative system"]
                    $0.lacksEvaporative = true
                    $0.clearedKilometres = 65_535
                    $0.clearedWarmUps = 255
                }
            ]
        },
        Case("the light was on", ["note light-was-on"]) {
            $0.ecus = [
                ecu {
                    $0.lightKilometres = 1; $0.lightIsOn = false
                }
            ]
        },
        Case("the light was on by its minutes", ["note light-was-on"]) {
            $0.ecus = [
                ecu {
                    $0.lightMinutes = 7; $0.lightIsOn = false
                }
            ]
        },
        Case("the light is on", []) {
            $0.ecus = [
                ecu {
                    $0.lightKilometres = 7; $0.lightIsOn = true; $0.codes = ["P0420"]
                }
            ]
        },
        Case("a code without the light explains its time", []) {
            $0.ecus = [
                ecu {
                    $0.lightKilometres = 7; $0.lightIsOn = false; $0.codes = ["P0420"]
                }
            ]
        },
        Case(
            "the light was on for longer than since a clear",
            [
                "odd light-longer-than-clear"
            ]
        ) {
            $0.ecus = [
                ecu {
                    $0.lightKilometres = 1_000
                    $0.clearedKilometres = 899
                    $0.clearedWarmUps = 60
                    $0.lightIsOn = true
                }
            ]
        },
    ]

    // MARK: One clear, and the light

    /// A clear sets PIDs 30, 31, 4E, 21 and 4D to 0 together (SAE J1979).
    static let clears: [Case] = [
        Case("30,000 km in 60 minutes", ["odd clear-counters-differ"]) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 30_000; $0.clearedWarmUps = 255; $0.clearedMinutes = 60
                }
            ]
        },
        Case("the limit of 200 km/h and 50 km: 453 km in 120 minutes", []) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 453; $0.clearedMinutes = 120
                }
            ]
        },
        Case("a plug-in hybrid drives without its engine", []) {
            $0.isHybrid = true
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 30_000; $0.clearedWarmUps = 20; $0.clearedMinutes = 300
                }
            ]
        },
        Case("a full distance that is counted, in 400 hours", []) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 65_535; $0.clearedWarmUps = 255
                    $0.clearedMinutes = 24_000
                }
            ]
        },
        Case("200 warm-ups in 100 minutes", ["odd clear-counters-differ"]) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 600; $0.clearedWarmUps = 200; $0.clearedMinutes = 100
                }
            ]
        },
        Case("the limit of 500 m for each warm-up", []) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 100; $0.clearedWarmUps = 200
                }
            ]
        },
        Case("255 warm-ups in 3 km are not a clear of 3 km ago", ["odd clear-counters-differ"]) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 3; $0.clearedWarmUps = 255; $0.clearedMinutes = 9_000
                }
            ]
        },
        Case("a distance that is not counted", ["note clear-counters-differ"]) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 0; $0.clearedWarmUps = 40
                }
            ]
        },
        Case("9,000 km with 2 warm-ups", ["odd clear-counters-differ"]) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 9_000; $0.clearedWarmUps = 2
                }
            ]
        },
        Case("150 hours of standing", ["odd clear-counters-differ"]) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 140; $0.clearedMinutes = 9_000
                }
            ]
        },
        Case("a taxi: 9,000 km in 65,535 minutes", []) {
            $0.ecus = [
                ecu {
                    $0.clearedKilometres = 9_000; $0.clearedWarmUps = 255
                    $0.clearedMinutes = 65_535
                }
            ]
        },
        Case(
            "the light was on for more minutes than since a clear", ["odd light-longer-than-clear"]
        ) {
            $0.ecus = [
                ecu {
                    $0.lightMinutes = 900; $0.clearedMinutes = 700; $0.lightIsOn = true
                }
            ]
        },
        Case("no monitor has run, and no counter says why", ["note no-monitor-has-run"]) {
            $0.ecus = [ecu { $0.monitors = [.misfire, .catalyst, .oxygenSensor] }]
        },
        Case("one monitor has run", []) {
            $0.ecus = [
                ecu {
                    $0.monitors = [.misfire, .catalyst, .oxygenSensor]
                    $0.complete = [.misfire, .oxygenSensor]
                }
            ]
        },
        Case("a gearbox has no monitors that need driving", []) {
            $0.ecus = [ecu { $0.monitors = [.components] }]
        },
        Case(
            "every monitor has run in 1 km", ["odd monitors-too-early", "note just-cleared"]
        ) {
            $0.ecus = [
                ecu {
                    $0.monitors = [.misfire, .catalyst, .evaporative, .oxygenSensor]
                    $0.complete = $0.monitors
                    $0.clearedKilometres = 1; $0.clearedWarmUps = 0; $0.clearedMinutes = 3
                }
            ]
        },
        Case("every monitor has run in 40 km", ["note just-cleared"]) {
            $0.ecus = [
                ecu {
                    $0.monitors = [.misfire, .catalyst, .evaporative, .oxygenSensor]
                    $0.complete = $0.monitors
                    $0.clearedKilometres = 40; $0.clearedWarmUps = 1; $0.clearedMinutes = 50
                }
            ]
        },
        Case("a monitor that did not run in 1,001 km, without PID 30", ["odd monitors-incomplete"])
        {
            $0.ecus = [
                ecu {
                    $0.incomplete = ["catalyst"]; $0.clearedKilometres = 1_001
                }
            ]
        },
        Case(
            "a monitor that did not run in 51 warm-ups, without PID 31", ["odd monitors-incomplete"]
        ) {
            $0.ecus = [
                ecu {
                    $0.incomplete = ["catalyst"]; $0.clearedWarmUps = 51
                }
            ]
        },
        Case("another code lit the light since the clear", ["odd permanent-codes"]) {
            $0.ecus = [
                ecu {
                    $0.lightIsOn = true; $0.storedCodes = ["P0171"]; $0.codes = ["P0171"]
                    $0.permanentCodes = ["P0171", "P0420"]
                }
            ]
        },
        Case("the permanent code is the stored one", []) {
            $0.isOnCAN = true
            $0.ecus = [
                ecu {
                    $0.lightIsOn = true; $0.storedCodes = ["P0420"]; $0.codes = ["P0420"]
                    $0.permanentCodes = ["P0420"]
                }
            ]
        },
        Case("a stored and permanent code without the light", ["odd codes-without-light"]) {
            $0.isOnCAN = true
            $0.ecus = [
                ecu {
                    $0.lightIsOn = false; $0.storedCodes = ["P0420"]; $0.codes = ["P0420"]
                    $0.permanentCodes = ["P0420"]; $0.lightKilometres = 300
                }
            ]
        },
        Case("a stored code that never had the light", ["odd codes-without-light"]) {
            $0.isOnCAN = true
            $0.ecus = [
                ecu {
                    $0.lightIsOn = false; $0.storedCodes = ["P0420"]; $0.codes = ["P0420"]
                    $0.lightKilometres = 0; $0.lightMinutes = 0
                }
            ]
        },
        Case("a stored code whose light went off", ["note codes-without-light"]) {
            $0.isOnCAN = true
            $0.ecus = [
                ecu {
                    $0.lightIsOn = false; $0.storedCodes = ["P0420"]; $0.codes = ["P0420"]
                    $0.lightKilometres = 300
                }
            ]
        },
        Case("a gearbox leaves the light to the engine", []) {
            $0.isOnCAN = true
            $0.ecus = [
                ecu {
                    $0.lightIsOn = true; $0.storedCodes = ["P0420"]; $0.codes = ["P0420"]
                },
                ecu(gearbox) {
                    $0.lightIsOn = false; $0.storedCodes = ["P0700"]; $0.codes = ["P0700"]
                },
            ]
        },
        Case("three codes that are not listed", ["odd codes-missing"]) {
            $0.isOnCAN = true
            $0.ecus = [
                ecu {
                    $0.missingCount = 3; $0.storedCodes = []; $0.lightIsOn = true
                }
            ]
        },
        Case("a count that includes pending codes", []) {
            $0.isOnCAN = true
            $0.ecus = [
                ecu {
                    $0.missingCount = 1; $0.storedCodes = []; $0.codes = ["P0171"]
                    $0.lightIsOn = true
                }
            ]
        },
    ]

    // MARK: Identity

    /// The VINs of the ELM327's data sheet and of a recorded Golf; 1HGCM82633A004352 is an example of the check
    /// digit in 49 CFR 565 texts.
    private static let golf = "WVWZZZAUZEW033333"
    private static let other = "WVWZZZ1KZAW123456"

    static let identity: [Case] = [
        Case("one VIN in three modules", []) {
            $0.vins = [vin(golf), vin(golf, cluster, "22:F190"), vin(golf, brakes, "22:F190")]
        },
        Case("one module with another VIN", ["odd vin-differs"]) {
            $0.vins = [vin(golf), vin(other, cluster, "22:F190"), vin(golf, brakes, "22:F190")]
        },
        Case(
            "two modules with another VIN than the windscreen",
            [
                "contradiction vin-differs"
            ]
        ) {
            $0.windscreen = VIN(golf)
            $0.vins = [vin(other), vin(other, cluster, "22:F190"), vin(golf, brakes, "22:F190")]
        },
        Case("a misread windscreen", ["odd vin-differs"]) {
            $0.windscreen = VIN("WVWZZZAUZEW033383")
            $0.vins = [vin(golf), vin(golf, cluster, "22:F190")]
        },
        Case(
            "one module with another VIN and another odometer",
            [
                "contradiction odometers-differ", "contradiction vin-differs",
            ]
        ) {
            $0.vins = [vin(golf), vin(other, cluster, "22:F190")]
            $0.distances = [instruments(50_000), odometer(150_000)]
        },
        Case("a blank VIN in a new module", ["note vin-blank"]) {
            $0.vins = [vin(golf), vin("\0\0\0\0", cluster, "22:F190")]
        },
        Case("a VIN of zeros as text", ["note vin-blank"]) {
            $0.vins = [vin(golf), vin("00000000000000000", cluster, "22:F190")]
        },
        Case("half a VIN", ["note vin-blank"]) {
            $0.vins = [vin(golf), vin("WVWZZZAU", cluster, "22:F190")]
        },
        Case("a right check digit", []) { $0.vins = [vin("1HGCM82633A004352")] },
        Case("a wrong check digit", ["odd vin-check-digit"]) {
            $0.vins = [vin("1HGCM82633A004353")]
        },
        Case("a serial number that was masked", []) { $0.vins = [vin("2HGFG12826H000000")] },
        Case("a VIN in lower case", []) {
            $0.vins = [vin(golf), vin(golf.lowercased(), cluster, "22:F190")]
        },
        Case("a petrol car of 2012 whose ECU does not watch the catalyst", ["odd vin-year"]) {
            $0.isOnCAN = true
            $0.vins = [vin("1G1ZC5E00CF123456")]
            $0.ecus = [
                ecu {
                    $0.isCompression = false; $0.monitors = [.misfire, .evaporative]
                }
            ]
        },
        Case("a diesel of 2012 may not announce its particulate filter", []) {
            $0.isOnCAN = true
            $0.vins = [vin("1G1ZC5E00CF123456")]
            $0.ecus = [
                ecu {
                    $0.isCompression = true; $0.monitors = [.misfire, .noxSCR]
                }
            ]
        },
        // 1G1ZC5E0 with year D.
        Case("a diesel of 2013 without a particulate filter", ["odd vin-year"]) {
            $0.isOnCAN = true
            $0.vins = [vin("1G1ZC5E09DF123456")]
            $0.ecus = [
                ecu {
                    $0.isCompression = true; $0.monitors = [.misfire, .noxSCR]
                }
            ]
        },
        Case("three VINs in three modules", ["contradiction vin-differs"]) {
            $0.vins = [
                vin(golf), vin(other, cluster, "22:F190"),
                vin("WVWZZZ3CZEE000999", brakes, "22:F190"),
            ]
        },
        Case("Europe has no check digit", []) { $0.vins = [vin("WVWZZZAUZEW033334")] },
        // Model year 2012 by position 10 and a letter in position 7.
        Case("a model year of CAN without CAN", ["odd vin-year"]) {
            $0.isOnCAN = false
            $0.vins = [vin("1G1ZC5E00CF123456")]
        },
        Case("a model year of service 0A without it", ["odd vin-year"]) {
            $0.isOnCAN = true
            $0.hasStoredList = true
            $0.vins = [vin("1G1ZC5E00CF123456")]
        },
        Case("a model year of service 0A with it", []) {
            $0.isOnCAN = true
            $0.hasStoredList = true
            $0.hasPermanentList = true
            $0.vins = [vin("1G1ZC5E00CF123456")]
        },
        Case("a protocol that is not known says nothing", []) {
            $0.hasStoredList = true
            $0.vins = [vin("1G1ZC5E00CF123456")]
        },
        Case("2003 had neither", []) {
            $0.isOnCAN = false
            $0.hasStoredList = true
            $0.vins = [vin("1HGCM82633A004352")]
        },
        Case("one calibration with two numbers", ["odd calibration-number"]) {
            $0.ecus = [
                ecu { $0.calibrations = [("04E906016E", "3DABE9BC")] },
                ecu(gearbox) { $0.calibrations = [("04E906016E", "3DABE9BD")] },
            ]
        },
        Case("another software has another number", []) {
            $0.ecus = [
                ecu {
                    $0.calibrations = [("04E906016E", "3DABE9BC"), ("04E906016F", "11111112")]
                }
            ]
        },
        Case("a number that is not computed", ["note calibration-number"]) {
            $0.ecus = [
                ecu {
                    $0.calibrations = [("04E906016E", "3DABE9BC"), ("04E906016E", "00000000")]
                }
            ]
        },
        Case("software of thirteen years later", ["note software-date"]) {
            $0.dates = [
                .init(
                    ecu: cluster, made: CalendarDay([0x20, 0x12, 0x05, 0x31]),
                    programmed: CalendarDay([0x25, 0x03, 0x02]))
            ]
        },
        Case("a diesel that burns petrol", ["odd engine-kind"]) {
            $0.ecus = [
                ecu {
                    $0.isCompression = true; $0.fuel = 1
                }
            ]
        },
        Case("a diesel", []) {
            $0.ecus = [
                ecu {
                    $0.isCompression = true; $0.fuel = 4
                }
            ]
        },
    ]

    // MARK: Words

    @Test func `the verdict begins with the contradiction, then says that codes were cleared`() {
        var facts = UsedCarFacts()
        facts.distances = [Self.shown(97_310), Self.lifetime(182_344.1)]
        facts.ecus = [
            Self.ecu {
                $0.clearedKilometres = 34
                $0.clearedWarmUps = 2
                $0.longTrims = [0, 0]
            }
        ]
        let findings = Self.found(facts)
        #expect(
            findings.verdict == """
                Two facts contradict each other: The fuel consumption monitor (7E8 09:17) has \
                counted 182344 km, but the dashboard shows 97310 km. Cleared 34 km and 2 warm-ups \
                ago: a fault may be unseen; drive 100 km with the vehicle, then read again.
                """)
        #expect(
            findings.findings.last?.text == """
                Codes were cleared 34 km and 2 warm-ups ago: a fault may be unseen. The long-term \
                fuel trim is exactly 0, as after a clear.
                """)
        #expect(findings.grade == .contradiction)
    }

    @Test func `a verdict about oddities begins with the first oddity`() {
        var facts = UsedCarFacts()
        facts.distances = [Self.shown(97_310), Self.odometer(48_213)]
        let one = "The dashboard shows 97310 km, but the ECU (7E8 01:A6) says 48213 km."
        #expect(Self.found(facts).verdict == "This is odd: \(one)")
        // Another VIN, whose check digit is wrong as well.
        var other = UsedCarFacts()
        other.vins = [Self.vin(Self.golf)]
        other.windscreen = VIN("1HGCM82634A004352")
        let both = Self.found(other).verdict
        #expect(
            both.hasPrefix("This is odd: 7E8 09:02 has the VIN \(Self.golf), but the windscreen "))
        #expect(both.hasSuffix(" There are 2 odd facts."))
    }

    @Test func `distances that agree do not prove the mileage`() {
        var facts = UsedCarFacts()
        facts.distances = [Self.shown(97_310), Self.odometer(97_312), Self.instruments(97_300)]
        let findings = Self.found(facts)
        #expect(findings.verdict == "Nothing contradicts; that does not prove the mileage.")
        #expect(findings.agreement == "3 distances agree within 12 km.")
        #expect(
            Self.found(UsedCarFacts()).verdict
                == "Nothing could be compared: the vehicle gave no second distance and no counter.")
    }

    @Test func `miles explain a difference only if the number is that of the miles`() {
        var facts = UsedCarFacts()
        facts.distances = [Self.shown(100_000), Self.odometer(48_213)]
        #expect(Self.found(facts).findings.allSatisfy { !$0.explains.contains(.miles) })
        #expect(Self.found(facts, [.miles]).grade == .odd)
        // 97,310 mi are 156,605 km.
        facts.distances = [Self.shown(97_310), Self.odometer(156_000)]
        #expect(Self.found(facts).findings.contains { $0.explains.contains(.miles) })
        // A taxi with 40,000 drives needs 100,000 km at least: neither 31,000 km nor as many miles.
        facts.distances = [Self.shown(31_000)]
        facts.ecus = [Self.ecu { $0.ignitionCycles = 40_000 }]
        let older = Self.found(facts).findings.first { $0.id == "counters-older" }
        #expect(older?.explains.contains(.miles) == false)
        facts.distances = [Self.shown(70_000)]
        let fitting = Self.found(facts).findings.first { $0.id == "counters-older" }
        #expect(fitting?.explains.contains(.miles) == true)
    }

    @Test func `one odometer without a counter is not a result`() {
        var facts = UsedCarFacts()
        facts.distances = [Self.shown(48_213)]
        facts.ecus = [
            Self.ecu {
                $0.lightKilometres = 0; $0.lightIsOn = true
            }
        ]
        let text = "Nothing contradicts, but no odometer could be compared with anything."
        #expect(Self.found(facts).verdict == text && !Self.found(facts).comparesMileage)
        facts.ecus[0].clearedKilometres = 3_000
        #expect(Self.found(facts).comparesMileage)
    }

    @Test func `the tank and frost excuse only a missing evaporative monitor`() {
        var facts = UsedCarFacts()
        facts.ecus = [
            Self.ecu {
                $0.incomplete = ["particulate filter"]; $0.clearedKilometres = 3_120
                $0.clearedWarmUps = 37; $0.isCompression = true
            }
        ]
        let found = Self.found(facts)
        let finding = found.findings.first { $0.id == "monitors-incomplete" }
        #expect(finding?.explains == [.shortTrips, .newBattery, .ecuReplaced, .usedPart])
        // A drive of a diesel is judged by no table of causes.
        #expect(!found.gaps.contains { $0.contains("diagnose") })
    }

    @Test func `no text accuses the seller of fraud`() {
        let cases = Self.distances + Self.counters + Self.clearing + Self.clears + Self.identity
        for one in cases {
            let findings = Self.found(one.facts)
            let text = (findings.findings.map(\.text) + [findings.verdict]).joined().lowercased()
            for word in ["fraud", "cheat", "manipul", "tamper", "fake", "lie", "doctored"] {
                #expect(!text.contains(word))
            }
        }
    }

    @Test(arguments: [
        ("cluster-replaced", UsedCarExplanation.clusterReplaced),
        ("Cluster replaced", .clusterReplaced), ("new-cluster", .clusterReplaced),
        ("battery-replaced", .newBattery), ("grey_import", .greyImport),
        ("ECU replaced", .ecuReplaced),
    ])
    func `an explanation is recognised by its word and by its sentence`(
        _ word: String, _ reason: UsedCarExplanation
    ) {
        #expect(UsedCarExplanation(word: word) == reason)
        #expect(UsedCarExplanation(word: reason.text) == reason)
    }

    @Test func `days are BCD or ASCII, never a guess`() {
        #expect(CalendarDay([0x20, 0x19, 0x03, 0x24])?.text == "2019-03-24")
        #expect(CalendarDay([0x19, 0x03, 0x24])?.text == "2019-03-24")
        #expect(CalendarDay("20190324".utf8)?.text == "2019-03-24")
        #expect(CalendarDay([0x07, 0xE3, 0x03, 0x18]) == nil)
        #expect(CalendarDay([0x13, 0x13, 0x24]) == nil)
        #expect(CalendarDay([0xFF, 0xFF, 0xFF]) == nil)
    }

    /// The numbers of the one published answer: 1251.2 and 1252.3 km, 292.58 and 293.10 L.
    @Test func `the fuel consumption monitor counts only if its four numbers fit`() {
        func bytes(_ numbers: [UInt32]) -> [UInt8] {
            numbers.flatMap { number in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
            }
        }
        let known = bytes([12_512, 12_523, 29_258, 29_310])
        #expect(UsedCarFacts.lifetimeDistance(known) == 1252.3)
        #expect(UsedCarFacts.lifetimeDistance([1] + known) == 1252.3)
        #expect(UsedCarFacts.lifetimeDistance(bytes([.max, 12_523, .max, 29_310])) == 1252.3)
        #expect(UsedCarFacts.lifetimeDistance([2] + known) == nil)
        #expect(UsedCarFacts.lifetimeDistance(Array(known.dropLast())) == nil)
        #expect(UsedCarFacts.lifetimeDistance(bytes([12_524, 12_523, 0, 29_310])) == nil)
        #expect(UsedCarFacts.lifetimeDistance(bytes([0, 12_523, 0, .max])) == nil)
        #expect(UsedCarFacts.lifetimeDistance(bytes([0, 0, 0, 0])) == nil)
        // 0.2 L/100 km of a plug-in hybrid and 40 L/100 km are the ends.
        #expect(UsedCarFacts.lifetimeDistance(bytes([0, 10_000, 0, 200])) == 1000)
        #expect(UsedCarFacts.lifetimeDistance(bytes([0, 10_000, 0, 199])) == nil)
        #expect(UsedCarFacts.lifetimeDistance(bytes([0, 10_000, 0, 40_000])) == 1000)
        #expect(UsedCarFacts.lifetimeDistance(bytes([0, 10_000, 0, 40_001])) == nil)
    }
}
