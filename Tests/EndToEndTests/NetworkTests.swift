import Foundation
import Testing

/// Runs the whole `scripts/network`: adapters in their own networks vanish or restart.
@Suite(.ownThreads) struct `A network that loses its adapter` {
    /// Whether the machine allows a namespace with the options that the script uses.
    private static let isPossible: Bool = {
        let trial = Process()
        trial.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        trial.arguments = (geteuid() == 0 ? [] : ["-r"]) + ["-n", "ip", "link", "set", "lo", "up"]
        trial.environment = ["PATH": "/usr/sbin:/sbin:/usr/bin:/bin"]
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return false }
        trial.waitUntilExit()
        return trial.terminationStatus == 0
    }()

    @Test(.enabled(if: Self.isPossible, "no network namespaces here (unshare -n, ip)"))
    func `a lost network adapter is noticed, and the trip continues when it returns`() async throws
    {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../scripts/network").standardized.path
        let workplace = try Workplace()
        let environment = workplace.environment.merging(
            ["OBDSCAN": Workplace.program, "PATH": "/usr/sbin:/sbin:/usr/bin:/bin"]
        ) { $1 }
        let outcome = try await RunningProgram(
            "/usr/bin/env", ["python3", script], environment: environment
        ).finish(within: 240)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.split(separator: "\n").count { $0.hasPrefix("ok") } == 4)
    }
}
