import Diagnostics
import Formats
import PIDTables
import Testing

@testable import ObdscanCLI

@Suite struct `Readiness in words` {
    @Test(
        arguments: [
            ([], 8, "All 8 supported monitors have run since codes were cleared."),
            ([], 1, "The only supported monitor has run since codes were cleared."),
            (
                [.catalyst], 8,
                "1 of 8 supported monitors has not run since codes were cleared: Catalyst."
            ),
            (
                [.misfire, .catalyst], 3,
                "2 of 3 supported monitors have not run since codes were cleared: Misfire, Catalyst."
            ),
        ] as [([MonitorStatus.Monitor], Int, String)])
    func `states what has not run, and no verdict`(
        incomplete: [MonitorStatus.Monitor], supported: Int, words: String
    ) {
        #expect(Readiness.sentence(incomplete: incomplete, of: supported) == words)
    }

    /// US EPA, 40 CFR 85.2222 (c).
    @Test(
        arguments: [
            (
                [.evaporative], 2010,
                ["US EPA (40 CFR 85.2222): enough have run; it allows 1 incomplete monitor."]
            ),
            (
                [.evaporative, .catalyst], nil,
                ["US EPA (40 CFR 85.2222): too many have not run; it allows 1 incomplete monitor."]
            ),
            (
                [.evaporative, .catalyst], 1998,
                ["US EPA (40 CFR 85.2222): enough have run; it allows 2 incomplete monitors."]
            ),
            ([.catalyst], 1990, []),
        ] as [([MonitorStatus.Monitor], Int?, [String])])
    func `the rule of each region is named with what it makes of the monitors`(
        incomplete: [MonitorStatus.Monitor], year: Int?, words: [String]
    ) throws {
        let rules = try PIDTables.monitorTables().readiness.rules(modelYear: year)
        #expect(
            Readiness.verdicts(incomplete: incomplete, by: rules)
                == words + ["Other inspections have other rules."])
    }
}
