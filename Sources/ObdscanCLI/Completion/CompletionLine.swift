import ArgumentParser

/// An incomplete command line, parsed up to the word at the cursor.
struct CompletionLine {
    /// The kinds of words that can follow.
    enum Place {
        /// The name of a subcommand, or a positional argument's value.
        case word
        case option
        /// An option's value, with the part of the word before it, such as `--view=`.
        case value(CommandArgument, behind: String)
    }

    /// The command that the first words name.
    private(set) var command: any ParsableCommand.Type = ObdscanCommand.self
    /// The words that name the command.
    private(set) var path: [String] = []
    private(set) var arguments: [CommandArgument] = []
    private(set) var given: [(argument: CommandArgument, value: String?)] = []
    /// The number of positional arguments before the last word.
    private(set) var positionals = 0
    private(set) var place = Place.word
    /// The typed part of the word.
    private(set) var prefix = ""
    /// Whether the line begins with `help`, so that the words are names of commands.
    private(set) var asksForHelp = false

    /// Reads the words after the program's name; the last one is not complete.
    init(_ words: [String]) {
        var pending: CommandArgument?
        var onlyWords = false
        arguments = CommandArgument.all(of: command)
        for word in words.dropLast() {
            if let option = pending {
                given.append((option, word))
                pending = nil
            } else if onlyWords {
                positionals += 1
            } else if word == "--" {
                onlyWords = true
            } else if word.hasPrefix("-"), word.count > 1 {
                pending = takeOption(word)
            } else if !take(command: word) {
                enterDefault()
                positionals += 1
            }
        }
        prefix = words.last ?? ""
        if let pending {
            place = .value(pending, behind: "")
        } else if !onlyWords, !asksForHelp, prefix.hasPrefix("-") {
            enterDefault()
            place = .option
            if let end = prefix.firstIndex(of: "="), let option = option(prefix[..<end]) {
                let behind = prefix[...end]
                place = .value(option, behind: String(behind))
                prefix = String(prefix.dropFirst(behind.count))
            }
        }
    }

    /// The positional argument in the place of the last word; nil = none.
    var positional: CommandArgument? {
        guard !asksForHelp, command.configuration.subcommands.isEmpty else { return nil }
        let all = arguments.filter { $0.kind == .positional }
        guard positionals >= all.count else { return all[positionals] }
        return all.last.flatMap { $0.isRepeating ? $0 : nil }
    }

    /// The subcommands that the last word can name.
    var commands: [any ParsableCommand.Type] {
        guard positionals == 0 else { return [] }
        return command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    }

    /// Whether the words name a command that can run, so that its options may follow.
    var isComplete: Bool { !asksForHelp && command.configuration.subcommands.isEmpty }

    /// The options and flags that may still be given.
    var options: [CommandArgument] {
        arguments.filter { argument in
            argument.kind != .positional
                && (argument.isRepeating || !given.contains { $0.argument == argument })
        }
    }

    private func option(_ name: some StringProtocol) -> CommandArgument? {
        arguments.first { $0.names.contains(String(name)) }
    }

    /// Parses an option; returns it if its value is the next word.
    private mutating func takeOption(_ word: String) -> CommandArgument? {
        enterDefault()
        let end = word.firstIndex(of: "=")
        guard let option = option(word[..<(end ?? word.endIndex)]) else { return nil }
        if option.kind == .option && end == nil { return option }
        given.append((option, end.map { String(word[word.index(after: $0)...]) }))
        return nil
    }

    /// Enters the subcommand that `word` names; false = unknown.
    private mutating func take(command word: String) -> Bool {
        guard positionals == 0 else { return false }
        if path.isEmpty, word == "help" {
            asksForHelp = true
            return true
        }
        let found = command.configuration.subcommands.first {
            CommandSuggestion.name($0) == word || $0.configuration.aliases.contains(word)
        }
        guard let found else { return false }
        enter(found)
        return true
    }

    /// Options and values without a subcommand belong to the default one.
    private mutating func enterDefault() {
        if let command = command.configuration.defaultSubcommand { enter(command) }
    }

    private mutating func enter(_ command: any ParsableCommand.Type) {
        self.command = command
        path.append(CommandSuggestion.name(command))
        arguments = CommandArgument.all(of: command)
    }
}
