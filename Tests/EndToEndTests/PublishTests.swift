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
                ["log", "-d", "sim:?latency=5ms", "--duration", "2s", "-q"], within: 60)
            #expect(outcome.status == 0, "\(outcome)")
        }
        #expect(try await workplace.run(["dtc", "-d", "sim:", "-q"]).status == 0)
    }

    private func deliver(_ engine: String, _ address: [String], kills: Int) async throws {
        try await record()
        let outcome = try await RunningProgram(
            Engines.python,
            [
                Engines.folder + "/deliveries.py", Workplace.program, workplace.database, engine,
            ] + address + ["--kills", "\(kills)"], environment: workplace.environment
        ).finish(within: 120)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("all identical"), "\(outcome)")
    }

    @Test func `A server that misbehaves gets everything, and everything alike`() async throws {
        try await deliver("faults", [], kills: 12)
    }

    @Test(.enabled(if: Engines.has("victoria-metrics"), "no VictoriaMetrics"))
    func `VictoriaMetrics holds the readings of the database after publish was killed`()
        async throws
    {
        try await Engines.running(workplace) { addresses in
            let address = try #require(addresses["victoria"])
            try await deliver("victoria", [address], kills: 10)
            let check = try await workplace.run([
                "publish", "check", "--to", "influx+http://\(address)", "--json",
            ])
            let count = try #require(try check.objects().first)
            #expect(check.status == 0, "\(check)")
            #expect(count["delivered"] as? Int == count["found"] as? Int)
            let root = URL(fileURLWithPath: Engines.folder + "/../..").standardizedFileURL.path
            let boards = try await RunningProgram(
                Engines.python,
                [
                    Engines.folder + "/dashboard_queries.py", root + "/share/grafana/dashboards",
                    workplace.database, address,
                ], environment: workplace.environment
            ).finish(within: 60)
            #expect(boards.status == 0, "\(boards)")
        }
    }

    @Test(.enabled(if: Engines.has("influxd"), "no InfluxDB"))
    func `InfluxDB holds the readings of the database after publish was killed`() async throws {
        try await Engines.running(workplace) { addresses in
            try await deliver("influx", [try #require(addresses["influx"])], kills: 10)
        }
    }

    @Test(.enabled(if: Engines.has("mosquitto") && Engines.hasLibrary, "no mosquitto"))
    func `A subscriber gets the readings of the database after publish was killed`() async throws {
        try await Engines.running(workplace) { addresses in
            try await deliver("mqtt", [try #require(addresses["mosquitto"])], kills: 10)
        }
    }

    @Test(.enabled(if: Engines.has("nats-server") && Engines.hasLibrary, "no NATS"))
    func `A broker of MQTT 3.1.1 is talked to in its words`() async throws {
        try await Engines.running(workplace) { addresses in
            try await record()
            let outcome = try await workplace.run([
                "publish", "--to", "mqtt://\(try #require(addresses["nats"]))", "--drain", "--json",
            ])
            let sink = try #require(try outcome.objects().first)
            #expect(outcome.status == 0 && sink["complete"] as? Bool == true, "\(outcome)")
        }
    }

    @Test func `Each fault has its sentence and its exit code`() async throws {
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

    @Test func `Two that publish to the same sink would send everything twice`() async throws {
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

    @Test func `The configuration of all users is below the user's own`() async throws {
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
            lines.allSatisfy {
                $0.hasPrefix("obd,vehicle=golf,vin=5XXBD1GA8LX000042,fleet=north,ecu=")
                    && $0.contains(",signal=RPM,")
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
    static func has(_ program: String) -> Bool {
        ["/usr/bin/", "/usr/sbin/", programs + "/usr/bin/", programs + "/usr/sbin/"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + program)
        }
    }

    /// Whether libmosquitto is installed where the program looks for it.
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
