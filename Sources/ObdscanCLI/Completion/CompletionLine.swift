import ArgumentParser

/// A command line that is being typed, read up to the word that is to be completed.
struct CompletionLine {
    /// What can be in the place of the last word.
    enum Place {
        /// The name of a command below, or a positional argument's value.
        case word
        /// The name of an option.
        case option
        /// An option's value, after what comes before it in the same word: `--view=`.
        case value(CommandArgument, behind: String)
    }

    /// The command that the first words name.
    private(set) var command: any ParsableCommand.Type = ObdscanCommand.self
    /// Those words.
    private(set) var path: [String] = []
    /// What the command takes.
    private(set) var arguments: [CommandArgument] = []
    /// What was given of it.
    private(set) var given: [(argument: CommandArgument, value: String?)] = []
    /// How many positional arguments come before the last word.
    private(set) var positionals = 0
    private(set) var place = Place.word
    /// What is typed of what is to be completed.
    private(set) var prefix = ""
    /// Whether the words after `help` are names of commands.
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

    /// The positional argument that the last word would be; nil = there is none.
    var positional: CommandArgument? {
        guard !asksForHelp, command.configuration.subcommands.isEmpty else { return nil }
        let all = arguments.filter { $0.kind == .positional }
        guard positionals >= all.count else { return all[positionals] }
        return all.last.flatMap { $0.isRepeating ? $0 : nil }
    }

    /// The commands that the last word could name.
    var commands: [any ParsableCommand.Type] {
        guard positionals == 0 else { return [] }
        return command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    }

    /// Whether the words name a command that runs, so that its options may follow.
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

    /// Takes an option; returns it where its value is the next word.
    private mutating func takeOption(_ word: String) -> CommandArgument? {
        enterDefault()
        let end = word.firstIndex(of: "=")
        guard let option = option(word[..<(end ?? word.endIndex)]) else { return nil }
        if option.kind == .option && end == nil { return option }
        given.append((option, end.map { String(word[word.index(after: $0)...]) }))
        return nil
    }

    /// Goes to the command below that `word` names; false = it names none.
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

    /// Options and values without a command's name belong to the default one.
    private mutating func enterDefault() {
        if let command = command.configuration.defaultSubcommand { enter(command) }
    }

    private mutating func enter(_ command: any ParsableCommand.Type) {
        self.command = command
        path.append(CommandSuggestion.name(command))
        arguments = CommandArgument.all(of: command)
    }
}
