import Foundation
import Testing

/// Recordings of honest and of doctored vehicles, each declared with its truth in `used_cars.py`.
@Suite(.ownThreads) struct `Used cars, replayed` {
    @Test func `an honest vehicle has no contradiction, and a doctored one is noticed`()
        async throws
    {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("used_cars.py").path
        let workplace = try Workplace()
        let outcome = try await RunningProgram(
            "/usr/bin/env", ["python3", script, Workplace.program],
            environment: workplace.environment
        ).finish(within: 240)
        #expect(outcome.status == 0, "\(outcome)")
    }
}
