import Foundation
import Testing

/// doipclient and udsoncan test a simulated DoIP gateway.
@Suite struct `Foreign DoIP testers` {
    private static let python = ProcessInfo.processInfo.environment["OBDSCAN_PEERS"].map {
        $0 + "/python"
    }

    @Test(.enabled(if: python != nil, "OBDSCAN_PEERS is not set: run scripts/setup peers"))
    func `other testers find the vehicle's values`() throws {
        let served = try ServedVehicle([
            "petrol?frozen=true&latency=2ms&vin=WXXBD2DA8MX000077&codes=P0301,P0420", "--doip",
            "127.0.0.1:0",
        ])
        let port = try #require(served.address.split(separator: ":").last)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.python ?? "")
        process.arguments = [
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("doip_client.py").path, "127.0.0.1", String(port),
        ]
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        let words = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(String(decoding: words, as: UTF8.self))")
        let found = try #require(
            try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        // ISO 13400-2: an announcement has 33 bytes, with the VIN and the address 1000.
        let vin = "WXXBD2DA8MX000077".utf8.map { String(format: "%02x", $0) }.joined()
        #expect((found["identity"] as? String)?.hasPrefix("02fd000400000021\(vin)1000") == true)
        #expect(found["entity"] as? String == "02fd40020000000700010000000fff")
        #expect(found["power"] as? String == "02fd40040000000101")
        #expect(found["entityClass"] as? String == "EntityStatusResponse")
        #expect(found["vin"] as? String == "WXXBD2DA8MX000077")
        #expect(found["session"] as? Int == 3)
        #expect((found["codes"] as? [String])?.contains { $0.hasPrefix("0301") } == true)
        #expect(found["refused"] as? Int == 0x31)
        #expect(found["unknown"] as? String != nil)
        #expect(found["stranger"] as? String != nil)
        #expect(served.stop() == 0)
    }
}
