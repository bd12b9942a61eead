import Foundation
import Testing

/// `dtc --next` with one adapter and many cars, and the files that it writes.
@Suite(.ownThreads) struct `One adapter goes from car to car` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private static let vehicles = [
        "petrol", "hybrid", "diesel", "petrol", "truck", "petrol", "petrol", "onuds", "hybrid",
        "kline", "petrol", "diesel",
    ]

    @Test func `twelve cars fill one table, and a silent car stops nothing`() async throws {
        let (adapter, table) = (workplace.path("adapter"), workplace.path("yard.csv"))
        let scan = try workplace.startOnTerminal([
            "dtc", "--next", "--to", table, "--local-time", "--report", workplace.path("sheets"),
            "-d", adapter,
        ])
        for (index, vehicle) in Self.vehicles.enumerated() {
            let number = index + 1
            let name = "car \(number) \(vehicle)"
            if vehicle == "kline" {
                // No car is connected.
                scan.type("\(name)\n")
                try await scan.shows("or s to skip it", on: .errors)
                scan.type("s\n")
                try await scan.shows("\(number)  \(name)", on: .errors)
                continue
            }
            let car = try workplace.start([
                "simulate", "--pty", "--link", adapter, "\(vehicle)?frozen=true&latency=0",
            ])
            try await car.lines(with: "/")
            scan.type("\(name)\n")
            try await scan.shows("\(number)  \(name)", on: .errors, within: 60)
            car.send(SIGTERM)
            _ = try await car.finish()
        }
        scan.type("q\n")
        let outcome = try await scan.finish()
        // One of the cars was silent.
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("12 vehicles: "), "\(outcome)")
        #expect(outcome.errors.contains(", 1 not read (car "), "\(outcome)")
        #expect(outcome.errors.contains(" kline)."), "\(outcome)")
        let rows = try String(contentsOfFile: table, encoding: .utf8)
            .components(separatedBy: "\r\n").dropLast().map { $0.components(separatedBy: ",") }
        #expect(rows.first?.first == "time" && rows.allSatisfy { $0.count >= 15 })
        let labels = rows.dropFirst().map { $0[2] }
        let expected = Self.vehicles.enumerated().map { "car \($0.offset + 1) \($0.element)" }
        #expect(labels.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } } == expected)
        #expect(rows.dropFirst().allSatisfy { $0[0].count == "2026-11-25 09:15:02".count })
        let sheets = try FileManager.default.contentsOfDirectory(atPath: workplace.path("sheets"))
        #expect(sheets.count == 11 && sheets.allSatisfy { $0.hasSuffix(".html") }, "\(sheets)")
    }

    @Test func `labels become names of cars, and reports compare cars by these names`() async throws
    {
        let list = try workplace.file(
            "cars.txt",
            "sim:petrol?frozen=true&latency=0 Van 1\nsim:hybrid?frozen=true&latency=0 Van-1\n")
        func batch() async throws -> Outcome {
            try await workplace.run([
                "dtc", "--batch", list, "--to", workplace.path("codes.csv"), "--name-vehicles",
                "--db", workplace.path("yard.db"),
            ])
        }
        let first = try await batch()
        #expect(first.status == 0, "\(first)")
        // Sinks could not distinguish two such names.
        #expect(first.errors.contains(" is not stored: it would be mistaken for "), "\(first)")
        #expect(try await batch().status == 0)
        let named = first.errors.contains("\"Van-1\" is not stored") ? "Van 1" : "Van-1"
        let report = try await workplace.run([
            "dtc", "report", "--of", named, "--since", "last", "--db", workplace.path("yard.db"),
        ])
        #expect(report.status == 0 && report.output.contains("Compared with"), "\(report)")
        let cleared = try await workplace.run([
            "dtc", "report", "--of", named, "--since", "clear", "--db", workplace.path("yard.db"),
        ])
        #expect(cleared.status == 66, "\(cleared)")
        #expect(cleared.errors.contains("obdscan has not cleared the codes of \(named)"))
    }

    @Test func `the history has every car, and Ctrl-C keeps the finished cars`() async throws {
        let adapter = workplace.path("adapter")
        let car = try workplace.start([
            "simulate", "--pty", "--link", adapter, "petrol?frozen=true&latency=0",
        ])
        try await car.lines(with: "/")
        let table = workplace.path("yard.jsonl")
        let scan = try workplace.startOnTerminal([
            "dtc", "--next", "--name-vehicles", "--to", table, "-d", adapter,
        ])
        scan.type("bay 1\n")
        try await scan.shows("1  bay 1", on: .errors)
        try await scan.shows("Plug into the next car", on: .errors)
        // The plug was forgotten: the car keeps its name.
        scan.type("bay 2\n")
        try await scan.shows("Number 1 has the same VIN: is this the next car?", on: .errors)
        try await scan.shows("\"bay 2\" is not stored: the vehicle with this VIN is", on: .errors)
        try await scan.shows("Plug into the next car", on: .errors)
        scan.send(SIGINT)
        #expect(try await scan.finish().status == -SIGINT)
        car.send(SIGTERM)
        _ = try await car.finish()
        let lines = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 12 && lines.allSatisfy { $0.hasPrefix("{\"kind\":\"codeRow\",") })
        let history = try await workplace.run(["dtc", "history", "--json"])
        #expect(history.output.contains("P0420"), "\(history)")
        let named = try await workplace.run(["dtc", "report", "--of", "bay 1"])
        #expect(named.status == 0, "\(named)")
    }
}
