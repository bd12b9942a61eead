import Foundation
import Testing

@Suite struct `Diagnose` {
    private struct Finding: Decodable {
        var kind: String
        struct Code: Decodable { var code, status: String }
        var verdict, feature, side, cause, drive, next, prior: String?
        var codes: [Code]?
        var lamp: Bool?
        var value, seconds, probability: Double?
    }

    /// A log of twenty minutes: three at idle, then steady driving, with these corrections.
    private func log(idle: Double, cruise: Double, coolant: Int = 88) -> String {
        var lines = ["time,RPM (rpm),VSS (km/h),ECT (°C),SHRTFT1 (%),LONGFT1 (%),VPWR (V)"]
        for second in 0..<1_200 {
            let isIdle = second < 300
            let minutes = String(format: "%02d:%02d", second / 60, second % 60)
            let short = [-1.5, 0.8, 1.6, -0.8][second % 4]
            let volts = 13.7 + Double(second % 3) / 100
            lines.append(
                "2026-01-01T10:\(minutes)Z,\(isIdle ? 780 + second % 9 : 2_300),\(isIdle ? 0 : 90),"
                    + "\(coolant + second % 2),\(short),\(isIdle ? idle : cruise),\(volts)")
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

    @Test func `an imported healthy drive has no finding`() throws {
        let found = try diagnose(log(idle: -1.5, cruise: 0), ["--json"])
        #expect(found.status == 0)
        #expect(found.findings.first?.verdict == "nothing")
        let idle = try #require(found.findings.first { $0.feature == "trim.idle" })
        #expect(idle.side == "against" && abs((idle.value ?? 0) + 1.5) < 0.5)
        // Idle counts after two minutes and ten seconds.
        #expect(abs((idle.seconds ?? 0) - 170) < 5)
    }

    @Test func `a fuel correction that no healthy vehicle has at idle is reported`() throws {
        let found = try diagnose(log(idle: 34, cruise: 6), ["--json"])
        #expect(found.status == 1)
        #expect(found.findings.first?.verdict == "unclear")
        #expect(found.findings.first { $0.feature == "trim.idle" }?.side == "for")
        let text = try diagnose(log(idle: 34, cruise: 6), []).output
        #expect(text.contains("Something is off, but these readings do not say what."))
        #expect(text.contains("fuel correction at idle"))
        #expect(text.contains("record MAP, BARO"))
    }

    /// A sensor that reads too hot shows the same: the heat is named first, because it destroys the engine.
    @Test func `overheating is the first cause of a hot drive, with evidence and advice`()
        throws
    {
        let found = try diagnose(log(idle: -1, cruise: 0, coolant: 124), ["--json"])
        #expect(found.status == 1)
        #expect(found.findings.first?.verdict == "several")
        let causes = found.findings.filter { $0.kind == "cause" }
        #expect(causes.map(\.cause) == ["overheating", "ect-offset"])
        #expect(causes.first?.drive == "stop" && causes.allSatisfy { ($0.probability ?? 1) < 1 })
        let heat = try #require(found.findings.first { $0.feature == "ect.max" })
        #expect(heat.side == "for" && heat.value == 124)
        let text = try diagnose(log(idle: -1, cruise: 0, coolant: 124), []).output
        #expect(text.contains("Driving on: stop now"))
        #expect(text.contains("Next: Let it cool before you open anything"))
    }

    /// The simulated vehicle has two stored codes, a pending one and its light on.
    @Test func `the codes of a trip and the light are evidence`() throws {
        let program = try Program()
        defer { program.remove() }
        let database = ["--db", program.database.path]
        let vehicle = ["-d", "sim:petrol?frozen=true&latency=0"]
        let recorded = try program.run(
            ["log", "rpm", "--duration", "1s"] + vehicle + database)
        #expect(recorded.status == 0)
        let outcome = try program.run(["diagnose", "--trip", "last", "--json"] + database)
        let first = try #require(outcome.output.split(separator: "\n").first)
        let found = try JSONDecoder().decode(Finding.self, from: Data(first.utf8))
        #expect(found.verdict == "unclear" && found.prior == "code" && found.lamp == true)
        #expect(found.codes?.map(\.code) == ["P0301", "P0420", "P0171"])
        #expect(found.codes?.map(\.status) == ["stored", "stored", "pending"])
        let text = try program.run(["diagnose", "--trip", "last"] + database).output
        #expect(text.contains("P0301 and P0420 are stored; P0171 is pending"))
    }

    /// The simulated car stands for ten seconds and then drives off.
    @Test func `a vehicle that drives off ends the parked test, and its trip is kept`() throws {
        let program = try Program()
        defer { program.remove() }
        let vehicles = Program.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("vehicles")
        let petrol = try String(
            contentsOf: vehicles.appendingPathComponent("petrol.vehicle"), encoding: .utf8)
        let car = try program.file("car.vehicle", petrol + "drive 10s 0 4s 40 60s 40 5s 0\n")
        let database = ["--db", program.database.path]
        let vehicle = ["-d", "sim:\(car)?latency=2ms"]
        let outcome = try program.run(["diagnose", "--parked", "--json"] + vehicle + database)
        #expect(outcome.status == 75, "\(outcome)")
        let steps = outcome.objects.filter { $0["kind"] as? String == "step" }
        #expect(steps.count == 7 && steps.first?["step"] as? String == "park")
        #expect(steps.first?["done"] as? Bool == true)
        #expect(steps.dropFirst().allSatisfy { $0["skipped"] as? String == "ended" })
        #expect(outcome.objects.count { $0["kind"] as? String == "diagnosis" } == 1)
        #expect(outcome.objects.contains { $0["kind"] as? String == "battery" })
        #expect(outcome.errors.contains("The vehicle moves. The test ends."))
        // The same trip again gives the same verdict, and its notes name the steps.
        let again = try program.run(["diagnose", "--trip", "latest", "--json"] + database)
        let first = outcome.objects.first { $0["kind"] as? String == "diagnosis" }
        #expect(again.objects.first?["text"] as? String == first?["text"] as? String)
        let battery = try program.run(["diagnose", "--trip", "latest", "--battery"] + database)
        #expect(battery.status == 0 && battery.output.contains("engine running"))
        let trip = try program.run(["export", "1", "--format", "json"] + database)
        let notes = trip.objects.filter { $0["kind"] as? String == "note" }
        #expect(notes.compactMap { $0["text"] as? String }.contains("test: parked"))
    }

    @Test func `the voltage alone is read as often as asked, until its time is over`() throws {
        let program = try Program()
        defer { program.remove() }
        let outcome = try program.run([
            "live", "ADAPTER_VOLTAGE@20Hz", "--duration", "2s", "--json", "-d", "sim:?latency=0",
        ])
        let readings = outcome.objects.filter { $0["signal"] as? String == "ADAPTER_VOLTAGE" }
        // A loaded machine may be slower, but never faster.
        #expect((10...41).contains(readings.count), "\(readings.count)")
        let summary = outcome.objects.last { $0["kind"] as? String == "summary" }
        let seconds = summary?["seconds"] as? Double ?? 0
        #expect(seconds > 1 && seconds <= 2.1, "\(outcome)")
    }

    @Test func `Ctrl-C breaks a test off, and each sentence is one argument of the voice`() throws {
        let program = try Program()
        defer { program.remove() }
        let said = program.home.appendingPathComponent("said.txt").path
        let voice = try program.file("voice", "#!/bin/sh\necho \"$#|$2\" >> '\(said)'\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: voice)
        let outcome = try program.run(
            [
                "diagnose", "--say", "\(voice) -w", "-d", "sim:?latency=2ms&engine=off", "--db",
                program.database.path,
            ], until: "Ctrl-C ends the test")
        #expect(outcome.status == 75, "\(outcome)")
        #expect(outcome.output.contains("The test was broken off: Ctrl-C, or another signal."))
        let lines = try String(contentsOfFile: said, encoding: .utf8).split(separator: "\n")
        #expect(lines.first == "2|Park outdoors, handbrake on, P or neutral.")
        let trips = try program.run(["trips", "--json", "--db", program.database.path])
        #expect(trips.objects.count == 1 && trips.objects.first?["open"] as? Bool == false)
    }

    @Test func `causes are listed and explained without a vehicle`() throws {
        let program = try Program()
        defer { program.remove() }
        let list = try program.run(["diagnose", "causes"])
        #expect(list.status == 0 && list.output.contains("vacuum-leak"))
        let one = try program.run(["diagnose", "causes", "vacuum-leak"])
        #expect(one.output.contains("Must") && one.output.contains("Next test"))
        #expect(try program.run(["diagnose", "causes", "nonsense"]).status == 64)
    }

    @Test func `a user's own causes are checked, and replace built-in causes`() throws {
        let program = try Program()
        defer { program.remove() }
        let folder = program.home.appendingPathComponent("obdscan/causes")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("mine.causes")
        let text = """
            cause overcharging : My own name
              expect v.run + 2
              must v.run above 16
              next : Look.
              drive soon
              source 1

            """
        try text.write(to: file, atomically: true, encoding: .utf8)
        #expect(try program.run(["pids", "lint", file.path]).status == 0)
        #expect(try program.run(["diagnose", "causes"]).output.contains("My own name"))
        try text.replacing("v.run + 2", with: "v.nonsense + 2")
            .write(to: file, atomically: true, encoding: .utf8)
        #expect(try program.run(["pids", "lint", file.path]).status == 65)
        #expect(!(try program.run(["diagnose", "causes"]).output.contains("My own name")))
    }
}
