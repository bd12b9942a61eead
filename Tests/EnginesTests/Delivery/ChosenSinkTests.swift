import Glibc
import PIDTables
import Publishing
import Settings
import SystemIO
import Testing
import VehicleScan

@testable import Engines

@Suite struct `A chosen sink` {
    private func surroundings(
        _ variables: [String: String] = [:], home: String? = "/home/u"
    ) -> ChosenSink.Surroundings {
        .init(host: "van", home: home) { variables[$0] }
    }

    private func settings(
        _ text: String? = "influx+http://host:8428",
        _ change: (inout PublishSettings) -> Void = { _ in }
    ) throws -> PublishSettings {
        var settings = PublishSettings()
        settings.to = try text.map { text throws(SinkAddress.Fault) in try SinkAddress(text) }
        change(&settings)
        return settings
    }

    @Test func `sinks come from the configuration by name, or all in order`() throws {
        let known = ["b-2": try settings(), "a": try settings("mqtt://%H@broker")]
        let all = try ChosenSink.configured([], known, surroundings())
        #expect(all.map(\.name) == ["a", "b-2"])
        #expect(all.map(\.variable) == ["OBDSCAN_PUBLISH_A", "OBDSCAN_PUBLISH_B_2"])
        #expect(all[0].address.user == "van")
        #expect(try ChosenSink.configured(["b-2"], known, surroundings()).map(\.name) == ["b-2"])
    }

