import Foundation
import Testing

/// `scripts/network`, whole: adapters that vanish or restart in networks of their own.
@Suite(.ownThreads) struct `A network that loses its adapter` {
    @Test func `is noticed, and the trip goes on when the adapter is back`() async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../scripts/network").standardized.path
        let workplace = try Workplace()
        let environment = workplace.environment.merging(
            ["OBDSCAN": Workplace.program, "PATH": "/usr/sbin:/sbin:/usr/bin:/bin"]
        ) { $1 }
        let outcome = try await RunningProgram(
            "/usr/bin/env", ["python3", script], environment: environment
        ).finish(within: 240)
        // 77: no network namespaces here, as in most containers; said so.
        if outcome.status == 77 {
            #expect(outcome.output.contains("skipped: namespaces cannot be had"), "\(outcome)")
            return
        }
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.split(separator: "\n").count { $0.hasPrefix("ok") } == 4)
    }
}
