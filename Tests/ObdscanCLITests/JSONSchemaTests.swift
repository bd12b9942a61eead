import Formats
import Foundation
import OBDCore
import Testing

/// The Python of the peers' virtual environment, which `scripts/test` creates; nil without it.
private let python = ProcessInfo.processInfo.environment["OBDSCAN_PEERS"].map { $0 + "/python" }

/// A foreign validator compares the program's output with `share/obdscan/schema.json`.
@Suite struct `JSON Lines keep their schema` {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let vehicle = ["-d", "sim:?latency=0&frozen=true"]
    /// Commands that print objects.
    ///
    /// Each gets the path of a database.
    private static let commands: [[String]] = [
        ["log", "rpm", "speed", "maf", "--duration", "1s"] + vehicle, ["dtc"] + vehicle,
        ["dtc", "--batch", "fleet.txt"], ["trips", "note", "1", "a remark"],
        ["trips", "note", "1", "a moment", "--at", "+200ms"],
        ["live", "rpm", "--duration", "200ms"]
            + vehicle,
        ["dtc", "--all-modules", "-d", "sim:?latency=0"],
        ["dtc", "-d", "sim:truck?latency=0"],
        ["dtc", "-d", "sim:onuds?latency=0"], ["monitors"] + vehicle, ["monitors", "--trend"],
        ["dtc", "history"], ["dtc", "report"] + vehicle,
        ["check", "--odometer", "97310"] + vehicle, ["trips", "list", "--all"],
        ["trips", "show", "1"], ["diagnose", "--trip", "1"], ["trips", "fuel", "1"],
        ["trips", "compare", "1", "1"], ["trips", "logbook"],
        ["export", "1", "--format", "json"], ["devices"], ["db", "check"], ["db", "compact"],
        ["db", "redecode", "--dry-run"],
    ]
    /// Kinds that need another program at the other end.
    ///
    /// The kinds need a served page, a pulled cable, or a receiver that answers. Whole-program suites make
    /// them, and `scripts/test` counts them.
    private static let elsewhere: Set<String> = [
        "deviceEvent", "problem", "signal", "status", "plot", "track", "publishCheck", "refusal",
        "setupPublish",
        "evidence", "cause", "step", "battery", "signalSearch", "signalCandidate",
    ]
    /// Commands that use no database.
    private static let others: [[String]] = [
        ["info"] + vehicle, ["info", "--all-modules"] + vehicle,
        ["read", "rpm", "vin"] + vehicle,
        ["read", "rpm", "-d", "sim:electric"], ["freeze"] + vehicle,
        ["send", "010C", "ATRV"] + vehicle, ["doctor", "--adapter"] + vehicle,
        ["send", "ATMA", "--duration", "300ms", "-d", "sim:truck"], ["setup"] + vehicle,
        ["pids", "lint", "broken.pids"], ["decode", "--messages", "damaged.transcript"],
        ["dtc", "--batch", "fleet.txt"], ["dtc", "explain", "P0171", "P0174", "SPN100/FMI1"],
        ["pids", "list"], ["diagnose", "causes"],
        ["pids", "show", "rpm"], ["pids", "packs"], ["pids", "count"], ["config", "list"],
        ["simulate", "--list"], ["decode", "damaged.transcript"],
    ]

