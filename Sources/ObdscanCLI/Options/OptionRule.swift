import ArgumentParser

/// A rule between the options of a command, in the words of its message.
struct OptionRule<Command>: Sendable {
    let text: String
    let isBroken: @Sendable (Command) -> Bool

    init(_ text: String, isBroken: @escaping @Sendable (Command) -> Bool) {
        self.text = text
        self.isBroken = isBroken
    }
}

/// A command with rules between its options, which its help and its manual page print.
protocol RuledCommand: ParsableCommand, OutputCommand {
    static var rules: [OptionRule<Self>] { get }
}

extension RuledCommand {
    func validate() throws { try checkRules() }

    func checkRules() throws {
        guard let rule = Self.rules.first(where: { $0.isBroken(self) }) else { return }
        throw ValidationError(rule.text)
    }

    /// The rules as sentences, for the discussion of the command.
    static var ruleText: String {
        rules.map { $0.text.prefix(1).uppercased() + $0.text.dropFirst() + "." }
            .joined(separator: " ")
    }
}
