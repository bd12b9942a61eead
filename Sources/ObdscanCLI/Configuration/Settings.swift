import Glibc
import OBDCore
import Positioning
import ScanSession
import TripExport

/// What the user's configuration file says (obdscan-config(5)).
///
/// Options and environment variables go before it.
struct Settings: Hashable, Sendable {
    /// The accessory to use without `-d`.
    var device: String?
    /// What the adapter speaks.
    var adapter: DialectChoice?
    /// The vehicle protocol to use.
    var vehicleProtocol: ProtocolOption?
    /// Units to show.
    var units: UnitSystem?
    /// The database's file.
    var database: String?
    /// Where `log` gets positions from.
    var gps: String?
    /// Whether a parked vehicle is left alone.
    var batterySafe: Bool?
    /// Conditions that the user wants to be told of.
    var alarms: [String] = []
    /// The program to run when one of them begins.
    var alarmCommand: String?
    /// The accessory whose trips are logged whenever it is plugged in: its path.
    var logWhenPlugged: String?
    /// Accessories by names of the user's own.
    var aliases: [String: String] = [:]
    /// Lists of signals by name, for `live --view`.
    var views: [String: [String]] = [:]
    /// What is known of engines and prices, by VIN; an empty one is for all vehicles.
    var fuel: [String: FuelProfile] = [:]

    /// What the file of this user says, read once; nothing where there is none.
    private static let read: Result<SettingsFile.Contents, Failure> = Result {
        () throws(Failure) in
        guard let path = SettingsFile.path, access(path, F_OK) == 0 else { return .init() }
        return try SettingsFile.read(contents(of: path), path)
    }

    /// The same, if nothing of it is wrong.
    static var loaded: Result<Settings, Failure> {
        Result { () throws(Failure) in try read.get().faultless() }
    }

    /// The same without what is wrong; that has been told before any command ran.
    static var current: Settings {
        switch read {
        case .success(let contents): contents.settings
        case .failure: Settings()
        }
    }

    /// Throws what is wrong with the file, but for settings that the command line or the environment
    /// goes before.
    static func check(for arguments: [String]) throws(Failure) {
        let contents = try read.get()
        let fault = contents.faults.first { !Overrides.cover($0.name, arguments) }
        if let fault { throw fault.failure }
    }
}

/// One thing that can be set.
struct SettingsKey: Hashable, Sendable {
    /// As written before the equals sign, behind the name of its table: `aliases.van`.
    var name: String
    /// What it means, for people.
    var meaning: String
    /// Whether it holds several texts.
    var isList = false
    /// Whether it may be true or false, without quotes.
    var isFlag = false
    /// Puts a value in its place; the reason when it has the wrong form.
    var set: @Sendable (String, inout Settings) -> String?
    /// The value as it would be typed; nil = not set.
    var get: @Sendable (Settings) -> String?

    static func == (left: SettingsKey, right: SettingsKey) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Keys outside tables, in the order of the manual page.
    static let plain: [SettingsKey] = [
        SettingsKey(
            name: "device", meaning: "the accessory to use without -d",
            set: { text, settings in
                settings.device = text
                return text.isEmpty ? "is empty" : Settings.reasonAgainst(device: text)
            }, get: \.device),
        SettingsKey(
            name: "adapter", meaning: "what the adapter speaks: auto, elm327, stn or golink",
            set: { text, settings in
                settings.adapter = DialectChoice(rawValue: text)
                return settings.adapter == nil ? "is none of auto, elm327, stn, golink" : nil
            }, get: { $0.adapter?.rawValue }),
        SettingsKey(
            name: "protocol", meaning: "the vehicle protocol: auto, 1 to 9, A to C, or a name",
            set: { text, settings in
                settings.vehicleProtocol = ProtocolOption(argument: text)
                return settings.vehicleProtocol == nil ? "is no vehicle protocol" : nil
            },
            get: { settings in
                settings.vehicleProtocol.map { $0.vehicleProtocol?.digit ?? "auto" }
            }),
        SettingsKey(
            name: "units", meaning: "units to show: metric, imperial or us",
            set: { text, settings in
                settings.units = UnitSystem(rawValue: text)
                return settings.units == nil ? "is none of metric, imperial, us" : nil
            }, get: { $0.units?.rawValue }),
        SettingsKey(
            name: "database", meaning: "the database's file",
            set: { text, settings in
                settings.database = text
                return text.hasPrefix("/") || text.hasPrefix("~/")
                    ? nil : "is no path that begins with / or ~/"
            }, get: \.database),
        SettingsKey(
            name: "gps", meaning: "where log gets positions from, as --gps takes it",
            set: { text, settings in
                settings.gps = text
                return PositionSource(text) == nil
                    ? "is neither gpsd://HOST:PORT nor a path of a receiver" : nil
            }, get: \.gps),
        SettingsKey(
            name: "battery-safe",
            meaning: "whether log and live leave a parked vehicle alone: on or off",
            isFlag: true,
            set: { text, settings in
                settings.batterySafe = ["on": true, "off": false][text]
                return settings.batterySafe == nil ? "is neither on nor off" : nil
            }, get: { $0.batterySafe.map { $0 ? "on" : "off" } }),
        SettingsKey(
            name: "alarms", meaning: "conditions to be told of, such as ECT>110", isList: true,
            set: { text, settings in
                settings.alarms = text.split(separator: " ").map(String.init)
                if settings.alarms.isEmpty { return "names no condition" }
                let wrong = settings.alarms.first { (try? Alarm($0)) == nil }
                return wrong.map { "has \"\($0)\", which is no condition such as ECT>110" }
            },
            get: { settings in
                settings.alarms.isEmpty ? nil : settings.alarms.joined(separator: " ")
            }),
        SettingsKey(
            name: "alarm-command", meaning: "the program to run when an alarm begins",
            set: { text, settings in
                settings.alarmCommand = text
                return text.isEmpty ? "is empty" : nil
            }, get: \.alarmCommand),
        SettingsKey(
            name: "log-when-plugged",
            meaning: "the path of the adapter whose trips are logged whenever it is plugged in",
            set: { text, settings in
                settings.logWhenPlugged = text
                return text.hasPrefix("/dev/") ? nil : "is no path below /dev"
            }, get: \.logWhenPlugged),
    ]

    /// The key of that name.
    static func named(_ name: String) -> SettingsKey? {
        if let plain = plain.first(where: { $0.name == name }) { return plain }
        if name.hasPrefix("fuel.") { return fuel(name) }
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, isBareName(parts[1]) else { return nil }
        switch parts[0] {
        case "aliases":
            return SettingsKey(
                name: name, meaning: "an accessory's name",
                set: { text, settings in
                    settings.aliases[parts[1]] = text
                    return Settings.reasonAgainst(alias: parts[1], text)
                }, get: { $0.aliases[parts[1]] })
        case "views":
            return SettingsKey(
                name: name, meaning: "a list of signals", isList: true,
                set: { text, settings in
                    let signals = text.split(separator: " ").map(String.init)
                    settings.views[parts[1]] = signals
                    return signals.isEmpty ? "names no signal" : nil
                }, get: { $0.views[parts[1]]?.joined(separator: " ") })
        default: return nil
        }
    }

    /// Whether a name needs no quotes in TOML, and none on a command line.
    static func isBareName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(TOMLReader.isBare)
    }
}
