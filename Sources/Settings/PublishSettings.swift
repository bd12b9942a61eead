import Formats
import OBDCore
import Publishing

/// The settings of one sink: the table `publish.NAME`.
package struct PublishSettings: Hashable, Sendable {
    /// The history that a broker gets.
    package enum History: String, CaseIterable, Sendable {
        case off, influx, json
    }

    /// The names of signals in the sink.
    package enum Names: String, CaseIterable, Sendable {
        case own, vss
        case vssCore = "vss-core"
    }

    package var to: SinkAddress?
    /// A file whose first line is the password.
    package var passwordFile: String?
    /// A file whose first line is the token.
    package var tokenFile: String?
    /// A file whose first line is the key of this program at the service.
    package var apiKeyFile: String?
    /// A file with trusted certificates.
    package var caFile: String?
    /// The name at a broker; nil = made of the machine and the sink.
    package var client: String?
    /// The vehicle's name in the sink.
    package var id: String?
    /// Short names of signals; empty = the usual ones.
    package var signals: [String] = []
    /// The least time between two states of a signal.
    package var every: Duration?
    /// The interval of the computer's own state; zero = it is not sent, nil = the usual one.
    package var heartbeat: Duration?
    /// Whether to announce the vehicle to Home Assistant.
    package var isForHomeAssistant: Bool?
    /// The discovery prefix of Home Assistant.
    package var discoveryPrefix: String?
    package var hasPosition: Bool?
    package var hasText: Bool?
    /// Whether a button at the broker may read trouble codes.
    package var takesCommands: Bool?
    /// The part of the history that a broker gets.
    package var history: History?
    /// The names of signals in the sink.
    package var names: Names?
    /// Further tags.
    package var tags: [String: String] = [:]

    package init() {}

    /// Whether the sink gets something of every trip; a broker may get only the newest values.
    package var getsHistory: Bool {
        to.map { !$0.kind.isMQTT && !$0.kind.isABRP } ?? false || hasHistory
    }
    /// Whether the sink gets the readings of every trip; Traccar gets positions, a webhook events.
    package var getsReadings: Bool { to?.kind.isEngine == true || hasHistory }
    private var hasHistory: Bool { to?.kind.isMQTT == true && (history ?? .off) != .off }
}

extension SettingsKey {
    /// The keys of a sink with their meanings, in the order of the manual page.
    private static let ofSink: [(key: String, meaning: String)] = [
        ("to", "the address of a sink"),
        ("password-file", "a file whose first line is the password"),
        ("token-file", "a file whose first line is the token"),
        ("api-key-file", "a file whose first line is the API key"),
        ("ca-file", "a file with the certificates that are trusted"),
        ("client", "the name of this program at a broker"),
        ("id", "the name of the vehicle at a sink"),
        ("signals", "the signals that a sink gets"),
        (
            "every",
            "the shortest time between two values of a signal for a broker, or two points for ABRP"
        ),
        ("heartbeat", "the interval of this computer's own state: 10s or longer, or off"),
        ("home-assistant", "whether the vehicle is announced to Home Assistant"),
        ("discovery-prefix", "the topic of Home Assistant's announcements"),
        ("position", "whether a sink gets positions"),
        ("text", "whether a sink gets texts and events"),
        ("history", "which readings a broker gets beside the newest: off, influx or json"),
        ("names", "the names of signals at a sink: own, vss or vss-core"),
        ("commands", "whether a button at a broker may read trouble codes"),
    ]

    package static var publishKeys: [String] { ofSink.map(\.key) }

