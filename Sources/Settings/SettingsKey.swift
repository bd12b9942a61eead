import Accessory
import Formats
import ScanSession
import TripRecorder

package struct SettingsKey: Hashable, Sendable {
    /// The words for yes and no.
    static let flags = ["on": true, "true": true, "off": false, "false": false]

    /// The key in the file with the name of its table: `aliases.van`.
    package var name: String
    /// Whether the setting holds several texts.
    package var isList = false
    /// Whether the setting may be true or false without quotes.
    package var isFlag = false
    /// Sets the value; returns the fault of an invalid one.
    package var set: @Sendable (String, inout UserSettings, SettingsChecks) -> SettingFault?
    /// The value as a user would type it; nil = not set.
    package var get: @Sendable (UserSettings) -> String?

    package static func == (left: SettingsKey, right: SettingsKey) -> Bool {
        left.name == right.name
    }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Keys outside tables, in the order of the manual page.
    package static let plain: [SettingsKey] = [
        SettingsKey(
            name: "device",
            set: { text, settings, checks in
                settings.device = text
                return text.isEmpty ? .empty : checks.fault(ofDevice: text)
            }, get: \.device),
        SettingsKey(
            name: "adapter",
            set: { text, settings, _ in
                settings.adapter = DialectChoice(rawValue: text)
                return settings.adapter == nil
                    ? .notOneOf(["auto", "elm327", "stn", "golink"]) : nil
            }, get: { $0.adapter?.rawValue }),
        SettingsKey(
            name: "protocol",
            set: { text, settings, _ in
                settings.vehicleProtocol = ProtocolOption(argument: text)
                return settings.vehicleProtocol == nil ? .notAProtocol : nil
            },
            get: { settings in
                settings.vehicleProtocol.map { $0.vehicleProtocol?.digit ?? "auto" }
            }),
        SettingsKey(
            name: "units",
            set: { text, settings, _ in
                settings.units = UnitSystem(rawValue: text)
                return settings.units == nil ? .notOneOf(UnitSystem.allCases.map(\.rawValue)) : nil
            }, get: { $0.units?.rawValue }),
        SettingsKey(
            name: "database",
            set: { text, settings, _ in
                settings.database = text
                return text.hasPrefix("/") || text.hasPrefix("~/")
                    ? nil : .notAPath
            }, get: \.database),
        SettingsKey(
            name: "gps",
            set: { text, settings, _ in
                settings.gps = text
                return PositionSource(text) == nil ? .notAPositionSource : nil
            }, get: \.gps),
        SettingsKey(
            name: "battery-safe",
            isFlag: true,
            set: { text, settings, _ in
                settings.batterySafe = SettingsKey.flags[text]
                return settings.batterySafe == nil ? .notOnOrOff : nil
            }, get: { $0.batterySafe.map { $0 ? "on" : "off" } }),
        SettingsKey(
            name: "alarms", isList: true,
            set: { text, settings, checks in
                settings.alarms = text.split(separator: " ").map(String.init)
                if settings.alarms.isEmpty { return .noCondition }
                return settings.alarms.first { !checks.isCondition($0) }
                    .map { .notACondition($0) }
            },
            get: { settings in
                settings.alarms.isEmpty ? nil : settings.alarms.joined(separator: " ")
            }),
        SettingsKey(
            name: "alarm-command",
            set: { text, settings, _ in
                settings.alarmCommand = text
                return text.isEmpty ? .empty : nil
            }, get: \.alarmCommand),
        SettingsKey(
            name: "log-when-plugged",
            set: { text, settings, _ in
                settings.logWhenPlugged = text
                return text.hasPrefix("/dev/") ? nil : .notBelowDev
            }, get: \.logWhenPlugged),
        SettingsKey(
            name: "workshop",
            set: { text, settings, _ in
                settings.workshop = text.split(separator: ";").map { line in
                    line.split(separator: " ").joined(separator: " ")
                }.filter { !$0.isEmpty }
                return settings.workshop.isEmpty ? .empty : nil
            },
            get: { settings in
                settings.workshop.isEmpty ? nil : settings.workshop.joined(separator: "; ")
            }),
        SettingsKey(
            name: "logo",
            set: { text, settings, _ in
                settings.logo = text
                return text.hasPrefix("/") || text.hasPrefix("~/") ? nil : .notAPath
            }, get: \.logo),
    ]

    package static func named(_ name: String) -> SettingsKey? {
        if let plain = plain.first(where: { $0.name == name }) { return plain }
        if name.hasPrefix("fuel.") { return fuel(name) }
        if name.hasPrefix("publish.") { return publish(name) }
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, isBareName(parts[1]) else { return nil }
        switch parts[0] {
        case "aliases":
            return SettingsKey(
                name: name,
                set: { text, settings, checks in
                    settings.aliases[parts[1]] = text
                    return checks.fault(ofAlias: text)
                }, get: { $0.aliases[parts[1]] })
        case "views":
            return SettingsKey(
                name: name, isList: true,
                set: { text, settings, _ in
                    let signals = text.split(separator: " ").map(String.init)
                    settings.views[parts[1]] = signals
                    return signals.isEmpty ? .noSignal : nil
                }, get: { $0.views[parts[1]]?.joined(separator: " ") })
        default: return nil
        }
    }

    /// Whether a name needs no quotes in TOML and on a command line.
    package static func isBareName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(TOMLReader.isBare)
    }
}
