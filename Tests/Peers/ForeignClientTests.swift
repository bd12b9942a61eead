import Foundation
import Simulator
import Testing

/// The Python of the peers' virtual environment, which `scripts/test` creates; nil without it.
private let python = ProcessInfo.processInfo.environment["OBDSCAN_PEERS"].map { $0 + "/python" }

@Suite struct `Foreign clients` {
    private static let vehicle =
        "frozen=true&latency=2ms&search=50ms&vin=WXXBD2DA8MX000077&codes=P0301,P0420,U0100&pending=P0171"

    /// python-OBD must read exactly the values that the simulator sends.
    @Test(
        .enabled(if: python != nil, "OBDSCAN_PEERS is not set: run scripts/setup peers"),
        arguments: [
            ("--tcp", "petrol?"), ("--pty", "petrol?"), ("--pty", "petrol?personality=stn&"),
            ("--pty", "petrol?personality=clone-1.5&"), ("--pty", "diesel?"), ("--pty", "hybrid?"),
            ("--pty", "petrol?protocol=3&"), ("--pty", "petrol?protocol=5&"),
            ("--pty", "petrol?protocol=2&"),
        ])
    func `python-OBD reads the vehicle's values`(place: String, scenario: String) throws {
        let text = scenario + Self.vehicle
        let link = NSTemporaryDirectory() + "obdscan-\(UUID().uuidString)"
        let log = link + ".requests"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let served = try ServedVehicle(
            (place == "--tcp" ? ["--tcp", "0"] : ["--pty", "--link", link]) + [
                text, "--requests", log,
            ])
        // python-OBD skips its search for a line rate only if it gets the real name of a pty.
        let address =
            place == "--tcp"
            ? "socket://" + served.address.dropFirst("tcp:".count)
            : try FileManager.default.destinationOfSymbolicLink(atPath: served.address)
        #expect(address.hasPrefix(place == "--tcp" ? "socket://127.0.0.1:" : "/dev/pts/"))
        let expectation = try Expectation(SimulatorOptions(text), address: address)
        let (output, status) = try Self.runPython(expectation)
        #expect(status == 0, "python-OBD disagrees:\n\(output)")
        #expect(served.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: link))
        let requests = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(requests.count > 15)
        #expect(requests.allSatisfy { $0.split(separator: " ").count == 2 })
    }

    private static func runPython(_ expectation: Expectation) throws -> (
        output: String, status: Int32
    ) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python ?? "")
        process.arguments = [
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("python_obd.py").path
        ]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(expectation))
        try input.fileHandleForWriting.close()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: text, as: UTF8.self), process.terminationStatus)
    }
}
