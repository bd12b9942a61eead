import ArgumentParser
import Testing

@testable import ObdscanCLI

/// The fast parsers must give the same result as the whole parser.
@Suite struct `Short ways` {
    /// The words of each command.
    static let paths: [[String]] = paths(of: ObdscanCommand.self, [])

    private static func paths(of command: any ParsableCommand.Type, _ path: [String]) -> [[String]]
    {
        [path]
            + command.configuration.subcommands.flatMap {
                paths(of: $0, path + [CommandSuggestion.name($0)])
            }
    }

    @Test func `every command is tried with the fast parser`() {
        #expect(Self.paths.count >= 40)
        #expect(Self.paths.contains(["pids", "show"]))
    }

    /// The command with all its values, or the error message.
    private static func outcome(_ parse: () throws -> any ParsableCommand) -> String {
        do {
            let command = try parse()
            var text = "\(type(of: command))\n"
            dump(command, to: &text)
            return text
        } catch {
            return ObdscanCommand.fullMessage(for: error)
        }
    }

    @Test(
        arguments: [
            "", "decode", "decode 7E804410C1AF8", "decode --request 010C 7E804410C1AF8",
            "decode --protocol 6 --format json --messages a b --table t --pids p --pack q -q",
            "decode --protocol nonsense", "decode --request no", "decode --format xml", "decode -x",
            "decode --version", "decode --generate-completion-script bash", "decode -- --version",
            "decode --generate-completion-script", "decode --experimental-dump-help", "--version",
            "decode help", "help decode", "pids", "pids show RPM", "pids show", "pids list --help",
            "dtc", "dtc list", "dtc explain P0301", "dtc nothing", "live RPM -d sim: --duration 3",
            "log --duration", "trips show 1", "trips", "db check", "nothing", "read rpm -v decode",
        ])
    func `the fast parser gives the same values and faults`(line: String) {
        let arguments = line.split(separator: " ").map(String.init)
        #expect(
            Self.outcome { try ObdscanCommand.parsed(arguments) }
                == Self.outcome { try ObdscanCommand.parseAsRoot(arguments) })
    }
}
