import ArgumentParser

/// Ways to ArgumentParser's own answers that leave out what the arguments do not need.
///
/// Parsing from the root first makes two commands of its own that print completions, then the root's
/// and the command's above; that is half of the time of a short command.
extension ObdscanCommand {
    /// The help that `arguments` ask for, where they are names of commands and `--help`, or `help`
    /// behind one that has commands of its own; else nil.
    static func help(for arguments: [String]) -> String? {
        guard let last = arguments.last, ["--help", "-h", "help"].contains(last) else { return nil }
        let (command, rest) = named(by: arguments.dropLast())
        guard rest.isEmpty else { return nil }
        let isGroup = arguments.count > 1 && !command.configuration.subcommands.isEmpty
        return last != "help" || isGroup ? helpMessage(for: command) : nil
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
