import Foundation
import Testing

/// `doctor` with a fault at each point between the cable and the engine.
@Suite(.ownThreads) struct `The doctor` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private func checks(
        _ device: String, _ arguments: [String] = [], status: Int32 = 0
    ) async throws -> [[String: Any]] {
        let outcome = try await workplace.run(
            ["doctor", "--format", "json", "-d", device] + arguments)
        #expect(outcome.status == status, "\(outcome)")
        return try outcome.objects()
    }

    @Test func `a working vehicle is checked up to the engine`() async throws {
        let checks = try await checks("sim:petrol?frozen=true&latency=2ms")
        #expect(
            checks.map { $0["step"] as? String } == [
                "address", "link", "adapter", "voltage", "vehicle", "ecus", "engine",
            ])
        #expect(checks.allSatisfy { $0["ok"] as? Bool == true })
        #expect(checks[5]["found"] as? String == "7E8, 7E9")
    }

    @Test(arguments: [
        ("/dev/ttyNoSuchThing", "device", 69), ("tcp:127.0.0.1:9", "link", 69),
        ("tcp:no-such-host.invalid:35000", "network", 69),
        ("sim:petrol?ignition=off&search=10ms", "vehicle", 69),
    ])
    func `the doctor names the first fault and its fix`(
        device: String, step: String, status: Int
    ) async throws {
        let checks = try await checks(device, status: Int32(status))
        let last = try #require(checks.last)
        #expect(last["step"] as? String == step)
        #expect(last["ok"] as? Bool == false)
        #expect(try #require(last["fix"] as? String).isEmpty == false)
        #expect(checks.dropLast().allSatisfy { $0["ok"] as? Bool == true })
    }

    /// Something answers, but it is not an adapter.
    @Test(arguments: [
        ("?\r\r>", "answers \"?\" to every command", "obdscan devices"),
        (
            "HTTP/1.1 400 Bad Request\r\nServer: nginx\r\nConnection: close\r\n\r\n",
            "this is a web page, not an adapter", "adapters listen on 35000"
        ),
    ])
    func `a device that is not an adapter is refused`(
        answer: String, found: String, fix: String
    ) async throws {
        let device = try ScriptedAdapter(.tcp) { _ in .say(answer) }
        let last = try #require(try await checks(device.address, status: 69).last)
        #expect(last["step"] as? String == "adapter" && last["ok"] as? Bool == false, "\(last)")
        #expect((last["found"] as? String)?.contains(found) == true, "\(last)")
        #expect((last["fix"] as? String)?.contains(fix) == true, "\(last)")
        let setup = try await workplace.run(["setup", "-d", device.address])
        #expect(setup.status == 69, "\(setup)")
        #expect(setup.output.contains(found) && !setup.output.contains("Saved "), "\(setup)")
    }

    /// The adapter answers, and the vehicle does not.
    @Test func `a vehicle that does not answer is a fault`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            .say(line.text.hasPrefix("0100") ? "NO DATA\r\r>" : PlainAdapter.answer(line.text))
        }
        let checks = try await checks(adapter.address, status: 75)
        let last = try #require(checks.last)
        #expect(last["step"] as? String == "vehicle" && last["ok"] as? Bool == false)
    }

    /// A 12 V battery has 12.7 V when full and less than 11.8 V when empty.
    ///
    /// While it charges, it has more than 13 V.
    @Test(arguments: [
        ("11.5V", "the battery is low"), ("12.4V", "12.4 V at the adapter"),
        ("27.6V", "27.6 V at the adapter"), ("14.1V", "charging"),
        ("0.0V", "does not measure"),
    ])
    func `the voltage shows the state of the battery`(voltage: String, words: String) async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            .say(line.text == "ATRV" ? "\(voltage)\r\r>" : PlainAdapter.answer(line.text))
        }
        let checks = try await checks(adapter.address)
        let found = checks.first { $0["step"] as? String == "voltage" }?["found"] as? String
        #expect(found?.contains(words) == true, "\(checks)")
    }

    @Test(arguments: [
        ("elm327", "genuine"), ("elm327-1.4b", "genuine"), ("stn", "stn"), ("clone-1.5", "clone"),
        ("clone-2.1", "clone"), ("golink", "unknown"),
    ])
    func `an adapter's grade depends on its answers`(
        personality: String, grade: String
    ) async throws {
        let device = "sim:petrol?frozen=true&latency=1ms&personality=\(personality)"
        let checks = try await checks(device, ["--adapter"])
        let last = try #require(checks.last)
        #expect(last["kind"] as? String == "adapterGrade")
        #expect(last["grade"] as? String == grade, "\(last)")
        #expect(last["headers"] as? Bool == true)
        #expect(
            last["recordsPerRequest"] as? Int == (personality == "clone-2.1" ? 1 : 6), "\(last)")
        #expect(last["readingsPerSecond"] as? Double ?? 0 > 10, "\(last)")
    }
}

/// `report` contains everything that helps, and no personal data.
@Suite(.ownThreads) struct `The report` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    @Test(arguments: ["6", "7", "3", "5", "1"])
    func `the report has findings and conversation, and no VIN in any form`(
        vehicleProtocol: String
    ) async throws {
        let vin = "1HGCM82633A004352"
        let device = "sim:petrol?latency=1ms&vin=\(vin)&protocol=\(vehicleProtocol)"
        let path = workplace.path("report.txt")
        let outcome = try await workplace.run(["report", "-d", device, "--to", path])
        #expect(outcome.status == 0, "\(outcome)")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("\"step\":\"engine\""))
        #expect(text.contains("adapterGrade"))
        #expect(text.contains("obdscan-transcript 1"))
        #expect(text.contains("> 0902"))
        #expect(!text.uppercased().contains(vin))
        // Times have six digits after the point. These digits could look like a part of the VIN, so remove
        // them.
        let digits = text.replacing(/[0-9]+\.[0-9]+/, with: "_").uppercased()
            .filter { $0 != " " }
        let bytes = Array(vin.utf8)
        for start in 0...(bytes.count - 3) {
            let piece = bytes[start..<(start + 3)].map { String(format: "%02X", $0) }.joined()
            #expect(!digits.contains(piece), "\(piece)")
        }
    }

    @Test func `the report describes an adapter that does not answer, too`() async throws {
        let outcome = try await workplace.run(["report", "-d", "/dev/ttyNoSuchThing"])
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.output.contains("\"step\":\"device\",\"ok\":false"))
        #expect(outcome.output.contains("(nothing was said)"))
        let unknown = try await workplace.run(["report", "-d", "nosuchname"])
        #expect(unknown.status == 64, "\(unknown)")
        #expect(unknown.output.contains("\"step\":\"address\",\"ok\":false"))
        #expect(unknown.errors.contains("no device is called \"nosuchname\""))
    }
}
