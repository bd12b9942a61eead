import Foundation
import Testing

/// A small share of `scripts/soak`; the long run is in docs/reliability.md.
@Suite(.ownThreads) struct `Links lost again and again` {
    @Test(arguments: [["--pty", "12", "--tcp", "0"], ["--pty", "0", "--tcp", "12"]])
    func `lose no reading and store none twice`(links: [String]) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../scripts/soak").standardized.path
        let workplace = try Workplace()
        let environment = workplace.environment.merging(["OBDSCAN": Workplace.program]) { $1 }
        let outcome = try await RunningProgram(
            "/usr/bin/env", ["python3", script, "--answers", "5"] + links,
            environment: environment
        ).finish(within: 120)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("60 readings answered, 60 kept, 0 twice"), "\(outcome)")
    }
}
