import Accessory
import Formats
import OBDCore
import Publishing
import ScanSession
import TripRecorder
import TripStore

package struct SettingsKey: Hashable, Sendable {
    /// The words for yes and no.
    static let flags = ["on": true, "true": true, "off": false, "false": false]

    /// The key in the file with the name of its table: `aliases.van`.
    package var name: String
    /// Whether the setting holds several texts.
    package var isList = false
    /// Whether the setting may be true or false without quotes.
    package var isFlag = false
    /// The purpose of the setting, and its allowed values.
    package var meaning: String
    /// The commands that use the setting; empty = all of them.
    package var commands: [String] = []
    /// The options of the command line that override the setting.
    package var options: [String] = []
    /// The environment variable that overrides the setting.
    package var variable: String?
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
            meaning: "the device to use without -d",
            options: ["--device"], variable: "OBDSCAN_DEVICE",
            set: { text, settings, checks in
                settings.device = text
                return text.isEmpty ? .empty : checks.fault(ofDevice: text)
            }, get: \.device),
        SettingsKey(
            name: "adapter",
            meaning: "the protocol of the adapter: auto, elm327, stn, golink or doip",
            options: ["--adapter"],
            set: { text, settings, _ in
                settings.adapter = DialectChoice(rawValue: text)
                return settings.adapter == nil
                    ? .notOneOf(DialectChoice.allCases.map(\.rawValue)) : nil
            }, get: { $0.adapter?.rawValue }),
        SettingsKey(
            name: "protocol",
            meaning: "the vehicle protocol: auto, 1 to 9, A to C, or a name",
            options: ["--protocol"],
            set: { text, settings, _ in
                settings.vehicleProtocol = ProtocolOption(argument: text)
                return settings.vehicleProtocol == nil ? .notAProtocol : nil
            },
            get: { settings in
                settings.vehicleProtocol.map { $0.vehicleProtocol?.digit ?? "auto" }
            }),
        SettingsKey(
            name: "units",
            meaning: "units to show: metric, uk, imperial or us",
            options: ["--units"], variable: "OBDSCAN_UNITS",
            set: { text, settings, _ in
                settings.units = UnitSystem(rawValue: text)
                return settings.units == nil ? .notOneOf(UnitSystem.allCases.map(\.rawValue)) : nil
            }, get: { $0.units?.rawValue }),
        SettingsKey(
            name: "database",
            meaning: "the database's file",
            options: ["--db"], variable: "OBDSCAN_DB",
            set: { text, settings, _ in
                settings.database = text
                return text.hasPrefix("/") || text.hasPrefix("~/")
                    ? nil : .notAPath
            }, get: \.database),
        SettingsKey(
            name: "gps",
            meaning: "where log gets positions from, as --gps takes it",
            commands: ["live", "log", "serve"], options: ["--gps"],
            set: { text, settings, _ in
                settings.gps = text
                return PositionSource(text) == nil ? .notAPositionSource : nil
            }, get: \.gps),
        SettingsKey(
            name: "battery-safe", isFlag: true,
            meaning: "whether log and live leave a parked vehicle alone: on or off",
            commands: ["live", "log", "serve"], options: ["--battery-safe", "--no-battery-safe"],
            set: { text, settings, _ in
                settings.batterySafe = SettingsKey.flags[text]
                return settings.batterySafe == nil ? .notOnOrOff : nil
            }, get: { $0.batterySafe.map { $0 ? "on" : "off" } }),
        SettingsKey(
            name: "alarms", isList: true,
            meaning: "conditions to warn of, such as ECT>110",
            commands: ["live", "log"],
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
            meaning: "the program to run when an alarm begins",
            commands: ["live", "log"],
            set: { text, settings, _ in
                settings.alarmCommand = text
                return text.isEmpty ? .empty : nil
            }, get: \.alarmCommand),
        SettingsKey(
            name: "log-when-plugged",
            meaning: "the path of the adapter whose trips are logged whenever it is plugged in",
            commands: ["log", "setup"],
            set: { text, settings, _ in
                settings.logWhenPlugged = text
                return text.hasPrefix("/dev/") ? nil : .notBelowDev
            }, get: \.logWhenPlugged),
        SettingsKey(
            name: "keep",
            meaning:
                "the age from which log deletes drives that wait for no delivery, such as 365d",
            commands: ["log"], options: ["--keep"],
            set: { text, settings, _ in
                settings.keep = LiftedLimit(text) { AgeArgument(argument: $0) }
                return settings.keep == nil ? .notAnAge : nil
            }, get: { $0.keep?.text(\.duration.optionText) }),
        SettingsKey(
            name: "keep-free",
            meaning: "the space for which log deletes the oldest delivered drives, such as 500MB",
            commands: ["log"], options: ["--keep-free"],
            set: { text, settings, _ in
                settings.keepFree = LiftedLimit(text) { SpaceArgument(argument: $0) }
                return settings.keepFree == nil ? .notASpace : nil
            }, get: { $0.keepFree?.text(\.text) }),
        SettingsKey(
            name: "keep-positions",
            meaning: "the age from which log deletes the positions of drives, such as 30d",
            commands: ["log"],
            set: { text, settings, _ in
                settings.keepPositions = LiftedLimit(text) { AgeArgument(argument: $0) }
                return settings.keepPositions == nil ? .notAnAge : nil
            }, get: { $0.keepPositions?.text(\.duration.optionText) }),
        SettingsKey(
            name: "private", isList: true, isFlag: true,
            meaning:
                "when trips have no positions: on, off, or times of the day such as 18:00-06:00",
            commands: ["live", "log", "serve"],
            set: { text, settings, _ in
                let words = text.split(separator: " ").map(String.init)
                let hours = words.compactMap(PositionPrivacy.Hours.init)
                settings.privacy.isAlways = words.count == 1 && SettingsKey.flags[text] == true
                settings.privacy.hours = hours
                settings.isNothingPrivate = words.count == 1 && SettingsKey.flags[text] == false
                let isFlag = words.count == 1 && SettingsKey.flags[text] != nil
                return isFlag || (!words.isEmpty && hours.count == words.count) ? nil : .notHours
            },
            get: { settings in
                if settings.privacy.isAlways { return "on" }
                let hours = settings.privacy.hours.map(\.text)
                if !hours.isEmpty { return hours.joined(separator: " ") }
                return settings.isNothingPrivate ? "off" : nil
            }),
        SettingsKey(
            name: "private-zones", isList: true,
            meaning: "circles in which trips have no positions, such as 48.137,11.576,500m",
            commands: ["live", "log", "serve"],
            set: { text, settings, _ in
                let words = text.split(separator: " ").map(String.init)
                settings.privacy.zones = words.compactMap(PositionPrivacy.Zone.init)
                let isRight = !words.isEmpty && settings.privacy.zones.count == words.count
                return isRight ? nil : .notAZone
            },
            get: { settings in
                let zones = settings.privacy.zones.map(\.text)
                return zones.isEmpty ? nil : zones.joined(separator: " ")
            }),
        SettingsKey(
            name: "commit-every", meaning: "the interval at which readings are stored, 1h at most",
            commands: ["log", "live", "serve"], options: ["--commit-every"],
            set: { text, settings, _ in
                settings.commitEvery = Duration(text: text)
                return settings.commitEvery.map { $0 <= .seconds(3600) } ?? false
                    ? nil : .notACommitInterval
            }, get: { $0.commitEvery?.optionText }),
        SettingsKey(
            name: "signals", isList: true,
            meaning: "the signals that log records, such as rpm@10Hz",
            commands: ["log"],
            set: { text, settings, _ in
                settings.signals = text.split(separator: " ").map(String.init)
                return settings.signals.isEmpty ? .noSignal : nil
            }, get: { $0.signals.isEmpty ? nil : $0.signals.joined(separator: " ") }),
        SettingsKey(
            name: "pids", isList: true, meaning: "files or folders of PID tables to add",
            options: ["--pids"],
            set: { text, settings, _ in
                settings.pids = text.split(separator: " ").map(String.init)
                let isPath = settings.pids.allSatisfy { $0.hasPrefix("/") || $0.hasPrefix("~/") }
                return settings.pids.isEmpty ? .empty : isPath ? nil : .notAPath
            }, get: { $0.pids.isEmpty ? nil : $0.pids.joined(separator: " ") }),
        SettingsKey(
            name: "codes", isFlag: true, meaning: "whether trips get trouble codes: on or off",
            commands: ["log", "live", "serve"], options: ["--codes", "--no-codes"],
            set: { text, settings, _ in
                settings.codes = SettingsKey.flags[text]
                return settings.codes == nil ? .notOnOrOff : nil
            }, get: { $0.codes.map { $0 ? "on" : "off" } }),
        SettingsKey(
            name: "workshop",
            meaning: "name and address of the workshop in reports, with semicolons between lines",
            commands: ["dtc", "trips"],
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
            name: "logo", meaning: "the path of the workshop's logo for reports: PNG, JPEG or SVG",
            commands: ["dtc"],
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
        case "vehicles":
            guard VIN(parts[1]) != nil else { return nil }
            return SettingsKey(
                name: name, meaning: "a vehicle's name at sinks", commands: ["publish"],
                set: { text, settings, _ in
                    settings.vehicles[parts[1]] = text
                    return PublishedName.slug(text) == nil ? .empty : nil
                }, get: { $0.vehicles[parts[1]] })
        case "aliases":
            return SettingsKey(
                name: name, meaning: "a device's name",
                set: { text, settings, checks in
                    settings.aliases[parts[1]] = text
                    return checks.fault(ofAlias: text)
                }, get: { $0.aliases[parts[1]] })
        case "views":
            return SettingsKey(
                name: name, isList: true, meaning: "a list of signals",
                commands: ["live", "serve"],
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

extension Duration {
    /// The time as a user would type it, in the largest unit that fits: `365d`, `90m`, `500ms`.
    var optionText: String {
        let milliseconds = nanoseconds / 1_000_000
        let units: [(name: String, length: Int64)] = [
            ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000),
        ]
        for unit in units where milliseconds > 0 && milliseconds % unit.length == 0 {
            return "\(milliseconds / unit.length)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }
}

extension LiftedLimit {
    /// The limit as a user would type it.
    fileprivate func text(_ text: (Limit) -> String) -> String { limit.map(text) ?? "off" }
}
