import Accessory
import ArgumentParser
import Foundation
import LocalLinks
import PIDTables
import ScanSession
import Settings
import Testing
import VehicleScan

@testable import ObdscanCLI

@Suite struct `The configuration file` {
    private func parsed(_ text: String) throws(Failure) -> UserSettings {
        try SettingsFile.parsed(Array(text.utf8), "config.toml")
    }

    private func failure(_ text: String) throws -> Failure {
        try #require(throws: Failure.self) { try parsed(text) }
    }

    @Test(arguments: [
        ("units = \"us\"\ndevise = \"sim:\"\n", 2, "did you mean device?"),
        ("units =\n", 1, "a value is missing"),
        ("\nunits = us\n", 2, "\"us\" is not a value: texts need quotes"),
        ("\n\nunits = \"furlongs\"\n", 3, "is not one of metric, imperial, us, uk"),
        ("battery-safe = \"maybe\"\n", 1, "is neither on nor off"),
        ("\nkeep = \"12h\"\n", 2, "is neither off nor an age such as 365d, of a day or more"),
        ("keep-free = 5\n", 1, "is neither off nor a size such as 500MB or 2GB, of 1 MB or more"),
        ("commit-every = \"2h\"\n", 1, "is not a time such as 5s, of an hour at most"),
        ("[aliases]\n\nvan = 5\n", 3, "is not a device such as"),
        ("[aliases]\nvan = true\n", 2, "has to be a text in quotes"),
        ("[aliases]\nvan = \"bus\"\n", 2, "is not a device"),
        ("aliases = 3\n", 1, "is not a table"),
        ("[units]\n", 1, "has to be a text in quotes"),
        ("\n[aliases.van]\n", 2, "has to be a text in quotes"),
        ("\n[[aliases]]\n", 2, "is not a setting"),
        ("units = \"us\"\n\nunits = \"us\"\n", 3, "\"units\" is set twice"),
        ("[view]\na = []\n", 1, "is not a setting"),
        ("[views]\na = []\n", 2, "names no signal"),
        ("protocol = \"D\"\n", 1, "is not a vehicle protocol"),
        ("\ndevice = \"tpc:192.168.0.10:35000\"\n", 2, "did you mean tcp:192.168.0.10:35000?"),
        ("device = \"192.168.0.10:35000\"\n", 1, "did you mean tcp:192.168.0.10:35000?"),
        ("device = \"00:1D:A5:68:98:8B\"\n", 1, "did you mean rfcomm:00:1D:A5:68:98:8B?"),
        ("# a\naliases = { van = \"bus\" }\n", 2, "is not a device"),
        ("\n[ \"aliases\" ]\n\n \"van\" = \"bus\"\n", 4, "is not a device"),
        ("units = \"us\"\n[fuel.1HGCM82633A004352]\n\nprice = \"much\"\n", 4, "price"),
    ])
    func `the error for a wrong setting names its line`(text: String, line: Int, reason: String)
        throws
    {
        let failure = try failure(text)
        #expect(failure.status == .badConfiguration)
        #expect(failure.message.contains(reason), "\(failure.message)")
        #expect(failure.message.hasPrefix("config.toml:\(line): "), "\(failure.message)")
    }

    /// With and without a file of the user's own.
    @Test func `config check reads the file for all users, too`() throws {
        let program = try Program()
        defer { program.remove() }
        let file = try program.file("all.toml", "\nunits = \"furlongs\"\n")
        let check = try program.run(
            ["config", "check"], environment: ["OBDSCAN_SYSTEM_CONFIG": file])
        #expect(check.status == 78 && check.errors.contains("all.toml:2: "), "\(check)")
    }

