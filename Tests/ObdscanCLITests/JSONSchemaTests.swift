import Foundation
import Testing

/// The Python of the peers' virtual environment, which `scripts/test` makes; nil without it.
private let python = ProcessInfo.processInfo.environment["OBDSCAN_PEERS"].map { $0 + "/python" }

/// What `share/obdscan/schema.json` promises, compared with the program by a foreign validator.
@Suite struct `JSON Lines keep their schema` {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let vehicle = ["-d", "sim:?latency=0&frozen=true"]
    /// Commands that print objects; each with the file of the database.
    private static let commands: [[String]] = [
        ["log", "rpm", "speed", "maf", "--duration", "1s"] + vehicle, ["dtc"] + vehicle,
        ["dtc", "--all-modules", "-d", "sim:modules?latency=0"],
        ["dtc", "-d", "sim:truck?latency=0"],
        ["dtc", "-d", "sim:onuds?latency=0"], ["monitors"] + vehicle, ["monitors", "--trend"],
        ["dtc", "history"], ["dtc", "report"] + vehicle, ["trips", "list", "--all"],
        ["trips", "show", "1"], ["trips", "fuel", "1"], ["trips", "compare", "1", "1"],
        ["export", "1", "--format", "json"], ["devices"], ["db", "check"], ["db", "compact"],
        ["db", "redecode", "--dry-run"],
    ]
    /// Commands that take no database.
    private static let others: [[String]] = [
        ["info"] + vehicle, ["read", "rpm", "vin"] + vehicle, ["freeze"] + vehicle,
        ["send", "010C", "ATRV"] + vehicle, ["doctor"] + vehicle, ["bench"] + vehicle,
        ["dtc", "--batch", "fleet.txt"], ["dtc", "explain", "P0171", "P0174", "SPN100/FMI1"],
        ["pids", "list"],
        ["pids", "show", "rpm"], ["pids", "packs"], ["pids", "count"], ["config", "list"],
        ["simulate", "--list"], ["decode", "damaged.transcript"],
    ]

    @Test(.enabled(if: python != nil, "OBDSCAN_PEERS is not set: run scripts/setup peers"))
    func `every object is of a kind that the schema has, with all its keys`() throws {
        let program = try Program()
        defer { program.remove() }
        var lines = ""
        for command in Self.commands {
            let format = command.contains("--format") ? [] : ["--json"]
            lines += try program.run(command + format + ["--db", program.database.path]).output
        }
        for command in Self.others { lines += try program.run(command + ["--json"]).output }
        let file = program.home.appendingPathComponent("lines.jsonl")
        try lines.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python ?? "")
        process.arguments = [
            Self.root.appendingPathComponent("Tests/Peers/validate_json.py").path,
            Self.root.appendingPathComponent("share/obdscan/schema.json").path,
        ]
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        // A comparison of nothing would agree as well.
        let words = text.split(separator: "\n").last?.split(separator: " ").map(String.init) ?? []
        let numbers = words.compactMap { Int($0) }
        #expect(numbers.count == 2 && numbers[0] > 1000 && numbers[1] >= 35, "\(text)")
    }

    /// A table of one kind has its keys as columns; one of several begins with `kind`.
    @Test func `the columns of CSV are the keys of the schema`() throws {
        let data = try Data(
            contentsOf: Self.root.appendingPathComponent("share/obdscan/schema.json"))
        let schema = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let kinds = try #require(schema["definitions"] as? [String: [String: Any]])
        let keys = kinds.mapValues { Set(($0["properties"] as? [String: Any] ?? [:]).keys) }
        let all = keys.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        let program = try Program()
        defer { program.remove() }
        for command in [
            ["info"] + Self.vehicle, ["read", "rpm"] + Self.vehicle, ["freeze"] + Self.vehicle,
            ["monitors"] + Self.vehicle, ["dtc", "report"] + Self.vehicle,
            ["dtc", "explain", "P0301"], ["pids", "list"], ["pids", "show", "rpm"], ["devices"],
            ["decode", "damaged.transcript"],
        ] {
            let table = try program.run(command + ["--format", "csv"]).output
            let columns = try #require(table.split(whereSeparator: \.isNewline).first)
                .split(separator: ",").map(String.init)
            let unknown = columns.filter { !all.contains($0) }
            #expect(unknown.isEmpty, "\(command): \(unknown)")
            let isOneKind = keys.values.contains { $0.isSuperset(of: columns) }
            #expect(isOneKind || columns.first == "kind", "\(command): \(columns)")
        }
    }
}
