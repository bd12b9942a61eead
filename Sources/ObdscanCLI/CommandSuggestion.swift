import ArgumentParser
import Formats
import OBDCore

/// Suggests a command after the user typed an unknown one.
enum CommandSuggestion {
    /// The failure for an unknown command in `arguments`; nil if the error is another one.
    static func failure(for arguments: [String]) -> Failure? {
        var command: any ParsableCommand.Type = ObdscanCommand.self
        var path = "obdscan"
        for word in arguments {
            // A word after an option may be its value.
            guard !word.hasPrefix("-"), !command.configuration.subcommands.isEmpty else {
                return nil
            }
            if let next = command.configuration.subcommands.first(where: { name($0) == word }) {
                command = next
                path += " \(word)"
                continue
            }
            let names = command.configuration.subcommands.map(name)
            let near = nearestName(
                to: word, among: command == ObdscanCommand.self ? names + ["help"] : names)
            let lists = word == "show" && names.contains("list")
            var meant = (near ?? (lists ? "list" : nil)).map { "\(path) \($0)" } ?? elsewhere(word)
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

    /// Interprets a word as a code or as a subcommand of another command.
    private static func elsewhere(_ word: String) -> String? {
        if DTC(word) != nil { return "obdscan dtc explain \(word)" }
        switch word.lowercased() {
        case "codes", "faults", "scan", "check": return "obdscan dtc"
        case "clear", "erase", "reset": return "obdscan dtc clear"
        case "inspection", "readiness", "ready": return "obdscan monitors"
        case "print", "html", "pdf": return "obdscan dtc report"
        case "bench", "benchmark": return "obdscan doctor --adapter"
        default: break
        }
        return ObdscanCommand.configuration.subcommands.lazy
            .filter { $0.configuration.subcommands.contains { name($0) == word } }
            .first.map { "obdscan \(name($0)) \(word)" }
    }

    /// ArgumentParser's first line about wrong usage, with the options and values that its own suggestions
    /// leave out: options that many commands share.
    static func completed(_ line: String, _ arguments: [CommandArgument]) -> String {
        let parts = line.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        if line.hasPrefix("Unknown option '--"), parts.count > 2 {
            // Suggest none of these, because a typing error must not lead to them: they skip a question, or
            // change stored data.
            let names = Set(arguments.flatMap(\.names))
                .subtracting(["--yes", "--force", "--purge", "--save"])
                .filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }.sorted()
            let near = nearestName(to: String(parts[1].dropFirst(2)), among: names)
            return "Unknown option '\(parts[1])'." + (near.map { " Did you mean '--\($0)'?" } ?? "")
        }
        if line.hasPrefix("Unexpected argument '"), parts.count > 1, DTC(parts[1]) != nil {
            return line + ": the command is about all codes, not a single one"
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
        return digits.count > 9 ? line + ": it is too long" : line
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
