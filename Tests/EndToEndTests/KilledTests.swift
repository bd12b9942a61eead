import Foundation
import Testing

/// Runs eight rounds of `scripts/kill`.
///
/// docs/reliability.md has the result of two hundred.
@Suite(.ownThreads) struct `Killed while logging` {
    @Test
    func `after a kill the database is intact, and at most the last commits are lost`() async throws
    {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../scripts/kill").standardized.path
        let workplace = try Workplace()
        let environment = workplace.environment.merging(["OBDSCAN": Workplace.program]) { $1 }
        // A machine that runs all tests at once commits slowly. Four of the processes live longer
        // than a commit takes.
        let outcome = try await RunningProgram(
            "/usr/bin/env",
            [
                "python3", script, "--count", "8", "--seed", "7", "--longest", "6", "--slack", "2",
            ],
            environment: environment
        ).finish(within: 240)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("8 kills"), "\(outcome)")
    }
}
