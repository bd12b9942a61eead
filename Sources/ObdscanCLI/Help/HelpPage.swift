import ArgumentParser
import Formats
import Glibc
import SystemIO

/// The help of a command, with one line per option and examples that are never wrapped.
///
/// ArgumentParser's own help shows every option of every group, with several lines for each.
struct HelpPage {
    private let command: any ParsableCommand.Type
    private let words: [String]
    private let isWhole: Bool
    private let width: Int

    /// The help page of a command.
    ///
    /// `words` are the words that call the command. `isWhole` adds the common options and further
    /// explanations.
    init(
        _ command: any ParsableCommand.Type, _ words: [String], isWhole: Bool = false,
        width: Int? = nil
    ) {
        self.command = command
        self.words = words
        self.isWhole = isWhole || command == CommonOptions.self
        self.width = width ?? min(max(terminalColumns(STDOUT_FILENO) ?? 80, 40), 100)
    }

    /// The usage, such as `obdscan read [options] <signal>...`.
    var usage: String {
        usage(command.configuration.subcommands.isEmpty ? CommandArgument.all(of: command) : [])
    }

    /// The text, without a line end after the last line.
    var text: String {
        let configuration = command.configuration
        let (details, examples) = Self.split(configuration.discussion)
        let isGroup = !configuration.subcommands.isEmpty
        let arguments = isGroup ? [] : CommandArgument.all(of: command)
        var parts = [
            paragraph(configuration.abstract), paragraph("Usage: " + usage(arguments), hanging: 7),
        ]
        let paragraphs = details.split(separator: "\n\n").map(String.init)
        parts += (isWhole ? paragraphs : Array(paragraphs.prefix(1))).map { paragraph($0) }
        if isGroup { parts.append(section("Commands", commands(configuration))) }
        let positional = arguments.filter { $0.kind == .positional && !$0.about.isEmpty }
        let own = arguments.filter { $0.kind != .positional && !$0.isCommon }
        let common = arguments.filter(\.isCommon)
        if !positional.isEmpty { parts.append(section("Arguments", rows(positional))) }
        if command == CommonOptions.self {
            parts.append(section("Options", rows(common)))
        } else {
            parts.append(section("Options", isGroup ? Self.flags(command) : rows(own)))
            if isWhole, !common.isEmpty { parts.append(section("Common options", rows(common))) }
            if !isWhole { parts.append(further(isGroup, !common.isEmpty)) }
        }
        if !examples.isEmpty { parts.append("Examples:\n" + examples) }
        return parts.joined(separator: "\n\n")
    }

    /// The first example of a command, without its explanation; nil without examples.
    static func example(of command: any ParsableCommand.Type) -> String? {
        let lines = split(command.configuration.discussion).examples.split(separator: "\n")
        return lines.first?.drop { $0 == " " }.split(separator: "  ").first.map(String.init)
    }

    /// Splits a discussion into the text, and the lines after its heading EXAMPLES.
    private static func split(_ discussion: String) -> (details: String, examples: String) {
        guard let heading = discussion.firstRange(of: "EXAMPLES\n") else {
            return (discussion, "")
        }
        return (
            String(discussion[..<heading.lowerBound]), String(discussion[heading.upperBound...])
        )
    }

    private func paragraph(_ text: String, hanging: Int = 0) -> String {
        // Indented lines have their final layout already.
        text.split(separator: "\n").flatMap { line in
            line.hasPrefix(" ") ? [String(line)] : folded(String(line), to: width, hanging: hanging)
        }.joined(separator: "\n")
    }

    private var name: String { (["obdscan"] + words).joined(separator: " ") }

