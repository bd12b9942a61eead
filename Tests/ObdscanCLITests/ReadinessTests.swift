import Diagnostics
import Formats
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
    func `the text says which monitors have not run, and gives no verdict`(
        incomplete: [MonitorStatus.Monitor], supported: Int, words: String
    ) {
        #expect(Readiness.sentence(incomplete: incomplete, of: supported) == words)
    }
}
