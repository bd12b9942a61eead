import Foundation
import Testing

/// Which trips `export` writes, by the readings in the file.
@Suite struct `An export of a span of time` {
    private let program: Program
    private static let vehicles = ["1HGCM82633A004352", "5XXBD1GA8LX000042"]

    /// Three drives: two of the first vehicle, and one of the second between them.
    init() throws {
        program = try Program()
        for (place, drive) in [
            ("2026-11-21T08:00", 0), ("2026-11-21T09:00", 1), ("2026-11-22T08:00", 0),
        ].enumerated() {
            let rows = (0...2).map { "\(drive.0):0\($0)Z,\(Self.vehicles[drive.1]),\(800 + $0)" }
            let path = try program.file(
                "\(place).csv", (["time,VIN,RPM (rpm)"] + rows).joined(separator: "\n") + "\n")
            #expect(try program.run(["import", path]).status == 0)
        }
    }

    /// The arguments, and the times of the readings in UTC.
    @Test(arguments: [
        ("", ["22T08:00:00", "22T08:00:01", "22T08:00:02"]),
        ("--from +1s", ["22T08:00:01", "22T08:00:02"]),
        ("1 --from 2026-11-21T08:00:02", ["21T08:00:02"]),
        (
            "--from 2026-11-21T08:00:02 --until 2026-11-22T08:00:01",
            ["21T08:00:02", "21T09:00:00", "21T09:00:01", "21T09:00:02", "22T08:00:00"]
        ),
        ("--until 2026-11-21T08:00:02", ["21T08:00:00", "21T08:00:01"]),
        ("--vehicle 5XXBD1GA8LX000042", ["21T09:00:00", "21T09:00:01", "21T09:00:02"]),
        (
            "--vehicle 1HGCM82633A004352 --from 2026-11-21T08:00:02 --until 2026-11-22T08:00:01",
            ["21T08:00:02", "22T08:00:00"]
        ),
        (
            "--month 2026-11 --vehicle 5XXBD1GA8LX000042",
            ["21T09:00:00", "21T09:00:01", "21T09:00:02"]
        ),
        ("--all --from +2s", ["21T08:00:02", "21T09:00:02", "22T08:00:02"]),
    ])
    func `an export has all trips and vehicles, unless the user names some`(
        arguments: String, times: [String]
    ) throws {
        defer { program.remove() }
        let words = arguments.split(separator: " ").map(String.init)
        let result = try program.run(["export", "--json", "--signal", "RPM"] + words)
        #expect(result.status == 0, "\(result.errors)")
        let found = result.objects.compactMap { $0["time"] as? String }
        #expect(found.map { String($0.dropFirst(8).prefix(11)) } == times)
    }

    @Test(arguments: [
        (
            "--from 2026-11-23", 66,
            "the earliest reading is of 2026-11-21 08:00:00, the latest of 2026-11-22 08:00:02"
        ),
        ("--from 2026-11-21T08:10 --until 2026-11-21T08:20", 66, "nothing was recorded"),
        ("1 --from 2026-11-22", 66, "the latest of 2026-11-21 08:00:02"),
        ("--vehicle BAKERY --from 2026-11-21", 66, "the vehicle \"BAKERY\" is unknown"),
        ("--month 2026-10", 66, "nothing was recorded"),
        ("--tag sea", 66, "no trip matches"),
        ("--from 2026-11-21 --layout wide", 64, "holds one trip, and 3 were chosen"),
        ("1 --vehicle BAKERY", 64, "name trips, or choose them"),
    ])
    func `an empty export lists the available trips`(
        arguments: String, status: Int32, words: String
    ) throws {
        defer { program.remove() }
        let file = program.home.appendingPathComponent("out.csv")
        let result = try program.run(
            ["export", "--to", file.path] + arguments.split(separator: " ").map(String.init))
        #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    /// The name takes the place of the VIN in lists and arguments; the VIN stays in files.
    @Test func `a vehicle with a name is found by the name`() throws {
        defer { program.remove() }
        func named(_ words: String...) throws -> Int32 {
            try program.run(["trips", "vehicle"] + words).status
        }
        #expect(try named(Self.vehicles[0], "Van 1") == 0)
        // Another vehicle cannot have the same name, and an unknown vehicle cannot have any.
        #expect(try named(Self.vehicles[1], "Van 1") == 64)
        #expect(try named("Van 2", "Van 3") == 64)
        let result = try program.run(["export", "--json", "--vehicle", "Van 1"])
        let vins = result.objects.compactMap { $0["vin"] as? String }
        #expect(vins == [Self.vehicles[0], Self.vehicles[0]], "\(result)")
        let list = try program.run(["trips", "list", "--month", "2026-11"]).output
        let totals = list.components(separatedBy: "\n\n").last?.split(separator: "\n")
        #expect(totals?[1].hasPrefix("Van 1                  2       4 s") == true, "\(list)")
        #expect(totals?[2].hasPrefix("\(Self.vehicles[1])      1       2 s") == true, "\(list)")
        #expect(try named("Van 1", "") == 0)
        #expect(try program.run(["export", "--vehicle", "Van 1"]).status == 66)
    }

    @Test func `a table of several trips keeps their vehicles`() throws {
        defer { program.remove() }
        let file = program.home.appendingPathComponent("all.csv").path
        #expect(try program.run(["export", "--all", "--to", file]).status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("time,") && text.contains(",raw,trip,vin\r\n"))
        let copy = ["--db", program.home.appendingPathComponent("copy.db").path]
        #expect(try program.run(["import", file] + copy).status == 0)
        let trips = try program.run(["trips", "list", "--json"] + copy).objects
        let vins = trips.compactMap { $0["vin"] as? String }
        #expect(vins == [Self.vehicles[0], Self.vehicles[1], Self.vehicles[0]], "\(trips)")
    }
}
