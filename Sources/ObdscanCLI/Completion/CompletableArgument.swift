import ArgumentParser
import OBDCore

/// An option, a flag or an argument of a command, as whoever completes a word has to know it.
struct CompletableArgument: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable { case positional, option, flag }

    var kind: Kind
    /// With their hyphens: `--device`, `-d`; none of a positional argument.
    var names: [String] = []
    /// What the help calls its value: `signal`, `file`.
    var valueName = ""
    /// Whether it may come more than once.
    var isRepeating = false
    /// The words that it takes; empty = others, or any.
    var words: [String] = []
    /// Whether it takes the name of a file.
    var takesFile = false
    /// One line for people.
    var about = ""

    /// What a command takes, in the order of its help; nothing for one that has commands below it.
    static func all(of command: any ParsableCommand.Type) -> [CompletableArgument] {
        guard command.configuration.subcommands.isEmpty else {
            var help = [CompletableArgument(kind: .flag, names: ["--help", "-h"])]
            help[0].about = "Show help information."
            if command == ObdscanCommand.self {
                help.append(CompletableArgument(kind: .flag, names: ["--version"]))
                help[1].about = "Show the version."
            }
            return help
        }
        // ArgumentParser tells it in no other way.
        let dump = JSONReader.object(Array(command._dumpHelp().utf8)[...])
        guard case .object(let root)? = dump?["command"],
            case .array(let arguments)? = root["arguments"]
        else { return [] }
        return arguments.compactMap { argument in
            guard case .object(let keys) = argument else { return nil }
            return CompletableArgument(keys)
        }
    }

    private init?(_ keys: [String: JSONValue]) {
        guard let kind = keys["kind"]?.string.flatMap(Kind.init(rawValue:)),
            keys["shouldDisplay"]?.bool != false
        else { return nil }
        self.init(kind: kind)
        if case .array(let all)? = keys["names"] {
            names = all.compactMap { name in
                guard case .object(let parts) = name, let text = parts["name"]?.string else {
                    return nil
                }
                return (parts["kind"]?.string == "long" ? "--" : "-") + text
            }
        }
        valueName = keys["valueName"]?.string ?? ""
        isRepeating = keys["isRepeating"]?.bool ?? false
        about = keys["abstract"]?.string ?? ""
        guard case .object(let completion)? = keys["completionKind"] else { return }
        takesFile = completion["file"] != nil
        if case .object(let list)? = completion["list"], case .array(let values)? = list["values"] {
            words = values.compactMap(\.string)
        }
    }

    init(kind: Kind, names: [String] = []) {
        self.kind = kind
        self.names = names
    }
}
