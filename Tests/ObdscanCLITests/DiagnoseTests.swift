import Foundation
import Testing

@Suite struct `Diagnose` {
    private struct Finding: Decodable {
        var kind: String
        var verdict, feature, side: String?
        var value, seconds: Double?
    }

    /// A log of twenty minutes: three at idle, then steady driving, with these corrections.
    private func log(idle: Double, cruise: Double) -> String {
        var lines = ["time,RPM (rpm),VSS (km/h),ECT (°C),SHRTFT1 (%),LONGFT1 (%),VPWR (V)"]
        for second in 0..<1_200 {
            let isIdle = second < 300
            let minutes = String(format: "%02d:%02d", second / 60, second % 60)
            let short = [-1.5, 0.8, 1.6, -0.8][second % 4]
            let volts = 13.7 + Double(second % 3) / 100
            lines.append(
                "2026-01-01T10:\(minutes)Z,\(isIdle ? 780 + second % 9 : 2_300),\(isIdle ? 0 : 90),"
                    + "\(88 + second % 2),\(short),\(isIdle ? idle : cruise),\(volts)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func diagnose(_ text: String, _ more: [String]) throws -> (
        status: Int32, findings: [Finding], output: String
    ) {
        let program = try Program()
        defer { program.remove() }
        let file = program.home.appendingPathComponent("drive.csv")
        try text.write(to: file, atomically: true, encoding: .utf8)
        let database = ["--db", program.database.path]
        #expect(try program.run(["import", file.path] + database).status == 0)
        let outcome = try program.run(
            ["diagnose", "--trip", "last", "--exit-code"] + more + database)
        let findings =
            more.contains("--json")
            ? try outcome.output.split(separator: "\n").map {
                try JSONDecoder().decode(Finding.self, from: Data($0.utf8))
            } : []
        return (outcome.status, findings, outcome.output)
    }

    @Test func `an imported healthy drive has nothing odd`() throws {
        let found = try diagnose(log(idle: -1.5, cruise: 0), ["--json"])
        #expect(found.status == 0)
        #expect(found.findings.first?.verdict == "nothing")
        let idle = try #require(found.findings.first { $0.feature == "trim.idle" })
        #expect(idle.side == "against" && abs((idle.value ?? 0) + 1.5) < 0.5)
        // Idle counts after two minutes and ten seconds.
        #expect(abs((idle.seconds ?? 0) - 170) < 5)
    }

    @Test func `a correction at idle that no healthy vehicle has is off`() throws {
        let found = try diagnose(log(idle: 34, cruise: 6), ["--json"])
        #expect(found.status == 1)
        #expect(found.findings.first?.verdict == "unclear")
        #expect(found.findings.first { $0.feature == "trim.idle" }?.side == "for")
        let text = try diagnose(log(idle: 34, cruise: 6), []).output
        #expect(text.contains("Something is off, but these readings do not say what."))
        #expect(text.contains("fuel correction at idle"))
        #expect(text.contains("needs MAP, BARO"))
    }
}
