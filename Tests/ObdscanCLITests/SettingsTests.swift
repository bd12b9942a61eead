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
        ("units =\n", 1, "expected value"),
        ("\n\nunits = \"furlongs\"\n", 3, "is none of metric, imperial, us"),
        ("battery-safe = \"maybe\"\n", 1, "is neither on nor off"),
        ("[aliases]\n\nvan = 5\n", 3, "names no accessory"),
        ("[aliases]\nvan = true\n", 2, "has to be a text in quotes"),
        ("[aliases]\nvan = \"bus\"\n", 2, "is no accessory"),
        ("aliases = 3\n", 1, "is no table"),
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
        var text = SettingsText(
            """
            # mine
            units = "us" # at work

            [aliases]
            # the white one
            van = "sim:"
            """)
        text.set("units", to: ["metric"], isList: false)
        text.set("aliases.van", to: ["sim:diesel"], isList: false)
        text.set("aliases.bus", to: ["sim:truck"], isList: false)
        text.set("device", to: ["van"], isList: false)
        text.set("views.own", to: ["RPM", "VSS"], isList: true)
        #expect(
            text.text == """
                # mine
                units = "metric"
                device = "van"

                [aliases]
                bus = "sim:truck"
                # the white one
                van = "sim:diesel"

                [views]
                own = ["RPM", "VSS"]

                """)
        text.set("device", to: nil, isList: false)
        text.set("views.own", to: ["ECT"], isList: true)
        #expect(!text.text.contains("device"))
        let settings = try parsed(text.text)
        #expect(settings.views == ["own": ["ECT"]])
        #expect(settings.aliases.count == 2)
    }

    @Test(arguments: ["a\"b", "back\\slash", "tab\there", "ünïcode", "\u{1}"])
    func `every text survives being written and read`(value: String) throws {
        var text = SettingsText("")
        text.set("device", to: [value], isList: false)
        #expect(try parsed(text.text).device == value)
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
