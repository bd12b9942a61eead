import ArgumentParser
import OBDCore

/// An option, a flag or an argument of a command, for its help and for completion.
struct CommandArgument: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable { case positional, option, flag }

    var kind: Kind
    /// The names with their hyphens: `--device`, `-d`; empty for a positional argument.
    var names: [String] = []
    /// The name of the value in the help: `signal`, `file`.
    var valueName = ""
    /// Whether the argument may be repeated.
    var isRepeating = false
    /// The allowed words; empty = other words, or any.
    var words: [String] = []
    /// Whether the argument is the name of a file.
    var takesFile = false
    var about = ""
    /// Further explanations; empty = none.
    var details = ""
    /// The default value; empty = none is shown.
    var defaultValue = ""
    /// Whether the argument may be left out.
    var isOptional = true
    /// Whether many commands share this option; see ``CommonOptions``.
    var isCommon = false

    /// The arguments of a command, in the order of its help; only `--help` if it has subcommands.
    static func all(of command: any ParsableCommand.Type) -> [CommandArgument] {
        guard command.configuration.subcommands.isEmpty else {
            var help = [CommandArgument(kind: .flag, names: ["--help", "-h"])]
            help[0].about = "Show help information."
            if command == ObdscanCommand.self {
                help.append(CommandArgument(kind: .flag, names: ["--version"]))
                help[1].about = "Show the version."
            }
            return help
        }
        // ArgumentParser offers the arguments only in this form.
        let dump = JSONReader.object(Array(command._dumpHelp().utf8)[...])
        guard case .object(let root)? = dump?["command"],
            case .array(let arguments)? = root["arguments"]
        else { return [] }
        return arguments.compactMap { argument in
            guard case .object(let keys) = argument else { return nil }
            return CommandArgument(keys)
        }
    }

    private init?(_ keys: [String: JSONValue]) {
        guard let kind = keys["kind"]?.string.flatMap(Kind.init(rawValue:)) else { return nil }
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
        details = keys["discussion"]?.string ?? ""
        defaultValue = keys["defaultValue"]?.string ?? ""
        isOptional = keys["isOptional"]?.bool ?? false
        isCommon = keys["shouldDisplay"]?.bool == false
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