    private func usage(_ arguments: [CommandArgument]) -> String {
        let configuration = command.configuration
        if !configuration.subcommands.isEmpty {
            let isOptional = configuration.defaultSubcommand != nil || words.isEmpty
            return "\(name) " + (isOptional ? "[command]" : "<command>") + " [options]"
        }
        if command == CommonOptions.self { return "obdscan <command> [options]" }
        var parts = [name, "[options]"]
        for argument in arguments where !argument.isCommon {
            var part = "<\(argument.valueName)>" + (argument.isRepeating ? "..." : "")
            switch argument.kind {
            case .positional: if argument.isOptional { part = "[\(part)]" }
            case .option where !argument.isOptional && argument.defaultValue.isEmpty:
                part = "\(argument.names.last ?? "") \(part)"
            case .option, .flag: continue
            }
            parts.append(part)
        }
        return parts.joined(separator: " ")
    }

    private func commands(_ configuration: CommandConfiguration) -> [(String, [String])] {
        configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { command in
            let isDefault = command == configuration.defaultSubcommand
            return (
                CommandSuggestion.name(command) + (isDefault ? " (default)" : ""),
                [command.configuration.abstract]
            )
        }
    }

    private static func flags(_ command: any ParsableCommand.Type) -> [(String, [String])] {
        CommandArgument.all(of: command).map { ($0.label(without: []), [$0.about]) }
    }

    private func rows(_ arguments: [CommandArgument]) -> [(String, [String])] {
        let names = arguments.filter { $0.kind == .flag }.flatMap(\.names)
        var rows: [(String, [String])] = []
        for argument in arguments where !argument.isOpposite(among: names) {
            var about = argument.about
            if !argument.defaultValue.isEmpty, !about.contains("(default") {
                about += " (default: \(argument.defaultValue))"
            }
            var lines = [about]
            if isWhole {
                if !argument.words.isEmpty, argument.words.contains(where: { !about.contains($0) })
                {
                    lines.append("Values: " + argument.words.joined(separator: ", ") + ".")
                }
                if !argument.details.isEmpty { lines.append(argument.details) }
            }
            rows.append((argument.label(without: names), lines))
        }
        return rows
    }

    /// Labels in one column, and their descriptions in the next.
    private func section(_ title: String, _ rows: [(label: String, lines: [String])]) -> String {
        let column = (rows.map { displayWidth($0.label) }.max() ?? 0) + 4
        var text = "\(title):"
        for row in rows {
            let lines = row.lines.flatMap { folded($0, to: max(width - column, 24), hanging: 0) }
            for (index, line) in lines.enumerated() {
                let label = index == 0 ? "  " + row.label : ""
                text += "\n" + fitted(label, column) + line
            }
        }
        return text
    }

    /// Where to find more help.
    private func further(_ isGroup: Bool, _ hasCommon: Bool) -> String {
        if words.isEmpty {
            return "Common options: see 'obdscan help options'.\n"
                + "Help of a command: 'obdscan help <command>', or 'man obdscan-<command>'."
        }
        if isGroup {
            let example =
                command.configuration.defaultSubcommand
                ?? command.configuration.subcommands.first
            return "Options of a command: 'obdscan help \(words.joined(separator: " ")) "
                + (example.map(CommandSuggestion.name) ?? "") + "', and so on."
        }
        return (hasCommon ? "Common options: see 'obdscan help options'.\n" : "")
            + "More: '\(name) --help-all', or 'man obdscan-\(words[0])'."
    }
}

extension CommandArgument {
    /// Whether the flag is the `--no-…` form of another flag, whose label shows both.
    func isOpposite(among names: [String]) -> Bool {
        guard let long = self.names.first(where: { $0.hasPrefix("--no-") }) else { return false }
        return names.contains("--" + long.dropFirst(5))
    }

    /// The label in the help: `-d, --device <device>`, `--[no-]battery-safe`, `<signal>...`.
    func label(without names: [String]) -> String {
        let value = "<\(valueName)>"
        if kind == .positional { return value + (isRepeating ? "..." : "") }
        let own = self.names.sorted { $0.count < $1.count }.map { name in
            kind == .flag && names.contains("--no-" + name.dropFirst(2))
                ? "--[no-]" + name.dropFirst(2) : name
        }
        return own.joined(separator: ", ") + (kind == .option ? " " + value : "")
    }
}
