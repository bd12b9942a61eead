import ArgumentParser
import Formats
import OBDCore
import PIDTables
import VehicleScan

/// Suggests a command after the user typed an unknown one.
enum CommandSuggestion {
    /// The failure for an unknown command or a misplaced option in `arguments`; nil if the error is another one.
    static func failure(for arguments: [String]) -> Failure? {
        var command: any ParsableCommand.Type = ObdscanCommand.self
        var path = "obdscan"
        for word in arguments {
            // A word after an option may be its value.
            guard !word.hasPrefix("-"), !command.configuration.subcommands.isEmpty else {
                return misplaced(arguments, command, path, word)
            }
            if let next = command.configuration.subcommands.first(where: { name($0) == word }) {
                command = next
                path += " \(word)"
                continue
            }
            let names = command.configuration.subcommands.map(name)
            let isRoot = command == ObdscanCommand.self
            let near = nearestName(to: word, among: isRoot ? names + ["help"] : names)
                .map { "\(path) \($0)" }
            let lists = ["show", "read", "get", "scan", "check"].contains(word)
            var meant =
                isRoot
                ? otherWord(word) ?? subcommand(word) ?? near
                : (lists && names.contains("list") ? "\(path) list" : commandAlone(word))
                    ?? near ?? otherWord(word) ?? subcommand(word)
            meant = meant ?? codeOrSignal(word)
            if meant == nil, command == TripsCommand.self {
                let search = "\" or \"obdscan trips list --search \(shellWord(word))"
                meant = "obdscan trips show \(shellWord(word))" + (Int64(word) == nil ? search : "")
            }
            // A command with a default subcommand may have taken the word as an argument.
            if meant == nil, command.configuration.defaultSubcommand != nil { return nil }
            return Failure(
                "there is no command \"\(path) \(word)\"",
                hint: (meant.map { "did you mean \"\($0)\"? " } ?? "")
                    + "\"\(path) --help\" lists the commands",
                status: .usage)
        }
        return nil
    }

    /// The command for a word that other programs, owners or workshops use for it.
    private static func otherWord(_ word: String) -> String? {
        switch word.lowercased() {
        case "code", "codes", "faults", "scan", "check", "mil", "light": "obdscan dtc"
        case "clear", "erase", "reset": "obdscan dtc clear"
        case "inspection", "readiness", "ready", "smog", "emissions", "mot": "obdscan monitors"
        case "print", "html", "pdf": "obdscan dtc report"
        case "bench", "benchmark": "obdscan doctor --adapter"
        case "gauges", "watch", "stream", "show": "obdscan live"
        case "web", "browser", "server", "dashboard": "obdscan serve"
        case "connect", "test": "obdscan doctor"
        case "pair", "init", "start": "obdscan setup"
        case "bluetooth", "adapters", "ports", "usb", "wifi": "obdscan devices"
        case "demo": "obdscan live -d sim:"
        case "record": "obdscan log"
        case "csv", "excel", "xlsx", "gpx": "obdscan export"
        case "mileage": "obdscan read odometer"
        case "backup": "obdscan db merge"
        case "version": "obdscan --version"
        default: nil
        }
    }

    /// The command with this name, which was typed after another command.
    private static func commandAlone(_ word: String) -> String? {
        ObdscanCommand.configuration.subcommands.contains { name($0) == word }
            ? "obdscan \(word)" : nil
    }

    /// The subcommand of another command.
    private static func subcommand(_ word: String) -> String? {
        ObdscanCommand.configuration.subcommands.first {
            $0.configuration.subcommands.contains { name($0) == word }
        }.map { "obdscan \(name($0)) \(word)" }
    }

    /// The command that explains a code or reads a signal.
    private static func codeOrSignal(_ word: String) -> String? {
        if DTC(word) != nil { return "obdscan dtc explain \(word)" }
        guard let table = try? PIDTables.standard(),
            (try? SignalNames(table).find(word)) != nil
        else { return nil }
        return "obdscan read \(word)"
    }

    /// The failure for an option before the command, or for a subcommand with hyphens; nil for others.
    private static func misplaced(
        _ arguments: [String], _ command: any ParsableCommand.Type, _ path: String, _ word: String
    ) -> Failure? {
        let subcommands = command.configuration.subcommands
        if subcommands.contains(where: { "--" + name($0) == word }) {
            return Failure(
                "there is no option \(word)",
                hint: "did you mean \"\(path) \(word.dropFirst(2))\"?",
                status: .usage)
        }
        guard command == ObdscanCommand.self,
            let start = arguments.firstIndex(where: { argument in
                subcommands.contains { name($0) == argument }
            }), start > 0
        else { return nil }
        let moved = (arguments[start...] + arguments[..<start]).map { shellWord($0) }
            .joined(separator: " ")
        return Failure(
            "options follow the command",
            hint: "did you mean \"obdscan \(moved)\"?", status: .usage)
    }

