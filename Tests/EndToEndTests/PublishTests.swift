import Foundation
import Testing

/// `publish` with real engines, and with a server that answers wrongly.
@Suite(
    .ownThreads, .serialized,
    .enabled(if: Engines.hasPython, "there is no python3"))
struct `Publishing` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Records trips of two seconds, and reads codes.
    private func record() async throws {
        for _ in 0..<2 {
            let outcome = try await workplace.run(
                ["log", "-d", "sim:?latency=5ms", "--no-codes", "--duration", "2s", "-q"],
                within: 60)
            #expect(outcome.status == 0, "\(outcome)")
        }
        #expect(try await workplace.run(["dtc", "-d", "sim:", "-q"]).status == 0)
    }

    /// The data that the panels of the dashboards need: positions, events, codes that disappear, and test
    /// results.
    private func recordEverything() async throws {
        func sentence(_ body: String) -> String {
            "$\(body)*" + String(format: "%02X", body.utf8.reduce(0, ^)) + "\r\n"
        }
        let track = try workplace.file(
            "track.nmea",
            (10..<40).map { second in
                sentence(
                    "GPGGA,1200\(second).00,4807.\(second)00,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,"
                )
                    + sentence(
                        "GPRMC,1200\(second).00,A,4807.\(second)00,N,01131.0000,E,22.4,054.7,221126,,,A"
                    )
            }.joined())
        let commands: [[String]] = [
            [
                "log", "-d", "sim:?latency=5ms", "--no-codes", "--duration", "3s", "-q", "--gps",
                track,
            ],
            [
                "log", "-d", "sim:?latency=5ms&faults=cut:0.002", "--no-codes", "--duration", "5s",
                "-q",
            ],
            ["dtc", "-d", "sim:", "-q"], ["dtc", "-d", "sim:?codes=P0301", "-q"],
            ["monitors", "-d", "sim:"],
        ]
        for command in commands {
            let outcome = try await workplace.run(command, within: 60)
            #expect(outcome.status == 0, "\(outcome)")
        }
    }

    private func deliver(
        _ engine: String, _ address: [String], kills: Int, ofEverything: Bool = false
    ) async throws {
        try await ofEverything ? recordEverything() : record()
        let outcome = try await RunningProgram(
            Engines.python,
            [
                Engines.folder + "/deliveries.py", Workplace.program, workplace.database, engine,
            ] + address + ["--kills", "\(kills)"], environment: workplace.environment
        ).finish(within: 120)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("all identical"), "\(outcome)")
    }

    @Test func `A misbehaving server gets every reading, and repeats are identical`() async throws {
        try await deliver("faults", [], kills: 12)
    }

    @Test(.enabled(if: Engines.has("victoria-metrics"), "no VictoriaMetrics"))
    func `VictoriaMetrics holds the readings of the database after publish was killed`()
        async throws
    {
        try await Engines.running(workplace) { addresses in
            let address = try #require(addresses["victoria"])
            try await deliver("victoria", [address], kills: 10, ofEverything: true)
            let check = try await workplace.run([
                "publish", "check", "--to", "influx+http://\(address)", "--json",
            ])
            let count = try #require(try check.objects().first)
            #expect(check.status == 0, "\(check)")
            #expect(count["delivered"] as? Int == count["found"] as? Int)
            // A sink of the configuration gets the state of the computer, too.
            let file = try workplace.file(
                "computer.toml", "[publish.computer]\nto = \"influx+http://\(address)\"\n")
            let beat = try await workplace.shell(
                "OBDSCAN_SYSTEM_CONFIG='\(file)' $OBDSCAN publish --drain")
            #expect(beat.status == 0, "\(beat)")
            let root = URL(fileURLWithPath: Engines.folder + "/../..").standardizedFileURL.path
            let boards = try await RunningProgram(
                Engines.python,
                [
                    Engines.folder + "/dashboard_queries.py", root + "/share/grafana/dashboards",
                    try await copyForOthers(), "victoria", address,
                ], environment: workplace.environment
            ).finish(within: 60)
            #expect(boards.status == 0, "\(boards)")
        }
    }

    /// The copy that obdscan-copy.service makes for other users, by its own command.
    private func copyForOthers() async throws -> String {
        let root = Engines.folder + "/../.."
        let unit = try String(
            contentsOfFile: root + "/packaging/obdscan-copy.service", encoding: .utf8)
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
        let copy = workplace.path("trips.db")
        let command = line.dropFirst("ExecStart=".count)
            .replacing("/usr/bin/obdscan", with: Workplace.program)
            .replacing("/var/lib/obdscan/trips.db", with: copy)
        // Twice, as the timer does.
        for _ in 0..<2 {
            let outcome = try await workplace.shell(String(command))
            #expect(outcome.status == 0, "\(outcome)")
        }
        let state = try await workplace.shell(
            "stat -c %a '\(copy)'; sqlite3 '\(copy)' 'PRAGMA journal_mode' "
                + "'SELECT count(*) > 0, typeof(start_epoch) FROM trips'; ls '\(copy)'*")
        #expect(state.output == "640\ndelete\n1|real\n\(copy)\n", "\(state)")
        return copy
    }

    @Test(.enabled(if: Engines.has("influxd"), "no InfluxDB"))
    func `InfluxDB holds the readings of the database after publish was killed`() async throws {
        try await Engines.running(workplace) { addresses in
            let address = try #require(addresses["influx"])
            try await deliver("influx", [address], kills: 10, ofEverything: true)
            let boards = try await python(
                "dashboard_queries.py",
                [
                    Engines.folder + "/../../share/grafana/dashboards", workplace.database,
                    "influx", address,
                ])
            #expect(boards.status == 0, "\(boards)")
        }
    }

    @Test(.enabled(if: Engines.has("mosquitto") && Engines.hasLibrary, "no mosquitto"))
    func `A subscriber gets the readings of the database after publish was killed`() async throws {
        try await Engines.running(workplace) { addresses in
            try await deliver("mqtt", [try #require(addresses["mosquitto"])], kills: 10)
        }
    }

    private func python(
        _ script: String, _ arguments: [String], by python: String = Engines.python,
        within seconds: Int = 240
    ) async throws -> Outcome {
        try await RunningProgram(
            python, ["-B", Engines.folder + "/" + script] + arguments,
            environment: workplace.environment
        ).finish(within: seconds)
    }

    @Test(.enabled(if: Engines.has("mosquitto") && Engines.hasLibrary, "no mosquitto"))
    func `A broker is killed while a trip is recorded and followed`() async throws {
        let outcome = try await python(
            "deliveries.py", [Workplace.program, workplace.database, "broker", "--kills", "4"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("all identical"), "\(outcome)")
    }

    @Test func `A webhook that answers wrongly gets every event, and repeats are identical`()
        async throws
    {
        for _ in 0..<2 {
            let outcome = try await workplace.run(
                ["log", "-d", "sim:?latency=5ms", "--duration", "2s", "-q"], within: 60)
            #expect(outcome.status == 0, "\(outcome)")
        }
        let outcome = try await python("webhook.py", [Workplace.program, workplace.database])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("all identical"), "\(outcome)")
    }

    @Test func `A Better Route Planner gets the newest state of one vehicle`() async throws {
        let outcome = try await python("abrp.py", [Workplace.program, workplace.database])
        #expect(outcome.status == 0, "\(outcome)")
        // Its token is one vehicle's.
        let log = try await workplace.run(
            ["log", "rpm", "-d", "sim:?latency=5ms", "--no-codes", "--duration", "1s", "-q"])
        #expect(log.status == 0, "\(log)")
        let sink = ["publish", "--to", "abrp+http://127.0.0.1:9", "--drain"]
        let several = try await workplace.run(sink)
        #expect(several.status == 78 && several.errors.contains("--id"), "\(several)")
    }

    @Test(
        .enabled(
            if: Engines.has("victoria-metrics") && Engines.has("vmalert"),
            "no VictoriaMetrics or no vmalert"))
    func `Each alert rule reports its own fault and no other fault`() async throws {
        try await Engines.running(workplace) { addresses in
            let outcome = try await python(
                "alert_rules.py",
                [
                    Engines.folder + "/../../share", try #require(Engines.path("vmalert")),
                    try #require(addresses["victoria"]),
                ])
            #expect(outcome.status == 0, "\(outcome)")
        }
    }

    /// With a server of its own, so that no package is needed.
    @Test func `Certificates are checked, and a line that is refused is kept`() async throws {
        try await record()
        let outcome = try await python(
            "publish_faults.py", [Workplace.program, workplace.database, "https", "poisoned"])
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test(.enabled(if: Engines.has("mosquitto") && Engines.hasLibrary, "no mosquitto"))
    func `Passwords, rules, certificates, bad lines and full disks have error messages`()
        async throws
    {
        try await record()
        let outcome = try await python(
            "publish_faults.py", [Workplace.program, workplace.database])
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test(
        .enabled(
            if: Engines.has("mosquitto") && Engines.has("victoria-metrics") && Engines.hasLibrary,
            "no mosquitto or no VictoriaMetrics"))
    func `The totals of a fleet are equal in the engine after its broker`() async throws {
        var environment = workplace.environment
        environment["OBDSCAN"] = Workplace.program
        let outcome = try await RunningProgram(
            Engines.python,
            [Engines.folder + "/../../Benchmarks/fleet", "--count", "12", "--duration", "5s"],
            environment: environment
        ).finish(within: 120)
        #expect(
            outcome.status == 0 && outcome.output.contains("all totals are equal"), "\(outcome)")
    }

    @Test(
        .enabled(
            if: Engines.homeAssistant != nil,
            "OBDSCAN_HOME_ASSISTANT does not name a Python with homeassistant 2025.4.4"))
    func `Home Assistant shows each vehicle without a warning`() async throws {
        let root = Engines.folder + "/../.."
        let outcome = try await python(
            "home_assistant_vehicles.py",
            [Workplace.program, try #require(Engines.homeAssistant), root + "/vehicles"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("in Home Assistant without a warning"), "\(outcome)")
    }

    @Test(
        .enabled(
            if: Engines.analysis != nil,
            "no duckdb, duckdb-extension-sqlite-scanner, pandas and pyarrow: run scripts/setup peers"
        ))
    func `The recipes for DuckDB and pandas work as they are written`() async throws {
        try await record()
        let root = Engines.folder + "/../.."
        let outcome = try await python(
            "analysis.py",
            [root + "/docs/publishing.md", workplace.database, workplace.path("fleet")],
            by: try #require(Engines.analysis))
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test func `A broker's topics are printed without a broker`() async throws {
        try await record()
        let outcome = try await workplace.run([
            "publish", "--print", "--to", "mqtt://nowhere.invalid", "--id", "golf", "--history",
            "influx",
        ])
        let topics = outcome.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
        #expect(outcome.status == 0, "\(outcome)")
        #expect(topics.first == "obdscan/golf/availability", "\(outcome)")
        #expect(topics.contains("homeassistant/device/obdscan_golf/config"))
        #expect(topics.contains("obdscan/golf/7e8/rpm"))
        #expect(topics.contains("obdscan/golf/readiness"))
        let command = ["publish", "--print", "--to", "influx+http://nowhere"]
        let lines = try await workplace.run(command)
        #expect(try await workplace.run(command + ["--quiet"]).output == lines.output)
        #expect(
            topics.count { $0 == "obdscan/golf/readings" }
                == lines.output.split(separator: "\n").count)
    }

    @Test func `The check engine light is on if any ECU reports it on`() async throws {
        try await record()
        let outcome = try await workplace.run([
            "publish", "--print", "--to", "mqtt://nowhere.invalid", "--id", "golf",
        ])
        let line = try #require(
            outcome.output.split(separator: "\n").first { $0.hasPrefix("obdscan/golf/codes ") })
        #expect(line.contains(#""mil":true"#), "\(line)")
    }

    @Test func `One configuration for many computers inserts each computer's name`() async throws {
        try await record()
        _ = try workplace.file(
            "fleet.toml",
            """
            [publish.fleet]
            to = "influx+http://127.0.0.1:9"
            id = "car-%VIN"
            tags = { host = "%H", vehicle_number = "n-%VIN" }
            signals = ["rpm"]
            """)
        let outcome = try await workplace.shell(
            "OBDSCAN_SYSTEM_CONFIG=\(workplace.path("fleet.toml")) $OBDSCAN publish --print; "
                + "hostname | cut -d. -f1")
        let lines = outcome.output.split(separator: "\n")
        let host = try #require(lines.last)
        #expect(outcome.status == 0 && lines.count > 1, "\(outcome)")
        #expect(
            lines.dropLast().allSatisfy { line in
                // Readings, codes and totals.
                ["obd", "obd_code", "obd_trip"].contains {
                    line.hasPrefix(
                        "\($0),vehicle=car-5xxbd1ga8lx000042,vin=5XXBD1GA8LX000042,host=\(host),"
                            + "vehicle_number=n-5XXBD1GA8LX000042,")
                }
                    // The heartbeat of the computer, which has no VIN.
                    || (line.hasPrefix("obd_machine,machine=\(host)")
                        && line.contains(",host=\(host) clock_set=")
                        && !line.contains("5XXBD1GA8LX000042"))
            }, "\(outcome)")
    }

    @Test(.enabled(if: Engines.has("nats-server") && Engines.hasLibrary, "no NATS"))
    func `A broker of MQTT 3.1.1 gets messages of MQTT 3.1.1`() async throws {
        try await Engines.running(workplace) { addresses in
            let address = try #require(addresses["nats"])
            try await deliver("mqtt", [address], kills: 4)
            let outcome = try await workplace.run([
                "publish", "--to", "mqtt://\(address)", "--drain", "--json",
            ])
            let sink = try #require(try outcome.objects().first)
            #expect(outcome.status == 0 && sink["complete"] as? Bool == true, "\(outcome)")
        }
    }

    @Test func `Each fault of publish has its own message and exit code`() async throws {
        try await record()
        let cases: [(arguments: [String], status: Int32, words: String)] = [
            (["publish", "status"], 66, "nothing was published"),
            (
                ["publish", "check", "--to", "influx+http://127.0.0.1:9"], 66,
                "nothing was published"
            ),
            (["publish"], 78, "no sink is configured"),
            (["publish", "--to", "http://pi"], 64, "does not begin with influx+http://"),
            (["publish", "--to", "influx+http://me:secret@pi"], 64, "password"),
            (["publish", "--to", "mqtt://pi/x"], 64, "path"),
            (
                ["publish", "--to", "influx+http://pi", "--ca-file", "/none", "--drain"], 66,
                "/none"
            ),
            (["publish", "fleet"], 78, "no sink is configured"),
        ]
        for (arguments, status, words) in cases {
            let outcome = try await workplace.run(arguments)
            #expect(
                outcome.status == status && outcome.errors.contains(words),
                "\(arguments): \(outcome)")
            #expect(!outcome.errors.contains("secret"))
        }
    }

    /// Nobody has to change the configuration because one vehicle reports no VIN.
    @Test(arguments: ["influx+http", "traccar+http", "webhook+http"])
    func `A trip without VIN and name is sent to no sink`(scheme: String) async throws {
        let adapter = try ScriptedAdapter(.tcp) { .say(PlainAdapter.answer($0.text)) }
        let log = try await workplace.run([
            "log", "rpm", "-d", adapter.address, "--no-codes", "--duration", "1s", "-q",
        ])
        #expect(log.status == 0, "\(log)")
        // Nothing can be sent, so no server is needed.
        let sink = "\(scheme)://127.0.0.1:9/x"
        let outcome = try await workplace.run(["publish", "--to", sink, "--drain", "--json"])
        #expect(
            outcome.status == 75 && outcome.errors.contains("without a VIN and a name"),
            "\(outcome)")
        #expect(try outcome.objects().first?["held"] as? Int == 1)
        let file = try workplace.file("one.toml", "[publish.one]\nto = \"\(sink)\"\n")
        let status = try await workplace.shell(
            "OBDSCAN_SYSTEM_CONFIG='\(file)' $OBDSCAN publish status --json")
        let row = try #require(
            try status.objects().first { $0["sink"] as? String == "one" }, "\(status)")
        #expect(row["waitingTrips"] as? Int == 1)
        #expect((row["waiting"] as? Int != nil) == (scheme == "influx+http"))
    }

    @Test func `A second program that publishes to the same sink is refused`() async throws {
        try await record()
        // No server listens on this port, so the first program waits.
        let sink = ["publish", "--to", "influx+http://127.0.0.1:9"]
        let first = try workplace.start(sink)
        try await first.lines(with: "it is tried again", on: .errors)
        let second = try await workplace.run(sink)
        #expect(
            second.status == 75 && second.errors.contains("another obdscan publish"), "\(second)")
        first.send(SIGINT)
        #expect(try await first.finish().status == 0)
        let status = try await workplace.run(["publish", "status", "--json"])
        let row = try #require(try status.objects().first)
        #expect(try #require(row["waiting"] as? Int) > 0 && row["active"] as? Bool == false)
    }

    @Test
    func `The user's own configuration precedes the configuration for all users`() async throws {
        try await record()
        let system = try workplace.file(
            "system.toml",
            """
            units = "us"
            [publish.fleet]
            to = "influx+http://127.0.0.1:9"
            tags = { fleet = "north" }
            """)
        try FileManager.default.createDirectory(
            atPath: workplace.path("obdscan"), withIntermediateDirectories: true)
        _ = try workplace.file(
            "obdscan/config.toml", "[publish.fleet]\nid = \"golf\"\nsignals = [\"rpm\"]\n")
        let outcome = try await workplace.shell(
            "OBDSCAN_SYSTEM_CONFIG=\(system) $OBDSCAN publish --print")
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 0 && !lines.isEmpty, "\(outcome)")
        #expect(
            lines.allSatisfy { line in
                let head = "vehicle=golf,vin=5XXBD1GA8LX000042,fleet=north,ecu="
                return line.hasPrefix("obd,\(head)") && line.contains(",signal=RPM,")
                    || line.hasPrefix("obd_code,\(head)") || line.hasPrefix("obd_machine,")
                    || line.hasPrefix("obd_trip,vehicle=golf,vin=5XXBD1GA8LX000042,fleet=north,")
            }, "\(outcome)")
    }
}

