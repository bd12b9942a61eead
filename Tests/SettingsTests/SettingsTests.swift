import PIDTables
import Testing
import VehicleScan

@testable import Settings

/// Here every text is an address unless it begins with `bad:`, and a condition contains `>`.
private let checks = SettingsChecks(
    addressFault: { $0.hasPrefix("bad:") ? "for the test" : nil },
    isCondition: { $0.contains(">") })

@Suite struct `The configuration as a value` {
    private func parsed(_ text: String) throws(SettingsError) -> UserSettings {
        try SettingsText.read(Array(text.utf8), checks).faultless()
    }

    @Test func `every setting is read`() throws {
        let settings = try parsed(
            """
            # What I drive.
            device = "van"
            adapter = "stn"
            protocol = 6
            units = "us"
            database = "~/trips.db"
            battery-safe = false
            keep = "365d"
            keep-free = "1.5GB"
            commit-every = "90s"
            signals = ["rpm@10Hz", "VSS"]
            pids = ["~/car.pids", "/etc/obdscan/pids"]
            codes = "off"
            keep-positions = "30d"
            private = ["18:00-06:00", "12:00-13:00"]
            private-zones = ["48.137,11.576,500m"]

            [vehicles]
            WVWZZZ1KZAW000001 = "Van 7"

            [aliases]
            van = "tcp:192.168.0.10:35000" # the white one

            [views]
            commute = ["RPM", "VSS",
                       "FLI"]
            """)
        #expect(settings.device == "van")
        #expect(settings.adapter == .stn)
        #expect(settings.vehicleProtocol?.vehicleProtocol == .can11At500)
        #expect(settings.units == .us)
        #expect(settings.database == "~/trips.db")
        #expect(settings.batterySafe == false)
        #expect(settings.keep?.limit?.duration == .seconds(365 * 86_400))
        #expect(settings.keepFree?.limit?.bytes == 1_500_000_000)
        #expect(settings.keepPositions?.limit?.duration == .seconds(30 * 86_400))
        #expect(!settings.privacy.isAlways && settings.privacy.hours.count == 2)
        #expect(settings.privacy.zones.map(\.radius) == [500])
        #expect(settings.vehicles == ["WVWZZZ1KZAW000001": "Van 7"])
        #expect(settings.commitEvery == .seconds(90))
        #expect(settings.signals == ["rpm@10Hz", "VSS"])
        #expect(settings.pids == ["~/car.pids", "/etc/obdscan/pids"])
        #expect(settings.codes == false)
        let unattended = [
            "keep", "keep-free", "commit-every", "signals", "pids", "codes", "keep-positions",
            "private", "private-zones", "vehicles.WVWZZZ1KZAW000001",
        ]
        #expect(
            unattended.map { SettingsKey.named($0)?.get(settings) } == [
                "365d", "1500MB", "90s", "rpm@10Hz VSS", "~/car.pids /etc/obdscan/pids", "off",
                "30d",
                "18:00-06:00 12:00-13:00", "48.137,11.576,500m", "Van 7",
            ])
        #expect(settings.views == ["commute": ["RPM", "VSS", "FLI"]])
        #expect(settings.aliases == ["van": "tcp:192.168.0.10:35000"])
        #expect(try parsed("") == UserSettings())
    }

    /// A text, and the fault in it.
    @Test(
        arguments: [
            ("device = \"bad:x\"", .wrong("device", "bad:x", .address("for the test")), 1),
            ("[aliases]\nvan = \"bus\"", .wrong("aliases.van", "bus", .notAnAddress), 2),
            (
                "alarms = [\"ECT>1\", \"ECT\"]",
                .wrong("alarms", "ECT>1 ECT", .notACondition("ECT")), 1
            ),
            ("devise = \"a\"", .unknown("devise", near: "device"), 1),
            ("nothing = \"a\"", .unknown("nothing", near: nil), 1),
            ("heartbeat = \"60s\"", .unknown("heartbeat", near: "publish.NAME.heartbeat"), 1),
            ("views = 3", .notATable("views"), 1),
            ("units = [1]", .notAText("units"), 1),
            ("[views]\na = [1]", .notAList("views.a"), 2),
            ("[fuel]\nprice = -1", .wrong("fuel.price", "-1", .notANumber(0...1_000_000)), 2),
            ("keep = \"1h\"", .wrong("keep", "1h", .notAnAge), 1),
            ("keep = 365", .wrong("keep", "365", .notAnAge), 1),
            ("keep-free = \"5%\"", .wrong("keep-free", "5%", .notASpace), 1),
            ("commit-every = \"2h\"", .wrong("commit-every", "2h", .notACommitInterval), 1),
            ("commit-every = \"0s\"", .wrong("commit-every", "0s", .notACommitInterval), 1),
            (
                "[publish.a]\nheartbeat = \"1s\"",
                .wrong("publish.a.heartbeat", "1s", .notAHeartbeat), 2
            ),
            ("private = \"18:00\"", .wrong("private", "18:00", .notHours), 1),
            ("private = []", .wrong("private", "", .notHours), 1),
            (
                "private = [\"on\", \"18:00-06:00\"]",
                .wrong("private", "on 18:00-06:00", .notHours), 1
            ),
            ("private-zones = \"48,11\"", .wrong("private-zones", "48,11", .notAZone), 1),
            ("keep-positions = \"12h\"", .wrong("keep-positions", "12h", .notAnAge), 1),
            (
                "[vehicles]\nWVWZZZ1KZAW000001 = \"\"",
                .wrong("vehicles.WVWZZZ1KZAW000001", "", .empty), 2
            ),
            ("signals = []", .wrong("signals", "", .noSignal), 1),
            ("pids = [\"/a\", \"car.pids\"]", .wrong("pids", "/a car.pids", .notAPath), 1),
            ("codes = \"maybe\"", .wrong("codes", "maybe", .notOnOrOff), 1),
            ("units =", .syntax("a value is missing"), 1),
        ] as [(String, SettingsError.Fault, Int)])
    func `a fault has a kind and a line`(
        text: String, fault: SettingsError.Fault, line: Int
    ) {
        #expect(throws: SettingsError(fault, line)) { try parsed(text) }
    }

    @Test func `bytes that are not text are refused`() {
        #expect(throws: SettingsError(.notUTF8, nil)) { try SettingsText.read([0xFF], checks) }
    }

    @Test func `a wrong setting does not affect the others`() throws {
        let contents = try SettingsText.read(
            Array("units = \"furlongs\"\ngps = \"gpsd://a:1\"\n".utf8), checks)
        #expect(contents.settings.gps == "gpsd://a:1" && contents.settings.units == nil)
        #expect(contents.faults.map(\.name) == ["units"])
    }

    @Test(arguments: [
        ("commit_every", "commit-every"), ("heartbeat", "publish.NAME.heartbeat"),
        ("publish.hartbeat", "publish.NAME.heartbeat"), ("publish.home", "publish.home.to"),
        ("publsh.home.possition", "publish.home.position"), ("publish.home.zzz", nil),
        ("publish.a.b.c.d", nil), ("alias.van", "aliases.van"), ("aliases", "aliases.NAME"),
        ("price", "fuel.price"), ("fuel.WVWZZZ1KZAW000001.prise", "fuel.WVWZZZ1KZAW000001.price"),
        ("zzz", nil),
    ])
    func `the error for an unknown setting suggests a similar name`(name: String, near: String?) {
        #expect(SettingsKey.nearest(to: name) == near)
    }

    @Test func `each setting of a sink has a different meaning`() {
        let meanings = SettingsKey.publishKeys.map { SettingsKey.named("publish.a.\($0)")?.meaning }
        #expect(Set(meanings).count == meanings.count && !meanings.contains(nil))
    }

    @Test(arguments: ["on", "off"])
    func `each switch shows both of its positions`(value: String) throws {
        let switches = SettingsKey.plain.filter(\.isFlag)
        #expect(switches.map(\.name) == ["battery-safe", "private", "codes"])
        for key in switches {
            #expect(key.get(try parsed("")) == nil)
            #expect(key.get(try parsed("\(key.name) = \"\(value)\"")) == value, "\(key.name)")
        }
    }

    /// The trips of `log`, `live` and `serve` have positions, so all three obey the settings about them.
    @Test func `the settings of trips name all commands that record trips`() {
        for name in ["private", "private-zones", "codes", "commit-every", "gps"] {
            #expect(
                SettingsKey.named(name).map { Set($0.commands) } == ["live", "log", "serve"],
                "\(name)")
        }
    }

    @Test func `a change that cannot be read back is refused`() {
        func change(_ text: String, _ name: String, _ value: String?) throws(SettingsChangeError) {
            _ = try SettingsText.changed(
                Array(text.utf8), name, to: value.map { [$0] }, isList: false, checks)
        }
        #expect(
            throws: SettingsChangeError.after(.init(.wrong("gps", "x", .notAPositionSource), 1))
        ) { try change("", "gps", "x") }
        #expect(throws: SettingsChangeError.before(.init(.unknown("a", near: nil), 1))) {
            try change("a = 1", "units", "us")
        }
        #expect(throws: SettingsChangeError.after(.init(.inBraces("aliases.a"), nil))) {
            try change("aliases = {a = \"sim:\"}", "aliases.a", nil)
        }
    }

    @Test func `a setting for one vehicle precedes the setting for all`() throws {
        let settings = try parsed(
            "[fuel]\nprice = 1.5\ncurrency = \"EUR\"\n[fuel.VIN]\nprice = 2\n")
        let profile = settings.fuelProfile(of: "VIN")
        #expect(profile.price == 2 && profile.currency == "EUR")
        #expect(settings.fuelProfile(of: nil).price == 1.5)
        #expect(settings.fuelNames == ["fuel.price", "fuel.currency", "fuel.VIN.price"])
    }

    /// The command line and the environment take precedence over the file.
    @Test(arguments: [
        ("device", ["live", "-d", "sim:"], "", true),
        ("device", ["live", "-vd", "sim:"], "", true),
        ("device", ["live", "--device=sim:"], "", true),
        ("device", ["live", "--", "-d", "sim:"], "", false),
        ("device", ["live"], "OBDSCAN_DEVICE", true), ("device", ["live"], "OBDSCAN_DB", false),
        ("adapter", ["doctor", "--adapter", "-v"], "", false),
        ("alarms", ["live", "--alarms", "x"], "", false),
        ("keep", ["log", "--keep", "off"], "", true),
        ("keep-free", ["log", "--keep", "1d"], "", false),
        ("codes", ["log", "--codes"], "", true), ("codes", ["log", "--no-codes"], "", true),
        ("battery-safe", ["log", "--no-battery-safe"], "", true), ("nothing", ["log"], "", false),
    ])
    func `options and variables precede the file`(
        name: String, arguments: [String], variable: String, covered: Bool
    ) {
        #expect(Overrides.cover(name, arguments) { $0 == variable } == covered)
    }

    @Test func `a setting changes in place, and comments stay`() throws {
        var text = try TOMLText(
            Array(
                """
                # mine
                units = "us" # at work

                [aliases]
                # the white one
                van = "sim:"
                """.utf8))
        try text.set("units", to: ["metric"], isList: false)
        try text.set("aliases.van", to: ["sim:diesel"], isList: false)
        try text.set("aliases.bus", to: ["sim:truck"], isList: false)
        try text.set("device", to: ["van"], isList: false)
        try text.set("views.own", to: ["RPM", "VSS"], isList: true)
        #expect(
            String(decoding: text.bytes, as: UTF8.self) == """
                # mine
                units = "metric" # at work
                device = "van"

                [aliases]
                # the white one
                van = "sim:diesel"
                bus = "sim:truck"

                [views]
                own = ["RPM", "VSS"]

                """)
        try text.set("device", to: nil, isList: false)
        try text.set("views.own", to: ["ECT"], isList: true)
        #expect(!String(decoding: text.bytes, as: UTF8.self).contains("device"))
        let settings = try SettingsText.read(text.bytes, checks).faultless()
        #expect(settings.views == ["own": ["ECT"]])
        #expect(settings.aliases.count == 2)
    }

    /// A text, the new value of a setting or nil to remove it, and the text after that.
    @Test(arguments: [
        ("", "device", "sim:", "device = \"sim:\"\n"),
        ("# a\n\n[views]\n", "device", "sim:", "# a\ndevice = \"sim:\"\n\n[views]\n"),
        ("# a", "device", "sim:", "# a\ndevice = \"sim:\"\n"),
        ("units='us'#b\r\n", "units", "metric", "units=\"metric\"#b\r\n"),
        // The same key in each of its possible forms.
        (
            "[ \"aliases\" ]\n'a' = \"\" # b\n", "aliases.a", "sim:",
            "[ \"aliases\" ]\n'a' = \"sim:\" # b\n"
        ),
        ("aliases.a = \"\"\n", "aliases.a", "sim:", "aliases.a = \"sim:\"\n"),
        (
            "aliases = {a = \"\", b = \"\"}\n", "aliases.a", "sim:",
            "aliases = {a = \"sim:\", b = \"\"}\n"
        ),
        // A new key comes after those of its table, in the same form.
        (
            "aliases.a = \"\"\nunits = \"us\"\n", "aliases.b", "sim:",
            "aliases.a = \"\"\naliases.b = \"sim:\"\nunits = \"us\"\n"
        ),
        (
            "[fuel]\nV.type = \"lpg\"\n[views]\n", "fuel.V.price", "2",
            "[fuel]\nV.type = \"lpg\"\nV.price = \"2\"\n[views]\n"
        ),
        ("[fuel.V]\n# c\n", "fuel.V.price", "2", "[fuel.V]\nprice = \"2\"\n# c\n"),
        ("[fuel.V]\n", "fuel.price", "2", "[fuel.V]\n\n[fuel]\nprice = \"2\"\n"),
        ("[fuel]\n", "fuel.V.price", "2", "[fuel]\n\n[fuel.V]\nprice = \"2\"\n"),
        // A list on several lines, with a bracket in a comment.
        ("[views]\na = [\"X\", # ]\n  \"Y\"] # c\nb = []\n", "views.a", nil, "[views]\nb = []\n"),
        ("  a = 1 # c\nb = 2", "b", nil, "  a = 1 # c\n"), ("a = 1\n", "b", nil, "a = 1\n"),
        ("aliases = {a = \"\"}\n", "aliases.a", nil, "aliases = {a = \"\"}\n"),
        // A section with its heading, with tables in it, and in each form.
        (
            "[publish.a]\nto = \"1\"\n# c\n[publish.a.tags]\nx = \"y\"\n[publish.ab]\nto = \"2\"\n",
            "publish.a", nil, "# c\n[publish.ab]\nto = \"2\"\n"
        ),
        (
            "publish.a.to = \"1\"\npublish.b.to = \"2\"\n", "publish.a", nil,
            "publish.b.to = \"2\"\n"
        ),
        (
            "[publish]\na = {to = \"1\"} # c\nb = {to = \"2\"}\n", "publish.a", nil,
            "[publish]\nb = {to = \"2\"}\n"
        ),
        ("[fuel]\nV.type = \"lpg\"\nprice = 2\n", "fuel.V", nil, "[fuel]\nprice = 2\n"),
    ])
    func `only the bytes of a setting change`(
        before: String, name: String, value: String?, after: String
    ) throws {
        var text = try TOMLText(Array(before.utf8))
        try text.set(name, to: value.map { [$0] }, isList: false)
        #expect(String(decoding: text.bytes, as: UTF8.self) == after)
    }

    @Test func `a table in braces is not started again`() throws {
        var text = try TOMLText(Array("\naliases = {a = \"\"}\n".utf8))
        let before = text
        #expect(throws: TOMLText.Fault(line: 4, reason: "\"aliases\" is set twice")) {
            try text.set("aliases.b", to: ["sim:"], isList: false)
        }
        #expect(text == before)
    }

    @Test(arguments: ["a\"b", "back\\slash", "tab\there", "ünïcode", "\u{1}"])
    func `every text can be written and read`(value: String) throws {
        var text = try TOMLText([])
        try text.set("device", to: [value], isList: false)
        #expect(try SettingsText.read(text.bytes, checks).faultless().device == value)
    }

    @Test func `built-in views name signals of the table`() throws {
        let names = SignalNames(try PIDTables.standard())
        for view in SignalViews.builtIn {
            for signal in view.signals { _ = try names.find(signal) }
        }
    }

    @Test func `the user's views precede built-in ones`() throws {
        var settings = UserSettings()
        settings.views["engine"] = ["RPM"]
        #expect(SignalViews.signals("engine", settings) == ["RPM"])
        #expect(SignalViews.signals("fuel", settings)?.isEmpty == false)
        #expect(SignalViews.signals("nothing", settings) == nil)
    }
}