    /// ArgumentParser's first line about wrong usage, with the options and values that its own suggestions
    /// leave out: options that many commands share.
    static func completed(_ line: String, _ arguments: [CommandArgument]) -> String {
        let parts = line.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        if line.hasPrefix("Unknown option '--"), parts.count > 2 {
            // Suggest none of these, because a typing error must not lead to them: they skip a question, or
            // change stored data. A word with more letters after the whole name means it.
            let names = Set(arguments.flatMap(\.names))
                .subtracting(
                    ["--yes", "--force", "--purge", "--save"].filter { !parts[1].hasPrefix($0) }
                )
                .filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }.sorted()
            let near = nearestName(to: String(parts[1].dropFirst(2)), among: names)
            let meant = otherOption(parts[1], arguments) ?? near.map { "--\($0)" }
            let words = ["--tag": "tag", "--name": "name"]
            if meant == nil, let tripCommand = words[parts[1]],
                arguments.contains(where: { $0.names.contains("--log") })
            {
                return "Unknown option '\(parts[1])'. \"obdscan log\" takes it; "
                    + "\"obdscan trips \(tripCommand)\" changes a stored trip."
            }
            return "Unknown option '\(parts[1])'." + (meant.map { " Did you mean '\($0)'?" } ?? "")
        }
        if line.hasPrefix("Unexpected argument '"), parts.count > 1, DTC(parts[1]) != nil {
            return line + ": the command is about all codes, not a single one"
        }
        if line.hasPrefix("Unexpected argument '"), parts.count > 1, Failure.isDevice(parts[1]) {
            return line + ": a device follows -d"
        }
        guard let option = option(of: line, arguments) else { return line }
        if !option.words.isEmpty {
            let meant =
                parts[1].lowercased().contains("json")
                ? option.words.first { $0 == "json" }
                : nearestName(to: parts[1], among: option.words)
            return line + ". Use one of: \(option.words.joined(separator: ", "))."
                + (meant.map { " Did you mean '\($0)'?" } ?? "")
        }
        guard option.valueName == "time" else { return line }
        let digits = parts[1].filter { $0.isNumber }
        if !digits.isEmpty, digits.allSatisfy({ $0 == "0" }) {
            return line + ": it must be longer than 0"
        }
        if digits.count > 9 { return line + ": it is too long" }
        return line + (reason(against: parts[1], of: option).map { ": " + $0 } ?? "")
    }

    /// Why a time is not valid, by the form that the option takes; nil if the form is not the reason.
    private static func reason(against text: String, of option: CommandArgument) -> String? {
        if !option.names.allSatisfy({ !["--since", "--from", "--until"].contains($0) }) {
            return "a moment is a date, a time of day, an age or a word: 2026-11-21T08:15, 08:15, "
                + "7d, yesterday"
        }
        if Duration(text: text) == nil {
            return "a time is a number with ms, s, m, h or d: 90s, 10m, 1h30m"
        }
        guard option.names.contains(where: { $0.hasPrefix("--keep") }) else { return nil }
        return text.allSatisfy(\.isNumber)
            ? "it needs a unit: \(text)d" : "it must be a day or more"
    }

    /// The option that is meant by a word that other programs use for it, or by one of its values.
    private static func otherOption(_ word: String, _ arguments: [CommandArgument]) -> String? {
        let value = String(word.dropFirst(2))
        if let owner = arguments.first(where: { $0.words.contains(value) }),
            let name = owner.names.first
        {
            return "\(name) \(value)"
        }
        let meant =
            switch value {
            case "output", "out": ["--to"]
            case "interval", "period", "rate", "hz": ["--every"]
            case "port": ["--listen", "--device"]
            case "baud": ["--device"]
            default: [String]()
            }
        return meant.first { name in arguments.contains { $0.names.contains(name) } }
    }

    /// The help for an option with an invalid value; nil if ArgumentParser shows the help itself, or if the
    /// line has another fault.
    static func help(for line: String, _ arguments: [CommandArgument]) -> String? {
        guard let option = option(of: line, arguments), option.isCommon, option.words.isEmpty
        else { return nil }
        return "Help:  \(option.names.last ?? "") <\(option.valueName)>  \(option.about)"
            + (option.details.isEmpty ? "" : " " + option.details)
    }

    /// The option for which ArgumentParser says that a value is invalid.
    private static func option(of line: String, _ arguments: [CommandArgument]) -> CommandArgument?
    {
        let parts = line.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[2] == " is invalid for " else { return nil }
        let name = parts[3].prefix { $0 != " " }
        return arguments.first { $0.names.contains(String(name)) }
    }

    static func name(_ command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? command._commandName
    }
}
