import ArgumentParser
import Formats
import Glibc
import OBDCore
import PIDTables
import Reports
import Settings
import SystemIO
import VehicleScan

/// `obdscan config`: the configuration file.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show and change the configuration file.",
        discussion: """
            The file is $XDG_CONFIG_HOME/obdscan/config.toml; obdscan-config(5) describes it. It \
            overrides /etc/obdscan/config.toml, which holds settings for all users. Options and \
            environment variables override both. "obdscan config" says which file or variable each \
            setting is from.

            EXAMPLES
              obdscan config set device /dev/ttyUSB0
              obdscan config set aliases.van tcp:192.168.0.10:35000
              obdscan config set views.commute RPM VSS FLI
              obdscan config get units
            """,
        subcommands: [
            ConfigList.self, ConfigGet.self, ConfigSet.self, ConfigUnset.self, ConfigEdit.self,
            ConfigCheck.self,
        ],
        defaultSubcommand: ConfigList.self)
}

struct ConfigList: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print every setting, and where it is from.",
        discussion: """
            A setting of the user's own file has no remark. Another source follows as a comment.
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        let settings = try UserSettings.loaded.get()
        var writer = TextOutput.standard
        let names =
            SettingsKey.plain.map(\.name) + settings.aliases.keys.sorted().map { "aliases.\($0)" }
            + settings.views.keys.sorted().map { "views.\($0)" }
            + settings.vehicles.keys.sorted().map { "vehicles.\($0)" } + settings.fuelNames
            + settings.publishNames
        var rows = RowWriter(
            output.format, columns: ["name", "value", "source", "meaning", "commands"])
        for key in names.compactMap(SettingsKey.named) {
            let source = SettingsFile.source(of: key.name)
            let value = key.value(in: settings)
            if output.format == .text, let value {
                let remark = source.flatMap { $0 == SettingsFile.path ? nil : "  # \($0)" } ?? ""
                try writer.writeLine(printable("\(key.name) = \(value)\(remark)"))
            }
            try writer.print(
                Row(
                    "setting",
                    [
                        "name": .text(key.name), "value": .text(value), "source": .text(source),
                        "meaning": .text(key.meaning), "commands": .texts(key.commands),
                    ]), &rows)
        }
        try writer.flush()
        if output.format == .text, let path = SettingsFile.path { output.note("in \(path)") }
    }
}

/// `obdscan config get KEY`.
struct ConfigGet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print one setting; nothing when it is not set.",
        discussion: "An environment variable that overrides the setting counts.")

    @Argument(help: ArgumentHelp("The setting's name: units, aliases.van.", valueName: "name"))
    var name: String

    func run() throws {
        let settings = try UserSettings.loaded.get()
        guard let value = try key(name).value(in: settings) else { return }
        var writer = TextOutput.standard
        // Scripts use the plain value.
        try writer.write(bytes: Array("\(printable(value))\n".utf8))
        try writer.flush()
    }
}

/// `obdscan config set KEY VALUE`.
struct ConfigSet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change one setting, and keep the file's comments and order.")

    @Argument(help: ArgumentHelp("The setting's name: units, aliases.van.", valueName: "name"))
    var name: String

    @Argument(
        help: ArgumentHelp("The setting's value; several words for a view.", valueName: "value"))
    var values: [String] = []

    func run() throws {
        let key = try key(name)
        guard !values.isEmpty else {
            throw Failure(
                "\(name) needs a value",
                hint: "\(name) is for \(key.meaning); see obdscan-config(5)", status: .usage)
        }
        let isList = key.isList
        guard isList || values.count == 1 else {
            throw Failure(
                "\(name) takes one value",
                hint: "blanks in it need quotes: \"obdscan config set \(name) "
                    + "'\(values.joined(separator: " "))'\"", status: .usage)
        }
        let value = values.joined(separator: " ")
        var trial = UserSettings()
        if let fault = key.set(value, &trial, .own) {
            throw Failure(
                "\(name): \"\(value)\" \(fault.text)",
                hint: "\(name) is for \(key.meaning); see obdscan-config(5)",
                status: .usage)
        }
        // An unknown name would make every command without -d fail.
        if name == "device" { _ = try UserSettings.current.resolved(value) }
        if name.hasPrefix("views.") || (name == "signals" && values != ["all"]) {
            try checkSignals(values)
        }
        if name == "alarms" {
            // Only a condition passed the check of the value.
            try checkSignals(
                value.split(separator: " ").compactMap { Alarm(String($0))?.name })
        }
        if name == "logo" {
            let path =
                value.hasPrefix("~/") ? (environment("HOME") ?? "") + value.dropFirst() : value
            guard Files.exists(path) else {
                throw Failure(FileError.unreadable(path, errno: ENOENT))
            }
        }
        try SettingsFile.change(name, to: values, isList: isList)
    }

    /// Refuses a list with a signal that neither a table nor a pack has.
    private func checkSignals(_ names: [String]) throws {
        let own = try TableFile.own()
        let known = SignalNames(try PIDTables.load(own))
        for name in names {
            do throws(SignalError) {
                _ = try known.findPaced(name)
            } catch {
                let all = SignalNames(try PIDTables.load(own, automatic: PIDTables.packs()))
                guard (try? all.findPaced(name)) != nil else { throw Failure(error) }
            }
        }
    }
}

/// `obdscan config unset KEY`.
struct ConfigUnset: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset", abstract: "Remove one setting, or all settings of a section.")

    @Argument(
        help: ArgumentHelp(
            "The name of a setting or a section: units, publish.home.", valueName: "name"))
    var name: String

    func run() throws {
        if UserSettings.current.names(inSection: name).isEmpty { _ = try key(name) }
        try SettingsFile.remove(name)
        if let rest = try SettingsFile.weakerSource(of: name) {
            writeToStandardError(printable("\(name) is still set by \(rest)") + "\n")
        }
        if let device = UserSettings.current.device, name == "aliases.\(device)" {
            writeToStandardError(
                printable(
                    "device is still \(device); \"obdscan config set device DEVICE\" changes it")
                    + "\n")
        }
    }
}

struct ConfigCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the file, and name each line that is wrong.")

    func run() throws {
        let path = try SettingsFile.existingPath()
        // The file for all users counts, too, with or without one of the user's own.
        _ = try UserSettings.loaded.get()
        guard access(path, F_OK) == 0 else {
            writeToStandardError("there is no \(printable(path))\n")
            return
        }
        writeToStandardError("\(printable(path)) is right\n")
    }
}

struct ConfigEdit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Open the file in $VISUAL or $EDITOR, then check it.")

    func run() throws {
        let path = try SettingsFile.existingPath()
        try SettingsFile.makeFolder(of: path)
        try Editor.open(path)
        guard access(path, F_OK) == 0 else { return }
        _ = try SettingsFile.parsed(contents(of: path), path)
    }
}

extension SettingsKey {
    /// The value that holds: that of the environment variable if it is set, else that of the files.
    fileprivate func value(in settings: UserSettings) -> String? {
        variable.flatMap { setting($0) } ?? get(settings)
    }
}

private func key(_ name: String) throws(Failure) -> SettingsKey {
    guard let key = SettingsKey.named(name) else {
        if let first = UserSettings.current.names(inSection: name).first {
            throw Failure(
                "\(name) is a section with several settings",
                hint: "name one of them, such as \(first): \"obdscan config list\" shows them",
                status: .usage)
        }
        throw Failure(
            "\"\(name)\" is not a setting",
            hint: (SettingsKey.nearest(to: name)
                .map { "did you mean \($0)? " } ?? "") + "settings: "
                + SettingsKey.plain.map(\.name).joined(separator: ", ")
                + ", aliases.NAME, views.NAME, vehicles.VIN, publish.NAME.to, fuel.price and others; see obdscan-config(5)",
            status: .usage)
    }
    return key
}
