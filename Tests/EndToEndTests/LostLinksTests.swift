import Foundation
import Testing

/// Runs a small part of `scripts/links`.
///
/// The results of long runs are in docs/reliability.md.
@Suite(.ownThreads) struct `Links lost again and again` {
    @Test(arguments: ["--pty", "--tcp", "--unix", "--slcan", "--doip"])
    func `after lost links no reading is missing and none is stored twice`(link: String)
        async throws
    {
        let outcome = try await run(["--answers", "5", "--several", "0", link, "12"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.output.contains("60 readings answered, 60 read, 60 kept, 0 twice"), "\(outcome)"
        )
    }

    @Test
    func `after lost links of several adapters, memory and descriptors do not grow`() async throws {
        let outcome = try await run(
            ["--pty", "0", "--tcp", "0", "--several", "4", "--seconds", "12"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("several: 4 adapters"), "\(outcome)")
    }

    private func run(_ arguments: [String]) async throws -> Outcome {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../scripts/links").standardized.path
        let workplace = try Workplace()
        let environment = workplace.environment.merging(["OBDSCAN": Workplace.program]) { $1 }
        return try await RunningProgram(
            "/usr/bin/env", ["python3", script] + arguments, environment: environment
        ).finish(within: 120)
    }
}