    @Test func `a name that is nearly right is suggested`() throws {
        let settings = try parsed("[aliases]\nvan = \"sim:\"\ntruck = \"sim:truck\"\n")
        #expect(settings.remedy(forUnknown: "turck").hasPrefix("did you mean truck?"))
        #expect(settings.remedy(forUnknown: "null") == "did you mean /dev/null?")
        #expect(settings.remedy(forUnknown: "SIM") == "add a colon after it: sim:")
        #expect(settings.remedy(forUnknown: "TCP") == "the form is tcp:HOST:PORT")
        #expect(
            UserSettings().remedy(forUnknown: "bus").contains("config set aliases.bus DEVICE"))
    }

    @Test(arguments: [
        ("192.168.0.10", "did you mean tcp:192.168.0.10:35000?"),
        ("obd.local", "a network adapter is tcp:obd.local:35000"),
        ("OBDII", "did you mean bluetooth:OBDII?"),
        ("OBD II", "did you mean \"bluetooth:OBD II\"?"),
        ("ttyUSB77", "did you mean /dev/ttyUSB77?"), ("rfcomm0", "did you mean /dev/rfcomm0?"),
        ("can0", "did you mean can:can0?"), ("truck", "did you mean sim:truck?"),
        ("wifi", "did you mean tcp:192.168.0.10:35000?"), ("demo", "did you mean sim:?"),
        ("COM3", "serial devices have a path such as /dev/ttyUSB0"),
    ])
    func `for a name without a section a working command is suggested`(name: String, hint: String) {
        let remedy = UserSettings().remedy(forUnknown: name)
        #expect(remedy.hasPrefix(hint), "\(remedy)")
        if let range = remedy.range(of: "config set ") {
            let key = remedy[range.upperBound...].prefix { $0 != " " }
            #expect(SettingsKey.named(String(key)) != nil, "\(remedy)")
        }
        if let range = remedy.range(of: "did you mean ") {
            let address = remedy[range.upperBound...].prefix { $0 != "?" }.filter { $0 != "\"" }
            #expect(UserSettings.reasonAgainst(address: String(address)) == nil, "\(remedy)")
        }
    }

    @Test(arguments: [
        ("tcp:192.168.0.10", "tcp:192.168.0.10:35000"), ("tcp:obd.local", "tcp:obd.local:35000"),
        ("rfcomm:OBDII", "bluetooth:OBDII"), ("ble:VEEPEAK", "bluetooth:VEEPEAK"),
        ("rfcomm:/dev/rfcomm0", "/dev/rfcomm0"), ("slcan:can0", "can:can0"),
        ("slcan:car.local", nil), ("http://192.168.0.10:35000", "tcp:192.168.0.10:35000"),
        ("http://example.org/", nil), ("rfcomm:12:34", nil), ("bluetooth:", nil), ("tcp:", nil),
        ("AA:BB:CC:DD:EE:FF", "rfcomm:AA:BB:CC:DD:EE:FF"),
    ])
    func `a wrong address suggests one that is valid`(text: String, meant: String?) throws {
        let error = try #require(throws: AddressError.self) {
            _ = try TransportRegistry.all.address(text)
        }
        #expect(error.suggestion == meant)
    }

    @Test func `the error for an unknown setting lists the known settings`() throws {
        let settings = try parsed("[aliases]\nvan = \"sim:\"\n")
        let failure = try #require(throws: Failure.self) { try settings.resolved("bus") }
        #expect(failure.status == .usage)
        #expect(failure.hint?.contains("van") == true)
    }

    @Test func `the error for an unknown view lists the known views`() throws {
        let names = SignalNames(try PIDTables.standard())
        let failure = try #require(throws: Failure.self) {
            try SignalViews.find("nothing", names, UserSettings())
        }
        #expect(failure.status == .usage)
        #expect(failure.hint == "known views: driver, engine, fuel, emissions, ev")
    }

    @Test func `every setting has a description`() throws {
        let fuel = ["type", "price", "currency", "displacement", "efficiency", "calibration"]
        let names =
            SettingsKey.plain.map(\.name) + fuel.map { "fuel.\($0)" } + ["fuel.VIN.price"]
        for name in names + ["aliases.a", "views.a"] {
            #expect(try #require(SettingsKey.named(name)).meaning != "", "\(name)")
        }
    }

    /// Names of the manual are in tables, whose headings are sections: `.It Cm price , currency` below `Fuel`.
    @Test func `config set and the manual know the same settings`() throws {
        let root = Program.folder.deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("man/obdscan-config.5"), encoding: .utf8)
        let tables = ["Settings": "", "Fuel": "fuel.", "Publishing": "publish.home."]
        var table: String?
        var found: [String: [String]] = [:]
        for line in page.split(separator: "\n") {
            if line.hasPrefix(".Ss ") { table = tables[String(line.dropFirst(4))] }
            if line.hasPrefix(".Sh ") { table = nil }
            guard let table, line.hasPrefix(".It Cm ") else { continue }
            for name in line.dropFirst(7).split(separator: " ") where name != "," {
                found[table, default: []].append(
                    table + (name == "tags.TAG" ? "tags.car" : String(name)))
            }
        }
        for name in found.values.joined() {
            #expect(SettingsKey.named(name) != nil, "\(name)")
        }
        #expect(found[""] == SettingsKey.plain.map(\.name))
        #expect(Set(found["fuel."] ?? []) == Set(SettingsKey.fuelKeys.map { "fuel.\($0)" }))
        #expect(
            Set(found["publish.home."] ?? []).subtracting(["publish.home.tags.car"])
                == Set(SettingsKey.publishKeys.map { "publish.home.\($0)" }))
    }

    @Test func `the manual names every adapter protocol that config set takes`() throws {
        let root = Program.folder.deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("man/obdscan-config.5"), encoding: .utf8)
        let items = page.split(separator: "\n.It Cm ")
        let adapter = try #require(items.first { $0.hasPrefix("adapter\n") })
        let key = try #require(SettingsKey.named("adapter"))
        for choice in DialectChoice.allCases {
            #expect(adapter.contains(".Dq \(choice.rawValue)"), "\(choice)")
            #expect(key.meaning.contains(choice.rawValue), "\(choice)")
        }
    }

    @Test func `the manual describes every setting, and its options exist`() throws {
        let root = Program.folder.deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("man/obdscan-config.5"), encoding: .utf8)
        let commands: [String: String] = [
            "log": LogCommand.helpMessage(includeHidden: true),
            "": CommonOptions.helpMessage(includeHidden: true),
        ]
        for key in SettingsKey.plain {
            #expect(page.contains("\n.It Cm \(key.name)\n"), "\(key.name)")
            let help = try #require(commands[key.commands.contains("log") ? "log" : ""])
            for option in key.options where !option.hasPrefix("--no-") {
                #expect(help.contains(option), "\(option)")
            }
        }
    }
}
