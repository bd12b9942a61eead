import Foundation
import Testing

/// Eight of `scripts/kill`'s rounds; two hundred are in docs/reliability.md.
@Suite(.ownThreads) struct `Killed while logging` {
    @Test func `the database is whole, and at most the last commits are lost`() async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../scripts/kill").standardized.path
        let workplace = try Workplace()
        let environment = workplace.environment.merging(["OBDSCAN": Workplace.program]) { $1 }
        // A machine that runs all tests at once commits slowly. Four of them live longer than that.
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
