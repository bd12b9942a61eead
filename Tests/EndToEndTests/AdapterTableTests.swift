import Foundation
import Testing

/// Runs a part of `scripts/adapters`.
///
/// A run of the whole script wrote the table in docs/adapters.md.
@Suite(.ownThreads) struct `docs/adapters.md` {
    /// Every link, adapters of different dialects, and faults of each kind.
    @Test(arguments: [
        ["golink", "--only", "read"], ["clone-nul", "--only", "dtc"], ["cable pulled"],
    ])
    func `docs/adapters.md matches the grades of the program`(words: [String]) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../scripts/adapters").standardized.path
        let workplace = try Workplace()
        let environment = workplace.environment.merging(["OBDSCAN": Workplace.program]) { $1 }
        let outcome = try await RunningProgram(
            "/usr/bin/env", ["python3", script, "--check"] + words, environment: environment
        ).finish(within: 240)
        #expect(outcome.status == 0, "\(outcome)")
    }
}
