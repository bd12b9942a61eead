import ArgumentParser

/// The requests for help in the arguments of the program.
extension ObdscanCommand {
    /// The help page that `arguments` request; nil without a request.
    ///
    /// Users request help with `--help`, `-h` or `--help-all` anywhere before `--`, with `help`
    /// before the names of commands, with `help` after a command with subcommands, or with such a
    /// command alone if no subcommand is the usual one. The names end
    /// at a word that is not the name of a command; ``CommandSuggestion`` has handled wrong names
    /// before.
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
        let group = command.configuration
        let isGroup = !group.subcommands.isEmpty && !names.isEmpty
        // A group without a usual command, alone or before the word.
        let isAlone = isGroup && rest.isEmpty && group.defaultSubcommand == nil
        guard !flags.isEmpty || isAlone || isGroup && names.count > 1 && rest == ["help"] else {
            return nil
        }
        return page(command, names.prefix(names.count - rest.count), isWhole)
    }

    /// The usage of the command in a process's arguments.
    static func usage(_ arguments: [String]) -> String {
        let (command, names) = target(of: arguments)
        return HelpPage(command, names).usage
    }

    /// The command in a process's arguments, or its usual subcommand, and the words that name it.
    static func target(
        of arguments: [String]
    ) -> (command: any ParsableCommand.Type, names: [String]) {
        let words = Array(arguments.dropFirst()).filter { $0 != "help" }
        let (command, rest) = named(by: words[...])
        let names = Array(words.dropLast(rest.count))
        guard let usual = command.configuration.defaultSubcommand else { return (command, names) }
        return (usual, names + [CommandSuggestion.name(usual)])
    }

    private static func page(
        _ command: any ParsableCommand.Type, _ words: ArraySlice<String>, _ isWhole: Bool
    ) -> HelpPage {
        HelpPage(command, Array(words), isWhole: isWhole)
    }

    /// The command that the first words name, and the remaining words.
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
