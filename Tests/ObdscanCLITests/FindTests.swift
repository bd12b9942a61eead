import Foundation
import Testing

@Suite struct `Find` {
    private struct Object: Decodable {
        var kind: String
        var result, ecu, bits, order, certainty, table, unit: String?
        var scale, offset, lagSeconds: Double?
        var checked: Bool?
    }

    /// The speed of a drive that goes up and down; unit: km/h.
    private func speed(_ time: Double, _ seed: Double) -> Double {
        max(0, 50 + 30 * sin(time / (7 + seed)) + 25 * sin(time / 3.1 + seed))
    }

    /// A log of candump with the speed in bytes C and D of 1A0, beside a counter, and the engine speed in 0C9.
    private func log(_ seed: Double = 0) -> String {
        var lines: [String] = []
        for step in 0..<4_000 {
            let time = Double(step) * 0.02
            let raw = Int((speed(time, seed) * 100).rounded())
            let engine = Int((900 + 700 * abs(sin(time / 5 + 1))) * 4)
            let clock = String(format: "(%.6f) can0 ", 1_700_000_000 + time)
            lines.append(
                clock + String(format: "1A0#%02X00%04X0000FF7F", step % 16 << 4, raw))
            lines.append(clock + String(format: "0C9#0084%04X00000000", engine))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Whole kilometres per hour each second, 0.3 s late.
    private func known(_ seed: Double = 0, heading: String = "Speed (km/h)", factor: Double = 1)
        -> String
    {
        var lines = ["time,\(heading)"]
        for second in 2..<78 {
            let value = (speed(Double(second) - 0.3, seed) * factor).rounded()
            lines.append("\(second),\(Int(value))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func run(
        _ files: [String: String], _ arguments: [String]
    ) throws -> (status: Int32, objects: [Object], output: String, error: String) {
        let program = try Program()
        defer { program.remove() }
        for (name, text) in files {
            try text.write(
                to: program.home.appendingPathComponent(name), atomically: true, encoding: .utf8)
        }
        let found = try program.run(
            arguments.map { files[$0] == nil ? $0 : program.home.appendingPathComponent($0).path })
        let objects =
            arguments.contains("--json")
            ? try found.output.split(separator: "\n").map {
                try JSONDecoder().decode(Object.self, from: Data($0.utf8))
            } : []
        return (found.status, objects, found.output, found.errors)
    }

    @Test func `the speed is found with its bits, formula, unit and delay`() throws {
        let found = try run(
            ["bus.log": log(), "obd.csv": known()],
            ["find", "speed", "--in", "bus.log", "--known", "obd.csv", "--json"])
        #expect(found.status == 0)
        #expect(found.objects.map(\.kind) == ["signalSearch", "signalCandidate"])
        let best = try #require(found.objects.last)
        #expect(best.ecu == "1A0" && best.bits == "C..D" && best.order == "big")
        #expect(best.scale == 0.01 && best.offset == 0 && best.unit == "km/h")
        #expect(abs((best.lagSeconds ?? 0) - 0.3) < 0.1)
    }

    @Test func `values in mph give a metric row`() throws {
        let values = known(heading: "Speed (mph)", factor: 1 / 1.609344)
        let found = try run(
            ["bus.log": log(), "obd.csv": values],
            ["find", "speed", "--in", "bus.log", "--known", "obd.csv", "--json"])
        #expect(found.objects.last?.scale == 0.01)
        #expect(found.objects.last?.unit == "km/h")
    }

    @Test func `the printed table decodes the log`() throws {
        let program = try Program()
        defer { program.remove() }
        let paths = ["bus.log", "obd.csv", "speed.pids"].map {
            program.home.appendingPathComponent($0)
        }
        try log().write(to: paths[0], atomically: true, encoding: .utf8)
        try known().write(to: paths[1], atomically: true, encoding: .utf8)
        let table = try program.run(
            ["find", "speed", "--in", paths[0].path, "--known", paths[1].path])
        try table.output.write(to: paths[2], atomically: true, encoding: .utf8)
        #expect(try program.run(["pids", "lint", paths[2].path]).status == 0)
        let decoded = try program.run(
            ["decode", "--table", paths[2].path, "--json", paths[0].path])
        // 50 + 25 × sin 0 at the start.
        #expect(decoded.output.contains(#""signal":"speed""#))
        #expect(decoded.output.contains(#""value":50,"#))
    }

    @Test func `a course of values from another drive finds no signal`() throws {
        let found = try run(
            ["bus.log": log(), "obd.csv": known(2)],
            ["find", "speed", "--in", "bus.log", "--known", "obd.csv", "--json"])
        #expect(found.status == 65)
        #expect(found.objects.map(\.result) == ["nothing"])
        #expect(found.error.contains("nothing found"))
    }

    @Test func `the error names values that do not change and values at other times`() throws {
        let still = "time,speed\n" + (2..<60).map { "\($0),\($0 % 2)\n" }.joined()
        let one = try run(
            ["bus.log": log(), "obd.csv": still],
            ["find", "speed", "--in", "bus.log", "--known", "obd.csv", "--json"])
        #expect(one.status == 65 && one.objects.map(\.result) == ["tooLittleMovement"])
        #expect(one.error.contains("drive faster and slower"))
        let late =
            "time,speed\n"
            + (0..<60).map { "2026-01-01T00:00:\($0 + 10)Z,\($0)\n" }
            .prefix(40).joined()
        let other = try run(
            ["bus.log": log(), "obd.csv": late],
            ["find", "speed", "--in", "bus.log", "--known", "obd.csv", "--json"])
        #expect(other.status == 65 && other.objects.map(\.result) == ["notInLog"])
    }

    @Test func `a second drive confirms the row that find printed`() throws {
        let found = try run(
            ["a.log": log(), "a.csv": known(), "b.log": log(1), "b.csv": known(1)],
            [
                "find", "speed", "--in", "a.log", "--known", "a.csv", "--check", "b.log",
                "--check-known", "b.csv", "--json",
            ])
        #expect(found.objects.last?.checked == true)
    }

    @Test func `a search leaves out the bits that a table describes`() throws {
        let table = "record CAN:1A0 1..8 : Known\n  signal V C..D scale 0.01 unit km/h : Speed\n"
        let found = try run(
            ["bus.log": log(), "obd.csv": known(), "car.pids": table],
            [
                "find", "speed", "--in", "bus.log", "--known", "obd.csv", "--table", "car.pids",
                "--json",
            ])
        #expect(found.status == 65)
    }

    @Test func `the error for a missing column lists the existing columns`() throws {
        let program = try Program()
        defer { program.remove() }
        let paths = ["bus.log", "obd.csv"].map { program.home.appendingPathComponent($0) }
        try log().write(to: paths[0], atomically: true, encoding: .utf8)
        try known().write(to: paths[1], atomically: true, encoding: .utf8)
        let found = try program.run(
            ["find", "x", "--in", paths[0].path, "--known", paths[1].path + ":RPM"])
        #expect(found.status == 64)
        #expect(found.errors.contains("Speed (km/h)"))
    }
}
