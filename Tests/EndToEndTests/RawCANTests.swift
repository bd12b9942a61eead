import Foundation
import Testing

/// The whole program on raw CAN frames.
///
/// The output is that of the same vehicle with an ELM327.
@Suite(.ownThreads) struct `Links without an ELM327` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private func device(
        _ personality: String, _ vehicle: String = "petrol", _ rest: String = ""
    ) -> String {
        "sim:\(vehicle)?frozen=true&latency=2ms&codes=P0301,P0420&personality=\(personality)\(rest)"
    }

    /// The objects that a command prints, sorted, without the values that differ between links: the time, the
    /// adapter, its voltage, and the order of ECUs.
    private func objects(_ command: [String], _ device: String) async throws -> [String] {
        let outcome = try await workplace.run(
            command + ["--format", "json", "-d", device], within: 90)
        #expect(outcome.status == 0, "\(command) \(device): \(outcome)")
        return try outcome.objects().filter {
            $0["kind"] as? String != "adapter" && $0["signal"] as? String != "ADAPTER_VOLTAGE"
        }.map { object in
            var object = object
            object["time"] = nil
            let text = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
            return String(decoding: text, as: UTF8.self)
        }.sorted()
    }

    private static let commands = [
        ["read", "RPM", "VSS", "ECT", "LOAD_PCT"], ["dtc"], ["dtc", "list", "--all-modules"],
        ["monitors"], ["freeze"], ["info"],
    ]

    /// `LinkAnswerTests` compares the answers of every kind of link on a manual clock.
    ///
    /// A walk over all modules takes half a minute, most of which is silence: one link takes it beside the ELM327.
    @Test(arguments: commands)
    func `raw CAN gives the answers of an ELM327`(command: [String]) async throws {
        let isLong = command.contains("--all-modules")
        let links = isLong ? ["elm327", "can"] : ["elm327", "slcan", "can"]
        let all = try await withThrowingTaskGroup { tasks in
            for link in links {
                tasks.addTask { (link, try await objects(command, device(link))) }
            }
            return try await tasks.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(all.count == links.count && all["elm327"] != [])
        for link in links.dropFirst() { #expect(all[link] == all["elm327"], "\(link)") }
    }

    @Test(arguments: ["onuds", "electric"])
    func `codes and vehicle data of other vehicles match an ELM327's, too`(vehicle: String)
        async throws
    {
        for command in [["dtc"], ["info"]] {
            let here = try await objects(command, device("slcan", vehicle))
            let there = try await objects(command, device("elm327", vehicle))
            #expect(here == there, "\(command)")
        }
    }

    @Test func `a truck reports its codes`() async throws {
        func codes(_ device: String) async throws -> Set<String> {
            let outcome = try await workplace.run(["dtc", "--format", "json", "-d", device])
            return Set(try outcome.objects().compactMap { $0["code"] as? String })
        }
        let here = try await codes("sim:truck?personality=slcan&latency=2ms")
        let there = try await codes("sim:truck?latency=2ms")
        #expect(here == there && !here.isEmpty)
    }

    @Test func `send works with services, and AT commands are refused`() async throws {
        let sent = try await workplace.run(["send", "0902", "-d", device("slcan")])
        #expect(sent.output.hasPrefix("7E8 490201"), "\(sent)")
        let refused = try await workplace.run(["send", "AT RV", "-d", device("slcan")])
        #expect(refused.status == 69, "\(refused)")
        #expect(refused.errors.contains("no adapter there takes commands"), "\(refused)")
    }

    @Test(arguments: ["slcan", "can"]) func `a recording replays`(personality: String)
        async throws
    {
        let talk = try await workplace.shell(
            """
            "$OBDSCAN" dtc --format json --record talk -d '\(device(personality))' > live && \
            "$OBDSCAN" dtc --format json -d replay:talk > again && \
            for f in live again; do sed -E 's/"time":"[^"]*"//' $f > $f.1; done
            diff live.1 again.1 && echo same
            """)
        #expect(talk.output.contains("same"), "\(talk)")
    }

    @Test func `a bus is watched, logged and decoded`() async throws {
        let device = device("slcan")
        let watched = try await workplace.run(
            ["monitor", "--duration", "1", "--id", "0C9", "--format", "json", "-d", device])
        #expect(watched.status == 0, "\(watched)")
        let frames = try watched.objects()
        #expect(frames.count > 20 && frames.allSatisfy { $0["id"] as? String == "0C9" })
        let talk = try await workplace.shell(
            """
            "$OBDSCAN" monitor --duration 1 --to bus.log -d '\(device)' && head -1 bus.log && \
            "$OBDSCAN" decode --format json bus.log | head -1
            """)
        #expect(talk.status == 0, "\(talk)")
        #expect(talk.output.contains(") ") && talk.output.contains("#"))
        #expect(talk.output.contains("\"kind\":\"frame\""), "\(talk)")
        let rates = try await workplace.run(
            [
                "monitor", "--duration", "1", "--rates", "--format", "json", "-d",
                "sim:petrol?personality=slcan",
            ])
        #expect(try rates.objects().allSatisfy { $0["kind"] as? String == "frameRate" })
        #expect(
            try rates.objects().contains {
                ($0["changed"] as? String)?.contains { $0 != "0" } == true
            },
            "\(rates)")
    }

    @Test func `the bytes of a bus that change are shown on a terminal`() async throws {
        let program = try workplace.startOnTerminal(
            [
                "monitor", "--changes", "--id", "0C9", "--id", "1E5", "-d",
                "sim:petrol?personality=slcan",
            ])
        try await program.shows("2 identifiers")
        // The engine speed has the first two bytes, and changes.
        try await program.shows("\u{1B}[0m*", after: "0C9 ")
        program.type("#")
        program.type(" ")
        try await program.shows("held")
        program.type("q")
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome)")
        let piped = try await workplace.run(["monitor", "--changes", "-d", device("slcan")])
        #expect(piped.status == 64, "\(piped)")
        #expect(piped.errors.contains("--changes needs a terminal"), "\(piped)")
    }

    /// `monitor` prints the objects that `decode` finds in a log of the same frames, without lines.
    @Test(arguments: ["can", "slcan", "elm327"]) func `values of a live bus equal those of its log`(
        personality: String
    ) async throws {
        let table = try workplace.file(
            "car.dbc",
            """
            BO_ 201 Motor: 8 A
             SG_ Rpm : 7|16@0+ (0.25,0) [0|16383] "rpm" A
             SG_ Far : 120|8@1+ (1,0) [0|0] "" A
            BO_ 485 Steering: 8 A
             SG_ Angle : 0|16@1- (0.1,0) [0|0] "deg" A

            """)
        let live = try await workplace.run([
            "monitor", "--all", "--table", table, "--to", workplace.path("bus.log"), "--duration",
            "1",
            "--format", "json", "-d", device(personality),
        ])
        let log = try await workplace.run([
            "decode", "--table", table, "--format", "json", workplace.path("bus.log"),
        ])
        func readings(_ outcome: Outcome) throws -> [String] {
            try outcome.objects().filter { $0["kind"] as? String == "reading" }.map { object in
                var object = object
                object["line"] = nil
                let text = try JSONSerialization.data(
                    withJSONObject: object, options: .sortedKeys)
                return String(decoding: text, as: UTF8.self)
            }
        }
        #expect(live.status == 0 && log.status == 0, "\(live) \(log)")
        #expect(try readings(live).count > 50)
        #expect(try readings(live) == readings(log))
    }

    private static let motor =
        "BO_ 201 Motor: 8 A\n SG_ Rpm : 7|16@0+ (0.25,0) [0|16383] \"rpm\" A\n"
        + "BO_ 485 Steering: 8 A\n SG_ Angle : 0|16@1- (0.1,0) [0|0] \"deg\" A\n"

    /// What a session wrote, by its transcript.
    private func sent(_ talk: String) throws -> [String] {
        try String(contentsOfFile: talk, encoding: .utf8).split(separator: "\n")
            .filter { $0.contains(" > ") }
            .compactMap { $0.split(separator: " > ", maxSplits: 1).last.map(String.init) }
    }

    /// The PIDs of service 01 that were requested of all ECUs.
    private func askedPIDs(_ talk: String) throws -> Set<String> {
        Set(
            try sent(talk).compactMap { line in
                if let found = line.firstMatch(of: /^t7DF80201(..)/) { return String(found.1) }
                return line.firstMatch(of: /\\x08\\x00\\x00\\x00\\x02\\x01\\x(..)/).map {
                    String($0.1)
                }
            })
    }

    /// One session polls a signal of service 01 and hears one of a frame; its trip has both.
    @Test(arguments: [("log", "can"), ("log", "slcan"), ("live", "can"), ("live", "slcan")])
    func `signals are polled and heard together`(command: String, personality: String) async throws
    {
        let table = try workplace.file("car.dbc", Self.motor)
        let talk = workplace.path("talk")
        let outcome = try await workplace.run(
            [
                command, "RPM", "Motor.Rpm", "--table", table, "--duration", "3", "--format",
                "json",
                "--record", talk, "-d",
                "sim:petrol?latency=2ms&personality=\(personality)",
            ] + (command == "live" ? ["--log"] : []), within: 60)
        #expect(outcome.status == 0, "\(outcome)")
        let readings = try outcome.objects().filter { $0["kind"] as? String == "reading" }
        func values(_ signal: String) -> [Double] {
            readings.filter { $0["signal"] as? String == signal }
                .compactMap { $0["value"] as? Double }
        }
        #expect(values("RPM").count > 1 && values("Motor.Rpm").count > 1, "\(outcome)")
        // The supported PIDs and the check engine light are asked for in any case.
        let asked = try askedPIDs(talk)
        #expect(asked.contains("0C") && asked.isSubset(of: ["00", "01", "0C"]), "\(asked)")
        #expect(!readings.contains { $0["signal"] as? String == "Steering.Angle" })
        // Both are the speed of one engine.
        let near = zip(
            values("Motor.Rpm"),
            values("Motor.Rpm").map { heard in
                values("RPM").map { abs($0 - heard) }.min() ?? .infinity
            })
        #expect(near.allSatisfy { $0.1 < 100 }, "\(outcome)")
        let stored = try await workplace.run(["export", "--format", "json"])
        let names = Set(try stored.objects().compactMap { $0["signal"] as? String })
        #expect(names.isSuperset(of: ["RPM", "Motor.Rpm"]), "\(stored)")
        #expect(!names.contains("Steering.Angle"))
    }

    /// EEC1 and CCVS1 come by themselves, FF02 never, and ECUs have hours only on request.
    private static let truck = """
        BO_ 2364540158 EEC1: 8 A
         SG_ EngSpeed : 24|16@1+ (0.125,0) [0|8031.875] "rpm" A
        BO_ 2566844926 CCVS1: 8 A
         SG_ Speed : 8|16@1+ (0.00390625,0) [0|250] "km/h" A
        BO_ 2566841854 HOURS: 8 A
         SG_ Hours : 0|32@1+ (0.05,0) [0|0] "h" A
        BO_ 2566849278 OWN: 8 A
         SG_ Foo : 0|8@1+ (1,0) [0|0] "" A
        BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","J1939PG";
        BA_DEF_DEF_ "VFrameFormat" "J1939PG";

        """

    /// The parameter groups that were requested, in their order.
    private func askedGroups(_ talk: String) throws -> [String] {
        try sent(talk).compactMap { line in
            if let found = line.firstMatch(of: /^T18EAFFF93(..)(..)00/) {
                return "\(found.2)\(found.1)"
            }
            return line.firstMatch(
                of: /^\\xF9\\xFF\\xEA\\x98\\x03\\x00\\x00\\x00(\\x..|.)(\\x..|.)/
            ).map {
                "\($0.2)\($0.1)".replacing("\\x", with: "")
            }
        }
    }

    /// The set-up asks for DM1 and the trip for the VIN and the names of ECUs.
    @Test(arguments: [("log", "can"), ("log", "slcan"), ("live", "slcan")])
    func `groups that a truck sends by itself are not requested`(
        command: String, personality: String
    ) async throws {
        let table = try workplace.file("truck.dbc", Self.truck)
        let talk = workplace.path("talk")
        let outcome = try await workplace.run(
            [
                command, "EEC1.EngSpeed", "CCVS1.Speed", "HOURS.Hours@1Hz", "SPN110", "OWN.Foo",
                "--table", table,
                "--duration", "5", "--format", "json", "--record", talk, "-d",
                "sim:truck?latency=2ms&personality=\(personality)",
            ] + (command == "log" ? ["--no-codes"] : []), within: 60)
        #expect(outcome.status == 0, "\(outcome)")
        let readings = try outcome.objects().filter { $0["kind"] as? String == "reading" }
        func count(_ signal: String) -> Int {
            readings.count { $0["signal"] as? String == signal }
        }
        for (signal, range) in [
            ("EEC1.EngSpeed", 20...60), ("CCVS1.Speed", 20...60), ("SPN110", 3...6),
            ("HOURS.Hours", 2...6), ("OWN.Foo", 0...0),
        ] {
            #expect(range.contains(count(signal)), "\(signal) \(count(signal)): \(outcome.errors)")
        }
        let asked = Set(try askedGroups(talk))
        #expect(asked.contains("FEE5"), "\(asked)")
        #expect(asked.isSubset(of: ["FEE5", "FECA", "FEEC", "FEEB"]), "\(asked)")
        #expect(
            outcome.errors.contains("No message of 1 parameter group (FF02) was heard"),
            "\(outcome)")
    }

    @Test func `an ELM327 requests the groups of a truck, and says why`() async throws {
        let table = try workplace.file("truck.dbc", Self.truck)
        let outcome = try await workplace.run(
            [
                "log", "EEC1.EngSpeed", "OWN.Foo", "--no-codes", "--table", table, "--duration",
                "1", "-d",
                "sim:truck?latency=2ms",
            ], within: 60)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "this adapter does not hear the bus beside requests, so 1 parameter group of your tables is"
            ),
            "\(outcome)")
        #expect(outcome.errors.contains("\"OWN.Foo\" is in messages that ECUs send"), "\(outcome)")
    }

    @Test func `a car on a CAN interface says that it does not hear groups of SAE J1939`()
        async throws
    {
        let table = try workplace.file("truck.dbc", Self.truck)
        let outcome = try await workplace.run([
            "log", "OWN.Foo", "--no-codes", "--table", table, "--duration", "1", "-d",
            device("can"),
        ])
        #expect(outcome.status == 69, "\(outcome)")
        #expect(
            outcome.errors.contains("does not answer by that: only --listen can hear it"),
            "\(outcome)")
    }

    @Test func `without named signals all signals of table and vehicle are heard or polled`()
        async throws
    {
        let table = try workplace.file("car.dbc", Self.motor)
        let outcome = try await workplace.run([
            "log", "--table", table, "--duration", "3", "--format", "json", "-d", device("can"),
        ])
        #expect(outcome.status == 0, "\(outcome)")
        let names = Set(try outcome.objects().compactMap { $0["signal"] as? String })
        #expect(names.isSuperset(of: ["RPM", "VSS", "Motor.Rpm", "Steering.Angle"]), "\(outcome)")
        #expect(!outcome.errors.contains("left out"), "\(outcome)")
    }

    @Test func `signals that are heard alone ask for nothing while they are recorded`() async throws
    {
        let table = try workplace.file("car.dbc", Self.motor)
        let talk = workplace.path("talk")
        let outcome = try await workplace.run([
            "log", "Motor.Rpm", "--no-codes", "--table", table, "--duration", "3", "--format",
            "json",
            "--record", talk, "-d", device("can"),
        ])
        #expect(outcome.status == 0, "\(outcome)")
        let names = Set(
            try outcome.objects().filter { $0["kind"] as? String == "reading" }
                .compactMap { $0["signal"] as? String })
        #expect(names.contains("Motor.Rpm"), "\(outcome)")
        #expect(!names.contains("RPM"), "\(outcome)")
        // The vehicle is found, and asked for its VIN and the names of its ECUs; then nothing is written.
        #expect(try askedPIDs(talk) == ["00"])
        let lines = try String(contentsOfFile: talk, encoding: .utf8).split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.contains(" > ") })
        #expect(lines[last...].count { $0.contains(" < ") && $0.contains("\\xC9") } > 1)
        #expect(try sent(talk).count <= 10)
    }

    @Test(arguments: [["log", "RPM"], ["live", "RPM"], ["live"]])
    func `the error names an adapter that cannot hear frames beside requests`(command: [String])
        async throws
    {
        let table = try workplace.file("car.dbc", Self.motor)
        let alone = try await workplace.run([
            command[0], "Motor.Rpm", "--table", table, "--duration", "1", "-d", device("elm327"),
        ])
        #expect(alone.status == 69, "\(alone)")
        for words in ["on can: and slcan:", "--listen"] {
            #expect(alone.errors.contains(words), "\(alone)")
        }
        let some = try await workplace.run(
            command + (command.count > 1 ? ["Motor.Rpm"] : [])
                + ["--table", table, "--duration", "1", "-d", device("elm327")])
        #expect(some.status == 0, "\(some)")
        #expect(some.errors.contains("on can: and slcan:"), "\(some)")
    }

    @Test func `a heard signal takes no interval`() async throws {
        let table = try workplace.file("car.dbc", Self.motor)
        let outcome = try await workplace.run([
            "log", "Motor.Rpm@10Hz", "--table", table, "--duration", "1", "-d", device("can"),
        ])
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains("takes no interval"), "\(outcome)")
    }

    /// Neither a request nor a search leaves; the transcript has every byte that was written.
    @Test(
        arguments: [
            ("monitor", "can"), ("monitor", "slcan"), ("monitor", "elm327"), ("monitor", "stn"),
            ("live", "can"), ("live", "elm327"), ("log", "can"), ("log", "slcan"),
        ]) func `a session that listens sends nothing`(command: String, personality: String)
        async throws
    {
        let talk = workplace.path("\(command)-\(personality)")
        let table = try workplace.file(
            "car.dbc", "BO_ 201 Motor: 8 A\n SG_ Rpm : 7|16@0+ (0.25,0) [0|16383] \"rpm\" A\n")
        let outcome = try await workplace.run(
            [command, "--table", table, "--duration", "1", "--record", talk, "--format", "json"]
                + (command == "monitor" ? [] : ["--listen"]) + ["-d", device(personality)])
        #expect(outcome.status == 0, "\(outcome)")
        let values = try outcome.objects().filter { $0["signal"] as? String == "Motor.Rpm" }
        #expect(!values.isEmpty, "\(outcome)")
        let sent = try String(contentsOfFile: talk, encoding: .utf8).split(separator: "\n")
            .filter { $0.contains(" > ") }.compactMap { $0.split(separator: "> ").last }
        switch personality {
        case "can": #expect(sent.isEmpty, "\(sent)")
        case "slcan":
            #expect(
                sent.allSatisfy { line in
                    line.replacing("\\r", with: " ").split(separator: " ").allSatisfy {
                        $0 == "C" || $0 == "L" || $0.hasPrefix("S")
                    }
                }, "\(sent)")
        default:
            #expect(sent.contains { $0.contains("MA") || $0.contains("STM") })
            #expect(sent.allSatisfy { $0.hasPrefix("AT") || $0.hasPrefix("ST") || $0 == "\\x20" })
            #expect(!sent.contains { $0.hasPrefix("ATSP0") || $0.hasPrefix("ATSPA") })
        }
    }

    @Test func `a simulation of another process is found on TCP`() async throws {
        let server = try workplace.start(["simulate", "--personality", "slcan", "--tcp", "0"])
        let address = try #require(await server.lines(with: "slcan:").first)
        let read = try await workplace.run(["read", "RPM", "--format", "json", "-d", address])
        #expect(read.status == 0, "\(read)")
        server.send(SIGTERM)
        _ = try await server.finish()
    }
}
