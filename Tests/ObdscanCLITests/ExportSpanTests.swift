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
        ("--all --from +2s", ["21T08:00:02", "21T09:00:02", "22T08:00:02"]),
    ])
    func `is of all trips and vehicles, unless some are named`(
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
        ("--vehicle BAKERY --from 2026-11-21", 66, "no trip is of the vehicle \"BAKERY\""),
        ("--tag sea", 66, "there are no such trips"),
        ("--from 2026-11-21 --layout wide", 64, "holds one trip, and 3 were chosen"),
        ("1 --vehicle BAKERY", 64, "name trips, or choose them"),
    ])
    func `says what there is if it would be empty`(
        arguments: String, status: Int32, words: String
    ) throws {
        defer { program.remove() }
        let file = program.home.appendingPathComponent("out.csv")
        let result = try program.run(
            ["export", "--to", file.path] + arguments.split(separator: " ").map(String.init))
        #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}