    @Test(.enabled(if: python != nil, "OBDSCAN_PEERS is not set: run scripts/setup peers"))
    func `every object is of a kind of the schema and has all its keys`() throws {
        let program = try Program()
        defer { program.remove() }
        var lines = ""
        for command in Self.commands {
            let format = command.contains("--format") ? [] : ["--json"]
            lines += try program.run(command + format + ["--db", program.database.path]).output
        }
        for command in Self.others { lines += try program.run(command + ["--json"]).output }
        let csv = program.home.appendingPathComponent("old.csv")
        try "time,RPM (rpm)\n2026-01-01T00:00:00Z,800\n2026-01-01T00:00:01Z,900\n".write(
            to: csv, atomically: true, encoding: .utf8)
        let copy = program.home.appendingPathComponent("copy.db").path
        for command in [
            ["import", csv.path], ["db", "recover", "--to", copy], ["db", "merge", copy],
        ] {
            let database = ["--db", program.database.path]
            lines += try program.run(command + ["--json"] + database).output
        }
        lines += try Self.faultyTrip(program) + Self.importedTrips(program) + Self.rest(program)
        lines += Self.recorded
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
        // The comparison would also succeed if there were nothing to compare.
        let words = text.split(separator: "\n").last?.split(separator: " ").map(String.init) ?? []
        let numbers = words.compactMap { Int($0) }
        #expect(numbers.count == 2 && numbers[0] > 1500, "\(text)")
        print(text)
        let shown = Set(lines.matches(of: /(?m)^\{"kind":"([A-Za-z]+)"/).map { String($0.1) })
        let missing = try Self.kinds().keys.filter { !shown.contains($0) }
        #expect(Set(missing).isSubset(of: Self.elsewhere), "\(missing.sorted())")
    }

    /// A trip on a bad link with a position, and the results calculated from it.
    private static func faultyTrip(_ program: Program) throws -> String {
        let sentence = { (body: String) in
            "$\(body)*" + String(format: "%02X", body.utf8.reduce(0, ^)) + "\r\n"
        }
        let track = try program.file(
            "track.nmea",
            sentence("GPGGA,120000.00,4807.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,")
                + sentence("GPRMC,120000.00,A,4807.0380,N,01131.0000,E,22.4,054.7,221126,,,A"))
        let table = try program.file(
            "halved.pids",
            "record 01:0C 2 : Engine speed\n  source : made up for this test\n"
                + "  signal RPM A..B scale 1/8 unit rpm : Engine speed\n")
        let database = ["--db", program.home.appendingPathComponent("faulty.db").path]
        let kona = Self.root.appendingPathComponent("Tests/Vehicles/kona-2019.vehicle").path
        let car = "sim:?latency=2ms&start=60s&faults=flip:0.0005,drop:0.0005"
        var lines = ""
        for command in [
            ["log", "rpm", "speed", "maf", "--duration", "3s", "--gps", track, "-d", car],
            ["dtc", "-d", "sim:?latency=0"], ["trips", "show", "1"], ["export", "1"],
            ["export", "scan1"], ["trips", "fuel", "1", "--filled", "0.003"],
            [
                "log", "ev-soc", "ev-voltage", "ev-current", "--duration", "2s", "-d",
                "sim:\(kona)?latency=0",
            ],
            ["trips", "show", "2"], ["trips", "energy", "2"],
            ["db", "redecode", "--dry-run", "--pids", table],
        ] {
            lines += try program.run(command + ["--json"] + database).output
        }
        return lines
    }

    /// An hour at a charger, and ten minutes at idle with the fuel corrections.
    private static func importedTrips(_ program: Program) throws -> String {
        let charge = (0..<720).map { step in
            let seconds = step * 5
            let charged = max(0, seconds - 120) / 87
            return "\(time(seconds)),KMHK581GFKU000001,\(30 + charged),\(360 + charged),"
                + (seconds < 120 ? "0.2,0\n" : "-50,0\n")
        }
        let idle = (0..<600).map { second in
            "\(time(second)),WVWZZZ1JZXW000001,\(750 + second % 5),0,90,0.8,1.6\n"
        }
        let energy = "time,VIN,EV_SOC_BMS (%),EV_VOLTAGE (V),EV_CURRENT (A),VSS (km/h)\n"
        let trims = "time,VIN,RPM (rpm),VSS (km/h),ECT (°C),SHRTFT1 (%),LONGFT1 (%)\n"
        let files = [
            try program.file("charge.csv", energy + charge.joined()),
            try program.file("idle.csv", trims + idle.joined()),
        ]
        let database = ["--db", program.home.appendingPathComponent("imported.db").path]
        var lines = ""
        for command in [
            ["import", files[0], "--pack", "hyundai-kia-ev"], ["import", files[1]],
            ["trips", "energy", "1"], ["trips", "drift"],
        ] {
            lines += try program.run(command + ["--json"] + database).output
        }
        return lines
    }

    /// A time of the first hour of 2026.
    private static func time(_ seconds: Int) -> String {
        String(format: "2026-01-01T00:%02d:%02dZ", seconds / 60, seconds % 60)
    }

    /// Other inputs: a table of another program, two tables, a bus, a missing server.
    private static func rest(_ program: Program) throws -> String {
        let torque = try program.file(
            "torque.csv",
            "Name,ShortName,ModeAndPID,Equation,Min Value,Max Value,Units,Header\n"
                + "Oil temp,Oil,221310,A-40,-40,215,C,7E0\n")
        var lines = ""
        for command in [
            ["pids", "import", torque, "--check"], ["pids", "compare", "own.pids", "own.pids"],
            ["monitor", "-d", "sim:truck", "--duration", "300ms", "--rates"],
            ["monitor", "-d", "sim:truck", "--duration", "300ms", "--values"],
            ["publish", "--to", "influx+http://127.0.0.1:1", "--drain"], ["publish", "status"],
        ] {
            lines += try program.run(command + ["--json"]).output
        }
        lines += try program.run(["read", "rpm", "--trace-states", "--json"] + vehicle).errors
        return lines
            + (try program.run(
                ["serve", "--json", "--listen", "127.0.0.1:0"] + vehicle, until: "serving"
            ).output)
    }

    /// The objects in the recorded output of the whole program: command line and replays.
    private static let recorded: String = {
        let cases = `The command line`.cases.flatMap(\.expected).filter {
            $0.hasPrefix("> {\"kind\"")
        }
        return cases.map { $0.dropFirst(2) + "\n" }.joined()
    }()

    private static func kinds() throws -> [String: [String: Any]] {
        let data = try Data(contentsOf: root.appendingPathComponent("share/obdscan/schema.json"))
        let schema = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        return try #require(schema["definitions"] as? [String: [String: Any]])
    }

    @Test func `every key of the schema has a description`() throws {
        for (kind, shape) in try Self.kinds() {
            let properties = try #require(shape["properties"] as? [String: [String: Any]])
            for (key, property) in properties where key != "kind" {
                #expect(property["description"] is String, "\(kind).\(key)")
                #expect(property["type"] != nil, "\(kind).\(key)")
            }
            #expect(shape["description"] is String, "\(kind)")
        }
    }

    // Lists by themselves: Swift 6.2 does not find the type of one list with sums of arrays in it.
    private static let tablesOfVehicle: [[String]] = [
        ["info"], ["monitors"], ["send", "010C", "ATRV", "0300"], ["read", "rpm", "0101", "vin"],
        ["freeze"], ["dtc", "report"],
    ]
    private static let otherTables: [[String]] = [
        ["monitors", "-d", "sim:onuds?latency=0"], ["dtc", "explain", "P0171", "P0174"],
        ["pids", "list"], ["diagnose", "causes"], ["pids", "count"], ["trips", "list"],
        ["trips", "show", "1"], ["decode", "damaged.transcript"], ["dtc", "--batch", "fleet.txt"],
        ["freeze", "-d", "sim:onuds?latency=0"], ["read", "rpm", "-d", "sim:electric"],
        ["dtc", "history"], ["monitors", "--trend"], ["trips", "compare", "1", "1"], ["devices"],
        ["simulate", "--list"],
    ]

    /// Two formats for the same vehicle: each row of a table is an object, in the same order.
    @Test(arguments: tablesOfVehicle.map { $0 + vehicle } + otherTables)
    func `a table has a row for each object, with the same values`(command: [String]) throws {
        let program = try Program()
        defer { program.remove() }
        _ = try program.run(["log", "rpm", "--duration", "300ms"] + Self.vehicle)
        // If the user names a database, it stores the answers of simulated vehicles, too.
        let kept = ["OBDSCAN_DB": program.database.path]
        for command in ["dtc", "monitors"] {
            _ = try program.run([command] + Self.vehicle, environment: kept)
        }
        let lines = try program.run(command + ["--json"], environment: kept).output
            .split(separator: "\n")
        let objects = try lines.map { try #require(JSONReader.object(Array($0.utf8)[...])) }
        let format = command.contains("--batch") ? [] : ["--format", "csv"]
        let table = try program.run(command + format, environment: kept).output
        var reader = CSVReader(Array(table.utf8))
        let heading = reader.next()
        let columns = try #require(heading)
        var count = 0
        while let row = reader.next() {
            try #require(count < objects.count && row.count == columns.count)
            let object = objects[count]
            count += 1
            for (column, cell) in zip(columns, row) where column != "time" {
                switch object[column] {
                case nil, .null: #expect(cell.isEmpty, "\(object) \(column)")
                case .bool(let flag): #expect(cell == "\(flag)", "\(object) \(column)")
                case .string(let text): #expect(cell == text, "\(object) \(column)")
                case .number(let number): #expect(Double(cell) == number, "\(object) \(column)")
                case .array, .object: continue
                }
            }
            let kept = object.filter { $0.value != .null && $0.key != "kind" }.keys
            #expect(Set(kept).isSubset(of: columns), "\(object)")
        }
        #expect(count == objects.count && (count > 0 || command == ["devices"]))
    }

    /// A table with one kind has the keys of that kind as columns.
    ///
    /// One with several kinds begins with `kind`.
    @Test func `the columns of CSV are the keys of the schema`() throws {
        let kinds = try Self.kinds()
        let keys = kinds.mapValues { Set(($0["properties"] as? [String: Any] ?? [:]).keys) }
        let all = keys.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        let program = try Program()
        defer { program.remove() }
        for command in [
            ["info"] + Self.vehicle, ["read", "rpm"] + Self.vehicle, ["freeze"] + Self.vehicle,
            ["monitors"] + Self.vehicle, ["dtc", "report"] + Self.vehicle,
            ["dtc", "explain", "P0301"], ["pids", "list"], ["diagnose", "causes"],
            ["pids", "show", "rpm"], ["devices"],
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

    /// A spreadsheet that reads the next car, too, needs the same columns.
    @Test(arguments: [["read", "rpm"], ["freeze"], ["monitors"], ["info"], ["dtc"]])
    func `columns do not depend on the vehicle`(command: [String]) throws {
        let program = try Program()
        defer { program.remove() }
        let cars = [
            "petrol", "petrol?ecus=1", "diesel", "electric", "hybrid", "motorcycle", "onuds",
            "truck",
        ]
        var headings: Set<String> = []
        for car in cars {
            let address = "sim:\(car)\(car.contains("?") ? "&" : "?")latency=0"
            let result = try program.run(command + ["--format", "csv", "-d", address])
            headings.insert(
                result.output.split(whereSeparator: \.isNewline).first.map(String.init) ?? car)
        }
        #expect(headings.count == 1, "\(headings)")
    }
}
