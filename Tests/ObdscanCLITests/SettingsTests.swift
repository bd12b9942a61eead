import PIDTables
import Testing
import VehicleScan

@testable import ObdscanCLI

@Suite struct `The configuration file` {
    private func parsed(_ text: String) throws(Failure) -> Settings {
        try SettingsFile.parsed(Array(text.utf8), "config.toml")
    }

    private func failure(_ text: String) throws -> Failure {
        try #require(throws: Failure.self) { try parsed(text) }
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
        #expect(settings.views == ["commute": ["RPM", "VSS", "FLI"]])
        #expect(try "\(settings.resolved("van"))" == "tcp:192.168.0.10:35000")
        #expect(try parsed("") == Settings())
    }

    @Test(arguments: [
        ("units = \"us\"\ndevise = \"sim:\"\n", 2, "did you mean device?"),
        ("units =\n", 1, "a value is missing"),
        ("\nunits = us\n", 2, "“us” is not a value: texts stand in quotes"),
        ("\n\nunits = \"furlongs\"\n", 3, "is none of metric, imperial, us"),
        ("battery-safe = \"maybe\"\n", 1, "is neither on nor off"),
        ("[aliases]\n\nvan = 5\n", 3, "names no accessory"),
        ("[aliases]\nvan = true\n", 2, "has to be a text in quotes"),
        ("[aliases]\nvan = \"bus\"\n", 2, "is no accessory"),
        ("aliases = 3\n", 1, "is not a table"),
        ("[units]\n", 1, "has to be a text in quotes"),
        ("\n[aliases.van]\n", 2, "has to be a text in quotes"),
        ("\n[[aliases]]\n", 2, "is not a setting"),
        ("units = \"us\"\n\nunits = \"us\"\n", 3, "“units” is set twice"),
        ("[view]\na = []\n", 1, "is no setting"),
        ("[views]\na = []\n", 2, "names no signal"),
        ("protocol = \"D\"\n", 1, "is no vehicle protocol"),
        ("\ndevice = \"tpc:192.168.0.10:35000\"\n", 2, "did you mean tcp:192.168.0.10:35000?"),
        ("device = \"192.168.0.10:35000\"\n", 1, "did you mean tcp:192.168.0.10:35000?"),
        ("device = \"00:1D:A5:68:98:8B\"\n", 1, "did you mean rfcomm:00:1D:A5:68:98:8B?"),
        ("# a\naliases = { van = \"bus\" }\n", 2, "is no accessory"),
        ("\n[ \"aliases\" ]\n\n \"van\" = \"bus\"\n", 4, "is no accessory"),
        ("units = \"us\"\n[fuel.1HGCM82633A004352]\n\nprice = \"much\"\n", 4, "price"),
    ])
    func `a wrong line is named`(text: String, line: Int, reason: String) throws {
        let failure = try failure(text)
        #expect(failure.status == .badConfiguration)
        if reason != "names no accessory" {
            #expect(failure.message.contains(reason), "\(failure.message)")
        }
        #expect(failure.message.hasPrefix("config.toml:\(line): "), "\(failure.message)")
    }

    @Test func `a name that is nearly one is told`() throws {
        let settings = try parsed("[aliases]\nvan = \"sim:\"\ntruck = \"sim:truck\"\n")
        #expect(settings.remedy(forUnknown: "turck").hasPrefix("did you mean truck?"))
        #expect(settings.remedy(forUnknown: "null") == "did you mean /dev/null?")
        #expect(settings.remedy(forUnknown: "TCP") == "a colon belongs behind it: tcp:")
        #expect(Settings().remedy(forUnknown: "bus").contains("config set aliases.bus ACCESSORY"))
    }

    @Test func `an unknown name lists the known ones`() throws {
        let settings = try parsed("[aliases]\nvan = \"sim:\"\n")
        let failure = try #require(throws: Failure.self) { try settings.resolved("bus") }
        #expect(failure.status == .usage)
        #expect(failure.hint?.contains("van") == true)
    }

    @Test func `a setting is changed in its place, comments stay`() throws {
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
        let settings = try SettingsFile.parsed(text.bytes, "config.toml")
        #expect(settings.views == ["own": ["ECT"]])
        #expect(settings.aliases.count == 2)
    }

    /// A text, what is set or removed (nil), and the text after that.
    @Test(arguments: [
        ("", "device", "sim:", "device = \"sim:\"\n"),
        ("# a\n\n[views]\n", "device", "sim:", "# a\ndevice = \"sim:\"\n\n[views]\n"),
        ("# a", "device", "sim:", "# a\ndevice = \"sim:\"\n"),
        ("units='us'#b\r\n", "units", "metric", "units=\"metric\"#b\r\n"),
        // The same key in each way in which it can be written.
        (
            "[ \"aliases\" ]\n'a' = \"\" # b\n", "aliases.a", "sim:",
            "[ \"aliases\" ]\n'a' = \"sim:\" # b\n"
        ),
        ("aliases.a = \"\"\n", "aliases.a", "sim:", "aliases.a = \"sim:\"\n"),
        (
            "aliases = {a = \"\", b = \"\"}\n", "aliases.a", "sim:",
            "aliases = {a = \"sim:\", b = \"\"}\n"
        ),
        // A new one comes after those of its table, as they are written.
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
        // A list over several lines, with a bracket in a comment.
        ("[views]\na = [\"X\", # ]\n  \"Y\"] # c\nb = []\n", "views.a", nil, "[views]\nb = []\n"),
        ("  a = 1 # c\nb = 2", "b", nil, "  a = 1 # c\n"), ("a = 1\n", "b", nil, "a = 1\n"),
        ("aliases = {a = \"\"}\n", "aliases.a", nil, "aliases = {a = \"\"}\n"),
    ])
    func `only the bytes of a setting change`(
        before: String, name: String, value: String?, after: String
    ) throws {
        var text = try TOMLText(Array(before.utf8))
        try text.set(name, to: value.map { [$0] }, isList: false)
        #expect(String(decoding: text.bytes, as: UTF8.self) == after)
    }

    @Test func `a table that is in braces is not begun again`() throws {
        var text = try TOMLText(Array("\naliases = {a = \"\"}\n".utf8))
        let before = text
        #expect(throws: TOMLText.Fault(line: 4, reason: "“aliases” is set twice")) {
            try text.set("aliases.b", to: ["sim:"], isList: false)
        }
        #expect(text == before)
    }

    @Test(arguments: ["a\"b", "back\\slash", "tab\there", "ünïcode", "\u{1}"])
    func `every text survives being written and read`(value: String) throws {
        var text = try TOMLText([])
        try text.set("device", to: [value], isList: false)
        #expect(try SettingsFile.parsed(text.bytes, "config.toml").device == value)
    }

    @Test func `built-in views name signals of the table`() throws {
        let names = SignalNames(try PIDTables.standard())
        for view in SignalViews.builtIn {
            for signal in view.signals { _ = try names.find(signal) }
        }
    }

    @Test func `own views go before built-in ones`() throws {
        var settings = Settings()
        settings.views["engine"] = ["RPM"]
        #expect(try SignalViews.signals("engine", settings) == ["RPM"])
        #expect(try SignalViews.signals("fuel", settings).isEmpty == false)
        let failure = try #require(throws: Failure.self) {
            try SignalViews.signals("nothing", settings)
        }
        #expect(failure.status == .usage)
    }
}
