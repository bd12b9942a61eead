import ArgumentParser

/// Help, and a faster way to ArgumentParser's answer.
///
/// Parsing from the root first makes two commands of its own that print completions, then the root's
/// and those above the command. That is half of the time of a short command.
extension ObdscanCommand {
    /// The help that `arguments` ask for; nil where they ask for none.
    ///
    /// They ask by `--help`, `-h` or `--help-all` anywhere before `--`, by `help` before the names of
    /// commands, or by `help` after a command that has commands below it. A word that is not the
    /// name of a command ends the names; ``CommandSuggestion`` has been asked about it before.
    static func help(for arguments: [String]) -> HelpPage? {
        let words = Array(arguments.prefix { $0 != "--" })
        let flags = words.filter { ["--help", "-h", "--help-all", "--help-hidden"].contains($0) }
        let isWhole = flags.contains { $0.hasPrefix("--help-") }
        let names = words.filter { !flags.contains($0) }
        if names.first == "help" {
            let (command, rest) = named(by: names.dropFirst())
            return page(command, names.dropFirst().dropLast(rest.count), isWhole)
        }
        let (command, rest) = named(by: names[...])
        let isGroup = !command.configuration.subcommands.isEmpty
        guard !flags.isEmpty || isGroup && !names.dropLast().isEmpty && rest == ["help"] else {
            return nil
        }
        return page(command, names.prefix(names.count - rest.count), isWhole)
    }

    /// The usage of the command that a process's arguments name.
    static func usage(_ arguments: [String]) -> String {
        let words = Array(arguments.dropFirst()).filter { $0 != "help" }
        let (command, rest) = named(by: words[...])
        var names = Array(words.dropLast(rest.count))
        guard let usual = command.configuration.defaultSubcommand else {
            return HelpPage(command, names).usage
        }
        names.append(CommandSuggestion.name(usual))
        return HelpPage(usual, names).usage
    }

    private static func page(
        _ command: any ParsableCommand.Type, _ words: ArraySlice<String>, _ isWhole: Bool
    ) -> HelpPage {
        HelpPage(command, Array(words), isWhole: isWhole)
    }

    /// The command that `arguments` ask for; ArgumentParser's errors.
    static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        let (command, rest) = named(by: arguments[...])
        // Whatever is amiss is worded by the whole parser: it knows all commands above.
        if command.configuration.subcommands.isEmpty,
            let parsed = try? command.parseAsRoot(Array(rest)), type(of: parsed) == command
        {
            return parsed
        }
        return try parseAsRoot(arguments)
    }

    /// The command that the first words name, and the words behind.
    private static func named(
        by arguments: ArraySlice<String>
    ) -> (any ParsableCommand.Type, ArraySlice<String>) {
        var command: any ParsableCommand.Type = ObdscanCommand.self
        var rest = arguments
        while let word = rest.first,
            let next = command.configuration.subcommands.first(where: {
                CommandSuggestion.name($0) == word
            })
        {
            command = next
            rest = rest.dropFirst()
        }
        return (command, rest)
    }
}

extension CommandConfiguration {
    /// The same for a command that may be parsed without those above it, which are `path`.
    ///
    /// The name counts only then, and tells ArgumentParser that completions are another's business.
    func below(_ path: String) -> CommandConfiguration {
        var configuration = self
        configuration._superCommandName = path
        return configuration
    }
}
