import Foundation
import Testing

@testable import ObdscanCLI

@Suite struct HistoryTests {
    @Test func `codes and monitor tests have a history`() throws {
        let program = try Program()
        defer { program.remove() }
        let database = program.home.appendingPathComponent("h.db").path
        let vehicle = "sim:?latency=0&frozen=true"
        for _ in 0..<2 {
            #expect(try program.run(["dtc", "list", "--db", database, "-d", vehicle]).status == 0)
            #expect(try program.run(["monitors", "--db", database, "-d", vehicle]).status == 0)
        }
        let history = try program.run(["dtc", "history", "--db", database, "--format", "json"])
        #expect(history.status == 0, "\(history.errors)")
        let misfire = try #require(history.objects.first { $0["code"] as? String == "P0301" })
        #expect(misfire["vin"] as? String == "5XXBD1GA8LX000042")
        #expect((misfire["present"] as? [String])?.contains("stored") == true)
        // The code was there in both scans, so it appeared once.
        let changes = history.objects.filter {
            $0["kind"] as? String == "codeChange" && $0["code"] as? String == "P0301"
        }
        #expect(changes.count { $0["status"] as? String == "stored" } == 1)
        let text = try program.run(["dtc", "history", "P0301", "--db", database])
        #expect(text.output.contains("P0301") && !text.output.contains("P0420"))
        let unknown = try program.run([
            "dtc", "history", "P0301", "--vehicle", "nobody", "--db", database,
        ])
        #expect(unknown.status == 66 && unknown.errors.contains("\"nobody\" is unknown"))

        let trend = try program.run(["monitors", "--trend", "--db", database, "--format", "json"])
        #expect(trend.status == 0 && !trend.objects.isEmpty, "\(trend.errors)")
        for point in trend.objects {
            let value = try #require(point["value"] as? Double)
            let margins = [
                (point["min"] as? Double).map { value - $0 },
                (point["max"] as? Double).map { $0 - value },
            ].compactMap { $0 }
            let margin = point["margin"] as? Double
            #expect(
                margin == nil ? margins.isEmpty : abs((margins.min() ?? 0) - (margin ?? 1)) < 1e-9)
        }
    }

    private func rows(_ result: Program.Result) -> [[String]] {
        result.output.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    @Test func `tables contain everything that the text shows`() throws {
        let program = try Program()
        defer { program.remove() }
        let database = program.home.appendingPathComponent("h.db").path
        let place = ["--db", database, "--format", "csv"]
        let logged = try program.run([
            "log", "rpm", "speed", "--duration", "1s", "--db", database, "-d", "sim:?latency=1ms",
        ])
        #expect(logged.status == 0, "\(logged.errors)")
        #expect(try program.run(["trips", "note", "1", "rattles", "--db", database]).status == 0)
        let shown = rows(try program.run(["trips", "show", "1"] + place))
        #expect(shown.allSatisfy { $0.count == shown[0].count }, "\(shown)")
        #expect(
            Set(shown.dropFirst().map { $0[0] }).isSuperset(of: ["trip", "tripSignal", "note"]))
        #expect(shown.contains { $0.contains("rattles") } && shown.contains { $0.contains("RPM") })
        let objects = try program.run(["trips", "show", "1", "--db", database, "--format", "json"])
            .objects
        #expect(objects.contains { $0["text"] as? String == "rattles" })

        let checked = rows(try program.run(["db", "check"] + place))
        #expect(checked.count == 2 && checked[0].count == checked[1].count)
        #expect(checked[1][1] == "true" && checked[1][3] == "1")
        let compacted = rows(try program.run(["db", "compact"] + place))
        #expect(compacted.count == 2 && compacted[0][1] == "deletedTrips" && compacted[1][1] == "0")
        let decoded = rows(try program.run(["db", "redecode", "--dry-run"] + place))
        #expect(decoded.first?.prefix(3) == ["kind", "trip", "decoded"])
        #expect(decoded.count == 2 && decoded[1].prefix(2) == ["redecoded", "1"])
        #expect(
            try program.run(["dtc", "history", "P03O1", "--db", database]).status == 64)
    }

    @Test func `a simulated vehicle is stored only if a database is named`() throws {
        let program = try Program()
        defer { program.remove() }
        #expect(try program.run(["dtc", "list", "-d", "sim:?latency=0"]).status == 0)
        #expect(!FileManager.default.fileExists(atPath: program.database.path))
    }
}
