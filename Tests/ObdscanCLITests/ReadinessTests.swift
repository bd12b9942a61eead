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

    /// The sentence and `pids/monitors/readiness.tsv` say the same.
    @Test func `the rule that is named is the one of the tables`() throws {
        let rules = try PIDTables.monitorTables().readiness
        #expect(rules.rules.map(\.firstYear) == [1996, 2001])
        let (old, new) = (
            rules.allowedIncomplete(modelYear: 2000), rules.allowedIncomplete(modelYear: 2001)
        )
        #expect(
            Readiness.rule[0].contains(
                "\(new) incomplete monitor (model years 1996 to 2000: \(old))"))
    }
}