    /// The key `publish.NAME.to`, or `publish.NAME.tags.TAG`; nil if not valid.
    static func publish(_ name: String) -> SettingsKey? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 3, parts[0] == "publish", isBareName(parts[1]) else { return nil }
        let sink = parts[1]
        let meaning =
            ofSink.first { parts.count == 3 && $0.key == parts[2] }?.meaning
            ?? "one more tag for each line"
        func text(
            _ path: WritableKeyPath<PublishSettings, String?> & Sendable,
            _ fault: @escaping @Sendable (String) -> SettingFault? = { $0.isEmpty ? .empty : nil }
        ) -> SettingsKey {
            SettingsKey(
                name: name, meaning: meaning, commands: ["publish"],
                set: { text, settings, _ in
                    settings.publish[sink, default: .init()][keyPath: path] = text
                    return fault(text)
                }, get: { $0.publish[sink]?[keyPath: path] })
        }
        func flag(_ path: WritableKeyPath<PublishSettings, Bool?> & Sendable) -> SettingsKey {
            SettingsKey(
                name: name, isFlag: true, meaning: meaning, commands: ["publish"],
                set: { text, settings, _ in
                    let value = SettingsKey.flags[text]
                    settings.publish[sink, default: .init()][keyPath: path] = value
                    return value == nil ? .notOnOrOff : nil
                }, get: { $0.publish[sink]?[keyPath: path].map { $0 ? "on" : "off" } })
        }
        func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
            _ path: WritableKeyPath<PublishSettings, Choice?> & Sendable
        ) -> SettingsKey where Choice.RawValue == String {
            SettingsKey(
                name: name, meaning: meaning, commands: ["publish"],
                set: { text, settings, _ in
                    let value = Choice(rawValue: text)
                    settings.publish[sink, default: .init()][keyPath: path] = value
                    return value == nil ? .notOneOf(Choice.allCases.map(\.rawValue)) : nil
                }, get: { $0.publish[sink]?[keyPath: path]?.rawValue })
        }
        if parts.count == 4, parts[2] == "tags" {
            let tag = parts[3]
            guard PublishedName.isSlug(tag) else { return nil }
            return SettingsKey(
                name: name, meaning: meaning, commands: ["publish"],
                set: { text, settings, _ in
                    settings.publish[sink, default: .init()].tags[tag] = text
                    return text.isEmpty ? .empty : nil
                }, get: { $0.publish[sink]?.tags[tag] })
        }
        guard parts.count == 3 else { return nil }
        let isPath: @Sendable (String) -> SettingFault? = {
            $0.hasPrefix("/") || $0.hasPrefix("~/") ? nil : .notAPath
        }
        switch parts[2] {
        case "to":
            return SettingsKey(
                name: name, meaning: meaning, commands: ["publish"],
                set: { text, settings, _ in
                    do throws(SinkAddress.Fault) {
                        settings.publish[sink, default: .init()].to = try SinkAddress(text)
                        return nil
                    } catch {
                        return .notASink(error)
                    }
                }, get: { $0.publish[sink]?.to?.text })
        case "password-file": return text(\.passwordFile, isPath)
        case "token-file": return text(\.tokenFile, isPath)
        case "api-key-file": return text(\.apiKeyFile, isPath)
        case "ca-file": return text(\.caFile, isPath)
        case "id": return text(\.id) { PublishedName.isTemplate($0) ? nil : .notAnIdentifier }
        case "client":
            return text(\.client) {
                $0.isEmpty || $0.utf8.count > 200
                    || $0.contains { $0.isWhitespace || "/+#".contains($0) }
                    ? .notAnIdentifier : nil
            }
        case "discovery-prefix": return text(\.discoveryPrefix)
        case "position": return flag(\.hasPosition)
        case "text": return flag(\.hasText)
        case "home-assistant": return flag(\.isForHomeAssistant)
        case "commands": return flag(\.takesCommands)
        case "names": return choice(\.names)
        case "history": return choice(\.history)
        case "every":
            return SettingsKey(
                name: name, meaning: meaning, commands: ["publish"],
                set: { text, settings, _ in
                    let value = Duration(text: text)
                    settings.publish[sink, default: .init()].every = value
                    return value == nil ? .notADuration : nil
                },
                get: { $0.publish[sink]?.every?.optionText })
        case "heartbeat":
            return SettingsKey(
                name: name, meaning: meaning, commands: ["publish"],
                set: { text, settings, _ in
                    let value = text == "off" ? .zero : Duration(text: text)
                    settings.publish[sink, default: .init()].heartbeat = value
                    return value.map { $0 == .zero || $0 >= .seconds(10) } ?? false
                        ? nil : .notAHeartbeat
                },
                get: { $0.publish[sink]?.heartbeat.map { $0 == .zero ? "off" : $0.optionText } })
        case "signals":
            return SettingsKey(
                name: name, isList: true, meaning: meaning, commands: ["publish"],
                set: { text, settings, _ in
                    let signals = text.split(separator: " ").map(String.init)
                    settings.publish[sink, default: .init()].signals = signals
                    return signals.isEmpty ? .noSignal : nil
                },
                get: { settings in
                    settings.publish[sink].flatMap {
                        $0.signals.isEmpty ? nil : $0.signals.joined(separator: " ")
                    }
                })
        default: return nil
        }
    }
}

extension UserSettings {
    /// The sinks that need every trip; a broker that gets only the current state does not.
    package var sinksOfTrips: [String] {
        publish.filter(\.value.getsHistory).keys.sorted()
    }

    /// Whether a sink holds the readings of the trips that were delivered to it.
    package var hasSinkOfReadings: Bool { publish.contains { $0.value.getsReadings } }

    /// The names of all settings of sinks that have a value.
    package var publishNames: [String] {
        publish.keys.sorted().flatMap { sink in
            let plain = SettingsKey.publishNames(sink)
            let tags = publish[sink].map { $0.tags.keys.sorted() } ?? []
            return (plain + tags.map { "publish.\(sink).tags.\($0)" })
                .filter { SettingsKey.named($0)?.get(self) != nil }
        }
    }
}

extension UserSettings {
    /// The names of the settings that have a value in a section such as `publish.home`.
    package func names(inSection section: String) -> [String] {
        (publishNames + fuelNames).filter { $0.hasPrefix(section + ".") }
    }
}

extension SettingsKey {
    fileprivate static func publishNames(_ sink: String) -> [String] {
        publishKeys.map { "publish.\(sink).\($0)" }
    }
}