/// The engines that the tests start.
enum Engines {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    private static let root = URL(fileURLWithPath: folder + "/../..").standardizedFileURL.path
    private static let programs = root + "/.build/engine-programs"

    static let python = "/usr/bin/python3"
    static var hasPython: Bool { FileManager.default.isExecutableFile(atPath: python) }

    /// Whether a server is installed, or `scripts/engines` has downloaded it.
    static func has(_ program: String) -> Bool { path(program) != nil }

    /// The path of a program that is installed, or that `scripts/engines` has downloaded.
    static func path(_ program: String) -> String? {
        ["/usr/bin/", "/usr/sbin/", programs + "/usr/bin/", programs + "/usr/sbin/"]
            .map { $0 + program }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// A Python that has Home Assistant.
    static var homeAssistant: String? {
        let python = ProcessInfo.processInfo.environment["OBDSCAN_HOME_ASSISTANT"] ?? ""
        return FileManager.default.isExecutableFile(atPath: python) ? python : nil
    }

    /// A Python with the packages of the analysis recipes.
    static var analysis: String? {
        guard let folder = Emulator.folder else { return nil }
        let packages =
            (try? FileManager.default.contentsOfDirectory(atPath: folder + "/../lib")) ?? []
        let isThere = packages.contains {
            let place = folder + "/../lib/\($0)/site-packages/"
            return FileManager.default.fileExists(atPath: place + "duckdb_extension_sqlite_scanner")
                && FileManager.default.fileExists(atPath: place + "pandas")
        }
        return isThere ? folder + "/python" : nil
    }

    /// Whether libmosquitto is installed in the place where the program searches.
    static var hasLibrary: Bool {
        guard let handle = dlopen("libmosquitto.so.1", RTLD_LAZY) else { return false }
        dlclose(handle)
        return true
    }

    /// Starts the engines, calls `body` with their addresses, and stops them.
    static func running(
        _ workplace: Workplace, _ body: ([String: String]) async throws -> Void
    ) async throws {
        func engines(_ action: String) async throws -> Outcome {
            try await RunningProgram(
                "/bin/bash", [root + "/scripts/engines", action, workplace.path("engines")],
                environment: workplace.environment
            ).finish(within: 60)
        }
        let started = try await engines("start")
        var addresses: [String: String] = [:]
        for line in started.output.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words.count == 3 { addresses[words[0]] = words[2] }
        }
        do {
            try await body(addresses)
        } catch {
            _ = try await engines("stop")
            throw error
        }
        _ = try await engines("stop")
    }
}