    @Test func `the error for an incomplete sink names the missing setting`() throws {
        let known = ["a": try settings(), "b": try settings(nil)]
        #expect(throws: SinkFault.noneConfigured) {
            try ChosenSink.configured([], [:], surroundings())
        }
        #expect(throws: SinkFault.unknown("c", known: ["a", "b"])) {
            try ChosenSink.configured(["a", "c"], known, surroundings())
        }
        #expect(throws: SinkFault.noAddress("b")) {
            try ChosenSink.configured([], known, surroundings())
        }
        #expect(throws: SinkFault.badAddress(.unknownScheme, text: "ftp://host")) {
            try ChosenSink(named: "ftp://host", PublishSettings(), surroundings())
        }
    }

    @Test func `the name of a sink by address leaves out the user's name`() throws {
        let sink = try ChosenSink(named: "mqtt://me@broker", PublishSettings(), surroundings())
        #expect(sink.name == "mqtt://broker" && sink.address.user == "me")
        #expect(sink.variable == "OBDSCAN_PUBLISH")
    }

    @Test func `two machines of one name have two names at a broker`() throws {
        let clients = try ["a1", "b2", nil].map { machine in
            try ChosenSink(
                named: "mqtt://broker", PublishSettings(),
                .init(host: "pi", machine: machine, home: nil) { _ in nil }
            ).client
        }
        #expect(Set(clients).count == 3, "\(clients)")
        #expect(clients.allSatisfy { $0.hasPrefix("obdscan-pi") }, "\(clients)")
        let known = ["a": try settings("mqtt://broker") { $0.client = "bus-%H" }]
        #expect(try ChosenSink.configured([], known, surroundings())[0].client == "bus-van")
    }

    @Test func `a machine is identified by its serial number, else by its machine id`() throws {
        func file(_ text: String) -> String {
            var template = Array("/tmp/obdscan-machine-XXXXXX".utf8CString)
            let file = mkstemp(&template)
            #expect(write(file, text, text.utf8.count) == text.utf8.count)
            close(file)
            return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        let (serial, id, empty) = (file("10000000abcdef01\0"), file("f3b1\n"), file("0000\n"))
        defer { for path in [serial, id, empty] { unlink(path) } }
        let board = try #require(machineDigest([serial, id]))
        #expect(board.count == 8 && board != machineDigest([id]))
        #expect(machineDigest([empty, id]) == machineDigest([id]))
        #expect(machineDigest(["/nowhere/serial", empty]) == nil)
    }

    @Test func `a secret in the environment precedes its file`() throws {
        var template = Array("/tmp/obdscan-secret-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { unlink(path) }
        #expect(write(file, "from file\nnot this\n", 19) == 19)
        close(file)
        let known = ["a": try settings { $0.passwordFile = path }]
        let read = try ChosenSink.configured([], known, surroundings())[0]
        #expect(try read.secret(.password) == "from file")
        #expect(try read.secret(.token) == nil)
        #expect(try read.httpSetup().userPassword == "obdscan:from file")
        let named = try ChosenSink.configured(
            [], known, surroundings(["OBDSCAN_PUBLISH_A_PASSWORD": "from environment"]))[0]
        #expect(try named.secret(.password) == "from environment")
        #expect(truncate(path, 0) == 0)
        #expect(throws: SinkFault.emptySecret(path: path, .password)) {
            try read.secret(.password)
        }
    }

    @Test(
        arguments: [
            ("~/no-such-file", "/nonexistent", "/nonexistent/no-such-file"),
            ("/nonexistent/%H.pem", nil, "/nonexistent/van.pem"), ("~/x", nil, "~/x"),
        ] as [(String, String?, String)])
    func `a sink's files are found in the user's home`(file: String, home: String?, path: String)
        throws
    {
        let known = ["a": try settings { $0.caFile = file }]
        let sink = try ChosenSink.configured([], known, surroundings(home: home))[0]
        #expect(throws: SinkFault.unreadable(path: path, errno: ENOENT)) { try sink.httpSetup() }
    }

    @Test(
        arguments: [
            ([], nil, false), (["all"], nil, true), (["RPM", "vss"], ["rpm", "vss"], false),
            (["rpm"], ["rpm"], false),
        ] as [([String], Set<String>?, Bool)])
    func `the signals of the sink's settings are sent`(
        names: [String], signals: Set<String>?, hasAll: Bool
    ) throws {
        let known = [
            "a": try settings {
                $0.signals = names
                $0.id = "car-%H"
                $0.tags = ["where": "%H", "a": "b"]
            }
        ]
        let sink = try ChosenSink.configured([], known, surroundings())[0]
        let selection = try sink.selection(trips: [3], tables: [], aliases: ["van": "tcp:a:1"])
        #expect(selection.signals == signals && selection.hasAllSignals == hasAll)
        #expect(selection.id == "car-van" && selection.trips == [3])
        #expect(selection.tags.map { "\($0.name)=\($0.value)" } == ["a=b", "where=van"])
        #expect(selection.aliases == ["tcp:a:1": "van"])
    }

    @Test func `a signal that is in no table is refused`() throws {
        let known = ["a": try settings { $0.signals = ["warp"] }]
        let sink = try ChosenSink.configured([], known, surroundings())[0]
        #expect(throws: SignalError.self) {
            try sink.selection(trips: nil, tables: [], aliases: [:])
        }
    }

    @Test(arguments: [true, false])
    func `codes are read for a broker only if its settings request them`(takes: Bool) throws {
        let known = ["a": try settings("mqtt://broker") { $0.takesCommands = takes }]
        let sink = try ChosenSink.configured([], known, surroundings())[0]
        let broker = try sink.broker(
            SinkSelection(), database: "", drains: true, version: "1"
        ) { _ in "read" }
        #expect((broker.readCodes != nil) == takes)
        #expect(broker.discoveryPrefix == "homeassistant" && broker.history == nil)
    }

    @Test func `every sink needs whole trips, except a broker that gets only states`() throws {
        var all = UserSettings()
        all.publish = [
            "engine": try settings(), "states": try settings("mqtt://broker"),
            "past": try settings("mqtt://broker") { $0.history = .json }, "none": try settings(nil),
        ]
        #expect(all.sinksOfTrips == ["engine", "past"])
        #expect(all.hasSinkOfReadings)
    }

    @Test(
        arguments: [
            ("influx+http://pi", true), ("traccar+http://pi", false), ("webhook+http://pi", false),
            ("mqtt://pi", false), ("abrp+http://pi", false),
        ])
    func `only a sink that gets readings allows a delivered trip to be deleted`(
        to: String, holds: Bool
    )
        throws
    {
        var all = UserSettings()
        all.publish = ["a": try settings(to)]
        #expect(all.hasSinkOfReadings == holds)
        #expect(all.sinksOfTrips == (to.hasPrefix("mqtt") || to.hasPrefix("abrp") ? [] : ["a"]))
    }

    @Test(
        arguments: [
            ("influx+http://pi", true), ("mqtt://pi", true), ("traccar+http://pi", false),
            ("webhook+http://pi", false), ("abrp+http://pi", false),
        ])
    func `engines and brokers get the state of the computer`(to: String, gets: Bool) throws {
        let known = ["a": try settings(to)]
        let sink = try ChosenSink.configured([], known, surroundings())[0]
        let beat = sink.heartbeat(version: "1")
        #expect((beat != nil) == gets && beat.map { $0.interval == .seconds(60) } != false)
        let off = ["a": try settings(to) { $0.heartbeat = .zero }]
        #expect(
            try ChosenSink.configured([], off, surroundings())[0].heartbeat(version: "1") == nil)
    }
}
