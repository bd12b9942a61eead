import ArgumentParser
import OBDCore

/// What somebody meant who typed the name of no command.
enum CommandSuggestion {
    /// The failure of `arguments` that name no command where they should; nil where another thing is
    /// wrong with them.
    static func failure(for arguments: [String]) -> Failure? {
        var command: any ParsableCommand.Type = ObdscanCommand.self
        var path = "obdscan"
        for word in arguments {
            // After an option nobody knows whether a word is its value.
            guard !word.hasPrefix("-"), !command.configuration.subcommands.isEmpty else {
                return nil
            }
            if let next = command.configuration.subcommands.first(where: { name($0) == word }) {
                command = next
                path += " \(word)"
                continue
            }
            let names = command.configuration.subcommands.map(name)
            let near = nearest(
                to: word, among: command == ObdscanCommand.self ? names + ["help"] : names)
            let meant = near.map { "\(path) \($0)" } ?? elsewhere(word)
            // What has a default command may have taken the word as its argument.
            if meant == nil, command.configuration.defaultSubcommand != nil { return nil }
            return Failure(
                "there is no command \"\(path) \(word)\"",
                hint: (meant.map { "did you mean \"\($0)\"? " } ?? "")
                    + "\"\(path) --help\" lists the commands",
                status: .usage)
        }
        return nil
    }

    /// What a code, or the name of another command's own command, could have meant.
    private static func elsewhere(_ word: String) -> String? {
        if DTC(word) != nil { return "obdscan dtc explain \(word)" }
        return ObdscanCommand.configuration.subcommands.lazy
            .filter { $0.configuration.subcommands.contains { name($0) == word } }
            .first.map { "obdscan \(name($0)) \(word)" }
    }

    /// The name that a slip of the fingers could have meant.
    static func nearest(to word: String, among names: [String]) -> String? {
        let wanted = Array(word.lowercased().utf8)
        let bound = wanted.count < 4 ? 1 : 2
        let found = names.map { name in
            (name: name, distance: editDistance(Array(name.utf8), wanted, bound: bound))
        }
        return found.filter { $0.distance <= bound }.min { $0.distance < $1.distance }?.name
            // Half a word is enough where only one begins like that.
            ?? onlyOne(names.filter { wanted.count > 1 && $0.utf8.starts(with: wanted) })
    }

    private static func onlyOne(_ names: [String]) -> String? { names.count == 1 ? names[0] : nil }

    /// The word that calls a command.
    static func name(_ command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? command._commandName
    }
}
